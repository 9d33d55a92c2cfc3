package toolguard

import (
	"fmt"
	"slices"
)

// The guards of the shop are ours: what its requirement catalog asks for and arguments and reads can decide.

const (
	readOrder   = "get_order_details"
	readProduct = "get_product_details"
)

func retailRules() []Rule {
	rules := append(orderRules(), replaceRules("items", "modify_pending_order_items", "pending", replacing{
		status: []string{"M1", "N1", "N2"}, product: []string{"M7"}, stock: []string{"M6"}, money: []string{"M9"}})...)
	rules = append(rules, replaceRules("exchange", "exchange_delivered_order_items", "delivered", replacing{
		status: []string{"E1", "N1", "N2"}, product: []string{"E3"}, stock: []string{"E3"}, money: []string{"E4"}})...)
	return append(rules, returnRules()...)
}

// orderRules are those of the tools for pending orders but the one that replaces items.
func orderRules() []Rule {
	const cancel, payment, address = "cancel_pending_order", "modify_pending_order_payment", "modify_pending_order_address"
	order := []string{readOrder}
	both := []string{readOrder, readUser}
	return []Rule{
		{ID: "cancel", Tool: cancel, Requirements: []string{"C1", "N1"}, Reads: order, check: inStatus("pending"), needs: needOrder,
			Text: "the order is pending"},
		{ID: "cancel", Tool: cancel, Requirements: []string{"C2"}, check: cancelReason,
			Text: `the reason is "no longer needed" or "ordered by mistake"`},
		{ID: "payment", Tool: payment, Requirements: []string{"M1", "N1"}, Reads: order, check: inStatus("pending"), needs: needOrder,
			Text: "the order is pending"},
		{ID: "payment", Tool: payment, Requirements: []string{"M3"}, Reads: both, check: otherMethod, needs: needBuyer,
			Text: "the method is in the profile of the order's customer, and the order was not paid with it"},
		{ID: "payment", Tool: payment, Requirements: []string{"M4"}, Reads: both, check: giftCardCoversOrder, needs: needBuyer,
			Text: "a gift card holds at least the order's whole amount"},
		{ID: "address", Tool: address, Requirements: []string{"M1", "N1"}, Reads: order, check: inStatus("pending"), needs: needOrder,
			Text: "the order is pending"},
	}
}

// replacing are the requirements of the two tools that replace items.
type replacing struct{ status, product, stock, money []string }

func replaceRules(id, tool, status string, rows replacing) []Rule {
	products := []string{readOrder, readProduct}
	return []Rule{
		{ID: id, Tool: tool, Requirements: rows.status, Reads: []string{readOrder}, check: inStatus(status), needs: needOrder,
			Text: "the order is " + status + ", so that its items were not replaced before"},
		{ID: id, Tool: tool, Requirements: rows.product, Reads: products, check: sameProducts, needs: needProducts,
			Text: "every item becomes another option of the same product"},
		{ID: id, Tool: tool, Requirements: rows.stock, Reads: products, check: allInStock, needs: needProducts,
			Text: "every new option is available"},
		{ID: id, Tool: tool, Requirements: rows.money, Reads: append(products, readUser), check: giftCardCoversDifference, needs: needSettlement,
			Text: "the method is in the profile of the order's customer; a gift card holds at least the difference in price"},
	}
}

func returnRules() []Rule {
	const tool = "return_delivered_order_items"
	return []Rule{
		{ID: "return", Tool: tool, Requirements: []string{"R1", "N1"}, Reads: []string{readOrder}, check: inStatus("delivered"), needs: needOrder,
			Text: "the order is delivered"},
		{ID: "return", Tool: tool, Requirements: []string{"R3"}, Reads: []string{readOrder, readUser}, check: refundMethod, needs: needBuyer,
			Text: "the refund goes to the method that the order was paid with, or to a gift card of the customer's"},
	}
}

// Lookups.

func (m *moment) order() record {
	id := m.args.text("order_id")
	return m.lookup(readOrder, id, textArg("order_id", id))
}

// buyer is the profile of the customer whose order it is.
func (m *moment) buyer() record {
	if id := m.order().text("user_id"); id != "" {
		return m.user(id)
	}
	return record{}
}

func (m *moment) product(id string) record {
	return m.lookup(readProduct, id, textArg("product_id", id))
}

// swap is an item of the order and the option that is to replace it.
type swap struct {
	from, to string
	item     record // as the order has it; empty if the order has none of that id
	product  record
}

// option is the new option, empty if the product has none of that id.
func (s swap) option() record { return s.product.get("variants").get(s.to) }

