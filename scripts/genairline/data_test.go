package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// The types below read the committed files with plain maps, apart from the
// types that wrote them.
type carrier struct {
	Flights      map[string]storedFlight
	Users        map[string]storedUser
	Reservations map[string]storedReservation
}

type storedFlight struct {
	Number      string `json:"flight_number"`
	Origin      string
	Destination string
	Departure   string `json:"scheduled_departure_time_est"`
	Arrival     string `json:"scheduled_arrival_time_est"`
	Dates       map[string]struct {
		Status   string
		Seats    map[string]int `json:"available_seats"`
		Prices   map[string]int
		LeftEst  string `json:"estimated_departure_time_est"`
		Left     string `json:"actual_departure_time_est"`
		LandsEst string `json:"estimated_arrival_time_est"`
		Landed   string `json:"actual_arrival_time_est"`
	}
}

type storedUser struct {
	UserID  string `json:"user_id"`
	Name    struct{ First_name, Last_name string }
	Email   string
	DOB     string
	Methods map[string]struct {
		Source, ID string
		Amount     *float64
	} `json:"payment_methods"`
	Saved        []map[string]string `json:"saved_passengers"`
	Membership   string
	Reservations []string
}

type storedReservation struct {
	ID          string `json:"reservation_id"`
	UserID      string `json:"user_id"`
	Origin      string
	Destination string
	Kind        string `json:"flight_type"`
	Cabin       string
	Flights     []struct {
		Number      string `json:"flight_number"`
		Origin      string
		Destination string
		Date        string
		Price       int
	}
	Passengers []map[string]string
	History    []payment `json:"payment_history"`
	Created    string    `json:"created_at"`
	Bags       int       `json:"total_baggages"`
	PaidBags   int       `json:"nonfree_baggages"`
	Insurance  string
	Status     string
}

