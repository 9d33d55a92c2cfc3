package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// The seed is part of the data set: another one gives another airline.
const seedHigh, seedLow = 0x7461756775696465, 5

// generator holds the state of one build. The first failure sticks in err and
// is reported at the end, so that stories read as plain lists.
type generator struct {
	rng    *rand.Rand
	db     *database
	used   map[string]bool
	drafts []draft
	err    error
}

// build makes the database and the unchecked tasks. Every call starts afresh
// and gives equal results, so callers may change what they get.
func build() (*database, []draft, error) {
	g := &generator{rng: rand.New(rand.NewPCG(seedHigh, seedLow)), db: &database{}, used: map[string]bool{}}
	for _, id := range bookingIDs() {
		g.used[id] = true
	}
	g.schedule()
	g.crowd()
	g.stories()
	return g.db, g.drafts, g.err
}

func (g *generator) fail(err error) {
	if g.err == nil {
		g.err = err
	}
}

func (g *generator) chance(p float64) bool { return g.rng.Float64() < p }

func pick[T any](g *generator, from []T) T { return from[g.rng.IntN(len(from))] }

// fresh draws until the result was never drawn before.
func (g *generator) fresh(draw func() string) string {
	for {
		if s := draw(); !g.used[s] {
			g.used[s] = true
			return s
		}
	}
}

// digits draws prefix plus n digits, the first not zero, never the same twice.
func (g *generator) digits(prefix string, n int) string {
	return g.fresh(func() string {
		b := []byte(prefix)
		for i := range n {
			if i == 0 {
				b = append(b, byte('1'+g.rng.IntN(9)))
			} else {
				b = append(b, byte('0'+g.rng.IntN(10)))
			}
		}
		return string(b)
	})
}

// locator draws a reservation id: letters and digits in turn, none that are easily confused.
func (g *generator) locator() string {
	return g.fresh(func() string {
		var b strings.Builder
		for range 3 {
			b.WriteByte("BCDFGHJKLMNPRTVWXZ"[g.rng.IntN(18)])
			b.WriteByte("23456789"[g.rng.IntN(8)])
		}
		return b.String()
	})
}

// born draws a date of birth.
func (g *generator) born() string {
	return fmt.Sprintf("%d-%02d-%02d", 1948+g.rng.IntN(56), 1+g.rng.IntN(12), 1+g.rng.IntN(28))
}

// home draws an address in the given town.
func (g *generator) home(p place) address {
	a := address{
		Address1: fmt.Sprintf("%d %s", 10+g.rng.IntN(980), pick(g, streets())),
		City:     p.city, Country: "USA", State: p.state,
		Zip: fmt.Sprintf("%s%02d", p.zip, 1+g.rng.IntN(98)),
	}
	if !g.chance(0.2) {
		unit := fmt.Sprintf("%s %d", pick(g, unitKinds()), 1+g.rng.IntN(60))
		a.Address2 = &unit
	}
	return a
}

func card(brand, lastFour string) method {
	return method{Source: "credit_card", Brand: brand, LastFour: lastFour}
}

func gift(balance int) method { return method{Source: "gift_card", Amount: &balance} }

func certificate(worth int) method { return method{Source: "certificate", Amount: &worth} }

// customer adds a user with the given payment methods, whose ids are drawn.
func (g *generator) customer(first, last, membership string, at place, methods ...method) *user {
	number := g.digits("", 3+g.rng.IntN(2))
	u := &user{
		UserID:  fmt.Sprintf("%s-%s-%s", strings.ToLower(last), strings.ToLower(first), number),
		Name:    fullName{first, last},
		Address: g.home(at),
		Email:   fmt.Sprintf("%s.%s%s@example.net", strings.ToLower(first), strings.ToLower(last), number),
		DOB:     g.born(), Membership: membership,
		SavedPassengers: []passenger{}, Reservations: []string{},
	}
	for _, m := range methods {
		m.ID = g.digits(map[string]string{"credit_card": "card-", "gift_card": "gift-", "certificate": "cert-"}[m.Source], 5)
		u.PaymentMethods.put(m.ID, &m)
	}
	g.db.Users.put(u.UserID, u)
	return u
}

// save adds people to the user's saved passengers and returns the user followed by them.
func (g *generator) save(u *user, others ...fullName) []passenger {
	out := []passenger{u.self()}
	for _, n := range others {
		p := g.person(n.First, n.Last)
		u.SavedPassengers = append(u.SavedPassengers, p)
		out = append(out, p)
	}
	return out
}

func (g *generator) person(first, last string) passenger { return passenger{first, last, g.born()} }

func (u *user) self() passenger { return passenger{u.Name.First, u.Name.Last, u.DOB} }

// pay is the id of the user's n-th payment method.
func (u *user) pay(n int) string { return u.PaymentMethods.keys[n] }

// trip is what a reservation is made of.
type trip struct {
	kind, cabin string // flight type and class
	legs        []leg
	prices      []int // what a passenger paid for each leg
	who         []passenger
	bags        int
	insured     bool
	created     string
	parts       []payment // amounts paid with particular methods
	rest        string    // the method that paid the rest
}

// reserve adds a reservation that was paid in full when it was made.
func (g *generator) reserve(u *user, t trip) *reservation {
	r := &reservation{
		ReservationID: g.locator(), UserID: u.UserID, FlightType: t.kind, Cabin: t.cabin,
		Passengers: slices.Clone(t.who), PaymentHistory: slices.Clone(t.parts),
		CreatedAt: t.created, Bags: t.bags, Insurance: "no",
	}
	for i, l := range t.legs {
		f, ok := g.db.Flights.get(l.Number)
		if !ok || len(t.prices) != len(t.legs) {
			g.fail(fmt.Errorf("reservation %s: no flight %q or not one price per flight", r.ReservationID, l.Number))
			return r
		}
		r.Flights = append(r.Flights, segment{f.Number, f.Origin, f.Destination, l.Date, t.prices[i]})
	}
	r.Origin, r.Destination = r.Flights[0].Origin, r.Flights[len(t.legs)-1].Destination
	if t.kind == "round_trip" {
		// All round trips have as many flights out as back.
		r.Destination = r.Flights[len(t.legs)/2].Origin
	}
	r.PaidBags = max(0, t.bags-freeBags(u.Membership, t.cabin)*len(t.who))
	total := r.fare()*len(t.who) + bagPrice*r.PaidBags
	if t.insured {
		r.Insurance = "yes"
		total += insurancePrice * len(t.who)
	}
	if left := total - r.paid(); left > 0 {
		r.PaymentHistory = append(r.PaymentHistory, payment{t.rest, left})
	} else {
		g.fail(fmt.Errorf("reservation %s: the parts exceed the price of %d", r.ReservationID, total))
	}
	u.Reservations = append(u.Reservations, r.ReservationID)
	g.db.Reservations.put(r.ReservationID, r)
	return r
}
