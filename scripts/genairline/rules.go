package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Limits of the policy.
const (
	maxPassengers   = 5
	maxCertificates = 1
	maxCreditCards  = 1
	maxGiftCards    = 3
	graceHours      = 24
	perCancelled    = 100 // dollars of compensation per passenger
	perDelayed      = 50
)

const clock = "2006-01-02T15:04:05"

// freeBags is the number of checked bags that each passenger takes along for nothing.
func freeBags(membership, cabin string) int {
	return slices.Index(memberships(), membership) + slices.Index(cabins(), cabin)
}

// Reasons for a cancellation that travel insurance covers.
const (
	health  = "health"
	weather = "weather"
)

// session is what an agent knows in a conversation besides the database.
type session struct {
	userID    string
	reasons   map[string]string // reservation id to the customer's reason for cancelling it
	complaint string            // reservation for whose flights the customer asked to be compensated
	before    *database         // the state when the conversation began
	done      []call            // changes made so far
}

func (d draft) session(before *database) *session {
	return &session{userID: d.who.UserID, reasons: d.reasons, complaint: d.complaint, before: before}
}

// permitted tells whether the airline's policy lets an agent make the call. It
// changes nothing. The rules are those of policy.md that go beyond what the
// tools enforce; what a tool refuses is tried separately (see attempt).
// Whether the customer confirmed the call is not judged here.
func (d *database) permitted(s *session, c call) error {
	switch {
	case !mutating(c.Name):
		_, err := d.read(c)
		return err
	case c.Name == "book_reservation" || c.Name == "send_certificate":
		u, err := d.user(c.text("user_id"))
		if err != nil {
			return err
		}
		if u.UserID != s.userID {
			return errors.New("the profile belongs to another customer")
		}
		if c.Name == "book_reservation" {
			return d.mayBook(u, c)
		}
		return s.mayCompensate(u, c.number("amount"))
	}
	r, err := d.reservation(c.text("reservation_id"))
	if err != nil {
		return err
	}
	if r.UserID != s.userID {
		return errors.New("the reservation belongs to another customer")
	}
	if r.Status == "cancelled" {
		return errors.New("the reservation is cancelled")
	}
	switch c.Name {
	case "cancel_reservation":
		return d.mayCancel(r, s.reasons[r.ReservationID])
	case "update_reservation_flights":
		return d.mayReroute(r, c.text("cabin"), c.legs())
	case "update_reservation_baggages":
		if c.number("total_baggages") < r.Bags {
			return errors.New("checked bags cannot be taken off")
		}
		return d.bagsFit(s.userID, r.Cabin, len(r.Passengers), c)
	}
	return nil
}

// bagsFit checks that exactly the bags beyond the allowance are charged.
func (d *database) bagsFit(userID, cabin string, passengers int, c call) error {
	u, err := d.user(userID)
	if err != nil {
		return err
	}
	free := freeBags(u.Membership, cabin) * passengers
	if want := max(0, c.number("total_baggages")-free); c.number("nonfree_baggages") != want {
		return fmt.Errorf("%d bags are charged, the allowance leaves %d", c.number("nonfree_baggages"), want)
	}
	return nil
}

func (d *database) mayBook(u *user, c call) error {
	if n := len(c.passengers()); n == 0 || n > maxPassengers {
		return fmt.Errorf("%d passengers in one reservation", n)
	}
	used := map[string]int{}
	for _, p := range argument[[]payment](c, "payment_methods") {
		m, ok := u.PaymentMethods.get(p.PaymentID)
		if !ok {
			return fmt.Errorf("payment method %s is not in the profile", p.PaymentID)
		}
		used[m.Source]++
	}
	if used["certificate"] > maxCertificates || used["credit_card"] > maxCreditCards || used["gift_card"] > maxGiftCards {
		return fmt.Errorf("too many payment methods of a kind: %v", used)
	}
	if err := d.leads(c.text("origin"), c.text("destination"), c.text("flight_type"), c.legs()); err != nil {
		return err
	}
	return d.bagsFit(u.UserID, c.text("cabin"), len(c.passengers()), c)
}

// leads checks that the flights follow one another from the origin to the
// destination and, on a round trip, back.
func (d *database) leads(origin, destination, kind string, legs []leg) error {
	at, ready, reached := origin, -1, false
	for _, l := range legs {
		f, _, err := d.instance(l)
		if err != nil {
			return err
		}
		leaves := dayOf(l.Date)*1440 + minutes(f.Departure)
		if f.Origin != at || leaves < ready {
			return fmt.Errorf("flight %s on %s does not follow on", l.Number, l.Date)
		}
		at, ready = f.Destination, dayOf(l.Date)*1440+minutes(f.Arrival)
		reached = reached || at == destination
	}
	end := destination
	if kind == "round_trip" {
		end = origin
	}
	if !reached || at != end {
		return fmt.Errorf("the flights are no %s trip from %s to %s", kind, origin, destination)
	}
	return nil
}

// has tells whether any flight of the reservation is in one of the states.
func (d *database) has(r *reservation, states ...string) bool {
	return slices.ContainsFunc(r.legs(), func(l leg) bool {
		_, in, err := d.instance(l)
		return err == nil && slices.Contains(states, in.Status)
	})
}

func (d *database) flown(r *reservation) bool { return d.has(r, "landed", "flying") }

func (d *database) mayCancel(r *reservation, reason string) error {
	if reason == "" {
		return errors.New("the customer has not given a reason for cancelling")
	}
	if d.flown(r) {
		return errors.New("part of the trip has been flown")
	}
	created, err := time.Parse(clock, r.CreatedAt)
	if err != nil {
		return err
	}
	at, err := time.Parse(clock, now)
	if err != nil {
		return err
	}
	covered := r.Insurance == "yes" && (reason == health || reason == weather)
	if at.Sub(created) <= graceHours*time.Hour || d.has(r, "cancelled") || r.Cabin == "business" || covered {
		return nil
	}
	return errors.New("no condition for a cancellation is met")
}

func (d *database) mayReroute(r *reservation, cabin string, legs []leg) error {
	if cabin != r.Cabin && d.flown(r) {
		return errors.New("the cabin cannot change: part of the trip has been flown")
	}
	if slices.Equal(legs, r.legs()) {
		return nil
	}
	if r.Cabin == "basic_economy" {
		return errors.New("basic economy flights cannot be changed")
	}
	return d.leads(r.Origin, r.Destination, r.FlightType, legs)
}

// mayCompensate judges by the reservation as it was when the customer called.
func (s *session) mayCompensate(u *user, amount int) error {
	if s.complaint == "" {
		return errors.New("nobody asked for a compensation")
	}
	r, err := s.before.reservation(s.complaint)
	if err != nil {
		return err
	}
	if u.Membership == "regular" && r.Insurance == "no" && r.Cabin != "business" {
		return errors.New("the customer is not entitled to a compensation")
	}
	settled := func(c call) bool {
		return c.text("reservation_id") == r.ReservationID &&
			(c.Name == "cancel_reservation" || c.Name == "update_reservation_flights")
	}
	paid := func(c call) bool { return c.Name == "send_certificate" }
	n := len(r.Passengers)
	byCancellation := s.before.has(r, "cancelled") && amount == n*perCancelled
	byDelay := s.before.has(r, "delayed") && slices.ContainsFunc(s.done, settled) && amount == n*perDelayed
	if !byCancellation && !byDelay {
		return fmt.Errorf("no rule grants a certificate of %d", amount)
	}
	if slices.ContainsFunc(s.done, paid) {
		return errors.New("a certificate has been sent already")
	}
	return nil
}
