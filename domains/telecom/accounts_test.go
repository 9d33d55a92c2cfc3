package telecom_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
)

func TestSync(t *testing.T) {
	type facts struct{ LineActive, RoamingAllowed, UsageExceeded bool }
	factsOf := func(x trial) facts {
		s := x.handset().Surroundings
		return facts{s.LineActive, s.RoamingAllowed, s.UsageExceeded}
	}
	for _, c := range []struct {
		name   string
		change func(*telecom.Accounts)
		want   facts
		err    string
	}{
		{"as shipped", func(*telecom.Accounts) {}, facts{true, true, false}, ""},
		{"suspended", func(a *telecom.Accounts) { a.Lines[0].Status = "Suspended" }, facts{false, true, false}, ""},
		{"pending", func(a *telecom.Accounts) { a.Lines[0].Status = "Pending Activation" }, facts{false, true, false}, ""},
		{"no roaming", func(a *telecom.Accounts) { a.Lines[0].Roaming = false }, facts{true, false, false}, ""},
		{"at the limit", func(a *telecom.Accounts) { a.Lines[0].DataUsed = value.OfFloat(5) }, facts{true, true, true}, ""},
		{"at the limit, as an integer", func(a *telecom.Accounts) { a.Lines[0].DataUsed = value.OfInt(5) }, facts{true, true, true}, ""},
		{"below the refueled limit", func(a *telecom.Accounts) {
			a.Lines[0].DataUsed, a.Lines[0].DataRefueled = value.OfFloat(5.5), 0.6
		}, facts{true, true, false}, ""},
		{"usage is no number", func(a *telecom.Accounts) { a.Lines[0].DataUsed = value.OfString("much") }, facts{true, true, false},
			"'>=' not supported between instances of 'str' and 'float'"},
		{"line gone", func(a *telecom.Accounts) { a.Lines[0].Phone = "" }, facts{true, true, false}, "Line with phone number 555-000-0011 not found"},
		{"plan gone", func(a *telecom.Accounts) { a.Lines[0].PlanID, a.Lines[0].Status = "P9", "Closed" }, facts{false, true, false}, "Plan with ID P9 not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "linked")
			c.change(x.accounts())
			got := ""
			if err := x.env.Sync(); err != nil {
				got = err.Error()
			}
			if got != c.err {
				t.Errorf("error %q, want %q", got, c.err)
			}
			if diff := cmp.Diff(c.want, factsOf(x)); diff != "" {
				t.Errorf("surroundings (-want +got):\n%s", diff)
			}
			if c.err == "" {
				return
			}
			if res := x.call(user, "toggle_data", `{}`); !res.Error || res.Content != "Error: "+c.err {
				t.Errorf("the next call gives %+v, want the error of the sync", res)
			}
			if x.handset().Device.Data {
				t.Error("a call whose sync fails has not acted")
			}
		})
	}
	t.Run("nobody's phone", func(t *testing.T) {
		x := start(t, "plain")
		x.accounts().Lines[0].Status = "Suspended"
		if err := x.env.Sync(); err != nil || !x.handset().Surroundings.LineActive {
			t.Errorf("without a phone number nothing is linked: line active %v, error %v", x.handset().Surroundings.LineActive, err)
		}
	})
}

func TestSyncLeavesThePhoneAlone(t *testing.T) {
	x := start(t, "linked")
	x.must(user, "simulate_network_search", `{}`)
	x.call(agent, "suspend_line", `{"customer_id": "C1", "line_id": "L1", "reason": "lost"}`)
	if got, want := radioOf(x.handset()), (radio{"connected", "5G", "excellent"}); got != want {
		t.Errorf("after the suspension the phone shows %v, want %v until it searches", got, want)
	}
	x.says(user, "reboot_device", `{}`, "Restarting network services..."+barOffline)
	x.call(agent, "resume_line", `{"customer_id": "C1", "line_id": "L1"}`)
	if got := radioOf(x.handset()); got != offline {
		t.Errorf("after the resumption the phone shows %v, want %v until it searches", got, offline)
	}
	x.says(user, "toggle_roaming", `{}`, "Data Roaming is now ON."+bar5G)
}

