package telecom

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

var (
	customerID = toolkit.Text("customer_id", "Customer id, such as 'C0001'")
	lineID     = toolkit.Text("line_id", "Id of one of the customer's lines, such as 'L0001'")
)

// agentTools are the agent's tools in the reference's listing order (docs/reference/domains.md#accounts).
var agentTools = []toolkit.Tool[*AgentDB]{
	{
		Name: "get_customer_by_phone", Kind: domains.Read, Doc: "Find a customer by the contact number or the number of any of the customer's lines.",
		Params: []toolkit.Param{toolkit.Text("phone_number", "Phone number, such as '555-000-0000'")},
		Run: func(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
			return showCustomer(db.customerByPhone(a.Get("phone_number")))
		},
	},
	{
		Name: "get_customer_by_id", Kind: domains.Read, Doc: "Show a customer's account: contact, payment methods, ids of lines and bills.",
		Params: []toolkit.Param{customerID},
		Run: func(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
			return showCustomer(db.customer(a.Get("customer_id")))
		},
	},
	{
		Name: "get_customer_by_name", Kind: domains.Read, Doc: "Find all customers of a name and date of birth. The list is empty if there is none.",
		Params: []toolkit.Param{toolkit.Text("full_name", "First and last name; case does not matter"),
			toolkit.Text("dob", "Date of birth, as YYYY-MM-DD")},
		Run: customersByName,
	},
	{
		Name: "get_details_by_id", Kind: domains.Read,
		Doc:    "Show any record by its id, whose first letter says what it is: a line (L), device (D), bill (B), customer (C) or plan (P).",
		Params: []toolkit.Param{toolkit.Text("id", "Id of the record, such as 'L0001'")},
		Run:    detailsByID,
	},
	{
		Name: "suspend_line", Kind: domains.Write, Doc: "Suspend an active line, for which a holding fee will be due. A suspended line has no service.",
		Params: []toolkit.Param{customerID, lineID, toolkit.Text("reason", "Why the line is suspended")},
		Run:    suspendLine,
	},
	{
		Name: "resume_line", Kind: domains.Write, Doc: "Put a suspended or pending line back into service. Check first that the policy allows it.",
		Params: []toolkit.Param{customerID, lineID},
		Run:    resumeLine,
	},
	{
		Name: "get_bills_for_customer", Kind: domains.Read, Doc: "List a customer's bills, the latest first.",
		Params: []toolkit.Param{customerID, toolkit.Integer("limit", "How many bills to list at most").Or(value.OfInt(12))},
		Run:    customerBills,
	},
	{
		Name: "send_payment_request", Kind: domains.Write,
		Doc:    "Ask the customer to pay a bill, which is then awaiting payment. Only one bill of a customer can be in that state.",
		Params: []toolkit.Param{customerID, toolkit.Text("bill_id", "Id of one of the customer's bills, such as 'B0001'")},
		Run:    sendPaymentRequest,
	},
	{
		Name: "get_data_usage", Kind: domains.Read, Doc: "Show how much data a line has used in this cycle, its limit and what was refueled, in gigabytes.",
		Params: []toolkit.Param{customerID, lineID},
		Run:    dataUsage,
	},
	{
		Name: "enable_roaming", Kind: domains.Write, Doc: "Allow a line to roam abroad.",
		Params: []toolkit.Param{customerID, lineID},
		Run: func(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
			return setRoaming(db, a, true, "enabled")
		},
	},
	{
		Name: "disable_roaming", Kind: domains.Write, Doc: "Forbid a line to roam abroad.",
		Params: []toolkit.Param{customerID, lineID},
		Run: func(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
			return setRoaming(db, a, false, "disabled")
		},
	},
	toolkit.Transfer[*AgentDB]("customer"),
	{
		Name: "refuel_data", Kind: domains.Write,
		Doc: "Add data to a line for this cycle; the price, by the line's plan, goes on the next bill. Tell the customer the price and get an explicit " +
			"yes first.",
		Params: []toolkit.Param{customerID, lineID, toolkit.Number("gb_amount", "Gigabytes to add; more than 0")},
		Run:    refuelData,
	},
}

func showCustomer(c *Customer, err error) (toolkit.Result, error) {
	if err != nil {
		return nil, err
	}
	return toolkit.Show(customerType, c)
}

func customersByName(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	var found []*Customer
	for i := range db.Root.Customers {
		c := &db.Root.Customers[i]
		name, err := toolkit.Lower(a.Get("full_name"))
		if err != nil {
			return nil, err
		}
		if value.Lower(c.FullName) == name && value.Equal(a.Get("dob"), value.OfString(c.DateOfBirth)) {
			found = append(found, c)
		}
	}
	return toolkit.ShowAll(customerType, found)
}

func detailsByID(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	id := a.Get("id")
	s, ok := id.Text()
	if !ok {
		return nil, domains.Refuse("'%s' object has no attribute 'startswith'", id.TypeName())
	}
	switch {
	case strings.HasPrefix(s, "L"):
		l, err := db.line(id)
		if err != nil {
			return nil, err
		}
		return toolkit.Show(lineType, l)
	case strings.HasPrefix(s, "D"):
		d, err := db.device(id)
		if err != nil {
			return nil, err
		}
		return toolkit.Show(deviceType, d)
	case strings.HasPrefix(s, "B"):
		b, err := db.bill(id)
		if err != nil {
			return nil, err
		}
		return toolkit.Show(billType, b)
	case strings.HasPrefix(s, "C"):
		return showCustomer(db.customer(id))
	case strings.HasPrefix(s, "P"):
		p, err := db.plan(id)
		if err != nil {
			return nil, err
		}
		return toolkit.Show(planType, p)
	}
	return nil, domains.Refuse("Unknown ID format or type: %s", s)
}

