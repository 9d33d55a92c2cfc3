package airline

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// The tools that change reservations. Their steps, and what has already changed when one fails, follow
// docs/reference/domains.md#airline.

// cancelReservation takes back every entry of the payment history, refunds of an earlier cancellation among them. No
// balance is credited and no seat released.
func cancelReservation(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, r, err := findReservation(db, a.Get("reservation_id"))
	if err != nil {
		return nil, err
	}
	refunds := make([]Payment, len(r.Payments))
	for i, p := range r.Payments {
		back, err := value.Neg(p.Amount)
		if err != nil {
			return nil, err
		}
		refunds[i] = Payment{PaymentID: p.PaymentID, Amount: back}
	}
	cancelled := "cancelled"
	r = db.Reservations.Edit(key)
	r.Payments, r.Status = append(r.Payments, refunds...), &cancelled
	return showReservation(r)
}

// charge pays the price of an update, or credits a negative one, and returns the entry for the payment history: none
// for a price of zero. The method is checked whatever the price. A price with a fraction is not a valid entry and fails
// with the gift card already charged.
func charge(db *DB, userKey string, method, price value.Value) ([]Payment, error) {
	u, _ := db.Users.Get(userKey)
	m, err := toolkit.FindIn(&u.PaymentMethods, method, "Payment method not found")
	if err != nil {
		return nil, err
	}
	if m.Source == "certificate" {
		return nil, domains.Refusal("Certificate cannot be used to update reservation")
	}
	if m.Source == "gift_card" {
		if ok, err := m.covers(price); err != nil {
			return nil, err
		} else if !ok {
			return nil, domains.Refusal("Gift card balance is not enough")
		}
	}
	if value.Equal(price, value.OfInt(0)) {
		return nil, nil
	}
	if m.Source == "gift_card" {
		if err := db.Users.Edit(userKey).PaymentMethods.Get(method.Str()).take(price); err != nil {
			return nil, err
		}
	}
	p, err := paymentType.Load(value.OfMap(value.MapOf(
		value.Pair{Key: "payment_id", Value: method},
		value.Pair{Key: "amount", Value: price},
	)))
	return []Payment{p}, err
}

func updateBaggages(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, r, err := findReservation(db, a.Get("reservation_id"))
	if err != nil {
		return nil, err
	}
	userKey, _, err := findUser(db, value.OfString(r.UserID))
	if err != nil {
		return nil, err
	}
	price, err := value.Sub(a.Get("nonfree_baggages"), r.NonfreeBaggages, "-")
	if err != nil {
		return nil, err
	}
	if more, err := value.Less(value.OfInt(0), price); err != nil {
		return nil, err
	} else if !more {
		price = value.OfInt(0)
	}
	if price, err = value.Mul(value.OfInt(bagPrice), price, "*"); err != nil {
		return nil, err
	}
	payments, err := charge(db, userKey, a.Get("payment_id"), price)
	if err != nil {
		return nil, err
	}
	r = db.Reservations.Edit(key)
	r.Payments = append(r.Payments, payments...)
	r.TotalBaggages, r.NonfreeBaggages = a.Get("total_baggages"), a.Get("nonfree_baggages")
	return showReservation(r)
}

func updateFlights(db *DB, a toolkit.Args) (toolkit.Result, error) {
	flights, err := convert(flightInfoType, a, "flights")
	if err != nil {
		return nil, err
	}
	key, r, err := findReservation(db, a.Get("reservation_id"))
	if err != nil {
		return nil, err
	}
	userKey, _, err := findUser(db, value.OfString(r.UserID))
	if err != nil {
		return nil, err
	}
	segments, price, err := rebook(db, r, flights, a.Get("cabin"))
	if err != nil {
		return nil, err
	}
	payments, err := charge(db, userKey, a.Get("payment_id"), value.OfInt(price))
	if err != nil {
		return nil, err
	}
	r = db.Reservations.Edit(key)
	r.Payments = append(r.Payments, payments...)
	r.Flights, r.Cabin = segments, a.Get("cabin")
	return showReservation(r)
}

// rebook returns the segments that replace those of a reservation and the difference in price for all passengers. A
// segment that stays, in the same cabin, keeps its price and needs no free seat.
func rebook(db *DB, r *Reservation, flights models[FlightInfo], cabin value.Value) ([]ReservationFlight, int64, error) {
	infos, err := flights.records("flight_number")
	if err != nil {
		return nil, 0, err
	}
	passengers, err := toolkit.Count(r.Passengers)
	if err != nil {
		return nil, 0, err
	}
	var diff int64
	segments := make([]ReservationFlight, len(infos))
	for i, info := range infos {
		s, stays := current(r, info, cabin)
		if !stays {
			if s, err = quote(db, info, cabin, passengers); err != nil {
				return nil, 0, err
			}
		}
		segments[i] = s
		diff += s.Price
	}
	for _, s := range r.Flights {
		diff -= s.Price
	}
	return segments, diff * int64(passengers), nil
}

// current returns the segment of a reservation that a requested flight already is.
func current(r *Reservation, info FlightInfo, cabin value.Value) (ReservationFlight, bool) {
	if value.Equal(cabin, r.Cabin) {
		for _, s := range r.Flights {
			if s.FlightNumber == info.FlightNumber && s.Date == info.Date {
				return s, true
			}
		}
	}
	return ReservationFlight{}, false
}

// updatePassengers replaces the passengers by as many others. A list with anything but objects in it, or a text of
// that length, is stored as it came.
func updatePassengers(db *DB, a toolkit.Args) (toolkit.Result, error) {
	passengers, err := convert(passengerType, a, "passengers")
	if err != nil {
		return nil, err
	}
	key, r, err := findReservation(db, a.Get("reservation_id"))
	if err != nil {
		return nil, err
	}
	n, err := toolkit.Count(passengers.value)
	if err != nil {
		return nil, err
	}
	if have, err := toolkit.Count(r.Passengers); err != nil {
		return nil, err
	} else if n != have {
		return nil, domains.Refusal("Number of passengers does not match")
	}
	r = db.Reservations.Edit(key)
	r.Passengers = passengers.value
	return showReservation(r)
}
