package airline

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The lookups and conversions that the tools share, with the reference's texts (docs/reference/domains.md#airline).

func findUser(db *DB, id value.Value) (key string, u *User, err error) {
	return toolkit.Find(db.Users, id, "User "+id.Str()+" not found")
}

func findReservation(db *DB, id value.Value) (key string, r *Reservation, err error) {
	return toolkit.Find(db.Reservations, id, "Reservation "+id.Str()+" not found")
}

// findInstance returns a flight and its state on a date.
func findInstance(db *DB, number, date value.Value) (*Flight, *FlightDate, error) {
	_, f, err := toolkit.Find(db.Flights, number, "Flight "+number.Str()+" not found")
	if err != nil {
		return nil, nil, err
	}
	d, err := toolkit.FindIn(&f.Dates, date, fmt.Sprintf("Flight %s not found on date %s", number.Str(), date.Str()))
	return f, d, err
}

// quote is the segment that a flight would be at today's price in a cabin. It fails unless the flight takes bookings
// and the cabin has a seat for each passenger.
func quote(db *DB, info FlightInfo, cabin value.Value, passengers int) (ReservationFlight, error) {
	f, d, err := findInstance(db, value.OfString(info.FlightNumber), value.OfString(info.Date))
	if err != nil {
		return ReservationFlight{}, err
	}
	if d.Status != "available" {
		return ReservationFlight{}, domains.Refuse("Flight %s not available on date %s", info.FlightNumber, info.Date)
	}
	seats, err := toolkit.FindIn(&d.Seats, cabin, cabin.Repr())
	if err != nil {
		return ReservationFlight{}, err
	}
	if *seats < int64(passengers) {
		return ReservationFlight{}, domains.Refuse("Not enough seats on flight %s", info.FlightNumber)
	}
	price, err := toolkit.FindIn(&d.Prices, cabin, cabin.Repr())
	if err != nil {
		return ReservationFlight{}, err
	}
	return ReservationFlight{FlightNumber: info.FlightNumber, Origin: f.Origin, Destination: f.Destination,
		Date: info.Date, Price: *price}, nil
}

// models is a list argument after the reference's conversion: records if every element was an object, else the
// argument as it came.
type models[T any] struct {
	recs      []T
	converted bool
	value     value.Value // the list of records, or the argument, in dynamic form
}

// convert reads the list argument of that name as records of type t. It fails for what cannot be walked and for an
// object that is no such record; a list with anything but objects in it is not an error yet.
func convert[T any](t record.Type[T], a toolkit.Args, name string) (models[T], error) {
	given := a.Get(name)
	items, err := toolkit.Iterate(given)
	if err != nil {
		return models[T]{}, err
	}
	for _, x := range items {
		if _, ok := x.Map(); !ok {
			return models[T]{value: given}, nil
		}
	}
	out := models[T]{recs: make([]T, len(items)), converted: true}
	for i, x := range items {
		if out.recs[i], err = t.Load(x); err != nil {
			return models[T]{}, err
		}
	}
	out.value = record.ListOf(t).Value(&out.recs)
	return out, nil
}

// records returns the records; attribute is what the reference first asks of an element that is none, for the error.
func (m models[T]) records(attribute string) ([]T, error) {
	if m.converted {
		return m.recs, nil
	}
	items, err := toolkit.Iterate(m.value)
	if err != nil {
		return nil, err
	}
	return nil, domains.Refuse("'%s' object has no attribute '%s'", items[0].TypeName(), attribute)
}

func modelsParam[T any](name, doc string, t record.Type[T]) toolkit.Param {
	return toolkit.Param{Name: name, Doc: doc, Schema: toolkit.List(toolkit.OrObject(t.Schema))}
}

// take removes an amount from a balance; a negative amount is a credit.
func (m *PaymentMethod) take(amount value.Value) error {
	left, err := value.Sub(value.OfFloat(m.Amount), amount, "-=")
	if err != nil {
		return err
	}
	m.Amount, _ = left.Float64()
	return nil
}

// covers reports whether the balance is at least the amount.
func (m *PaymentMethod) covers(amount value.Value) (bool, error) {
	short, err := value.Less(value.OfFloat(m.Amount), amount)
	return !short, err
}

func showReservation(r *Reservation) (toolkit.Result, error) { return toolkit.Show(reservationType, r) }
