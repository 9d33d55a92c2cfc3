package toolguard

import (
	"fmt"

	"github.com/tauguide/tauguide/guide/policy/retail"
)

// The guards of the shop are ours: what its requirement catalog asks for and arguments and reads can decide.

const (
	readOrder   = "get_order_details"
	readProduct = "get_product_details"
)

func retailRules() []Rule {
	const (
		cancel, payment, address, back = "cancel_pending_order", "modify_pending_order_payment", "modify_pending_order_address", "return_delivered_order_items"
		items, exchange                = "modify_pending_order_items", "exchange_delivered_order_items"
		buyer                          = readOrder + " " + readUser
		products                       = readOrder + " " + readProduct
		once                           = ", so that its items were not replaced before"
		otherOption, stock             = "every item becomes another option of the same product", "every new option is available"
		difference                     = "the method is in the profile of the order's customer; a gift card holds at least the difference in price"
	)
	return []Rule{
		rule("cancel", cancel, "C1 N1", readOrder, inStatus(retail.Pending), "the order is pending"),
		rule("cancel", cancel, "C2", "", cancelReason, `the reason is "no longer needed" or "ordered by mistake"`),
		rule("payment", payment, "M1 N1", readOrder, inStatus(retail.Pending), "the order is pending"),
		rule("payment", payment, "M3", buyer, otherMethod, "the method is in the profile of the order's customer, and the order was not paid with it"),
		rule("payment", payment, "M4", buyer, giftCardCoversOrder, "a gift card holds at least the order's whole amount"),
		rule("address", address, "M1 N1", readOrder, inStatus(retail.Pending), "the order is pending"),

		rule("items", items, "M1 N1 N2", readOrder, inStatus(retail.Pending), "the order is pending"+once),
		rule("items", items, "M7", products, sameProducts, otherOption),
		rule("items", items, "M6", products, allInStock, stock),
		rule("items", items, "M9", products+" "+readUser, giftCardCoversDifference, difference),
		rule("exchange", exchange, "E1 N1 N2", readOrder, inStatus(retail.Delivered), "the order is delivered"+once),
		rule("exchange", exchange, "E3", products, sameProducts, otherOption),
		rule("exchange", exchange, "E3", products, allInStock, stock),
		rule("exchange", exchange, "E4", products+" "+readUser, giftCardCoversDifference, difference),

		rule("return", back, "R1 N1", readOrder, inStatus(retail.Delivered), "the order is delivered"),
		rule("return", back, "R3", buyer, refundMethod, "the refund goes to the method that the order was paid with, or to a gift card of the customer's"),
	}
}

// Lookups. An order or profile that does not exist reads as an empty one: it is for the tool to refuse.

func (p *proposal) order() *retail.Order {
	if o := retail.OrderOf(p.lookup(readOrder, "order_id", p.args.Text("order_id"))); o != nil {
		return o
	}
	return &retail.Order{}
}

// swaps pairs the items of the call with their replacements, as far as both lists go.
func (p *proposal) swaps() []retail.Swap {
	return p.order().Swaps(p.args.Texts("item_ids"), p.args.Texts("new_item_ids"), func(id string) *retail.Product {
		return retail.ProductOf(p.lookup(readProduct, "product_id", id))
	})
}

// method is the payment method that the call names, in the profile of the order's customer. It says what is wrong if the
// customer does not have it.
func (p *proposal) method() (m retail.Method, wrong string) {
	owner := p.order().User
	if owner == "" {
		return m, ""
	}
	u := retail.ProfileOf(p.lookup(readUser, "user_id", owner))
	if u == nil {
		return m, ""
	}
	id := p.args.Text("payment_method_id")
	m, onFile := u.Methods[id]
	if !onFile {
		wrong = fmt.Sprintf("Payment method %q is not in the profile of the order's customer.", id)
	}
	return m, wrong
}

func inStatus(want string) func(*proposal) string {
	return func(p *proposal) string {
		if is := p.order().Status; is != "" && is != want {
			return fmt.Sprintf("The order is %q: this is possible only while it is %q.", is, want)
		}
		return ""
	}
}

func cancelReason(p *proposal) string {
	if r := p.args.Text("reason"); !retail.IsCancelReason(r) {
		return fmt.Sprintf(`%q is no reason to cancel: only "no longer needed" and "ordered by mistake" are.`, r)
	}
	return ""
}

func otherMethod(p *proposal) string {
	_, wrong := p.method()
	if id := p.args.Text("payment_method_id"); wrong == "" && p.order().PaidWith(id) {
		return fmt.Sprintf("The order was paid with %s already: the new method has to be another one.", id)
	}
	return wrong
}

func giftCardCoversOrder(p *proposal) string {
	m, _ := p.method()
	return covers(m, p.order().Total())
}

func covers(m retail.Method, amount float64) string {
	if m.Covers(amount) {
		return ""
	}
	return fmt.Sprintf("Gift card %s holds %s, which does not cover %s.", m.ID, money(m.Balance), money(amount))
}

func sameProducts(p *proposal) string {
	if olds, news := len(p.args.List("item_ids")), len(p.args.List("new_item_ids")); olds != news {
		return fmt.Sprintf("%d items cannot be replaced by %d: name one new item for each, in the same order.", olds, news)
	}
	for _, s := range p.swaps() {
		switch _, listed := s.Variant(); {
		case s.Product == nil:
		case !listed:
			return fmt.Sprintf("Item %s is no option of the same product as item %s (%s).", s.New, s.Old, s.Product.Name)
		case !s.ToOtherOption():
			return fmt.Sprintf("Item %s would be replaced by itself: choose another option of the product.", s.Old)
		}
	}
	return ""
}

func allInStock(p *proposal) string {
	for _, s := range p.swaps() {
		if v, listed := s.Variant(); listed && !v.Available {
			return fmt.Sprintf("Item %s is not available.", s.New)
		}
	}
	return ""
}

func giftCardCoversDifference(p *proposal) string {
	difference := retail.Difference(p.swaps())
	m, wrong := p.method()
	if wrong != "" {
		return wrong
	}
	return covers(m, difference)
}

func refundMethod(p *proposal) string {
	m, wrong := p.method()
	if wrong != "" {
		return wrong
	}
	original := p.order().Original()
	if id := p.args.Text("payment_method_id"); original != "" && !m.IsGiftCard() && original != id {
		return fmt.Sprintf("The refund goes to %s, which the order was paid with, or to a gift card of the customer's, but not to %s.", original, id)
	}
	return ""
}
