package toolguard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
)

// shelf answers reads from a few records made up here, so that rules are tried at their bounds without any data folder.
type shelf struct {
	records map[string]string // by need: tool(key)
	flights []string          // number date origin destination status seats and prices, as words
	asked   []string          // searches: origin date
}

func (s *shelf) read(_ context.Context, c domains.ToolCall) domains.ToolResult {
	args := map[string]any{}
	if text, err := c.Arguments.MarshalJSON(); err != nil || json.Unmarshal(text, &args) != nil {
		return domains.ToolResult{Content: "unreadable", Error: true}
	}
	text := func(name string) string { v, _ := args[name].(string); return v }
	if c.Name == "search_direct_flight" {
		return domains.ToolResult{Content: s.search(text("origin"), text("date"))}
	}
	if c.Name == "get_flight_status" {
		for _, f := range s.flights {
			if w := strings.Fields(f); w[0] == text("flight_number") && w[1] == text("date") {
				return domains.ToolResult{Content: strings.ReplaceAll(w[4], "-", " ")}
			}
		}
	}
	for _, name := range []string{"user_id", "reservation_id", "order_id", "product_id", "id", "line_id", "customer_id"} {
		if content, ok := s.records[fmt.Sprintf("%s(%s)", c.Name, text(name))]; ok {
			return domains.ToolResult{Content: content}
		}
	}
	return domains.ToolResult{Content: `{"user_id":"an error","order_id":"is no record","bill_id":"x","status":"Overdue"}`, Error: true}
}

// search lists the available flights of a date from an airport, or from any.
func (s *shelf) search(origin, date string) string {
	s.asked = append(s.asked, strings.TrimSpace(origin+" "+date))
	var found []string
	for _, f := range s.flights {
		if w := strings.Fields(f); w[1] == date && w[4] == "available" && (origin == "" || w[2] == origin) {
			found = append(found, fmt.Sprintf(`{"flight_number":%q,"origin":%q,"destination":%q,"available_seats":%s,"prices":%s}`, w[0], w[2], w[3], w[5], w[6]))
		}
	}
	return "[" + strings.Join(found, ",") + "]"
}

// smallCase is a call as name{json}, or changes to the one before as {json}, with the rule that refuses it by default and
// in the release ("" for none) and what the refusal says.
type smallCase struct {
	name, call     string
	today, release string
	says           string
}

// tryAll runs cases one after the other; domains that were never released have one behaviour.
func tryAll(t *testing.T, domain string, s *shelf, cases []smallCase) {
	t.Helper()
	var base domains.ToolCall
	for _, c := range cases {
		made := base
		if strings.HasPrefix(c.call, "{") {
			made = with(t, base, c.call)
		} else if c.call != "" {
			base = call(t, c.call)
			made = base
		}
		for _, release := range []bool{false, true} {
			want := c.today
			if release {
				if !toolguard.Published(domain) {
					continue
				}
				want = c.release
			}
			v, err := guards(t, domain, toolguard.Options{Release: release}).Check(t.Context(), made, s.read)
			if slices.ContainsFunc(v.Reads, func(n toolguard.Need) bool { return n.Key == "" && c.call != `{"user_id":""}` }) {
				t.Errorf("%s, release=%t: reads %v", c.name, release, v.Reads)
			}
			if err != nil || v.Rule != want || v.Blocked() && !strings.Contains(v.Message, c.says) {
				t.Errorf("%s, release=%t: refused by %q, want %q: %s (want %q in it; error %v)", c.name, release, v.Rule, want, v.Message, c.says, err)
			}
		}
	}
}

