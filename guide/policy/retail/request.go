package retail

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Request is one request with what was known about it. If it was carried out already, that is what was known right
// before, so that a condition which the change itself ends (an order that is no longer pending) does not turn against it.
type Request struct {
	*Known
	policy.Request
	change change
}

// change is what an intent of a customer leads to.
type change struct {
	tool string
	verb *regexp.Regexp // how agents speak of it
}

var replacing = regexp.MustCompile(`(?i)\b(chang|modif|replac|swap|switch|updat|exchang)\w*`)

// changes lists the changes by their intents.
var changes = map[string]change{
	"cancel_order":   {"cancel_pending_order", regexp.MustCompile(`(?i)\bcancel`)},
	"change_address": {"modify_pending_order_address", regexp.MustCompile(`(?i)\b(address|deliver|ship|send)`)},
	"change_payment": {"modify_pending_order_payment", regexp.MustCompile(`(?i)\b(pay|paid|charge)`)},
	"change_items":   {"modify_pending_order_items", replacing},
	"exchange_items": {"exchange_delivered_order_items", replacing},
	"return_items":   {"return_delivered_order_items", regexp.MustCompile(`(?i)\b(return|sen[dt]\w* back|g[ia]v\w* back|refund)`)},
	"change_profile": {"modify_user_address", regexp.MustCompile(`(?i)\b(default|profile|account|user|on file)\b`)},
}

// NewRequest reads what a trace tells about a request.
func NewRequest(t *guide.Trace, r policy.Request) *Request {
	out := &Request{Request: r, change: changes[r.Intent]}
	until := t.Len()
	for _, c := range t.CallsOf(out.change.tool) {
		if c.OK && out.carriedOutBy(c) {
			until = c.Index
		}
	}
	out.Known = knownBefore(t, until)
	return out
}

// carriedOutBy reports whether a call made the change: it has the arguments that are known, or else the target.
func (r *Request) carriedOutBy(c *guide.Call) bool {
	if len(r.Args) == 0 {
		return r.Target != "" && (c.Arg("order_id") == r.Target || c.Arg("user_id") == r.Target)
	}
	for key, want := range r.Args {
		if v, ok := c.Args.Get(key); !ok || !reflect.DeepEqual(guide.Native(v), want) {
			return false
		}
	}
	return true
}

// Order is the order that the request is about: the one of its arguments, else its target, else the only one that was
// looked at; nil while it was not read.
func (r *Request) Order() *Order {
	if id := r.Args.Text("order_id"); id != "" {
		return r.Orders[id]
	}
	if r.Target != "" {
		return r.Orders[r.Target]
	}
	if len(r.Orders) == 1 {
		for _, o := range r.Orders {
			return o
		}
	}
	return nil
}

// Status is the order's status, "" while it was not read.
func (r *Request) Status() string {
	if o := r.Order(); o != nil {
		return o.Status
	}
	return ""
}

// ItemsInOrder reports whether the order holds the items of the request.
func (r *Request) ItemsInOrder() bool { return r.Order().Holds(r.Args.Texts("item_ids")) }

func (r *Request) swaps() []Swap {
	return r.Order().Swaps(r.Args.Texts("item_ids"), r.Args.Texts("new_item_ids"), func(id string) *Product { return r.products[id] })
}

// paired reports whether all items are in the order, and each has one new item.
func (r *Request) paired() bool {
	return r.ItemsInOrder() && len(r.Args.Texts("item_ids")) == len(r.Args.Texts("new_item_ids"))
}

// SwapVerdict judges the items of the request against the variants that are to replace them.
func (r *Request) SwapVerdict() map[string]bool {
	all := r.paired()
	verdict := map[string]bool{"paired": all, "products_read": all, "same_product": all, "other_option": all, "available": all}
	for _, s := range r.swaps() {
		v, listed := s.Variant()
		for name, holds := range map[string]bool{
			"products_read": s.Product != nil, "same_product": listed, "other_option": s.ToOtherOption(), "available": v.Available,
		} {
			verdict[name] = verdict[name] && holds
		}
	}
	return verdict
}

// methods are the customer's payment methods as far as they are known: those of the profile, and before it was read
// the one that the order was paid with, its kind guessed from its id.
func (r *Request) methods() map[string]Method {
	if p := r.Profile(); p != nil {
		return p.Methods
	}
	id := r.Order().Original()
	if id == "" || !r.Owns(r.Order()) {
		return nil
	}
	kind := strings.TrimRight(strings.ToLower(id), "0123456789_-")
	return map[string]Method{id: {ID: id, Source: strings.ReplaceAll(kind, "-", "_")}}
}

// MethodVerdict judges the payment method of the request.
func (r *Request) MethodVerdict() map[string]bool {
	verdict := map[string]bool{"on_file": false, "gift_card": false, "original": false, "used_before": false, "chosen": false,
		"covers_total": false, "covers_difference": false}
	id, o := r.Args.Text("payment_method_id"), r.Order()
	if o == nil || id == "" {
		return verdict
	}
	m, onFile := r.methods()[id]
	known := onFile && r.Profile() != nil
	difference := 0.0
	if r.paired() {
		difference = Difference(r.swaps())
	}
	verdict["on_file"], verdict["gift_card"] = onFile, known && m.IsGiftCard()
	verdict["original"], verdict["used_before"] = id == o.Original(), o.PaidWith(id)
	verdict["chosen"] = r.methodChosen(id)
	verdict["covers_total"], verdict["covers_difference"] = known && m.Covers(o.Total()), known && m.Covers(difference)
	return verdict
}
