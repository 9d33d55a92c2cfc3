package airline_test

import "testing"

func TestBaggageUpdates(t *testing.T) {
	bags := func(total, nonfree, payment string) []toolCall {
		return []toolCall{{"update_reservation_baggages",
			`{"reservation_id": "AAA111", "total_baggages": ` + total + `, "nonfree_baggages": ` + nonfree + `, "payment_id": "` + payment + `"}`}}
	}
	const (
		nonfree = "reservations.AAA111.nonfree_baggages: 1 -> "
		total   = "reservations.AAA111.total_baggages: 2 -> "
		paid    = "reservations.AAA111.payment_history.1: (absent) -> "
		balance = "users.ada_byron_1.payment_methods.gift_1.amount: 300.0 -> "
	)
	runTraps(t, []trap{
		{
			name:    "a gift card pays the further bags",
			calls:   bags("4", "3", "gift_1"),
			want:    `..."total_baggages": 4, "nonfree_baggages": 3, `,
			changes: []string{balance + "200.0", nonfree + "3", paid + `{"amount": 100, "payment_id": "gift_1"}`, total + "4"},
		},
		{
			name:    "a float is stored as a float, its price as an integer",
			calls:   bags("2", "2.0", "card_1"),
			want:    `..."nonfree_baggages": 2.0, `,
			changes: []string{nonfree + "2.0", paid + `{"amount": 50, "payment_id": "card_1"}`},
		},
		{
			name:    "the total is stored whatever it is",
			calls:   bags(`["many", {"b": 1.0, "a": null}]`, "1", "card_1"),
			want:    `..."total_baggages": ["many", {"b": 1.0, "a": null}], `,
			changes: []string{total + `["many", {"a": null, "b": 1.0}]`},
		},
		{
			name:    "an integer of any size",
			calls:   bags("2", "100000000000000000001", "card_1"),
			want:    `..."nonfree_baggages": 100000000000000000001, `,
			changes: []string{nonfree + "100000000000000000001", paid + `{"amount": 5000000000000000000000, "payment_id": "card_1"}`},
		},
		{
			name:    "fewer bags are free and refund nothing",
			calls:   bags("0", "0", "gift_1"),
			want:    `..."payment_history": [{"payment_id": "gift_1", "amount": 300}], `,
			changes: []string{nonfree + "0", total + "0"},
		},
		{
			name:    "a price with a fraction fails with the gift card charged",
			calls:   bags("2", "1.25", "gift_1"),
			want:    "Error: 1 validation error for Payment" + fault("amount", "Input should be a valid integer, got a number with a fractional part", "int_from_float", "12.5", "float"),
			changes: []string{balance + "287.5"},
		},
		{
			name:  "a text cannot be priced",
			calls: bags("2", `"2"`, "card_1"),
			want:  "Error: unsupported operand type(s) for -: 'str' and 'int'",
		},
		{
			name:  "no certificate, even for nothing",
			calls: bags("2", "1", "cert_1"),
			want:  "Error: Certificate cannot be used to update reservation",
		},
		{
			name:  "an unknown method, even for nothing",
			calls: bags("2", "1", "card_9"),
			want:  "Error: Payment method not found",
		},
		{
			name:  "more than the balance",
			calls: bags("9", "9", "gift_1"),
			want:  "Error: Gift card balance is not enough",
		},
	})
}

