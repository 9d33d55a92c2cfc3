package airline_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide/policy/airline"
	"github.com/tauguide/tauguide/guide/policy/policytest"
)

func TestFreeBags(t *testing.T) {
	for membership, want := range map[string][]int64{"regular": {0, 1, 2}, "silver": {1, 2, 3}, "gold": {2, 3, 4}} {
		for i, cabin := range airline.Cabins() {
			if got, err := airline.FreeBags(membership, cabin); err != nil || got != want[i] {
				t.Errorf("%s in %s: %d bags, %v; want %d", membership, cabin, got, err, want[i])
			}
		}
	}
	for _, x := range [][2]string{{"platinum", "economy"}, {"gold", "first"}, {"", ""}} {
		if _, err := airline.FreeBags(x[0], x[1]); err == nil {
			t.Errorf("membership %q has an allowance in cabin %q", x[0], x[1])
		}
	}
}

func TestMethods(t *testing.T) {
	for _, tt := range []struct {
		source       string
		balance      float64
		card, covers bool // an amount of 100
	}{{"credit_card", 0, true, true}, {"gift_card", 100, true, true}, {"gift_card", 99, true, false}, {"certificate", 500, false, false}, {"", 0, false, false}} {
		m := airline.Method{Source: tt.source, Balance: tt.balance}
		if m.IsCard() != tt.card || m.Covers(100) != tt.covers {
			t.Errorf("%+v is a card %v, covers 100 %v", m, m.IsCard(), m.Covers(100))
		}
	}
	many := func(n int, source string) (out []airline.Method) {
		for range n {
			out = append(out, airline.Method{Source: source})
		}
		return out
	}
	for source, most := range map[string]int{"credit_card": 1, "gift_card": 3, "certificate": 1} {
		if over := airline.TooMany(many(most, source)); over != "" {
			t.Errorf("%d %s: %s", most, source, over)
		}
		if airline.TooMany(many(most+1, source)) == "" {
			t.Errorf("%d %s are not too many", most+1, source)
		}
	}
}

func TestWithinADay(t *testing.T) {
	for created, want := range map[string]bool{"2024-05-14T15:00:00": true, "2024-05-14T14:59:59": false, "2024-05-15T14:00:00": true, "yesterday": false, "": false} {
		if got := airline.WithinADay(created, airline.Now()); got != want {
			t.Errorf("%q is within a day: %v", created, got)
		}
	}
	if airline.Today() != "2024-05-15" || airline.Now().Location() != time.UTC {
		t.Errorf("today is %s", airline.Today())
	}
}

func TestMakesTrip(t *testing.T) {
	leg := func(s string) airline.Leg { return airline.Leg{Origin: s[:1], Destination: s[1:]} }
	for _, tt := range []struct {
		kind string
		legs []string
		want bool
	}{
		{"one_way", []string{"AB"}, true},
		{"one_way", []string{"AC", "CB"}, true},
		{"one_way", nil, false},
		{"one_way", []string{"CB"}, false},
		{"one_way", []string{"AC"}, false},
		{"one_way", []string{"AC", "DB"}, false}, // not connected
		{"round_trip", []string{"AB", "BA"}, true},
		{"round_trip", []string{"AC", "CB", "BA"}, true},
		{"round_trip", []string{"AB"}, false},
		{"round_trip", []string{"AC", "CA"}, false}, // not by way of B
		{"round_trip", []string{"AB", "BC"}, false},
		{"tour", []string{"AB"}, false},
	} {
		var legs []airline.Leg
		for _, s := range tt.legs {
			legs = append(legs, leg(s))
		}
		if got := airline.MakesTrip(legs, tt.kind, leg("AB")); got != tt.want {
			t.Errorf("%v is the %s from A to B: %v", tt.legs, tt.kind, got)
		}
	}
}