func smallAirline() *shelf {
	const two = `[{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"C","last_name":"D","dob":"1991-01-01"}]`
	reservation := func(id, user, kind, cabin, created, insurance, flights string) string {
		return fmt.Sprintf(`{"reservation_id":%q,"user_id":%q,"origin":"AAA","destination":"BBB","flight_type":%q,"cabin":%q,"created_at":%q,"insurance":%q,
			"flights":%s,"passengers":%s,"total_baggages":2,"nonfree_baggages":1,"payment_history":[{"payment_id":"card_1","amount":50},{"payment_id":"gift_1","amount":20}]}`,
			id, user, kind, cabin, created, insurance, flights, two)
	}
	const (
		old      = "2024-05-01T10:00:00"
		wayThere = `{"flight_number":"F1","date":"2024-05-20","origin":"AAA","destination":"BBB","price":100}`
		wayBack  = `{"flight_number":"F2","date":"2024-05-25","origin":"BBB","destination":"AAA","price":100}`
		landed   = `{"flight_number":"L1","date":"2024-05-10","origin":"AAA","destination":"BBB","price":100}`
		scrapped = `{"flight_number":"X1","date":"2024-05-16","origin":"AAA","destination":"BBB","price":100}`
	)
	return &shelf{
		records: map[string]string{
			"get_user_details(gold)": `{"user_id":"gold","membership":"gold","payment_methods":{"card_1":{"source":"credit_card"},"gift_1":{"source":"gift_card"},
				"gift_2":{"source":"gift_card"},"gift_3":{"source":"gift_card"},"paper_1":{"source":"certificate"}}}`,
			"get_user_details(many)": `{"user_id":"many","membership":"regular","payment_methods":{"card_1":{"source":"credit_card"},"card_2":{"source":"credit_card"},
				"gift_1":{"source":"gift_card"},"gift_2":{"source":"gift_card"},"gift_3":{"source":"gift_card"},"gift_4":{"source":"gift_card"}}}`,
			"get_reservation_details(ROUND)":     reservation("ROUND", "gold", "round_trip", "economy", old, "no", "["+wayThere+","+wayBack+"]"),
			"get_reservation_details(ONEWAY)":    reservation("ONEWAY", "gold", "one_way", "economy", old, "no", "["+wayThere+"]"),
			"get_reservation_details(BASIC)":     reservation("BASIC", "gold", "one_way", "basic_economy", old, "no", "["+wayThere+"]"),
			"get_reservation_details(MANY)":      reservation("MANY", "many", "one_way", "economy", old, "no", "["+wayThere+"]"),
			"get_reservation_details(ORPHAN)":    reservation("ORPHAN", "nobody", "one_way", "economy", old, "no", "["+wayThere+"]"),
			"get_reservation_details(INSURED)":   reservation("INSURED", "gold", "one_way", "economy", old, "yes", "["+wayThere+"]"),
			"get_reservation_details(PLUSH)":     reservation("PLUSH", "gold", "one_way", "business", old, "no", "["+wayThere+"]"),
			"get_reservation_details(CALLEDOFF)": reservation("CALLEDOFF", "gold", "round_trip", "economy", old, "no", "["+scrapped+","+wayBack+"]"),
			"get_reservation_details(FLOWN)":     reservation("FLOWN", "gold", "round_trip", "economy", old, "yes", "["+landed+","+wayBack+"]"),
		},
		flights: []string{
			`F1 2024-05-20 AAA BBB available {"economy":2,"business":2,"basic_economy":9} {"economy":100,"business":300}`,
			`F2 2024-05-25 BBB AAA available {"economy":2,"business":1} {"economy":100,"business":300}`,
			`C1 2024-05-20 AAA CCC available {"economy":2,"business":2} {"economy":50,"business":90,"basic_economy":10}`,
			`C2 2024-05-21 CCC BBB available {"economy":2,"business":2} {"economy":50,"business":90}`,
			`E1 2024-05-20 AAA EEE available {"economy":9,"business":9} {"economy":50,"business":90}`,
			`B9 2024-05-21 BBB CCC available {"economy":9,"business":9} {"economy":50,"business":90}`,
			`L1 2024-05-10 AAA BBB landed {} {}`,
			`X1 2024-05-16 AAA BBB cancelled {} {}`,
			`O1 2024-05-15 AAA BBB on-time {} {}`,
		},
	}
}