func TestFlightUpdates(t *testing.T) {
	flights := func(cabin, list, payment string) toolCall {
		return toolCall{"update_reservation_flights",
			`{"reservation_id": "AAA111", "cabin": ` + cabin + `, "flights": ` + list + `, "payment_id": "` + payment + `"}`}
	}
	const (
		same    = `{"flight_number": "TG100", "date": "2024-05-16"}`
		later   = `{"flight_number": "TG100", "date": "2024-05-20"}`
		onward  = `{"flight_number": "TG200", "date": "2024-05-21"}`
		paid    = "reservations.AAA111.payment_history.1: (absent) -> "
		balance = "users.ada_byron_1.payment_methods.gift_1.amount: 300.0 -> "
	)
	runTraps(t, []trap{
		{
			name:  "a flight that stays keeps its price, though it has landed; the added one costs today's",
			calls: []toolCall{flights(`"economy"`, "["+same+","+onward+"]", "gift_1")},
			want:  `..."date": "2024-05-16", "price": 150}, {"flight_number": "TG200"`,
			changes: []string{balance + "100.0",
				`reservations.AAA111.flights.1: (absent) -> {"date": "2024-05-21", "destination": "JFK", "flight_number": "TG200", "origin": "DEN", "price": 100}`,
				paid + `{"amount": 200, "payment_id": "gift_1"}`},
		},
		{
			name:  "another cabin checks every flight again",
			calls: []toolCall{flights(`"business"`, "["+same+"]", "card_1")},
			want:  "Error: Flight TG100 not available on date 2024-05-16",
		},
		{
			name:  "a cheaper trip credits the gift card at once",
			calls: []toolCall{flights(`"economy"`, `[{"flight_number": "TG200", "date": "2024-05-21"}]`, "gift_1")},
			want:  `..."amount": -100}`,
			changes: []string{balance + "400.0",
				`reservations.AAA111.flights.0.date: "2024-05-16" -> "2024-05-21"`,
				`reservations.AAA111.flights.0.destination: "DEN" -> "JFK"`,
				`reservations.AAA111.flights.0.flight_number: "TG100" -> "TG200"`,
				`reservations.AAA111.flights.0.origin: "SFO" -> "DEN"`,
				"reservations.AAA111.flights.0.price: 150 -> 100",
				paid + `{"amount": -100, "payment_id": "gift_1"}`},
		},
		{
			name:  "an empty list refunds everything and stores any cabin",
			calls: []toolCall{flights(`7.0`, "[]", "card_1")},
			want:  `..."cabin": 7.0, "flights": [], `,
			changes: []string{`reservations.AAA111.cabin: "economy" -> 7.0`,
				`reservations.AAA111.flights.0: {"date": "2024-05-16", "destination": "DEN", "flight_number": "TG100", "origin": "SFO", "price": 150} -> (absent)`,
				paid + `{"amount": -300, "payment_id": "card_1"}`},
		},
		{
			name:  "a cabin that does not exist",
			calls: []toolCall{flights(`"attic"`, "["+later+"]", "card_1")},
			want:  "Error: 'attic'",
		},
		{
			name:  "a cabin that is no text",
			calls: []toolCall{flights(`1e22`, "["+later+"]", "card_1")},
			want:  "Error: 1e+22",
		},
		{
			name:  "too few seats for all passengers",
			calls: []toolCall{flights(`"business"`, "["+later+"]", "card_1")},
			want:  "Error: Not enough seats on flight TG100",
		},
		{
			name:  "nothing to pay, but no certificate",
			calls: []toolCall{flights(`"economy"`, "["+same+"]", "cert_1")},
			want:  "Error: Certificate cannot be used to update reservation",
		},
		{
			name:  "flights that are no objects",
			calls: []toolCall{flights(`"economy"`, `"TG100"`, "card_1")},
			want:  "Error: 'str' object has no attribute 'flight_number'",
		},
		{
			name:  "flights that cannot be walked fail before the lookup",
			calls: []toolCall{{"update_reservation_flights", `{"reservation_id": "?", "cabin": "economy", "flights": null, "payment_id": ""}`}},
			want:  "Error: 'NoneType' object is not iterable",
		},
		{
			name: "no change of seats, in either direction",
			calls: []toolCall{flights(`"economy"`, "["+later+"]", "card_1"),
				flights(`"economy"`, `[{"flight_number": "TG100", "date": "2024-05-20"}]`, "card_1")},
			want: `..."price": 200}], `,
			changes: []string{`reservations.AAA111.flights.0.date: "2024-05-16" -> "2024-05-20"`,
				"reservations.AAA111.flights.0.price: 150 -> 200", paid + `{"amount": 100, "payment_id": "card_1"}`},
		},
	})
}

