package show_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics/trace"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// TestPrintProcedure shows which check of the rubric failed at which message, and which change lacked a read.
func TestPrintProcedure(t *testing.T) {
	task := &domains.Task{ID: "1", Criteria: &domains.Criteria{Actions: []domains.Action{{Name: "refuel_data"}}}}
	print := func(domain, talk string, task *domains.Task) string {
		t.Helper()
		msgs, err := trace.Parse(talk)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := show.Print(&b, transcript.Trial{Record: sim.Record{Key: sim.Key{Domain: domain, Task: "1"}, Messages: msgs}, Task: task}, show.Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const talk = `user: I am C1. Please add 2 GB.
		agent> get_customer_by_id customer_id=C1 => {"customer_id": "C1"}
		agent> refuel_data {"customer_id": "C1", "line_id": "L\u202e1", "gb_amount": 2} => {"charge": "4.0"}`
	got := print("telecom", talk, task)
	for _, want := range []string{
		"trace rubric: 7 of 11 applicable checks satisfied\n",
		"  ✗ dx.usage (diagnosis) at message 3: The usage of the very line was looked up before data are added to it.\n      refuel_data (message 3) has no earlier usage_read or line_read",
		"  ✗ consent.data_price (consent) at message 3: ",
		`near miss at message 3: refuel_data was made without reading line L\u{202e}1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for name, other := range map[string]string{"no task": print("telecom", talk, nil), "no rubric": print("mock", talk, task)} {
		if strings.Contains(other, "rubric") || strings.Contains(other, "near miss") {
			t.Errorf("%s:\n%s", name, other)
		}
	}
	if got := print("telecom", "agent: Hello.", task); !strings.Contains(got, "trace rubric: no check applies\n") {
		t.Errorf("nothing applies:\n%s", got)
	}
}
