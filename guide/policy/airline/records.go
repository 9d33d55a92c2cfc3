// Package airline holds the facts and rules of the airline's policy: what its tools have shown (Known), what user and
// agent have said about it, and what the policy allows.
package airline

import (
	"slices"
	"time"

	"github.com/tauguide/tauguide/guide/policy"
)

// Now is the moment at which every conversation takes place. The policies name a zone, but all times of the data are
// without one, so that it is left out here too.
func Now() time.Time { return time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC) }

// Today is the date of Now, as the data write dates.
func Today() string { return Now().Format(time.DateOnly) }

// Flight is a flight number on a date (YYYY-MM-DD).
type Flight struct{ Number, Date string }

func (f Flight) String() string { return f.Number + " " + f.Date }

func flightOf(r policy.Record) Flight { return Flight{r.Text("flight_number"), r.Text("date")} }

// Flights reads a list of flights as calls and results have it.
func Flights(list any) []Flight {
	var out []Flight
	for _, r := range policy.Records(list) {
		out = append(out, flightOf(r))
	}
	return out
}

// Leg is the way of a flight or of a trip.
type Leg struct{ Origin, Destination string }

func legOf(r policy.Record) Leg { return Leg{r.Text("origin"), r.Text("destination")} }

// Offer is a flight in a search result; only what can be booked is listed there. Seats and fares are by cabin, fares in
// dollars for one passenger.
type Offer struct {
	Flight
	Leg
	Fares, Seats policy.Record
}

// Offers reads the result of a search for flights; a direct flight has the date that was searched for.
func Offers(tool string, args policy.Record, result any) []Offer {
	var out []Offer
	add := func(r policy.Record, date string) {
		out = append(out, Offer{Flight{r.Text("flight_number"), date}, legOf(r), r.Record("prices"), r.Record("available_seats")})
	}
	switch tool {
	case "search_direct_flight":
		for _, r := range policy.Records(result) {
			add(r, args.Text("date"))
		}
	case "search_onestop_flight":
		pairs, _ := result.([]any)
		for _, pair := range pairs {
			for _, r := range policy.Records(pair) {
				add(r, r.Text("date"))
			}
		}
	}
	return out
}

// Segment is a flight of a reservation with the fare that was paid for one passenger.
type Segment struct {
	Flight
	Leg
	Fare int64
}

// Person is a passenger.
type Person struct{ First, Last, Born string }

// People reads a list of passengers.
func People(list any) []Person {
	var out []Person
	for _, r := range policy.Records(list) {
		out = append(out, Person{r.Text("first_name"), r.Text("last_name"), r.Text("dob")})
	}
	return out
}

// Method is a payment method of a profile; the zero value is one that the profile does not have.
type Method struct {
	ID, Source, Brand, LastFour string
	Balance                     float64 // of a gift card or a certificate
}

// Profile is a user's profile.
type Profile struct {
	ID, Membership string
	Methods        map[string]Method
	Self           Person // the user as a passenger
	Saved          []Person
}

// ProfileOf reads a profile, nil if there is none.
func ProfileOf(r policy.Record) *Profile {
	id := r.Text("user_id")
	if id == "" {
		return nil
	}
	name := r.Record("name")
	p := &Profile{ID: id, Membership: r.Text("membership"), Methods: map[string]Method{}, Saved: People(r["saved_passengers"]),
		Self: Person{name.Text("first_name"), name.Text("last_name"), r.Text("dob")}}
	for key, v := range r.Record("payment_methods") {
		x := policy.RecordOf(v)
		balance, _ := x.Number("amount")
		p.Methods[key] = Method{ID: key, Source: x.Text("source"), Brand: x.Text("brand"), LastFour: x.Text("last_four"), Balance: balance}
	}
	return p
}

// Reservation is a reservation as one result showed it.
type Reservation struct {
	Leg                                           // of the whole trip
	ID, User, TripType, Cabin, Insurance, Created string
	Segments                                      []Segment
	Passengers                                    []Person
	Bags, PaidBags                                int64
	Record                                        policy.Record
}

// ReservationOf reads a reservation, nil if there is none.
func ReservationOf(r policy.Record) *Reservation {
	id := r.Text("reservation_id")
	if id == "" {
		return nil
	}
	out := &Reservation{Leg: legOf(r), ID: id, User: r.Text("user_id"), TripType: r.Text("flight_type"), Cabin: r.Text("cabin"),
		Insurance: r.Text("insurance"), Created: r.Text("created_at"), Passengers: People(r["passengers"]),
		Bags: r.Whole("total_baggages"), PaidBags: r.Whole("nonfree_baggages"), Record: r}
	for _, s := range r.Records("flights") {
		out.Segments = append(out.Segments, Segment{flightOf(s), legOf(s), s.Whole("price")})
	}
	return out
}

// Segment returns the segment that is this flight.
func (r *Reservation) Segment(f Flight) (Segment, bool) {
	i := slices.IndexFunc(r.Segments, func(s Segment) bool { return s.Flight == f })
	if i < 0 {
		return Segment{}, false
	}
	return r.Segments[i], true
}