// TestAirlineAtTheBounds tries each rule where it begins to refuse, in both behaviours.
func TestAirlineAtTheBounds(t *testing.T) {
	person := func(n int) string {
		return `{"passengers":[` + strings.TrimSuffix(strings.Repeat(`{"first_name":"A","last_name":"B","dob":"1990-01-01"},`, n), ",") + `]`
	}
	pay := func(ids ...string) string {
		return `{"payment_methods":[{"payment_id":"` + strings.Join(ids, `","amount":1},{"payment_id":"`) + `","amount":1}]}`
	}
	tryAll(t, "airline", smallAirline(), []smallCase{
		{"a booking that passes", `book_reservation{"user_id":"gold","origin":"AAA","destination":"BBB","flight_type":"one_way","cabin":"economy","flights":[{"flight_number":"F1","date":"2024-05-20"}],
			"passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"C","last_name":"D","dob":"1991-01-01"}],
			"payment_methods":[{"payment_id":"card_1","amount":200}],"total_baggages":6,"nonfree_baggages":0,"insurance":"no"}`, "", "", ""},
		{"no such user", `{"user_id":"nobody"}`, "airline.book.1", "airline.book.1", `no user "nobody"`},
		{"no user", `{"user_id":""}`, "airline.book.1", "airline.book.1", "no user"},
		{"no origin", `{"origin":""}`, "airline.book.1", "airline.book.1", "lacks origin"},
		{"no destination", `{"destination":""}`, "airline.book.1", "airline.book.1", "lacks destination"},
		{"no trip type", `{"flight_type":""}`, "airline.book.1", "airline.book.1", "lacks flight_type"},
		{"no such flight", `{"flights":[{"flight_number":"NONE","date":"2024-05-20"}]}`, "airline.book.2", "airline.book.2", "no flight NONE on 2024-05-20"},
		{"cancelled", `{"flights":[{"flight_number":"F1","date":"2024-05-20"},{"flight_number":"X1","date":"2024-05-16"}]}`, "airline.book.2", "airline.book.2", `"cancelled"`},
		{"on time takes no bookings", `{"flights":[{"flight_number":"O1","date":"2024-05-15"}]}`, "airline.book.2", "airline.book.2", `"on time"`},
		{"as many seats as passengers", `{"flights":[{"flight_number":"C1","date":"2024-05-20"},{"flight_number":"C2","date":"2024-05-21"}]}`, "", "", ""},
		{"one seat too few", person(3) + `}`, "airline.book.3", "airline.book.3", "has 2 free seats in economy, which is too few for 3"},
		{"one seat too few on the second flight", `{"cabin":"business","flights":[{"flight_number":"F1","date":"2024-05-20"},{"flight_number":"F2","date":"2024-05-25"}]}`, "airline.book.3", "airline.book.3", "F2 on 2024-05-25 has 1 free seats"},
		{"seats without a price", `{"cabin":"basic_economy"}`, "airline.book.3", "airline.book.3", `no price in cabin "basic_economy"`},
		{"a price without seats", `{"cabin":"basic_economy","flights":[{"flight_number":"C1","date":"2024-05-20"}]}`, "airline.book.3", "airline.book.3", "no price in cabin"},
		{"nobody flies", `{"passengers":[]}`, "airline.book.4", "airline.book.4", "not 0"},
		{"one passenger", person(1) + `,"total_baggages":3}`, "", "", ""},
		{"five passengers", person(5) + `,"flights":[{"flight_number":"E1","date":"2024-05-20"}]}`, "", "", ""},
		{"six passengers", person(6) + `,"flights":[{"flight_number":"E1","date":"2024-05-20"}]}`, "airline.book.4", "airline.book.4", "not 6"},
		{"no last name", `{"passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"A","dob":"1990-01-01"}]}`, "airline.book.4", "airline.book.4", "Passenger 2 has no last_name"},
		{"no first name", `{"passengers":[{"last_name":"B","dob":"1990-01-01"}]}`, "airline.book.4", "airline.book.4", "Passenger 1 has no first_name"},
		{"three gift cards, a card and a certificate", pay("gift_1", "gift_2", "gift_3", "card_1", "paper_1"), "", "", ""},
		{"somebody else's method", pay("card_1", "card_2"), "airline.book.5", "airline.book.5", `"card_2" is not in the user's profile`},
		{"two credit cards", `{"user_id":"many","nonfree_baggages":6,"payment_methods":[{"payment_id":"card_1","amount":1},{"payment_id":"card_2","amount":1}]}`, "airline.book.5", "airline.book.5", "1 credit card at most"},
		{"all the bags that are free", `{"total_baggages":6}`, "", "", ""},
		{"one bag more", `{"total_baggages":7}`, "airline.book.6", "airline.book.6", "7 bags would be free, but only 6 are for 2 passengers with membership gold in economy: nonfree_baggages has to be 1"},
		{"one bag more, paid for", `{"total_baggages":7,"nonfree_baggages":1}`, "", "", ""},
		{"more paid bags than need be", `{"total_baggages":2,"nonfree_baggages":2}`, "", "", ""},
		{"a fourth bag each in business", `{"cabin":"business","total_baggages":8}`, "", "airline.book.6", "only 6 are for 2"},
		{"a fifth", `{"cabin":"business","total_baggages":9}`, "airline.book.6", "airline.book.6", "bags would be free"},
		{"no number of bags", `{"total_baggages":"many"}`, "", "", ""},
		{"no number of paid bags", `{"total_baggages":99,"nonfree_baggages":null}`, "", "", ""},

		{"old, cheap and uninsured", `cancel_reservation{"reservation_id":"ONEWAY"}`, "airline.cancel.1", "airline.cancel.1", "more than 24 hours"},
		{"insured", `{"reservation_id":"INSURED"}`, "", "", ""},
		{"business", `{"reservation_id":"PLUSH"}`, "", "", ""},
		{"one flight called off", `{"reservation_id":"CALLEDOFF"}`, "", "", ""},
		{"one flight flown", `{"reservation_id":"FLOWN"}`, "airline.cancel.2", "airline.cancel.2", `flight L1 on 2024-05-10 has the status "landed"`},
		{"no such reservation", `{"reservation_id":"NONE"}`, "", "", ""},

		{"a free bag more", `update_reservation_baggages{"reservation_id":"ROUND","total_baggages":3,"nonfree_baggages":1,"payment_id":"card_1"}`, "", "", ""},
		{"as many bags as before", `{"total_baggages":2}`, "", "", ""},
		{"a bag off", `{"total_baggages":1}`, "airline.baggages.1", "airline.baggages.1", "the reservation has 2"},
		{"a paid bag without method", `{"nonfree_baggages":2,"payment_id":""}`, "airline.baggages.1", "airline.baggages.1", "need a payment method"},
		{"as many paid bags as before", `{"reservation_id":"ORPHAN","nonfree_baggages":1,"payment_id":""}`, "", "", ""},
		{"no number of bags", `{"reservation_id":"ORPHAN","total_baggages":null,"nonfree_baggages":null,"payment_id":""}`, "", "", ""},
		{"paid bags for no reservation", `{"reservation_id":"NONE","nonfree_baggages":9,"payment_id":""}`, "", "", ""},
		{"a certificate", `{"payment_id":"paper_1"}`, "airline.baggages.2", "", "credit card or a gift card"},
		{"a gift card", `{"payment_id":"gift_2"}`, "", "", ""},
		{"somebody else's method", `{"payment_id":"card_2"}`, "airline.baggages.2", "airline.baggages.2", "not in the user's profile"},
		{"a profile with more cards than a booking takes", `{"reservation_id":"MANY","total_baggages":2,"nonfree_baggages":2,"payment_id":"card_1"}`, "", "airline.baggages.2", "profile may hold 1 credit card at most"},
		{"free for two passengers, charged by the release, and paid just so before", `{"total_baggages":4}`, "", "", ""},
		{"paid with another method before", `{"total_baggages":4,"payment_id":"gift_1"}`, "", "airline.baggages.3", "payments with gift_1 come to $20, but 1 bags beyond the allowance of 3 cost $50"},
		{"all the bags that are free", `{"total_baggages":7}`, "", "airline.baggages.3", "cost $200"},
		{"one bag more", `{"total_baggages":8}`, "airline.baggages.3", "airline.baggages.3", "bags"},
	})
}