// What is known of a gold member with two reservations; in R1 a flight was cancelled, and she moved to business after it.
var conversation = []string{
	"user: I am ann_poe_1. My flight was cancelled because of a storm, I want a compensation.",
	`get_user_details {"user_id": "ann_poe_1"} => {"user_id": "ann_poe_1", "name": {"first_name": "Ann", "last_name": "Poe"}, "dob": "1990-04-05", "membership": "gold",
		"payment_methods": {"card": {"source": "credit_card", "brand": "visa", "last_four": "1234"}, "gift": {"source": "gift_card", "amount": 80}, "cert": {"source": "certificate", "amount": 100}}}`,
	`get_reservation_details {"reservation_id": "R1"} => {"reservation_id": "R1", "user_id": "ann_poe_1", "origin": "A", "destination": "B", "flight_type": "one_way",
		"cabin": "economy", "insurance": "no", "total_baggages": 3, "nonfree_baggages": 1, "passengers": [{"first_name": "Ann", "last_name": "Poe", "dob": "1990-04-05"}, {"first_name": "Bo", "last_name": "Poe", "dob": "2001-01-02"}],
		"flights": [{"flight_number": "F1", "date": "2024-05-15", "origin": "A", "destination": "C", "price": 100}, {"flight_number": "F2", "date": "2024-05-20", "origin": "C", "destination": "B", "price": 50}]}`,
	`get_reservation_details {"reservation_id": "R2"} => {"reservation_id": "R2", "user_id": "somebody", "cabin": "economy", "flights": [{"flight_number": "F9", "date": "2024-05-14"}], "passengers": []}`,
	`get_flight_status {"flight_number": "F1", "date": "2024-05-15"} => cancelled`,
	`get_flight_status {"flight_number": "F9", "date": "2024-05-14"} => delayed`,
	`search_direct_flight {"origin": "A", "destination": "B", "date": "2024-05-21"} => [{"flight_number": "F3", "origin": "A", "destination": "B", "prices": {"economy": 200, "business": 500}, "available_seats": {"economy": 1, "business": 2}}]`,
	`search_onestop_flight {"origin": "A", "destination": "B", "date": "2024-05-20"} => [[{"flight_number": "F2", "date": "2024-05-20", "origin": "C", "destination": "B", "prices": {"business": 300}, "available_seats": {"business": 9}}]]`,
}

func known(t testing.TB, more ...string) *airline.Known {
	t.Helper()
	return airline.NewTexts().Known(policytest.Trace(t, append(conversation[:len(conversation):len(conversation)], more...)...))
}

func TestKnown(t *testing.T) {
	k := known(t)
	if k.User != "ann_poe_1" || k.Method("card").LastFour != "1234" || k.Method("none").Source != "" {
		t.Errorf("user %q, card %+v", k.User, k.Method("card"))
	}
	for f, want := range map[airline.Flight]airline.State{
		{Number: "F1", Date: "2024-05-15"}: airline.Ahead, // cancelled
		{Number: "F2", Date: "2024-05-14"}: airline.Flown,
		{Number: "F2", Date: "2024-05-15"}: airline.Undetermined,
		{Number: "F2", Date: "2024-05-16"}: airline.Ahead,
	} {
		if got := k.State(f); got != want {
			t.Errorf("%s is in state %d, want %d", f, got, want)
		}
	}
	if got := k.LookedUp(); len(got) != 1 || got[0].String() != "F1 2024-05-15" {
		t.Errorf("flights of the user's that were looked up: %v", got)
	}
	flying := known(t, `get_flight_status {"flight_number": "F2", "date": "2024-05-20"} => flying`)
	if flying.State(airline.Flight{Number: "F2", Date: "2024-05-20"}) != airline.Flown {
		t.Error("a flight in the air is not flown")
	}
	if zoe := airline.NewTexts().Known(policytest.Trace(t, "user: ZOE_azz_09!", `get_user_details {"user_id": "zoe_azz_09"} => {"user_id": "zoe_azz_09"}`)); zoe.User != "zoe_azz_09" {
		t.Errorf("an id in capitals is not known: %q", zoe.User)
	}
	stranger := airline.NewTexts().Known(policytest.Trace(t, "user: I am ann_poe_12", conversation[1]))
	if stranger.User != "" {
		t.Errorf("%q is known though another id was stated", stranger.User)
	}
}

