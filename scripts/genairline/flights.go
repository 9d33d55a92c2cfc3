package main

import (
	"fmt"
	"strings"
	"time"
)

// Days of May 2024. Flights are known for the whole month but the 31st.
const (
	today   = 15
	lastDay = 30
	nowMin  = 15 * 60 // minutes after midnight on today
)

// route is a flight in the timetable: airports, Eastern Standard Time, and
// about what a seat in economy costs.
type route struct {
	from, to, departs, arrives string
	fare                       int
}

// timetable lists the flights: spokes around Denver, Chicago and Atlanta, timed
// for changes of plane, and night flights across the continent.
func timetable() []route {
	return []route{
		{"SFO", "DEN", "08:00", "10:35", 148}, {"DEN", "SFO", "19:10", "21:50", 152},
		{"SEA", "DEN", "07:30", "10:20", 139}, {"DEN", "SEA", "18:45", "21:40", 144},
		{"LAX", "DEN", "09:15", "11:40", 131}, {"DEN", "LAX", "12:30", "14:55", 128},
		{"LAS", "DEN", "13:20", "15:10", 97}, {"DEN", "LAS", "20:15", "22:10", 102},
		{"PHX", "DEN", "06:40", "08:30", 104}, {"DEN", "PHX", "16:00", "17:55", 109},
		{"DEN", "MCO", "11:50", "15:20", 187}, {"MCO", "DEN", "13:10", "17:05", 193},
		{"DEN", "BOS", "12:15", "16:10", 204}, {"BOS", "DEN", "14:20", "18:50", 211},
		{"DEN", "PHL", "13:00", "16:40", 183}, {"PHL", "DEN", "06:10", "10:15", 178},
		{"DEN", "ORD", "11:20", "13:50", 122}, {"ORD", "DEN", "15:30", "18:10", 126},
		{"ORD", "JFK", "14:50", "17:00", 133}, {"JFK", "ORD", "11:45", "14:15", 137},
		{"ORD", "LGA", "08:20", "10:25", 129}, {"LGA", "ORD", "17:30", "19:55", 135},
		{"ORD", "MSP", "16:10", "17:40", 92}, {"MSP", "ORD", "09:00", "10:25", 88},
		{"ORD", "DTW", "12:05", "13:20", 81}, {"DTW", "ORD", "10:10", "11:30", 84},
		{"ORD", "IAH", "20:30", "23:10", 141}, {"IAH", "ORD", "06:25", "09:05", 138},
		{"ATL", "MIA", "09:40", "11:35", 106}, {"MIA", "ATL", "12:25", "14:20", 111},
		{"ATL", "DFW", "15:15", "17:35", 124}, {"DFW", "ATL", "07:00", "09:05", 119},
		{"ATL", "EWR", "10:00", "12:10", 134}, {"EWR", "ATL", "13:30", "15:55", 136},
		{"ATL", "CLT", "21:15", "22:30", 79}, {"CLT", "ATL", "06:50", "08:10", 83},
		{"ATL", "MCO", "16:45", "18:10", 91}, {"MCO", "ATL", "19:30", "20:55", 94},
		{"ATL", "ORD", "11:10", "12:55", 117}, {"ORD", "ATL", "14:05", "15:55", 121},
		{"SFO", "JFK", "22:15", "03:45+1", 248}, {"JFK", "SFO", "17:00", "23:20", 256},
		{"LAX", "BOS", "21:40", "03:05+1", 239}, {"BOS", "LAX", "07:45", "14:10", 244},
		{"SEA", "EWR", "22:50", "04:05+1", 233}, {"EWR", "SEA", "18:20", "00:30+1", 236},
		{"LAS", "PHL", "23:05", "03:55+1", 219}, {"PHL", "LAS", "16:05", "21:30", 224},
		{"ORD", "JFK", "07:10", "09:20", 127}, {"ATL", "MIA", "18:30", "20:20", 103},
		{"SFO", "DEN", "15:45", "18:20", 142}, {"DEN", "LAX", "21:00", "23:25", 118},
	}
}

// airlineCode starts every flight number.
const airlineCode = "KST"

func (g *generator) schedule() {
	for i, r := range timetable() {
		f := &flight{
			Number: fmt.Sprintf("%s%d", airlineCode, 101+i), Origin: r.from, Destination: r.to,
			Departure: seconds(r.departs), Arrival: seconds(r.arrives),
		}
		for day := 1; day <= lastDay; day++ {
			f.Dates.put(dateOf(day), g.fly(r, day))
		}
		g.db.Flights.put(f.Number, f)
	}
}

