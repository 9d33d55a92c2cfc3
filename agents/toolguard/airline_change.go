package toolguard

import (
	"fmt"
	"slices"
	"time"
)

// The checks of cancellations and of changes to a reservation.

func mayCancel(m *moment) string {
	r := m.reservation()
	if r.empty() || m.recent(r.text("created_at")) {
		return "" // a reservation that there is not is for the tool to refuse
	}
	for _, s := range r.list("flights") {
		if m.status(legOf(s)) == "cancelled" {
			return ""
		}
	}
	if r.text("insurance") == "yes" || r.text("cabin") == "business" {
		return ""
	}
	return "The reservation cannot be cancelled: it is more than 24 hours old, the airline cancelled none of its flights, " +
		"it is not in business and has no travel insurance."
}

// recent reports whether a moment is not more than a day ago.
func (m *moment) recent(created string) bool {
	at, err := time.Parse("2006-01-02T15:04:05", created)
	return err == nil && m.set.opts.Now.Sub(at) <= 24*time.Hour
}

func nothingFlown(m *moment) string {
	for _, s := range m.reservation().list("flights") {
		l := legOf(s)
		if status := m.status(l); slices.Contains([]string{"flying", "departed", "landed"}, status) {
			return fmt.Sprintf("The reservation cannot be cancelled here: flight %s has the status %q. Hand the user to a human agent.", l, status)
		}
	}
	return ""
}

const bagPrice = 50 // dollars for a bag that is not free

func bagsOnlyAdded(m *moment) string {
	r := m.reservation()
	if was, ok := r.number("total_baggages"); ok {
		if is, ok := m.args.number("total_baggages"); ok && is < was {
			return fmt.Sprintf("Bags can be added but not taken off: the reservation has %s.", count(was))
		}
	}
	was, ok := r.number("nonfree_baggages")
	if is, also := m.args.number("nonfree_baggages"); ok && also && is > was && m.args.text("payment_id") == "" {
		return "Further paid bags need a payment method of the user's profile."
	}
	return ""
}

// cardOfProfile checks the method for a difference in price.
func cardOfProfile(m *moment) string {
	u := m.owner()
	if u.empty() {
		return ""
	}
	id := m.args.text("payment_id")
	methods := u.get("payment_methods")
	if !methods.has(id) {
		return fmt.Sprintf("Payment method %q is not in the user's profile.", id)
	}
	if s := methods.get(id).text("source"); s != "credit_card" && s != "gift_card" {
		return fmt.Sprintf("Payment method %s is a %s: a change is settled with a credit card or a gift card.", id, s)
	}
	return ""
}

// profileWithinCaps is the released check: it counts what the user owns, not what the reservation was paid with.
func profileWithinCaps(m *moment) string {
	u := m.owner()
	if u.empty() {
		return ""
	}
	methods := u.get("payment_methods")
	if id := m.args.text("payment_id"); !methods.has(id) {
		return fmt.Sprintf("Payment method %q is not in the user's profile.", id)
	}
	var sources []string
	for _, x := range methods.fields {
		sources = append(sources, x.text("source"))
	}
	if over := overCap(sources); over != "" {
		return "The user's profile may hold " + over + "."
	}
	return ""
}

func changedBags(m *moment) string {
	r := m.reservation()
	return m.bags(m.owner().text("membership"), r.text("cabin"), r.get("passengers").size())
}

// bagsPaidBefore is the released check: it takes the allowance of one passenger for that of all, and looks for the
// price of the bags among payments that were made before the bags were asked for.
func bagsPaidBefore(m *moment) string {
	r, u := m.reservation(), m.owner()
	total, ok := m.args.number("total_baggages")
	free, known := m.freeBags(u.text("membership"), r.text("cabin"))
	if !ok || !known {
		return ""
	}
	id := m.args.text("payment_id")
	if !u.get("payment_methods").has(id) {
		return fmt.Sprintf("Payment method %q is not in the user's profile.", id)
	}
	charge := bagPrice * max(0, total-free)
	if charge == 0 {
		return ""
	}
	paid := 0.0
	for _, p := range r.list("payment_history") {
		if amount, ok := p.number("amount"); ok && p.text("payment_id") == id {
			paid += amount
		}
	}
	if paid != charge {
		return fmt.Sprintf("The payments with %s come to %s, but %s bags beyond the allowance of %s cost %s.",
			id, money(paid), count(total-free), count(free), money(charge))
	}
	return ""
}

