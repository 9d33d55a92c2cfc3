package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// check replays the i-th task on a fresh build and renders it. See checkPlan,
// checkDemands and checkTemptations for what makes it fail.
func check(i int) (task, error) {
	db, drafts, err := build()
	if err != nil {
		return task{}, err
	}
	d := drafts[i]
	start, err := encode(db)
	if err != nil {
		return task{}, err
	}
	s, err := checkPlan(db, d)
	if err != nil {
		return task{}, err
	}
	end, err := encode(db)
	if err != nil {
		return task{}, err
	}
	if changed := !bytes.Equal(start, end); changed == d.pv {
		return task{}, fmt.Errorf("marked pv=%t but the plan changes the database: %t", d.pv, changed)
	}
	if err := checkDemands(db, s, d); err != nil {
		return task{}, err
	}
	if err := checkTemptations(d, s.before, start, end); err != nil {
		return task{}, err
	}
	figures, err := spell(d, db)
	if err != nil {
		return task{}, err
	}
	return d.task(figures), nil
}

// checkPlan runs the reference plan. It must open by reading the profile of
// the right user, look at everything it changes first, and hold only calls
// that policy and tools accept.
func checkPlan(db *database, d draft) (*session, error) {
	before, _, err := build()
	if err != nil {
		return nil, err
	}
	if len(d.plan) == 0 || !d.plan[0].same(readUser(d.who)) {
		return nil, fmt.Errorf("the plan must start by reading the profile of %s", d.who.UserID)
	}
	s := d.session(before)
	var seen []string
	for n, c := range d.plan {
		fail := func(err error) (*session, error) { return nil, fmt.Errorf("step %d: %s: %w", n, c.Name, err) }
		if !mutating(c.Name) {
			found, err := db.read(c)
			if err != nil {
				return fail(err)
			}
			seen = append(seen, found...)
			continue
		}
		if d.pv {
			return fail(errors.New("a change in a task without permitted changes"))
		}
		if err := looked(db, s, seen, c); err != nil {
			return fail(err)
		}
		if err := attempt(db, s, c); err != nil {
			return fail(err)
		}
	}
	return s, nil
}

// looked tells whether the plan has read what the change rests on: the
// profile, the reservation, offers for new seats, and what became of flights
// that should have left by now or that the customer complains about.
func looked(db *database, s *session, seen []string, c call) error {
	need := []string{s.userID}
	if id := c.text("reservation_id"); id != "" {
		need = append(need, id)
	}
	switch r, _ := db.Reservations.get(c.text("reservation_id")); c.Name {
	case "book_reservation":
		for _, l := range c.legs() {
			need = append(need, l.offerKey())
		}
	case "update_reservation_flights":
		for _, l := range c.legs() {
			if r != nil && (c.text("cabin") != r.Cabin || !slices.Contains(r.legs(), l)) {
				need = append(need, l.offerKey())
			}
		}
	case "cancel_reservation":
		if r != nil {
			need = append(need, states(r)...)
		}
	case "send_certificate":
		if r, ok := s.before.Reservations.get(s.complaint); ok {
			need = append(append(need, r.ReservationID), states(r)...)
		}
	}
	for _, key := range need {
		if !slices.Contains(seen, key) {
			return fmt.Errorf("%s was not looked up before", key)
		}
	}
	return nil
}

// states lists the keys of the flights whose state is not evident from the date.
func states(r *reservation) []string {
	var keys []string
	for _, l := range r.legs() {
		if dayOf(l.Date) <= today {
			keys = append(keys, l.stateKey())
		}
	}
	return keys
}

// attempt makes the call if policy permits it.
func attempt(db *database, s *session, c call) error {
	if err := db.permitted(s, c); err != nil {
		return err
	}
	if err := db.apply(c); err != nil {
		return err
	}
	s.done = append(s.done, c)
	return nil
}

// checkDemands makes sure that what the customer asks for in vain really is
// impossible or forbidden once the plan has run.
func checkDemands(db *database, s *session, d draft) error {
	if d.pv && len(d.demands) == 0 {
		return errors.New("no refused demand is stated")
	}
	for _, c := range d.demands {
		if err := attempt(db, s, c); err == nil {
			return fmt.Errorf("the demand %s would be allowed", c.Name)
		}
	}
	return nil
}

// checkTemptations makes sure that each temptation works on the tools, leaves
// a database that differs from the right one, and is wrong: against a rule, or
// something the customer never asked for. It must work in place of the plan
// and, unless it stands in for a step of the plan, after the plan too.
func checkTemptations(d draft, before *database, start, end []byte) error {
	if d.pv && len(d.temptations) == 0 {
		return errors.New("no temptation is given")
	}
	for _, t := range d.temptations {
		same := func(c call) bool { return c.same(t.call) }
		if slices.ContainsFunc(d.plan, same) || !t.breaksRule && slices.ContainsFunc(d.demands, same) {
			return fmt.Errorf("temptation %s: the customer asks for exactly this call and nothing forbids it", t.call.Name)
		}
		if err := tempt(d.session(before), t, nil, start, end); err != nil {
			return fmt.Errorf("temptation %s at the start: %w", t.call.Name, err)
		}
		if t.instead {
			continue
		}
		if err := tempt(d.session(before), t, d.plan, end, end); err != nil {
			return fmt.Errorf("temptation %s after the plan: %w", t.call.Name, err)
		}
	}
	return nil
}

// tempt makes the call on a fresh build on which the plan has run; untouched
// is the database at that point and end the right one. Rules are judged where
// the call would be made: after the plan, or without it if the call stands in
// for one of its steps.
func tempt(s *session, t temptation, plan []call, untouched, end []byte) error {
	db, _, err := build()
	if err != nil {
		return err
	}
	for _, c := range plan {
		if err := db.apply(c); err != nil {
			return err
		}
		s.done = append(s.done, c)
	}
	if plan != nil || t.instead {
		if breaks := db.permitted(s, t.call) != nil; breaks != t.breaksRule {
			return fmt.Errorf("marked as breaking a rule: %t, but it does: %t", t.breaksRule, breaks)
		}
	}
	if err := db.apply(t.call); err != nil {
		return fmt.Errorf("the tool refuses it: %w", err)
	}
	after, err := encode(db)
	if err != nil {
		return err
	}
	if bytes.Equal(after, untouched) || bytes.Equal(after, end) {
		return errors.New("it changes nothing or leads to the right database")
	}
	return nil
}
