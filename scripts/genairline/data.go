package main

import (
	"bytes"
	"encoding/json"
	"slices"
)

// table is a JSON object whose members keep the order in which they were put.
type table[T any] struct {
	keys []string
	rows map[string]T
}

func (t *table[T]) put(key string, row T) {
	if t.rows == nil {
		t.rows = map[string]T{}
	}
	if _, ok := t.rows[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.rows[key] = row
}

func (t *table[T]) get(key string) (T, bool) {
	row, ok := t.rows[key]
	return row, ok
}

func (t *table[T]) drop(key string) {
	t.keys = slices.DeleteFunc(t.keys, func(k string) bool { return k == key })
	delete(t.rows, key)
}

// MarshalJSON implements json.Marshaler.
func (t table[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range t.keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(key)
		if err != nil {
			return nil, err
		}
		row, err := encode(t.rows[key])
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(row)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without the escapes meant for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

type database struct {
	Flights      table[*flight]      `json:"flights"`
	Users        table[*user]        `json:"users"`
	Reservations table[*reservation] `json:"reservations"`
}

// flight is one scheduled connection. Arrivals on the next day end in "+1".
type flight struct {
	Number      string           `json:"flight_number"`
	Origin      string           `json:"origin"`
	Destination string           `json:"destination"`
	Departure   string           `json:"scheduled_departure_time_est"`
	Arrival     string           `json:"scheduled_arrival_time_est"`
	Dates       table[*instance] `json:"dates"`
}

// instance is a flight on one date. Which of the members it has depends on the status.
type instance struct {
	Status             string     `json:"status"`
	EstimatedDeparture string     `json:"estimated_departure_time_est,omitempty"`
	ActualDeparture    string     `json:"actual_departure_time_est,omitempty"`
	EstimatedArrival   string     `json:"estimated_arrival_time_est,omitempty"`
	ActualArrival      string     `json:"actual_arrival_time_est,omitempty"`
	Seats              table[int] `json:"available_seats,omitzero"`
	Prices             table[int] `json:"prices,omitzero"` // US dollars per passenger
}

type user struct {
	UserID          string         `json:"user_id"`
	Name            fullName       `json:"name"`
	Address         address        `json:"address"`
	Email           string         `json:"email"`
	DOB             string         `json:"dob"`
	PaymentMethods  table[*method] `json:"payment_methods"`
	SavedPassengers []passenger    `json:"saved_passengers"`
	Membership      string         `json:"membership"`
	Reservations    []string       `json:"reservations"`
}

type fullName struct {
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

type address struct {
	Address1 string  `json:"address1"`
	Address2 *string `json:"address2"`
	City     string  `json:"city"`
	Country  string  `json:"country"`
	State    string  `json:"state"`
	Zip      string  `json:"zip"`
}

// method is a payment method. Brand and LastFour belong to credit cards,
// Amount (whole US dollars) to gift cards and certificates.
type method struct {
	Source   string `json:"source"`
	ID       string `json:"id"`
	Brand    string `json:"brand,omitempty"`
	LastFour string `json:"last_four,omitempty"`
	Amount   *int   `json:"amount,omitempty"`
}

type passenger struct {
	First string `json:"first_name"`
	Last  string `json:"last_name"`
	DOB   string `json:"dob"`
}

type reservation struct {
	ReservationID  string      `json:"reservation_id"`
	UserID         string      `json:"user_id"`
	Origin         string      `json:"origin"`
	Destination    string      `json:"destination"`
	FlightType     string      `json:"flight_type"`
	Cabin          string      `json:"cabin"`
	Flights        []segment   `json:"flights"`
	Passengers     []passenger `json:"passengers"`
	PaymentHistory []payment   `json:"payment_history"`
	CreatedAt      string      `json:"created_at"`
	Bags           int         `json:"total_baggages"`
	PaidBags       int         `json:"nonfree_baggages"`
	Insurance      string      `json:"insurance"`
	Status         string      `json:"status,omitempty"`
}

// segment is a booked flight with the price that each passenger paid.
type segment struct {
	Number      string `json:"flight_number"`
	Origin      string `json:"origin"`
	Destination string `json:"destination"`
	Date        string `json:"date"`
	Price       int    `json:"price"`
}

// leg names a flight on a date.
type leg struct {
	Number string `json:"flight_number"`
	Date   string `json:"date"`
}

type payment struct {
	PaymentID string `json:"payment_id"`
	Amount    int    `json:"amount"`
}

// call is a tool call with its arguments in the order of the tool's parameters.
type call struct {
	Name      string     `json:"name"`
	Arguments table[any] `json:"arguments"`
}

// do builds a call from a tool name and alternating parameter names and values.
func do(name string, pairs ...any) call {
	c := call{Name: name}
	for i := 0; i+1 < len(pairs); i += 2 {
		c.Arguments.put(pairs[i].(string), pairs[i+1])
	}
	return c
}

// argument is the value of a parameter, the zero value if it is missing or of another type.
func argument[T any](c call, parameter string) T {
	v, _ := c.Arguments.get(parameter)
	t, _ := v.(T)
	return t
}

func (c call) text(parameter string) string { return argument[string](c, parameter) }

func (c call) number(parameter string) int { return argument[int](c, parameter) }

func (c call) legs() []leg { return argument[[]leg](c, "flights") }

func (c call) passengers() []passenger { return argument[[]passenger](c, "passengers") }

func (c call) same(other call) bool {
	a, errA := encode(c)
	b, errB := encode(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// fare is what one passenger paid for all flights.
func (r *reservation) fare() int {
	sum := 0
	for _, s := range r.Flights {
		sum += s.Price
	}
	return sum
}

// paid is what was paid for the reservation and not refunded.
func (r *reservation) paid() int {
	sum := 0
	for _, p := range r.PaymentHistory {
		sum += p.Amount
	}
	return sum
}

func (r *reservation) legs() []leg {
	out := make([]leg, 0, len(r.Flights))
	for _, s := range r.Flights {
		out = append(out, leg{s.Number, s.Date})
	}
	return out
}
