package airline

import (
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Flight is a scheduled connection with its state on each date. Departure and Arrival are local wall-clock texts
// such as 06:00:00; an arrival on the next day ends in +1.
type Flight struct {
	FlightNumber, Origin, Destination string
	Departure, Arrival                string
	Dates                             record.Dict[FlightDate]
}

// FlightDate is a flight on one date, by Status; the fields that its status does not have are zero. Seats and Prices
// (in dollars) are by cabin.
type FlightDate struct {
	Status                              string
	Seats, Prices                       record.Dict[int64]
	EstimatedDeparture, ActualDeparture string
	EstimatedArrival, ActualArrival     string
}

// DirectFlight is a search result.
type DirectFlight struct {
	FlightNumber, Origin, Destination string
	Status                            string
	Departure, Arrival                string
	Date                              *string
	Seats, Prices                     record.Dict[int64]
}

// User is a customer.
type User struct {
	UserID          string
	Name            Name
	Address         Address
	Email           string
	DOB             string
	PaymentMethods  record.Dict[PaymentMethod]
	SavedPassengers []Passenger
	Membership      string
	Reservations    []string
}

// Name is a customer's name.
type Name struct{ First, Last string }

// Address is a postal address.
type Address struct {
	Address1                  string
	Address2                  *string
	City, Country, State, Zip string
}

// PaymentMethod is a credit card, a gift card or a certificate, by Source; the fields that its source does not have
// are zero.
type PaymentMethod struct {
	Source, ID      string
	Brand, LastFour string
	Amount          float64 // balance in dollars
}

// holdsMoney reports whether the method has a balance that a payment must not exceed.
func (m *PaymentMethod) holdsMoney() bool {
	return m.Source == "gift_card" || m.Source == "certificate"
}

// Passenger is somebody who flies.
type Passenger struct{ First, Last, DOB string }

// FlightInfo is an argument: which flight on which date.
type FlightInfo struct{ FlightNumber, Date string }

// Payment is one entry of a payment history, in dollars; negative for a refund. Amount is an integer of any size.
type Payment struct {
	PaymentID string
	Amount    value.Value
}

// ReservationFlight is one segment of a reservation, with the price per passenger at which it was booked.
type ReservationFlight struct {
	FlightNumber, Origin, Destination, Date string
	Price                                   int64
}

// Reservation is a booking. Cabin, Passengers and the two counts of bags load as a text, a list of passengers and
// integers, but hold whatever an update was given, unchecked (docs/reference/domains.md#airline).
type Reservation struct {
	ReservationID, UserID          string
	Origin, Destination            string
	FlightType                     string
	Cabin                          value.Value
	Flights                        []ReservationFlight
	Passengers                     value.Value
	Payments                       []Payment
	CreatedAt                      string
	TotalBaggages, NonfreeBaggages value.Value
	Insurance                      string
	Status                         *string
}

// Airport is an entry of the fixed list of airports.
type Airport struct{ IATA, City string }

// cabins are the classes in the reference's order of declaration, which schemas show.
var cabins = []string{"business", "economy", "basic_economy"}

var perCabin = record.DictIn(record.Int, cabins...)

func statusField(status string) record.Field[FlightDate] {
	return record.F("status", record.Enum(status), func(d *FlightDate) *string { return &d.Status })
}

var (
	estimatedDeparture = record.F("estimated_departure_time_est", record.String, func(d *FlightDate) *string { return &d.EstimatedDeparture })
	actualDeparture    = record.F("actual_departure_time_est", record.String, func(d *FlightDate) *string { return &d.ActualDeparture })
	estimatedArrival   = record.F("estimated_arrival_time_est", record.String, func(d *FlightDate) *string { return &d.EstimatedArrival })
	actualArrival      = record.F("actual_arrival_time_est", record.String, func(d *FlightDate) *string { return &d.ActualArrival })
)

var dateType = record.Union("status", func(d *FlightDate) string { return d.Status },
	record.Variant[FlightDate]{Tag: "available", Type: record.Struct(record.Model{Name: "FlightDateStatusAvailable"}, statusField("available"),
		record.F("available_seats", perCabin, func(d *FlightDate) *record.Dict[int64] { return &d.Seats }),
		record.F("prices", perCabin, func(d *FlightDate) *record.Dict[int64] { return &d.Prices }))},
	record.Variant[FlightDate]{Tag: "on time", Type: record.Struct(record.Model{Name: "FlightDateStatusOnTime"}, statusField("on time"),
		estimatedDeparture, estimatedArrival)},
	record.Variant[FlightDate]{Tag: "flying", Type: record.Struct(record.Model{Name: "FlightDateStatusFlying"}, statusField("flying"),
		actualDeparture, estimatedArrival)},
	record.Variant[FlightDate]{Tag: "landed", Type: record.Struct(record.Model{Name: "FlightDateStatusLanded"}, statusField("landed"),
		actualDeparture, actualArrival)},
	record.Variant[FlightDate]{Tag: "cancelled", Type: record.Struct(record.Model{Name: "FlightDateStatusCancelled"}, statusField("cancelled"))},
	record.Variant[FlightDate]{Tag: "delayed", Type: record.Struct(record.Model{Name: "FlightDateStatusDelayed"}, statusField("delayed"),
		estimatedDeparture, estimatedArrival)},
)

var flightType = record.Struct(record.Model{Name: "Flight"},
	record.F("flight_number", record.String, func(f *Flight) *string { return &f.FlightNumber }),
	record.F("origin", record.String, func(f *Flight) *string { return &f.Origin }),
	record.F("destination", record.String, func(f *Flight) *string { return &f.Destination }),
	record.F("scheduled_departure_time_est", record.String, func(f *Flight) *string { return &f.Departure }),
	record.F("scheduled_arrival_time_est", record.String, func(f *Flight) *string { return &f.Arrival }),
	record.F("dates", record.DictOf(dateType), func(f *Flight) *record.Dict[FlightDate] { return &f.Dates }),
)

var directType = record.Struct(record.Model{Name: "DirectFlight"},
	record.F("flight_number", record.String, func(f *DirectFlight) *string { return &f.FlightNumber }),
	record.F("origin", record.String, func(f *DirectFlight) *string { return &f.Origin }),
	record.F("destination", record.String, func(f *DirectFlight) *string { return &f.Destination }),
	record.F("status", record.Enum("available"), func(f *DirectFlight) *string { return &f.Status }),
	record.F("scheduled_departure_time_est", record.String, func(f *DirectFlight) *string { return &f.Departure }),
	record.F("scheduled_arrival_time_est", record.String, func(f *DirectFlight) *string { return &f.Arrival }),
	record.OrNull("date", record.String, func(f *DirectFlight) **string { return &f.Date }),
	record.F("available_seats", perCabin, func(f *DirectFlight) *record.Dict[int64] { return &f.Seats }),
	record.F("prices", perCabin, func(f *DirectFlight) *record.Dict[int64] { return &f.Prices }),
)

var nameType = record.Struct(record.Model{Name: "Name"},
	record.F("first_name", record.String, func(n *Name) *string { return &n.First }),
	record.F("last_name", record.String, func(n *Name) *string { return &n.Last }),
)

var addressType = record.Struct(record.Model{Name: "Address"},
	record.F("address1", record.String, func(a *Address) *string { return &a.Address1 }),
	record.OrNull("address2", record.String, func(a *Address) **string { return &a.Address2 }),
	record.F("city", record.String, func(a *Address) *string { return &a.City }),
	record.F("country", record.String, func(a *Address) *string { return &a.Country }),
	record.F("state", record.String, func(a *Address) *string { return &a.State }),
	record.F("zip", record.String, func(a *Address) *string { return &a.Zip }),
)

func sourceField(source string) record.Field[PaymentMethod] {
	return record.F("source", record.Enum(source), func(m *PaymentMethod) *string { return &m.Source })
}

var (
	methodID     = record.F("id", record.String, func(m *PaymentMethod) *string { return &m.ID })
	methodAmount = record.F("amount", record.Float, func(m *PaymentMethod) *float64 { return &m.Amount })
)

var certificateType = record.Struct(record.Model{Name: "Certificate"}, sourceField("certificate"), methodID, methodAmount)

var methodType = record.Union("source", func(m *PaymentMethod) string { return m.Source },
	record.Variant[PaymentMethod]{Tag: "credit_card", Type: record.Struct(record.Model{Name: "CreditCard"}, sourceField("credit_card"), methodID,
		record.F("brand", record.String, func(m *PaymentMethod) *string { return &m.Brand }),
		record.F("last_four", record.String, func(m *PaymentMethod) *string { return &m.LastFour }))},
	record.Variant[PaymentMethod]{Tag: "gift_card", Type: record.Struct(record.Model{Name: "GiftCard"}, sourceField("gift_card"), methodID, methodAmount)},
	record.Variant[PaymentMethod]{Tag: "certificate", Type: certificateType},
)

var passengerType = record.Struct(record.Model{Name: "Passenger"},
	record.F("first_name", record.String, func(p *Passenger) *string { return &p.First }).Doc("Given name"),
	record.F("last_name", record.String, func(p *Passenger) *string { return &p.Last }).Doc("Family name"),
	record.F("dob", record.String, func(p *Passenger) *string { return &p.DOB }).Doc("Day of birth, as YYYY-MM-DD"),
)

var flightInfoType = record.Struct(record.Model{Name: "FlightInfo"},
	record.F("flight_number", record.String, func(f *FlightInfo) *string { return &f.FlightNumber }).Doc("Number of the flight, such as 'HAT000'"),
	record.F("date", record.String, func(f *FlightInfo) *string { return &f.Date }).Doc("Day of departure, as YYYY-MM-DD"),
)

var paymentType = record.Struct(record.Model{Name: "Payment"},
	record.F("payment_id", record.String, func(p *Payment) *string { return &p.PaymentID }).Doc("Id of a payment method in the user's profile"),
	record.F("amount", record.AnyInt, func(p *Payment) *value.Value { return &p.Amount }).Doc("Whole dollars to take from it"),
)

var userType = record.Struct(record.Model{Name: "User"},
	record.F("user_id", record.String, func(u *User) *string { return &u.UserID }),
	record.F("name", nameType, func(u *User) *Name { return &u.Name }),
	record.F("address", addressType, func(u *User) *Address { return &u.Address }),
	record.F("email", record.String, func(u *User) *string { return &u.Email }),
	record.F("dob", record.String, func(u *User) *string { return &u.DOB }),
	record.F("payment_methods", record.DictOf(methodType), func(u *User) *record.Dict[PaymentMethod] { return &u.PaymentMethods }),
	record.F("saved_passengers", record.ListOf(passengerType), func(u *User) *[]Passenger { return &u.SavedPassengers }),
	record.F("membership", record.Enum("gold", "silver", "regular"), func(u *User) *string { return &u.Membership }),
	record.F("reservations", record.ListOf(record.String), func(u *User) *[]string { return &u.Reservations }),
)

var segmentType = record.Struct(record.Model{Name: "ReservationFlight"},
	record.F("flight_number", record.String, func(f *ReservationFlight) *string { return &f.FlightNumber }),
	record.F("origin", record.String, func(f *ReservationFlight) *string { return &f.Origin }),
	record.F("destination", record.String, func(f *ReservationFlight) *string { return &f.Destination }),
	record.F("date", record.String, func(f *ReservationFlight) *string { return &f.Date }),
	record.F("price", record.Int, func(f *ReservationFlight) *int64 { return &f.Price }),
)

var reservationType = record.Struct(record.Model{Name: "Reservation"},
	record.F("reservation_id", record.String, func(r *Reservation) *string { return &r.ReservationID }),
	record.F("user_id", record.String, func(r *Reservation) *string { return &r.UserID }),
	record.F("origin", record.String, func(r *Reservation) *string { return &r.Origin }),
	record.F("destination", record.String, func(r *Reservation) *string { return &r.Destination }),
	record.F("flight_type", record.Enum("round_trip", "one_way"), func(r *Reservation) *string { return &r.FlightType }),
	record.F("cabin", record.Raw(record.Enum(cabins...)), func(r *Reservation) *value.Value { return &r.Cabin }),
	record.F("flights", record.ListOf(segmentType), func(r *Reservation) *[]ReservationFlight { return &r.Flights }),
	record.F("passengers", record.Raw(record.ListOf(passengerType)), func(r *Reservation) *value.Value { return &r.Passengers }),
	record.F("payment_history", record.ListOf(paymentType), func(r *Reservation) *[]Payment { return &r.Payments }),
	record.F("created_at", record.String, func(r *Reservation) *string { return &r.CreatedAt }),
	record.F("total_baggages", record.Raw(record.AnyInt), func(r *Reservation) *value.Value { return &r.TotalBaggages }),
	record.F("nonfree_baggages", record.Raw(record.AnyInt), func(r *Reservation) *value.Value { return &r.NonfreeBaggages }),
	record.F("insurance", record.Enum("yes", "no"), func(r *Reservation) *string { return &r.Insurance }),
	record.OrNull("status", record.Enum("cancelled"), func(r *Reservation) **string { return &r.Status }),
)

var airportType = record.Struct(record.Model{Name: "AirportCode"},
	record.F("iata", record.String, func(a *Airport) *string { return &a.IATA }),
	record.F("city", record.String, func(a *Airport) *string { return &a.City }),
)

// DB is a trial's view of the database: what all trials share, and what this one changed.
type DB struct {
	record.Store
	Flights      *record.Table[Flight]
	Users        *record.Table[User]
	Reservations *record.Table[Reservation]
}

func newDB() *DB {
	db := &DB{
		Flights:      record.NewTable("flights", flightType),
		Users:        record.NewTable("users", userType),
		Reservations: record.NewTable("reservations", reservationType),
	}
	db.Store = record.NewStore("FlightDB", db.Flights, db.Users, db.Reservations)
	return db
}

func loadDB(v value.Value) (*DB, error) {
	db := newDB()
	return db, db.Load(v)
}
