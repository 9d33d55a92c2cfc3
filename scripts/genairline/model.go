package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What the tools charge, in US dollars, and the moment at which they book.
const (
	insurancePrice = 30
	bagPrice       = 50
	now            = "2024-05-15T15:00:00"
)

func bookingIDs() []string { return []string{"HATHAT", "HATHAU", "HATHAV"} }

func certificateIDs() []string {
	return []string{"certificate_3221322", "certificate_3221323", "certificate_3221324"}
}

// apply runs one tool call on the database. It is a second, deliberately small
// statement of what the airline tools do, so that the tasks are checked by
// code that shares nothing with the tools themselves.
func (d *database) apply(c call) error {
	switch c.Name {
	case "book_reservation":
		return d.book(c)
	case "cancel_reservation":
		return d.cancel(c.text("reservation_id"))
	case "send_certificate":
		return d.sendCertificate(c.text("user_id"), c.number("amount"))
	case "update_reservation_baggages":
		return d.updateBags(c.text("reservation_id"), c.number("total_baggages"), c.number("nonfree_baggages"), c.text("payment_id"))
	case "update_reservation_flights":
		return d.updateFlights(c.text("reservation_id"), c.text("cabin"), c.legs(), c.text("payment_id"))
	case "update_reservation_passengers":
		return d.updatePassengers(c.text("reservation_id"), c.passengers())
	default:
		_, err := d.read(c)
		return err
	}
}

// mutating tells whether the tool changes the database when it succeeds.
func mutating(tool string) bool { return slices.Contains(mutatingTools(), tool) }

func mutatingTools() []string {
	return []string{
		"book_reservation", "cancel_reservation", "send_certificate",
		"update_reservation_baggages", "update_reservation_flights", "update_reservation_passengers",
	}
}

// read runs a call that changes nothing and returns what it brings to light:
// ids of users and reservations, keys of offered flights and of flight states.
// Tools that no plan needs are left out.
func (d *database) read(c call) ([]string, error) {
	switch c.Name {
	case "get_user_details":
		_, err := d.user(c.text("user_id"))
		return []string{c.text("user_id")}, err
	case "get_reservation_details":
		_, err := d.reservation(c.text("reservation_id"))
		return []string{c.text("reservation_id")}, err
	case "get_flight_status":
		l := leg{c.text("flight_number"), c.text("date")}
		_, _, err := d.instance(l)
		return []string{l.stateKey()}, err
	case "search_direct_flight":
		var seen []string
		for _, f := range d.search(c.text("date"), c.text("origin"), c.text("destination"), "") {
			seen = append(seen, leg{f.Number, c.text("date")}.offerKey())
		}
		return seen, nil
	case "search_onestop_flight":
		return d.searchOneStop(c.text("date"), c.text("origin"), c.text("destination"))
	case "transfer_to_human_agents":
		if c.text("summary") == "" {
			return nil, errors.New("summary is empty")
		}
		return nil, nil
	default:
		return nil, fmt.Errorf("no tool is called %s", c.Name)
	}
}

func (l leg) offerKey() string { return "offer " + l.Number + " " + l.Date }

func (l leg) stateKey() string { return "state " + l.Number + " " + l.Date }

func (d *database) user(id string) (*user, error) {
	u, ok := d.Users.get(id)
	if !ok {
		return nil, fmt.Errorf("user %s not found", id)
	}
	return u, nil
}

func (d *database) reservation(id string) (*reservation, error) {
	r, ok := d.Reservations.get(id)
	if !ok {
		return nil, fmt.Errorf("reservation %s not found", id)
	}
	return r, nil
}

func (d *database) instance(l leg) (*flight, *instance, error) {
	f, ok := d.Flights.get(l.Number)
	if !ok {
		return nil, nil, fmt.Errorf("flight %s not found", l.Number)
	}
	in, ok := f.Dates.get(l.Date)
	if !ok {
		return nil, nil, fmt.Errorf("flight %s not found on date %s", l.Number, l.Date)
	}
	return f, in, nil
}

