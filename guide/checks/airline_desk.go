package checks

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// desk is what the agent has learnt from the airline's tools so far.
type airDesk struct {
	user         string // the latest profile that was read for an id that the user stated; "" before that
	users        map[string]airProfile
	reservations map[string]*airReservation
	order        []string // ids of reservations, as they came up
	offers       map[airFlight]airOffer
	status       map[airFlight]string
	texts        airTexts
}

// flight is a flight number on a date (YYYY-MM-DD).
type airFlight struct{ number, date string }

func (f airFlight) String() string { return f.number + " " + f.date }

// leg is the way of a flight.
type airLeg struct{ origin, destination string }

// offer is a flight in a search result; only what can be booked is listed there. Seats and fares are by cabin, fares
// in dollars for one passenger.
type airOffer struct {
	airLeg
	fares, seats map[string]any
}

// segment is a flight of a reservation with the fare that was paid for one passenger.
type airSegment struct {
	airFlight
	airLeg
	fare int64
}

type airPerson struct{ first, last, born string }

// method is a payment method of a profile; "" as source means that there is none.
type airMethod struct {
	id, source, brand, lastFour string
	balance                     float64 // of a gift card or a certificate
}

type airProfile struct {
	membership string
	methods    map[string]airMethod
	people     []airPerson // the saved passengers and, last, the user
}

// version is a reservation as one result showed it.
type airVersion struct {
	cabin    string
	segments []airSegment
	bags     int64
}

// reservation is the latest version, with the ones before it.
type airReservation struct {
	airVersion
	id, user, origin, destination, tripType, insurance string
	passengers                                         []airPerson
	paidBags                                           int64
	versions                                           []airVersion // in order, the latest included
	changed                                            bool         // its flights or cabin were changed, or it was cancelled, in this conversation
	raw                                                map[string]any
}

// desk reads a trace, once for each of its lengths.
func (k airTexts) desk(t *guide.Trace) *airDesk {
	return derived(t, k.memo, func() *airDesk { return newDesk(t, k) })
}

// newDesk reads all results in the order of the calls.
func newDesk(t *guide.Trace, texts airTexts) *airDesk {
	d := &airDesk{texts: texts, users: map[string]airProfile{}, reservations: map[string]*airReservation{}, offers: map[airFlight]airOffer{}, status: map[airFlight]string{}}
	for _, c := range t.Calls {
		if c.OK {
			d.read(t, c)
		}
	}
	return d
}

func (d *airDesk) read(t *guide.Trace, c *guide.Call) {
	result := c.Plain()
	switch c.Name {
	case "get_user_details":
		d.readProfile(t, airObject(result))
	case "get_flight_status":
		status, _ := result.(string)
		d.status[airFlight{c.Arg("flight_number"), c.Arg("date")}] = status
	case "search_direct_flight":
		for _, o := range airList(result) {
			d.readOffer(airObject(o), c.Arg("date"))
		}
	case "search_onestop_flight":
		for _, pair := range airList(result) {
			for _, o := range airList(pair) {
				d.readOffer(airObject(o), airText(airObject(o), "date"))
			}
		}
	case "get_reservation_details", "book_reservation":
		d.readReservation(airObject(result), false)
	case "update_reservation_flights", "cancel_reservation":
		d.readReservation(airObject(result), true)
	case "update_reservation_baggages", "update_reservation_passengers":
		d.readReservation(airObject(result), false)
	}
}

func (d *airDesk) readProfile(t *guide.Trace, m map[string]any) {
	id := airText(m, "user_id")
	if id == "" {
		return
	}
	p := airProfile{membership: airText(m, "membership"), methods: map[string]airMethod{}}
	// A method that a booking used up stays known, so that a booking that was made keeps making sense.
	for key, old := range d.users[id].methods {
		p.methods[key] = old
	}
	for key, v := range airObject(m["payment_methods"]) {
		x := airObject(v)
		balance, _ := airNumber(x["amount"])
		p.methods[key] = airMethod{id: key, source: airText(x, "source"), brand: airText(x, "brand"), lastFour: airText(x, "last_four"), balance: balance}
	}
	name := airObject(m["name"])
	p.people = append(airPeople(m["saved_passengers"]), airPerson{airText(name, "first_name"), airText(name, "last_name"), airText(m, "dob")})
	d.users[id] = p
	if slices.ContainsFunc(t.User, func(s guide.Said) bool { return statesID(s.Text, id) }) {
		d.user = id
	}
}

