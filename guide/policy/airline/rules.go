package airline

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tauguide/tauguide/guide/policy"
)

// Prices of extras, in dollars.
const (
	BagPrice       = 50
	InsurancePrice = 30 // per passenger
)

// Cabins lists the cabins that can be booked.
func Cabins() []string { return []string{"basic_economy", "economy", "business"} }

// FreeBags is how many bags each passenger takes free of charge.
func FreeBags(membership, cabin string) (int64, error) {
	row, member := map[string]int64{"regular": 0, "silver": 1, "gold": 2}[membership]
	column := slices.Index(Cabins(), cabin)
	if !member || column < 0 {
		return 0, fmt.Errorf("no allowance for membership %q in cabin %q", membership, cabin)
	}
	return row + int64(column), nil
}

// IsCard reports whether the method can settle the price of a change: a certificate cannot.
func (m Method) IsCard() bool { return m.Source == "credit_card" || m.Source == "gift_card" }

// Covers reports whether the method can settle an amount; a negative one is a refund.
func (m Method) Covers(amount float64) bool {
	return m.IsCard() && (m.Source != "gift_card" || m.Balance >= amount)
}

// TooMany names the first kind of payment method of which there are more than a reservation may be paid with, "" if
// there is none.
func TooMany(methods []Method) string {
	for _, limit := range []struct {
		source, name string
		most         int
	}{{"credit_card", "credit card", 1}, {"gift_card", "gift cards", 3}, {"certificate", "certificate", 1}} {
		n := 0
		for _, m := range methods {
			if m.Source == limit.source {
				n++
			}
		}
		if n > limit.most {
			return fmt.Sprintf("%d %s at most, not %d", limit.most, limit.name, n)
		}
	}
	return ""
}

// MaxPassengers is how many people one reservation is for at most.
const MaxPassengers = 5

// TakenOff reports whether a flight of that status has left.
func TakenOff(status string) bool {
	return status == "flying" || status == "departed" || status == "landed"
}

// WithinADay reports whether a reservation is at most 24 hours old, so that it may be cancelled for any reason.
func WithinADay(created string, now time.Time) bool {
	at, err := time.Parse("2006-01-02T15:04:05", created)
	return err == nil && now.Sub(at) <= 24*time.Hour
}

// MakesTrip reports whether legs make up a trip: connected, from its origin, and to its destination, for a round trip by
// way of the destination back to the origin.
func MakesTrip(legs []Leg, tripType string, trip Leg) bool {
	if len(legs) == 0 || legs[0].Origin != trip.Origin {
		return false
	}
	for i := 1; i < len(legs); i++ {
		if legs[i].Origin != legs[i-1].Destination {
			return false
		}
	}
	last := len(legs) - 1
	switch tripType {
	case "one_way":
		return legs[last].Destination == trip.Destination
	case "round_trip":
		return legs[last].Destination == trip.Origin &&
			slices.ContainsFunc(legs[:last], func(l Leg) bool { return l.Destination == trip.Destination })
	}
	return false
}

// SameFlights reports whether flights are those of the reservation, all of them, in any order.
func (r *Reservation) SameFlights(named []Flight) bool {
	return len(named) == len(r.Segments) && !slices.ContainsFunc(r.Segments, func(s Segment) bool { return !slices.Contains(named, s.Flight) })
}

// Repriced are those of the wanted flights that a change prices by today's fares: the new ones, and all if the cabin
// changes. The others keep the fare that was paid.
func (r *Reservation) Repriced(wanted []Flight, cabin string) []Flight {
	if cabin != r.Cabin {
		return wanted
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(f Flight) bool { _, kept := r.Segment(f); return kept })
}

