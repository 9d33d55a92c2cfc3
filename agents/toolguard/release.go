package toolguard

import (
	"fmt"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
)

// What the released guards of the airline do where they depart from the policy as it reads today. They are kept apart from
// the rules of the policy, faults included (docs/toolguard.md, "Release and default").

// ReleaseClock is the moment that takes the place of the wall clock, at which the released guards look, so that runs can
// be repeated. It is a day on which they were around; any moment later than a day after the data's own gives the same
// verdicts.
func ReleaseClock() time.Time { return time.Date(2026, 8, 18, 0, 0, 0, 0, time.UTC) }

// deviation is what a released rule does instead. An empty text is the rule's own, and so are nil reads.
type deviation struct {
	check func(*proposal) string
	reads []string
	text  string
}

// released are the deviations by the ids of the rules.
var released = map[string]deviation{
	"airline.book.1": {check: travellerHeard},
	"airline.book.6": {check: func(p *proposal) string { return p.bookingBags(olderFreeBags) }},
	"airline.baggages.2": {check: profileWithinCaps,
		text: "the payment method is in the profile, and the profile holds one certificate, one credit card and three gift cards at most"},
	"airline.baggages.3": {check: bagsPaidBefore,
		text: "if bags beyond the allowance of one passenger are charged, earlier payments with the method add up to just their price"},
	"airline.flights.1": {check: flightsAvailable, reads: []string{readStatus}, text: "every flight is available on its date"},
	"airline.flights.2": {check: seatsForAllAgain, text: "every flight has a price and a seat for each passenger in the cabin"},
	"airline.flights.4": {check: endpointsKept,
		text: "unless the new cabin is basic economy, the first flight leaves from the reservation's origin; one way, the last gets to its destination"},
	"airline.flights.5": {check: newCabinNotBasic, reads: []string{}, text: "the new cabin is not basic economy"},
}

// travellerHeard also looks at the conversation, where that is asked for.
func travellerHeard(p *proposal) string {
	if wrong := knownTraveller(p); wrong != "" {
		return wrong
	}
	if p.set.opts.History && !heard(p.set.talk, p.args.Text("user_id")) {
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
			read = read || msg.Role == domains.RoleAssistant && c.Name == readUser && policy.Arguments(c.Arguments).Text("user_id") == id
		}
	}
	return said && read
}

// olderFreeBags is the allowance of an older policy, which gave gold members in business one bag less.
func olderFreeBags(membership, cabin string) (int64, error) {
	n, err := airline.FreeBags(membership, cabin)
	return min(n, 3), err
}

// profileWithinCaps counts what the user owns, not what the reservation was paid with.
func profileWithinCaps(p *proposal) string {
	u := p.owner()
	if u.ID == "" {
		return ""
	}
	if wrong := noSuchMethod(u, p.args.Text("payment_id")); wrong != "" {
		return wrong
	}
	var methods []airline.Method
	for _, m := range u.Methods {
		methods = append(methods, m)
	}
	if over := airline.TooMany(methods); over != "" {
		return "The user's profile may hold " + over + "."
	}
	return ""
}

// bagsPaidBefore takes the allowance of one passenger for that of all, and looks for the price of the bags among payments
// that were made before the bags were asked for.
func bagsPaidBefore(p *proposal) string {
	r, u := p.reservation(), p.owner()
	total, ok := p.args.Number("total_baggages")
	free, err := olderFreeBags(u.Membership, r.Cabin)
	if !ok || err != nil {
		return ""
	}
	id := p.args.Text("payment_id")
	if wrong := noSuchMethod(u, id); wrong != "" {
		return wrong
	}
	extra := total - float64(free)
	charge := airline.BagPrice * max(0, extra)
	if charge == 0 {
		return ""
	}
	paid := 0.0
	for _, x := range r.Record.Records("payment_history") {
		if amount, ok := x.Number("amount"); ok && x.Text("payment_id") == id {
			paid += amount
		}
	}
	if paid != charge {
		return fmt.Sprintf("The payments with %s come to %s, but %s bags beyond the allowance of %d cost %s.", id, money(paid), count(extra), free, money(charge))
	}
	return ""
}

// seatsForAllAgain asks for seats also on the flights that stay.
func seatsForAllAgain(p *proposal) string {
	return p.seats(p.wanted(), len(p.reservation().Passengers))
}

// endpointsKept looks at the first flight, and one way at the last.
func endpointsKept(p *proposal) string {
	r, wanted := p.reservation(), p.wanted()
	if p.args.Text("cabin") == "basic_economy" || len(wanted) == 0 || r.ID == "" {
		return ""
	}
	if from := p.schedule(wanted[0]).Origin; from != r.Origin {
		return fmt.Sprintf(startsElsewhere, r.Origin, onDate(wanted[0]), from)
	}
	last := wanted[len(wanted)-1]
	if to := p.schedule(last).Destination; r.TripType == "one_way" && to != r.Destination {
		return fmt.Sprintf(endsElsewhere, r.Destination, onDate(last), to)
	}
	return ""
}

// newCabinNotBasic looks at the cabin that is asked for, not at the reservation's.
func newCabinNotBasic(p *proposal) string {
	if p.args.Text("cabin") == "basic_economy" {
		return "A reservation in basic economy cannot be changed."
	}
	return ""
}
