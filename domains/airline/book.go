package airline

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// now is the moment at which every trial takes place.
const now = "2024-05-15T15:00:00"

// Prices of extras, in dollars.
const (
	insurancePrice = 30 // per passenger
	bagPrice       = 50 // per bag that is not free
)

// bookReservation follows docs/reference/domains.md#airline. Nothing is changed before the payments are made; a
// certificate that is listed twice then fails with the payments before it made.
func bookReservation(db *DB, a toolkit.Args) (toolkit.Result, error) {
	flights, err := convert(flightInfoType, a, "flights")
	if err != nil {
		return nil, err
	}
	passengers, err := convert(passengerType, a, "passengers")
	if err != nil {
		return nil, err
	}
	payments, err := convert(paymentType, a, "payment_methods")
	if err != nil {
		return nil, err
	}
	userKey, user, err := findUser(db, a.Get("user_id"))
	if err != nil {
		return nil, err
	}
	id, err := freeReservationID(db)
	if err != nil {
		return nil, err
	}
	r, err := draft(id, a, passengers.value, payments.value)
	if err != nil {
		return nil, err
	}
	total, err := fill(db, &r, flights, len(passengers.recs), a.Get("nonfree_baggages"))
	if err != nil {
		return nil, err
	}
	if err := checkPayments(user, r.Payments, total); err != nil {
		return nil, err
	}
	user = db.Users.Edit(userKey)
	if err := pay(user, r.Payments); err != nil {
		return nil, err
	}
	for _, s := range r.Flights {
		d := db.Flights.Edit(s.FlightNumber).Dates.Get(s.Date)
		*d.Seats.Get(r.Cabin.Str()) -= int64(len(passengers.recs))
	}
	user.Reservations = append(user.Reservations, id)
	return showReservation(db.Reservations.Put(id, r))
}

// freeReservationID returns the first of the three ids for new reservations that is not taken.
func freeReservationID(db *DB) (string, error) {
	for _, id := range []string{"HATHAT", "HATHAU", "HATHAV"} {
		if _, taken := db.Reservations.Get(id); !taken {
			return id, nil
		}
	}
	return "", domains.Refusal("Too many reservations")
}

// draft validates the arguments as a reservation that has no flights yet.
func draft(id string, a toolkit.Args, passengers, payments value.Value) (Reservation, error) {
	m := value.MapOf(
		value.Pair{Key: "reservation_id", Value: value.OfString(id)},
		value.Pair{Key: "flights", Value: value.OfList(nil)},
		value.Pair{Key: "passengers", Value: passengers},
		value.Pair{Key: "payment_history", Value: payments},
		value.Pair{Key: "created_at", Value: value.OfString(now)},
	)
	for _, k := range []string{"user_id", "origin", "destination", "flight_type", "cabin", "total_baggages", "nonfree_baggages", "insurance"} {
		m.Set(k, a.Get(k))
	}
	return reservationType.Load(value.OfMap(m))
}

// fill adds the flights to a draft and returns what everything costs. Bags are charged by the argument as it came, so
// that a float makes the total a float.
func fill(db *DB, r *Reservation, flights models[FlightInfo], passengers int, bags value.Value) (value.Value, error) {
	infos, err := flights.records("flight_number")
	if err != nil {
		return value.Value{}, err
	}
	var fare int64
	for _, info := range infos {
		s, err := quote(db, info, r.Cabin, passengers)
		if err != nil {
			return value.Value{}, err
		}
		r.Flights = append(r.Flights, s)
		fare += s.Price * int64(passengers)
	}
	if r.Insurance == "yes" {
		fare += insurancePrice * int64(passengers)
	}
	if bags.IsNumber() {
		if bags, err = value.Mul(value.OfInt(bagPrice), bags, "*"); err != nil {
			return value.Value{}, err
		}
	}
	return value.Add(value.OfInt(fare), bags, "+=")
}

// checkPayments checks that each payment is within its method's balance, each by itself, and that they add up.
func checkPayments(u *User, payments []Payment, total value.Value) error {
	sum := value.OfInt(0)
	for _, p := range payments {
		m, err := toolkit.FindIn(&u.PaymentMethods, value.OfString(p.PaymentID), "Payment method "+p.PaymentID+" not found")
		if err != nil {
			return err
		}
		if m.holdsMoney() {
			if ok, err := m.covers(p.Amount); err != nil {
				return err
			} else if !ok {
				return domains.Refuse("Not enough balance in payment method %s", p.PaymentID)
			}
		}
		if sum, err = value.Add(sum, p.Amount, "+"); err != nil {
			return err
		}
	}
	if !value.Equal(sum, total) {
		return domains.Refuse("Payment amount does not add up, total price is %s, but paid %s", total.Str(), sum.Str())
	}
	return nil
}

// pay makes checked payments in order: a gift card is charged, a certificate used up whole.
func pay(u *User, payments []Payment) error {
	for _, p := range payments {
		m, err := toolkit.FindIn(&u.PaymentMethods, value.OfString(p.PaymentID), value.StringRepr(p.PaymentID))
		if err != nil {
			return err
		}
		switch m.Source {
		case "gift_card":
			if err := m.take(p.Amount); err != nil {
				return err
			}
		case "certificate":
			u.PaymentMethods.Delete(p.PaymentID)
		}
	}
	return nil
}

// sendCertificate gives a user a certificate under the first free of three ids.
func sendCertificate(db *DB, a toolkit.Args) (toolkit.Result, error) {
	key, u, err := findUser(db, a.Get("user_id"))
	if err != nil {
		return nil, err
	}
	for _, id := range []string{"certificate_3221322", "certificate_3221323", "certificate_3221324"} {
		if u.PaymentMethods.Get(id) != nil {
			continue
		}
		c, err := certificateType.Load(value.OfMap(value.MapOf(
			value.Pair{Key: "source", Value: value.OfString("certificate")},
			value.Pair{Key: "id", Value: value.OfString(id)},
			value.Pair{Key: "amount", Value: a.Get("amount")},
		)))
		if err != nil {
			return nil, err
		}
		db.Users.Edit(key).PaymentMethods.Set(id, c)
		return toolkit.Say("Certificate " + id + " added to user " + key + " with amount " + a.Str("amount") + ".")
	}
	return nil, domains.Refusal("Too many certificates")
}
