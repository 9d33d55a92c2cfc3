package checks

import (
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/tauguide/tauguide/guide"
)

// telecom is the vocabulary of the telecom domain.
func telecom() guide.Vocabulary {
	known := newSpeeches()
	record := cel.MapType(cel.StringType, cel.DynType)
	helpers := []cel.EnvOption{
		cel.Function("the_line", cel.Overload("the_line_facts_request", []*cel.Type{record, record}, record, cel.BinaryBinding(theLine))),
		cel.Function("the_bill", cel.Overload("the_bill_facts_request", []*cel.Type{record, record}, record, cel.BinaryBinding(theBill))),
	}
	for name, holds := range map[string]func(terms, *conversation) bool{"stated": terms.stated, "agreed": terms.agreed} {
		helpers = append(helpers, guide.TraceFunction(name, []*cel.Type{record, record}, cel.BoolType, func(t *guide.Trace, args []ref.Val) ref.Val {
			return types.Bool(holds(termsOf(args[0], args[1]), known.hear(t)))
		})...)
	}
	return guide.Vocabulary{
		Facts:   func(t *guide.Trace) map[string]any { return telecomFacts(known.hear(t)) },
		Helpers: helpers,
		Targets: map[string]string{
			"send_payment_request": "bill_id", "resume_line": "line_id", "suspend_line": "line_id",
			"enable_roaming": "line_id", "disable_roaming": "line_id", "refuel_data": "line_id",
		},
		Now: telecomNow,
	}
}

// telecomNow is the hour that the policy gives; its zone is left out, as dates are compared only.
var telecomNow = time.Date(2025, 2, 25, 12, 8, 0, 0, time.UTC)

// telecomFacts is what the agent knows of the account, from its own calls, and of the phone, from the user's reports.
func telecomFacts(c *conversation) map[string]any {
	a := newAccounts(c)
	facts := map[string]any{
		"customer": a.customer, "lines": map[string]any{}, "bills": map[string]any{}, "plans": map[string]any{},
		"line": a.concerned(), "bills_known": a.allBillsKnown(), "overdue": a.withStatus("Overdue"), "awaiting": a.withStatus("Awaiting Payment"),
		"no_line": a.lineRecord("", nil), "no_bill": a.billRecord("", nil),
		"abroad": c.abroad(), "choice": c.choice(), "named_gb": c.namedData(), "phone": c.phoneFacts(),
		"paid_at": c.reportedAt(func(r *report) bool { return r.paid }), "rebooted_at": c.reportedAt(func(r *report) bool { return r.boot }),
	}
	for id, l := range a.lines {
		facts["lines"].(map[string]any)[id] = a.lineRecord(id, l)
	}
	for id, b := range a.bills {
		facts["bills"].(map[string]any)[id] = a.billRecord(id, b)
	}
	for id, p := range a.plans {
		facts["plans"].(map[string]any)[id] = map[string]any{"monthly": asNumber(p["price_per_month"]), "limit": asNumber(p["data_limit_gb"])}
	}
	return facts
}

// theLine returns the record of the line that a request is about: the proposed or grounded line_id, else the request's
// target, else the line whose number the customer gave.
func theLine(facts, request ref.Val) ref.Val {
	lines, _ := walkKeys(facts, "lines").(traits.Mapper)
	for _, id := range []ref.Val{walkKeys(request, "grounded_values", "line_id"), walkKeys(request, "target"), walkKeys(facts, "line")} {
		if id == nil || id == types.String("") {
			continue
		}
		if found, ok := lines.Find(id); ok {
			return found
		}
		if walkKeys(request, "grounded_values", "line_id") != nil {
			break // another line must not stand in for one that was not read
		}
	}
	return walkKeys(facts, "no_line")
}

// theBill returns the record of the bill that a request is about: the proposed or grounded bill_id, else the request's
// target, else the first bill that awaits payment or is overdue.
func theBill(facts, request ref.Val) ref.Val {
	bills, _ := walkKeys(facts, "bills").(traits.Mapper)
	if id := walkKeys(request, "grounded_values", "bill_id"); id != nil {
		if found, ok := bills.Find(id); ok {
			return found
		}
		return walkKeys(facts, "no_bill")
	}
	if found, ok := bills.Find(walkKeys(request, "target")); ok {
		return found
	}
	for _, key := range []string{"awaiting", "overdue"} {
		list := walkKeys(facts, key).(traits.Lister)
		if list.Size() == types.IntZero {
			continue
		}
		if found, ok := bills.Find(list.Get(types.IntZero)); ok {
			return found
		}
	}
	return walkKeys(facts, "no_bill")
}

// terms is what the customer has to agree to before a change that costs money.
type terms struct {
	amounts
	bill string // "" for additional data
	tool string // the change
}

// termsOf works out the terms: gigabytes and their price for additional data, the total for a bill. They are empty while
// they cannot be worked out yet.
func termsOf(facts, request ref.Val) terms {
	gb, data := toFloat(walkKeys(request, "grounded_values", "gb_amount"))
	if walkKeys(request, "grounded_values", "bill_id") == nil && !data && !paysBill(walkKeys(request, "intent")) {
		gb, data = toFloat(walkKeys(facts, "named_gb"))
		data = data && gb > 0
	}
	out := terms{amounts: amounts{gb: -1, usd: -1}, tool: "refuel_data"}
	if data {
		if price, ok := toFloat(walkKeys(theLine(facts, request), "price")); ok && price >= 0 {
			out.gb, out.usd = gb, gb*price
		}
		return out
	}
	bill := theBill(facts, request)
	id, _ := walkKeys(bill, "id").(types.String)
	out.bill, out.tool = string(id), "send_payment_request"
	if due, ok := toFloat(walkKeys(bill, "total")); ok && due >= 0 {
		out.usd = due
	}
	return out
}

// stated reports whether a text of the agent names the terms. What was said before the same kind of change was made does
// not count for the next one, unless it names the bill.
func (w terms) stated(c *conversation) bool {
	spent := w.spent(c)
	return slices.ContainsFunc(c.agent, func(s utterance) bool { return (s.Index > spent || w.names(s.says)) && w.in(s.says) })
}

// agreed reports whether the customer said an explicit yes to such a text.
func (w terms) agreed(c *conversation) bool {
	return c.yesTo(w.in) > w.spent(c) || c.yesTo(func(s *speech) bool { return w.names(s) && w.in(s) }) >= 0
}

func (w terms) names(s *speech) bool { return w.bill != "" && strings.Contains(s.text, w.bill) }

// spent is the index of the latest change of the kind, -1 if there was none.
func (w terms) spent(c *conversation) int {
	if made := c.LastOK(w.tool); made != nil {
		return made.Index
	}
	return -1
}

func paysBill(intent ref.Val) bool {
	return intent == types.String("pay_bill") || intent == types.String("lift_suspension") || intent == types.String("no_service")
}

// walkKeys walks down maps by keys; nil where there is none.
func walkKeys(v ref.Val, keys ...string) ref.Val {
	for _, k := range keys {
		m, ok := v.(traits.Mapper)
		if !ok {
			return nil
		}
		if v, ok = m.Find(types.String(k)); !ok {
			return nil
		}
	}
	return v
}

func toFloat(v ref.Val) (float64, bool) {
	switch n := v.(type) {
	case types.Double:
		return float64(n), true
	case types.Int:
		return float64(n), true
	}
	return 0, false
}