// self is the user as a passenger.
func (p airProfile) self() airPerson {
	if len(p.people) == 0 {
		return airPerson{}
	}
	return p.people[len(p.people)-1]
}

// statesID reports whether a text contains an id as a word of its own, in any case.
func statesID(said, id string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(said), func(r rune) bool {
		return !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z')
	}) {
		if strings.Trim(word, "-_") == strings.ToLower(id) {
			return true
		}
	}
	return false
}

func (d *airDesk) readOffer(m map[string]any, date string) {
	d.offers[airFlight{airText(m, "flight_number"), date}] = airOffer{
		airLeg: airLeg{airText(m, "origin"), airText(m, "destination")},
		fares:  airObject(m["prices"]), seats: airObject(m["available_seats"]),
	}
}

func (d *airDesk) readReservation(m map[string]any, changed bool) {
	id := airText(m, "reservation_id")
	if id == "" {
		return
	}
	r := d.reservations[id]
	if r == nil {
		r = &airReservation{id: id}
		d.reservations[id] = r
		d.order = append(d.order, id)
	}
	r.raw, r.changed = m, r.changed || changed
	r.user, r.origin, r.destination = airText(m, "user_id"), airText(m, "origin"), airText(m, "destination")
	r.tripType, r.insurance = airText(m, "flight_type"), airText(m, "insurance")
	r.passengers = airPeople(m["passengers"])
	r.paidBags = airWhole(m["nonfree_baggages"])
	r.airVersion = airVersion{cabin: airText(m, "cabin"), bags: airWhole(m["total_baggages"])}
	for _, v := range airList(m["flights"]) {
		s := airObject(v)
		r.segments = append(r.segments, airSegment{
			airFlight{airText(s, "flight_number"), airText(s, "date")}, airLeg{airText(s, "origin"), airText(s, "destination")}, airWhole(s["price"]),
		})
	}
	r.versions = append(r.versions, r.airVersion)
}

// everyFlight lists the flights of all versions, each once.
func (r *airReservation) everyFlight() []airFlight {
	var out []airFlight
	for _, v := range r.versions {
		for _, s := range v.segments {
			if !slices.Contains(out, s.airFlight) {
				out = append(out, s.airFlight)
			}
		}
	}
	return out
}

// holds returns the segment that is this flight.
func (r *airReservation) holds(f airFlight) (airSegment, bool) {
	i := slices.IndexFunc(r.segments, func(s airSegment) bool { return s.airFlight == f })
	if i < 0 {
		return airSegment{}, false
	}
	return r.segments[i], true
}

// state says whether a flight has been flown.
type airState int

const (
	airAhead airState = iota
	airFlown
	airUnknown // it leaves today and nobody has looked
)

// state goes by the status that get_flight_status gave, and otherwise by the date.
func (d *airDesk) state(f airFlight) airState {
	today := airlineNow().Format("2006-01-02")
	switch status := d.status[f]; {
	case status == "flying" || status == "landed":
		return airFlown
	case status != "":
		return airAhead
	case f.date < today:
		return airFlown
	case f.date == today:
		return airUnknown
	}
	return airAhead
}

// method returns a payment method of the user's profile.
func (d *airDesk) method(id any) airMethod {
	name, _ := id.(string)
	return d.users[d.user].methods[name]
}

func airPeople(v any) []airPerson {
	var out []airPerson
	for _, x := range airList(v) {
		m := airObject(x)
		out = append(out, airPerson{airText(m, "first_name"), airText(m, "last_name"), airText(m, "dob")})
	}
	return out
}

// flights reads a list of flights as a call names them.
func airFlights(v any) []airFlight {
	var out []airFlight
	for _, x := range airList(v) {
		m := airObject(x)
		out = append(out, airFlight{airText(m, "flight_number"), airText(m, "date")})
	}
	return out
}
