package retail

import (
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Known is what the agent has learnt from the shop's tools, and what was said, before some message.
type Known struct {
	Customer string // user id that was looked up by data which the customer gave; "" before that
	Orders   map[string]*Order
	profiles map[string]*Profile
	products map[string]*Product

	user, agent []guide.Said
}

// untilMessage is the key of what was known before the message of that index.
type untilMessage int

// KnownFrom reads all of a trace.
func KnownFrom(t *guide.Trace) *Known { return knownBefore(t, t.Len()) }

func knownBefore(t *guide.Trace, until int) *Known {
	return t.Derived(untilMessage(until), func() any {
		k := &Known{profiles: map[string]*Profile{}, Orders: map[string]*Order{}, products: map[string]*Product{}}
		before := func(list []guide.Said) []guide.Said {
			n := 0
			for n < len(list) && list[n].Index < until {
				n++
			}
			return list[:n]
		}
		k.user, k.agent = before(t.User), before(t.Agent)
		for _, c := range t.Calls {
			if c.OK && c.Index < until {
				k.read(t, c)
			}
		}
		return k
	}).(*Known)
}

func (k *Known) read(t *guide.Trace, c *guide.Call) {
	result := policy.RecordOf(c.Plain())
	switch c.Name {
	case "find_user_id_by_email", "find_user_id_by_name_zip":
		if id, ok := c.Result.Text(); ok && k.Customer == "" && stated(t, c) {
			k.Customer = id
		}
	case "get_user_details", "modify_user_address":
		if p := ProfileOf(result); p != nil {
			k.profiles[p.ID] = p
		}
	case "get_product_details":
		if p := ProductOf(result); p != nil {
			k.products[p.ID] = p
		}
	case "get_order_details", "cancel_pending_order", "exchange_delivered_order_items", "return_delivered_order_items",
		"modify_pending_order_address", "modify_pending_order_items", "modify_pending_order_payment":
		if o := OrderOf(result); o != nil {
			k.readOrder(o, c.Index)
		}
	}
}

// stated reports whether the customer had said every argument of a call when it was made.
func stated(t *guide.Trace, c *guide.Call) bool {
	var said strings.Builder
	for _, u := range t.User {
		if u.Index < c.Index {
			said.WriteString(" " + u.Text)
		}
	}
	heard := fold(said.String())
	for _, v := range c.Args.All() {
		if text, ok := v.Text(); !ok || !heard.has(text) {
			return false
		}
	}
	return c.Args.Len() > 0
}

func (k *Known) readOrder(o *Order, at int) {
	o.seen = at
	if before := k.Orders[o.ID]; before != nil {
		o.seen = before.seen
		k.settle(o.User, o.Payments[min(len(before.Payments), len(o.Payments)):])
	}
	k.Orders[o.ID] = o
}

// settle keeps the balances of gift cards up to date with payments that were made since the profile was read.
func (k *Known) settle(user string, payments []Payment) {
	profile := k.profiles[user]
	if profile == nil {
		return
	}
	for _, p := range payments {
		m, ok := profile.Methods[p.Method]
		switch {
		case !ok:
			continue
		case p.Kind == "payment":
			m.Balance -= p.Amount
		default:
			m.Balance += p.Amount
		}
		profile.Methods[p.Method] = m
	}
}

// Owns reports whether an order is the customer's.
func (k *Known) Owns(o *Order) bool { return o != nil && k.Customer != "" && o.User == k.Customer }

// Profile is the customer's profile, nil while it was not read.
func (k *Known) Profile() *Profile { return k.profiles[k.Customer] }
