package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// today is the date that the telecom tools take for the present.
const today = "2025-02-25"

func find[T any](rows []*T, what, id string, key func(*T) string) (*T, error) {
	i := slices.IndexFunc(rows, func(r *T) bool { return key(r) == id })
	if i < 0 {
		return nil, fmt.Errorf("%s %q not found", what, id)
	}
	return rows[i], nil
}

func (d *database) customer(id string) (*customer, error) {
	return find(d.customers, "customer", id, func(c *customer) string { return c.id })
}

func (d *database) line(id string) (*line, error) {
	return find(d.lines, "line", id, func(l *line) string { return l.id })
}

func (d *database) lineByNumber(number string) (*line, error) {
	return find(d.lines, "line with number", number, func(l *line) string { return l.number })
}

func (d *database) plan(id string) (*plan, error) {
	return find(d.plans, "plan", id, func(p *plan) string { return p.id })
}

func (d *database) bill(id string) (*bill, error) {
	return find(d.bills, "bill", id, func(b *bill) string { return b.id })
}

// billsOf returns the customer's bills in one of the states, in the order of the account.
func (d *database) billsOf(c *customer, states ...string) []*bill {
	var out []*bill
	for _, id := range c.billIDs {
		if b, err := d.bill(id); err == nil && slices.Contains(states, b.status) {
			out = append(out, b)
		}
	}
	return out
}