func TestPayments(t *testing.T) {
	x := start(t, "linked")
	x.says(user, "check_payment_request", `{}`, "No payment request has been made.")
	x.says(user, "make_payment", `{}`, "You do not have a payment request.")
	x.says(agent, "send_payment_request", `{"customer_id": "C1", "bill_id": "B9"}`, "Error: Bill B9 not found for customer C1")
	x.says(agent, "send_payment_request", `{"customer_id": "C1", "bill_id": "B2"}`, "Payment request sent to the customer for bill B2")
	x.says(agent, "send_payment_request", `{"customer_id": "C1", "bill_id": "B3"}`, "Error: A bill is already awaiting payment for this customer")
	x.says(user, "check_payment_request", `{}`, "You have a payment request for bill B2 of 31.5 USD.")
	x.accounts().Bills[1].Status = "Issued"
	x.says(agent, "send_payment_request", `{"customer_id": "C1", "bill_id": "B1"}`, "Payment request sent to the customer for bill B1")
	x.says(user, "check_payment_request", `{}`, "You have a payment request for bill B2 of 31.5 USD.")
	x.says(user, "make_payment", `{}`, "Payment of 31.5 USD has been made for bill B2.")
	if b := x.accounts().Bills; b[1].Status != "Paid" || b[0].Status != "Awaiting Payment" {
		t.Errorf("after the payment B2 is %s and B1 %s, want Paid and Awaiting Payment", b[1].Status, b[0].Status)
	}
	x.says(user, "check_payment_request", `{}`, "You have a payment request for bill B1 of 30.0 USD.")

	x.handset().Surroundings.PaymentRequest = &telecom.PaymentRequest{BillID: "B404", Paid: true}
	if err := x.env.Sync(); err == nil || err.Error() != "Bill with ID B404 not found" {
		t.Errorf("paying a bill that is not there: error %v", err)
	}
}

func TestGoldPaymentWithoutSync(t *testing.T) {
	x := start(t, "linked")
	for _, a := range []struct{ side, name, args, want string }{
		{"assistant", "send_payment_request", `{"customer_id": "C1", "bill_id": "B2"}`, "Payment request sent to the customer for bill B2"},
		{"user", "make_payment", `{}`, "You do not have a payment request."},
	} {
		got, err := x.env.Gold(action(t, a.side, a.name, a.args))
		if err != nil || got != a.want {
			t.Errorf("%s gives %q, %v; want %q", a.name, got, err, a.want)
		}
	}
}

func TestSuspension(t *testing.T) {
	x := start(t, "linked")
	const line1 = `{"line_id": "L1", "phone_number": "555-000-0011", "status": "%S", "plan_id": "P1", "device_id": "D1", "data_used_gb": 2.5, ` +
		`"data_refueling_gb": 0.0, "roaming_enabled": true, "contract_end_date": "2026-12-31", "last_plan_change_date": null, ` +
		`"last_sim_replacement_date": null, "suspension_start_date": %D}`
	shown := func(message, status, since string) string {
		return `{"message": "` + message + `", "line": ` + strings.NewReplacer("%S", status, "%D", since).Replace(line1) + "}"
	}
	x.says(agent, "resume_line", `{"customer_id": "C1", "line_id": "L1"}`, "Error: Line must be suspended to resume")
	x.says(agent, "suspend_line", `{"customer_id": "C1", "line_id": "L1", "reason": 7}`,
		shown("Line suspended successfully. $5/month holding fee will apply.", "Suspended", `"2025-02-25"`))
	x.says(agent, "suspend_line", `{"customer_id": "C1", "line_id": "L1", "reason": "again"}`, "Error: Line must be active to suspend")
	x.says(agent, "resume_line", `{"customer_id": "C1", "line_id": "L1"}`, shown("Line resumed successfully", "Active", "null"))
	x.says(agent, "resume_line", `{"customer_id": "C2", "line_id": "L1"}`, "Error: Line L1 not found for customer C2")
	x.says(agent, "resume_line", `{"customer_id": "C1", "line_id": "L9"}`, "Error: Line with ID L9 not found")
	x.says(agent, "resume_line", `{"customer_id": "C0", "line_id": "L1"}`, "Error: Customer with ID C0 not found")
	x.call(agent, "resume_line", `{"customer_id": "C2", "line_id": "L3"}`)
	if got := x.accounts().Lines[2].Status; got != "Active" {
		t.Errorf("a pending line is %s after resuming, want Active", got)
	}
}