// BookingPrice is the whole price of a booking with these arguments.
func BookingPrice(args policy.Record, fare func(f Flight, cabin string) (int64, error)) (int64, error) {
	heads := int64(len(args.List("passengers")))
	bags, ok := args.Number("nonfree_baggages")
	if !ok {
		return 0, errors.New("the number of paid bags is not known")
	}
	price := BagPrice * int64(bags)
	switch args.Text("insurance") {
	case "yes":
		price += InsurancePrice * heads
	case "no":
	default:
		return 0, errors.New("it is not known whether insurance is wanted")
	}
	for _, f := range Flights(args["flights"]) {
		each, err := fare(f, args.Text("cabin"))
		if err != nil {
			return 0, err
		}
		price += each * heads
	}
	return price, nil
}

// PaymentsTotal adds up a list of payments.
func PaymentsTotal(list any) (float64, error) {
	sum := 0.0
	for _, p := range policy.Records(list) {
		amount, ok := p.Number("amount")
		if !ok {
			return 0, errors.New("a payment has no amount")
		}
		sum += amount
	}
	return sum, nil
}

// CertificateRest is what payments leave unused of the certificates that they take.
func (k *Known) CertificateRest(list any) (float64, error) {
	rest := 0.0
	for _, p := range policy.Records(list) {
		m := k.Method(p.Text("payment_id"))
		if m.Source != "certificate" {
			continue
		}
		amount, ok := p.Number("amount")
		if !ok {
			return 0, errors.New("a payment has no amount")
		}
		rest += m.Balance - amount
	}
	return rest, nil
}

// ExtraBags is the number of bags that are charged: of the reservation that the arguments name, or of the booking that
// they are.
func (k *Known) ExtraBags(args policy.Record) (int64, error) {
	total, ok := args.Number("total_baggages")
	if !ok {
		return 0, errors.New("the number of bags is not known")
	}
	cabin, heads := args.Text("cabin"), len(args.List("passengers"))
	if args.Has("reservation_id") {
		b, err := k.booking(args.Text("reservation_id"))
		if err != nil {
			return 0, err
		}
		cabin, heads = b.Cabin, len(b.Passengers)
	}
	free, err := FreeBags(k.profile().Membership, cabin)
	return max(0, int64(total)-free*int64(heads)), err
}

// Fare is what a flight costs a passenger today.
func (k *Known) Fare(f Flight, cabin string) (int64, error) {
	o, ok := k.offers[f]
	if !ok {
		return 0, fmt.Errorf("no search result lists flight %s", f)
	}
	fare, ok := o.Fares.Number(cabin)
	if !ok {
		return 0, fmt.Errorf("flight %s has no fare for cabin %q", f, cabin)
	}
	return int64(fare), nil
}

// PriceChange is what a change of flights, cabin or bags costs; negative where it brings a refund.
func (k *Known) PriceChange(args policy.Record) (int64, error) {
	b, err := k.booking(args.Text("reservation_id"))
	if err != nil {
		return 0, err
	}
	if args.Has("nonfree_baggages") {
		n, ok := args.Number("nonfree_baggages")
		if !ok {
			return 0, errors.New("the number of paid bags is no number")
		}
		return BagPrice * max(0, int64(n)-b.PaidBags), nil
	}
	wanted, cabin := Flights(args["flights"]), args.Text("cabin")
	if len(wanted) == 0 || cabin == "" {
		return 0, errors.New("flights and cabin are not known")
	}
	var change int64
	for _, f := range wanted {
		s, kept := b.Segment(f)
		fare := s.Fare
		if !kept || cabin != b.Cabin {
			if fare, err = k.Fare(f, cabin); err != nil {
				return 0, err
			}
		}
		change += fare
	}
	for _, s := range b.Segments {
		change -= s.Fare
	}
	return change * int64(len(b.Passengers)), nil
}

// FlightsOffered reports whether search results list every flight that is to be booked: for a change those that it
// gives a new price.
func (k *Known) FlightsOffered(args policy.Record) (bool, error) {
	wanted := Flights(args["flights"])
	missing := wanted
	if args.Has("reservation_id") {
		b, err := k.booking(args.Text("reservation_id"))
		if err != nil {
			return false, err
		}
		missing = b.Repriced(wanted, args.Text("cabin"))
	}
	for _, f := range missing {
		if _, listed := k.offers[f]; !listed {
			return false, fmt.Errorf("no search result lists flight %s", f)
		}
	}
	return len(wanted) > 0, nil
}