// TestAirlineChangesAtTheBounds is the same for changes of flights and passengers.
func TestAirlineChangesAtTheBounds(t *testing.T) {
	flights := func(cabin string, list ...string) string {
		var out []string
		for _, f := range list {
			number, day, _ := strings.Cut(f, "/")
			out = append(out, fmt.Sprintf(`{"flight_number":%q,"date":"2024-05-%s"}`, number, day))
		}
		return fmt.Sprintf(`"cabin":%q,"flights":[%s]}`, cabin, strings.Join(out, ","))
	}
	round, one, basic := `{"reservation_id":"ROUND",`, `{"reservation_id":"ONEWAY",`, `{"reservation_id":"BASIC",`
	const move = "update_reservation_flights"
	tryAll(t, "airline", smallAirline(), []smallCase{
		{"by way of another airport", move + `{"reservation_id":"ONEWAY","payment_id":"card_1",` + flights("economy", "C1/20", "C2/21"), "", "", ""},
		{"nothing changes", one + flights("economy", "F1/20"), "", "", ""},
		{"a flight called off", one + flights("economy", "X1/16"), "airline.flights.1", "airline.flights.1", `"cancelled"`},
		{"a kept flight called off", `{"reservation_id":"CALLEDOFF",` + flights("economy", "X1/16", "F2/25"), "", "airline.flights.1", `"cancelled"`},
		{"it gets a new price", `{"reservation_id":"CALLEDOFF",` + flights("business", "X1/16", "F2/25"), "airline.flights.1", "airline.flights.1", `"cancelled"`},
		{"a seat too few in another cabin", round + flights("business", "F1/20", "F2/25"), "airline.flights.2", "airline.flights.2", "too few for 2"},
		{"another cabin", one + flights("business", "F1/20"), "", "", ""},
		{"a certificate", `{"payment_id":"paper_1"}`, "airline.flights.3", "airline.flights.3", "credit card or a gift card"},
		{"somebody else's method", `{"payment_id":"card_2"}`, "airline.flights.3", "airline.flights.3", "not in the user's profile"},
		{"a reservation of nobody's", `{"reservation_id":"ORPHAN","payment_id":"card_2"}`, "", "", ""},
		{"from elsewhere", one + flights("economy", "C2/21"), "airline.flights.4", "airline.flights.4", "starts in AAA, but flight C2 on 2024-05-21 leaves from CCC"},
		{"to elsewhere", one + flights("economy", "E1/20"), "airline.flights.4", "airline.flights.4", "ends in BBB, but flight E1 on 2024-05-20 goes to EEE"},
		{"too far", one + flights("economy", "F1/20", "B9/21"), "airline.flights.4", "airline.flights.4", "flight B9 on 2024-05-21 goes to CCC"},
		{"a gap", one + flights("economy", "E1/20", "C2/21"), "airline.flights.4", "", "do not connect from AAA to BBB"},
		{"there and back", round + flights("economy", "C1/20", "C2/21", "F2/25"), "", "", ""},
		{"only there", round + flights("economy", "F1/20"), "airline.flights.4", "", "from AAA to BBB and back"},
		{"only back", round + flights("economy", "F2/25"), "airline.flights.4", "airline.flights.4", "starts in AAA"},
		{"no flights", one + flights("economy"), "", "", ""},
		{"no such reservation", `{"reservation_id":"NONE","payment_id":"x",` + flights("economy", "F1/20"), "", "", ""},
		{"basic economy, other flights", basic + flights("basic_economy", "C1/20", "C2/21"), "airline.flights.2", "airline.flights.2", "no price"},
		{"basic economy, other flights, cabin up", basic + flights("economy", "C1/20", "C2/21"), "airline.flights.5", "", "only the cabin may change"},
		{"basic economy, cabin up", basic + flights("economy", "F1/20"), "", "", ""},
		{"basic economy stays", basic + flights("basic_economy", "F1/20"), "", "airline.flights.2", "no price"},
		{"into basic economy without flights", one + flights("basic_economy"), "", "airline.flights.5", "basic economy"},

		{"new names", `update_reservation_passengers{"reservation_id":"ONEWAY","passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"X","last_name":"Y","dob":"1999-01-01"}]}`, "", "", ""},
		{"one less", `{"passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"}]}`, "airline.passengers.2", "airline.passengers.2", "for 2, not 1"},
		{"no date of birth", `{"passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"},{"first_name":"X","last_name":"Y"}]}`, "airline.passengers.1", "airline.passengers.1", "Passenger 2 has no dob"},
		{"of no reservation", `{"reservation_id":"NONE","passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"}]}`, "", "", ""},
	})
}