// swaps pairs the items of the call with their replacements, as far as both lists go.
func (m *moment) swaps() []swap {
	olds, news := m.args.texts("item_ids"), m.args.texts("new_item_ids")
	items := m.order().list("items")
	out := make([]swap, min(len(olds), len(news)))
	for i := range out {
		out[i] = swap{from: olds[i], to: news[i]}
		if at := slices.IndexFunc(items, func(r record) bool { return r.text("item_id") == olds[i] }); at >= 0 {
			out[i].item = items[at]
			out[i].product = m.product(items[at].text("product_id"))
		}
	}
	return out
}

// method is the payment method that the call names, in the profile of the order's customer; empty if it is not there.
func (m *moment) method() record {
	return m.buyer().get("payment_methods").get(m.args.text("payment_method_id"))
}

// Static needs.

func needOrder(m *moment)    { m.order() }
func needBuyer(m *moment)    { m.buyer() }
func needProducts(m *moment) { m.swaps() }

func needSettlement(m *moment) {
	m.swaps()
	m.buyer()
}

// Checks. An order or profile that there is not is for the tool to refuse.

func inStatus(want string) func(*moment) string {
	return func(m *moment) string {
		if is := m.order().text("status"); is != "" && is != want {
			return fmt.Sprintf("The order is %q: this is possible only while it is %q.", is, want)
		}
		return ""
	}
}

func cancelReason(m *moment) string {
	if r := m.args.text("reason"); r != "no longer needed" && r != "ordered by mistake" {
		return fmt.Sprintf(`%q is no reason to cancel: only "no longer needed" and "ordered by mistake" are.`, r)
	}
	return ""
}

// methodOnFile checks that the customer has the method.
func (m *moment) methodOnFile() string {
	if !m.buyer().empty() && m.method().empty() {
		return fmt.Sprintf("Payment method %q is not in the profile of the order's customer.", m.args.text("payment_method_id"))
	}
	return ""
}

func otherMethod(m *moment) string {
	if wrong := m.methodOnFile(); wrong != "" {
		return wrong
	}
	id := m.args.text("payment_method_id")
	for _, p := range m.order().list("payment_history") {
		if p.text("payment_method_id") == id && p.text("transaction_type") == "payment" {
			return fmt.Sprintf("The order was paid with %s already: the new method has to be another one.", id)
		}
	}
	return ""
}

func giftCardCoversOrder(m *moment) string {
	payments := m.order().list("payment_history")
	if len(payments) == 0 {
		return ""
	}
	amount, _ := payments[0].number("amount")
	return m.giftCardCovers(amount)
}

// giftCardCovers checks that the method, if it is a gift card, holds an amount.
func (m *moment) giftCardCovers(amount float64) string {
	card := m.method()
	if card.text("source") != "gift_card" {
		return ""
	}
	if holds, ok := card.number("balance"); ok && holds < amount {
		return fmt.Sprintf("Gift card %s holds %s, which does not cover %s.", m.args.text("payment_method_id"), money(holds), money(amount))
	}
	return ""
}

func sameProducts(m *moment) string {
	if olds, news := m.args.get("item_ids").size(), m.args.get("new_item_ids").size(); olds != news {
		return fmt.Sprintf("%d items cannot be replaced by %d: name one new item for each, in the same order.", olds, news)
	}
	for _, s := range m.swaps() {
		switch {
		case s.product.empty():
		case s.option().empty():
			return fmt.Sprintf("Item %s is no option of the same product as item %s (%s).", s.to, s.from, s.product.text("name"))
		case s.from == s.to:
			return fmt.Sprintf("Item %s would be replaced by itself: choose another option of the product.", s.from)
		}
	}
	return ""
}

func allInStock(m *moment) string {
	for _, s := range m.swaps() {
		if free, known := s.option().get("available").v.Bool(); known && !free {
			return fmt.Sprintf("Item %s is not available.", s.to)
		}
	}
	return ""
}

func giftCardCoversDifference(m *moment) string {
	difference := 0.0
	for _, s := range m.swaps() {
		to, _ := s.option().number("price")
		from, _ := s.item.number("price")
		difference += to - from
	}
	if wrong := m.methodOnFile(); wrong != "" {
		return wrong
	}
	return m.giftCardCovers(difference)
}

func refundMethod(m *moment) string {
	if wrong := m.methodOnFile(); wrong != "" {
		return wrong
	}
	payments := m.order().list("payment_history")
	if id := m.args.text("payment_method_id"); len(payments) > 0 && m.method().text("source") != "gift_card" && payments[0].text("payment_method_id") != id {
		return fmt.Sprintf("The refund goes to %s, which the order was paid with, or to a gift card of the customer's, but not to %s.",
			payments[0].text("payment_method_id"), id)
	}
	return ""
}