func TestPassengerUpdates(t *testing.T) {
	replace := func(list string) toolCall {
		return toolCall{"update_reservation_passengers", `{"reservation_id": "AAA111", "passengers": ` + list + `}`}
	}
	const before = `[{"dob": "1990-12-10", "first_name": "Ada", "last_name": "Byron"}, {"dob": "1980-12-26", "first_name": "Mary", "last_name": "Somerville"}]`
	runTraps(t, []trap{
		{
			name:  "objects become passengers without further keys",
			calls: []toolCall{replace(`[{"seat": 1, "dob": "2000-01-01", "first_name": "A", "last_name": "B"}, ` + aPerson + `]`)},
			want:  `..."passengers": [{"first_name": "A", "last_name": "B", "dob": "2000-01-01"}, `,
			changes: []string{
				`reservations.AAA111.passengers.0.dob: "1990-12-10" -> "2000-01-01"`,
				`reservations.AAA111.passengers.0.first_name: "Ada" -> "A"`,
				`reservations.AAA111.passengers.0.last_name: "Byron" -> "B"`,
				`reservations.AAA111.passengers.1.dob: "1980-12-26" -> "2000-01-01"`,
				`reservations.AAA111.passengers.1.first_name: "Mary" -> "A"`,
				`reservations.AAA111.passengers.1.last_name: "Somerville" -> "B"`},
		},
		{
			name:  "one element that is no object: the list is stored as it came",
			calls: []toolCall{replace(`[{"z": 1.0, "dob": 5}, "B"]`)},
			want:  `..."passengers": [{"z": 1.0, "dob": 5}, "B"], `,
			changes: []string{
				`reservations.AAA111.passengers.0.dob: "1990-12-10" -> 5`,
				`reservations.AAA111.passengers.0.first_name: "Ada" -> (absent)`,
				`reservations.AAA111.passengers.0.last_name: "Byron" -> (absent)`,
				"reservations.AAA111.passengers.0.z: (absent) -> 1.0",
				`reservations.AAA111.passengers.1: {"dob": "1980-12-26", "first_name": "Mary", "last_name": "Somerville"} -> "B"`},
		},
		{
			name:    "a text with a character for each passenger",
			calls:   []toolCall{replace(`"AÉ"`)},
			want:    `..."passengers": "A\u00c9", `,
			changes: []string{"reservations.AAA111.passengers: " + before + ` -> "A\u00c9"`},
		},
		{
			name:    "a stored text counts by character afterwards",
			calls:   []toolCall{replace(`"AB"`), replace(`{"x": 1, "y": 2}`)},
			want:    `..."passengers": {"x": 1, "y": 2}, `,
			changes: []string{"reservations.AAA111.passengers: " + before + ` -> {"x": 1, "y": 2}`},
		},
		{
			name:  "another number of passengers",
			calls: []toolCall{replace(`[` + aPerson + `]`)},
			want:  "Error: Number of passengers does not match",
		},
		{
			name:  "passengers are converted before the reservation is looked up",
			calls: []toolCall{{"update_reservation_passengers", `{"reservation_id": "?", "passengers": [{"first_name": "A"}]}`}},
			want: "Error: 2 validation errors for Passenger" + fault("last_name", "Field required", "missing", "{'first_name': 'A'}", "dict") +
				fault("dob", "Field required", "missing", "{'first_name': 'A'}", "dict"),
		},
		{
			name:  "no such reservation",
			calls: []toolCall{{"update_reservation_passengers", `{"reservation_id": "?", "passengers": []}`}},
			want:  "Error: Reservation ? not found",
		},
	})
}
