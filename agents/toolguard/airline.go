package toolguard

import "github.com/tauguide/tauguide/domains/value"

// The guards of the airline follow the released ones check by check (spec/baselines.md, section 2.3). Where the release
// departs from the policy as it reads today, airlineRules takes the policy's side unless Options.Release is set.

// Reads of the airline, in the released guards' names. The last two are no tools of the agent.
const (
	readUser        = "get_user_details"
	readReservation = "get_reservation_details"
	readStatus      = "get_flight_status"
	readInstance    = "get_flight_instance"
	readSchedule    = "get_scheduled_flight"
)

// airlineRules returns the rules in the order of checking; an ID is completed by Guards.
func airlineRules(o Options) []Rule {
	rules := append(bookRules(), cancelRules()...)
	rules = append(rules, baggageRules(o.Release)...)
	rules = append(rules, flightRules(o.Release)...)
	return append(rules, passengerRules()...)
}

func bookRules() []Rule {
	const tool = "book_reservation"
	return []Rule{
		{ID: "book", Tool: tool, Requirements: []string{"B1"}, Reads: []string{readUser}, check: knownTraveller, needs: needUser,
			Text: "the user has a profile under this id; origin, destination and trip type are given"},
		{ID: "book", Tool: tool, Reads: []string{readStatus}, check: flightsAvailable, needs: needStatus,
			Text: "every flight is available on its date"},
		{ID: "book", Tool: tool, Requirements: []string{"B5"}, Reads: []string{readInstance}, check: seatsForBooking, needs: needInstances,
			Text: "every flight has a price and a seat for each passenger in the cabin"},
		{ID: "book", Tool: tool, Requirements: []string{"B3", "B4"}, check: passengersComplete,
			Text: "there are one to five passengers, each with first name, last name and date of birth"},
		{ID: "book", Tool: tool, Requirements: []string{"B6", "B8"}, Reads: []string{readUser}, check: bookingPayments, needs: needUser,
			Text: "every payment method is in the profile; one credit card, three gift cards and one certificate at most"},
		{ID: "book", Tool: tool, Requirements: []string{"B9", "B10"}, Reads: []string{readUser}, check: bookingBags, needs: needUser,
			Text: "no more bags are free than membership, cabin and number of passengers allow"},
	}
}

func cancelRules() []Rule {
	const tool = "cancel_reservation"
	reads := []string{readReservation, readStatus}
	return []Rule{
		{ID: "cancel", Tool: tool, Requirements: []string{"C4"}, Reads: reads, check: mayCancel, needs: needSegments,
			Text: "the booking is at most 24 hours old, the airline cancelled a flight, or the reservation is insured or in business"},
		{ID: "cancel", Tool: tool, Requirements: []string{"C3"}, Reads: reads, check: nothingFlown, needs: needSegments,
			Text: "no flight of the reservation has taken off"},
	}
}

func baggageRules(release bool) []Rule {
	const tool = "update_reservation_baggages"
	both := []string{readReservation, readUser}
	second := Rule{ID: "baggages", Tool: tool, Requirements: []string{"M13"}, Reads: both, check: cardOfProfile, needs: needOwner,
		Text: "the payment method is a credit card or gift card of the profile"}
	third := Rule{ID: "baggages", Tool: tool, Requirements: []string{"B9", "B10"}, Reads: both, check: changedBags, needs: needOwner,
		Text: "no more bags are free than membership, cabin and number of passengers allow"}
	if release {
		second.check = profileWithinCaps
		second.Text = "the payment method is in the profile, and the profile holds one certificate, one credit card and three gift cards at most"
		third.check = bagsPaidBefore
		third.Text = "if bags beyond the allowance of one passenger are charged, earlier payments with the method add up to just their price"
	}
	return []Rule{
		{ID: "baggages", Tool: tool, Requirements: []string{"M10"}, Reads: []string{readReservation}, check: bagsOnlyAdded, needs: needReservation,
			Text: "no bag is taken off; further paid bags come with a payment method"},
		second, third,
	}
}

func flightRules(release bool) []Rule {
	const tool = "update_reservation_flights"
	changed := []string{readReservation, readStatus}
	rules := []Rule{
		{ID: "flights", Tool: tool, Reads: changed, check: changedFlightsAvailable, needs: needChangedStatus,
			Text: "every flight that is new, or priced anew because the cabin changes, is available on its date"},
		{ID: "flights", Tool: tool, Requirements: []string{"M8"}, Reads: []string{readReservation, readInstance}, check: seatsForChange, needs: needChangedInstances,
			Text: "every flight that is new or priced anew has a price and a seat for each passenger in the cabin"},
		{ID: "flights", Tool: tool, Requirements: []string{"M13"}, Reads: []string{readReservation, readUser}, check: cardOfProfile, needs: needOwner,
			Text: "the payment method is a credit card or gift card of the profile"},
		{ID: "flights", Tool: tool, Requirements: []string{"M4"}, Reads: []string{readReservation, readSchedule}, check: tripKept, needs: needSchedules,
			Text: "the flights go from the reservation's origin to its destination, and back for a round trip"},
		{ID: "flights", Tool: tool, Requirements: []string{"M3"}, Reads: []string{readReservation}, check: basicFlightsKept, needs: needReservation,
			Text: "the flights of a reservation in basic economy stay as they are"},
	}
	if release {
		rules[0].check, rules[0].needs, rules[0].Reads = flightsAvailable, needStatus, []string{readStatus}
		rules[0].Text = "every flight is available on its date"
		rules[1].check, rules[1].needs = seatsForAllAgain, needAllInstances
		rules[1].Text = "every flight has a price and a seat for each passenger in the cabin"
		rules[3].check = endpointsKept
		rules[3].Text = "unless the new cabin is basic economy, the first flight leaves from the reservation's origin; one way, the last gets to its destination"
		rules[4].check, rules[4].needs, rules[4].Reads = newCabinNotBasic, nil, nil
		rules[4].Text = "the new cabin is not basic economy"
	}
	return rules
}

