package airline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/value"
)

// small is a world of three flights, two users and one reservation, in which every trap can be sprung.
func small(t *testing.T) *domains.World {
	t.Helper()
	data, err := domains.Folder("testdata")
	if err != nil {
		t.Fatal(err)
	}
	w, err := airline.Domain().Open(data, domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func fresh(t *testing.T, w *domains.World) *domains.Env {
	t.Helper()
	e, err := w.New(&w.Tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// call runs a tool with its arguments in JSON.
func call(t *testing.T, e *domains.Env, tool, args string) domains.ToolResult {
	t.Helper()
	v, err := value.ParseString(args)
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return e.Call(domains.AgentSide, domains.ToolCall{ID: "1", Name: tool, Arguments: v, Requestor: domains.AgentSide})
}

// changes are the differences between a fresh database and e's, one line each.
func changes(t *testing.T, w *domains.World, e *domains.Env) []string {
	t.Helper()
	pristine := fresh(t, w)
	var out []string
	for _, c := range pristine.Diff(e) {
		out = append(out, fmt.Sprintf("%s: %s -> %s", c.Path, c.Want, c.Got))
	}
	before, _ := pristine.Hash(domains.AgentSide)
	after, _ := e.Hash(domains.AgentSide)
	if (before == after) != (len(out) == 0) {
		t.Errorf("hash changed: %v, but the differences are %q", before != after, out)
	}
	return out
}

// booking is a call of book_reservation that succeeds at 400 dollars, with replacements of its parts.
func booking(replace ...string) string {
	text := `{"user_id": "ada_byron_1", "origin": "SFO", "destination": "DEN", "flight_type": "one_way", "cabin": "economy",
		"flights": [{"flight_number": "TG100", "date": "2024-05-20"}],
		"passengers": [{"first_name": "Ada", "last_name": "Byron", "dob": "1990-12-10"}, {"first_name": "Max", "last_name": "Born", "dob": "1982-12-11"}],
		"payment_methods": [{"payment_id": "card_1", "amount": 400}],
		"total_baggages": 2, "nonfree_baggages": 0, "insurance": "no"}`
	return strings.NewReplacer(replace...).Replace(text)
}

const (
	cardPays = `{"payment_id": "card_1", "amount": 400}`
	aPerson  = `{"first_name": "A", "last_name": "B", "dob": "2000-01-01"}`
)

type toolCall struct{ tool, args string }

// fault is one fault in the text of a validation error.
func fault(at, message, kind, input, inputType string) string {
	return fmt.Sprintf("\n%s\n  %s [type=%s, input_value=%s, input_type=%s]\n    For further information visit https://errors.pydantic.dev/2.12/v/%[3]s",
		at, message, kind, input, inputType)
}

// trap is a sequence of calls. want is the text of the last result if that is an error or a plain text, or a part of
// it if it starts with an ellipsis; changes is what differs from the fresh database after them all.
type trap struct {
	name    string
	calls   []toolCall
	want    string
	changes []string
}

func runTraps(t *testing.T, traps []trap) {
	t.Helper()
	w := small(t)
	for _, tt := range traps {
		t.Run(tt.name, func(t *testing.T) {
			e := fresh(t, w)
			var last domains.ToolResult
			for _, c := range tt.calls {
				last = call(t, e, c.tool, c.args)
			}
			part, isPart := strings.CutPrefix(tt.want, "...")
			if (isPart && !strings.Contains(last.Content, part)) || (!isPart && last.Content != tt.want) {
				t.Errorf("last result %s\nwant %s", last.Content, tt.want)
			}
			if want := strings.HasPrefix(tt.want, "Error: "); last.Error != want {
				t.Errorf("error flag %v, want %v", last.Error, want)
			}
			if diff := cmp.Diff(tt.changes, changes(t, w, e)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBooking(t *testing.T) {
	added := func(payments, nonfree string) string {
		return `reservations.HATHAT: (absent) -> {"cabin": "economy", "created_at": "2024-05-15T15:00:00", "destination": "DEN", "flight_type": "one_way", ` +
			`"flights": [{"date": "2024-05-20", "destination": "DEN", "flight_number": "TG100", "origin": "SFO", "price": 200}], "insurance": "no", ` +
			`"nonfree_baggages": ` + nonfree + `, "origin": "SFO", "passengers": [{"dob": "1990-12-10", "first_name": "Ada", "last_name": "Byron"}, ` +
			`{"dob": "1982-12-11", "first_name": "Max", "last_name": "Born"}], "payment_history": [` + payments + `], "reservation_id": "HATHAT", ` +
			`"status": null, "total_baggages": 2, "user_id": "ada_byron_1"}`
	}
	const (
		seats  = "flights.TG100.dates.2024-05-20.available_seats.economy: 2 -> 0"
		listed = `users.ada_byron_1.reservations.1: (absent) -> "HATHAT"`
	)
	runTraps(t, []trap{
		{
			name:    "books, takes seats, lists the reservation",
			calls:   []toolCall{{"book_reservation", booking()}},
			want:    `..."price": 200}], "passengers": [{"first_name": "Ada"`,
			changes: []string{seats, listed, added(`{"amount": 400, "payment_id": "card_1"}`, "0")},
		},
		{
			name: "gift card is charged, certificate used up whole",
			calls: []toolCall{{"book_reservation", booking(cardPays,
				`{"payment_id": "gift_1", "amount": 299}, {"payment_id": "cert_1", "amount": 1}, {"payment_id": "card_1", "amount": 100}`)}},
			want: `..."status": null}`,
			changes: []string{seats,
				`users.ada_byron_1.payment_methods.cert_1: {"amount": 100.0, "id": "cert_1", "source": "certificate"} -> (absent)`,
				"users.ada_byron_1.payment_methods.gift_1.amount: 300.0 -> 1.0",
				listed,
				added(`{"amount": 299, "payment_id": "gift_1"}, {"amount": 1, "payment_id": "cert_1"}, {"amount": 100, "payment_id": "card_1"}`, "0")},
		},
		{
			name: "the same certificate twice fails with the earlier payments made",
			calls: []toolCall{{"book_reservation", booking(cardPays,
				`{"payment_id": "gift_1", "amount": 200}, {"payment_id": "cert_1", "amount": 100}, {"payment_id": "cert_1", "amount": 100}`)}},
			want: "Error: 'cert_1'",
			changes: []string{
				`users.ada_byron_1.payment_methods.cert_1: {"amount": 100.0, "id": "cert_1", "source": "certificate"} -> (absent)`,
				"users.ada_byron_1.payment_methods.gift_1.amount: 300.0 -> 100.0"},
		},
		{
			name: "each entry of a gift card is compared with the whole balance",
			calls: []toolCall{{"book_reservation", booking(cardPays,
				`{"payment_id": "gift_1", "amount": 200}, {"payment_id": "gift_1", "amount": 200}`)}},
			want: `..."status": null}`,
			changes: []string{seats, "users.ada_byron_1.payment_methods.gift_1.amount: 300.0 -> -100.0", listed,
				added(`{"amount": 200, "payment_id": "gift_1"}, {"amount": 200, "payment_id": "gift_1"}`, "0")},
		},
		{
			name:  "more than the balance",
			calls: []toolCall{{"book_reservation", booking(cardPays, `{"payment_id": "gift_1", "amount": 301}`)}},
			want:  "Error: Not enough balance in payment method gift_1",
		},
		{
			name:    "numbers are coerced in the reservation",
			calls:   []toolCall{{"book_reservation", booking(`"amount": 400`, `"amount": "450.0"`, `"nonfree_baggages": 0`, `"nonfree_baggages": true`)}},
			want:    `..."total_baggages": 2, "nonfree_baggages": 1, `,
			changes: []string{seats, listed, added(`{"amount": 450, "payment_id": "card_1"}`, "1")},
		},
		{
			name:  "an unpriced number of bags has any size",
			calls: []toolCall{{"book_reservation", booking(`"total_baggages": 2`, `"total_baggages": 100000000000000000000`)}},
			want:  `..."total_baggages": 100000000000000000000, `,
			changes: []string{seats, listed, strings.Replace(added(`{"amount": 400, "payment_id": "card_1"}`, "0"),
				`"total_baggages": 2`, `"total_baggages": 100000000000000000000`, 1)},
		},
		{
			name:  "a float number of bags makes the total a float",
			calls: []toolCall{{"book_reservation", booking(`"nonfree_baggages": 0`, `"nonfree_baggages": 1.0`)}},
			want:  "Error: Payment amount does not add up, total price is 450.0, but paid 400",
		},
		{
			name:  "insurance is per passenger",
			calls: []toolCall{{"book_reservation", booking(`"insurance": "no"`, `"insurance": "yes"`)}},
			want:  "Error: Payment amount does not add up, total price is 460, but paid 400",
		},
		{
			name:  "a text as number of bags cannot be added up",
			calls: []toolCall{{"book_reservation", booking(`"nonfree_baggages": 0`, `"nonfree_baggages": "0"`)}},
			want:  "Error: unsupported operand type(s) for +=: 'int' and 'str'",
		},
		{
			name:  "not available",
			calls: []toolCall{{"book_reservation", booking("2024-05-20", "2024-05-18")}},
			want:  "Error: Flight TG100 not available on date 2024-05-18",
		},
		{
			name:  "no such date",
			calls: []toolCall{{"book_reservation", booking("2024-05-20", "2024-06-20")}},
			want:  "Error: Flight TG100 not found on date 2024-06-20",
		},
		{
			name:  "no such flight",
			calls: []toolCall{{"book_reservation", booking("TG100", "TG999")}},
			want:  "Error: Flight TG999 not found",
		},
		{
			name:  "too few seats",
			calls: []toolCall{{"book_reservation", booking(`"cabin": "economy"`, `"cabin": "business"`)}},
			want:  "Error: Not enough seats on flight TG100",
		},
		{
			name:  "a cabin that the flight lacks",
			calls: []toolCall{{"book_reservation", booking(`"cabin": "economy"`, `"cabin": "basic_economy"`)}},
			want:  "Error: 'basic_economy'",
		},
		{
			name:  "the user is looked up before the reservation is validated",
			calls: []toolCall{{"book_reservation", booking("ada_byron_1", "nobody", `"cabin": "economy"`, `"cabin": "attic"`)}},
			want:  "Error: User nobody not found",
		},
		{
			name:  "flights are converted before the user is looked up",
			calls: []toolCall{{"book_reservation", booking("ada_byron_1", "nobody", `"date": "2024-05-20"`, `"date": 20`)}},
			want:  "Error: 1 validation error for FlightInfo" + fault("date", "Input should be a valid string", "string_type", "20", "int"),
		},
		{
			name:  "flights that are no objects fail after the validation",
			calls: []toolCall{{"book_reservation", booking(`[{"flight_number": "TG100", "date": "2024-05-20"}]`, `["TG100"]`)}},
			want:  "Error: 'str' object has no attribute 'flight_number'",
		},
		{
			name:  "a method that the user lacks",
			calls: []toolCall{{"book_reservation", booking("card_1", "card_9")}},
			want:  "Error: Payment method card_9 not found",
		},
		{
			name:  "an amount with a fraction",
			calls: []toolCall{{"book_reservation", booking(`"amount": 400`, `"amount": 400.5`)}},
			want:  "Error: 1 validation error for Payment" + fault("amount", "Input should be a valid integer, got a number with a fractional part", "int_from_float", "400.5", "float"),
		},
	})
}

func TestReservationIDsRunOut(t *testing.T) {
	w := small(t)
	e := fresh(t, w)
	// Nobody flies, so that neither seats nor money run out.
	empty := `{"user_id": "max_born_2", "origin": "SFO", "destination": "DEN", "flight_type": "one_way", "cabin": "economy",
		"flights": [], "passengers": "", "payment_methods": {}, "total_baggages": 0, "nonfree_baggages": 0, "insurance": "no"}`
	for _, id := range []string{"HATHAT", "HATHAU", "HATHAV"} {
		if got := call(t, e, "book_reservation", empty); !strings.HasPrefix(got.Content, `{"reservation_id": "`+id+`"`) {
			t.Errorf("got %s, want the reservation %s", got.Content, id)
		}
	}
	if got := call(t, e, "book_reservation", empty); got.Content != "Error: Too many reservations" || !got.Error {
		t.Errorf("fourth booking gave %s", got.Content)
	}
}

func TestCancelling(t *testing.T) {
	const id = `{"reservation_id": "AAA111"}`
	entry := func(i, amount int) string {
		return fmt.Sprintf(`reservations.AAA111.payment_history.%d: (absent) -> {"amount": %d, "payment_id": "gift_1"}`, i, amount)
	}
	const status = `reservations.AAA111.status: null -> "cancelled"`
	runTraps(t, []trap{
		{
			name:    "refunds on paper only",
			calls:   []toolCall{{"cancel_reservation", id}},
			want:    `..."status": "cancelled"}`,
			changes: []string{entry(1, -300), status},
		},
		{
			name:    "twice takes the refund back as well",
			calls:   []toolCall{{"cancel_reservation", id}, {"cancel_reservation", id}},
			want:    `..."amount": -300}, {"payment_id": "gift_1", "amount": -300}, {"payment_id": "gift_1", "amount": 300}]`,
			changes: []string{entry(1, -300), entry(2, -300), entry(3, 300), status},
		},
		{
			name:  "no such reservation",
			calls: []toolCall{{"cancel_reservation", `{"reservation_id": 5}`}},
			want:  "Error: Reservation 5 not found",
		},
		{
			name:  "an id that cannot be looked up",
			calls: []toolCall{{"cancel_reservation", `{"reservation_id": ["AAA111"]}`}},
			want:  "Error: unhashable type: 'list'",
		},
	})
}

func TestCertificates(t *testing.T) {
	runTraps(t, []trap{
		{
			name:  "first free id, raw amount in the text, a float in the database",
			calls: []toolCall{{"send_certificate", `{"user_id": "max_born_2", "amount": "1e2"}`}},
			want:  "Certificate certificate_3221323 added to user max_born_2 with amount 1e2.",
			changes: []string{`users.max_born_2.payment_methods.certificate_3221323: (absent) -> ` +
				`{"amount": 100.0, "id": "certificate_3221323", "source": "certificate"}`},
		},
		{
			name: "ids run out",
			calls: []toolCall{{"send_certificate", `{"user_id": "max_born_2", "amount": 100}`},
				{"send_certificate", `{"user_id": "max_born_2", "amount": "no amount"}`}},
			want: "Error: Too many certificates",
			changes: []string{`users.max_born_2.payment_methods.certificate_3221323: (absent) -> ` +
				`{"amount": 100.0, "id": "certificate_3221323", "source": "certificate"}`},
		},
		{
			name:  "no number",
			calls: []toolCall{{"send_certificate", `{"user_id": "ada_byron_1", "amount": null}`}},
			want:  "Error: 1 validation error for Certificate" + fault("amount", "Input should be a valid number", "float_type", "None", "NoneType"),
		},
	})
}
