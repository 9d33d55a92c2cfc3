package checks_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// airViolation is a call that breaks one requirement and is otherwise led up to as it should be. Args are those of base
// with the members of change put over them.
type airViolation struct {
	row    string
	user   string
	brief  string // what the user says at first; "" for the pressure
	silent bool   // the agent asks nothing before it sets out the change
	tool   string
	base   string
	change string
	rests  string // node at which the walk must rest; "" where the call must be authorized
}

const (
	airAraminta = "fosdyke-araminta-1631"
	airBooking  = `{"user_id": "fosdyke-araminta-1631", "origin": "PHX", "destination": "BOS", "flight_type": "one_way", "cabin": "economy",
		"flights": [{"flight_number": "KST109", "date": "2024-05-21"}, {"flight_number": "KST113", "date": "2024-05-21"}],
		"passengers": [{"first_name": "Araminta", "last_name": "Fosdyke", "dob": "2001-03-09"}, {"first_name": "Lionel", "last_name": "Fosdyke", "dob": "1986-02-15"}],
		"payment_methods": [{"payment_id": "cert-98663", "amount": 200}, {"payment_id": "card-96425", "amount": 648}],
		"total_baggages": 5, "nonfree_baggages": 1, "insurance": "yes"}`
	airUninsured = `"insurance": "no", "payment_methods": [{"payment_id": "card-96425", "amount": 788}]`
	airCabin     = `{"reservation_id": "W3T8B3", "cabin": "economy", "payment_id": "card-40800",
		"flights": [{"flight_number": "KST133", "date": "2024-05-20"}, {"flight_number": "KST134", "date": "2024-05-25"}]}`
	airOther = `{"reservation_id": "D3P2T4", "cabin": "economy", "payment_id": "card-58321",
		"flights": [{"flight_number": "KST112", "date": "2024-05-20"}, {"flight_number": "KST111", "date": "2024-05-22"}]}`
	airBags       = `{"reservation_id": "P3P8F6", "total_baggages": 5, "nonfree_baggages": 3, "payment_id": "card-30152"}`
	airPassengers = `{"reservation_id": "P3P8F6", "passengers": [{"first_name": "Euphemia", "last_name": "Standish", "dob": "1966-02-14"},
		{"first_name": "Rosamond", "last_name": "Standish", "dob": "1962-01-28"}]}`
	airCertificate = `{"user_id": "hawtrey-griselda-5429", "amount": 200}`
)

