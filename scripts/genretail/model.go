package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// cents rounds an amount in US dollars to whole cents.
func cents(x float64) float64 { return math.Round(x*100) / 100 }

// apply runs one tool call on the database. It is a second, deliberately small
// statement of what the retail tools do, so that the tasks are checked by code
// that shares nothing with the tools themselves.
func (d *database) apply(c call) error {
	switch c.Name {
	case "cancel_pending_order":
		return d.cancel(c.text("order_id"), c.text("reason"))
	case "exchange_delivered_order_items":
		return d.exchange(c.text("order_id"), c.list("item_ids"), c.list("new_item_ids"), c.text("payment_method_id"))
	case "modify_pending_order_address":
		return d.redirect(c.text("order_id"), addressIn(c))
	case "modify_pending_order_items":
		return d.modifyItems(c.text("order_id"), c.list("item_ids"), c.list("new_item_ids"), c.text("payment_method_id"))
	case "modify_pending_order_payment":
		return d.modifyPayment(c.text("order_id"), c.text("payment_method_id"))
	case "modify_user_address":
		u, ok := d.Users.get(c.text("user_id"))
		if !ok {
			return errors.New("user not found")
		}
		u.Address = addressIn(c)
		return nil
	case "return_delivered_order_items":
		return d.giveBack(c.text("order_id"), c.list("item_ids"), c.text("payment_method_id"))
	default:
		return d.read(c)
	}
}

// mutating tells whether the tool changes the database when it succeeds.
func mutating(tool string) bool {
	return slices.Contains(mutatingTools(), tool)
}

func mutatingTools() []string {
	return []string{
		"cancel_pending_order", "exchange_delivered_order_items", "modify_pending_order_address",
		"modify_pending_order_items", "modify_pending_order_payment", "modify_user_address",
		"return_delivered_order_items",
	}
}

func (d *database) read(c call) error {
	switch c.Name {
	case "find_user_id_by_email", "find_user_id_by_name_zip":
		_, err := d.identify(c)
		return err
	case "get_user_details":
		if _, ok := d.Users.get(c.text("user_id")); !ok {
			return errors.New("user not found")
		}
	case "get_order_details":
		_, err := d.order(c.text("order_id"))
		return err
	case "get_product_details":
		if _, ok := d.Products.get(c.text("product_id")); !ok {
			return errors.New("product not found")
		}
	case "transfer_to_human_agents":
		if c.text("summary") == "" {
			return errors.New("summary is empty")
		}
	default:
		return fmt.Errorf("no tool is called %s", c.Name)
	}
	return nil
}

// identify returns the id of the first user that matches one of the two look-up tools.
func (d *database) identify(c call) (string, error) {
	for _, id := range d.Users.keys {
		u := d.Users.rows[id]
		byMail := c.Name == "find_user_id_by_email" && strings.EqualFold(u.Email, c.text("email"))
		byName := c.Name == "find_user_id_by_name_zip" && strings.EqualFold(u.Name.First, c.text("first_name")) &&
			strings.EqualFold(u.Name.Last, c.text("last_name")) && u.Address.Zip == c.text("zip")
		if byMail || byName {
			return id, nil
		}
	}
	return "", errors.New("user not found")
}

func (d *database) order(id string) (*order, error) {
	o, ok := d.Orders.get(id)
	if !ok {
		return nil, errors.New("order not found")
	}
	return o, nil
}

func (d *database) method(userID, methodID string) (*method, error) {
	u, ok := d.Users.get(userID)
	if !ok {
		return nil, errors.New("user not found")
	}
	m, ok := u.PaymentMethods.get(methodID)
	if !ok {
		return nil, errors.New("payment method not found")
	}
	return m, nil
}

// move adds amount to a gift card's balance; other methods hold no balance.
func (m *method) move(amount float64) {
	if m.Balance != nil {
		*m.Balance = cents(*m.Balance + amount)
	}
}

func (m *method) covers(amount float64) bool { return m.Balance == nil || *m.Balance >= amount }

func (d *database) cancel(orderID, reason string) error {
	o, err := d.order(orderID)
	if err != nil {
		return err
	}
	if o.Status != "pending" {
		return errors.New("non-pending order cannot be cancelled")
	}
	if reason != "no longer needed" && reason != "ordered by mistake" {
		return errors.New("invalid reason")
	}
	for _, p := range slices.Clone(o.PaymentHistory) {
		m, err := d.method(o.UserID, p.PaymentMethodID)
		if err != nil {
			return err
		}
		m.move(p.Amount)
		o.PaymentHistory = append(o.PaymentHistory, payment{"refund", p.Amount, p.PaymentMethodID})
	}
	o.Status, o.CancelReason = "cancelled", reason
	return nil
}

func (d *database) redirect(orderID string, to address) error {
	o, err := d.order(orderID)
	if err != nil {
		return err
	}
	if !strings.Contains(o.Status, "pending") {
		return errors.New("non-pending order cannot be modified")
	}
	o.Address = to
	return nil
}

