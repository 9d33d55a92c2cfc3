package retail

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The tools that change orders. Their steps, and what has already changed when one fails, follow
// docs/reference/domains.md#retail.

func cancelOrder(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, o, err := findOrder(db, a.Get("order_id"))
	if err != nil {
		return nil, err
	}
	if o.Status != "pending" {
		return nil, domains.Refusal("Non-pending order cannot be cancelled")
	}
	reason, ok, err := toolkit.Key(a.Get("reason"))
	if err != nil {
		return nil, err
	}
	if !ok || (reason != "no longer needed" && reason != "ordered by mistake") {
		return nil, domains.Refusal("Invalid reason")
	}
	var refunds []Payment
	for _, p := range o.Payments {
		refunds = append(refunds, Payment{Kind: "refund", Amount: p.Amount, MethodID: p.MethodID})
		if _, err := findMethod(db, o.UserID, value.OfString(p.MethodID)); err != nil {
			return nil, err
		}
		credit(db, o.UserID, p.MethodID, p.Amount)
	}
	o = db.Orders.Edit(key)
	o.Status, o.CancelReason = "cancelled", &reason
	o.Payments = append(o.Payments, refunds...)
	return showOrder(o)
}

// swap is one item and the variant that is to replace it.
type swap struct {
	old value.Value
	new Variant
}

// swaps pairs items with their new variants and adds up the difference in price, as both tools that replace items do.
// distinct refuses to replace an item by itself.
func swaps(db *DB, o *Order, olds, news []value.Value, distinct bool) ([]swap, float64, error) {
	var diff float64
	out := make([]swap, len(olds))
	for i, id := range olds {
		if distinct && value.Equal(id, news[i]) {
			return nil, 0, domains.Refusal("The new item id should be different from the old item id")
		}
		at, err := findItem(o, id)
		if err != nil {
			return nil, 0, err
		}
		v, err := findVariant(db, o.Items[at].ProductID, news[i])
		if err != nil {
			return nil, 0, err
		}
		if !v.Available {
			return nil, 0, domains.Refuse("New item %s not found or available", news[i].Str())
		}
		diff += v.Price - o.Items[at].Price
		out[i] = swap{id, v}
	}
	return out, diff, nil
}

func exchangeItems(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, o, err := findOrder(db, a.Get("order_id"))
	if err != nil {
		return nil, err
	}
	if o.Status != "delivered" {
		return nil, domains.Refusal("Non-delivered order cannot be exchanged")
	}
	olds, news, err := itemLists(o, a, func(id value.Value) string { return "Number of " + id.Str() + " not found." },
		"The number of items to be exchanged should match.")
	if err != nil {
		return nil, err
	}
	_, sum, err := swaps(db, o, olds, news, false)
	if err != nil {
		return nil, err
	}
	sum = value.Round2(sum)
	m, err := findMethod(db, o.UserID, a.Get("payment_method_id"))
	if err != nil {
		return nil, err
	}
	if m.Source == "gift_card" && m.Balance < sum {
		return nil, domains.Refusal("Insufficient gift card balance to pay for the price difference")
	}
	diff := value.OfFloat(sum)
	if len(olds) == 0 {
		diff = value.OfInt(0) // nothing was added up, and the reference's sum starts at an integer
	}
	o = db.Orders.Edit(key)
	o.Status = "exchange requested"
	o.ExchangeItems, o.ExchangeNewItems = sortedTexts(olds), sortedTexts(news)
	method := a.Str("payment_method_id")
	o.ExchangePaymentMethodID, o.ExchangePriceDifference = &method, &diff
	return showOrder(o)
}

// itemLists reads item_ids and new_item_ids and checks them against the order and each other.
func itemLists(o *Order, a toolkit.Args, tooMany func(value.Value) string, mismatch string) (olds, news []value.Value, err error) {
	if olds, err = toolkit.Iterate(a.Get("item_ids")); err != nil {
		return nil, nil, err
	}
	if err = enough(o, olds, tooMany); err != nil {
		return nil, nil, err
	}
	n, err := toolkit.Count(a.Get("new_item_ids"))
	if err != nil {
		return nil, nil, err
	}
	if len(olds) != n {
		return nil, nil, domains.Refusal(mismatch)
	}
	news, err = toolkit.Iterate(a.Get("new_item_ids"))
	return olds, news, err
}