func TestPrices(t *testing.T) {
	k := known(t)
	booking := `{"cabin": "economy", "flights": [{"flight_number": "F3", "date": "2024-05-21"}], "passengers": [{}, {}], "total_baggages": 8, "nonfree_baggages": 2, "insurance": "yes"`
	for _, tt := range []struct {
		name, args string
		run        func(args string) (int64, error)
		want       int64 // -1 for an error
	}{
		{"booking", booking + `}`, func(a string) (int64, error) { return airline.BookingPrice(policytest.Record(t, a), k.Fare) }, 560},
		{"no word on insurance", `{"nonfree_baggages": 0, "flights": [], "passengers": []}`, func(a string) (int64, error) { return airline.BookingPrice(policytest.Record(t, a), k.Fare) }, -1},
		{"extra bags of a booking", booking + `}`, func(a string) (int64, error) { return k.ExtraBags(policytest.Record(t, a)) }, 2},
		{"extra bags of a reservation", `{"reservation_id": "R1", "total_baggages": 7}`, func(a string) (int64, error) { return k.ExtraBags(policytest.Record(t, a)) }, 1},
		{"no bag is extra", `{"reservation_id": "R1", "total_baggages": 6}`, func(a string) (int64, error) { return k.ExtraBags(policytest.Record(t, a)) }, 0},
		{"unread reservation", `{"reservation_id": "R9", "total_baggages": 6}`, func(a string) (int64, error) { return k.ExtraBags(policytest.Record(t, a)) }, -1},
		{"paid bags", `{"reservation_id": "R1", "nonfree_baggages": 3}`, func(a string) (int64, error) { return k.PriceChange(policytest.Record(t, a)) }, 100},
		{"the same flights", `{"reservation_id": "R1", "cabin": "economy", "flights": [{"flight_number": "F1", "date": "2024-05-15"}, {"flight_number": "F2", "date": "2024-05-20"}]}`,
			func(a string) (int64, error) { return k.PriceChange(policytest.Record(t, a)) }, 0},
		{"one flight is new", `{"reservation_id": "R1", "cabin": "economy", "flights": [{"flight_number": "F3", "date": "2024-05-21"}]}`,
			func(a string) (int64, error) { return k.PriceChange(policytest.Record(t, a)) }, 100},
		{"another cabin prices all again", `{"reservation_id": "R1", "cabin": "business", "flights": [{"flight_number": "F2", "date": "2024-05-20"}]}`,
			func(a string) (int64, error) { return k.PriceChange(policytest.Record(t, a)) }, 300},
		{"an unknown fare", `{"reservation_id": "R1", "cabin": "business", "flights": [{"flight_number": "F1", "date": "2024-05-15"}]}`,
			func(a string) (int64, error) { return k.PriceChange(policytest.Record(t, a)) }, -1},
	} {
		got, err := tt.run(tt.args)
		if (err != nil) != (tt.want < 0) || err == nil && got != tt.want {
			t.Errorf("%s: %d, %v; want %d", tt.name, got, err, tt.want)
		}
	}
	payments := policytest.Record(t, `{"list": [{"payment_id": "cert", "amount": 70}, {"payment_id": "card", "amount": 30.5}]}`)["list"]
	if sum, err := airline.PaymentsTotal(payments); err != nil || sum != 100.5 {
		t.Errorf("payments of %v, %v", sum, err)
	}
	if rest, err := k.CertificateRest(payments); err != nil || rest != 30 {
		t.Errorf("%v is left, %v", rest, err)
	}
}

func TestOffers(t *testing.T) {
	k := known(t)
	const one, two = `{"cabin": "economy", "passengers": [{}], "flight_type": "one_way", "origin": "A", "destination": "B", "flights": [{"flight_number": "F3", "date": "2024-05-21"}]}`,
		`{"cabin": "economy", "passengers": [{}, {}], "flight_type": "one_way", "origin": "A", "destination": "C", "flights": [{"flight_number": "F3", "date": "2024-05-21"}]}`
	if ok, err := k.SeatsForAll(policytest.Record(t, one)); !ok || err != nil {
		t.Errorf("a seat for one: %v, %v", ok, err)
	}
	if ok, err := k.SeatsForAll(policytest.Record(t, two)); ok || err == nil {
		t.Error("one seat is enough for two")
	}
	if ok, _ := k.TripFits(policytest.Record(t, one)); !ok {
		t.Error("the trip does not fit")
	}
	if ok, _ := k.TripFits(policytest.Record(t, two)); ok {
		t.Error("a trip to B fits one to C")
	}
	if ok, err := k.TripKept("R1", airline.Flights(policytest.Record(t, one)["flights"])); !ok || err != nil {
		t.Errorf("the trip is kept: %v, %v", ok, err)
	}
	kept := []airline.Flight{{Number: "F2", Date: "2024-05-20"}, {Number: "F1", Date: "2024-05-15"}}
	for _, flights := range [][]airline.Flight{kept, kept[:1], append(kept[:1:1], airline.Flight{Number: "F3", Date: "2024-05-21"})} {
		if same, err := k.SameFlights("R1", flights); err != nil || same != (len(flights) == 2 && flights[1].Number == "F1") {
			t.Errorf("%v are the same flights: %v, %v", flights, same, err)
		}
	}
	offered := func(cabin, number, date string) bool {
		ok, _ := k.FlightsOffered(policytest.Record(t, `{"reservation_id": "R1", "cabin": "`+cabin+`", "flights": [{"flight_number": "`+number+`", "date": "`+date+`"}]}`))
		return ok
	}
	if !offered("economy", "F1", "2024-05-15") || offered("business", "F1", "2024-05-15") || !offered("business", "F3", "2024-05-21") {
		t.Error("a flight must be offered where it gets a new price, and only there")
	}
}

