package checks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// airStep is a part of a compliant conversation that a test can leave out.
type airStep string

const (
	airStepIdentify airStep = "the user's id"
	airStepProfile  airStep = "the profile"
	airStepReads    airStep = "the reads"
	airStepSummary  airStep = "the summary"
	airStepConsent  airStep = "the yes"
)

// flightAgent is a compliant agent with a cooperative user: it asks, reads and sets out whatever a change needs.
type flightAgent struct {
	*driver
	db   map[string]any
	user string  // id
	skip airStep // "" for a compliant conversation
}

// newFlightAgent opens a task; brief is what the user says at first, after their id.
func newFlightAgent(t testing.TB, w *domains.World, db map[string]any, c *guide.Checker, task *domains.Task, user, brief string, skip airStep) *flightAgent {
	t.Helper()
	a := &flightAgent{driver: newDriver(t, w, c, task), db: db, user: user, skip: skip}
	id := "My user id is " + user + ". "
	if skip == airStepIdentify {
		id, brief = "I will not tell you my user id. ", strings.ReplaceAll(brief, user, "…")
	}
	a.driver.user(id + brief)
	if skip != airStepProfile {
		a.call("get_user_details", object("user_id", user))
	}
	return a
}

func (a *flightAgent) at(path ...string) map[string]any {
	m := a.db
	for _, p := range path {
		m, _ = m[p].(map[string]any)
	}
	return m
}

// readAll reads every reservation of the user and the status of each of their flights up to today, which is more than any
// agent would.
func (a *flightAgent) readAll() {
	ids, _ := a.at("users", a.user)["reservations"].([]any)
	for _, id := range ids {
		a.call("get_reservation_details", object("reservation_id", id.(string)))
		for _, f := range a.booked(id.(string)) {
			if f["date"].(string) <= "2024-05-15" {
				a.call("get_flight_status", object("flight_number", f["flight_number"].(string), "date", f["date"].(string)))
			}
		}
	}
}

func (a *flightAgent) booked(reservation string) []map[string]any {
	items, _ := a.at("reservations", reservation)["flights"].([]any)
	return airMaps(items)
}