// SeatsForAll reports whether every flight of a booking has a seat in its cabin for each passenger.
func (k *Known) SeatsForAll(args policy.Record) (bool, error) {
	heads, cabin := len(args.List("passengers")), args.Text("cabin")
	for _, f := range Flights(args["flights"]) {
		seats, ok := k.offers[f].Seats.Number(cabin)
		if !ok {
			return false, fmt.Errorf("no search result lists seats in cabin %q on flight %s", cabin, f)
		}
		if int(seats) < heads {
			return false, fmt.Errorf("flight %s has %d seats in cabin %q", f, int(seats), cabin)
		}
	}
	return true, nil
}

// legs finds where flights go from and to, in the reservation, if there is one, or in search results.
func (k *Known) legs(r *Reservation, wanted []Flight) ([]Leg, error) {
	out := make([]Leg, len(wanted))
	for i, f := range wanted {
		if r != nil {
			if s, kept := r.Segment(f); kept {
				out[i] = s.Leg
				continue
			}
		}
		o, listed := k.offers[f]
		if !listed {
			return nil, fmt.Errorf("no result tells where flight %s goes", f)
		}
		out[i] = o.Leg
	}
	return out, nil
}

// TripFits reports whether the flights of a booking are the trip that its other arguments name.
func (k *Known) TripFits(args policy.Record) (bool, error) {
	legs, err := k.legs(nil, Flights(args["flights"]))
	return MakesTrip(legs, args.Text("flight_type"), legOf(args)), err
}

// TripKept reports whether flights are the reservation's trip.
func (k *Known) TripKept(id string, wanted []Flight) (bool, error) {
	b, err := k.booking(id)
	if err != nil {
		return false, err
	}
	legs, err := k.legs(b.Reservation, wanted)
	return MakesTrip(legs, b.TripType, b.Leg), err
}

// SameFlights reports whether flights are those of the reservation.
func (k *Known) SameFlights(id string, wanted []Flight) (bool, error) {
	b, err := k.booking(id)
	return err == nil && b.SameFlights(wanted), err
}

// Compensation is what a reservation with a cancelled or delayed flight gives its user.
type Compensation struct {
	Reservation, Kind string
	Amount            int64 // in dollars
	Qualifies         bool  // by membership, insurance or cabin
	Changed           bool  // the reservation was changed or cancelled, without which a delay gives nothing
}

// Due reports whether it may be offered now.
func (c Compensation) Due() bool { return c.Qualifies && (c.Kind == "cancelled" || c.Changed) }

// Compensations lists what the user's reservations give. A flight counts with the version of the reservation that it was
// in: who rebooked away from a cancelled flight may still complain about it, and who moved up to business afterwards did
// not fly business on it.
func (k *Known) Compensations() []Compensation {
	var out []Compensation
	member := k.profile().Membership
	for _, b := range k.own() {
		for _, kind := range []struct {
			name    string
			perHead int64
		}{{"cancelled", 100}, {"delayed", 50}} {
			cabin, hit := k.cabinOf(b, kind.name)
			if !hit {
				continue
			}
			out = append(out, Compensation{Reservation: b.ID, Kind: kind.name, Amount: kind.perHead * int64(len(b.Passengers)), Changed: b.Changed,
				Qualifies: member == "silver" || member == "gold" || b.Insurance == "yes" || cabin == "business"})
		}
	}
	return out
}

// cabinOf is the cabin of the first version of a reservation that has a flight of that status.
func (k *Known) cabinOf(b *Booking, status string) (cabin string, found bool) {
	for _, v := range b.Versions {
		if slices.ContainsFunc(v.Segments, func(s Segment) bool { return k.status[s.Flight] == status }) {
			return v.Cabin, true
		}
	}
	return "", false
}