func TestCompensations(t *testing.T) {
	want := airline.Compensation{Reservation: "R1", Kind: "cancelled", Amount: 200, Qualifies: true}
	if got := known(t).Compensations(); len(got) != 1 || got[0] != want || !got[0].Due() {
		t.Errorf("%+v, want %+v", got, want)
	}
	// A delay gives half as much, and only once the reservation was changed.
	delayed := `get_flight_status {"flight_number": "F1", "date": "2024-05-15"} => delayed`
	changed := `update_reservation_flights {"reservation_id": "R1"} => {"reservation_id": "R1", "user_id": "ann_poe_1", "cabin": "business", "insurance": "no", "passengers": [{}], "flights": []}`
	if got := known(t, delayed).Compensations(); len(got) != 1 || got[0].Amount != 100 || got[0].Due() {
		t.Errorf("delayed: %+v", got)
	}
	if got := known(t, delayed, changed).Compensations(); len(got) != 1 || got[0].Amount != 50 || !got[0].Due() {
		t.Errorf("delayed and changed: %+v", got)
	}
	// A regular member in economy without insurance gets nothing, also after moving up to business.
	regular := `get_user_details {"user_id": "ann_poe_1"} => {"user_id": "ann_poe_1", "membership": "regular"}`
	if got := known(t, regular, changed).Compensations(); len(got) != 1 || got[0].Qualifies {
		t.Errorf("regular: %+v", got)
	}
}

func TestClaims(t *testing.T) {
	k := known(t)
	if given, covered := k.CancelReason(); !given || !covered || !k.CompensationAsked() {
		t.Errorf("reason given %v, covered %v, compensation asked %v", given, covered, k.CompensationAsked())
	}
	quiet := airline.NewTexts().Known(policytest.Trace(t, "user: Cancel it. I will use my certificate to pay.", "agent: For what reason?", "user: None of your business."))
	if given, covered := quiet.CancelReason(); !given || covered || quiet.CompensationAsked() {
		t.Errorf("an answer is a reason %v, covered %v; compensation asked %v", given, covered, quiet.CompensationAsked())
	}
	born := known(t, "user: Cy Poe comes along, born on March 9, 2001.")
	for list, want := range map[string]bool{
		`{"p": [{"first_name": "Ann", "last_name": "Poe", "dob": "1990-04-05"}]}`: true,
		`{"p": [{"first_name": "Cy", "last_name": "Poe", "dob": "2001-03-09"}]}`:  true,
		`{"p": [{"first_name": "Cy", "last_name": "Poe", "dob": "2001-03-08"}]}`:  false,
		`{"p": [{"first_name": "Di", "last_name": "Poe", "dob": "2001-03-09"}]}`:  false,
		`{"p": [{"first_name": "Ann", "last_name": "Poe", "dob": ""}]}`:           false,
		`{"p": [{"first_name": "", "last_name": "Poe", "dob": "1990-04-05"}]}`:    false,
		`{"p": [{"first_name": "Ann", "last_name": "", "dob": "1990-04-05"}]}`:    false,
		`{"p": []}`: false,
	} {
		if got := born.PassengersKnown(policytest.Record(t, list)["p"]); got != want {
			t.Errorf("%s are known: %v", list, got)
		}
	}
}