// search lists the flights that can be booked; an empty destination is any.
func (d *database) search(date, origin, destination, leaveAfter string) []*flight {
	var out []*flight
	for _, number := range d.Flights.keys {
		f := d.Flights.rows[number]
		in, ok := f.Dates.get(date)
		if ok && in.Status == "available" && f.Origin == origin && f.Departure >= leaveAfter &&
			(destination == "" || f.Destination == destination) {
			out = append(out, f)
		}
	}
	return out
}

func (d *database) searchOneStop(date, origin, destination string) ([]string, error) {
	var seen []string
	for _, first := range d.search(date, origin, "", "") {
		next := date
		if strings.Contains(first.Arrival, "+1") {
			day, err := strconv.Atoi(date[len(date)-2:])
			if err != nil {
				return nil, err
			}
			next = fmt.Sprintf("2024-05-%d", day+1) // not padded: that is how the tool behaves
		}
		for _, second := range d.search(next, first.Destination, destination, first.Arrival) {
			seen = append(seen, leg{first.Number, date}.offerKey(), leg{second.Number, next}.offerKey())
		}
	}
	return seen, nil
}

// buy finds the segment that a new booking of the flight adds.
func (d *database) buy(l leg, cabin string, seats int) (segment, error) {
	f, in, err := d.instance(l)
	if err != nil {
		return segment{}, err
	}
	if in.Status != "available" {
		return segment{}, fmt.Errorf("flight %s not available on date %s", l.Number, l.Date)
	}
	free, ok := in.Seats.get(cabin)
	if !ok {
		return segment{}, fmt.Errorf("no cabin %q", cabin)
	}
	if free < seats {
		return segment{}, fmt.Errorf("not enough seats on flight %s", l.Number)
	}
	return segment{f.Number, f.Origin, f.Destination, l.Date, in.Prices.rows[cabin]}, nil
}

func (d *database) book(c call) error {
	u, err := d.user(c.text("user_id"))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(bookingIDs(), func(id string) bool { _, taken := d.Reservations.get(id); return !taken })
	if i < 0 {
		return errors.New("too many reservations")
	}
	r := &reservation{
		ReservationID: bookingIDs()[i], UserID: u.UserID,
		Origin: c.text("origin"), Destination: c.text("destination"), FlightType: c.text("flight_type"), Cabin: c.text("cabin"),
		Passengers:     slices.Clone(c.passengers()),
		PaymentHistory: slices.Clone(argument[[]payment](c, "payment_methods")),
		CreatedAt:      now, Bags: c.number("total_baggages"), PaidBags: c.number("nonfree_baggages"), Insurance: c.text("insurance"),
	}
	for _, l := range c.legs() {
		s, err := d.buy(l, r.Cabin, len(r.Passengers))
		if err != nil {
			return err
		}
		r.Flights = append(r.Flights, s)
	}
	total := r.fare()*len(r.Passengers) + bagPrice*r.PaidBags
	if r.Insurance == "yes" {
		total += insurancePrice * len(r.Passengers)
	}
	if err := u.spend(r.PaymentHistory, total); err != nil {
		return err
	}
	for _, l := range r.legs() {
		_, in, _ := d.instance(l)
		in.Seats.rows[r.Cabin] -= len(r.Passengers)
	}
	d.Reservations.put(r.ReservationID, r)
	u.Reservations = append(u.Reservations, r.ReservationID)
	return nil
}

