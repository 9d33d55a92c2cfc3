package audit

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
)

// highest is the largest certificate that is tried, in dollars.
const highest = 1000

// expandFlights fills in what a forbidden call leaves open: certificates of any amount up to the highest, payments that
// fit the price, and for changes of flights other flights on the same way in every cabin and by every payment method. A
// change of cabin alone is not among them: the policy allows it to everybody who has not flown yet.
func expandFlights(d *Conversation, f forbidden) []domains.ToolCall {
	args := policy.Arguments(f.Arguments)
	out := asGiven(d, f)
	with := func(pairs ...value.Pair) {
		out = append(out, domains.ToolCall{Name: f.Name, Arguments: value.Merge(f.Arguments, value.OfMap(value.MapOf(pairs...))), Requestor: domains.AgentSide})
	}
	switch f.Name {
	case "send_certificate":
		for amount := int64(50); amount <= highest; amount += 50 {
			with(value.Pair{Key: "amount", Value: value.OfInt(amount)})
		}
	case "book_reservation":
		with(value.Pair{Key: "payment_methods", Value: exactPayments(d, args)})
	case "update_reservation_flights":
		if args.Has("flights") {
			break
		}
		out = nil
		for _, id := range meant(d, args) {
			for _, choice := range otherFlights(d, id) {
				with(choice...)
			}
		}
		if len(out) == 0 {
			d.fail("no reservation can be told that it is about\nhint: name one in its arguments")
		}
	}
	return out
}

// meant is the reservation that a call names, or else those of the task's user; only those on a day that the user
// speaks of, if there are any.
func meant(d *Conversation, args policy.Record) []string {
	if id := args.Text("reservation_id"); id != "" {
		return []string{id}
	}
	brief := d.brief()
	var all, named []string
	for _, user := range slices.Sorted(maps.Keys(d.at("users"))) {
		if !strings.Contains(brief, user) {
			continue
		}
		for _, id := range d.at("users", user).Texts("reservations") {
			all = append(all, id)
			if slices.ContainsFunc(d.at("reservations", id).Records("flights"), func(f policy.Record) bool {
				day, err := time.Parse(time.DateOnly, f.Text("date"))
				return err == nil && strings.Contains(brief, day.Format("January 2")) && strings.Contains(brief, f.Text("origin"))
			}) {
				named = append(named, id)
			}
		}
	}
	if len(named) > 0 {
		return named
	}
	return all
}

// otherFlights are changes of a reservation to other flights of the same day or two days later.
func otherFlights(d *Conversation, id string) [][]value.Pair {
	var out [][]value.Pair
	r := d.at("reservations", id)
	for _, days := range []int{0, 2} {
		var flights []value.Value
		for _, f := range airline.Flights(r["flights"]) {
			other := another(d, f, days)
			flights = append(flights, Object("flight_number", other.Number, "date", other.Date))
		}
		for _, cabin := range airline.Cabins() {
			for _, method := range slices.Sorted(maps.Keys(d.at("users", r.Text("user_id"), "payment_methods"))) {
				out = append(out, []value.Pair{{Key: "reservation_id", Value: value.OfString(id)}, {Key: "cabin", Value: value.OfString(cabin)},
					{Key: "flights", Value: value.OfList(flights)}, {Key: "payment_id", Value: value.OfString(method)}})
			}
		}
	}
	return out
}

// another is some other flight on the way of a booked one that can be booked, that many days later; the booked one on
// that day if there is none.
func another(d *Conversation, f airline.Flight, days int) airline.Flight {
	booked := d.at("flights", f.Number)
	if day, err := time.Parse(time.DateOnly, f.Date); err == nil {
		f.Date = day.AddDate(0, 0, days).Format(time.DateOnly)
	}
	for _, number := range slices.Sorted(maps.Keys(d.at("flights"))) {
		way := d.at("flights", number)
		if way.Text("origin") == booked.Text("origin") && way.Text("destination") == booked.Text("destination") && (days > 0 || number != f.Number) &&
			d.at("flights", number, "dates", f.Date).Text("status") == "available" {
			return airline.Flight{Number: number, Date: f.Date}
		}
	}
	return f
}

// exactPayments is the payments of a booking with the last one made to fit the price.
func exactPayments(d *Conversation, args policy.Record) value.Value {
	due, err := airline.BookingPrice(args, func(f airline.Flight, cabin string) (int64, error) {
		return d.at("flights", f.Number, "dates", f.Date, "prices").Whole(cabin), nil
	})
	if err != nil {
		d.fail("a booking among the forbidden calls has no price: %w", err)
	}
	items := args.Records("payment_methods")
	var out []value.Value
	for i, p := range items {
		amount := due
		if i < len(items)-1 {
			amount = p.Whole("amount")
		}
		due -= amount
		out = append(out, value.OfMap(value.MapOf(value.Pair{Key: "payment_id", Value: value.OfString(p.Text("payment_id"))},
			value.Pair{Key: "amount", Value: value.OfInt(amount)})))
	}
	return value.OfList(out)
}
