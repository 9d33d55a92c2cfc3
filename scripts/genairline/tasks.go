package main

import (
	"fmt"
	"strconv"
	"strings"
)

// draft is a task together with what the generator needs to prove it sound.
type draft struct {
	id       string
	test     bool // belongs to the test split
	pv       bool // the right outcome leaves the database alone
	who      *user
	purpose  string
	policies string
	notes    string

	persona string
	reason  string
	known   string
	unknown string
	conduct string

	reasons   map[string]string // reservation id to the reason given for cancelling it
	complaint string            // reservation for which a compensation is asked

	plan        []call
	demands     []call // asked for by the customer and to be refused
	temptations []temptation
	figures     func(*database) []int // amounts the agent has to tell, read after the plan
}

// temptation is a wrong call that the tools would carry out. breaksRule tells
// a call that the policy forbids as such from one that stands in for a refused
// request and that the customer never asked for. instead marks a call that
// takes the place of a step of the plan, so that it cannot follow the plan.
type temptation struct {
	call       call
	breaksRule bool
	instead    bool
}

type task struct {
	ID          string      `json:"id"`
	Description description `json:"description"`
	Scenario    scenario    `json:"user_scenario"`
	Initial     *struct{}   `json:"initial_state"`
	Criteria    criteria    `json:"evaluation_criteria"`
	Temptation  []call      `json:"temptation,omitempty"`
}

type description struct {
	Purpose  string  `json:"purpose"`
	Policies string  `json:"relevant_policies"`
	Notes    *string `json:"notes"`
}

type scenario struct {
	Persona      *string      `json:"persona"`
	Instructions instructions `json:"instructions"`
}

type instructions struct {
	Domain  string  `json:"domain"`
	Reason  string  `json:"reason_for_call"`
	Known   string  `json:"known_info"`
	Unknown *string `json:"unknown_info"`
	Conduct string  `json:"task_instructions"`
}

type criteria struct {
	Actions     []action `json:"actions"`
	Communicate []string `json:"communicate_info"`
	Assertions  []string `json:"nl_assertions"`
	Basis       []string `json:"reward_basis"`
}

type action struct {
	ID string `json:"action_id"`
	call
	Info      *string `json:"info"`
	Requestor string  `json:"requestor"`
}

// task renders the draft with the figures that the agent must state.
func (d draft) task(figures []string) task {
	t := task{
		ID:          d.id,
		Description: description{d.purpose, d.policies, orNull(d.notes)},
		Scenario: scenario{orNull(d.persona), instructions{
			Domain: "airline", Reason: d.reason, Known: d.known, Unknown: orNull(d.unknown), Conduct: d.conduct,
		}},
		Criteria: criteria{Communicate: figures, Basis: []string{"DB", "COMMUNICATE"}},
	}
	for n, c := range d.plan {
		t.Criteria.Actions = append(t.Criteria.Actions, action{ID: fmt.Sprintf("%s/%d", d.id, n), call: c, Requestor: "assistant"})
	}
	for _, c := range d.temptations {
		t.Temptation = append(t.Temptation, c.call)
	}
	return t
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// spell writes the figures of the task. A figure of one digit would be found
// in almost any message, and one that the customer names proves nothing.
func spell(d draft, db *database) ([]string, error) {
	out := []string{}
	if d.figures == nil {
		return out, nil
	}
	told := strings.Join([]string{d.persona, d.reason, d.known, d.unknown, d.conduct}, "\n")
	for _, f := range d.figures(db) {
		s := strconv.Itoa(f)
		if f < 10 {
			return nil, fmt.Errorf("the figure %s is too short to be looked for: change the amounts", s)
		}
		if strings.Contains(told, s) {
			return nil, fmt.Errorf("the figure %s occurs in what the customer says: change the amounts", s)
		}
		out = append(out, s)
	}
	return out, nil
}

// stories adds the tasks and the customers and reservations they are about.
// The two kinds alternate, so that any prefix of the list holds both.
func (g *generator) stories() {
	g.oneStopOneCertificate()
	g.changeOfPlan()
	g.cancelYoungKeepOld()
	g.basicEconomyOtherDay()
	g.delayedTonight()
	g.certificateForRegular()
	g.outOfBasic()
	g.sixInOneBooking()
	g.swapTraveller()
	g.insuranceAfterwards()
	g.insuredAndIll()
	g.partlyFlown()
	g.cancelledOutbound()
	g.onePassengerLess()
}

func (g *generator) add(d draft) { g.drafts = append(g.drafts, d) }

func readUser(u *user) call { return do("get_user_details", "user_id", u.UserID) }

func readReservation(r *reservation) call {
	return do("get_reservation_details", "reservation_id", r.ReservationID)
}

func readStatus(l leg) call {
	return do("get_flight_status", "flight_number", l.Number, "date", l.Date)
}

func searchDirect(origin, destination string, day int) call {
	return do("search_direct_flight", "origin", origin, "destination", destination, "date", dateOf(day))
}

func searchOneStop(origin, destination string, day int) call {
	return do("search_onestop_flight", "origin", origin, "destination", destination, "date", dateOf(day))
}

func cancelCall(r *reservation) call {
	return do("cancel_reservation", "reservation_id", r.ReservationID)
}

func certificateCall(u *user, amount int) call {
	return do("send_certificate", "user_id", u.UserID, "amount", amount)
}

func bagsCall(r *reservation, total, paid int, methodID string) call {
	return do("update_reservation_baggages", "reservation_id", r.ReservationID,
		"total_baggages", total, "nonfree_baggages", paid, "payment_id", methodID)
}

func flightsCall(r *reservation, cabin, methodID string, legs ...leg) call {
	return do("update_reservation_flights", "reservation_id", r.ReservationID, "cabin", cabin, "flights", legs, "payment_id", methodID)
}

func passengersCall(r *reservation, who ...passenger) call {
	return do("update_reservation_passengers", "reservation_id", r.ReservationID, "passengers", who)
}

// order is a booking; the method rest pays what the parts leave of the price.
type order struct {
	trip
	origin, destination string
	paidBags            int
}

func (g *generator) bookCall(u *user, o order) call {
	total := bagPrice * o.paidBags
	insurance := "no"
	if o.insured {
		insurance = "yes"
		total += insurancePrice * len(o.who)
	}
	for _, l := range o.legs {
		total += g.room(l, o.cabin, len(o.who)) * len(o.who)
	}
	payments := append([]payment{}, o.parts...)
	for _, p := range payments {
		total -= p.Amount
	}
	payments = append(payments, payment{o.rest, total})
	return do("book_reservation", "user_id", u.UserID, "origin", o.origin, "destination", o.destination,
		"flight_type", o.kind, "cabin", o.cabin, "flights", o.legs, "passengers", o.who,
		"payment_methods", payments, "total_baggages", o.bags, "nonfree_baggages", o.paidBags, "insurance", insurance)
}

// introduce states who the customer is.
func introduce(u *user) string {
	return fmt.Sprintf("Your name is %s %s and your user id is %s.", u.Name.First, u.Name.Last, u.UserID)
}

// spoken names a passenger as a customer would.
func (p passenger) spoken() string { return p.First + " " + p.Last + ", born on " + p.DOB }

func spokenList(people []passenger) string {
	parts := make([]string, 0, len(people))
	for _, p := range people {
		parts = append(parts, p.spoken())
	}
	return strings.Join(parts, "; ")
}
