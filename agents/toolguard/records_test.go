package toolguard_test

import (
	"context"
	"testing"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
)

// desk answers reads from a list of records, by the call as name{json}; anything else is not there.
func desk(t *testing.T, records map[string]string) toolguard.Reader {
	t.Helper()
	return func(_ context.Context, c domains.ToolCall) domains.ToolResult {
		args, err := c.Arguments.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := records[c.Name+string(args)]; ok {
			return domains.ToolResult{Content: text}
		}
		return domains.ToolResult{Content: "Error: not found", Error: true}
	}
}

const (
	traveller = `{"user_id":"u1","membership":"silver","payment_methods":{"card":{"source":"credit_card"},"gift":{"source":"gift_card","amount":500},"slip":{"source":"certificate","amount":100}}}`
	booked    = `{"reservation_id":"R1","user_id":"u1","origin":"SFO","destination":"JFK","flight_type":"one_way","cabin":"economy","insurance":"no",` +
		`"created_at":"2024-05-01T10:00:00","passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"}],"total_baggages":2,"nonfree_baggages":1,` +
		`"flights":[{"origin":"SFO","destination":"JFK","flight_number":"F1","date":"2024-05-20","price":100}],"payment_history":[{"payment_id":"card","amount":100}]}`
	flightsOf20 = `[{"flight_number":"F1","origin":"SFO","destination":"JFK","available_seats":{"economy":1,"business":0},"prices":{"economy":100,"business":300}},` +
		`{"flight_number":"F2","origin":"SFO","destination":"BOS","available_seats":{"economy":9},"prices":{"economy":100}}]`
)

// airlineDesk has one traveller, one reservation and two flights that take bookings on one day; a third has landed.
func airlineDesk(t *testing.T) toolguard.Reader {
	return desk(t, map[string]string{
		`get_user_details{"user_id":"u1"}`:                                            traveller,
		`get_reservation_details{"reservation_id":"R1"}`:                              booked,
		`get_flight_status{"flight_number":"F1","date":"2024-05-20"}`:                 "available",
		`get_flight_status{"flight_number":"F2","date":"2024-05-20"}`:                 "available",
		`get_flight_status{"flight_number":"F3","date":"2024-05-10"}`:                 "landed",
		`search_direct_flight{"date":"2024-05-20","origin":"SFO","destination":null}`: flightsOf20,
		`search_direct_flight{"date":"2024-05-20","origin":null,"destination":null}`:  flightsOf20,
	})
}

// TestFirstRuleCounts breaks the rules of a call one after the other, from all of them to none: of those that are broken the
// first in the released order refuses the call.
func TestFirstRuleCounts(t *testing.T) {
	const (
		person   = `{"first_name":"A","last_name":"B","dob":"1990-01-01"}`
		booking  = `book_reservation{"user_id":"u1","origin":"SFO","destination":"JFK","flight_type":"one_way","cabin":"economy",`
		changing = `update_reservation_flights{"reservation_id":"R1",`
		bags     = `update_reservation_baggages{"reservation_id":"R1",`
		here     = `"flights":[{"flight_number":"F1","date":"2024-05-20"}]`
		landed   = `"flights":[{"flight_number":"F3","date":"2024-05-10"}]`
		toBoston = `"flights":[{"flight_number":"F2","date":"2024-05-20"}]`
	)
	for _, c := range []struct {
		call string
		rule string // "" where it passes
		rel  string // of the release, where it is another one; - where it passes
	}{
		{`book_reservation{"user_id":"nobody",` + landed + `,"passengers":[]}`, "airline.book.1", ""},
		{booking + landed + `,"passengers":[]}`, "airline.book.2", ""},
		{booking + here + `,"passengers":[` + person + `,{}]}`, "airline.book.3", ""},
		{booking + here + `,"passengers":[{}],"payment_methods":[{"payment_id":"other","amount":1}]}`, "airline.book.4", ""},
		{booking + here + `,"passengers":[` + person + `],"payment_methods":[{"payment_id":"other","amount":1}],"total_baggages":9,"nonfree_baggages":0}`, "airline.book.5", ""},
		{booking + here + `,"passengers":[` + person + `],"payment_methods":[{"payment_id":"card","amount":1}],"total_baggages":3,"nonfree_baggages":0}`, "airline.book.6", ""},
		{booking + here + `,"passengers":[` + person + `],"payment_methods":[{"payment_id":"card","amount":1}],"total_baggages":2,"nonfree_baggages":0}`, "", ""},

		{changing + `"cabin":"basic_economy",` + landed + `,"payment_id":"slip"}`, "airline.flights.1", ""},
		{changing + `"cabin":"business",` + here + `,"payment_id":"slip"}`, "airline.flights.2", ""},
		{changing + `"cabin":"economy",` + toBoston + `,"payment_id":"slip"}`, "airline.flights.3", ""},
		{changing + `"cabin":"economy",` + toBoston + `,"payment_id":"gift"}`, "airline.flights.4", ""},
		{changing + `"cabin":"economy",` + here + `,"payment_id":"gift"}`, "", ""},

		{bags + `"total_baggages":1,"nonfree_baggages":0,"payment_id":"slip"}`, "airline.baggages.1", ""},
		{bags + `"total_baggages":5,"nonfree_baggages":2,"payment_id":""}`, "airline.baggages.1", ""},
		{bags + `"total_baggages":9,"nonfree_baggages":1,"payment_id":"slip"}`, "airline.baggages.2", "airline.baggages.3"},
		{bags + `"total_baggages":9,"nonfree_baggages":1,"payment_id":"card"}`, "airline.baggages.3", ""},
		{bags + `"total_baggages":3,"nonfree_baggages":1,"payment_id":"card"}`, "", "airline.baggages.3"},
		{bags + `"total_baggages":2,"nonfree_baggages":1,"payment_id":""}`, "airline.baggages.2", ""}, // as many paid bags as before: no method is asked for them

		{`update_reservation_passengers{"reservation_id":"R1","passengers":[` + person + `,{}]}`, "airline.passengers.1", ""},
		{`update_reservation_passengers{"reservation_id":"R1","passengers":[` + person + `,` + person + `]}`, "airline.passengers.2", ""},
		{`update_reservation_passengers{"reservation_id":"R1","passengers":[` + person + `]}`, "", ""},
	} {
		for _, release := range []bool{false, true} {
			want := c.rule
			if release && c.rel != "" {
				want = c.rel
			}
			v, err := guards(t, "airline", toolguard.Options{Release: release}).Check(t.Context(), call(t, c.call), airlineDesk(t))
			if err != nil {
				t.Fatal(err)
			}
			if v.Rule != want {
				t.Errorf("release %t: %s is refused by %q, want %q: %s", release, c.call, v.Rule, want, v.Message)
			}
		}
	}
}
