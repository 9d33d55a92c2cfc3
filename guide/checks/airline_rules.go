package checks

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tauguide/tauguide/domains/value"
)

// Prices of extras, in dollars.
const (
	airBagPrice       = 50
	airInsurancePrice = 30 // per passenger
)

// freeBags is how many bags each passenger takes free of charge.
func freeBags(membership, cabin string) (int64, error) {
	row, member := map[string]int64{"regular": 0, "silver": 1, "gold": 2}[membership]
	column, known := map[string]int64{"basic_economy": 0, "economy": 1, "business": 2}[cabin]
	if !member || !known {
		return 0, fmt.Errorf("no allowance for membership %q in cabin %q", membership, cabin)
	}
	return row + column, nil
}

// loaded returns a reservation that a tool result showed.
func (d *airDesk) loaded(id any) (*airReservation, error) {
	name, _ := id.(string)
	if r := d.reservations[name]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("reservation %q has not been read", name)
}

// extraBags is the number of bags that are charged: of the reservation that the arguments name, or of the booking that
// they are.
func (d *airDesk) extraBags(args map[string]any) (int64, error) {
	total, ok := airNumber(args["total_baggages"])
	if !ok {
		return 0, errors.New("the number of bags is not known")
	}
	cabin, heads := airText(args, "cabin"), len(airList(args["passengers"]))
	if id, has := args["reservation_id"]; has {
		r, err := d.loaded(id)
		if err != nil {
			return 0, err
		}
		cabin, heads = r.cabin, len(r.passengers)
	}
	free, err := freeBags(d.users[d.user].membership, cabin)
	return max(0, int64(total)-free*int64(heads)), err
}

// covers reports whether a card can pay an amount; a negative one is a refund. A certificate never can.
func (m airMethod) covers(amount float64) bool {
	return m.source == "credit_card" || m.source == "gift_card" && m.balance >= amount
}

func paymentsTotal(v any) (float64, error) {
	sum := 0.0
	for _, x := range airList(v) {
		amount, ok := airNumber(airObject(x)["amount"])
		if !ok {
			return 0, errors.New("a payment has no amount")
		}
		sum += amount
	}
	return sum, nil
}

// certificateRest is what the booking leaves unused of the certificates that it takes.
func (d *airDesk) certificateRest(v any) (float64, error) {
	rest := 0.0
	for _, x := range airList(v) {
		p := airObject(x)
		m := d.method(p["payment_id"])
		if m.source != "certificate" {
			continue
		}
		amount, ok := airNumber(p["amount"])
		if !ok {
			return 0, errors.New("a payment has no amount")
		}
		rest += m.balance - amount
	}
	return rest, nil
}

// fare is what a flight costs a passenger today.
func (d *airDesk) fare(f airFlight, cabin string) (int64, error) {
	o, ok := d.offers[f]
	if !ok {
		return 0, fmt.Errorf("no search result lists flight %s", f)
	}
	fare, ok := airNumber(o.fares[cabin])
	if !ok {
		return 0, fmt.Errorf("flight %s has no fare for cabin %q", f, cabin)
	}
	return int64(fare), nil
}

// priceChange is what a change of flights, cabin or bags costs; negative where it brings a refund. A flight that stays
// in the same cabin keeps the fare that was paid.
func (d *airDesk) priceChange(args map[string]any) (int64, error) {
	r, err := d.loaded(args["reservation_id"])
	if err != nil {
		return 0, err
	}
	if bags, has := args["nonfree_baggages"]; has {
		n, ok := airNumber(bags)
		if !ok {
			return 0, errors.New("the number of paid bags is no number")
		}
		return airBagPrice * max(0, int64(n)-r.paidBags), nil
	}
	wanted, cabin := airFlights(args["flights"]), airText(args, "cabin")
	if len(wanted) == 0 || cabin == "" {
		return 0, errors.New("flights and cabin are not known")
	}
	var change int64
	for _, f := range wanted {
		fare := int64(0)
		if s, kept := r.holds(f); kept && cabin == r.cabin {
			fare = s.fare
		} else if fare, err = d.fare(f, cabin); err != nil {
			return 0, err
		}
		change += fare
	}
	for _, s := range r.segments {
		change -= s.fare
	}
	return change * int64(len(r.passengers)), nil
}

// bookingPrice is the whole price of a booking.
func (d *airDesk) bookingPrice(args map[string]any) (float64, error) {
	heads := float64(len(airList(args["passengers"])))
	bags, ok := airNumber(args["nonfree_baggages"])
	if !ok {
		return 0, errors.New("the number of paid bags is not known")
	}
	price := airBagPrice * bags
	switch airText(args, "insurance") {
	case "yes":
		price += airInsurancePrice * heads
	case "no":
	default:
		return 0, errors.New("it is not known whether insurance is wanted")
	}
	for _, f := range airFlights(args["flights"]) {
		fare, err := d.fare(f, airText(args, "cabin"))
		if err != nil {
			return 0, err
		}
		price += float64(fare) * heads
	}
	return price, nil
}

