package toolguard

import (
	"fmt"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/telecom"
)

// The guards of the hotline are ours: what its requirement catalog asks for and arguments and reads can decide. The
// paid-up account before a line is resumed is a row of class W there, which a read decides nevertheless.

const (
	readDetails = "get_details_by_id"
	readBills   = "get_bills_for_customer"
	readUsage   = "get_data_usage"
)

func telecomRules() []Rule {
	const request, resume, refuel, roaming = "send_payment_request", "resume_line", "refuel_data", "enable_roaming"
	return []Rule{
		rule("request", request, "O1 O3", readDetails, billOverdue, "the bill is overdue and the customer's"),
		rule("request", request, "O7", readBills, noneAwaited, "no other bill of the customer awaits payment"),
		rule("resume", resume, "S1", readBills, allPaid, "no bill of the customer is overdue or awaits payment"),
		rule("resume", resume, "S2", readDetails, contractRuns, "the line's contract has not ended"),
		rule("refuel", refuel, "F1", readUsage, withinRefuel, "no more than 2 GB are added to a line, with what was added in the same month"),
		rule("roaming", roaming, "RM1 RM2", readDetails, roamingOff, "the line is not enabled for roaming yet"),
	}
}

// Lookups. A line or bill that does not exist reads as an empty record: it is for the tool to refuse.

func (p *proposal) line() policy.Record { return p.lookup(readDetails, "id", p.args.Text("line_id")) }

// bills lists all bills of the call's customer.
func (p *proposal) bills() []policy.Record {
	id := p.args.Text("customer_id")
	p.need(readBills, id)
	return policy.Records(p.fetch(readBills, id, text("customer_id", id), value.Pair{Key: "limit", Value: value.OfInt(1000)}))
}

func (p *proposal) usage() policy.Record {
	line := p.args.Text("line_id")
	p.need(readUsage, line)
	return policy.RecordOf(p.fetch(readUsage, line, text("customer_id", p.args.Text("customer_id")), text("line_id", line)))
}

func billOverdue(p *proposal) string {
	id := p.args.Text("bill_id")
	b := p.lookup(readDetails, "id", id)
	switch status := b.Text("status"); {
	case status == "":
		return ""
	case b.Text("customer_id") != p.args.Text("customer_id"):
		return fmt.Sprintf("Bill %s is not the customer's.", id)
	case status != telecom.Overdue:
		return fmt.Sprintf("Bill %s is %s: a payment is requested for an Overdue bill only.", id, status)
	}
	return ""
}

func noneAwaited(p *proposal) string {
	for _, b := range p.bills() {
		if id := b.Text("bill_id"); b.Text("status") == telecom.Awaiting && id != p.args.Text("bill_id") {
			return fmt.Sprintf("Bill %s awaits payment already: have it paid before another one is requested.", id)
		}
	}
	return ""
}

func allPaid(p *proposal) string {
	for _, b := range p.bills() {
		if s := b.Text("status"); s == telecom.Overdue || s == telecom.Awaiting {
			return fmt.Sprintf("The line stays suspended while bill %s is %s: every overdue bill has to be paid first.", b.Text("bill_id"), s)
		}
	}
	return ""
}

func contractRuns(p *proposal) string {
	if date := p.line().Text("contract_end_date"); telecom.Ended(date, p.set.opts.Now) {
		return fmt.Sprintf("The line stays suspended: its contract ended on %s.", date)
	}
	return ""
}

func withinRefuel(p *proposal) string {
	gb, ok := p.args.Quantity("gb_amount")
	before, known := p.usage().Quantity("data_refueling_gb")
	if ok && known && before+gb > telecom.MaxRefuel {
		return fmt.Sprintf("%s GB cannot be added: %s GB were added this month already, and %d GB is the most.", count(gb), count(before), telecom.MaxRefuel)
	}
	return ""
}

func roamingOff(p *proposal) string {
	if p.line()["roaming_enabled"] == true {
		return "Roaming is enabled on the line already: look for another cause."
	}
	return ""
}
