package checks

import (
	"maps"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/airline"
)

// airlineVocabulary offers what the airline's policy says about what is known in a conversation.
func airlineVocabulary() guide.Vocabulary {
	said := airline.NewTexts()
	return guide.Vocabulary{
		Facts: func(t *guide.Trace) map[string]any { return airlineFacts(said.Known(t)) },
		Targets: map[string]string{
			"book_reservation": "user_id", "send_certificate": "user_id",
			"cancel_reservation": "reservation_id", "update_reservation_baggages": "reservation_id",
			"update_reservation_flights": "reservation_id", "update_reservation_passengers": "reservation_id",
		},
		Now:     airline.Now(),
		Helpers: airlineHelpers(said),
	}
}

// airlineHelpers declares the helper functions that README.md documents.
func airlineHelpers(said *airline.Texts) []cel.EnvOption {
	text := func(a any) string { s, _ := a.(string); return s }
	id, one, two := []*cel.Type{cel.StringType}, []*cel.Type{cel.DynType}, []*cel.Type{cel.StringType, cel.DynType}
	var out []cel.EnvOption
	add := func(name string, takes []*cel.Type, gives *cel.Type, run func(k *airline.Known, args []any) (any, error)) {
		out = append(out, guide.TraceFunction(name, takes, gives, func(t *guide.Trace, in []ref.Val) ref.Val {
			args := make([]any, len(in))
			for i, v := range in {
				args[i] = v.Value()
			}
			got, err := run(said.Known(t), args)
			if err != nil {
				return types.NewErr("%s: %s", name, err)
			}
			return types.DefaultTypeAdapter.NativeToValue(got)
		})...)
	}
	rule := func(name string, gives *cel.Type, run func(k *airline.Known, args policy.Record) (any, error)) {
		add(name, one, gives, func(k *airline.Known, a []any) (any, error) { return run(k, policy.RecordOf(a[0])) })
	}
	add("method_source", id, cel.StringType, func(k *airline.Known, a []any) (any, error) { return k.Method(text(a[0])).Source, nil })
	add("covers", []*cel.Type{cel.StringType, cel.IntType}, cel.BoolType, func(k *airline.Known, a []any) (any, error) {
		return k.Method(text(a[0])).Covers(float64(a[1].(int64))), nil
	})
	add("payments_total", one, cel.DoubleType, func(_ *airline.Known, a []any) (any, error) { return airline.PaymentsTotal(a[0]) })
	add("certificate_rest", one, cel.DoubleType, func(k *airline.Known, a []any) (any, error) { return k.CertificateRest(a[0]) })
	add("passengers_known", one, cel.BoolType, func(k *airline.Known, a []any) (any, error) { return k.PassengersKnown(a[0]), nil })
	add("trip_kept", two, cel.BoolType, func(k *airline.Known, a []any) (any, error) { return k.TripKept(text(a[0]), airline.Flights(a[1])) })
	add("same_flights", two, cel.BoolType, func(k *airline.Known, a []any) (any, error) {
		return k.SameFlights(text(a[0]), airline.Flights(a[1]))
	})
	rule("extra_bags", cel.IntType, func(k *airline.Known, r policy.Record) (any, error) { return k.ExtraBags(r) })
	rule("price_change", cel.IntType, func(k *airline.Known, r policy.Record) (any, error) { return k.PriceChange(r) })
	rule("booking_price", cel.DoubleType, func(k *airline.Known, r policy.Record) (any, error) {
		price, err := airline.BookingPrice(r, k.Fare)
		return float64(price), err
	})
	rule("flights_offered", cel.BoolType, func(k *airline.Known, r policy.Record) (any, error) { return k.FlightsOffered(r) })
	rule("seats_for_all", cel.BoolType, func(k *airline.Known, r policy.Record) (any, error) { return k.SeatsForAll(r) })
	rule("trip_fits", cel.BoolType, func(k *airline.Known, r policy.Record) (any, error) { return k.TripFits(r) })
	rule("summary_index", cel.IntType, func(k *airline.Known, r policy.Record) (any, error) { return k.SummaryIndex(r), nil })
	rule("agreement_index", cel.IntType, func(k *airline.Known, r policy.Record) (any, error) { return k.AgreementIndex(r), nil })
	return out
}

// airlineFacts is what is known as checks see it.
func airlineFacts(k *airline.Known) map[string]any {
	reservations, compensation := map[string]any{}, []any{}
	for _, b := range k.Bookings() {
		reservations[b.ID] = reservationFacts(k, b)
	}
	for _, c := range k.Compensations() {
		compensation = append(compensation, map[string]any{
			"reservation": c.Reservation, "kind": c.Kind, "amount": c.Amount, "qualifies": c.Qualifies, "changed": c.Changed, "due": c.Due(),
		})
	}
	given, covered := k.CancelReason()
	return map[string]any{
		"user": k.User, "reservations": reservations, "compensation": compensation, "looked_up": texts(k.LookedUp()),
		"reason_given": given, "reason_covered": covered, "compensation_asked": k.CompensationAsked(),
	}
}

// reservationFacts is a reservation as the latest result has it, with what is known of its flights.
func reservationFacts(k *airline.Known, b *airline.Booking) map[string]any {
	out := map[string]any(maps.Clone(b.Record))
	var flown, undetermined, cancelled []airline.Flight
	for _, s := range b.Segments {
		switch k.State(s.Flight) {
		case airline.Flown:
			flown = append(flown, s.Flight)
		case airline.Undetermined:
			undetermined = append(undetermined, s.Flight)
		}
		if k.Cancelled(s.Flight) {
			cancelled = append(cancelled, s.Flight)
		}
	}
	out["flown"], out["undetermined"], out["cancelled_flights"] = texts(flown), texts(undetermined), texts(cancelled)
	return out
}
