package airline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Known is what the agent has learnt from the airline's tools so far, with the texts of the conversation.
type Known struct {
	trace *guide.Trace
	texts *Texts

	User     string // the latest profile that was read for an id that the user stated; "" before that
	profiles map[string]*Profile
	bookings map[string]*Booking
	order    []string // ids of reservations, as they came up
	offers   map[Flight]Offer
	status   map[Flight]string
}

// Booking is a reservation as the latest result has it, with its history in the conversation.
type Booking struct {
	*Reservation
	Versions []*Reservation // in order, the latest included
	Changed  bool           // its flights or cabin were changed, or it was cancelled, in this conversation
}

// Known reads all results of a trace in the order of the calls, once for each of its lengths.
func (x *Texts) Known(t *guide.Trace) *Known {
	return t.Derived(x, func() any {
		k := &Known{trace: t, texts: x, profiles: map[string]*Profile{}, bookings: map[string]*Booking{}, offers: map[Flight]Offer{}, status: map[Flight]string{}}
		for _, c := range t.Calls {
			if c.OK {
				k.read(c)
			}
		}
		return k
	}).(*Known)
}

func (k *Known) read(c *guide.Call) {
	result := c.Plain()
	switch c.Name {
	case "get_user_details":
		k.readProfile(ProfileOf(policy.RecordOf(result)))
	case "get_flight_status":
		status, _ := result.(string)
		k.status[Flight{c.Arg("flight_number"), c.Arg("date")}] = status
	case "search_direct_flight", "search_onestop_flight":
		for _, o := range Offers(c.Name, policy.Record{"date": c.Arg("date")}, result) {
			k.offers[o.Flight] = o
		}
	case "get_reservation_details", "book_reservation", "update_reservation_baggages", "update_reservation_passengers":
		k.readReservation(ReservationOf(policy.RecordOf(result)), false)
	case "update_reservation_flights", "cancel_reservation":
		k.readReservation(ReservationOf(policy.RecordOf(result)), true)
	}
}

func (k *Known) readProfile(p *Profile) {
	if p == nil {
		return
	}
	// A method that a booking used up stays known, so that a booking that was made keeps making sense.
	if old := k.profiles[p.ID]; old != nil {
		for id, m := range old.Methods {
			if _, has := p.Methods[id]; !has {
				p.Methods[id] = m
			}
		}
	}
	k.profiles[p.ID] = p
	if slices.ContainsFunc(k.trace.User, func(s guide.Said) bool { return statesID(s.Text, p.ID) }) {
		k.User = p.ID
	}
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

func (k *Known) readReservation(r *Reservation, changed bool) {
	if r == nil {
		return
	}
	b := k.bookings[r.ID]
	if b == nil {
		b = &Booking{}
		k.bookings[r.ID] = b
		k.order = append(k.order, r.ID)
	}
	b.Reservation, b.Changed = r, b.Changed || changed
	b.Versions = append(b.Versions, r)
}

// Bookings lists the reservations that were read, in the order in which they came up.
func (k *Known) Bookings() []*Booking {
	var out []*Booking
	for _, id := range k.order {
		out = append(out, k.bookings[id])
	}
	return out
}

// own lists those of the user.
func (k *Known) own() []*Booking {
	return slices.DeleteFunc(k.Bookings(), func(b *Booking) bool { return b.User != k.User })
}

// booking returns a reservation that a tool result showed.
func (k *Known) booking(id string) (*Booking, error) {
	if b := k.bookings[id]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("reservation %q has not been read", id)
}

// profile is the user's profile, an empty one while it was not read.
func (k *Known) profile() *Profile {
	if p := k.profiles[k.User]; p != nil {
		return p
	}
	return &Profile{}
}

// Method returns a payment method of the user's profile.
func (k *Known) Method(id string) Method { return k.profile().Methods[id] }

// LookedUp lists the flights of the user's reservations, earlier versions included, whose status was read.
func (k *Known) LookedUp() []Flight {
	var out []Flight
	for _, b := range k.own() {
		var seen []Flight
		for _, v := range b.Versions {
			for _, s := range v.Segments {
				if k.status[s.Flight] != "" && !slices.Contains(seen, s.Flight) {
					seen = append(seen, s.Flight)
				}
			}
		}
		out = append(out, seen...)
	}
	return out
}

// State says whether a flight has been flown.
type State int

// The states of a flight.
const (
	Ahead State = iota
	Flown
	Undetermined // it leaves today and nobody has looked
)

// State goes by the status that get_flight_status gave, and otherwise by the date.
func (k *Known) State(f Flight) State {
	switch status := k.status[f]; {
	case TakenOff(status):
		return Flown
	case status != "":
		return Ahead
	case f.Date < Today():
		return Flown
	case f.Date == Today():
		return Undetermined
	}
	return Ahead
}

// Cancelled reports whether get_flight_status said that the airline cancelled a flight.
func (k *Known) Cancelled(f Flight) bool { return k.status[f] == "cancelled" }