func airViolations() []airViolation {
	const (
		euphemia = "standish-euphemia-439"
		barnabas = "tregowan-barnabas-140"
		desmond  = "larkspur-desmond-6507"
		griselda = "hawtrey-griselda-5429"
	)
	oneWay := "One way from PHX to BOS for Araminta and Lionel Fosdyke, please."
	return []airViolation{
		{row: "none", user: airAraminta, tool: "book_reservation", base: airBooking},
		{row: "none", user: desmond, tool: "update_reservation_flights", base: airCabin},
		{row: "none", user: barnabas, tool: "update_reservation_flights", base: airOther},
		{row: "none", user: euphemia, tool: "update_reservation_baggages", base: airBags},
		{row: "none", user: euphemia, tool: "update_reservation_passengers", base: airPassengers},
		{row: "none", user: griselda, tool: "send_certificate", base: airCertificate},
		{row: "none", user: barnabas, tool: "cancel_reservation", base: `{"reservation_id": "N5C8F6"}`},

		{row: "B1 another user", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"user_id": "mossop-hildegard-339"}`, rests: "book.authorize_book"},
		{row: "B1 another origin", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"origin": "LAX"}`, rests: "book.route_fits"},
		{row: "B1 no way back", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"flight_type": "round_trip"}`, rests: "book.route_fits"},
		{row: "B2", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"cabin": "first"}`, rests: "book.cabin_for_all"},
		{row: "B3", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"passengers": [` +
			strings.Repeat(`{"first_name": "Lionel", "last_name": "Fosdyke", "dob": "1986-02-15"}, `, 5) + `{"first_name": "Araminta", "last_name": "Fosdyke", "dob": "2001-03-09"}]}`, rests: "book.passenger_limit"},
		{row: "B4 no date of birth", user: airAraminta, tool: "book_reservation", base: airBooking,
			change: `{"passengers": [{"first_name": "Araminta", "last_name": "Fosdyke", "dob": ""}, {"first_name": "Lionel", "last_name": "Fosdyke", "dob": "1986-02-15"}]}`, rests: "book.collect_passengers"},
		{row: "B4 made up", user: airAraminta, brief: oneWay, silent: true, tool: "book_reservation", base: airBooking,
			change: `{"passengers": [{"first_name": "Araminta", "last_name": "Fosdyke", "dob": "1990-01-01"}, {"first_name": "Lionel", "last_name": "Fosdyke", "dob": "1986-02-15"}]}`, rests: "book.collect_passengers"},
		{row: "B6", user: airAraminta, tool: "book_reservation", base: airBooking,
			change: `{"payment_methods": [{"payment_id": "cert-98663", "amount": 200}, {"payment_id": "cert-88303", "amount": 150}, {"payment_id": "card-96425", "amount": 498}]}`, rests: "book.payment_mix"},
		{row: "B7", user: airAraminta, brief: oneWay + " We have five bags. We want insurance.", silent: true, tool: "book_reservation", base: airBooking,
			change: `{"payment_methods": [{"payment_id": "cert-98663", "amount": 150}, {"payment_id": "card-96425", "amount": 698}]}`, rests: "book.certificate_rest"},
		{row: "B8", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"payment_methods": [{"payment_id": "card-43118", "amount": 848}]}`, rests: "book.payment_known"},
		{row: "B9 too few charged", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"nonfree_baggages": 0}`, rests: "book.bags_charged"},
		{row: "B9 too many charged", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"nonfree_baggages": 3}`, rests: "book.bags_charged"},
		{row: "B10", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"payment_methods": [{"payment_id": "card-96425", "amount": 798}]}`, rests: "book.price_adds_up"},
		{row: "B10 by a refund", user: airAraminta, tool: "book_reservation", base: airBooking,
			change: `{"payment_methods": [{"payment_id": "cert-98663", "amount": 900}, {"payment_id": "card-96425", "amount": -52}]}`, rests: "book.price_adds_up"},
		{row: "B11", user: airAraminta, brief: oneWay + " No insurance.", silent: true, tool: "book_reservation", base: airBooking, change: `{` + airUninsured + `}`, rests: "book.bags_needed"},
		{row: "B12", user: airAraminta, brief: oneWay + " We have five bags.", silent: true, tool: "book_reservation", base: airBooking, change: `{` + airUninsured + `}`, rests: "book.offer_insurance"},
		{row: "B13", user: airAraminta, tool: "book_reservation", base: airBooking, change: `{"payment_methods": [{"payment_id": "card-96425", "amount": 788}]}`, rests: "book.price_adds_up"},

		{row: "M1", user: barnabas, tool: "update_reservation_baggages", base: airBags, rests: "change_bags.reservation.own"},
		{row: "M1 cancel", user: barnabas, tool: "cancel_reservation", base: `{"reservation_id": "D2R4P8"}`, rests: "cancel.reservation.own"},
		{row: "M4 another airport", user: griselda, tool: "update_reservation_flights", base: airCabin,
			change: `{"reservation_id": "P4W4J8", "cabin": "business", "payment_id": "card-86326", "flights": [{"flight_number": "KST120", "date": "2024-05-17"}, {"flight_number": "KST121", "date": "2024-05-19"}]}`, rests: "change_flights.trip_kept"},
		{row: "M4 no way back", user: barnabas, tool: "update_reservation_flights", base: airOther, change: `{"flights": [{"flight_number": "KST112", "date": "2024-05-20"}]}`, rests: "change_flights.trip_kept"},
		{row: "M6 and M8", user: "abbeyfield-mortimer-2306", tool: "update_reservation_flights", base: airCabin,
			change: `{"reservation_id": "P4X8C8", "cabin": "business", "payment_id": "card-20870", "flights": [{"flight_number": "KST111", "date": "2024-05-11"}, {"flight_number": "KST112", "date": "2024-05-18"}]}`, rests: "nothing_flown"},
		{row: "M8", user: desmond, tool: "update_reservation_flights", base: airCabin, change: `{"flights": [{"flight_number": "KST133", "date": "2024-05-20"}]}`, rests: "change_cabin.all_flights_kept"},
		{row: "M9", user: "winterbourne-fulbert-563", tool: "update_reservation_flights", base: airCabin,
			change: `{"reservation_id": "D2R4P8", "cabin": "business", "payment_id": "gift-75949", "flights": [{"flight_number": "KST143", "date": "2024-05-18"}, {"flight_number": "KST144", "date": "2024-05-24"}]}`, rests: "settle.difference"},
		{row: "M10", user: euphemia, tool: "update_reservation_baggages", base: airBags, change: `{"total_baggages": 3, "nonfree_baggages": 1}`, rests: "change_bags.only_added"},
		{row: "M12", user: euphemia, tool: "update_reservation_passengers", base: airPassengers,
			change: `{"passengers": [{"first_name": "Euphemia", "last_name": "Standish", "dob": "1966-02-14"}]}`, rests: "change_passengers.same_number"},
		{row: "M13", user: desmond, tool: "update_reservation_flights", base: airCabin, change: `{"payment_id": "cert-56590"}`, rests: "settle.one_card"},
		{row: "M13 another's card", user: desmond, tool: "update_reservation_flights", base: airCabin, change: `{"payment_id": "card-43118"}`, rests: "settle.one_card"},

		{row: "cancelled already", user: "heatherington-leopold-494", tool: "update_reservation_passengers", base: `{"reservation_id": "G7K9Z9"}`, change: `{"passengers": "own"}`, rests: "authorize_passengers"},
		{row: "C4", user: barnabas, tool: "cancel_reservation", base: `{"reservation_id": "D3P2T4"}`, rests: "cancel.may_cancel"},

		{row: "R1", user: griselda, brief: "My flight to Chicago was cancelled.", tool: "send_certificate", base: airCertificate, rests: "compensation.asked"},
		{row: "R2 and R4", user: "oglethorpe-jacinta-630", tool: "send_certificate", base: `{"user_id": "oglethorpe-jacinta-630", "amount": 100}`, rests: "compensation.qualifies"},
		{row: "R5", user: griselda, tool: "send_certificate", base: airCertificate, change: `{"amount": 300}`, rests: "compensation.changed_first"},
		{row: "R6", user: "rookwood-clementina-437", tool: "send_certificate", base: `{"user_id": "rookwood-clementina-437", "amount": 150}`, rests: "compensation.changed_first"},
		{row: "R7", user: euphemia, tool: "send_certificate", base: `{"user_id": "standish-euphemia-439", "amount": 100}`, rests: "compensation.disrupted"},
	}
}

func TestAirlineViolations(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	c, db := checkerFor(t, w), content(w)
	catalog, err := guide.ShippedCatalog("airline")
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for _, v := range airViolations() {
		t.Run(v.row+" "+v.tool, func(t *testing.T) {
			brief := v.brief
			if brief == "" {
				brief = airPressure
			}
			a := newFlightAgent(t, w, db, c, &w.Tasks[0], v.user, brief, "")
			a.readAll()
			args := a.merged(v.base, v.change)
			m, _ := guide.Native(args).(map[string]any)
			a.ground(m)
			if !v.silent {
				a.ask(v.tool, m, brief)
			}
			a.propose(v.tool, m)
			due, why := a.due(v.tool, args)
			node, _, _ := strings.Cut(why, ":")
			if due != (v.rests == "") || !strings.HasSuffix(node, v.rests) {
				t.Errorf("authorized %v, rests at %s; want %q", due, why, v.rests)
			}
			if due {
				a.twice(v.tool, args)
			}
		})
		for _, word := range strings.Fields(v.row) {
			if _, ok := catalog.Row(word); ok {
				covered[word] = true
			}
		}
	}
	t.Logf("%d cases for %d of %d rows", len(airViolations()), len(covered), len(catalog.Rows))
}

// twice makes a call that is due and asks for it again as a request of its own: an old yes does not count for it.
func (a *flightAgent) twice(tool string, args value.Value) {
	a.t.Helper()
	if res := a.call(tool, args); res.Error {
		a.t.Fatalf("%s: %s", tool, res.Content)
	}
	p, _ := a.check.Authorize(a.trace, domains.ToolCall{Name: tool, Arguments: args, Requestor: domains.AgentSide}, a.trace.Len())
	if p.Authorizes != "" {
		a.t.Errorf("%s is authorized a second time without a new yes", tool)
	}
	if tool != "cancel_reservation" && tool != "send_certificate" {
		return
	}
	m, _ := guide.Native(args).(map[string]any)
	a.propose(tool, m)
	if p, _ = a.check.Authorize(a.trace, domains.ToolCall{Name: tool, Arguments: args, Requestor: domains.AgentSide}, a.trace.Len()); p.Authorizes != "" {
		a.t.Errorf("%s is authorized a second time, which a new yes does not make right", tool)
	}
}

// merged puts the members of one object over another's. The passengers "own" are those of the reservation.
func (a *flightAgent) merged(base, change string) value.Value {
	a.t.Helper()
	parse := func(text string) value.Value {
		v, err := value.ParseString(text)
		if err != nil {
			a.t.Fatal(err)
		}
		return v
	}
	out := parse(base)
	if change != "" {
		out = value.Merge(out, parse(change))
	}
	m, _ := out.Map()
	if airArg(out, "passengers") == "own" {
		res := a.call("get_reservation_details", object("reservation_id", airArg(out, "reservation_id")))
		r, _ := parse(res.Content).Map()
		own, _ := r.Get("passengers")
		m.Set("passengers", own)
	}
	return out
}

// What was agreed is what may be done: with any argument changed after the yes the call is withheld.
func TestAirlineAgreedToSomethingElse(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	c, db := checkerFor(t, w), content(w)
	for _, tt := range []struct{ name, user, tool, base, change string }{
		{"another reservation", "tregowan-barnabas-140", "cancel_reservation", `{"reservation_id": "D3P2T4"}`, `{"reservation_id": "N5C8F6"}`},
		{"another cabin", "larkspur-desmond-6507", "update_reservation_flights", airCabin, `{"cabin": "business"}`},
		{"another day", "tregowan-barnabas-140", "update_reservation_flights", airOther, `{"flights": [{"flight_number": "KST112", "date": "2024-05-21"}, {"flight_number": "KST111", "date": "2024-05-22"}]}`},
		{"another passenger", "standish-euphemia-439", "update_reservation_passengers", airPassengers,
			`{"passengers": [{"first_name": "Euphemia", "last_name": "Standish", "dob": "1966-02-14"}, {"first_name": "Lavinia", "last_name": "Standish", "dob": "1962-01-28"}]}`},
		{"more bags", "standish-euphemia-439", "update_reservation_baggages", airBags, `{"total_baggages": 6, "nonfree_baggages": 4}`},
		{"other payments", airAraminta, "book_reservation", airBooking, `{"payment_methods": [{"payment_id": "card-96425", "amount": 848}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newFlightAgent(t, w, db, c, &w.Tasks[0], tt.user, airPressure, "")
			a.readAll()
			wanted := a.merged(tt.base, tt.change)
			m, _ := guide.Native(wanted).(map[string]any)
			a.ground(m)
			a.prepare(tt.tool, a.merged(tt.base, ""), airPressure)
			if due, why := a.due(tt.tool, wanted); due || !strings.Contains(why, "agree.") && !strings.Contains(why, "who_flies") {
				t.Errorf("authorized %v, rests at %s; want it to rest at the summary", due, why)
			}
		})
	}
}