// A summary names what a change alters, and the yes is the first answer to it.
func TestSummary(t *testing.T) {
	const cancel = `{"reservation_id": "R1"}`
	bags := `{"reservation_id": "R1", "total_baggages": 7, "nonfree_baggages": 2, "payment_id": "card"}`
	for _, tt := range []struct {
		name, args  string
		lines       []string
		summary, ok bool
	}{
		{"cancel", cancel, []string{"agent: I will cancel R1. Is that right?", "user: Yes."}, true, true},
		{"no yes yet", cancel, []string{"agent: I will cancel R1. Is that right?"}, true, false},
		{"a no", cancel, []string{"agent: I will cancel R1.", "user: No, wait."}, true, false},
		{"taken back", cancel, []string{"agent: I will cancel R1.", "user: Yes.", "agent: So I cancel R1?", "user: No."}, true, false},
		{"another reservation", cancel, []string{"agent: I will cancel R2.", "user: Yes."}, false, false},
		{"no verb", cancel, []string{"agent: I will see to R1.", "user: Yes."}, false, false},
		{"named before", cancel, []string{"agent: It is about R1.", "user: Right.", "agent: Shall I proceed to cancel it?", "user: Yes."}, true, true},
		{"bags", bags, []string{"agent: R1 gets seven bags for $50, by your card ending in 1234.", "user: Yes."}, true, true},
		{"added bags", bags, []string{"agent: R1 gets 4 more bags, by visa.", "user: Yes."}, true, true},
		{"wrong number", bags, []string{"agent: R1 gets 5 bags, by visa.", "user: Yes."}, false, false},
		{"the card in the answer", bags, []string{"agent: R1 gets 7 bags.", "user: Yes, with my visa."}, true, true},
		{"no card", bags, []string{"agent: R1 gets 7 bags.", "user: Yes."}, false, false},
		{"a certificate", `{"user_id": "ann_poe_1", "amount": 1000}`, []string{"agent: I can offer a voucher of $1,000.00.", "user: Yes."}, true, true},
		{"another amount", `{"user_id": "ann_poe_1", "amount": 1000}`, []string{"agent: I can offer a voucher of $100.", "user: Yes."}, false, false},
		{"new flight with its date", `{"reservation_id": "R1", "cabin": "economy", "flights": [{"flight_number": "F3", "date": "2024-05-21"}], "payment_id": "card"}`,
			[]string{"agent: R1 goes to F3 on the 21st of May, by credit card.", "user: Yes."}, true, true},
		{"new flight on another date", `{"reservation_id": "R1", "cabin": "economy", "flights": [{"flight_number": "F3", "date": "2024-05-21"}], "payment_id": "card"}`,
			[]string{"agent: R1 goes to F3 on May 22, by credit card.", "user: Yes."}, false, false},
		{"a booking for oneself", `{"user_id": "ann_poe_1", "cabin": "economy", "insurance": "no", "total_baggages": 0, "passengers": [{"first_name": "Ann", "last_name": "Poe", "dob": "1990-04-05"}],
			"flights": [{"flight_number": "F3", "date": "2024-05-21"}], "payment_methods": [{"payment_id": "card", "amount": 200}]}`,
			[]string{"agent: F3 in economy on May 21 for $200, by your visa.", "user: Yes."}, true, true},
		{"a booking for somebody else", `{"user_id": "ann_poe_1", "cabin": "economy", "insurance": "no", "total_baggages": 0, "passengers": [{"first_name": "Cy", "last_name": "Poe", "dob": "1990-04-05"}],
			"flights": [{"flight_number": "F3", "date": "2024-05-21"}], "payment_methods": [{"payment_id": "card", "amount": 200}]}`,
			[]string{"agent: F3 in economy on May 21 for $200, by your visa.", "user: Yes."}, false, false},
		{"insurance is not named", `{"user_id": "ann_poe_1", "insurance": "yes", "total_baggages": 0}`, []string{"agent: I book that.", "user: Yes."}, false, false},
		{"nothing", `{}`, []string{"agent: I will cancel R1.", "user: Yes."}, false, false},
	} {
		k, args := known(t, tt.lines...), policytest.Record(t, tt.args)
		if got := []bool{k.SummaryIndex(args) >= 0, k.AgreementIndex(args) >= 0}; !cmp.Equal(got, []bool{tt.summary, tt.ok}) {
			t.Errorf("%s: summary and agreement %v, want %v and %v", tt.name, got, tt.summary, tt.ok)
		}
	}
}
