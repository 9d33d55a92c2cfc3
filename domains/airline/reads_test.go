package airline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/value"
)

// legs lists the results of a search as number@date, the flights of a pair joined by +.
func legs(t *testing.T, content string) []string {
	t.Helper()
	v, err := value.ParseString(content)
	if err != nil {
		t.Fatalf("%s: %v", content, err)
	}
	leg := func(v value.Value) string {
		m, ok := v.Map()
		if !ok {
			t.Fatalf("%s: no flight", v.Repr())
		}
		number, _ := m.Get("flight_number")
		date, _ := m.Get("date")
		return number.Str() + "@" + date.Str()
	}
	items, _ := v.Items()
	var out []string
	for _, x := range items {
		pair, ok := x.Items()
		if !ok {
			out = append(out, leg(x))
			continue
		}
		out = append(out, leg(pair[0])+"+"+leg(pair[1]))
	}
	return out
}

func TestSearches(t *testing.T) {
	w := small(t)
	for _, tt := range []struct {
		name, tool, args string
		want             []string
	}{
		{"direct results carry no date", "search_direct_flight", `{"origin": "SFO", "destination": "DEN", "date": "2024-05-20"}`, []string{"TG100@None"}},
		{"only what takes bookings", "search_direct_flight", `{"origin": "SFO", "destination": "DEN", "date": "2024-05-19"}`, nil},
		{"null is any airport", "search_direct_flight", `{"origin": null, "destination": null, "date": "2024-05-20"}`, []string{"TG100@None", "TG200@None"}},
		{"a date of a wrong type finds nothing", "search_direct_flight", `{"origin": "SFO", "destination": "DEN", "date": 20}`, nil},
		{"a date that cannot be looked up is not, without flights", "search_direct_flight", `{"origin": "SFO", "destination": "JFK", "date": []}`, nil},
		{"the onward date is the next day's; TG300 leaves before the arrival, read as a text", "search_onestop_flight",
			`{"origin": "SFO", "destination": "JFK", "date": "2024-05-20"}`, []string{"TG100@2024-05-20+TG200@2024-05-21"}},
		{"after the 8th the onward date is 2024-05-9, on which nothing flies", "search_onestop_flight",
			`{"origin": "SFO", "destination": "JFK", "date": "2024-05-08"}`, nil},
		{"null is any airport of arrival", "search_onestop_flight", `{"origin": "SFO", "destination": null, "date": "2024-05-20"}`,
			[]string{"TG100@2024-05-20+TG200@2024-05-21"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := fresh(t, w)
			got := call(t, e, tt.tool, tt.args)
			if got.Error {
				t.Fatal(got.Content)
			}
			if diff := cmp.Diff(tt.want, legs(t, got.Content)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c := changes(t, w, e); len(c) > 0 {
				t.Errorf("a search changed %q", c)
			}
		})
	}
}

func TestReads(t *testing.T) {
	status := func(number, date string) []toolCall {
		return []toolCall{{"get_flight_status", `{"flight_number": "` + number + `", "date": "` + date + `"}`}}
	}
	runTraps(t, []trap{
		{name: "direct result, to the byte", calls: []toolCall{{"search_direct_flight", `{"origin": "SFO", "destination": "DEN", "date": "2024-05-20"}`}},
			want: `[{"flight_number": "TG100", "origin": "SFO", "destination": "DEN", "status": "available", "scheduled_departure_time_est": "22:00:00", ` +
				`"scheduled_arrival_time_est": "01:30:00+1", "date": null, "available_seats": {"economy": 2, "business": 1}, "prices": {"economy": 200, "business": 500}}]`},
		{name: "a date that cannot be looked up", calls: []toolCall{{"search_direct_flight", `{"origin": "SFO", "destination": "DEN", "date": {}}`}},
			want: "Error: unhashable type: 'dict'"},
		{name: "user, to the byte", calls: []toolCall{{"get_user_details", `{"user_id": "ada_byron_1"}`}},
			want: `{"user_id": "ada_byron_1", "name": {"first_name": "Ada", "last_name": "Byron"}, "address": {"address1": "1 Engine Row", "address2": null, ` +
				`"city": "Denver", "country": "USA", "state": "CO", "zip": "80014"}, "email": "ada@example.com", "dob": "1990-12-10", "payment_methods": ` +
				`{"card_1": {"source": "credit_card", "id": "card_1", "brand": "visa", "last_four": "0001"}, "gift_1": {"source": "gift_card", "id": "gift_1", ` +
				`"amount": 300.0}, "cert_1": {"source": "certificate", "id": "cert_1", "amount": 100.0}}, "saved_passengers": [], "membership": "silver", ` +
				`"reservations": ["AAA111"]}`},
		{name: "reservation", calls: []toolCall{{"get_reservation_details", `{"reservation_id": "AAA111"}`}},
			want: `..."created_at": "2024-05-01T10:00:00", "total_baggages": 2, "nonfree_baggages": 1, "insurance": "no", "status": null}`},
		{name: "available", calls: status("TG100", "2024-05-20"), want: "available"},
		{name: "landed", calls: status("TG100", "2024-05-16"), want: "landed"},
		{name: "flying", calls: status("TG100", "2024-05-17"), want: "flying"},
		{name: "on time", calls: status("TG100", "2024-05-18"), want: "on time"},
		{name: "delayed", calls: status("TG100", "2024-05-19"), want: "delayed"},
		{name: "cancelled", calls: status("TG100", "2024-05-21"), want: "cancelled"},
		{name: "no such date", calls: status("TG100", "2024-05-22"), want: "Error: Flight TG100 not found on date 2024-05-22"},
		{name: "no such flight", calls: status("TG9", "2024-05-22"), want: "Error: Flight TG9 not found"},
		{name: "airports", calls: []toolCall{{"list_all_airports", `{}`}}, want: `...{"iata": "PHL", "city": "Philadelphia"}, {"iata": "LGA", "city": "LaGuardia"}]`},
		{name: "handoff", calls: []toolCall{{"transfer_to_human_agents", `{"summary": 1}`}}, want: "Transfer successful"},
		{name: "calculator", calls: []toolCall{{"calculate", `{"expression": "2 * (3 + 4)"}`}}, want: "14.0"},
	})
}

func TestRefusesSolo(t *testing.T) {
	_, err := airline.Domain().Open(domains.Embedded(), domains.Options{Solo: true})
	if err == nil || err.Error() != "Airline domain does not support solo mode" {
		t.Errorf("got %v", err)
	}
}

func TestPatch(t *testing.T) {
	w := small(t)
	agent, _ := fresh(t, w).Databases()
	data, err := value.ParseString(`{"users": {"ada_byron_1": {"payment_methods": {"gift_1": {"amount": 7}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	patched, _ := fresh(t, w).Databases()
	if err := patched.Patch(data); err != nil {
		t.Fatal(err)
	}
	diff := agent.Diff(patched)
	if len(diff) != 1 || diff[0].Path != "users.ada_byron_1.payment_methods.gift_1.amount" || diff[0].Got != "7.0" {
		t.Errorf("differences %v, want the one balance at 7.0", diff)
	}
}

// TestInvalidData checks that the error of a database that does not load names the file and the place.
func TestInvalidData(t *testing.T) {
	good, err := os.ReadFile("testdata/tau2/domains/airline/db.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"another table", `"flights": {`, `"planes": {}, "flights": {`, "invalid FlightDB: planes: want no such key"},
		{"a table is missing", string(good), `{"flights": {}, "users": {}}`, "invalid FlightDB: reservations: want a value, got nothing: the key is missing"},
		{"an unknown status", `"status": "delayed"`, `"status": "late"`, "TG100.dates.2024-05-19.status: want one of "},
		{"an unknown cabin", `"prices": {"economy": 80}`, `"prices": {"attic": 80}`, "TG100.dates.2024-05-08.prices.attic: want one of 'business', 'economy' or 'basic_economy'"},
		{"a fraction of a seat", `"available_seats": {"economy": 1}`, `"available_seats": {"economy": 1.5}`, "available_seats.economy: want an integer"},
		{"an unknown membership", `"membership": "gold"`, `"membership": "tin"`, "max_born_2.membership: want one of 'gold', 'silver' or 'regular', got 'tin' (str)"},
		{"bags in words", `"total_baggages": 2`, `"total_baggages": "two"`, "AAA111.total_baggages: want an integer, got 'two' (str)"},
		{"a list", string(good), `[]`, "invalid FlightDB: want an object (FlightDB), got [] (list)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(string(good), tt.old) {
				t.Fatalf("the data has no %s", tt.old)
			}
			dir := filepath.Join(t.TempDir(), "tau2", "domains", "airline")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"db.json": strings.Replace(string(good), tt.old, tt.new, 1), "policy.md": "", "tasks.json": "[]"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			data, err := domains.Folder(filepath.Join(dir, "..", "..", ".."))
			if err != nil {
				t.Fatal(err)
			}
			_, err = airline.Domain().Open(data, domains.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "tau2/domains/airline/db.json") {
				t.Errorf("error %v\nwant one that names the file and says %s", err, tt.want)
			}
		})
	}
}
