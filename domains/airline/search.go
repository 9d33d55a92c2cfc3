package airline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// connections is the type of one result of the search with one stop: first and second flight.
var connections = record.ListOf(directType)

// search returns the flights between two airports that take bookings on a date, in the order of the database; null is
// any airport. Departures before leaveAfter are left out by comparing texts, so that one at 23:00:00 is after an
// arrival at 01:30:00+1. A date of a type that cannot be looked up fails at the first flight between the airports,
// and so not if there is none.
func search(db *DB, date, origin, destination value.Value, leaveAfter string) ([]*DirectFlight, error) {
	key, ok, keyErr := toolkit.Key(date)
	var out []*DirectFlight
	for _, f := range db.Flights.All() {
		if !isAt(origin, f.Origin) || !isAt(destination, f.Destination) {
			continue
		}
		if keyErr != nil {
			return nil, keyErr
		}
		if !ok {
			continue
		}
		d := f.Dates.Get(key)
		if d == nil || d.Status != "available" || f.Departure < leaveAfter {
			continue
		}
		out = append(out, &DirectFlight{FlightNumber: f.FlightNumber, Origin: f.Origin, Destination: f.Destination,
			Status: d.Status, Departure: f.Departure, Arrival: f.Arrival, Seats: d.Seats, Prices: d.Prices})
	}
	return out, nil
}

func isAt(want value.Value, airport string) bool {
	s, ok := want.Text()
	return want.IsNull() || (ok && s == airport)
}

func searchDirect(db *DB, a toolkit.Args) (toolkit.Result, error) {
	found, err := search(db, a.Get("date"), a.Get("origin"), a.Get("destination"), "")
	if err != nil {
		return nil, err
	}
	return toolkit.ShowAll(directType, found)
}

func searchOneStop(db *DB, a toolkit.Args) (toolkit.Result, error) {
	date := a.Get("date")
	firsts, err := search(db, date, a.Get("origin"), value.Value{}, "")
	if err != nil {
		return nil, err
	}
	var pairs []*[]DirectFlight
	for _, first := range firsts {
		first.Date = textOf(date)
		onward := date
		if strings.Contains(first.Arrival, "+1") {
			if onward, err = dayAfter(date.Str()); err != nil {
				return nil, err
			}
		}
		seconds, err := search(db, onward, value.OfString(first.Destination), a.Get("destination"), first.Arrival)
		if err != nil {
			return nil, err
		}
		for _, second := range seconds {
			second.Date = textOf(onward)
			pairs = append(pairs, &[]DirectFlight{*first, *second})
		}
	}
	return toolkit.ShowAll(connections, pairs)
}

func textOf(v value.Value) *string {
	s := v.Str()
	return &s
}

// dayAfter is the date on which the reference looks for flights after an arrival on the next day: the number in the
// date's last two characters plus one, always in May 2024 and without a leading zero. The day after 2024-05-08 is
// therefore 2024-05-9, on which nothing flies.
func dayAfter(date string) (value.Value, error) {
	last := []rune(date)
	day := string(last[max(0, len(last)-2):])
	n, err := strconv.Atoi(strings.TrimSpace(day))
	if err != nil {
		return value.Value{}, domains.Refuse("invalid literal for int() with base 10: %s", value.StringRepr(day))
	}
	return value.OfString(fmt.Sprintf("2024-05-%d", n+1)), nil
}

// airports is the fixed list of the airports that are served.
var airports = []*Airport{
	{"SFO", "San Francisco"}, {"JFK", "New York"}, {"LAX", "Los Angeles"}, {"ORD", "Chicago"}, {"DFW", "Dallas"},
	{"DEN", "Denver"}, {"SEA", "Seattle"}, {"ATL", "Atlanta"}, {"MIA", "Miami"}, {"BOS", "Boston"},
	{"PHX", "Phoenix"}, {"IAH", "Houston"}, {"LAS", "Las Vegas"}, {"MCO", "Orlando"}, {"EWR", "Newark"},
	{"CLT", "Charlotte"}, {"MSP", "Minneapolis"}, {"DTW", "Detroit"}, {"PHL", "Philadelphia"}, {"LGA", "LaGuardia"},
}