// byNumber finds the customer with the number as contact or on a line.
func (d *database) byNumber(number string) (*customer, error) {
	for _, c := range d.customers {
		owns := func(id string) bool {
			l, err := d.line(id)
			return err == nil && l.number == number
		}
		if c.number == number || slices.ContainsFunc(c.lineIDs, owns) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no customer has the number %q", number)
}

// identify returns the customer that one of the three look-up tools finds.
func (d *database) identify(c call) (*customer, error) {
	switch c.name {
	case "get_customer_by_phone":
		return d.byNumber(c.text("phone_number"))
	case "get_customer_by_id":
		return d.customer(c.text("customer_id"))
	case "get_customer_by_name":
		for _, row := range d.customers {
			if strings.EqualFold(row.name, c.text("full_name")) && row.born == c.text("dob") {
				return row, nil
			}
		}
		return nil, errors.New("no customer has that name and date of birth")
	}
	return nil, fmt.Errorf("%s identifies nobody", c.name)
}

// target returns the customer and one of the customer's lines.
func (d *database) target(c call) (*customer, *line, error) {
	owner, err := d.customer(c.text("customer_id"))
	if err != nil {
		return nil, nil, err
	}
	if !slices.Contains(owner.lineIDs, c.text("line_id")) {
		return nil, nil, fmt.Errorf("line %q does not belong to %s", c.text("line_id"), owner.id)
	}
	l, err := d.line(c.text("line_id"))
	return owner, l, err
}

func carrierWrites() []string {
	return []string{"suspend_line", "resume_line", "send_payment_request", "enable_roaming", "disable_roaming", "refuel_data"}
}

// serve runs a tool or set-up function of the carrier's side. It is a second,
// deliberately small statement of what the telecom tools do, so that tasks are
// checked by code that shares nothing with the tools themselves.
func (d *database) serve(c call) error {
	switch c.name {
	case "get_customer_by_phone", "get_customer_by_id", "get_customer_by_name":
		_, err := d.identify(c)
		return err
	case "get_details_by_id":
		return d.details(c.text("id"))
	case "get_bills_for_customer":
		_, err := d.customer(c.text("customer_id"))
		return err
	case "transfer_to_human_agents":
		if c.text("summary") == "" {
			return errors.New("the summary is empty")
		}
		return nil
	case "send_payment_request":
		return d.requestPayment(c)
	case "suspend_line_for_overdue_bill":
		return d.suspendUnpaid(c)
	}
	owner, l, err := d.target(c)
	if err != nil {
		return err
	}
	return d.serveLine(c, owner, l)
}

func (d *database) serveLine(c call, owner *customer, l *line) error {
	switch c.name {
	case "get_data_usage":
	case "set_data_usage":
		l.used = c.number("data_used_gb")
	case "suspend_line":
		if l.status != "Active" {
			return errors.New("line must be active to suspend")
		}
		l.status, l.suspended = "Suspended", today
	case "resume_line":
		if l.status != "Suspended" && l.status != "Pending Activation" {
			return errors.New("line must be suspended to resume")
		}
		l.status, l.suspended = "Active", ""
	case "enable_roaming", "disable_roaming":
		if on := c.name == "enable_roaming"; l.roaming != on {
			l.roaming = on
			return nil
		}
		return errors.New("the line's roaming is in that state already")
	case "refuel_data":
		return d.refuel(owner, l, c.number("gb_amount"))
	default:
		return fmt.Errorf("the carrier has no tool %s", c.name)
	}
	return nil
}

func (d *database) details(id string) error {
	var err error
	switch {
	case strings.HasPrefix(id, "C"):
		_, err = d.customer(id)
	case strings.HasPrefix(id, "L"):
		_, err = d.line(id)
	case strings.HasPrefix(id, "P"):
		_, err = d.plan(id)
	case strings.HasPrefix(id, "B"):
		_, err = d.bill(id)
	case strings.HasPrefix(id, "D"):
		_, err = find(d.devices, "device", id, func(v *device) string { return v.id })
	default:
		err = fmt.Errorf("id %q says nothing about its type", id)
	}
	return err
}

func (d *database) requestPayment(c call) error {
	owner, err := d.customer(c.text("customer_id"))
	if err != nil {
		return err
	}
	if len(d.billsOf(owner, "Awaiting Payment")) > 0 {
		return errors.New("a bill is already awaiting payment")
	}
	b, err := d.bill(c.text("bill_id"))
	if err != nil || b.customerID != owner.id {
		return fmt.Errorf("bill %q does not belong to %s", c.text("bill_id"), owner.id)
	}
	b.status = "Awaiting Payment"
	return nil
}

// refuel charges the customer's draft bill. Without one the tools would invent
// a bill with a random id, so here it is an error.
func (d *database) refuel(owner *customer, l *line, gb float64) error {
	p, err := d.plan(l.planID)
	if err != nil {
		return err
	}
	if gb <= 0 {
		return errors.New("refuel amount must be positive")
	}
	drafts := d.billsOf(owner, "Draft")
	if len(drafts) == 0 {
		return fmt.Errorf("customer %s has no draft bill", owner.id)
	}
	charge := gb * p.refuel
	l.refuelled += gb
	drafts[0].total += charge
	drafts[0].items = append(drafts[0].items, item{fmt.Sprintf("Data refueling: %v GB at $%v/GB", gb, p.refuel), charge, today, "Charge"})
	return nil
}

func (d *database) suspendUnpaid(c call) error {
	l, err := d.line(c.text("line_id"))
	if err != nil {
		return err
	}
	p, err := d.plan(l.planID)
	if err != nil {
		return err
	}
	owner, err := d.customer(c.text("customer_id"))
	if err != nil {
		return err
	}
	if l.status != "Active" || p.price <= 0 || len(d.billsOf(owner, "Overdue")) > 0 {
		return fmt.Errorf("line %s cannot be suspended for an unpaid bill", l.id)
	}
	if _, err := d.bill(c.text("new_bill_id")); err == nil {
		return fmt.Errorf("bill %s exists already", c.text("new_bill_id"))
	}
	d.bills = append(d.bills, &bill{
		id: c.text("new_bill_id"), customerID: owner.id, start: "2025-01-01", end: "2025-01-31", issued: "2025-01-01",
		due: "2025-01-15", total: p.price, status: "Overdue", items: []item{{"Charge for line " + l.id, p.price, today, "Charge"}},
	})
	owner.billIDs = append(owner.billIDs, c.text("new_bill_id"))
	l.status, l.suspended = "Suspended", today
	if c.truth("contract_ended") {
		l.contractEnd = "2025-01-31"
	}
	return nil
}