func TestSuspensionForOverdueBill(t *testing.T) {
	for _, c := range []struct {
		name, args, want string
		prepare          func(*telecom.Accounts)
	}{
		{"contract runs on", `{"customer_id": "C1", "line_id": "L1", "new_bill_id": "B7", "contract_ended": false}`,
			"'Line L1 suspended for unpaid bill B7. Contract ended: False'", nil},
		{"somebody else's line", `{"customer_id": "C2", "line_id": "L1", "new_bill_id": "B7", "contract_ended": true}`,
			"'Line L1 suspended for unpaid bill B7. Contract ended: True'", nil},
		{"not active", `{"customer_id": "C1", "line_id": "L2", "new_bill_id": "B7", "contract_ended": false}`,
			"Line must be active to suspend for unpaid bill", nil},
		{"free of charge", `{"customer_id": "C2", "line_id": "L3", "new_bill_id": "B7", "contract_ended": false}`,
			"Amount must be positive for overdue bill", func(a *telecom.Accounts) { a.Lines[2].Status = "Active" }},
		{"overdue already", `{"customer_id": "C1", "line_id": "L1", "new_bill_id": "B7", "contract_ended": false}`,
			"Customer already has an overdue bill", func(a *telecom.Accounts) { a.Bills[1].Status = "Overdue" }},
		{"no text for an id", `{"customer_id": "C1", "line_id": "L1", "new_bill_id": 7, "contract_ended": false}`,
			"invalid Bill: bill_id: want a string, got 7 (int)", nil},
		{"plan gone", `{"customer_id": "C3", "line_id": "L4", "new_bill_id": "B7", "contract_ended": false}`, "Plan with ID P404 not found", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := start(t, "plain")
			if c.prepare != nil {
				c.prepare(x.accounts())
			}
			before := len(x.accounts().Bills)
			got, err := x.does(agent, "suspend_line_for_overdue_bill", c.args)
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("gives %s, want %s", got, c.want)
			}
			if added := len(x.accounts().Bills) - before; (added == 1) != (err == nil) {
				t.Errorf("%d bills more, error %v", added, err)
			}
		})
	}
	x := start(t, "plain")
	x.must(agent, "suspend_line_for_overdue_bill", `{"customer_id": "C1", "line_id": "L1", "new_bill_id": "B7", "contract_ended": true}`)
	x.says(agent, "get_details_by_id", `{"id": "B7"}`, `{"bill_id": "B7", "customer_id": "C1", "period_start": "2025-01-01", "period_end": "2025-01-31", `+
		`"issue_date": "2025-01-01", "total_due": 30.0, "due_date": "2025-01-15", "line_items": [{"description": "Charge for line L1", "amount": 30.0, `+
		`"date": "2025-02-25", "item_type": "Charge"}], "status": "Overdue"}`)
	l := x.accounts().Lines[0]
	if l.Status != "Suspended" || *l.SuspendedSince != "2025-02-25" || *l.ContractEnd != "2025-01-31" {
		t.Errorf("the line is %s since %s, its contract ends %s", l.Status, *l.SuspendedSince, *l.ContractEnd)
	}
	for _, c := range []struct{ name, args, want string }{
		{"assert_overdue_bill_exists", `{"customer_id": "C1", "overdue_bill_id": "B7"}`, "True"},
		{"assert_overdue_bill_exists", `{"customer_id": "C1", "overdue_bill_id": "B1"}`, "Overdue bill B1 is not overdue"},
		{"assert_overdue_bill_exists", `{"customer_id": "C2", "overdue_bill_id": "B7"}`, "Overdue bill B7 not found"},
		{"assert_no_overdue_bill", `{"overdue_bill_id": "B7"}`, "False"},
		{"assert_no_overdue_bill", `{"overdue_bill_id": "B1"}`, "True"},
		{"assert_no_overdue_bill", `{"overdue_bill_id": "B0"}`, "True"},
		{"assert_line_status", `{"customer_id": "C1", "line_id": "L1", "expected_status": "Suspended"}`, "True"},
		{"assert_line_status", `{"customer_id": "C1", "line_id": "L1", "expected_status": "Active"}`, "False"},
	} {
		got, err := x.does(agent, c.name, c.args)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %s gives %s, want %s", c.name, c.args, got, c.want)
		}
	}
}