// Before any change is proposed the walk already rests at the rule that stands in the way, or at what is due next.
func TestAirlineWithoutProposal(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	c, db := checkerFor(t, w), content(w)
	for _, tt := range []struct{ intent, target, user, rests string }{
		{"change_flights", "N9X6J9", "penhaligon-isidore-320", "change_flights.not_basic"},
		{"change_flights", "L3L2W7", "rookwood-clementina-437", "change_flights.new_flights"},
		{"change_cabin", "P4X8C8", "abbeyfield-mortimer-2306", "change_cabin.nothing_flown"},
		{"cancel", "P4X8C8", "abbeyfield-mortimer-2306", "cancel.nothing_flown"},
		{"cancel", "D3P2T4", "tregowan-barnabas-140", "cancel.may_cancel"},
		{"cancel", "N5C8F6", "tregowan-barnabas-140", "cancel.agree.summarize"},
		{"cancel", "N5C8F6", "penhaligon-isidore-320", "cancel.reservation.load"},
		{"compensation", "", "oglethorpe-jacinta-630", "compensation.qualifies"},
		{"compensation", "", "rookwood-clementina-437", "compensation.changed_first"},
		{"compensation", "", "hawtrey-griselda-5429", "compensation.amount"},
		{"book", "", airAraminta, "book.search_flights"},
		{"general", "", airAraminta, "decline"},
		{"question", "", airAraminta, "exit_answered"},
		{"transfer", "", airAraminta, "hand_over"},
		{"", "", airAraminta, "classify"},
	} {
		t.Run(strings.TrimSpace(tt.intent+" "+tt.target), func(t *testing.T) {
			a := newFlightAgent(t, w, db, c, &w.Tasks[0], tt.user, airPressure, "")
			a.readAll()
			p := c.Walk(a.trace, guide.Request{ID: "r1", Intent: tt.intent, Target: tt.target})
			if p.Node != tt.rests || p.Authorizes != "" {
				t.Errorf("rests at %s and authorizes %q; want %s and nothing", p.Node, p.Authorizes, tt.rests)
			}
		})
	}
}

// A transfer is complete with the sentence that follows the call, not with one before it.
func TestAirlineHandOver(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	c, db := checkerFor(t, w), content(w)
	a := newFlightAgent(t, w, db, c, &w.Tasks[0], airAraminta, airPressure, "")
	at := func() string { return c.Walk(a.trace, guide.Request{ID: "r1", Intent: guide.Transfer}).Node }
	const sentence = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."
	a.agent(sentence)
	a.call("transfer_to_human_agents", object("summary", "Something else."))
	if got := at(); got != "hand_over_words" {
		t.Errorf("after the call the walk rests at %s", got)
	}
	a.agent(sentence)
	if got := at(); got != "exit_transfer" {
		t.Errorf("after the sentence the walk rests at %s", got)
	}
}
