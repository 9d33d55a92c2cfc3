package checks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

type jsonObject = map[string]any

// accounts is the carrier's records as the agent's calls have shown them, the latest sight of each.
type accounts struct {
	talk     *conversation
	customer string // id of the customer who was identified first; "" before that
	profiles map[string]jsonObject
	lines    map[string]jsonObject
	bills    map[string]jsonObject
	plans    map[string]jsonObject
	listed   bool // get_bills_for_customer showed all bills of the identified customer
}

func newAccounts(talk *conversation) *accounts {
	a := &accounts{talk: talk, profiles: map[string]jsonObject{}, lines: map[string]jsonObject{}, bills: map[string]jsonObject{}, plans: map[string]jsonObject{}}
	for _, c := range talk.Calls {
		if c.OK {
			a.see(c)
		}
	}
	return a
}

// see takes a successful call into account.
func (a *accounts) see(c *guide.Call) {
	result := c.Plain()
	switch c.Name {
	case "get_customer_by_phone":
		a.profile(result, a.talk.saidNumber(c.Arg("phone_number")))
	case "get_customer_by_id":
		a.profile(result, a.talk.saidID(c.Arg("customer_id")))
	case "get_customer_by_name":
		if list, ok := result.([]any); ok && len(list) == 1 {
			a.profile(list[0], a.talk.saidName(c.Arg("full_name")) && a.talk.saidDate(c.Arg("dob")))
		}
	case "get_details_by_id":
		a.details(c.Arg("id"), result)
	case "get_bills_for_customer":
		a.billList(c, result)
	case "get_data_usage":
		if o, ok := result.(jsonObject); ok {
			a.merge(a.lines, asText(o["line_id"]), jsonObject{"data_used_gb": o["data_used_gb"], "data_limit_gb": o["data_limit_gb"], "data_refueling_gb": o["data_refueling_gb"]})
		}
	case "suspend_line", "resume_line":
		if o, ok := result.(jsonObject); ok {
			if l, ok := o["line"].(jsonObject); ok {
				a.merge(a.lines, asText(l["line_id"]), l)
			}
		}
	case "enable_roaming", "disable_roaming":
		a.merge(a.lines, c.Arg("line_id"), jsonObject{"roaming_enabled": c.Name == "enable_roaming"})
	case "refuel_data":
		if o, ok := result.(jsonObject); ok {
			a.merge(a.lines, c.Arg("line_id"), jsonObject{"data_refueling_gb": o["new_data_refueling_gb"]})
		}
	case "send_payment_request":
		a.merge(a.bills, c.Arg("bill_id"), jsonObject{"status": "Awaiting Payment"})
	}
}

func (a *accounts) details(id string, result any) {
	o, ok := result.(jsonObject)
	if !ok {
		return
	}
	switch {
	case strings.HasPrefix(id, "L"):
		a.merge(a.lines, id, o)
	case strings.HasPrefix(id, "B"):
		a.merge(a.bills, id, o)
	case strings.HasPrefix(id, "P"):
		a.merge(a.plans, id, o)
	case strings.HasPrefix(id, "C"):
		a.profile(o, a.talk.saidID(id))
	}
}

func (a *accounts) merge(into map[string]jsonObject, id string, o jsonObject) {
	if id == "" {
		return
	}
	if into[id] == nil {
		into[id] = jsonObject{}
	}
	for k, v := range o {
		into[id][k] = v
	}
}

// profile keeps a customer's record. The first whose key the customer stated is the one who is served: later ones are
// other people.
func (a *accounts) profile(result any, stated bool) {
	o, ok := result.(jsonObject)
	if !ok {
		return
	}
	id := asText(o["customer_id"])
	a.profiles[id] = o
	if stated && a.customer == "" {
		a.customer = id
	}
}

