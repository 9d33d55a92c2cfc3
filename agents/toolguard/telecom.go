package toolguard

import (
	"fmt"
	"time"

	"github.com/tauguide/tauguide/domains/value"
)

// The guards of the hotline are ours: what its requirement catalog asks for and arguments and reads can decide. The
// paid-up account before a line is resumed is a row of class W there, which a read decides nevertheless.

const (
	readDetails = "get_details_by_id"
	readBills   = "get_bills_for_customer"
	readUsage   = "get_data_usage"
)

// maxRefuel is how many gigabytes are added to a line in a month at most.
const maxRefuel = 2

func telecomRules() []Rule {
	const request, resume, refuel, roaming = "send_payment_request", "resume_line", "refuel_data", "enable_roaming"
	return []Rule{
		{ID: "request", Tool: request, Requirements: []string{"O1", "O3"}, Reads: []string{readDetails}, check: billOverdue, needs: needBill,
			Text: "the bill is overdue and the customer's"},
		{ID: "request", Tool: request, Requirements: []string{"O7"}, Reads: []string{readBills}, check: noneAwaited, needs: needBills,
			Text: "no other bill of the customer awaits payment"},
		{ID: "resume", Tool: resume, Requirements: []string{"S1"}, Reads: []string{readBills}, check: allPaid, needs: needBills,
			Text: "no bill of the customer is overdue or awaits payment"},
		{ID: "resume", Tool: resume, Requirements: []string{"S2"}, Reads: []string{readDetails}, check: contractRuns, needs: needLine,
			Text: "the line's contract has not ended"},
		{ID: "refuel", Tool: refuel, Requirements: []string{"F1"}, Reads: []string{readUsage}, check: withinRefuel, needs: needUsage,
			Text: "no more than 2 GB are added to a line, with what was added in the same month"},
		{ID: "roaming", Tool: roaming, Requirements: []string{"RM1", "RM2"}, Reads: []string{readDetails}, check: roamingOff, needs: needLine,
			Text: "the line is not enabled for roaming yet"},
	}
}

// Lookups.

func (m *moment) details(id string) record { return m.lookup(readDetails, id, textArg("id", id)) }

func (m *moment) line() record { return m.details(m.args.text("line_id")) }

func (m *moment) bill() record { return m.details(m.args.text("bill_id")) }

// bills lists all bills of the call's customer.
func (m *moment) bills() []record {
	id := m.args.text("customer_id")
	return m.lookup(readBills, id, textArg("customer_id", id), value.Pair{Key: "limit", Value: value.OfInt(1000)}).items()
}

func (m *moment) usage() record {
	line := m.args.text("line_id")
	return m.lookup(readUsage, line, textArg("customer_id", m.args.text("customer_id")), textArg("line_id", line))
}

// Static needs.

func needBill(m *moment)  { m.bill() }
func needBills(m *moment) { m.bills() }
func needLine(m *moment)  { m.line() }
func needUsage(m *moment) { m.usage() }

// Checks. A line or bill that there is not is for the tool to refuse.

func billOverdue(m *moment) string {
	b := m.bill()
	if b.text("status") == "" {
		return ""
	}
	if owner := b.text("customer_id"); owner != m.args.text("customer_id") {
		return fmt.Sprintf("Bill %s is not the customer's.", m.args.text("bill_id"))
	}
	if s := b.text("status"); s != "Overdue" {
		return fmt.Sprintf("Bill %s is %s: a payment is requested for an Overdue bill only.", m.args.text("bill_id"), s)
	}
	return ""
}

func noneAwaited(m *moment) string {
	for _, b := range m.bills() {
		if id := b.text("bill_id"); b.text("status") == "Awaiting Payment" && id != m.args.text("bill_id") {
			return fmt.Sprintf("Bill %s awaits payment already: have it paid before another one is requested.", id)
		}
	}
	return ""
}

func allPaid(m *moment) string {
	for _, b := range m.bills() {
		if s := b.text("status"); s == "Overdue" || s == "Awaiting Payment" {
			return fmt.Sprintf("The line stays suspended while bill %s is %s: every overdue bill has to be paid first.", b.text("bill_id"), s)
		}
	}
	return ""
}

func contractRuns(m *moment) string {
	date := m.line().text("contract_end_date")
	end, err := time.Parse(time.DateOnly, date)
	if err == nil && end.AddDate(0, 0, 1).Before(m.set.opts.Now) {
		return fmt.Sprintf("The line stays suspended: its contract ended on %s.", date)
	}
	return ""
}

func withinRefuel(m *moment) string {
	gb, ok := m.args.number("gb_amount")
	before, known := m.usage().number("data_refueling_gb")
	if ok && known && before+gb > maxRefuel {
		return fmt.Sprintf("%s GB cannot be added: %s GB were added this month already, and %d GB is the most.", count(gb), count(before), maxRefuel)
	}
	return ""
}

func roamingOff(m *moment) string {
	if on, _ := m.line().get("roaming_enabled").v.Bool(); on {
		return "Roaming is enabled on the line already: look for another cause."
	}
	return ""
}