// spend takes the payments off the user's methods; a certificate is used up whole.
func (u *user) spend(payments []payment, total int) error {
	sum := 0
	for _, p := range payments {
		m, ok := u.PaymentMethods.get(p.PaymentID)
		if !ok {
			return fmt.Errorf("payment method %s not found", p.PaymentID)
		}
		if m.Amount != nil && *m.Amount < p.Amount {
			return fmt.Errorf("not enough balance in payment method %s", p.PaymentID)
		}
		sum += p.Amount
	}
	if sum != total {
		return fmt.Errorf("payment amount does not add up, total price is %d, but paid %d", total, sum)
	}
	for _, p := range payments {
		switch m, ok := u.PaymentMethods.get(p.PaymentID); {
		case !ok:
			return fmt.Errorf("certificate %s is listed twice", p.PaymentID)
		case m.Source == "certificate":
			u.PaymentMethods.drop(p.PaymentID)
		case m.Source == "gift_card":
			*m.Amount -= p.Amount
		}
	}
	return nil
}

// cancel writes the refunds down; it pays nothing back to gift cards and frees
// no seats. A second cancellation is refused here: no task should contain it.
func (d *database) cancel(id string) error {
	r, err := d.reservation(id)
	if err != nil {
		return err
	}
	if r.Status == "cancelled" {
		return errors.New("reservation is cancelled already")
	}
	for _, p := range slices.Clone(r.PaymentHistory) {
		r.PaymentHistory = append(r.PaymentHistory, payment{p.PaymentID, -p.Amount})
	}
	r.Status = "cancelled"
	return nil
}

func (d *database) sendCertificate(userID string, amount int) error {
	u, err := d.user(userID)
	if err != nil {
		return err
	}
	for _, id := range certificateIDs() {
		if _, taken := u.PaymentMethods.get(id); !taken {
			u.PaymentMethods.put(id, &method{Source: "certificate", ID: id, Amount: &amount})
			return nil
		}
	}
	return errors.New("too many certificates")
}

// settle charges a change of a reservation, or credits it if the price is negative.
func (d *database) settle(r *reservation, methodID string, price int) error {
	u, err := d.user(r.UserID)
	if err != nil {
		return err
	}
	m, ok := u.PaymentMethods.get(methodID)
	switch {
	case !ok:
		return errors.New("payment method not found")
	case m.Source == "certificate":
		return errors.New("certificate cannot be used to update reservation")
	case m.Source == "gift_card" && *m.Amount < price:
		return errors.New("gift card balance is not enough")
	case m.Source == "gift_card":
		*m.Amount -= price
	}
	if price != 0 {
		r.PaymentHistory = append(r.PaymentHistory, payment{methodID, price})
	}
	return nil
}

func (d *database) updateBags(id string, total, paid int, methodID string) error {
	r, err := d.reservation(id)
	if err != nil {
		return err
	}
	if err := d.settle(r, methodID, bagPrice*max(0, paid-r.PaidBags)); err != nil {
		return err
	}
	r.Bags, r.PaidBags = total, paid
	return nil
}

// updateFlights replaces all flights. A flight that stays keeps its old price,
// unless the cabin changes. An empty list is refused here: no task should contain it.
func (d *database) updateFlights(id, cabin string, legs []leg, methodID string) error {
	r, err := d.reservation(id)
	if err != nil {
		return err
	}
	if len(legs) == 0 {
		return errors.New("no flights are named")
	}
	var fresh []segment
	price := -r.fare()
	for _, l := range legs {
		i := slices.Index(r.legs(), l)
		if i >= 0 && cabin == r.Cabin {
			fresh = append(fresh, r.Flights[i])
		} else {
			s, err := d.buy(l, cabin, len(r.Passengers))
			if err != nil {
				return err
			}
			fresh = append(fresh, s)
		}
		price += fresh[len(fresh)-1].Price
	}
	if err := d.settle(r, methodID, price*len(r.Passengers)); err != nil {
		return err
	}
	r.Flights, r.Cabin = fresh, cabin
	return nil
}

func (d *database) updatePassengers(id string, fresh []passenger) error {
	r, err := d.reservation(id)
	if err != nil {
		return err
	}
	if len(fresh) != len(r.Passengers) {
		return errors.New("number of passengers does not match")
	}
	r.Passengers = slices.Clone(fresh)
	return nil
}