func TestBills(t *testing.T) {
	for _, c := range []struct{ name, limit, want string }{
		{"default", "", "B4 B2 B3 B1"},
		{"two", `, "limit": 2`, "B4 B2"},
		{"true is one", `, "limit": true`, "B4"},
		{"none", `, "limit": 0`, ""},
		{"all but one", `, "limit": -1`, "B4 B2 B3"},
		{"all but more than all", `, "limit": -9`, ""},
		{"more than there are", `, "limit": 99`, "B4 B2 B3 B1"},
		{"far more", `, "limit": 100000000000000000000000`, "B4 B2 B3 B1"},
		{"far less", `, "limit": -100000000000000000000000`, ""},
		{"null", `, "limit": null`, "B4 B2 B3 B1"},
		{"fraction", `, "limit": 1.0`, "Error: slice indices must be integers or None or have an __index__ method"},
		{"text", `, "limit": "1"`, "Error: slice indices must be integers or None or have an __index__ method"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := start(t, "plain").call(agent, "get_bills_for_customer", `{"customer_id": "C1"`+c.limit+`}`).Content
			if v, err := value.ParseString(got); err == nil {
				var ids []string
				items, _ := v.Items()
				for _, b := range items {
					m, _ := b.Map()
					id, _ := m.Get("bill_id")
					ids = append(ids, id.Str())
				}
				got = strings.Join(ids, " ")
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	x := start(t, "plain")
	x.says(agent, "get_bills_for_customer", `{"customer_id": "C3"}`, "Error: Bill with ID B404 not found")
	x.says(agent, "get_bills_for_customer", `{"customer_id": "C2"}`, "[]")
}

func TestRefuel(t *testing.T) {
	for _, c := range []struct{ name, customer, line, gb, want string }{
		{"integer", "C1", "L1", "2", `{"message": "Successfully added 2 GB of data for line L1 for $8.00", "new_data_refueling_gb": "2.0", "charge": "8.0"}`},
		{"fraction", "C1", "L1", "2.50", `{"message": "Successfully added 2.5 GB of data for line L1 for $10.00", "new_data_refueling_gb": "2.5", "charge": "10.0"}`},
		{"boolean", "C1", "L1", "true", `{"message": "Successfully added True GB of data for line L1 for $4.00", "new_data_refueling_gb": "1.0", "charge": "4.0"}`},
		{"beyond all bounds", "C1", "L1", "1e308", `{"message": "Successfully added 1e+308 GB of data for line L1 for $inf", "new_data_refueling_gb": "1e+308", "charge": "inf"}`},
		{"suspended line", "C1", "L2", "1", `{"message": "Successfully added 1 GB of data for line L2 for $4.00", "new_data_refueling_gb": "1.0", "charge": "4.0"}`},
		{"zero", "C1", "L1", "0", "Error: Refuel amount must be positive"},
		{"negative", "C1", "L1", "-0.5", "Error: Refuel amount must be positive"},
		{"text", "C1", "L1", `"2"`, "Error: '<=' not supported between instances of 'str' and 'int'"},
		{"too large", "C1", "L1", "1" + strings.Repeat("0", 400), "Error: int too large to convert to float"},
		{"plan gone", "C3", "L4", "1", "Error: Plan with ID P404 not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start(t, "plain").says(agent, "refuel_data", `{"customer_id": "`+c.customer+`", "line_id": "`+c.line+`", "gb_amount": `+c.gb+`}`, c.want)
		})
	}
}

func TestCharges(t *testing.T) {
	x := start(t, "plain")
	x.call(agent, "refuel_data", `{"customer_id": "C1", "line_id": "L1", "gb_amount": 2}`)
	if b := x.accounts().Bills[3]; b.Total != 8 || len(b.Items) != 1 || b.Items[0] != (telecom.LineItem{
		Description: "Data refueling: 2 GB at $4.0/GB", Amount: 8, Date: "2025-02-25", Kind: "Charge"}) {
		t.Errorf("draft of C1 after a refuel: %+v", b)
	}
	x.accounts().Bills = append(x.accounts().Bills, telecom.Bill{ID: "B00000002"})
	for range 2 {
		x.call(agent, "refuel_data", `{"customer_id": "C2", "line_id": "L3", "gb_amount": 1.0}`)
	}
	x.says(agent, "get_bills_for_customer", `{"customer_id": "C2"}`, `[{"bill_id": "B00000001", "customer_id": "C2", "period_start": "2025-03-01", `+
		`"period_end": "2025-03-31", "issue_date": "2025-03-01", "total_due": -3.0, "due_date": "2025-03-15", "line_items": [`+
		`{"description": "Data refueling: 1.0 GB at $-1.5/GB", "amount": -1.5, "date": "2025-02-25", "item_type": "Credit"}, `+
		`{"description": "Data refueling: 1.0 GB at $-1.5/GB", "amount": -1.5, "date": "2025-02-25", "item_type": "Credit"}], "status": "Draft"}]`)
	x.call(agent, "send_payment_request", `{"customer_id": "C2", "bill_id": "B00000001"}`)
	x.call(agent, "refuel_data", `{"customer_id": "C2", "line_id": "L3", "gb_amount": 1.0}`)
	if got, want := x.accounts().Customers[1].BillIDs, []string{"B00000001", "B00000003"}; !cmp.Equal(got, want) {
		t.Errorf("bills of C2 are %v, want %v: a new draft, past an id that is taken", got, want)
	}
	x.says(agent, "get_data_usage", `{"customer_id": "C2", "line_id": "L3"}`, `{"line_id": "L3", "data_used_gb": "0.0", "data_limit_gb": "1.0", `+
		`"data_refueling_gb": "3.0", "cycle_end_date": "2025-02-28"}`)
	if got := x.must(agent, "assert_data_refueling_amount", `{"customer_id": "C2", "line_id": "L3", "expected_amount": 3}`); got != "True" {
		t.Errorf("3 GB were refueled: %s", got)
	}
	if got := x.must(agent, "set_data_usage", `{"customer_id": "C2", "line_id": "L3", "data_used_gb": 7}`); got != "'Data usage set to 7 GB for line L3'" {
		t.Errorf("set_data_usage says %s", got)
	}
}

func TestLookups(t *testing.T) {
	x := start(t, "plain")
	const ada = `{"customer_id": "C1", "full_name": "Ada Byron", "date_of_birth": "1990-12-10", "email": "ada@example.com", "phone_number": "555-000-0001", ` +
		`"address": {"street": "1 Engine Way", "city": "Ockham", "state": "VA", "zip_code": "22027"}, "account_status": "Active", "payment_methods": ` +
		`[{"method_type": "PayPal", "account_number_last_4": "0001", "expiration_date": "12/2030"}], "line_ids": ["L1", "L2"], ` +
		`"bill_ids": ["B1", "B2", "B3", "B4"], "created_at": "2024-05-06 07:08:09", "last_extension_date": null, "goodwill_credit_used_this_year": 0.0}`
	x.accounts().Customers[0].LineIDs = []string{"L1", "L2"}
	x.says(agent, "get_customer_by_id", `{"customer_id": "C1"}`, ada)
	x.says(agent, "get_customer_by_phone", `{"phone_number": "555-000-0001"}`, ada)
	x.says(agent, "get_customer_by_phone", `{"phone_number": "555-000-0012"}`, ada)
	x.says(agent, "get_customer_by_phone", `{"phone_number": "555-000-0099"}`, "Error: Line with ID L404 not found")
	x.says(agent, "get_customer_by_name", `{"full_name": "ADA BYRON", "dob": "1990-12-10"}`, "["+ada+"]")
	x.says(agent, "get_customer_by_name", `{"full_name": "ADA BYRON", "dob": 1990}`, "[]")
	x.says(agent, "get_customer_by_name", `{"full_name": 1, "dob": "1990-12-10"}`, "Error: 'int' object has no attribute 'lower'")
	x.says(agent, "get_details_by_id", `{"id": "C1"}`, ada)
	x.says(agent, "get_details_by_id", `{"id": "P1"}`, `{"plan_id": "P1", "name": "Small", "data_limit_gb": 5.0, "price_per_month": 30.0, "data_refueling_price_per_gb": 4.0}`)
	x.says(agent, "get_details_by_id", `{"id": "D1"}`, `{"device_id": "D1", "device_type": "phone", "model": "Analytical", "imei": null, "is_esim_capable": true, `+
		`"activated": false, "activation_date": "2025-01-20 14:30:00.250000", "last_esim_transfer_date": null}`)
	x.says(agent, "get_details_by_id", `{"id": "D2"}`, "Error: Device with ID D2 not found")
	x.says(agent, "get_details_by_id", `{"id": "l1"}`, "Error: Unknown ID format or type: l1")
	x.says(agent, "get_details_by_id", `{"id": 1}`, "Error: 'int' object has no attribute 'startswith'")
	x.says(agent, "get_customer_by_id", `{"customer_id": "C2"}`, `{"customer_id": "C2", "full_name": "Charles Babbage", "date_of_birth": "1991-12-26", `+
		`"email": "charles@example.com", "phone_number": "555-000-0002", "address": {"street": "2 Engine Way", "city": "Ockham", "state": "VA", "zip_code": "22027"}, `+
		`"account_status": "Pending Verification", "payment_methods": [], "line_ids": ["L3"], "bill_ids": [], "created_at": "2025-01-01", "last_extension_date": null, `+
		`"goodwill_credit_used_this_year": 0.0}`)
	x.says(agent, "enable_roaming", `{"customer_id": "C1", "line_id": "L1"}`, "Roaming was already enabled")
	x.says(agent, "disable_roaming", `{"customer_id": "C1", "line_id": "L1"}`, "Roaming disabled successfully")
	x.says(agent, "disable_roaming", `{"customer_id": "C1", "line_id": "L1"}`, "Roaming was already disabled")
	x.says(agent, "enable_roaming", `{"customer_id": "C1", "line_id": "L1"}`, "Roaming enabled successfully")
	if got := x.must(agent, "get_available_plan_ids", `{}`); got != "['P1', 'P2']" {
		t.Errorf("plans %s", got)
	}
	if got := x.must(agent, "_set_bill_to_paid", `{"bill_id": "B2"}`); got != "'Bill B2 set to paid'" || x.accounts().Bills[1].Status != "Paid" {
		t.Errorf("_set_bill_to_paid says %s, the bill is %s", got, x.accounts().Bills[1].Status)
	}
	for _, c := range []struct{ name, args, has string }{
		{"_get_line_by_phone", `{"phone_number": "555-000-0011"}`, "'line_id': 'L1'"},
		{"_get_plan_by_id", `{"plan_id": "P2"}`, "'name': 'Gift'"},
	} {
		if got := x.must(agent, c.name, c.args); !strings.Contains(got, c.has) {
			t.Errorf("%s gives %s, want something with %s", c.name, got, c.has)
		}
	}
}
