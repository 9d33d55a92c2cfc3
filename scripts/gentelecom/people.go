package main

import (
	"fmt"
	"strings"
)

// generator collects the data set. Everything is made in the order of the
// source, so ids depend on nothing else.
type generator struct {
	db     *database
	drafts []draft
}

// build makes the data set afresh; callers may change what they get.
func build() (*database, []draft) {
	g := &generator{db: &database{plans: plans()}}
	g.stories()
	g.bystanders()
	return g.db, g.drafts
}

// The plans, by what they are for.
const (
	planPebble    = "P21"
	planBrook     = "P22"
	planRiver     = "P23"
	planLake      = "P24"
	planOcean     = "P25"
	planHousehold = "P26"
	planBeacon    = "P27"
)

func plans() []*plan {
	return []*plan{
		{planPebble, "Pebble", 3, 22, 6.5},
		{planBrook, "Brook", 8, 34, 4},
		{planRiver, "River", 12, 46, 3},
		{planLake, "Lake", 30, 62, 1.5},
		{planOcean, "Ocean Unlimited", 900, 88, 0.2},
		{planHousehold, "Household Pool", 50, 134, 2.5},
		{planBeacon, "Beacon for Things", 0.5, 9, 12},
	}
}

// place is a town with the area code of its phone numbers.
type place struct{ city, state, zip, area string }

func places() []place {
	return []place{
		{"Missoula", "MT", "59802", "406"}, {"Ann Arbor", "MI", "48104", "734"}, {"Asheville", "NC", "28801", "828"},
		{"Corvallis", "OR", "97330", "541"}, {"Dubuque", "IA", "52001", "563"}, {"Flagstaff", "AZ", "86001", "928"},
		{"Galveston", "TX", "77550", "409"}, {"Ithaca", "NY", "14850", "607"}, {"Laramie", "WY", "82070", "307"},
	}
}

func streets() []string {
	return []string{
		"Aqueduct Road", "Bellfounder Lane", "Cartwright Street", "Dovecote Avenue", "Elderflower Way", "Fletcher Row", "Glassworks Drive",
		"Hopfield Lane", "Ironmonger Street", "Kiln Court", "Larkspur Terrace",
	}
}

func models() []string {
	return []string{"Halyard 5", "Halyard 5 Mini", "Osprey One", "Corvid X", "Tern Lite", "Osprey Fold", "Petrel 3"}
}

// customer adds a customer with an active account and one payment method.
func (g *generator) customer(name, born string) *customer {
	n := len(g.db.customers)
	p := places()[n%len(places())]
	kinds := []string{"Credit Card", "PayPal", "Debit Card"}
	c := &customer{
		id: fmt.Sprintf("C%d", 8103+13*n), name: name, born: born, status: "Active",
		email:   strings.ToLower(strings.ReplaceAll(name, " ", ".")) + fmt.Sprintf("%d@example.org", 10+n),
		home:    address{fmt.Sprintf("%d %s", 4+(n*37)%190, streets()[n%len(streets())]), p.city, p.state, p.zip},
		methods: []method{{kinds[n%3], fmt.Sprintf("%04d", 1873+(n*2741)%8000), fmt.Sprintf("%02d/%d", 1+(n*5)%12, 2026+n%4)}},
		created: fmt.Sprintf("20%02d-%02d-%02dT%02d:%02d:00", 18+n%6, 1+(n*7)%12, 1+(n*11)%28, 8+n%10, (n*23)%60),
	}
	g.db.customers = append(g.db.customers, c)
	return c
}

// line adds an active line with a phone to the customer's account. The first
// one gives the account its contact number.
func (g *generator) line(c *customer, planID string, used float64) *line {
	n := len(g.db.lines)
	area := ""
	for _, p := range places() {
		if p.zip == c.home.zip {
			area = p.area
		}
	}
	dev := g.device("phone", models()[n%len(models())])
	l := &line{
		id: fmt.Sprintf("L%d", 4407+17*n), number: fmt.Sprintf("%s-555-01%02d", area, (13+37*n)%100), status: "Active",
		planID: planID, deviceID: dev.id, used: used,
		contractEnd: fmt.Sprintf("20%d-%02d-28", 26+n%2, 1+(n*5)%12),
	}
	if n%3 == 1 {
		l.planChange = fmt.Sprintf("2024-%02d-%02d", 1+(n*5)%12, 1+(n*7)%28)
	}
	if n%4 == 2 {
		l.simChange = fmt.Sprintf("2024-%02d-%02d", 1+(n*3)%12, 1+(n*11)%28)
	}
	g.db.lines = append(g.db.lines, l)
	c.lineIDs = append(c.lineIDs, l.id)
	if c.number == "" {
		c.number = l.number
	}
	return l
}

func (g *generator) device(kind, model string) *device {
	n := len(g.db.devices)
	d := &device{
		id: fmt.Sprintf("D%d", 6211+11*n), kind: kind, model: model, imei: fmt.Sprintf("35%013d", 40917263+n*7919337), esim: n%4 != 3,
		activated: fmt.Sprintf("2024-%02d-%02dT%02d:%02d:00", 1+(n*5)%12, 1+(n*9)%28, 9+n%9, (n*17)%60),
	}
	if d.esim && n%5 == 2 {
		d.transferred = "2024-12-1" + fmt.Sprint(n%10) + "T10:05:00"
	}
	g.db.devices = append(g.db.devices, d)
	return d
}

