package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/yamlfile"
)

// faults plants one wrong value per rule of the invariants: the place, the value, and what must be said of which record.
// Without a record, of that of the place.
var faults = map[string][]struct {
	place string
	value any
	rule  string
	of    string
}{
	"airline": {
		{"flights/KST101/flight_number", "KST1", "is stored under its number", ""},
		{"flights/KST101/destination", "SFO", "leads somewhere else", ""},
		{"flights/KST101/dates/2024-06-01", map[string]any{"status": "cancelled"}, "flies from May 1 to May 30", ""},
		{"flights/KST101/dates/2024-05-16/prices/economy", 900.0, "has the seats and prices of every class on coming days", ""},
		{"flights/KST101/dates/2024-05-16/available_seats/economy", -1.0, "has the seats and prices of every class on coming days", ""},
		{"flights/KST101/dates/2024-05-03/status", "available", "has the seats and prices of every class on coming days", ""},
		{"flights/KST101/dates/2024-05-14/actual_arrival_time_est", "2024-05-16T08:00:00", "has landed where it says so", ""},
		{"flights/KST107/dates/2024-05-15/estimated_arrival_time_est", "2024-05-15T14:08:00", "is in the air where it says so", ""},
		{"flights/KST102/dates/2024-05-15/estimated_departure_time_est", "2024-05-15T12:55:00", "leaves later today where it says so", ""},
		{"users/quennell-fergus-7259/user_id", "x", "is stored under its id", ""},
		{"users/quennell-fergus-7259/email", "", "can be reached and can pay", ""},
		{"users/quennell-fergus-7259/payment_methods/gift-96633/id", "gift-1", "has its payment methods under their ids", ""},
		{"users/quennell-fergus-7259/payment_methods/card-40994", map[string]any{"id": "card-40994"}, "has no other user's payment method", ""},
		{"users/quennell-fergus-7259/reservations/0", "C2B5P7", "owns the reservations that it lists", ""},
		{"users/quennell-fergus-7259/email", "henrietta.zimmermann7493@example.net", "has no other user's e-mail address", ""},
		{"reservations/C2B5P7/reservation_id", "x", "is stored under its id", ""},
		{"reservations/C2B5P7/user_id", "quennell-fergus-7259", "is listed by its user, once", ""},
		{"reservations/C2B5P7/created_at", "2024-05-14T00:00:00", "was made in the past, before its flights", ""},
		{"reservations/C2B5P7/passengers", []any{}, "has one to five passengers", ""},
		{"reservations/C2B5P7/flights/0/flight_number", "KST101", "is on flights of the timetable", ""},
		{"reservations/C2B5P7/destination", "SFO", "leads to its destination, and back on a round trip", ""},
		{"reservations/R4C4J9/flight_type", "one_way", "leads to its destination, and back on a round trip", ""},
		{"reservations/C2B5P7/flights/1/date", "2024-05-12", "has flights that connect", ""},
		{"reservations/C7F8K8/nonfree_baggages", 0.0, "charges exactly the bags beyond the free ones", ""},
		{"users/isherwood-sigmund-2489/membership", "gold", "charges exactly the bags beyond the free ones", "reservations.C7F8K8"},
		{"reservations/C2B5P7/insurance", "no", "was paid in full", ""},
		{"reservations/V5J8C9/status", nil, "was refunded exactly if it is cancelled", ""},
		{"reservations/C2B5P7/payment_history/0/payment_id", "card-1", "was paid by methods of its user", ""},
	},
	"retail": {
		{"products/45327667/product_id", "1", "is stored under its id", ""},
		{"products/45327667/name", "Dutch Oven", "has a name of its own", ""},
		{"products/45327667/variants/45848253", map[string]any{"item_id": "45848253"}, "has variants under ids of their own", ""},
		{"products/45327667/variants/34563663/options/size", "L", "has variants that differ and cost something", ""},
		{"users/dunmore-percival-265/user_id", "x", "is stored under its id", ""},
		{"users/dunmore-percival-265/address/zip", "36658", "can be found by name and zip", ""},
		{"users/dunmore-percival-265/email", "ottilie.thistlewood598@example.net", "has no other user's e-mail address", ""},
		{"users/dunmore-percival-265/payment_methods", map[string]any{}, "has payment methods under their ids", ""},
		{"users/dunmore-percival-265/payment_methods/gift-49692", map[string]any{"id": "gift-49692"}, "has no other user's payment method", ""},
		{"users/dunmore-percival-265/orders/0", "#T7664914", "owns the orders that it lists", ""},
		{"orders/#T7664914/order_id", "x", "is stored under its id", ""},
		{"orders/#T7664914/user_id", "dunmore-percival-265", "is listed by its user, once", ""},
		{"orders/#T7664914/items/0/options/size", "9", "has items of the catalogue", ""},
		{"orders/#T7664914/items/0/price", 55.88, "was paid in full, with methods of its user", ""},
		{"orders/#T7664914/payment_history/0/payment_method_id", "card-15823", "was paid in full, with methods of its user", ""},
		{"orders/#T3783084/payment_history/1/transaction_type", "payment", "was refunded exactly if it is cancelled", ""},
		{"orders/#T3783084/cancel_reason", nil, "was cancelled for a reason", ""},
		{"orders/#T7664914/status", "pending", "was sent in whole unless it is pending or cancelled", ""},
		{"orders/#T7664914/fulfillments/0/item_ids/0", "1", "was sent in whole unless it is pending or cancelled", ""},
	},
	"telecom": {
		{"plans/P21/plan_id", "P22", "has an id of its own", "plans.P22"},
		{"customers/C8103/customer_id", "C8116", "has an id of its own", "customers.C8116"},
		{"customers/C8103/email", "rafe.ollerton11@example.org", "has no other customer's e-mail address", ""},
		{"customers/C8155/date_of_birth", "1996-08-04", "can be told from others of the name by date of birth", ""},
		{"customers/C8103/line_ids/0", "L4441", "lists lines that exist and that no one else lists", ""},
		{"customers/C8103/bill_ids/0", "B37094", "lists its bills", ""},
		{"customers/C8103/phone_number", "1", "is called on a number of their own, if the account is active", ""},
		{"lines/L4407/line_id", "L4424", "has an id of its own", "lines.L4424"},
		{"lines/L4407/phone_number", "409-555-0120", "has a number of its own", ""},
		{"customers/C8103/line_ids/0", "L4424", "is listed by a customer", "lines.L4407"},
		{"lines/L4407/data_used_gb", 8.0, "has a plan and has not used it up", ""},
		{"lines/L4407/device_id", "D1", "is in a device that exists", ""},
		{"lines/L4594/suspension_start_date", nil, "knows since when it is suspended", ""},
		{"lines/L4407/contract_end_date", "2025-02-24", "is under contract while it is active", ""},
		{"devices/D6211/device_id", "D6222", "has an id of its own", "devices.D6222"},
		{"bills/B37018/bill_id", "B37037", "has an id of its own", "bills.B37037"},
		{"bills/B37018/customer_id", "C8116", "is listed by its customer", ""},
		{"bills/B37018/line_items/0/amount", 35.0, "adds up", ""},
		{"bills/B37056/total_due", 0.0, "costs something unless it is a draft or the account closed", ""},
		{"bills/B37455/status", "Issued", "is overdue only when it is late", ""},
		{"bills/B37056/status", "Overdue", "is overdue only when it is late", ""},
		{"bills/B37018/period_end", "2024-11-30", "follows its period", ""},
		{"bills/B38272/status", "Awaiting Payment", "has at most one bill that awaits payment", "customers.C8363"},
	},
}