func airMaps(items []any) []map[string]any {
	var out []map[string]any
	for _, x := range items {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// ground reads what a change names: its reservation, the status of today's flights, and offers for its flights.
func (a *flightAgent) ground(args map[string]any) {
	if a.skip == airStepReads {
		return
	}
	reservation, _ := args["reservation_id"].(string)
	if reservation != "" {
		a.call("get_reservation_details", object("reservation_id", reservation))
		for _, f := range a.booked(reservation) {
			if f["date"] == "2024-05-15" {
				a.call("get_flight_status", object("flight_number", f["flight_number"].(string), "date", f["date"].(string)))
			}
		}
	}
	if _, certificate := args["amount"]; certificate {
		a.readAll()
	}
	items, _ := args["flights"].([]any)
	for _, f := range airMaps(items) {
		number, date := f["flight_number"].(string), f["date"].(string)
		way := a.at("flights", number)
		if way == nil {
			continue
		}
		a.call("search_direct_flight", object("origin", way["origin"].(string), "destination", way["destination"].(string), "date", date))
	}
}

// ask asks what a change needs to know from the user, and the user says it.
func (a *flightAgent) ask(name string, args map[string]any, reason string) {
	switch name {
	case "book_reservation":
		a.agent("Is it one way or a round trip, and from where to where? Who travels, with which dates of birth, and with how many bags? " +
			"Would you like travel insurance for 30 dollars per passenger? How would you like to pay? What is left on a certificate is not refundable.")
		a.driver.user(fmt.Sprintf("%s from %v to %v. %s. I need %v checked bags in all. Insurance: %v.", airSpoken(args["flight_type"]),
			args["origin"], args["destination"], a.names(args, true), args["total_baggages"], args["insurance"]))
	case "update_reservation_baggages":
		a.agent("How many checked bags do you need?")
		a.driver.user(fmt.Sprintf("I need %v checked bags in all.", args["total_baggages"]))
	case "update_reservation_passengers":
		a.agent("Who is to travel, and what are the dates of birth?")
		a.driver.user(a.names(args, true))
	case "cancel_reservation":
		a.agent("For what reason would you like to cancel?")
		a.driver.user(reason)
	}
}

func (a *flightAgent) names(args map[string]any, born bool) string {
	items, _ := args["passengers"].([]any)
	var out []string
	for _, p := range airMaps(items) {
		s := fmt.Sprintf("%v %v", p["first_name"], p["last_name"])
		if born {
			s += fmt.Sprintf(", born on %v", p["dob"])
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// propose sets a change out in plain words and gets the user's yes.
func (a *flightAgent) propose(name string, args map[string]any) {
	if a.skip != airStepSummary {
		a.agent(a.describe(name, args) + " Shall I go ahead?")
	}
	if a.skip == airStepConsent {
		a.driver.user("No, not yet, let me think about it.")
		return
	}
	a.driver.user("Yes, please go ahead.")
}

func (a *flightAgent) describe(name string, args map[string]any) string {
	var b strings.Builder
	switch name {
	case "cancel_reservation":
		fmt.Fprintf(&b, "I am about to cancel reservation %v.", args["reservation_id"])
	case "send_certificate":
		fmt.Fprintf(&b, "I can offer you a certificate of $%v.", args["amount"])
	case "book_reservation":
		fmt.Fprintf(&b, "I will book %s from %v to %v in %s.", airSpoken(args["flight_type"]), args["origin"], args["destination"], airSpoken(args["cabin"]))
	default:
		fmt.Fprintf(&b, "I will change reservation %v.", args["reservation_id"])
	}
	if items, ok := args["flights"].([]any); ok {
		for _, f := range airMaps(items) {
			day, err := time.Parse(time.DateOnly, f["date"].(string))
			if err != nil {
				a.t.Fatal(err)
			}
			fmt.Fprintf(&b, " Flight %v on %s.", f["flight_number"], day.Format("January 2"))
		}
		fmt.Fprintf(&b, " Cabin: %s.", airSpoken(args["cabin"]))
	}
	if names := a.names(args, false); names != "" {
		fmt.Fprintf(&b, " Passengers: %s.", names)
	}
	if n, ok := args["total_baggages"]; ok {
		fmt.Fprintf(&b, " Checked bags: %v, of which %v are charged.", n, args["nonfree_baggages"])
	}
	if args["insurance"] == "yes" {
		b.WriteString(" Travel insurance is included.")
	}
	if id, ok := args["payment_id"].(string); ok {
		fmt.Fprintf(&b, " The difference goes to your %s.", a.methodName(id))
	}
	items, _ := args["payment_methods"].([]any)
	for _, p := range airMaps(items) {
		id, _ := p["payment_id"].(string)
		fmt.Fprintf(&b, " You pay $%v with your %s.", p["amount"], a.methodName(id))
	}
	return b.String()
}

// methodName is what a person calls a payment method.
func (a *flightAgent) methodName(id string) string {
	m := a.at("users", a.user, "payment_methods", id)
	switch m["source"] {
	case "credit_card":
		return fmt.Sprintf("card ending in %v", m["last_four"])
	case nil:
		return id
	}
	return airSpoken(m["source"])
}

func airSpoken(v any) string {
	s, _ := v.(string)
	return strings.ReplaceAll(s, "_", " ")
}

// prepare does everything that a change needs.
func (a *flightAgent) prepare(name string, args value.Value, reason string) {
	m, _ := guide.Native(args).(map[string]any)
	a.ground(m)
	a.ask(name, m, reason)
	a.propose(name, m)
}

// airCaller finds whose task it is: the user that the plan or the calls name, or who owns their reservations.
func airCaller(db map[string]any, actions ...domains.Action) string {
	for _, a := range actions {
		args, _ := guide.Native(a.Arguments).(map[string]any)
		if id, ok := args["user_id"].(string); ok {
			return id
		}
		id, _ := args["reservation_id"].(string)
		if r, ok := db["reservations"].(map[string]any)[id].(map[string]any); ok {
			return r["user_id"].(string)
		}
	}
	return ""
}
