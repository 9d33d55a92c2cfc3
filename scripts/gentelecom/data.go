package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// database is the carrier's side. Amounts are US dollars, volumes gigabytes,
// dates ISO texts, so that they compare as texts.
type database struct {
	plans     []*plan
	devices   []*device
	lines     []*line
	customers []*customer
	bills     []*bill
}

type plan struct {
	id, name             string
	limit, price, refuel float64
}

type device struct {
	id, kind, model, imei string
	esim                  bool
	activated             string // date and time; empty for a device that was never used
	transferred           string // date and time of the last eSIM transfer; may be empty
}

type line struct {
	id, number, status, planID, deviceID string
	used, refuelled                      float64
	roaming                              bool
	contractEnd, planChange, simChange   string // the last two may be empty
	suspended                            string // date; empty unless suspended
}

type customer struct {
	id, name, born, email, number, status string
	home                                  address
	methods                               []method
	lineIDs, billIDs                      []string
	created                               string
	extended                              string // date of the last payment extension; may be empty
	goodwill                              float64
}

type address struct{ street, city, state, zip string }

type method struct{ kind, last4, expires string }

type bill struct {
	id, customerID     string
	start, end, issued string
	due                string
	total              float64
	items              []item
	status             string
}

type item struct {
	description string
	amount      float64
	date, kind  string
}

// tomlWriter writes the small part of TOML that the database files need.
type tomlWriter struct{ bytes.Buffer }

func (w *tomlWriter) head(name string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.WriteString(name + "\n")
}

func (w *tomlWriter) text(key, v string) { fmt.Fprintf(w, "%s = %s\n", key, strconv.Quote(v)) }

// optional leaves the key out if there is no value: TOML has no null.
func (w *tomlWriter) optional(key, v string) {
	if v != "" {
		w.text(key, v)
	}
}

func (w *tomlWriter) truth(key string, v bool) { fmt.Fprintf(w, "%s = %t\n", key, v) }

// number always shows a decimal point, without which TOML would make it an integer.
func (w *tomlWriter) number(key string, v float64) {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !bytes.ContainsRune([]byte(s), '.') {
		s += ".0"
	}
	fmt.Fprintf(w, "%s = %s\n", key, s)
}

func (w *tomlWriter) texts(key string, vs []string) {
	quoted := make([][]byte, 0, len(vs))
	for _, v := range vs {
		quoted = append(quoted, []byte(strconv.Quote(v)))
	}
	fmt.Fprintf(w, "%s = [%s]\n", key, bytes.Join(quoted, []byte(", ")))
}

// toml renders the database as db.toml.
func (d *database) toml() []byte {
	w := &tomlWriter{}
	for _, p := range d.plans {
		w.head("[[plans]]")
		w.text("plan_id", p.id)
		w.text("name", p.name)
		w.number("data_limit_gb", p.limit)
		w.number("price_per_month", p.price)
		w.number("data_refueling_price_per_gb", p.refuel)
	}
	for _, c := range d.customers {
		c.toml(w)
	}
	for _, l := range d.lines {
		l.toml(w)
	}
	for _, v := range d.devices {
		w.head("[[devices]]")
		w.text("device_id", v.id)
		w.text("device_type", v.kind)
		w.text("model", v.model)
		w.optional("imei", v.imei)
		w.truth("is_esim_capable", v.esim)
		w.truth("activated", v.activated != "")
		w.optional("activation_date", v.activated)
		w.optional("last_esim_transfer_date", v.transferred)
	}
	for _, b := range d.bills {
		b.toml(w)
	}
	return w.Bytes()
}

func (c *customer) toml(w *tomlWriter) {
	w.head("[[customers]]")
	w.text("customer_id", c.id)
	w.text("full_name", c.name)
	w.text("date_of_birth", c.born)
	w.text("email", c.email)
	w.text("phone_number", c.number)
	w.text("account_status", c.status)
	w.texts("line_ids", c.lineIDs)
	w.texts("bill_ids", c.billIDs)
	w.text("created_at", c.created)
	w.optional("last_extension_date", c.extended)
	w.number("goodwill_credit_used_this_year", c.goodwill)
	if len(c.methods) == 0 {
		w.texts("payment_methods", nil)
	}
	w.head("[customers.address]")
	w.text("street", c.home.street)
	w.text("city", c.home.city)
	w.text("state", c.home.state)
	w.text("zip_code", c.home.zip)
	for _, m := range c.methods {
		w.head("[[customers.payment_methods]]")
		w.text("method_type", m.kind)
		w.text("account_number_last_4", m.last4)
		w.text("expiration_date", m.expires)
	}
}

func (l *line) toml(w *tomlWriter) {
	w.head("[[lines]]")
	w.text("line_id", l.id)
	w.text("phone_number", l.number)
	w.text("status", l.status)
	w.text("plan_id", l.planID)
	w.optional("device_id", l.deviceID)
	w.number("data_used_gb", l.used)
	w.number("data_refueling_gb", l.refuelled)
	w.truth("roaming_enabled", l.roaming)
	w.text("contract_end_date", l.contractEnd)
	w.optional("last_plan_change_date", l.planChange)
	w.optional("last_sim_replacement_date", l.simChange)
	w.optional("suspension_start_date", l.suspended)
}

func (b *bill) toml(w *tomlWriter) {
	w.head("[[bills]]")
	w.text("bill_id", b.id)
	w.text("customer_id", b.customerID)
	w.text("period_start", b.start)
	w.text("period_end", b.end)
	w.text("issue_date", b.issued)
	w.number("total_due", b.total)
	w.text("due_date", b.due)
	w.text("status", b.status)
	for _, it := range b.items {
		w.head("[[bills.line_items]]")
		w.text("description", it.description)
		w.number("amount", it.amount)
		w.text("date", it.date)
		w.text("item_type", it.kind)
	}
}