func (a *accounts) billList(c *guide.Call, result any) {
	list, ok := result.([]any)
	if !ok {
		return
	}
	for _, item := range list {
		if b, ok := item.(jsonObject); ok {
			a.merge(a.bills, asText(b["bill_id"]), b)
		}
	}
	limit := 12.0
	if v, ok := c.Args.Get("limit"); ok {
		limit = asNumber(guide.Native(v))
	}
	if c.Arg("customer_id") == a.customer && a.customer != "" && float64(len(list)) < limit {
		a.listed = true
	}
}

// allBillsKnown reports whether every bill of the customer was seen.
func (a *accounts) allBillsKnown() bool {
	if a.customer == "" {
		return false
	}
	return a.listed || !slices.ContainsFunc(a.ids("bill_ids"), func(id string) bool { return a.bills[id]["status"] == nil })
}

// withStatus lists the customer's bills of a status, in the order of their ids.
func (a *accounts) withStatus(status string) []any {
	var ids []string
	for id, b := range a.bills {
		if asText(b["status"]) == status && a.ownBill(id, b) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	out := []any{}
	for _, id := range ids {
		out = append(out, id)
	}
	return out
}

func (a *accounts) ids(key string) []string {
	list, _ := a.profiles[a.customer][key].([]any)
	var out []string
	for _, v := range list {
		out = append(out, asText(v))
	}
	return out
}

func (a *accounts) ownBill(id string, b jsonObject) bool {
	return a.customer != "" && (slices.Contains(a.ids("bill_ids"), id) || asText(b["customer_id"]) == a.customer)
}

// concerned returns the customer's line whose number they gave; of several the one that they named first. It is "" while
// none that was read has such a number.
func (a *accounts) concerned() string {
	type place struct{ index, at int }
	found, first := "", place{}
	for _, id := range a.ids("line_ids") {
		phone := asText(a.lines[id]["phone_number"])
		if phone == "" || !a.talk.saidNumber(phone) {
			continue
		}
		here := place{index: a.talk.Len()}
		for _, u := range a.talk.user {
			if at := u.says.numberAt(phone); at >= 0 {
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

// lineRecord is a line as checks see it (guide/checks/README.md). What is not known is -1, "" or "unknown".
func (a *accounts) lineRecord(id string, l jsonObject) jsonObject {
	plan := a.plans[asText(l["plan_id"])]
	used, limit, refueled := asNumber(l["data_used_gb"]), asNumber(l["data_limit_gb"]), asNumber(l["data_refueling_gb"])
	if limit < 0 {
		limit = asNumber(plan["data_limit_gb"])
	}
	r := jsonObject{
		"id": id, "known": asText(l["status"]) != "", "own": id != "" && slices.Contains(a.ids("line_ids"), id), "status": asText(l["status"]),
		"given": a.talk.saidNumber(asText(l["phone_number"])), "ended": ended(asText(l["contract_end_date"])), "roaming": "unknown",
		"used": used, "limit": limit, "refueled": refueled, "exceeded": "unknown", "price": asNumber(plan["data_refueling_price_per_gb"]),
	}
	if on, ok := l["roaming_enabled"].(bool); ok {
		r["roaming"] = map[bool]string{true: "on", false: "off"}[on]
	}
	if used >= 0 && limit >= 0 && refueled >= 0 {
		r["exceeded"] = map[bool]string{true: "yes", false: "no"}[used >= limit+refueled]
	}
	return r
}

// billRecord is a bill as checks see it.
func (a *accounts) billRecord(id string, b jsonObject) jsonObject {
	return jsonObject{"id": id, "known": asText(b["status"]) != "", "own": id != "" && a.ownBill(id, b), "status": asText(b["status"]), "total": asNumber(b["total_due"])}
}

// ended reports whether a contract's last day lies before today.
func ended(date string) bool {
	end, err := guide.ParseDate(date)
	return err == nil && end.AddDate(0, 0, 1).Before(telecomNow)
}

func asText(v any) string {
	s, _ := v.(string)
	return s
}

// asNumber reads a number, or one that a tool gives as text; -1 if it is neither.
func asNumber(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	case string:
		if f, err := strconv.ParseFloat(n, 64); err == nil {
			return f
		}
	}
	return -1
}
