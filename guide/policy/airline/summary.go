package airline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Whether a message of the agent sets out a change, and whether the user agreed to it. These are heuristics;
// guide/checks/README.md says what they recognise.

// detail is something that a summary has to name, in any of several wordings.
type detail struct {
	wordings    []string
	answer      bool   // will do in the user's answer: the card, which people name as they agree
	reservation string // id; a text that asks for a yes need not repeat it where the conversation is about it
}

type details []detail

func (x *details) add(d detail) {
	for i, w := range d.wordings {
		d.wordings[i] = fold(w)
	}
	*x = append(*x, d)
}

// name asks for one of the wordings.
func (x *details) name(wordings ...string) { x.add(detail{wordings: wordings}) }

// details lists what a message must name to set out a change with these arguments. Whatever stays as it is in the
// reservation need not be named.
func (k *Known) details(args policy.Record) details {
	var out details
	if len(args) == 0 {
		return nil
	}
	id := args.Text("reservation_id")
	b := k.bookings[id]
	if b == nil {
		b = &Booking{Reservation: &Reservation{}}
	}
	if id != "" {
		out.add(detail{wordings: []string{id}, reservation: id})
	}
	if cabin := args.Text("cabin"); cabin != "" && cabin != b.Cabin {
		out.name(cabin)
	}
	for _, f := range Flights(args["flights"]) {
		if _, kept := b.Segment(f); kept {
			continue
		}
		out.name(f.Number)
		if !slices.ContainsFunc(b.Segments, func(s Segment) bool { return s.Date == f.Date }) {
			out.name(dateWordings(f.Date)...)
		}
	}
	people := People(args["passengers"])
	for _, p := range people {
		if slices.Contains(b.Passengers, p) || id == "" && len(people) == 1 && p == k.profile().Self {
			continue
		}
		out.name(p.First)
		out.name(p.Last)
	}
	out.nameBags(args, b)
	if method := args.Text("payment_id"); method != "" {
		if cost, err := k.PriceChange(args); err != nil || cost != 0 {
			out.add(detail{wordings: k.methodWordings(method), answer: true})
		}
	}
	for _, p := range args.Records("payment_methods") {
		out.name(k.methodWordings(p.Text("payment_id"))...)
		if amount, ok := p.Number("amount"); ok {
			out.name(policy.Amount(amount))
		}
	}
	if args.Text("insurance") == "yes" {
		out.name("insurance", "insured")
	}
	if amount, ok := args.Number("amount"); ok {
		out.name(policy.Amount(amount))
		out.name("certificate", "certificates", "voucher", "vouchers")
	}
	if id != "" && len(args) == 1 {
		out.name("cancel", "cancels", "cancelled", "canceled", "cancelling", "canceling", "cancellation")
	}
	return out
}

// nameBags asks for the bags: all of them, or how many are added to any version of the reservation.
func (x *details) nameBags(args policy.Record, b *Booking) {
	bags, ok := args.Number("total_baggages")
	total := int64(bags)
	if !ok || (len(b.Versions) == 0 && total == 0) {
		return
	}
	numbers := countWordings(total)
	for _, v := range b.Versions {
		if added := total - v.Bags; added > 0 {
			numbers = append(numbers, countWordings(added)...)
		}
	}
	x.name(numbers...)
	x.name("bag", "bags", "baggage", "baggages", "luggage", "suitcase", "suitcases")
}

// methodWordings is how people call a payment method.
func (k *Known) methodWordings(id string) []string {
	m := k.Method(id)
	out := []string{id, "original payment", "original payment method", "original form of payment"}
	switch m.Source {
	case "credit_card":
		out = append(out, "credit card", m.LastFour, m.Brand)
	case "gift_card":
		out = append(out, "gift card", "giftcard")
	case "certificate":
		out = append(out, "certificate", "travel certificate")
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

var asksYes = regexp.MustCompile(`(?i)\b(proceed|confirm|go ahead|shall i|should i|(like|want) me to|yes)\b`)

// setsOut reports whether a text of the agent names every detail, with the help of the user's answer where that will
// do. No details are never set out.
func (k *Known) setsOut(offer, answer guide.Said, wanted details) bool {
	text, reply := k.texts.Of(offer.Text).folded, k.texts.Of(answer.Text).folded
	for _, x := range wanted {
		named := func(in string) bool {
			return slices.ContainsFunc(x.wordings, func(w string) bool { return names(in, w) })
		}
		switch {
		case named(text):
		case x.answer && named(reply):
		case x.reservation != "" && asksYes.MatchString(offer.Text) && k.subject(offer) == x.reservation:
		default:
			return false
		}
	}
	return len(wanted) > 0
}

// subject is the reservation that a text is about without naming any: the one that was named last, or the only one
// that was read; "" if the text names one.
func (k *Known) subject(s guide.Said) string {
	at, last := -1, ""
	for _, texts := range [][]guide.Said{k.trace.Agent, k.trace.User} {
		for _, x := range texts {
			if x.Index > s.Index || x.Index < at {
				continue
			}
			if id := k.namedLast(k.texts.Of(x.Text).folded); id != "" {
				at, last = x.Index, id
			}
		}
	}
	switch {
	case at == s.Index:
		return ""
	case at < 0 && len(k.order) == 1:
		return k.order[0]
	}
	return last
}

// namedLast is the id of a reservation that was read and comes last in a folded text.
func (k *Known) namedLast(text string) string {
	at, last := -1, ""
	for _, id := range k.order {
		if word := fold(id); names(text, word) {
			if i := strings.LastIndex(text, word); i > at {
				at, last = i, id
			}
		}
	}
	return last
}

// SummaryIndex is the index of the agent's latest text that sets a change out, -1 if there is none.
func (k *Known) SummaryIndex(args policy.Record) int {
	at, wanted := -1, k.details(args)
	for _, s := range k.trace.Agent {
		var answer guide.Said
		if i := slices.IndexFunc(k.trace.User, func(u guide.Said) bool { return u.Index > s.Index }); i >= 0 {
			answer = k.trace.User[i]
		}
		if k.setsOut(s, answer, wanted) {
			at = s.Index
		}
	}
	return at
}

// AgreementIndex is the index of the user's latest explicit yes that is the first answer to a text of the agent that
// sets a change out; -1 if there is none, or if the latest such answer was none.
func (k *Known) AgreementIndex(args policy.Record) int {
	wanted := k.details(args)
	return k.trace.ConsentIndex(func(offer, answer guide.Said) bool { return k.setsOut(offer, answer, wanted) })
}