// TestPlantedFaults plants each fault by itself. Every rule must be broken by one of them, or it proves nothing.
func TestPlantedFaults(t *testing.T) {
	for _, d := range []domains.Domain{airline.Domain(), retail.Domain(), telecom.Domain()} {
		t.Run(d.Name, func(t *testing.T) {
			w, err := d.Open(domains.Embedded(), domains.Options{})
			if err != nil {
				t.Fatal(err)
			}
			db, err := tables(w)
			if err != nil {
				t.Fatal(err)
			}
			unbroken := ruleNames(t, w)
			for _, f := range faults[d.Name] {
				table, rest, _ := strings.Cut(f.place, "/")
				record, _, _ := strings.Cut(rest, "/")
				if f.of == "" {
					f.of = table + "." + record
				}
				restore := plant(t, db, f.place, f.value)
				found, err := breaches(w.Invariants, db)
				restore()
				if err != nil {
					t.Fatal(err)
				}
				if !slices.ContainsFunc(found, func(l Lint) bool { return l.Field == f.of && strings.Contains(l.Why, f.rule) }) {
					t.Errorf("%s = %v: found %v, want of %s: %s", f.place, f.value, found, f.of, f.rule)
				}
				table, _, _ = strings.Cut(f.of, ".")
				delete(unbroken, table+": "+f.rule)
			}
			if len(unbroken) > 0 {
				t.Errorf("no fault breaks these rules: %q", slices.Sorted(maps.Keys(unbroken)))
			}
		})
	}
}

func ruleNames(t *testing.T, w *domains.World) map[string]bool {
	t.Helper()
	var rules map[string]map[string]string
	if err := yamlfile.Decode("invariants.yaml", []byte(w.Invariants), &rules); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for table := range rules {
		for name := range rules[table] {
			names[table+": "+name] = true
		}
	}
	return names
}

// plant puts a value at a place, such as lines/L4407/status, and returns what puts the old one back.
func plant(t *testing.T, db any, place string, v any) (restore func()) {
	t.Helper()
	step, rest, deeper := strings.Cut(place, "/")
	switch x := db.(type) {
	case map[string]any:
		if deeper {
			return plant(t, x[step], rest, v)
		}
		old, there := x[step]
		x[step] = v
		return func() {
			if x[step] = old; !there {
				delete(x, step)
			}
		}
	case []any:
		i, err := strconv.Atoi(step)
		if err != nil {
			i = slices.IndexFunc(x, func(r any) bool { return slices.Contains(slices.Collect(maps.Values(r.(map[string]any))), any(step)) })
		}
		if deeper {
			return plant(t, x[i], rest, v)
		}
		old := x[i]
		x[i] = v
		return func() { x[i] = old }
	}
	t.Fatalf("no place %s", place)
	return nil
}