// seconds turns "03:45+1" into "03:45:00+1".
func seconds(clock string) string {
	hm, next, late := strings.Cut(clock, "+")
	if late {
		return hm + ":00+" + next
	}
	return hm + ":00"
}

func dateOf(day int) string { return fmt.Sprintf("2024-05-%02d", day) }

// minutes counts from midnight of the day of departure, for "03:45+1" as for "03:45:00+1".
func minutes(clock string) int {
	var h, m int
	if _, err := fmt.Sscanf(clock, "%d:%d", &h, &m); err != nil {
		return -1
	}
	if strings.HasSuffix(clock, "+1") {
		h += 24
	}
	return h*60 + m
}

// stamp is a moment given by a day of May and minutes after its midnight.
func stamp(day, minute int) string {
	return time.Date(2024, time.May, day, 0, minute, 0, 0, time.UTC).Format("2006-01-02T15:04:05")
}

// fly draws what becomes of the flight on the day, in keeping with the clock.
func (g *generator) fly(r route, day int) *instance {
	leaves, lands := minutes(r.departs), minutes(r.arrives)
	switch {
	case day > today:
		return g.onSale(r.fare)
	case g.chance(0.08):
		return &instance{Status: "cancelled"}
	case day < today:
		late := g.rng.IntN(50) - 10
		return landed(day, leaves+late, lands+late+g.rng.IntN(16)-8)
	case leaves >= nowMin && g.chance(0.35):
		return delayed(day, leaves, lands, 45+5*g.rng.IntN(20))
	case leaves >= nowMin:
		late := g.rng.IntN(12)
		return &instance{Status: "on time", EstimatedDeparture: stamp(day, leaves+late), EstimatedArrival: stamp(day, lands+late)}
	}
	late := g.rng.IntN(14) - 5
	if lands+late < nowMin {
		return landed(day, leaves+late, lands+late)
	}
	return &instance{Status: "flying", ActualDeparture: stamp(day, min(leaves+late, nowMin-2)), EstimatedArrival: stamp(day, max(lands+late, nowMin+4))}
}

func landed(day, left, arrived int) *instance {
	return &instance{Status: "landed", ActualDeparture: stamp(day, left), ActualArrival: stamp(day, arrived)}
}

func delayed(day, leaves, lands, by int) *instance {
	return &instance{Status: "delayed", EstimatedDeparture: stamp(day, leaves+by), EstimatedArrival: stamp(day, lands+by)}
}

// onSale draws seats, now and then none, and prices, dearer with every class.
func (g *generator) onSale(fare int) *instance {
	in := &instance{Status: "available"}
	for i, cabin := range cabins() {
		seats := 1 + g.rng.IntN([]int{18, 18, 10}[i])
		if g.chance(0.07) {
			seats = 0
		}
		in.Seats.put(cabin, seats)
		in.Prices.put(cabin, g.price(fare, cabin))
	}
	return in
}

// price draws the price of a seat; the ranges of the classes do not meet.
func (g *generator) price(fare int, cabin string) int {
	low, high := 88, 128 // percent of the usual fare in economy
	switch cabin {
	case "basic_economy":
		low, high = 48, 72
	case "business":
		low, high = 215, 330
	}
	return fare * (low + g.rng.IntN(high-low+1)) / 100
}

// on finds the n-th flight of the timetable between two airports, written "ATL-MIA", on a day of May.
func (g *generator) on(day int, between string, n int) leg {
	for _, number := range g.db.Flights.keys {
		if f := g.db.Flights.rows[number]; f.Origin+"-"+f.Destination == between {
			if n == 0 {
				return leg{number, dateOf(day)}
			}
			n--
		}
	}
	g.fail(fmt.Errorf("the timetable has no flight %s: add it", between))
	return leg{}
}

// set replaces the state of a flight on a date.
func (g *generator) set(l leg, in *instance) {
	if f, ok := g.db.Flights.get(l.Number); ok {
		f.Dates.put(l.Date, in)
	}
}

// room makes sure that so many seats are left, and returns the price of one.
func (g *generator) room(l leg, cabin string, seats int) int {
	_, in, err := g.db.instance(l)
	if err == nil && in.Status != "available" {
		err = fmt.Errorf("flight %s is not for sale on %s", l.Number, l.Date)
	}
	if err != nil {
		g.fail(err)
		return 0
	}
	in.Seats.put(cabin, max(in.Seats.rows[cabin], seats))
	return in.Prices.rows[cabin]
}
