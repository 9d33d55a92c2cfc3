package audit

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// highest is the largest certificate that is tried, in dollars.
const highest = 1000

// expandFlights fills in what a forbidden call leaves open: certificates of any amount up to the highest, payments that
// fit the price, and for changes of flights other flights on the same way in every cabin and by every payment method. A
// change of cabin alone is not among them: the policy allows it to everybody who has not flown yet.
func expandFlights(d *desk, f forbidden) []domains.ToolCall {
	args, _ := f.Arguments.Map()
	out := asGiven(d, f)
	with := func(pairs ...value.Pair) {
		m := &value.Map{}
		for k, v := range args.All() {
			m.Set(k, v)
		}
		for _, p := range pairs {
			m.Set(p.Key, p.Value)
		}
		out = append(out, domains.ToolCall{Name: f.Name, Arguments: value.OfMap(m), Requestor: domains.AgentSide})
	}
	switch f.Name {
	case "send_certificate":
		for amount := int64(50); amount <= highest; amount += 50 {
			with(value.Pair{Key: "amount", Value: value.OfInt(amount)})
		}
	case "book_reservation":
		with(value.Pair{Key: "payment_methods", Value: exactPayments(d, native(f.Arguments))})
	case "update_reservation_flights":
		if _, complete := args.Get("flights"); complete {
			break
		}
		out = nil
		for _, id := range meant(d, native(f.Arguments)) {
			for _, choice := range otherFlights(d, id) {
				with(choice...)
			}
		}
		if len(out) == 0 {
			d.fail("no reservation can be told that it is about: name one in its arguments")
		}
	}
	return out
}

// meant is the reservation that a call names, or else those of the task's user; only those on a day that the user
// speaks of, if there are any.
func meant(d *desk, args map[string]any) []string {
	if id := str(args, "reservation_id"); id != "" {
		return []string{id}
	}
	brief := d.brief()
	var all, named []string
	for _, user := range slices.Sorted(maps.Keys(d.at("users"))) {
		if !strings.Contains(brief, user) {
			continue
		}
		for _, id := range texts(d.at("users", user)["reservations"]) {
			all = append(all, id)
			if slices.ContainsFunc(records(d.at("reservations", id)["flights"]), func(f map[string]any) bool {
				day, err := time.Parse(time.DateOnly, str(f, "date"))
				return err == nil && strings.Contains(brief, day.Format("January 2")) && strings.Contains(brief, str(f, "origin"))
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
func otherFlights(d *desk, id string) [][]value.Pair {
	var out [][]value.Pair
	r := d.at("reservations", id)
	for _, days := range []int{0, 2} {
		var flights []value.Value
		for _, f := range records(r["flights"]) {
			flights = append(flights, another(d, f, days))
		}
		for _, cabin := range []string{"basic_economy", "economy", "business"} {
			for _, method := range slices.Sorted(maps.Keys(d.at("users", str(r, "user_id"), "payment_methods"))) {
				out = append(out, []value.Pair{{Key: "reservation_id", Value: value.OfString(id)}, {Key: "cabin", Value: value.OfString(cabin)},
					{Key: "flights", Value: value.OfList(flights)}, {Key: "payment_id", Value: value.OfString(method)}})
			}
		}
	}
	return out
}

// another is some other flight on the way of a booked one that can be booked, that many days later; the booked one if
// there is none.
func another(d *desk, f map[string]any, days int) value.Value {
	number, date := str(f, "flight_number"), str(f, "date")
	if day, err := time.Parse(time.DateOnly, date); err == nil {
		date = day.AddDate(0, 0, days).Format(time.DateOnly)
	}
	for _, other := range slices.Sorted(maps.Keys(d.at("flights"))) {
		way := d.at("flights", other)
		if way["origin"] == f["origin"] && way["destination"] == f["destination"] && (days > 0 || other != number) &&
			d.at("flights", other, "dates", date)["status"] == "available" {
			return object("flight_number", other, "date", date)
		}
	}
	return object("flight_number", number, "date", date)
}

// exactPayments is the payments of a booking with the last one made to fit the price.
func exactPayments(d *desk, args map[string]any) value.Value {
	whole := func(v any) int64 {
		n, ok := v.(int64)
		if !ok {
			d.fail("a booking among the forbidden calls has %v where a whole number is wanted", v)
		}
		return n
	}
	heads := int64(len(records(args["passengers"])))
	due := 50 * whole(args["nonfree_baggages"])
	if args["insurance"] == "yes" {
		due += 30 * heads
	}
	for _, f := range records(args["flights"]) {
		due += heads * whole(d.at("flights", str(f, "flight_number"), "dates", str(f, "date"), "prices")[str(args, "cabin")])
	}
	items := records(args["payment_methods"])
	var out []value.Value
	for i, p := range items {
		amount := due
		if i < len(items)-1 {
			amount = whole(p["amount"])
		}
		due -= amount
		out = append(out, value.OfMap(value.MapOf(value.Pair{Key: "payment_id", Value: value.OfString(str(p, "payment_id"))},
			value.Pair{Key: "amount", Value: value.OfInt(amount)})))
	}
	return value.OfList(out)
}
