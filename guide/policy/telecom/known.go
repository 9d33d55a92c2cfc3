package telecom

import (
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Known is the carrier's records as the agent's calls have shown them, the latest sight of each, with the texts of the
// conversation.
type Known struct {
	trace *guide.Trace
	texts *Texts

	Customer string // id of the customer who was identified first; "" before that
	profiles table
	lines    table
	bills    table
	plans    table
	listed   bool // get_bills_for_customer showed all bills of the identified customer
}

// table is records by their ids, each put together from all that results have shown of it.
type table map[string]policy.Record

func (t table) merge(id string, r policy.Record) {
	if id == "" || r == nil {
		return
	}
	if t[id] == nil {
		t[id] = policy.Record{}
	}
	maps.Copy(t[id], r)
}

// Known reads all results of a trace in the order of the calls, once for each of its lengths.
func (x *Texts) Known(t *guide.Trace) *Known {
	return t.Derived(x, func() any {
		k := &Known{trace: t, texts: x, profiles: table{}, lines: table{}, bills: table{}, plans: table{}}
		for _, c := range t.Calls {
			if c.OK {
				k.read(c)
			}
		}
		return k
	}).(*Known)
}

func (k *Known) read(c *guide.Call) {
	result := policy.RecordOf(c.Plain())
	switch c.Name {
	case "get_customer_by_phone":
		k.readProfile(result, k.saidNumber(c.Arg("phone_number")))
	case "get_customer_by_id":
		k.readProfile(result, k.saidID(c.Arg("customer_id")))
	case "get_customer_by_name":
		if found := policy.Records(c.Plain()); len(found) == 1 {
			k.readProfile(found[0], k.saidName(c.Arg("full_name")) && k.saidDate(c.Arg("dob")))
		}
	case "get_details_by_id":
		k.readDetails(c.Arg("id"), result)
	case "get_bills_for_customer":
		k.readBills(c)
	case "get_data_usage":
		k.lines.merge(result.Text("line_id"), policy.Record{
			"data_used_gb": result["data_used_gb"], "data_limit_gb": result["data_limit_gb"], "data_refueling_gb": result["data_refueling_gb"]})
	case "suspend_line", "resume_line":
		l := result.Record("line")
		k.lines.merge(l.Text("line_id"), l)
	case "enable_roaming", "disable_roaming":
		k.lines.merge(c.Arg("line_id"), policy.Record{"roaming_enabled": c.Name == "enable_roaming"})
	case "refuel_data":
		k.lines.merge(c.Arg("line_id"), policy.Record{"data_refueling_gb": result["new_data_refueling_gb"]})
	case "send_payment_request":
		k.bills.merge(c.Arg("bill_id"), policy.Record{"status": Awaiting})
	}
}

func (k *Known) readDetails(id string, r policy.Record) {
	switch {
	case strings.HasPrefix(id, "L"):
		k.lines.merge(id, r)
	case strings.HasPrefix(id, "B"):
		k.bills.merge(id, r)
	case strings.HasPrefix(id, "P"):
		k.plans.merge(id, r)
	case strings.HasPrefix(id, "C"):
		k.readProfile(r, k.saidID(id))
	}
}

// readProfile keeps a customer's record. The first whose key the customer stated is the one who is served: later ones are
// other people.
func (k *Known) readProfile(r policy.Record, stated bool) {
	id := r.Text("customer_id")
	k.profiles[id] = r
	if stated && k.Customer == "" {
		k.Customer = id
	}
}

// billsShown is how many bills get_bills_for_customer lists unless it is told otherwise.
const billsShown = 12

func (k *Known) readBills(c *guide.Call) {
	found, ok := c.Plain().([]any)
	for _, b := range policy.Records(c.Plain()) {
		k.bills.merge(b.Text("bill_id"), b)
	}
	limit := float64(billsShown)
	if v, ok := c.Args.Get("limit"); ok {
		limit, _ = v.Float64()
	}
	if ok && c.Arg("customer_id") == k.Customer && k.Customer != "" && float64(len(found)) < limit {
		k.listed = true
	}
}

// ids lists the ids of the customer's lines or bills.
func (k *Known) ids(list string) []string { return k.profiles[k.Customer].Texts(list) }

// AllBillsKnown reports whether every bill of the customer was seen.
func (k *Known) AllBillsKnown() bool {
	if k.Customer == "" {
		return false
	}
	return k.listed || !slices.ContainsFunc(k.ids("bill_ids"), func(id string) bool { return !k.bills[id].Has("status") })
}

// BillsOf lists the customer's bills of a status, in the order of their ids.
func (k *Known) BillsOf(status string) []string {
	return slices.DeleteFunc(k.BillIDs(), func(id string) bool { b := k.Bill(id); return b.Status != status || !b.Own })
}

// BillIDs lists the bills that were seen, in the order of their ids.
func (k *Known) BillIDs() []string { return slices.Sorted(maps.Keys(k.bills)) }

// LineIDs lists the lines that were seen, in the order of their ids.
func (k *Known) LineIDs() []string { return slices.Sorted(maps.Keys(k.lines)) }

// Bill is a bill as far as it is known.
func (k *Known) Bill(id string) Bill {
	r := k.bills[id]
	return Bill{ID: id, Status: r.Text("status"), Total: quantity(r, "total_due"),
		Own: r != nil && k.Customer != "" && (slices.Contains(k.ids("bill_ids"), id) || r.Text("customer_id") == k.Customer)}
}

// Line is a line as far as it is known.
func (k *Known) Line(id string) Line {
	r := k.lines[id]
	plan := k.plans[r.Text("plan_id")]
	l := Line{
		ID: id, Status: r.Text("status"), Own: r != nil && slices.Contains(k.ids("line_ids"), id), Given: k.saidNumber(r.Text("phone_number")),
		Ended: Ended(r.Text("contract_end_date"), Now()), Price: quantity(plan, "data_refueling_price_per_gb"),
		Used: quantity(r, "data_used_gb"), Limit: quantity(r, "data_limit_gb"), Refueled: quantity(r, "data_refueling_gb"),
	}
	if l.Limit < 0 {
		l.Limit = quantity(plan, "data_limit_gb")
	}
	if on, ok := r["roaming_enabled"].(bool); ok {
		l.Roaming = map[bool]string{true: "on", false: "off"}[on]
	}
	return l
}

// Plan is what a plan costs a month, and its limit of data in GB.
type Plan struct{ Monthly, Limit float64 }

// Plans lists the plans that were seen by their ids.
func (k *Known) Plans() map[string]Plan {
	out := map[string]Plan{}
	for id, p := range k.plans {
		out[id] = Plan{quantity(p, "price_per_month"), quantity(p, "data_limit_gb")}
	}
	return out
}

// ConcernedLine returns the customer's line whose number they gave; of several the one that they named first. It is ""
// while none that was read has such a number.
func (k *Known) ConcernedLine() string {
	type place struct{ index, at int }
	found, first := "", place{}
	for _, id := range k.ids("line_ids") {
		phone := k.lines[id].Text("phone_number")
		if phone == "" || !k.saidNumber(phone) {
			continue
		}
		here := place{index: k.trace.Len()}
		for _, u := range k.trace.User {
			if at := k.texts.Of(u.Text).numberAt(phone); at >= 0 {
				here = place{u.Index, at}
				break
			}
		}
		if found == "" || here.index < first.index || here.index == first.index && here.at < first.at {
			found, first = id, here
		}
	}
	return found
}

// LineOf is the line that a request is about: the one of its arguments, else its target, else the concerned one.
func (k *Known) LineOf(r policy.Request) Line {
	id := k.ConcernedLine()
	if r.Args.Has("line_id") {
		id = r.Args.Text("line_id") // another line must not take the place of one that was not read
	} else if k.lines[r.Target] != nil {
		id = r.Target
	}
	if k.lines[id] == nil {
		id = ""
	}
	return k.Line(id)
}

// BillOf is the bill that a request is about: the one of its arguments, else its target, else the first that awaits
// payment or is overdue.
func (k *Known) BillOf(r policy.Request) Bill {
	id := ""
	if r.Args.Has("bill_id") {
		id = r.Args.Text("bill_id")
	} else if k.bills[r.Target] != nil {
		id = r.Target
	} else if due := append(k.BillsOf(Awaiting), k.BillsOf(Overdue)...); len(due) > 0 {
		id = due[0]
	}
	if k.bills[id] == nil {
		id = ""
	}
	return k.Bill(id)
}