// TestSearchesFollowTheTrip: where the trip has got to is searched first, and every airport only if the flight is not there.
func TestSearchesFollowTheTrip(t *testing.T) {
	const book = `book_reservation{"user_id":"gold","origin":"AAA","destination":"BBB","flight_type":"one_way","cabin":"economy","passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"}],"payment_methods":[],"flights":`
	for _, c := range []struct {
		name, call string
		want       []string
	}{
		{"a connection", book + `[{"flight_number":"C1","date":"2024-05-20"},{"flight_number":"C2","date":"2024-05-21"}]}`, []string{"AAA 2024-05-20", "CCC 2024-05-21"}},
		{"a flight from elsewhere", book + `[{"flight_number":"C2","date":"2024-05-21"}]}`, []string{"AAA 2024-05-21", "2024-05-21"}},
		{"a change starts where the reservation does", `update_reservation_flights{"reservation_id":"ROUND","payment_id":"card_1","cabin":"economy","flights":[{"flight_number":"C1","date":"2024-05-20"},{"flight_number":"C2","date":"2024-05-21"},{"flight_number":"F2","date":"2024-05-25"}]}`,
			[]string{"AAA 2024-05-20", "CCC 2024-05-21"}},
		{"a flight looked for twice", `update_reservation_flights{"reservation_id":"ONEWAY","payment_id":"card_1","cabin":"business","flights":[{"flight_number":"C2","date":"2024-05-21"},{"flight_number":"F1","date":"2024-05-20"}]}`,
			[]string{"AAA 2024-05-21", "2024-05-21", "BBB 2024-05-20", "2024-05-20"}},
	} {
		s := smallAirline()
		if _, err := guards(t, "airline", toolguard.Options{}).Check(t.Context(), call(t, c.call), s.read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, s.asked); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestHeard: the user id has to come up in a text of the conversation, and the profile of that user be read by the agent.
func TestHeard(t *testing.T) {
	book := call(t, `book_reservation{"user_id":"gold","origin":"AAA","destination":"BBB","flight_type":"one_way","cabin":"economy","flights":[],"passengers":[{"first_name":"A","last_name":"B","dob":"1990-01-01"}],"payment_methods":[]}`)
	text := func(role domains.Role, s string) domains.Message {
		return domains.Message{Role: role, Content: domains.Text(s)}
	}
	reads := func(role domains.Role, c string) domains.Message {
		return domains.Message{Role: role, ToolCalls: []domains.ToolCall{call(t, c)}}
	}
	read := reads(domains.RoleAssistant, `get_user_details{"user_id":"gold"}`)
	for _, c := range []struct {
		name string
		talk []domains.Message
		rule string
	}{
		{"the user says it", []domains.Message{text(domains.RoleUser, "I am gold."), read}, ""},
		{"the agent says it", []domains.Message{text(domains.RoleAssistant, "Are you gold?"), read}, ""},
		{"only a tool says it", []domains.Message{text(domains.RoleTool, "gold"), read}, "airline.book.1"},
		{"another profile is read", []domains.Message{text(domains.RoleUser, "I am gold."), reads(domains.RoleAssistant, `get_user_details{"user_id":"many"}`)}, "airline.book.1"},
		{"something else is read", []domains.Message{text(domains.RoleUser, "I am gold."), reads(domains.RoleAssistant, `get_reservation_details{"user_id":"gold"}`)}, "airline.book.1"},
		{"the user reads it", []domains.Message{text(domains.RoleUser, "I am gold."), reads(domains.RoleUser, `get_user_details{"user_id":"gold"}`)}, "airline.book.1"},
		{"read and then said, with more before and after", []domains.Message{text(domains.RoleUser, "Hello."), read, text(domains.RoleUser, "gold, yes."), text(domains.RoleAssistant, "Thanks.")}, ""},
	} {
		set := guards(t, "airline", toolguard.Options{Release: true, History: true}).Hearing(c.talk)
		v, err := set.Check(t.Context(), book, smallAirline().read)
		if err != nil || v.Rule != c.rule {
			t.Errorf("%s: refused by %q, want %q (%v)", c.name, v.Rule, c.rule, err)
		}
	}
}

func TestRetailAtTheBounds(t *testing.T) {
	order := func(id, user, status string) string {
		return fmt.Sprintf(`{"order_id":%q,"user_id":%q,"status":%q,"items":[{"item_id":"red","product_id":"cup","price":10,"options":{"colour":"red"}},{"item_id":"lamp","product_id":"light","price":5,"options":{}}],
			"payment_history":[{"transaction_type":"payment","payment_method_id":"card","amount":60.1},{"transaction_type":"payment","payment_method_id":"late","amount":1}]}`, id, user, status)
	}
	s := &shelf{records: map[string]string{
		"get_user_details(kim)": `{"user_id":"kim","payment_methods":{"card":{"source":"credit_card"},"late":{"source":"credit_card"},"pal":{"source":"paypal"},
			"exact":{"source":"gift_card","balance":60.1},"short":{"source":"gift_card","balance":60.09},"seven":{"source":"gift_card","balance":7}}}`,
		"get_order_details(P)": order("P", "kim", "pending"), "get_order_details(D)": order("D", "kim", "delivered"),
		"get_order_details(M)": order("M", "kim", "pending (item modified)"), "get_order_details(O)": order("O", "nobody", "pending"),
		"get_order_details(OD)": order("OD", "nobody", "delivered"),
		"get_order_details(U)":  `{"order_id":"U","user_id":"kim","status":"delivered","items":[],"payment_history":[]}`,
		"get_product_details(cup)": `{"product_id":"cup","name":"Cup","variants":{"red":{"item_id":"red","price":10,"available":true,"options":{"colour":"red"}},
			"blue":{"item_id":"blue","price":17,"available":true,"options":{"colour":"blue"}},"gone":{"item_id":"gone","price":11,"available":false,"options":{"colour":"green"}},
			"dear":{"item_id":"dear","price":17.01,"available":true,"options":{"colour":"gold"}},"twin":{"item_id":"twin","price":9,"available":true,"options":{"colour":"red"}}}}`,
	}}
	tryAll(t, "retail", s, []smallCase{
		{name: "pending", call: `cancel_pending_order{"order_id":"P","reason":"no longer needed"}`},
		{name: "the other reason", call: `{"reason":"ordered by mistake"}`},
		{name: "delivered", call: `{"order_id":"D"}`, today: "retail.cancel.1", says: `"delivered": this is possible only while it is "pending"`},
		{name: "no such order", call: `{"order_id":"NONE"}`},
		{name: "cheaper", call: `{"reason":"found cheaper"}`, today: "retail.cancel.2", says: `"found cheaper" is no reason`},

		{name: "an address of a pending order", call: `modify_pending_order_address{"order_id":"P"}`},
		{name: "its items were changed", call: `{"order_id":"M"}`, today: "retail.address.1", says: "item modified"},

		{name: "a gift card that holds the exact amount", call: `modify_pending_order_payment{"order_id":"P","payment_method_id":"exact"}`},
		{name: "a cent too little", call: `{"payment_method_id":"short"}`, today: "retail.payment.3", says: "holds $60.09, which does not cover $60.10"},
		{name: "no gift card", call: `{"payment_method_id":"pal"}`},
		{name: "what it was paid with", call: `{"payment_method_id":"card"}`, today: "retail.payment.2", says: "paid with card already"},
		{name: "what it was paid with last", call: `{"payment_method_id":"late"}`, today: "retail.payment.2", says: "paid with late already"},
		{name: "somebody else's", call: `{"payment_method_id":"theirs"}`, today: "retail.payment.2", says: `"theirs" is not in the profile`},
		{name: "an order of nobody's", call: `{"order_id":"O","payment_method_id":"theirs"}`},
		{name: "delivered", call: `{"order_id":"D"}`, today: "retail.payment.1", says: `"delivered"`},

		{name: "another colour for the exact difference", call: `modify_pending_order_items{"order_id":"P","item_ids":["red"],"new_item_ids":["blue"],"payment_method_id":"seven"}`},
		{name: "a cent more", call: `{"new_item_ids":["dear"]}`, today: "retail.items.4", says: "holds $7, which does not cover $7.01"},
		{name: "somebody else's method", call: `{"payment_method_id":"theirs"}`, today: "retail.items.4", says: "not in the profile"},
		{name: "out of stock", call: `{"new_item_ids":["gone"]}`, today: "retail.items.3", says: "gone is not available"},
		{name: "the same option", call: `{"new_item_ids":["red"]}`, today: "retail.items.2", says: "by itself"},
		{name: "the same colour under another id", call: `{"new_item_ids":["twin"]}`, today: "retail.items.2", says: "by itself"},
		{name: "no option", call: `{"new_item_ids":["lamp"]}`, today: "retail.items.2", says: "no option of the same product as item red (Cup)"},
		{name: "an item that is not in the order", call: `{"item_ids":["other"]}`},
		{name: "a product that cannot be read", call: `{"item_ids":["lamp"]}`},
		{name: "the second of two", call: `{"item_ids":["lamp","red"],"new_item_ids":["any","gone"]}`, today: "retail.items.3", says: "gone is not available"},
		{name: "one too many", call: `{"new_item_ids":["blue","blue"]}`, today: "retail.items.2", says: "1 items cannot be replaced by 2"},
		{name: "a second time", call: `{"order_id":"M"}`, today: "retail.items.1", says: "item modified"},

		{name: "an exchange", call: `exchange_delivered_order_items{"order_id":"D","item_ids":["red"],"new_item_ids":["blue"],"payment_method_id":"card"}`},
		{name: "pending", call: `{"order_id":"P"}`, today: "retail.exchange.1", says: `only while it is "delivered"`},
		{name: "the same option", call: `{"new_item_ids":["red"]}`, today: "retail.exchange.2", says: "by itself"},
		{name: "out of stock", call: `{"new_item_ids":["gone"]}`, today: "retail.exchange.3", says: "not available"},
		{name: "a cent too little", call: `{"new_item_ids":["dear"],"payment_method_id":"seven"}`, today: "retail.exchange.4", says: "does not cover"},

		{name: "back to where it came from", call: `return_delivered_order_items{"order_id":"D","item_ids":["red"],"payment_method_id":"card"}`},
		{name: "to a gift card", call: `{"payment_method_id":"seven"}`},
		{name: "to another method", call: `{"payment_method_id":"pal"}`, today: "retail.return.2", says: "The refund goes to card"},
		{name: "to what was paid with last", call: `{"payment_method_id":"late"}`, today: "retail.return.2", says: "not to late"},
		{name: "to somebody else", call: `{"payment_method_id":"theirs"}`, today: "retail.return.2", says: "not in the profile"},
		{name: "an order without payments", call: `{"order_id":"U","payment_method_id":"pal"}`},
		{name: "of nobody's order", call: `{"order_id":"OD","payment_method_id":"card"}`},
		{name: "pending", call: `{"order_id":"P"}`, today: "retail.return.1", says: `"pending"`},
	})
}

func TestTelecomAtTheBounds(t *testing.T) {
	s := &shelf{records: map[string]string{
		"get_details_by_id(LATE)": `{"bill_id":"LATE","customer_id":"kim","status":"Overdue"}`, "get_details_by_id(PAID)": `{"bill_id":"PAID","customer_id":"kim","status":"Paid"}`,
		"get_details_by_id(THEIRS)":   `{"bill_id":"THEIRS","customer_id":"lee","status":"Overdue"}`,
		"get_details_by_id(ASKED)":    `{"bill_id":"ASKED","customer_id":"pat","status":"Overdue"}`,
		"get_bills_for_customer(kim)": `[{"bill_id":"PAID","status":"Paid"},{"bill_id":"LATE","status":"Overdue"}]`,
		"get_bills_for_customer(pat)": `[{"bill_id":"PAID","status":"Paid"},{"bill_id":"ASKED","status":"Awaiting Payment"}]`,
		"get_bills_for_customer(sol)": `[{"bill_id":"PAID","status":"Paid"}]`,
		"get_details_by_id(ON)":       `{"line_id":"ON","roaming_enabled":true,"contract_end_date":"2099-01-01"}`,
		"get_details_by_id(OFF)":      `{"line_id":"OFF","roaming_enabled":false,"contract_end_date":"2020-01-01"}`,
		"get_data_usage(ON)":          `{"line_id":"ON","data_refueling_gb":0.5}`,
		"get_data_usage(OFF)":         `{"line_id":"OFF"}`,
	}}
	tryAll(t, "telecom", s, []smallCase{
		{name: "overdue", call: `send_payment_request{"customer_id":"kim","bill_id":"LATE"}`},
		{name: "paid", call: `{"bill_id":"PAID"}`, today: "telecom.request.1", says: "Bill PAID is Paid"},
		{name: "of another customer", call: `{"bill_id":"THEIRS"}`, today: "telecom.request.1", says: "not the customer's"},
		{name: "no such bill", call: `{"bill_id":"NONE"}`},
		{name: "another one awaits payment", call: `{"customer_id":"pat","bill_id":"NONE"}`, today: "telecom.request.2", says: "Bill ASKED awaits payment already"},
		{name: "this one does", call: `{"customer_id":"pat","bill_id":"ASKED"}`},

		{name: "all paid", call: `resume_line{"customer_id":"sol","line_id":"ON"}`},
		{name: "overdue", call: `{"customer_id":"kim"}`, today: "telecom.resume.1", says: "bill LATE is Overdue"},
		{name: "awaits payment", call: `{"customer_id":"pat"}`, today: "telecom.resume.1", says: "bill ASKED is Awaiting Payment"},
		{name: "contract ended", call: `{"line_id":"OFF"}`, today: "telecom.resume.2", says: "ended on 2020-01-01"},
		{name: "no such line", call: `{"line_id":"NONE"}`},

		{name: "just 2 GB in all", call: `refuel_data{"customer_id":"kim","line_id":"ON","gb_amount":1.5}`},
		{name: "a little more", call: `{"gb_amount":1.6}`, today: "telecom.refuel.1", says: "1.6 GB cannot be added: 0.5 GB were added this month already, and 2 GB is the most"},
		{name: "no amount", call: `{"gb_amount":"much"}`},
		{name: "unknown use", call: `{"line_id":"OFF","gb_amount":9}`},

		{name: "roaming is off", call: `enable_roaming{"customer_id":"kim","line_id":"OFF"}`},
		{name: "roaming is on", call: `{"line_id":"ON"}`, today: "telecom.roaming.1", says: "enabled on the line already"},
	})
}

// TestUnreadableArguments: the tool itself answers a call whose arguments are no object, and nothing is read for it.
func TestUnreadableArguments(t *testing.T) {
	c := call(t, `book_reservation{}`)
	c.Arguments = call(t, `x{"list":[]}`).Arguments
	m, _ := c.Arguments.Map()
	c.Arguments, _ = m.Get("list")
	v, err := guards(t, "airline", toolguard.Options{}).Check(t.Context(), c, func(context.Context, domains.ToolCall) domains.ToolResult {
		t.Error("something was read")
		return domains.ToolResult{}
	})
	if err != nil || v.Blocked() || len(v.Reads) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestReleaseReads: the release lists what its own checks read, which for the new cabin is nothing.
func TestReleaseReads(t *testing.T) {
	reads := func(release bool, id string) []string {
		rules := guards(t, "airline", toolguard.Options{Release: release}).Rules()
		return rules[slices.IndexFunc(rules, func(r toolguard.Rule) bool { return r.ID == id })].Reads
	}
	for id, want := range map[string][2][]string{
		"airline.flights.1": {{"get_reservation_details", "get_flight_status"}, {"get_flight_status"}},
		"airline.flights.5": {{"get_reservation_details"}, {}},
		"airline.book.6":    {{"get_user_details"}, {"get_user_details"}},
	} {
		if diff := cmp.Diff(want, [2][]string{reads(false, id), reads(true, id)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}
