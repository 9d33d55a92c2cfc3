package checks

import (
	"cmp"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/telecom"
)

// telecomVocabulary offers what the carrier's policy says about what is known in a conversation.
func telecomVocabulary() guide.Vocabulary {
	said := telecom.NewTexts()
	return guide.Vocabulary{
		Facts:   func(t *guide.Trace) map[string]any { return telecomFacts(said.Known(t)) },
		Helpers: telecomHelpers(said),
		Targets: map[string]string{
			"send_payment_request": "bill_id", "resume_line": "line_id", "suspend_line": "line_id",
			"enable_roaming": "line_id", "disable_roaming": "line_id", "refuel_data": "line_id",
		},
		Now: telecom.Now(),
	}
}

// telecomHelpers declares the functions that README.md documents. The facts that they take are those of the trace.
func telecomHelpers(said *telecom.Texts) []cel.EnvOption {
	record := cel.MapType(cel.StringType, cel.DynType)
	var out []cel.EnvOption
	add := func(name string, gives *cel.Type, run func(k *telecom.Known, r policy.Request) any) {
		out = append(out, guide.TraceFunction(name, []*cel.Type{record, record}, gives, func(t *guide.Trace, args []ref.Val) ref.Val {
			return types.DefaultTypeAdapter.NativeToValue(run(said.Known(t), requestOf(args[1])))
		})...)
	}
	add("the_line", record, func(k *telecom.Known, r policy.Request) any { return lineFacts(k.LineOf(r)) })
	add("the_bill", record, func(k *telecom.Known, r policy.Request) any { return billFacts(k.BillOf(r)) })
	add("stated", cel.BoolType, func(k *telecom.Known, r policy.Request) any { return k.Terms(r).Stated() })
	add("agreed", cel.BoolType, func(k *telecom.Known, r policy.Request) any { return k.Terms(r).Agreed() })
	return out
}

// telecomFacts is what is known of the account, from the agent's calls, and of the phone, from the customer's reports.
func telecomFacts(k *telecom.Known) map[string]any {
	lines, bills, plans, phone := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	for _, id := range k.LineIDs() {
		lines[id] = lineFacts(k.Line(id))
	}
	for _, id := range k.BillIDs() {
		bills[id] = billFacts(k.Bill(id))
	}
	for id, p := range k.Plans() {
		plans[id] = map[string]any{"monthly": p.Monthly, "limit": p.Limit}
	}
	for part, s := range k.Phone() {
		phone[part] = map[string]any{"state": s.State, "at": s.At, "bad_at": s.BadAt, "fixed_at": s.FixedAt}
	}
	return map[string]any{
		"customer": k.Customer, "lines": lines, "bills": bills, "plans": plans, "line": k.ConcernedLine(),
		"bills_known": k.AllBillsKnown(), "overdue": texts(k.BillsOf(telecom.Overdue)), "awaiting": texts(k.BillsOf(telecom.Awaiting)),
		"no_line": lineFacts(k.Line("")), "no_bill": billFacts(k.Bill("")),
		"abroad": k.Abroad(), "choice": k.Choice(), "named_gb": k.NamedData(), "phone": phone,
		"paid_at": k.PaidAt(), "rebooted_at": k.RestartedAt(),
	}
}

func lineFacts(l telecom.Line) map[string]any {
	return map[string]any{
		"id": l.ID, "known": l.Status != "", "own": l.Own, "status": l.Status, "given": l.Given, "ended": l.Ended, "roaming": cmp.Or(l.Roaming, "unknown"),
		"used": l.Used, "limit": l.Limit, "refueled": l.Refueled, "exceeded": cmp.Or(l.Exceeded(), "unknown"), "price": l.Price,
	}
}

func billFacts(b telecom.Bill) map[string]any {
	return map[string]any{"id": b.ID, "known": b.Status != "", "own": b.Own, "status": b.Status, "total": b.Total}
}