// Flights of a reservation.

// brought are the flights of the call that the reservation does not have yet at this price.
func (m *moment) brought() []leg {
	r := m.reservation()
	list := m.wanted()
	if m.args.text("cabin") != r.text("cabin") {
		return list
	}
	have := legs(r.list("flights"))
	return slices.DeleteFunc(list, func(l leg) bool { return slices.Contains(have, l) })
}

func changedFlightsAvailable(m *moment) string { return m.allAvailable(m.brought()) }

func seatsForChange(m *moment) string {
	return m.seats(m.brought(), m.reservation().get("passengers").size())
}

func seatsForAllAgain(m *moment) string {
	return m.seats(m.wanted(), m.reservation().get("passengers").size())
}

// endpointsKept is the released check.
func endpointsKept(m *moment) string {
	list := m.wanted()
	if m.args.text("cabin") == "basic_economy" || len(list) == 0 {
		return ""
	}
	r := m.reservation()
	if r.empty() {
		return ""
	}
	if from := m.schedule(list[0]).text("origin"); from != r.text("origin") {
		return fmt.Sprintf("The trip starts in %s, but flight %s leaves from %s.", r.text("origin"), list[0], from)
	}
	last := list[len(list)-1]
	if to := m.schedule(last).text("destination"); r.text("flight_type") == "one_way" && to != r.text("destination") {
		return fmt.Sprintf("The trip ends in %s, but flight %s goes to %s.", r.text("destination"), last, to)
	}
	return ""
}

// tripKept checks where the flights go, by the reservation for those that it has.
func tripKept(m *moment) string {
	r, list := m.reservation(), m.wanted()
	if r.empty() || len(list) == 0 {
		return ""
	}
	var from, to []string
	for _, l := range list {
		f := m.segment(l)
		from, to = append(from, f.text("origin")), append(to, f.text("destination"))
	}
	origin, destination := r.text("origin"), r.text("destination")
	last := len(list) - 1
	switch {
	case from[0] != origin:
		return fmt.Sprintf("The trip starts in %s, but flight %s leaves from %s. Origin, destination and trip type stay.", origin, list[0], from[0])
	case r.text("flight_type") == "one_way" && to[last] != destination:
		return fmt.Sprintf("The trip ends in %s, but flight %s goes to %s. Origin, destination and trip type stay.", destination, list[last], to[last])
	case r.text("flight_type") == "round_trip" && (to[last] != origin || !slices.Contains(to, destination)):
		return fmt.Sprintf("The trip goes from %s to %s and back, which these flights do not. List every flight of the trip, those that stay included.", origin, destination)
	}
	return ""
}

// segment tells where a flight goes.
func (m *moment) segment(l leg) record {
	for _, s := range m.reservation().list("flights") {
		if legOf(s) == l {
			return s
		}
	}
	return m.schedule(l)
}

func basicFlightsKept(m *moment) string {
	r := m.reservation()
	if r.text("cabin") != "basic_economy" {
		return ""
	}
	have, want := legs(r.list("flights")), m.wanted()
	for _, l := range have {
		if !slices.Contains(want, l) || len(have) != len(want) {
			return "The reservation is in basic economy, so its flights stay as they are; only the cabin may change."
		}
	}
	return ""
}

// newCabinNotBasic is the released check: it looks at the cabin that is asked for, not at the reservation's.
func newCabinNotBasic(m *moment) string {
	if m.args.text("cabin") == "basic_economy" {
		return "A reservation in basic economy cannot be changed."
	}
	return ""
}

// Passengers of a reservation.

func sameHeadcount(m *moment) string {
	r := m.reservation()
	if r.empty() {
		return ""
	}
	if was, is := r.get("passengers").size(), m.args.get("passengers").size(); was != is {
		return fmt.Sprintf("The number of passengers cannot change: the reservation is for %d, not %d.", was, is)
	}
	return ""
}
