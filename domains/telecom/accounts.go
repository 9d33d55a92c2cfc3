package telecom

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The lookups and bookings that the agent's tools and the sync share (docs/reference/domains.md#accounts). A returned
// pointer is into the trial's copy of the database and may be written to; one to a bill or customer is good until the
// next bill is drafted.

// findIn scans a list for the record with that id; anything but a text is the id of none.
func findIn[T any](list []T, key func(*T) string, id value.Value) *T {
	s, ok := id.Text()
	if !ok {
		return nil
	}
	for i := range list {
		if key(&list[i]) == s {
			return &list[i]
		}
	}
	return nil
}

func (d *AgentDB) customer(id value.Value) (*Customer, error) {
	if c := findIn(d.Root.Customers, func(c *Customer) string { return c.ID }, id); c != nil {
		return c, nil
	}
	return nil, domains.Refuse("Customer with ID %s not found", id.Str())
}

func (d *AgentDB) line(id value.Value) (*Line, error) {
	if l := findIn(d.Root.Lines, func(l *Line) string { return l.ID }, id); l != nil {
		return l, nil
	}
	return nil, domains.Refuse("Line with ID %s not found", id.Str())
}

func (d *AgentDB) lineByPhone(number value.Value) (*Line, error) {
	if l := findIn(d.Root.Lines, func(l *Line) string { return l.Phone }, number); l != nil {
		return l, nil
	}
	return nil, domains.Refuse("Line with phone number %s not found", number.Str())
}

func (d *AgentDB) plan(id value.Value) (*Plan, error) {
	if p := findIn(d.Root.Plans, func(p *Plan) string { return p.ID }, id); p != nil {
		return p, nil
	}
	return nil, domains.Refuse("Plan with ID %s not found", id.Str())
}

func (d *AgentDB) planOf(l *Line) (*Plan, error) { return d.plan(value.OfString(l.PlanID)) }

func (d *AgentDB) device(id value.Value) (*Device, error) {
	if x := findIn(d.Root.Devices, func(x *Device) string { return x.ID }, id); x != nil {
		return x, nil
	}
	return nil, domains.Refuse("Device with ID %s not found", id.Str())
}

func (d *AgentDB) bill(id value.Value) (*Bill, error) {
	if b := findIn(d.Root.Bills, func(b *Bill) string { return b.ID }, id); b != nil {
		return b, nil
	}
	return nil, domains.Refuse("Bill with ID %s not found", id.Str())
}

// customerByPhone finds the first customer who has the number, as contact or on one of the lines.
func (d *AgentDB) customerByPhone(number value.Value) (*Customer, error) {
	s, isText := number.Text()
	for i := range d.Root.Customers {
		c := &d.Root.Customers[i]
		if isText && c.Phone == s {
			return c, nil
		}
		for _, id := range c.LineIDs {
			l, err := d.line(value.OfString(id))
			if err != nil {
				return nil, err
			}
			if isText && l.Phone == s {
				return c, nil
			}
		}
	}
	return nil, domains.Refuse("Customer with phone number %s not found", number.Str())
}

// billsOf returns the customer's bills in the order of their ids there.
func (d *AgentDB) billsOf(c *Customer) ([]*Bill, error) {
	out := make([]*Bill, len(c.BillIDs))
	for i, id := range c.BillIDs {
		b, err := d.bill(value.OfString(id))
		if err != nil {
			return nil, err
		}
		out[i] = b
	}
	return out, nil
}

// firstBill returns the customer's first bill of a status, nil if there is none.
func (d *AgentDB) firstBill(c *Customer, status string) (*Bill, error) {
	var first *Bill
	for _, id := range c.BillIDs {
		b, err := d.bill(value.OfString(id))
		if err != nil {
			return nil, err
		}
		if first == nil && b.Status == status {
			first = b
		}
	}
	return first, nil
}

// targetLine finds the line that a call names by its customer_id and line_id.
func (d *AgentDB) targetLine(a toolkit.Args) (*Customer, *Line, error) {
	c, err := d.customer(a.Get("customer_id"))
	if err != nil {
		return nil, nil, err
	}
	id := a.Get("line_id")
	if s, ok := id.Text(); !ok || !slices.Contains(c.LineIDs, s) {
		return nil, nil, domains.Refuse("Line %s not found for customer %s", id.Str(), a.Str("customer_id"))
	}
	l, err := d.line(id)
	return c, l, err
}

// addBill appends a bill to the database and to the customer's list.
func (d *AgentDB) addBill(c *Customer, b Bill) *Bill {
	d.Root.Bills = append(d.Root.Bills, b)
	c.BillIDs = append(c.BillIDs, b.ID)
	return &d.Root.Bills[len(d.Root.Bills)-1]
}

// draft opens the customer's bill for next month. The reference draws its id at random; ours is counted within the
// trial, so that a replay of the trial's calls finds the same bill.
func (d *AgentDB) draft(c *Customer) *Bill {
	var id string
	for taken := true; taken; {
		d.drafts++
		id = fmt.Sprintf("B%08x", d.drafts)
		taken = slices.ContainsFunc(d.Root.Bills, func(b Bill) bool { return b.ID == id })
	}
	return d.addBill(c, Bill{ID: id, CustomerID: c.ID, PeriodStart: nextStart, PeriodEnd: nextEnd, IssuedOn: nextStart,
		DueOn: nextDue, Items: []LineItem{}, Status: billDraft})
}

// charge books a one-time amount on the customer's next bill.
func (d *AgentDB) charge(c *Customer, amount float64, description string) error {
	b, err := d.firstBill(c, billDraft)
	if err != nil {
		return err
	}
	if b == nil {
		b = d.draft(c)
	}
	kind := "Charge"
	if amount < 0 {
		kind = "Credit"
	}
	b.Items = append(b.Items, LineItem{Description: description, Amount: amount, Date: today, Kind: kind})
	b.Total += amount
	return nil
}
