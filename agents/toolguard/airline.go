package toolguard

import (
	"fmt"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
)

// The guards of the airline follow the released ones check by check, and take the policy's side where the release departs
// from it (docs/toolguard.md, "Release and default").

// Reads of the airline, in the released guards' names. The last two are not tools of the agent.
const (
	readUser        = "get_user_details"
	readReservation = "get_reservation_details"
	readStatus      = "get_flight_status"
	readInstance    = "get_flight_instance"
	readSchedule    = "get_scheduled_flight"
)

// airlineRules returns the rules in the order of checking.
func airlineRules() []Rule {
	const (
		book, cancel, bags   = "book_reservation", "cancel_reservation", "update_reservation_baggages"
		flights, passengers  = "update_reservation_flights", "update_reservation_passengers"
		booking, bookingUser = readReservation, readReservation + " " + readUser
		bookingStatus        = readReservation + " " + readStatus
	)
	return []Rule{
		rule("book", book, "B1", readUser, knownTraveller, "the user has a profile under this id; origin, destination and trip type are given"),
		rule("book", book, "", readStatus, flightsAvailable, "every flight is available on its date"),
		rule("book", book, "B5", readInstance, seatsForBooking, "every flight has a price and a seat for each passenger in the cabin"),
		rule("book", book, "B3 B4", "", passengersComplete, "there are one to five passengers, each with first name, last name and date of birth"),
		rule("book", book, "B6 B8", readUser, bookingPayments, "every payment method is in the profile; one credit card, three gift cards and one certificate at most"),
		rule("book", book, "B9 B10", readUser, bookingBags, "no more bags are free than membership, cabin and number of passengers allow"),

		rule("cancel", cancel, "C4", bookingStatus, mayCancel,
			"the booking is at most 24 hours old, the airline cancelled a flight, or the reservation is insured or in business"),
		rule("cancel", cancel, "C3", bookingStatus, nothingFlown, "no flight of the reservation has taken off"),

		rule("baggages", bags, "M10", booking, bagsOnlyAdded, "no bag is taken off; further paid bags come with a payment method"),
		rule("baggages", bags, "M13", bookingUser, cardOfProfile, "the payment method is a credit card or gift card of the profile"),
		rule("baggages", bags, "B9 B10", bookingUser, changedBags, "no more bags are free than membership, cabin and number of passengers allow"),

		rule("flights", flights, "", bookingStatus, changedFlightsAvailable,
			"every flight that is new, or priced anew because the cabin changes, is available on its date"),
		rule("flights", flights, "M8", booking+" "+readInstance, seatsForChange,
			"every flight that is new or priced anew has a price and a seat for each passenger in the cabin"),
		rule("flights", flights, "M13", bookingUser, cardOfProfile, "the payment method is a credit card or gift card of the profile"),
		rule("flights", flights, "M4", booking+" "+readSchedule, tripKept,
			"the flights go from the reservation's origin to its destination, and back for a round trip"),
		rule("flights", flights, "M3", booking, basicFlightsKept, "the flights of a reservation in basic economy stay as they are"),

		rule("passengers", passengers, "B4", "", namesComplete, "every passenger has first name, last name and date of birth"),
		rule("passengers", passengers, "M12", booking, sameHeadcount, "the number of passengers stays"),
	}
}

// Lookups. A profile or reservation that does not exist reads as an empty one: it is for the tool to refuse.

func (p *proposal) profile(id string) *airline.Profile {
	if u := airline.ProfileOf(p.lookup(readUser, "user_id", id)); u != nil {
		return u
	}
	return &airline.Profile{}
}

// booker is the profile of the user who books.
func (p *proposal) booker() *airline.Profile { return p.profile(p.args.Text("user_id")) }

func (p *proposal) reservation() *airline.Reservation {
	r := airline.ReservationOf(p.lookup(readReservation, "reservation_id", p.args.Text("reservation_id")))
	if r == nil {
		return &airline.Reservation{}
	}
	if p.airport == "" {
		p.airport = r.Origin
	}
	return r
}

// owner is the profile of the user whose reservation it is.
func (p *proposal) owner() *airline.Profile {
	if id := p.reservation().User; id != "" {
		return p.profile(id)
	}
	return &airline.Profile{}
}

// wanted are the flights of the call.
func (p *proposal) wanted() []airline.Flight { return airline.Flights(p.args["flights"]) }

// repriced are those of them that get a new price by a change.
func (p *proposal) repriced() []airline.Flight {
	return p.reservation().Repriced(p.wanted(), p.args.Text("cabin"))
}

func (p *proposal) heads() int { return len(p.args.List("passengers")) }

// status is the flight's status on its date, "" for a flight that does not exist.
func (p *proposal) status(f airline.Flight) string {
	p.need(readStatus, keyOfFlight(f))
	s, _ := p.fetch(readStatus, keyOfFlight(f), text("flight_number", f.Number), text("date", f.Date)).(string)
	return s
}