func passengerRules() []Rule {
	const tool = "update_reservation_passengers"
	return []Rule{
		{ID: "passengers", Tool: tool, Requirements: []string{"B4"}, check: namesComplete,
			Text: "every passenger has first name, last name and date of birth"},
		{ID: "passengers", Tool: tool, Requirements: []string{"M12"}, Reads: []string{readReservation}, check: sameHeadcount, needs: needReservation,
			Text: "the number of passengers stays"},
	}
}

// Lookups.

func (m *moment) user(id string) record { return m.lookup(readUser, id, textArg("user_id", id)) }

// booker is the profile of the user who books.
func (m *moment) booker() record { return m.user(m.args.text("user_id")) }

func (m *moment) reservation() record {
	id := m.args.text("reservation_id")
	r := m.lookup(readReservation, id, textArg("reservation_id", id))
	if m.at == "" {
		m.at = r.text("origin")
	}
	return r
}

// owner is the profile of the user whose reservation it is.
func (m *moment) owner() record {
	if id := m.reservation().text("user_id"); id != "" {
		return m.user(id)
	}
	return record{}
}

// leg is a flight on a date.
type leg struct{ number, date string }

func (l leg) String() string { return l.number + " on " + l.date }

func (l leg) key() string { return l.number + "/" + l.date }

func legOf(r record) leg { return leg{r.text("flight_number"), r.text("date")} }

func legs(list []record) []leg {
	out := make([]leg, len(list))
	for i, r := range list {
		out[i] = legOf(r)
	}
	return out
}

// wanted are the flights of the call.
func (m *moment) wanted() []leg { return legs(m.args.list("flights")) }

// status is the flight's status on its date, "" for a flight that there is not.
func (m *moment) status(l leg) string {
	r := m.lookup(readStatus, l.key(), textArg("flight_number", l.number), textArg("date", l.date))
	s, _ := r.v.Text()
	return s
}

// instance is a flight that takes bookings, with its seats and prices by cabin.
func (m *moment) instance(l leg) record {
	m.need(readInstance, l.key())
	return m.listed(l)
}

// schedule is a flight that takes bookings, with its origin and destination.
func (m *moment) schedule(l leg) record {
	m.need(readSchedule, l.number)
	return m.listed(l)
}

// listed finds a flight in a search. The released guards look into the flights themselves, for which the agent has no
// tool; a search from any airport lists all that takes bookings on a date, and the rules before it see to it that
// nothing else is asked for. Most flights leave from where the one before arrived, so that a search from there comes
// first: it is a tenth of the work.
func (m *moment) listed(l leg) record {
	f, known := m.flights[l]
	if !known && m.at != "" {
		f = m.search(l, textArg("origin", m.at))
	}
	if !known && f.empty() {
		f = m.search(l, nothing("origin"))
	}
	m.flights[l], m.at = f, f.text("destination")
	return f
}

func (m *moment) search(l leg, origin value.Pair) record {
	found := m.fetch("search_direct_flight", l.date+" "+origin.Value.Str(), textArg("date", l.date), origin, nothing("destination"))
	for _, f := range found.items() {
		if f.text("flight_number") == l.number {
			return f
		}
	}
	return record{}
}

// Static needs.

func needUser(m *moment)        { m.booker() }
func needReservation(m *moment) { m.reservation() }
func needOwner(m *moment)       { m.owner() }

func needStatus(m *moment) {
	for _, l := range m.wanted() {
		m.status(l)
	}
}

func needInstances(m *moment) {
	for _, l := range m.wanted() {
		m.instance(l)
	}
}

func needAllInstances(m *moment) {
	m.reservation()
	needInstances(m)
}

func needChangedStatus(m *moment) {
	for _, l := range m.brought() {
		m.status(l)
	}
}

func needChangedInstances(m *moment) {
	for _, l := range m.brought() {
		m.instance(l)
	}
}

func needSchedules(m *moment) {
	m.reservation()
	for _, l := range m.wanted() {
		m.schedule(l)
	}
}

func needSegments(m *moment) {
	for _, s := range m.reservation().list("flights") {
		m.status(legOf(s))
	}
}