func (d *database) modifyPayment(orderID, methodID string) error {
	o, err := d.order(orderID)
	if err != nil {
		return err
	}
	if !strings.Contains(o.Status, "pending") {
		return errors.New("non-pending order cannot be modified")
	}
	to, err := d.method(o.UserID, methodID)
	if err != nil {
		return err
	}
	if len(o.PaymentHistory) != 1 || o.PaymentHistory[0].TransactionType != "payment" {
		return errors.New("there should be exactly one payment for a pending order")
	}
	paid := o.PaymentHistory[0]
	if paid.PaymentMethodID == methodID {
		return errors.New("the new payment method should be different from the current one")
	}
	if !to.covers(paid.Amount) {
		return errors.New("insufficient gift card balance to pay for the order")
	}
	from, err := d.method(o.UserID, paid.PaymentMethodID)
	if err != nil {
		return err
	}
	o.PaymentHistory = append(o.PaymentHistory,
		payment{"payment", paid.Amount, methodID}, payment{"refund", paid.Amount, paid.PaymentMethodID})
	to.move(-paid.Amount)
	from.move(paid.Amount)
	return nil
}

func (d *database) modifyItems(orderID string, old, fresh []string, methodID string) error {
	o, err := d.order(orderID)
	if err != nil {
		return err
	}
	if o.Status != "pending" {
		return errors.New("non-pending order cannot be modified")
	}
	for i := range min(len(old), len(fresh)) {
		if old[i] == fresh[i] {
			return errors.New("the new item id should be different from the old item id")
		}
	}
	difference, last, err := d.pair(o, old, fresh)
	if err != nil {
		return err
	}
	m, err := d.method(o.UserID, methodID)
	if err != nil {
		return err
	}
	if !m.covers(difference) {
		return errors.New("insufficient gift card balance to pay for the new item")
	}
	kind := "refund"
	if difference > 0 {
		kind = "payment"
	}
	o.PaymentHistory = append(o.PaymentHistory, payment{kind, math.Abs(difference), methodID})
	m.move(-difference)
	for i, id := range old {
		it := &o.Items[o.find(id)]
		// Every changed item gets the last new variant's price and options: that is how the tool behaves.
		it.ItemID, it.Price, it.Options = fresh[i], last.Price, last.Options
	}
	o.Status = "pending (item modified)"
	return nil
}

func (d *database) exchange(orderID string, old, fresh []string, methodID string) error {
	o, err := d.order(orderID)
	if err != nil {
		return err
	}
	if o.Status != "delivered" {
		return errors.New("non-delivered order cannot be exchanged")
	}
	difference, _, err := d.pair(o, old, fresh)
	if err != nil {
		return err
	}
	difference = cents(difference)
	m, err := d.method(o.UserID, methodID)
	if err != nil {
		return err
	}
	if !m.covers(difference) {
		return errors.New("insufficient gift card balance to pay for the price difference")
	}
	o.Status = "exchange requested"
	o.ExchangeItems, o.ExchangeNewItems = slices.Sorted(slices.Values(old)), slices.Sorted(slices.Values(fresh))
	o.ExchangePaymentMethodID, o.ExchangePriceDifference = methodID, &difference
	return nil
}

// pair matches items of the order with their replacements and returns the sum
// of new minus old prices and the last replacement. Empty lists are refused
// here: no task should contain them.
func (d *database) pair(o *order, old, fresh []string) (float64, *variant, error) {
	if len(old) == 0 || len(old) != len(fresh) {
		return 0, nil, errors.New("the number of items to be exchanged should match")
	}
	difference, last := 0.0, (*variant)(nil)
	for i, id := range old {
		if o.count(id) < countOf(old, id) {
			return 0, nil, fmt.Errorf("number of %s not found", id)
		}
		it := o.Items[o.find(id)]
		p, ok := d.Products.get(it.ProductID)
		if !ok {
			return 0, nil, errors.New("product not found")
		}
		if last, ok = p.Variants.get(fresh[i]); !ok {
			return 0, nil, errors.New("variant not found")
		}
		if !last.Available {
			return 0, nil, fmt.Errorf("new item %s not found or available", fresh[i])
		}
		difference += last.Price - it.Price
	}
	return difference, last, nil
}

func (d *database) giveBack(orderID string, items []string, methodID string) error {
	o, err := d.order(orderID)
	if err != nil {
		return err
	}
	if o.Status != "delivered" {
		return errors.New("non-delivered order cannot be returned")
	}
	m, err := d.method(o.UserID, methodID)
	if err != nil {
		return err
	}
	if m.Source != "gift_card" && methodID != o.PaymentHistory[0].PaymentMethodID {
		return errors.New("payment method should be the original payment method")
	}
	for _, id := range items {
		if o.count(id) < countOf(items, id) {
			return errors.New("some item not found")
		}
	}
	o.Status = "return requested"
	o.ReturnItems, o.ReturnPaymentMethodID = slices.Sorted(slices.Values(items)), methodID
	return nil
}

func countOf(ids []string, id string) int {
	n := 0
	for _, other := range ids {
		if other == id {
			n++
		}
	}
	return n
}

func addressIn(c call) address {
	return address{c.text("address1"), c.text("address2"), c.text("city"), c.text("country"), c.text("state"), c.text("zip")}
}