// instance is a flight that takes bookings, with its seats and prices by cabin.
func (p *proposal) instance(f airline.Flight) airline.Offer {
	p.need(readInstance, keyOfFlight(f))
	return p.offer(f)
}

// schedule is a flight that takes bookings, with its origin and destination.
func (p *proposal) schedule(f airline.Flight) airline.Offer {
	p.need(readSchedule, f.Number)
	return p.offer(f)
}

// offer finds a flight in a search. The released guards look into the flights themselves, for which the agent has no
// tool; a search from any airport lists all that takes bookings on a date, and the rules before it see to it that
// nothing else is asked for. Most flights leave from where the one before arrived, so that a search from there comes
// first: it is a tenth of the work.
func (p *proposal) offer(f airline.Flight) airline.Offer {
	o, known := p.flights[f]
	if !known && p.airport != "" {
		o = p.search(f, text("origin", p.airport))
	}
	if !known && o.Number == "" {
		o = p.search(f, value.Pair{Key: "origin"})
	}
	p.flights[f], p.airport = o, o.Destination
	return o
}

func (p *proposal) search(f airline.Flight, origin value.Pair) airline.Offer {
	const tool = "search_direct_flight"
	found := p.fetch(tool, f.Date+" "+origin.Value.Str(), text("date", f.Date), origin, value.Pair{Key: "destination"})
	for _, o := range airline.Offers(tool, policy.Record{"date": f.Date}, found) {
		if o.Flight == f {
			return o
		}
	}
	return airline.Offer{}
}

func onDate(f airline.Flight) string { return f.Number + " on " + f.Date }

// Bookings.

func knownTraveller(p *proposal) string {
	id := p.args.Text("user_id")
	if id == "" || p.booker().ID != id {
		return fmt.Sprintf("There is no user %q. Look the user's profile up by the id that the user gave.", id)
	}
	for _, k := range []string{"origin", "destination", "flight_type"} {
		if p.args.Text(k) == "" {
			return "The booking lacks " + k + ". Ask the user for it."
		}
	}
	return ""
}

func flightsAvailable(p *proposal) string        { return p.available(p.wanted()) }
func changedFlightsAvailable(p *proposal) string { return p.available(p.repriced()) }

func (p *proposal) available(flights []airline.Flight) string {
	for _, f := range flights {
		switch s := p.status(f); s {
		case "available":
		case "":
			return fmt.Sprintf("There is no flight %s.", onDate(f))
		default:
			return fmt.Sprintf("Flight %s cannot be booked: its status is %q.", onDate(f), s)
		}
	}
	return ""
}

func seatsForBooking(p *proposal) string { return p.seats(p.wanted(), p.heads()) }
func seatsForChange(p *proposal) string {
	return p.seats(p.repriced(), len(p.reservation().Passengers))
}

// seats checks that flights have a price and enough seats in the cabin of the call.
func (p *proposal) seats(flights []airline.Flight, heads int) string {
	cabin := p.args.Text("cabin")
	for _, f := range flights {
		o := p.instance(f)
		if o.Number == "" {
			return fmt.Sprintf("Flight %s takes no bookings.", onDate(f))
		}
		free, ok := o.Seats.Number(cabin)
		if _, priced := o.Fares.Number(cabin); !ok || !priced {
			return fmt.Sprintf("Flight %s has no price in cabin %q.", onDate(f), cabin)
		}
		if free < float64(heads) {
			return fmt.Sprintf("Flight %s has %s free seats in %s, which is too few for %d passengers.", onDate(f), count(free), cabin, heads)
		}
	}
	return ""
}

func passengersComplete(p *proposal) string {
	if n := p.heads(); n < 1 || n > airline.MaxPassengers {
		return fmt.Sprintf("A reservation is for one to five passengers, not %d.", n)
	}
	return namesComplete(p)
}

func namesComplete(p *proposal) string {
	for i, x := range p.args.Records("passengers") {
		for _, k := range []string{"first_name", "last_name", "dob"} {
			if x.Text(k) == "" {
				return fmt.Sprintf("Passenger %d has no %s. Ask the user for it.", i+1, k)
			}
		}
	}
	return ""
}

// noSuchMethod says that a profile lacks a payment method, "" if it has it.
func noSuchMethod(u *airline.Profile, id string) string {
	if _, has := u.Methods[id]; !has {
		return fmt.Sprintf("Payment method %q is not in the user's profile.", id)
	}
	return ""
}

func bookingPayments(p *proposal) string {
	u := p.booker()
	var methods []airline.Method
	for _, x := range p.args.Records("payment_methods") {
		id := x.Text("payment_id")
		if wrong := noSuchMethod(u, id); wrong != "" {
			return wrong
		}
		methods = append(methods, u.Methods[id])
	}
	if over := airline.TooMany(methods); over != "" {
		return "A reservation is paid with " + over + "."
	}
	return ""
}

// allowance is how many bags each passenger takes free of charge.
type allowance func(membership, cabin string) (int64, error)

func bookingBags(p *proposal) string { return p.bookingBags(airline.FreeBags) }

