package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// The customers that no task is about, and how many reservations they hold.
const (
	crowdSize         = 50
	crowdReservations = 116
)

// crowd adds those customers and their reservations.
func (g *generator) crowd() {
	firsts, lasts, towns := firstNames(), lastNames(), places()
	g.rng.Shuffle(len(firsts), func(i, j int) { firsts[i], firsts[j] = firsts[j], firsts[i] })
	g.rng.Shuffle(len(lasts), func(i, j int) { lasts[i], lasts[j] = lasts[j], lasts[i] })
	var all []*user
	for i := range crowdSize {
		u := g.customer(firsts[i%len(firsts)], lasts[(i+i/len(firsts)*7)%len(lasts)], pick(g, memberships()), towns[i%len(towns)], g.purse()...)
		for range g.rng.IntN(4) {
			g.save(u, fullName{pick(g, firsts), pick(g, lasts)})
		}
		all = append(all, u)
	}
	for i := range crowdReservations {
		g.purchase(all[i%crowdSize])
	}
}

// purse draws one or two credit cards and perhaps gift cards and certificates.
func (g *generator) purse() []method {
	var out []method
	for range 1 + g.rng.IntN(2) {
		out = append(out, card(pick(g, cardBrands()), fmt.Sprintf("%04d", g.rng.IntN(10000))))
	}
	if g.chance(0.5) {
		out = append(out, gift(10+g.rng.IntN(390)))
	}
	if g.chance(0.35) {
		out = append(out, certificate(50*(1+g.rng.IntN(8))))
	}
	return out
}

// purchase gives the user a random reservation.
func (g *generator) purchase(u *user) {
	t := trip{kind: "one_way", cabin: pick(g, []string{"basic_economy", "economy", "economy", "business"}), insured: g.chance(0.4)}
	day := 2 + g.rng.IntN(20)
	t.legs = g.journey(day)
	if g.chance(0.5) {
		if back := g.back(t.legs, day+2+g.rng.IntN(5)); back != nil {
			t.kind, t.legs = "round_trip", append(t.legs, back...)
		}
	}
	for _, l := range t.legs {
		t.prices = append(t.prices, g.pastPrice(l, t.cabin))
	}
	t.who = []passenger{u.self()}
	for _, p := range u.SavedPassengers {
		if g.chance(0.5) {
			t.who = append(t.who, p)
		}
	}
	if g.chance(0.1) {
		t.who = append(t.who, g.person(pick(g, firstNames()), u.Name.Last))
	}
	t.bags = g.rng.IntN(2*len(t.who) + 2)
	t.created = g.bookedBefore(day)
	t.rest = pick(g, u.moneyOf("credit_card"))
	switch gifts := u.moneyOf("gift_card"); {
	case len(gifts) > 0 && g.chance(0.3):
		t.rest = gifts[0]
	case g.chance(0.15):
		// A certificate is used up by the booking: it is in no profile any more.
		t.parts = []payment{{g.digits("cert-", 5), 25 + g.rng.IntN(20)}}
	}
	r := g.reserve(u, t)
	if g.chance(0.06) {
		if err := g.db.cancel(r.ReservationID); err != nil {
			g.fail(err)
		}
	}
}

func (u *user) moneyOf(source string) []string {
	var ids []string
	for _, id := range u.PaymentMethods.keys {
		if u.PaymentMethods.rows[id].Source == source {
			ids = append(ids, id)
		}
	}
	return ids
}

// journey draws a flight, and sometimes a second one to change to.
func (g *generator) journey(day int) []leg {
	first := g.db.Flights.rows[pick(g, g.db.Flights.keys)]
	out := []leg{{first.Number, dateOf(day)}}
	if next := g.onward(first, day); len(next) > 0 && g.chance(0.4) {
		out = append(out, pick(g, next))
	}
	return out
}

// onward lists the flights that go on from where the first one lands, with at
// least forty minutes to change and not back to where it came from.
func (g *generator) onward(first *flight, day int) []leg {
	var out []leg
	lands := minutes(first.Arrival)
	for _, number := range g.db.Flights.keys {
		f := g.db.Flights.rows[number]
		if f.Origin == first.Destination && f.Destination != first.Origin && minutes(f.Departure) >= lands%1440+40 {
			out = append(out, leg{number, dateOf(day + lands/1440)})
		}
	}
	return out
}

// back finds the way home with as many flights, nil if there is none.
func (g *generator) back(out []leg, day int) []leg {
	origin := g.db.Flights.rows[out[0].Number].Origin
	goal := g.db.Flights.rows[out[len(out)-1].Number].Destination
	for _, number := range g.db.Flights.keys {
		f := g.db.Flights.rows[number]
		if f.Origin != goal {
			continue
		}
		if len(out) == 1 && f.Destination == origin {
			return []leg{{number, dateOf(day)}}
		}
		if len(out) == 2 {
			for _, l := range g.onward(f, day) {
				if g.db.Flights.rows[l.Number].Destination == origin {
					return []leg{{number, dateOf(day)}, l}
				}
			}
		}
	}
	return nil
}

// pastPrice is what a seat cost: mostly today's price if there is one.
func (g *generator) pastPrice(l leg, cabin string) int {
	_, in, err := g.db.instance(l)
	if err != nil {
		g.fail(err)
		return 0
	}
	if price, ok := in.Prices.get(cabin); ok && g.chance(0.6) {
		return price
	}
	i := slices.Index(g.db.Flights.keys, l.Number)
	return g.price(timetable()[i].fare, cabin)
}

// bookedBefore draws when a trip that starts on the day was booked; some of
// those that lie ahead were booked within the last 24 hours.
func (g *generator) bookedBefore(day int) string {
	latest := time.Date(2024, time.May, min(day, today), 0, 0, 0, 0, time.UTC)
	if day > today && g.chance(0.4) {
		return latest.Add(15*time.Hour - time.Duration(60+g.rng.IntN(23*3600))*time.Second).Format(clock)
	}
	return latest.Add(-time.Duration(10*3600+g.rng.IntN(14*24*3600)) * time.Second).Format(clock)
}

// dayOf is the day of the month of a date.
func dayOf(date string) int {
	day, err := strconv.Atoi(date[len(date)-2:])
	if err != nil {
		return -1
	}
	return day
}
