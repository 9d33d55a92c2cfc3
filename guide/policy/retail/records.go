// Package retail holds the facts and rules of the shop's policy: what its tools have shown (Known), what customer and
// agent have said about a request, and what the policy allows.
package retail

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tauguide/tauguide/guide/policy"
)

// Now is the shop's clock. Its policy depends on no date; the clock only has to be the same every time.
func Now() time.Time { return time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC) }

// States of an order in which its items can be changed, and sent back.
const (
	Pending   = "pending"
	Delivered = "delivered"
)

// IsCancelReason reports whether the policy accepts a reason for cancelling an order.
func IsCancelReason(reason string) bool { return reason == notNeeded || reason == byMistake }

const (
	notNeeded = "no longer needed"
	byMistake = "ordered by mistake"
)

// Method is a payment method. An empty source means that its kind is not known.
type Method struct {
	ID, Source, Brand, LastFour string
	Balance                     float64 // of a gift card, in dollars
}

// IsGiftCard reports whether the method is a gift card.
func (m Method) IsGiftCard() bool { return m.Source == "gift_card" }

// Covers reports whether the method can pay an amount in dollars. Only gift cards have an end.
func (m Method) Covers(dollars float64) bool {
	return !m.IsGiftCard() || cents(m.Balance) >= cents(dollars)
}

func cents(dollars float64) int64 { return int64(math.Round(dollars * 100)) }

// Profile is a customer's profile.
type Profile struct {
	ID      string
	Methods map[string]Method
	Address policy.Record
}

// ProfileOf reads a profile, nil if there is none.
func ProfileOf(r policy.Record) *Profile {
	p := &Profile{ID: r.Text("user_id"), Methods: map[string]Method{}, Address: r.Record("address")}
	if p.ID == "" {
		return nil
	}
	for id, v := range r.Record("payment_methods") {
		x := policy.RecordOf(v)
		balance, _ := x.Number("balance")
		p.Methods[id] = Method{ID: id, Source: x.Text("source"), Brand: x.Text("brand"), LastFour: x.Text("last_four"), Balance: balance}
	}
	return p
}

// Item is an item of an order, or a variant of a product.
type Item struct {
	ID, Product, Name string
	Price             float64
	Options           policy.Record
	Available         bool // of variants
}

func itemOf(r policy.Record) Item {
	price, _ := r.Number("price")
	available, _ := r["available"].(bool)
	return Item{ID: r.Text("item_id"), Product: r.Text("product_id"), Name: r.Text("name"), Price: price, Options: r.Record("options"), Available: available}
}

// Product is a product with its variants by their ids.
type Product struct {
	ID, Name string
	Variants map[string]Item
}

// ProductOf reads a product, nil if there is none.
func ProductOf(r policy.Record) *Product {
	p := &Product{ID: r.Text("product_id"), Name: r.Text("name"), Variants: map[string]Item{}}
	if p.ID == "" {
		return nil
	}
	for _, v := range r.Record("variants") {
		item := itemOf(policy.RecordOf(v))
		item.Product, item.Name = p.ID, p.Name
		p.Variants[item.ID] = item
	}
	return p
}

// Payment is an entry of an order's payment history, a payment or a refund.
type Payment struct {
	Kind, Method string
	Amount       float64
}

// Order is an order as one result showed it. A nil order is one that was not read.
type Order struct {
	ID, User, Status string
	Items            []Item
	Payments         []Payment
	Address          policy.Record

	seen int // index of the first call that showed it
}

// OrderOf reads an order, nil if there is none.
func OrderOf(r policy.Record) *Order {
	o := &Order{ID: r.Text("order_id"), User: r.Text("user_id"), Status: r.Text("status"), Address: r.Record("address")}
	if o.ID == "" {
		return nil
	}
	for _, x := range r.Records("items") {
		o.Items = append(o.Items, itemOf(x))
	}
	for _, x := range r.Records("payment_history") {
		amount, _ := x.Number("amount")
		o.Payments = append(o.Payments, Payment{Kind: x.Text("transaction_type"), Method: x.Text("payment_method_id"), Amount: amount})
	}
	return o
}

// first is what the order was first paid with.
func (o *Order) first() Payment {
	if o == nil || len(o.Payments) == 0 {
		return Payment{}
	}
	return o.Payments[0]
}

// Original is the method that the order was first paid with, to which a refund may go.
func (o *Order) Original() string { return o.first().Method }

// Total is the amount that the order was first paid with, in dollars.
func (o *Order) Total() float64 { return o.first().Amount }

// PaidWith reports whether the order was ever paid with a method.
func (o *Order) PaidWith(method string) bool {
	return slices.ContainsFunc(o.Payments, func(p Payment) bool { return p.Kind == "payment" && p.Method == method })
}

// Item finds an item of the order.
func (o *Order) Item(id string) (Item, bool) {
	if o != nil {
		for _, it := range o.Items {
			if it.ID == id {
				return it, true
			}
		}
	}
	return Item{}, false
}

// Holds reports whether the order has every item that is listed, as often as it is listed.
func (o *Order) Holds(ids []string) bool {
	if o == nil {
		return false
	}
	left := map[string]int{}
	for _, it := range o.Items {
		left[it.ID]++
	}
	for _, id := range ids {
		if left[id]--; left[id] < 0 {
			return false
		}
	}
	return len(ids) > 0
}

// Swap is an item of an order and the variant that is to replace it.
type Swap struct {
	Old, New string   // ids
	Item     Item     // as the order has it; empty if it has none of that id
	Product  *Product // of the item; nil while it was not read
}

// Swaps pairs items of an order with the variants that are to replace them, as far as both lists go.
func (o *Order) Swaps(olds, news []string, product func(id string) *Product) []Swap {
	out := make([]Swap, min(len(olds), len(news)))
	for i := range out {
		out[i] = Swap{Old: olds[i], New: news[i]}
		if it, ok := o.Item(olds[i]); ok {
			out[i].Item, out[i].Product = it, product(it.Product)
		}
	}
	return out
}

// Variant is the new variant, if the item's product has it.
func (s Swap) Variant() (Item, bool) {
	if s.Product == nil {
		return Item{}, false
	}
	v, listed := s.Product.Variants[s.New]
	return v, listed
}

// ToOtherOption reports whether the new variant is another option of the product: neither the same variant, nor one with
// the same options.
func (s Swap) ToOtherOption() bool {
	v, listed := s.Variant()
	return listed && v.ID != s.Item.ID && !maps.Equal(v.Options, s.Item.Options)
}

// Difference is what the new variants cost more, in dollars.
func Difference(swaps []Swap) float64 {
	sum := 0.0
	for _, s := range swaps {
		v, _ := s.Variant()
		sum += v.Price - s.Item.Price
	}
	return sum
}