func (p *proposal) bookingBags(each allowance) string {
	return p.bags(each, p.booker().Membership, p.args.Text("cabin"), p.heads())
}

func changedBags(p *proposal) string {
	r := p.reservation()
	return p.bags(airline.FreeBags, p.owner().Membership, r.Cabin, len(r.Passengers))
}

// bags checks that the bags of the call that are not paid for are free.
func (p *proposal) bags(each allowance, membership, cabin string, heads int) string {
	total, ok := p.args.Number("total_baggages")
	paid, also := p.args.Number("nonfree_baggages")
	n, err := each(membership, cabin)
	if free := float64(n * int64(heads)); ok && also && err == nil && total-paid > free {
		return fmt.Sprintf("%s bags would be free, but only %s are for %d passengers with membership %s in %s: nonfree_baggages has to be %s.",
			count(total-paid), count(free), heads, membership, cabin, count(total-free))
	}
	return ""
}

// Cancellations and changes.

func mayCancel(p *proposal) string {
	r := p.reservation()
	if r.ID == "" || airline.WithinADay(r.Created, p.set.opts.Now) {
		return ""
	}
	for _, s := range r.Segments {
		if p.status(s.Flight) == "cancelled" {
			return ""
		}
	}
	if r.Insurance == "yes" || r.Cabin == "business" {
		return ""
	}
	return "The reservation cannot be cancelled: it is more than 24 hours old, the airline cancelled none of its flights, " +
		"it is not in business and has no travel insurance."
}

func nothingFlown(p *proposal) string {
	for _, s := range p.reservation().Segments {
		if status := p.status(s.Flight); airline.TakenOff(status) {
			return fmt.Sprintf("The reservation cannot be cancelled here: flight %s has the status %q. Hand the user to a human agent.", onDate(s.Flight), status)
		}
	}
	return ""
}

func bagsOnlyAdded(p *proposal) string {
	r := p.reservation()
	if total, ok := p.args.Number("total_baggages"); ok && total < float64(r.Bags) {
		return fmt.Sprintf("Bags can be added but not taken off: the reservation has %d.", r.Bags)
	}
	if paid, ok := p.args.Number("nonfree_baggages"); ok && r.ID != "" && paid > float64(r.PaidBags) && p.args.Text("payment_id") == "" {
		return "Further paid bags need a payment method of the user's profile."
	}
	return ""
}

// cardOfProfile checks the method for a difference in price.
func cardOfProfile(p *proposal) string {
	u, id := p.owner(), p.args.Text("payment_id")
	if u.ID == "" {
		return ""
	}
	if wrong := noSuchMethod(u, id); wrong != "" {
		return wrong
	}
	if m := u.Methods[id]; !m.IsCard() {
		return fmt.Sprintf("Payment method %s is a %s: a change is settled with a credit card or a gift card.", id, m.Source)
	}
	return ""
}

// tripKept checks where the flights go, by the reservation for those that it has.
func tripKept(p *proposal) string {
	r, wanted := p.reservation(), p.wanted()
	if r.ID == "" || len(wanted) == 0 {
		return ""
	}
	var legs []airline.Leg
	for _, f := range wanted {
		s, kept := r.Segment(f)
		if !kept {
			s.Leg = p.schedule(f).Leg
		}
		legs = append(legs, s.Leg)
	}
	last := len(legs) - 1
	switch roundTrip := r.TripType == "round_trip"; {
	case airline.MakesTrip(legs, r.TripType, r.Leg):
		return ""
	case legs[0].Origin != r.Origin:
		return fmt.Sprintf(startsElsewhere, r.Origin, onDate(wanted[0]), legs[0].Origin) + tripStays
	case !roundTrip && legs[last].Destination != r.Destination:
		return fmt.Sprintf(endsElsewhere, r.Destination, onDate(wanted[last]), legs[last].Destination) + tripStays
	case roundTrip:
		return fmt.Sprintf("The trip goes from %s to %s and back, which these flights do not. List every flight of the trip, those that stay included.",
			r.Origin, r.Destination)
	}
	return fmt.Sprintf("The flights do not connect from %s to %s. List every flight of the trip, those that stay included.", r.Origin, r.Destination)
}

const (
	startsElsewhere = "The trip starts in %s, but flight %s leaves from %s."
	endsElsewhere   = "The trip ends in %s, but flight %s goes to %s."
	tripStays       = " Origin, destination and trip type stay."
)

func basicFlightsKept(p *proposal) string {
	if r := p.reservation(); r.Cabin == "basic_economy" && !r.SameFlights(p.wanted()) {
		return "The reservation is in basic economy, so its flights stay as they are; only the cabin may change."
	}
	return ""
}

func sameHeadcount(p *proposal) string {
	r := p.reservation()
	if was, is := len(r.Passengers), p.heads(); r.ID != "" && was != is {
		return fmt.Sprintf("The number of passengers cannot change: the reservation is for %d, not %d.", was, is)
	}
	return ""
}
