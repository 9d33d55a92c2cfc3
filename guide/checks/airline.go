package checks

import (
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/guide"
)

// airlineNow is the moment at which every conversation with the airline takes place. The policies name a zone, but all
// times of the data are without one, so that it is left out here too.
func airlineNow() time.Time { return time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC) }

// airline is the vocabulary of the airline's service desk.
func airline() guide.Vocabulary {
	texts := airTexts{newMemo(newAirSpeech)}
	return guide.Vocabulary{
		Facts: func(t *guide.Trace) map[string]any { return texts.desk(t).facts(t) },
		Targets: map[string]string{
			"book_reservation": "user_id", "send_certificate": "user_id",
			"cancel_reservation": "reservation_id", "update_reservation_baggages": "reservation_id",
			"update_reservation_flights": "reservation_id", "update_reservation_passengers": "reservation_id",
		},
		Now:     airlineNow(),
		Helpers: airlineHelpers(texts),
	}
}

// airlineHelpers declares the helper functions that README.md documents. All of them read the desk.
func airlineHelpers(texts airTexts) []cel.EnvOption {
	var (
		text  = []*cel.Type{cel.StringType}
		any1  = []*cel.Type{cel.DynType}
		about = []*cel.Type{cel.StringType, cel.DynType}
	)
	var out []cel.EnvOption
	add := func(name string, args []*cel.Type, result *cel.Type, run func(d *airDesk, args []any) (any, error)) {
		out = append(out, guide.TraceFunction(name, args, result, func(t *guide.Trace, in []ref.Val) ref.Val {
			plain := make([]any, len(in))
			for i, v := range in {
				plain[i] = v.Value()
			}
			got, err := run(texts.desk(t), plain)
			if err != nil {
				return types.NewErr("%s: %s", name, err)
			}
			return types.DefaultTypeAdapter.NativeToValue(got)
		})...)
	}
	add("method_source", text, cel.StringType, func(d *airDesk, a []any) (any, error) { return d.method(a[0]).source, nil })
	add("covers", []*cel.Type{cel.StringType, cel.IntType}, cel.BoolType, func(d *airDesk, a []any) (any, error) {
		return d.method(a[0]).covers(float64(a[1].(int64))), nil
	})
	add("payments_total", any1, cel.DoubleType, func(_ *airDesk, a []any) (any, error) { return paymentsTotal(a[0]) })
	add("certificate_rest", any1, cel.DoubleType, func(d *airDesk, a []any) (any, error) { return d.certificateRest(a[0]) })
	add("extra_bags", any1, cel.IntType, func(d *airDesk, a []any) (any, error) { return d.extraBags(airObject(a[0])) })
	add("price_change", any1, cel.IntType, func(d *airDesk, a []any) (any, error) { return d.priceChange(airObject(a[0])) })
	add("booking_price", any1, cel.DoubleType, func(d *airDesk, a []any) (any, error) { return d.bookingPrice(airObject(a[0])) })
	add("flights_offered", any1, cel.BoolType, func(d *airDesk, a []any) (any, error) { return d.flightsOffered(airObject(a[0])) })
	add("seats_for_all", any1, cel.BoolType, func(d *airDesk, a []any) (any, error) { return d.seatsForAll(airObject(a[0])) })
	add("trip_fits", any1, cel.BoolType, func(d *airDesk, a []any) (any, error) { return d.tripFits(airObject(a[0])) })
	add("trip_kept", about, cel.BoolType, func(d *airDesk, a []any) (any, error) { return d.tripKept(a[0], a[1]) })
	add("same_flights", about, cel.BoolType, func(d *airDesk, a []any) (any, error) { return d.sameFlights(a[0], a[1]) })
	out = append(out, guide.TraceFunction("passengers_known", any1, cel.BoolType, func(t *guide.Trace, in []ref.Val) ref.Val {
		return types.Bool(texts.desk(t).passengersKnown(t, in[0].Value()))
	})...)
	out = append(out, guide.TraceFunction("summary_index", any1, cel.IntType, func(t *guide.Trace, in []ref.Val) ref.Val {
		d := texts.desk(t)
		return types.Int(d.summaryIndex(t, d.details(airObject(in[0].Value()))))
	})...)
	return append(out, guide.TraceFunction("agreement_index", any1, cel.IntType, func(t *guide.Trace, in []ref.Val) ref.Val {
		d := texts.desk(t)
		return types.Int(d.agreementIndex(t, d.details(airObject(in[0].Value()))))
	})...)
}

// facts is the desk as checks see it.
func (d *airDesk) facts(t *guide.Trace) map[string]any {
	reservations := map[string]any{}
	compensation, lookedUp := []any{}, []any{}
	for _, id := range d.order {
		r := d.reservations[id]
		reservations[id] = d.show(r)
		if r.user != d.user {
			continue
		}
		for _, s := range r.everyFlight() {
			if d.status[s] != "" {
				lookedUp = append(lookedUp, s.String())
			}
		}
		for _, kind := range []string{"cancelled", "delayed"} {
			if c := d.entitlement(r, kind); c != nil {
				compensation = append(compensation, c)
			}
		}
	}
	given, covered := d.cancelReason(t)
	return map[string]any{
		"user": d.user, "reservations": reservations, "compensation": compensation, "looked_up": lookedUp,
		"reason_given": given, "reason_covered": covered, "compensation_asked": d.compensationAsked(t),
	}
}

// show is a reservation as the latest result has it, with what is known of its flights.
func (d *airDesk) show(r *airReservation) map[string]any {
	out := map[string]any{}
	for k, v := range r.raw {
		out[k] = v
	}
	flown, undetermined, cancelled := []any{}, []any{}, []any{}
	for _, s := range r.segments {
		name := s.airFlight.String()
		switch d.state(s.airFlight) {
		case airFlown:
			flown = append(flown, name)
		case airUnknown:
			undetermined = append(undetermined, name)
		}
		if d.status[s.airFlight] == "cancelled" {
			cancelled = append(cancelled, name)
		}
	}
	out["flown"], out["undetermined"], out["cancelled_flights"] = flown, undetermined, cancelled
	return out
}

// entitlement is what a reservation with a cancelled or delayed flight gives its user; nil if the tools showed no
// such flight. A flight counts with the version of the reservation that it was in: who rebooked away from a cancelled
// flight may still complain about it, and who moved up to business afterwards did not fly business on it.
func (d *airDesk) entitlement(r *airReservation, kind string) map[string]any {
	perHead := map[string]int64{"cancelled": 100, "delayed": 50}[kind]
	hit, business := false, false
	for _, v := range r.versions {
		for _, s := range v.segments {
			if d.status[s.airFlight] == kind {
				business = business || (!hit && v.cabin == "business")
				hit = true
			}
		}
	}
	if !hit {
		return nil
	}
	member := d.users[d.user].membership
	qualifies := member == "silver" || member == "gold" || r.insurance == "yes" || business
	return map[string]any{
		"reservation": r.id, "kind": kind, "amount": perHead * int64(len(r.passengers)), "qualifies": qualifies,
		"changed": r.changed, "due": qualifies && (kind == "cancelled" || r.changed),
	}
}