// withLine is a result of a message and a line, whose numbers stay numbers.
func withLine(message string, l *Line) (toolkit.Result, error) {
	return func() string {
		dst := value.AppendQuoted([]byte(`{"message": `), message)
		dst = lineType.Dump(append(dst, `, "line": `...), l, value.Declared)
		return string(append(dst, '}'))
	}, nil
}

func suspendLine(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	_, l, err := db.targetLine(a)
	if err != nil {
		return nil, err
	}
	if l.Status != lineActive {
		return nil, domains.Refusal("Line must be active to suspend")
	}
	l.Status, l.SuspendedSince = lineSuspended, text(today)
	return withLine("Line suspended successfully. $5/month holding fee will apply.", l)
}

func resumeLine(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	_, l, err := db.targetLine(a)
	if err != nil {
		return nil, err
	}
	if l.Status != lineSuspended && l.Status != linePending {
		return nil, domains.Refusal("Line must be suspended to resume")
	}
	l.Status, l.SuspendedSince = lineActive, nil
	return withLine("Line resumed successfully", l)
}

func customerBills(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	c, err := db.customer(a.Get("customer_id"))
	if err != nil {
		return nil, err
	}
	bills, err := db.billsOf(c)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(bills, func(x, y *Bill) int { return strings.Compare(y.IssuedOn, x.IssuedOn) })
	n, err := sliceEnd(a.Get("limit"), len(bills))
	if err != nil {
		return nil, err
	}
	return toolkit.ShowAll(billType, bills[:n])
}

// sliceEnd is where the reference's slice [:end] of a list of n ends: a negative end counts from the back, null takes
// everything.
func sliceEnd(end value.Value, n int) (int, error) {
	switch end.Kind() {
	case value.Null:
		return n, nil
	case value.Int, value.Bool:
		f, _ := end.Float64() // exact wherever it matters, and of the right sign for integers of any size
		if f < 0 {
			f += float64(n)
		}
		return int(max(0, min(f, float64(n)))), nil
	}
	return 0, domains.Refusal("slice indices must be integers or None or have an __index__ method")
}

func sendPaymentRequest(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	c, err := db.customer(a.Get("customer_id"))
	if err != nil {
		return nil, err
	}
	open, err := db.firstBill(c, billAwaiting)
	if err != nil {
		return nil, err
	}
	if open != nil {
		return nil, domains.Refusal("A bill is already awaiting payment for this customer")
	}
	id := a.Get("bill_id")
	if s, ok := id.Text(); !ok || !slices.Contains(c.BillIDs, s) {
		return nil, domains.Refuse("Bill %s not found for customer %s", id.Str(), a.Str("customer_id"))
	}
	b, err := db.bill(id)
	if err != nil {
		return nil, err
	}
	b.Status = billAwaiting
	return toolkit.Say("Payment request sent to the customer for bill " + b.ID)
}

func dataUsage(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	_, l, err := db.targetLine(a)
	if err != nil {
		return nil, err
	}
	p, err := db.planOf(l)
	if err != nil {
		return nil, err
	}
	return toolkit.Plain(value.OfMap(value.MapOf(
		value.Pair{Key: "line_id", Value: value.OfString(l.ID)},
		value.Pair{Key: "data_used_gb", Value: l.DataUsed},
		value.Pair{Key: "data_limit_gb", Value: value.OfFloat(p.DataLimit)},
		value.Pair{Key: "data_refueling_gb", Value: value.OfFloat(l.DataRefueled)},
		value.Pair{Key: "cycle_end_date", Value: value.OfString(cycleEnd)},
	)))
}

func setRoaming(db *AgentDB, a toolkit.Args, on bool, word string) (toolkit.Result, error) {
	_, l, err := db.targetLine(a)
	if err != nil {
		return nil, err
	}
	if l.Roaming == on {
		return toolkit.Say("Roaming was already " + word)
	}
	l.Roaming = on
	return toolkit.Say("Roaming " + word + " successfully")
}

func refuelData(db *AgentDB, a toolkit.Args) (toolkit.Result, error) {
	c, l, err := db.targetLine(a)
	if err != nil {
		return nil, err
	}
	gb := a.Get("gb_amount")
	sign, ok, err := value.Compare(gb, value.OfInt(0), "<=")
	if err != nil {
		return nil, err
	}
	if ok && sign <= 0 {
		return nil, domains.Refusal("Refuel amount must be positive")
	}
	p, err := db.planOf(l)
	if err != nil {
		return nil, err
	}
	price, err := value.Mul(gb, value.OfFloat(p.PricePerFuel), "*")
	if err != nil {
		return nil, err
	}
	refueled, err := value.Add(value.OfFloat(l.DataRefueled), gb, "+=")
	if err != nil {
		return nil, err
	}
	amount, _ := price.Float64()
	l.DataRefueled, _ = refueled.Float64()
	description := fmt.Sprintf("Data refueling: %s GB at $%s/GB", gb.Str(), value.FloatText(p.PricePerFuel))
	if err := db.charge(c, amount, description); err != nil {
		return nil, err
	}
	return toolkit.Plain(value.OfMap(value.MapOf(
		value.Pair{Key: "message", Value: value.OfString(fmt.Sprintf("Successfully added %s GB of data for line %s for $%s", gb.Str(), l.ID, fixed2(amount)))},
		value.Pair{Key: "new_data_refueling_gb", Value: refueled},
		value.Pair{Key: "charge", Value: price},
	)))
}

// fixed2 is the reference's {:.2f} of a float.
func fixed2(f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value.FloatText(f)
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}
