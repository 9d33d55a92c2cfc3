package telecom

import (
	"math"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Terms are what the customer has to agree to before a change that costs money; -1 is an amount that there is not. Both
// are -1 while they cannot be worked out yet.
type Terms struct {
	known   *Known
	gb, usd float64
	bill    string // "" for additional data
	tool    string // the change
}

// Terms works out what a request costs: gigabytes and their price for additional data, the total for a bill.
func (k *Known) Terms(r policy.Request) Terms {
	gb, data := r.Args.Number("gb_amount")
	if !data && !r.Args.Has("bill_id") && !paysBill(r.Intent) {
		gb = k.NamedData()
		data = gb > 0
	}
	out := Terms{known: k, gb: -1, usd: -1}
	if data {
		out.tool = "refuel_data"
		if price := k.LineOf(r).Price; price >= 0 {
			out.gb, out.usd = gb, gb*price
		}
		return out
	}
	bill := k.BillOf(r)
	out.bill, out.usd, out.tool = bill.ID, bill.Total, "send_payment_request"
	return out
}

func paysBill(intent string) bool {
	return intent == "pay_bill" || intent == "lift_suspension" || intent == "no_service"
}

// Stated reports whether a text of the agent names the terms. What was said before the same kind of change was made does
// not count for the next one, unless it names the bill.
func (w Terms) Stated() bool {
	spent := w.spent()
	return slices.ContainsFunc(w.known.trace.Agent, func(s guide.Said) bool { return (s.Index > spent || w.namesBill(s)) && w.in(s) })
}

// Agreed reports whether the customer said an explicit yes to such a text.
func (w Terms) Agreed() bool {
	consent := w.known.trace.ConsentIndex
	return consent(func(offer, _ guide.Said) bool { return w.in(offer) }) > w.spent() ||
		consent(func(offer, _ guide.Said) bool { return w.namesBill(offer) && w.in(offer) }) >= 0
}

// in reports whether a text names every part of the terms.
func (w Terms) in(s guide.Said) bool {
	text := w.known.texts.Of(s.Text)
	if w.gb < 0 && w.usd < 0 {
		return false
	}
	return (w.gb < 0 || hasAmount(text.data, w.gb)) && (w.usd < 0 || hasAmount(text.money, w.usd))
}

func hasAmount(list []float64, want float64) bool {
	return slices.ContainsFunc(list, func(f float64) bool { return math.Abs(f-want) < 0.005 })
}

func (w Terms) namesBill(s guide.Said) bool { return w.bill != "" && strings.Contains(s.Text, w.bill) }

// spent is the index of the latest change of the kind, -1 if there was none.
func (w Terms) spent() int {
	if made := w.known.trace.LastOK(w.tool); made != nil {
		return made.Index
	}
	return -1
}
