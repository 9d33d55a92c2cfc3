package telecom_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide/policy"
	"github.com/tauguide/tauguide/guide/policy/telecom"
)

var account = []string{
	"user: My number is (555) 123-2002.",
	`get_customer_by_phone {"phone_number": "555-123-2002"} => {"customer_id": "C1", "line_ids": ["L1", "L2"], "bill_ids": ["B1", "B2"]}`,
	`get_details_by_id {"id": "L1"} => {"line_id": "L1", "status": "Active", "phone_number": "555-123-2001", "plan_id": "P1", "contract_end_date": "2025-02-24", "roaming_enabled": true}`,
	`get_details_by_id {"id": "L2"} => {"line_id": "L2", "status": "Suspended", "phone_number": "555-123-2002", "plan_id": "P1", "contract_end_date": "2025-02-25", "data_used_gb": "7.5"}`,
	`get_details_by_id {"id": "P1"} => {"plan_id": "P1", "price_per_month": 40, "data_limit_gb": 5, "data_refueling_price_per_gb": 2.5}`,
	`get_details_by_id {"id": "B2"} => {"bill_id": "B2", "customer_id": "C1", "status": "Overdue", "total_due": 46}`,
	`get_details_by_id {"id": "B9"} => {"bill_id": "B9", "customer_id": "C2", "status": "Overdue", "total_due": 1}`,
}

func more(lines ...string) []string { return append(account[:len(account):len(account)], lines...) }

func TestIdentified(t *testing.T) {
	const result = `{"customer_id": "C1", "line_ids": [], "bill_ids": []}`
	for _, tt := range []struct {
		name, said, lookup string
		want               string
	}{
		{"number", "+1 555 123-2002", `get_customer_by_phone {"phone_number": "555-123-2002"} => ` + result, "C1"},
		{"another number", "555-123-2003", `get_customer_by_phone {"phone_number": "555-123-2002"} => ` + result, ""},
		{"id", "I am customer c1", `get_customer_by_id {"customer_id": "C1"} => ` + result, "C1"},
		{"no id", "I am a customer", `get_customer_by_id {"customer_id": "C1"} => ` + result, ""},
		{"details", "I am C1", `get_details_by_id {"id": "C1"} => ` + result, "C1"},
		{"name and date of birth", "Ann Poe, born on April 5, 1990", `get_customer_by_name {"full_name": "Ann Poe", "dob": "1990-04-05"} => [` + result + `]`, "C1"},
		{"date in numbers", "Ann Poe, 5/4/1990", `get_customer_by_name {"full_name": "Ann Poe", "dob": "1990-04-05"} => [` + result + `]`, "C1"},
		{"the day is missing", "Ann Poe, born in April 1990", `get_customer_by_name {"full_name": "Ann Poe", "dob": "1990-04-05"} => [` + result + `]`, ""},
		{"a day like its month", "Ann Poe, 4/1990", `get_customer_by_name {"full_name": "Ann Poe", "dob": "1990-04-04"} => [` + result + `]`, ""},
		{"half a name", "Ann, born on April 5, 1990", `get_customer_by_name {"full_name": "Ann Poe", "dob": "1990-04-05"} => [` + result + `]`, ""},
		{"two of the name", "Ann Poe, born on April 5, 1990", `get_customer_by_name {"full_name": "Ann Poe", "dob": "1990-04-05"} => [` + result + `, ` + result + `]`, ""},
	} {
		if got := known(t, "user: "+tt.said, tt.lookup).Customer; got != tt.want {
			t.Errorf("%s: customer %q, want %q", tt.name, got, tt.want)
		}
	}
	// The first who is identified is served, and a number counts also if the customer agrees to it.
	second := `get_customer_by_id {"customer_id": "C2"} => {"customer_id": "C2"}`
	if k := known(t, append(more(second), "user: C2")...); k.Customer != "C1" {
		t.Errorf("customer %q after another lookup", k.Customer)
	}
	if k := known(t, "user: Hi", "agent: Is it 555-123-2002?", "user: Yes.", account[1]); k.Customer != "C1" {
		t.Errorf("customer %q by an agreed number", k.Customer)
	}
}

func TestLines(t *testing.T) {
	k := known(t, account...)
	first := telecom.Line{ID: "L1", Status: "Active", Roaming: "on", Own: true, Ended: true, Used: -1, Limit: 5, Refueled: -1, Price: 2.5}
	if d := cmp.Diff(first, k.Line("L1")); d != "" {
		t.Error(d)
	}
	if second := k.Line("L2"); second.Ended || !second.Given || second.Used != 7.5 || second.Exceeded() != "" || k.ConcernedLine() != "L2" {
		t.Errorf("%+v, concerned is %s", second, k.ConcernedLine())
	}
	for refueled, want := range map[string]string{"2.5": "yes", "2.6": "no"} {
		k := known(t, more(`get_data_usage {"line_id": "L2"} => {"line_id": "L2", "data_used_gb": 7.5, "data_limit_gb": 5, "data_refueling_gb": `+refueled+`}`)...)
		if got := k.Line("L2").Exceeded(); got != want {
			t.Errorf("refueled by %s, exceeded is %q, want %q", refueled, got, want)
		}
	}
	changed := known(t, more(`enable_roaming {"line_id": "L2"} => {}`, `refuel_data {"line_id": "L2"} => {"new_data_refueling_gb": 1}`, `resume_line {} => {"line": {"line_id": "L2", "status": "Active"}}`)...)
	if l := changed.Line("L2"); l.Roaming != "on" || l.Refueled != 1 || l.Status != "Active" {
		t.Errorf("%+v after changes", l)
	}
	for _, tt := range []struct {
		r    policy.Request
		want string
	}{
		{policy.Request{}, "L2"}, {policy.Request{Target: "L1"}, "L1"}, {policy.Request{Target: "L7"}, "L2"},
		{policy.Request{Target: "L1", Args: policy.Record{"line_id": "L2"}}, "L2"}, {policy.Request{Args: policy.Record{"line_id": "L7"}}, ""},
	} {
		if got := k.LineOf(tt.r).ID; got != tt.want {
			t.Errorf("%+v is about line %q, want %q", tt.r, got, tt.want)
		}
	}
}