// pending makes a line wait for its activation: no contract date has passed, nothing was used.
func (g *generator) pending(c *customer, planID string) *line {
	l := g.line(c, planID, 0)
	l.status, l.planChange, l.simChange = "Pending Activation", "", ""
	g.db.devices[len(g.db.devices)-1].activated = ""
	g.db.devices[len(g.db.devices)-1].transferred = ""
	return l
}

// closed makes a line that was given up; it has no device any more.
func (g *generator) closed(c *customer, planID string) *line {
	l := g.line(c, planID, 0)
	l.status, l.contractEnd, l.deviceID = "Closed", "2024-09-30", ""
	g.db.devices = g.db.devices[:len(g.db.devices)-1]
	return l
}

func suspend(l *line, since string) {
	l.status, l.suspended, l.used = "Suspended", since, 0
}

// month is a billing month: bills are issued on its 20th and due on the 6th
// of the next one.
type month struct{ first, last, issued, due string }

func december() month { return month{"2024-12-01", "2024-12-31", "2024-12-20", "2025-01-06"} }
func january() month  { return month{"2025-01-01", "2025-01-31", "2025-01-20", "2025-02-06"} }
func february() month { return month{"2025-02-01", "2025-02-28", "2025-02-20", "2025-03-06"} }
func march() month    { return month{"2025-03-01", "2025-03-31", "2025-03-20", "2025-04-06"} }

// bill adds a bill for the customer's lines as they are when it is called. A
// draft is still empty.
func (g *generator) bill(c *customer, m month, status string) *bill {
	b := &bill{id: g.billID(), customerID: c.id, start: m.first, end: m.last, issued: m.issued, due: m.due, status: status}
	for _, id := range c.lineIDs {
		l, err := g.db.line(id)
		if err != nil || status == "Draft" || l.status == "Closed" || l.status == "Pending Activation" {
			continue
		}
		p, err := g.db.plan(l.planID)
		if err != nil {
			continue
		}
		b.items = append(b.items, item{p.name + " for " + l.number, p.price, m.issued, "Plan Charge"})
		if l.suspended != "" && l.suspended < m.issued {
			b.items = append(b.items, item{"Holding fee for " + l.number, 5, m.issued, "Fee"})
		}
	}
	for _, it := range b.items {
		b.total += it.amount
	}
	g.db.bills = append(g.db.bills, b)
	c.billIDs = append(c.billIDs, b.id)
	return b
}

func (g *generator) billID() string { return fmt.Sprintf("B%d", 37018+19*len(g.db.bills)) }

// settled gives the customer the usual bills: two paid, the current one issued
// and the next one in draft.
func (g *generator) settled(c *customer) {
	g.bill(c, december(), "Paid")
	g.bill(c, january(), "Paid")
	g.bill(c, february(), "Issued")
	g.bill(c, march(), "Draft")
}

// gap is settled without January, for customers whose task adds that bill.
func (g *generator) gap(c *customer) {
	g.bill(c, december(), "Paid")
	g.bill(c, february(), "Issued")
	g.bill(c, march(), "Draft")
}

// bystanders are customers without a task, in states that the others lack.
func (g *generator) bystanders() {
	twin := g.customer("Lorcan Bexley", "1996-08-04")
	twin.goodwill = 15
	g.line(twin, planPebble, 1.1)
	g.settled(twin)

	unverified := g.customer("Ottoline Fairweather", "2001-12-19")
	unverified.status, unverified.methods = "Pending Verification", nil
	unverified.number = "734-555-0199"

	unsure := g.customer("Radoslav Minchin", "1984-02-11")
	unsure.status = "Pending Verification"
	g.pending(unsure, planBrook)

	gone := g.customer("Hedwig Balderstone", "1951-06-27")
	gone.status = "Closed"
	g.closed(gone, planPebble)
	g.bill(gone, december(), "Paid")

	disputing := g.customer("Constance Mbeki", "1973-10-08")
	g.line(disputing, planLake, 21.9)
	tracker := g.line(disputing, planBeacon, 0.2)
	g.db.devices[len(g.db.devices)-1].kind = "watch"
	tracker.roaming = true
	g.bill(disputing, december(), "Paid")
	b := g.bill(disputing, january(), "Disputed")
	b.items = append(b.items, item{"Calls abroad from " + tracker.number, 38.75, b.issued, "Charge"})
	b.total += 38.75
	g.bill(disputing, february(), "Issued")
	g.bill(disputing, march(), "Draft")

	late := g.customer("Torvald Gaskin", "1966-03-30")
	late.status, late.extended = "Suspended", "2025-01-09"
	late.methods = append(late.methods, method{"Credit Card", "4410", "09/2027"})
	l := g.line(late, planRiver, 0)
	suspend(l, "2025-02-09")
	g.bill(late, december(), "Paid")
	g.bill(late, january(), "Awaiting Payment")
	g.bill(late, february(), "Issued")
	g.bill(late, march(), "Draft")

	family := g.customer("Bernadette Oyelaran", "1980-05-16")
	for _, used := range []float64{18.4, 9.7, 12.2} {
		g.line(family, planHousehold, used)
	}
	g.db.devices[len(g.db.devices)-1].kind = "tablet"
	g.pending(family, planBeacon)
	g.settled(family)
}
