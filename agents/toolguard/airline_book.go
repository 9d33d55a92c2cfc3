package toolguard

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// The checks of bookings.

func knownTraveller(m *moment) string {
	id := m.args.text("user_id")
	if u := m.booker(); id == "" || u.text("user_id") != id {
		return fmt.Sprintf("There is no user %q. Look the user's profile up by the id that the user gave.", id)
	}
	for _, k := range []string{"origin", "destination", "flight_type"} {
		if m.args.text(k) == "" {
			return "The booking lacks " + k + ". Ask the user for it."
		}
	}
	if m.set.opts.History && !heard(m.set.talk, id) {
		return "The user id has to come from the user, and the profile has to be read with get_user_details before anything is booked."
	}
	return ""
}

// heard reports whether a conversation mentions a user id in a text and reads the profile under it.
func heard(talk []domains.Message, id string) bool {
	said, read := false, false
	for _, msg := range talk {
		if msg.Role == domains.RoleUser || msg.Role == domains.RoleAssistant {
			said = said || strings.Contains(msg.TextOf(), id)
		}
		for _, c := range msg.ToolCalls {
			read = read || msg.Role == domains.RoleAssistant && c.Name == readUser && (record{c.Arguments}).text("user_id") == id
		}
	}
	return said && read
}

func flightsAvailable(m *moment) string { return m.allAvailable(m.wanted()) }

func (m *moment) allAvailable(list []leg) string {
	for _, l := range list {
		switch s := m.status(l); s {
		case "available":
		case "":
			return fmt.Sprintf("There is no flight %s.", l)
		default:
			return fmt.Sprintf("Flight %s cannot be booked: its status is %q.", l, s)
		}
	}
	return ""
}

func seatsForBooking(m *moment) string { return m.seats(m.wanted(), m.args.get("passengers").size()) }

// seats checks that flights have a price and enough seats in the cabin of the call.
func (m *moment) seats(list []leg, heads int) string {
	cabin := m.args.text("cabin")
	for _, l := range list {
		f := m.instance(l)
		if f.empty() {
			return fmt.Sprintf("Flight %s takes no bookings.", l)
		}
		free, ok := f.get("available_seats").number(cabin)
		if _, priced := f.get("prices").number(cabin); !ok || !priced {
			return fmt.Sprintf("Flight %s has no price in cabin %q.", l, cabin)
		}
		if free < float64(heads) {
			return fmt.Sprintf("Flight %s has %s free seats in %s, which is too few for %d passengers.", l, count(free), cabin, heads)
		}
	}
	return ""
}

func passengersComplete(m *moment) string {
	if n := m.args.get("passengers").size(); n < 1 || n > 5 {
		return fmt.Sprintf("A reservation is for one to five passengers, not %d.", n)
	}
	return namesComplete(m)
}

func namesComplete(m *moment) string {
	for i, p := range m.args.list("passengers") {
		for _, k := range []string{"first_name", "last_name", "dob"} {
			if p.text(k) == "" {
				return fmt.Sprintf("Passenger %d has no %s. Ask the user for it.", i+1, k)
			}
		}
	}
	return ""
}

// caps are how many methods of each kind a reservation may be paid with, in the order in which they are looked at.
var caps = [...]struct {
	source, name string
	most         int
}{{"credit_card", "credit card", 1}, {"gift_card", "gift cards", 3}, {"certificate", "certificate", 1}}

// overCap names the first kind of which there are too many.
func overCap(sources []string) string {
	for _, c := range caps {
		n := 0
		for _, s := range sources {
			if s == c.source {
				n++
			}
		}
		if n > c.most {
			return fmt.Sprintf("%d %s at most, not %d", c.most, c.name, n)
		}
	}
	return ""
}

func bookingPayments(m *moment) string {
	methods := m.booker().get("payment_methods")
	var sources []string
	for _, p := range m.args.list("payment_methods") {
		id := p.text("payment_id")
		if !methods.has(id) {
			return fmt.Sprintf("Payment method %q is not in the user's profile.", id)
		}
		sources = append(sources, methods.get(id).text("source"))
	}
	if over := overCap(sources); over != "" {
		return "A reservation is paid with " + over + "."
	}
	return ""
}

// freeBags is how many bags a passenger takes free of charge, false for a membership or cabin that there is not. The
// release goes by an older policy, which gave gold members in business one bag less.
func (m *moment) freeBags(membership, cabin string) (float64, bool) {
	row, member := map[string]float64{"regular": 0, "silver": 1, "gold": 2}[membership]
	column, known := map[string]float64{"basic_economy": 0, "economy": 1, "business": 2}[cabin]
	free := row + column
	if m.set.opts.Release {
		free = min(free, 3)
	}
	return free, member && known
}

func bookingBags(m *moment) string {
	return m.bags(m.booker().text("membership"), m.args.text("cabin"), m.args.get("passengers").size())
}

// bags checks that the bags of the call that are not paid for are free.
func (m *moment) bags(membership, cabin string, heads int) string {
	total, ok := m.args.number("total_baggages")
	paid, also := m.args.number("nonfree_baggages")
	each, known := m.freeBags(membership, cabin)
	if free := each * float64(heads); ok && also && known && total-paid > free {
		return fmt.Sprintf("%s bags would be free, but only %s are for %d passengers with membership %s in %s: nonfree_baggages has to be %s.",
			count(total-paid), count(free), heads, membership, cabin, count(total-free))
	}
	return ""
}