func TestBills(t *testing.T) {
	k := known(t, account...)
	if b := k.Bill("B2"); b != (telecom.Bill{ID: "B2", Status: telecom.Overdue, Own: true, Total: 46}) || k.Bill("B9").Own || k.Bill("B1").Total != -1 {
		t.Errorf("bills %+v, %+v, %+v", b, k.Bill("B9"), k.Bill("B1"))
	}
	if d := cmp.Diff([]string{"B2"}, k.BillsOf(telecom.Overdue)); d != "" {
		t.Error(d)
	}
	if k.AllBillsKnown() {
		t.Error("all bills are known, though B1 was not read")
	}
	for name, line := range map[string]string{
		"the other bill": `get_details_by_id {"id": "B1"} => {"bill_id": "B1", "status": "Paid"}`,
		"a short list":   `get_bills_for_customer {"customer_id": "C1"} => [{"bill_id": "B2", "status": "Overdue"}]`,
	} {
		if !known(t, more(line)...).AllBillsKnown() {
			t.Errorf("after %s not all bills are known", name)
		}
	}
	if known(t, more(`get_bills_for_customer {"customer_id": "C1", "limit": 1} => [{"bill_id": "B2", "status": "Overdue"}]`)...).AllBillsKnown() {
		t.Error("all bills are known from a list that was cut")
	}
	sent := known(t, more(`send_payment_request {"bill_id": "B1"} => {}`)...)
	for _, tt := range []struct {
		k    *telecom.Known
		r    policy.Request
		want string
	}{
		{k, policy.Request{}, "B2"}, {sent, policy.Request{}, "B1"}, {k, policy.Request{Target: "B9"}, "B9"},
		{k, policy.Request{Args: policy.Record{"bill_id": "B7"}}, ""}, {known(t), policy.Request{}, ""},
	} {
		if got := tt.k.BillOf(tt.r).ID; got != tt.want {
			t.Errorf("%+v is about bill %q, want %q", tt.r, got, tt.want)
		}
	}
}

func TestTerms(t *testing.T) {
	bill := policy.Request{Intent: "pay_bill"}
	data := policy.Request{Intent: "refuel_data", Args: policy.Record{"line_id": "L2", "gb_amount": 2.0}}
	for _, tt := range []struct {
		name           string
		r              policy.Request
		lines          []string
		stated, agreed bool
	}{
		{"nothing said", bill, nil, false, false},
		{"bill", bill, []string{"agent: That is $46.00. Shall I?", "user: Yes."}, true, true},
		{"another amount", bill, []string{"agent: That is $45.00. Shall I?", "user: Yes."}, false, false},
		{"a no", bill, []string{"agent: That is 46 dollars. Shall I?", "user: No."}, true, false},
		{"data", data, []string{"agent: 2 GB cost $5.00. Shall I?", "user: Yes."}, true, true},
		{"data without their price", data, []string{"agent: I add 2 GB. Shall I?", "user: Yes."}, false, false},
		{"the price of a gigabyte", data, []string{"agent: 2 GB at $2.50 each. Shall I?", "user: Yes."}, false, false},
		{"named data", policy.Request{Intent: "refuel_data"}, []string{"user: Two gigabytes, please.", "agent: 2 GB cost $5.00. Shall I?", "user: Yes."}, true, true},
		{"spent by the change", data, []string{"agent: 2 GB cost $5.00. Shall I?", "user: Yes.", `refuel_data {"line_id": "L2"} => {"new_data_refueling_gb": 2}`}, false, false},
		{"a named bill is not spent by another", bill, []string{"agent: B2 comes to $46.00. Shall I?", "user: Yes.", `send_payment_request {"bill_id": "B9"} => {}`}, true, true},
	} {
		terms := known(t, more(tt.lines...)...).Terms(tt.r)
		if terms.Stated() != tt.stated || terms.Agreed() != tt.agreed {
			t.Errorf("%s: stated %v, agreed %v; want %v and %v", tt.name, terms.Stated(), terms.Agreed(), tt.stated, tt.agreed)
		}
	}
}

func TestEnded(t *testing.T) {
	for date, want := range map[string]bool{"2025-02-24": true, "2025-02-25": false, "2025-02-26": false, "soon": false} {
		if got := telecom.Ended(date, telecom.Now()); got != want {
			t.Errorf("a contract to %s has ended: %v", date, got)
		}
	}
}