// flightsOffered reports whether search results list every flight that is to be booked: for a change those that it
// brings in and those that another cabin prices anew.
func (d *airDesk) flightsOffered(args map[string]any) (bool, error) {
	wanted := airFlights(args["flights"])
	var r *airReservation
	if id, has := args["reservation_id"]; has {
		var err error
		if r, err = d.loaded(id); err != nil {
			return false, err
		}
	}
	for _, f := range wanted {
		if r != nil {
			if _, kept := r.holds(f); kept && airText(args, "cabin") == r.cabin {
				continue
			}
		}
		if _, listed := d.offers[f]; !listed {
			return false, fmt.Errorf("no search result lists flight %s", f)
		}
	}
	return len(wanted) > 0, nil
}

// seatsForAll reports whether every flight of a booking has a seat in its cabin for each passenger.
func (d *airDesk) seatsForAll(args map[string]any) (bool, error) {
	heads, cabin := len(airList(args["passengers"])), airText(args, "cabin")
	for _, f := range airFlights(args["flights"]) {
		seats, ok := airNumber(d.offers[f].seats[cabin])
		if !ok {
			return false, fmt.Errorf("no search result lists seats in cabin %q on flight %s", cabin, f)
		}
		if int(seats) < heads {
			return false, fmt.Errorf("flight %s has %d seats in cabin %q", f, int(seats), cabin)
		}
	}
	return true, nil
}

// makesTrip reports whether legs are a trip: connected, from the origin, and to the destination, for a round trip by
// way of the destination back to the origin.
func makesTrip(legs []airLeg, tripType, origin, destination string) bool {
	if len(legs) == 0 || legs[0].origin != origin {
		return false
	}
	for i := 1; i < len(legs); i++ {
		if legs[i].origin != legs[i-1].destination {
			return false
		}
	}
	last := len(legs) - 1
	switch tripType {
	case "one_way":
		return legs[last].destination == destination
	case "round_trip":
		return legs[last].destination == origin &&
			slices.ContainsFunc(legs[:last], func(l airLeg) bool { return l.destination == destination })
	}
	return false
}

// legs finds where flights go from and to, in the reservation, if there is one, or in search results.
func (d *airDesk) legs(r *airReservation, wanted []airFlight) ([]airLeg, error) {
	out := make([]airLeg, len(wanted))
	for i, f := range wanted {
		if r != nil {
			if s, kept := r.holds(f); kept {
				out[i] = s.airLeg
				continue
			}
		}
		o, listed := d.offers[f]
		if !listed {
			return nil, fmt.Errorf("no result tells where flight %s goes", f)
		}
		out[i] = o.airLeg
	}
	return out, nil
}

// tripFits reports whether the flights of a booking are the trip that its other arguments name.
func (d *airDesk) tripFits(args map[string]any) (bool, error) {
	legs, err := d.legs(nil, airFlights(args["flights"]))
	return makesTrip(legs, airText(args, "flight_type"), airText(args, "origin"), airText(args, "destination")), err
}

// tripKept reports whether flights are the reservation's trip.
func (d *airDesk) tripKept(id, wanted any) (bool, error) {
	r, err := d.loaded(id)
	if err != nil {
		return false, err
	}
	legs, err := d.legs(r, airFlights(wanted))
	return makesTrip(legs, r.tripType, r.origin, r.destination), err
}

// sameFlights reports whether flights are those of the reservation, all of them, in any order.
func (d *airDesk) sameFlights(id, wanted any) (bool, error) {
	r, err := d.loaded(id)
	if err != nil {
		return false, err
	}
	named := airFlights(wanted)
	for _, s := range r.segments {
		if !slices.Contains(named, s.airFlight) {
			return false, nil
		}
	}
	return len(named) == len(r.segments), nil
}

// The values of tool results and arguments in plain Go. What is not of the wanted kind reads as empty.

func airObject(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func airList(v any) []any {
	l, _ := v.([]any)
	return l
}

func airText(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func airNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

func airWhole(v any) int64 {
	n, _ := airNumber(v)
	return int64(n)
}

// moneyText prints an amount as people write it: without a fraction where there is none.
func moneyText(amount float64) string {
	if amount == math.Trunc(amount) && math.Abs(amount) < 1e15 {
		return value.OfInt(int64(amount)).Str()
	}
	return fmt.Sprintf("%.2f", amount)
}
