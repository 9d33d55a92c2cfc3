package retail

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Summarised reports whether a text of the agent sets the change out with all its details.
func (r *Request) Summarised() bool {
	summary, _ := r.agreement()
	return summary
}

// Agreed reports whether the customer's answer to the latest such text is an explicit yes.
func (r *Request) Agreed() bool {
	_, yes := r.agreement()
	return yes
}

func (r *Request) agreement() (summary, yes bool) {
	for i, a := range r.agent {
		if r.change.verb == nil || !r.change.verb.MatchString(a.Text) {
			continue
		}
		answer := r.answerTo(i)
		both := r.setsOut(a.Text, answer.Text)
		if !both && !r.setsOut(a.Text, "") {
			continue
		}
		summary = true
		if answer.Text != "" { // until there is an answer, an earlier yes counts
			yes = both && answer.Affirms()
		}
	}
	return summary, yes
}

// answerTo is the customer's first text after the agent's i-th and before its next, empty if there is none.
func (r *Request) answerTo(i int) guide.Said {
	for _, u := range r.user {
		if u.Index > r.agent[i].Index {
			if i+1 < len(r.agent) && r.agent[i+1].Index < u.Index {
				return guide.Said{}
			}
			return u
		}
	}
	return guide.Said{}
}

// setsOut reports whether a text names what is to be changed and to what. The reason and the payment method may also
// be in the answer, and what the answer says of them goes first.
func (r *Request) setsOut(text, answer string) bool {
	w := fold(text)
	if id := r.Args.Text("order_id"); id != "" && !w.has(strings.TrimPrefix(id, "#")) {
		return false
	}
	if r.Args.Has("reason") {
		reason := r.Args.Text("reason")
		if !givesReason(answer, reason) && (givesReason(answer, theOther(reason)) || !givesReason(text, reason) && !w.has(reason)) {
			return false
		}
	}
	if r.Args.Has("address1") && slices.ContainsFunc(addressParts, func(part string) bool {
		v := r.Args.Text(part)
		return v != "" && !w.has(v)
	}) {
		return false
	}
	return r.namesItems(w) && r.namesMethod(w, fold(answer))
}

// namesItems reports whether a text names every item of the request and every variant that is to replace one.
func (r *Request) namesItems(w folded) bool {
	o, news := r.Order(), r.Args.Texts("new_item_ids")
	for i, id := range r.Args.Texts("item_ids") {
		if !w.has(id) && !describes(w, o, id) {
			return false
		}
		if i < len(news) && !w.has(news[i]) && !r.describesChange(w, o, id, news[i]) {
			return false
		}
	}
	return true
}

// describes reports whether a text tells an item of the order by its name and by the options that set it apart from
// others of that name.
func describes(w folded, o *Order, id string) bool {
	it, ok := o.Item(id)
	if !ok || !w.hasAll(it.Name) {
		return false
	}
	for key, v := range it.Options {
		apart := slices.ContainsFunc(o.Items, func(x Item) bool { return x.Product == it.Product && x.Options[key] != v })
		if apart && !w.hasOption(key, it.Options.Text(key)) {
			return false
		}
	}
	return true
}

// describesChange reports whether a text names the options in which a variant differs from the item it replaces.
func (r *Request) describesChange(w folded, o *Order, old, id string) bool {
	it, ok := o.Item(old)
	p := r.products[it.Product]
	if !ok || p == nil || !w.hasAll(it.Name) {
		return false
	}
	v, listed := p.Variants[id]
	for key, value := range v.Options {
		if it.Options[key] != value && !w.hasOption(key, v.Options.Text(key)) {
			return false
		}
	}
	return listed
}

// namesMethod reports whether the answer, or else the text, names the payment method of the request.
func (r *Request) namesMethod(text, answer folded) bool {
	if !r.Args.Has("payment_method_id") {
		return true
	}
	id := r.Args.Text("payment_method_id")
	for other := range r.methods() {
		if r.tells(answer, other) {
			return r.tells(answer, id)
		}
	}
	return r.tells(text, id)
}

// tells reports whether words name a method: by its id, by its kind, brand, last digits or balance where these single it
// out, or as the one that the order was paid with.
func (r *Request) tells(w folded, id string) bool {
	if w.has(id) || id == r.Order().Original() && original.MatchString(string(w)) {
		return true
	}
	m := r.methods()[id]
	alone := func(same func(Method) bool) bool {
		n := 0
		for _, x := range r.methods() {
			if same(x) {
				n++
			}
		}
		return n == 1
	}
	switch {
	case m.LastFour != "" && w.has(m.LastFour),
		m.Brand != "" && w.has(m.Brand) && alone(func(x Method) bool { return x.Brand == m.Brand }):
		return true
	case !w.hasAll(policy.Spoken(m.Source)):
		return false
	}
	return alone(func(x Method) bool { return x.Source == m.Source }) || m.IsGiftCard() && w.has(strconv.FormatFloat(m.Balance, 'f', 2, 64))
}