func modifyItems(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, o, err := findOrder(db, a.Get("order_id"))
	if err != nil {
		return nil, err
	}
	if o.Status != "pending" {
		return nil, domains.Refusal("Non-pending order cannot be modified")
	}
	olds, news, err := itemLists(o, a, func(id value.Value) string { return id.Str() + " not found" },
		"The number of items to be exchanged should match")
	if err != nil {
		return nil, err
	}
	pairs, diff, err := swaps(db, o, olds, news, true)
	if err != nil {
		return nil, err
	}
	m, err := findMethod(db, o.UserID, a.Get("payment_method_id"))
	if err != nil {
		return nil, err
	}
	if m.Source == "gift_card" && m.Balance < diff {
		return nil, domains.Refusal("Insufficient gift card balance to pay for the new item")
	}
	o = db.Orders.Edit(key)
	pay := Payment{Kind: "refund", Amount: -diff, MethodID: a.Str("payment_method_id")}
	if diff > 0 {
		pay.Kind, pay.Amount = "payment", diff
	} else if diff == 0 {
		pay.Amount = 0
	}
	o.Payments = append(o.Payments, pay)
	credit(db, o.UserID, pay.MethodID, -diff)
	if err := replaceItems(o, pairs); err != nil {
		return nil, err
	}
	o.Status = "pending (item modified)"
	return showOrder(o)
}

// replaceItems gives every replaced item the price and options of the last new variant: what the reference's tool
// does, and so what its recorded databases hold.
func replaceItems(o *Order, pairs []swap) error {
	for _, p := range pairs {
		at, err := findItem(o, p.old)
		if err != nil {
			return err
		}
		last := pairs[len(pairs)-1].new
		it := &o.Items[at]
		it.ItemID, it.Price, it.Options = p.new.ItemID, last.Price, options.Clone(&last.Options)
	}
	return nil
}

func modifyPayment(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, o, err := findOrder(db, a.Get("order_id"))
	if err != nil {
		return nil, err
	}
	if !pendingish(o) {
		return nil, domains.Refusal("Non-pending order cannot be modified")
	}
	m, err := findMethod(db, o.UserID, a.Get("payment_method_id"))
	if err != nil {
		return nil, err
	}
	if len(o.Payments) != 1 || o.Payments[0].Kind != "payment" {
		return nil, domains.Refusal("There should be exactly one payment for a pending order")
	}
	old := o.Payments[0]
	method := a.Str("payment_method_id")
	if old.MethodID == method {
		return nil, domains.Refusal("The new payment method should be different from the current one")
	}
	if m.Source == "gift_card" && m.Balance < old.Amount {
		return nil, domains.Refusal("Insufficient gift card balance to pay for the order")
	}
	o = db.Orders.Edit(key)
	o.Payments = append(o.Payments,
		Payment{Kind: "payment", Amount: old.Amount, MethodID: method},
		Payment{Kind: "refund", Amount: old.Amount, MethodID: old.MethodID})
	credit(db, o.UserID, method, -old.Amount)
	if _, err := findMethod(db, o.UserID, value.OfString(old.MethodID)); err != nil {
		return nil, err
	}
	credit(db, o.UserID, old.MethodID, old.Amount)
	return showOrder(o)
}

func modifyOrderAddress(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, o, err := findOrder(db, a.Get("order_id"))
	if err != nil {
		return nil, err
	}
	if !pendingish(o) {
		return nil, domains.Refusal("Non-pending order cannot be modified")
	}
	addr, err := address(a)
	if err != nil {
		return nil, err
	}
	o = db.Orders.Edit(key)
	o.Address = addr
	return showOrder(o)
}

func returnItems(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, o, err := findOrder(db, a.Get("order_id"))
	if err != nil {
		return nil, err
	}
	if o.Status != "delivered" {
		return nil, domains.Refusal("Non-delivered order cannot be returned")
	}
	m, err := findMethod(db, o.UserID, a.Get("payment_method_id"))
	if err != nil {
		return nil, err
	}
	method := a.Str("payment_method_id")
	if m.Source != "gift_card" && (len(o.Payments) == 0 || o.Payments[0].MethodID != method) {
		return nil, domains.Refusal("Payment method should be the original payment method")
	}
	ids, err := toolkit.Iterate(a.Get("item_ids"))
	if err != nil {
		return nil, err
	}
	if err := enough(o, ids, func(value.Value) string { return "Some item not found" }); err != nil {
		return nil, err
	}
	o = db.Orders.Edit(key)
	o.Status = "return requested"
	o.ReturnItems, o.ReturnPaymentMethodID = sortedTexts(ids), &method
	return showOrder(o)
}