func load[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	body, err := os.ReadFile(committed(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestDatabaseSize(t *testing.T) {
	db := load[carrier](t, "db.json")
	n := map[string]int{}
	for _, f := range db.Flights {
		if strings.HasSuffix(f.Arrival, "+1") {
			n["overnight flights"]++
		}
		n[f.Dates["2024-05-15"].Status+" today"]++
		for _, in := range f.Dates {
			for _, seats := range in.Seats {
				if seats == 0 {
					n["full cabins"]++
				}
			}
		}
	}
	for _, u := range db.Users {
		n[u.Membership+" members"]++
		for _, m := range u.Methods {
			n[m.Source]++
		}
		if len(u.Saved) > 0 {
			n["users with saved passengers"]++
		}
	}
	for _, r := range db.Reservations {
		n[r.Cabin]++
		n[r.Kind]++
		n["insurance "+r.Insurance]++
		if r.Created > "2024-05-14T15:00:00" {
			n["made within a day"]++
		}
		states := map[string]bool{}
		for _, s := range r.Flights {
			states[db.Flights[s.Number].Dates[s.Date].Status] = true
		}
		for _, s := range []string{"landed", "cancelled", "delayed"} {
			if states[s] {
				n["trips with a flight "+s]++
			}
		}
		if len(r.Flights) > 1 && r.Kind == "one_way" {
			n["one-stop trips"]++
		}
		if states["landed"] && states["available"] {
			n["partly flown trips"]++
		}
		if r.Status == "cancelled" {
			n["cancelled reservations"]++
		}
	}
	if len(db.Users) != 64 || len(db.Reservations) != 130 || len(db.Flights) < 44 {
		t.Errorf("%d users, %d reservations, %d flights; want 64, 130, at least 44", len(db.Users), len(db.Reservations), len(db.Flights))
	}
	for what, want := range map[string]int{
		"overnight flights": 4, "landed today": 5, "flying today": 5, "on time today": 5, "delayed today": 4, "full cabins": 50,
		"regular members": 10, "silver members": 10, "gold members": 10, "credit_card": 50, "gift_card": 20, "certificate": 15,
		"users with saved passengers": 30, "basic_economy": 20, "economy": 40, "business": 20, "one_way": 40, "round_trip": 40,
		"insurance yes": 40, "insurance no": 40, "made within a day": 8, "trips with a flight landed": 25,
		"trips with a flight cancelled": 5, "trips with a flight delayed": 2, "one-stop trips": 10, "partly flown trips": 3, "cancelled reservations": 3,
	} {
		if n[what] < want {
			t.Errorf("%d %s, want at least %d", n[what], what, want)
		}
	}
}

func TestFlights(t *testing.T) {
	airports := strings.Fields("SFO JFK LAX ORD DFW DEN SEA ATL MIA BOS PHX IAH LAS MCO EWR CLT MSP DTW PHL LGA")
	served := map[string]bool{}
	for number, f := range load[carrier](t, "db.json").Flights {
		served[f.Origin], served[f.Destination] = true, true
		if number != f.Number || f.Origin == f.Destination || len(f.Dates) != 30 {
			t.Errorf("flight %s is stored as %s, from %s to %s on %d dates", f.Number, number, f.Origin, f.Destination, len(f.Dates))
		}
		for date, in := range f.Dates {
			ok := date >= "2024-05-01" && date <= "2024-05-30"
			switch in.Status {
			case "available":
				p := in.Prices
				ok = ok && date > "2024-05-15" && len(in.Seats) == 3 && 0 < p["basic_economy"] && p["basic_economy"] < p["economy"] && p["economy"] < p["business"]
			case "landed":
				ok = ok && date <= "2024-05-15" && in.Left < in.Landed && in.Landed < now
			case "flying":
				ok = ok && date == "2024-05-15" && in.Left < now && in.LandsEst > now
			case "on time", "delayed":
				ok = ok && date == "2024-05-15" && in.LeftEst > now && in.LandsEst > in.LeftEst
			case "cancelled":
				ok = ok && date <= "2024-05-15"
			default:
				ok = false
			}
			if !ok {
				t.Errorf("flight %s on %s: %+v", number, date, in)
			}
		}
	}
	for _, a := range airports {
		if !served[a] {
			t.Errorf("no flight serves %s", a)
		}
		delete(served, a)
	}
	if len(served) > 0 {
		t.Errorf("the tools know no airports %v", served)
	}
}

func TestUsers(t *testing.T) {
	db := load[carrier](t, "db.json")
	listed := 0
	for id, u := range db.Users {
		if id != u.UserID || len(u.Methods) == 0 || u.Email == "" || u.DOB == "" {
			t.Errorf("user %s: stored as %s, %+v", u.UserID, id, u)
		}
		for key, m := range u.Methods {
			if key != m.ID || (m.Source == "credit_card") != (m.Amount == nil) {
				t.Errorf("payment method %s of %s: %+v", key, id, m)
			}
		}
		listed += len(u.Reservations)
		for _, r := range u.Reservations {
			if db.Reservations[r].UserID != id {
				t.Errorf("reservation %s is listed by %s but belongs to %q", r, id, db.Reservations[r].UserID)
			}
		}
	}
	if listed != len(db.Reservations) {
		t.Errorf("users list %d reservations, the database has %d", listed, len(db.Reservations))
	}
}

func TestReservationsFitTogether(t *testing.T) {
	db := load[carrier](t, "db.json")
	fresh, _, err := build()
	if err != nil {
		t.Fatal(err)
	}
	for id, r := range db.Reservations {
		u := db.Users[r.UserID]
		if id != r.ID || len(r.Flights) == 0 || len(r.Passengers) == 0 || len(r.Passengers) > maxPassengers || r.Created >= now {
			t.Errorf("reservation %s: %+v", id, r)
		}
		total, legs := 0, []leg(nil)
		for _, s := range r.Flights {
			f := db.Flights[s.Number]
			if f.Origin != s.Origin || f.Destination != s.Destination || f.Dates[s.Date].Status == "" || s.Date < r.Created[:10] {
				t.Errorf("reservation %s: flight %+v", id, s)
			}
			total += s.Price
			legs = append(legs, leg{s.Number, s.Date})
		}
		if err := fresh.leads(r.Origin, r.Destination, r.Kind, legs); err != nil {
			t.Errorf("reservation %s: %v", id, err)
		}
		total = total*len(r.Passengers) + 50*r.PaidBags
		if r.Insurance == "yes" {
			total += 30 * len(r.Passengers)
		}
		if want := max(0, r.Bags-allowance(u.Membership, r.Cabin)*len(r.Passengers)); r.PaidBags != want {
			t.Errorf("reservation %s: %d charged bags, want %d", id, r.PaidBags, want)
		}
		charged, refunded := 0, 0
		for _, p := range r.History {
			if _, ok := u.Methods[p.PaymentID]; !ok && !strings.HasPrefix(p.PaymentID, "cert-") || p.Amount == 0 {
				t.Errorf("reservation %s: payment %+v", id, p)
			}
			charged += max(0, p.Amount)
			refunded -= min(0, p.Amount)
		}
		if charged != total || r.Status == "" && refunded != 0 || r.Status == "cancelled" && refunded != total {
			t.Errorf("reservation %s (%s): price %d, charged %d, refunded %d", id, r.Status, total, charged, refunded)
		}
	}
}

// allowance is the policy's table of free bags, written out.
func allowance(membership, cabin string) int {
	return map[string]map[string]int{
		"regular": {"basic_economy": 0, "economy": 1, "business": 2},
		"silver":  {"basic_economy": 1, "economy": 2, "business": 3},
		"gold":    {"basic_economy": 2, "economy": 3, "business": 4},
	}[membership][cabin]
}

func TestPolicyMatchesConstants(t *testing.T) {
	body, err := os.ReadFile(committed("policy.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		strings.Replace(now, "T", ", ", 1) + " EST",
		"YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.",
		"never more than a single tool call",
		fmt.Sprintf("At most %d in a reservation", maxPassengers),
		fmt.Sprintf("At most %d travel certificate, at most %d credit card and at most %d gift cards", maxCertificates, maxCreditCards, maxGiftCards),
		fmt.Sprintf("costs %d dollars per passenger", insurancePrice),
		fmt.Sprintf("Every bag beyond that costs %d dollars", bagPrice),
		fmt.Sprintf("within the last %d hours", graceHours),
		fmt.Sprintf("| you confirm the facts | %d dollars per passenger |", perCancelled),
		fmt.Sprintf("change or cancel the reservation | %d dollars per passenger |", perDelayed),
		"5 to 7 business days",
	}
	for _, m := range memberships() {
		row := "| " + m
		for _, c := range cabins() {
			row += fmt.Sprintf(" | %d", freeBags(m, c))
			if freeBags(m, c) != allowance(m, c) {
				t.Errorf("%s in %s: %d free bags, want %d", m, c, freeBags(m, c), allowance(m, c))
			}
		}
		want = append(want, row+" |")
	}
	for _, s := range want {
		if !strings.Contains(string(body), s) {
			t.Errorf("the policy does not say %q", s)
		}
	}
}

func TestSplits(t *testing.T) {
	splits := load[map[string][]string](t, "split_tasks.json")
	var ids []string
	for _, k := range load[[]storedTask](t, "tasks.json") {
		ids = append(ids, k.ID)
	}
	if !slices.Equal(splits["base"], ids) {
		t.Errorf("base is %v, want all tasks", splits["base"])
	}
	parts := slices.Sorted(slices.Values(slices.Concat(splits["train"], splits["test"])))
	if !slices.Equal(parts, slices.Sorted(slices.Values(ids))) || len(splits["test"]) == 0 || len(splits["train"]) == 0 || len(splits) != 3 {
		t.Errorf("train and test do not part the tasks: %v", splits)
	}
}
