package show_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/metrics/trace"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

const user = `{"user_id": "vance-ada-201", "name": {"first_name": "Ada", "last_name": "Vance"}, "address": {"street": "3 Mill Lane", "city": "Salem", "zip": "01970"}, ` +
	`"email": "ada.vance@example.org", "payment_methods": {"card-77": {"id": "card-77", "brand": "visa"}}, "orders": ["#T1", "#T2"], "note": null}`

const order = `{"order_id": "#T1", "user_id": "vance-ada-201", "items": [{"name": "Desk Lamp", "item_id": "5501", "price": 48.5}, {"name": "Kettle", "item_id": "5502", "price": 31.0}], ` +
	`"status": "delivered", "return_items": null, "payment_history": [{"amount": 79.5, "payment_method_id": "card-77"}]}`

// returned is a conversation whose results are long: what is folded, and to what, is to be seen in its golden transcripts.
var returned = `agent: Hi! How can I help you today?
	user: I want to return the desk lamp of my order. I am ada.vance@example.org.
	agent> find_user_id_by_email email=ada.vance@example.org => vance-ada-201
	agent> get_user_details user_id=vance-ada-201 => ` + user + `
	agent> get_order_details order_id=#T1 => ` + order + `
	agent> get_order_details order_id=#T1 => ` + order + `
	agent: You get 48.5 dollars back. Do you agree?
	user: Yes, go on.
	agent> cancel_pending_order order_id=#T1 reason=other =>! Error: the order is not pending
	agent> return_delivered_order_items {"order_id": "#T1", "item_ids": ["5501"], "payment_method_id": "card-77"} => ` +
	strings.NewReplacer(`"delivered"`, `"return requested"`, `"return_items": null`, `"return_items": ["5501"]`).Replace(order) + `
	agent> list_all_product_types => ` + strings.Repeat("A long list that is no JSON. ", 20) + `
	agent: It is done. In the mail you find a label with the very long name return-label-for-order-T1-of-vance-ada-201-with-the-desk-lamp-as-agreed.
	user: ###STOP###`

const returnedEvents = `[
	{"kind":"firing","side":"assistant","index":2,"data":{"after":{"requests":[{"id":"start","node":"identify.ask","status":"open","remediation":"Ask for the e-mail\naddress, and for nothing else that the customer might not have at hand right now."}],"firings":1},"record":{"traverse":[]}}},
	{"kind":"guidance","side":"assistant","index":2,"text":"[Policy guide] This is an instruction for you alone, not a message of the user.\n\nRequest start:\nAsk for the e-mail\naddress, and for nothing else that the customer might not have at hand right now."},
	{"kind":"firing","side":"assistant","index":12,"data":{"after":{"requests":[{"id":"start","node":"classify","status":"open"}],"firings":2},"record":{"traverse":[]}}},
	{"kind":"intercept","side":"assistant","index":12,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"modify_pending_order_items","arguments":{"order_id":"#T1"},"requestor":"assistant"}]}],
		"data":{"mode":"strict","refusals":[{"tool":"modify_pending_order_items","reason":"no open request is at a node that enables it","held":true}]}},
	{"kind":"firing","side":"assistant","index":14,"data":{"after":{"requests":[{"id":"start","node":"classify","status":"open"}],"firings":3},"record":{"traverse":[]}}}]`

func returnedTrial(t *testing.T) transcript.Trial {
	t.Helper()
	msgs, err := trace.Parse(returned)
	if err != nil {
		t.Fatal(err)
	}
	r := sim.Record{Key: sim.Key{Domain: "mock", System: "PolicyGuide", Task: "return-lamp"}, Messages: msgs, Termination: sim.UserStop, Steps: len(msgs), ToolErrors: 1}
	if err := json.Unmarshal([]byte(returnedEvents), &r.Events); err != nil {
		t.Fatal(err)
	}
	reward := 0.0
	return transcript.Trial{Record: r, Score: &sim.Score{Reward: &reward}}
}

func printed(t *testing.T, trial transcript.Trial, o show.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := show.Print(&b, trial, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTranscript compares transcripts at two widths, and in colour, with golden files. No line is longer than the width.
func TestTranscript(t *testing.T) {
	for name, o := range map[string]show.Options{
		"80":      {Page: terminal.Page{Width: 80}},
		"120":     {Page: terminal.Page{Width: 120}},
		"80-full": {Page: terminal.Page{Width: 80}, Full: true},
		"colours": {Page: terminal.Page{Width: 80, Colour: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := printed(t, returnedTrial(t), o)
			file := filepath.Join("testdata", "transcript-"+name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v (run with -update to write it)", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for line := range strings.SplitSeq(got, "\n") {
				if n := terminal.Columns(line); n > o.Width {
					t.Errorf("%d columns: %s", n, line)
				}
			}
		})
	}
}

// TestTranscriptIsWhole: without a width nothing is broken or cut, and with --full every text is there.
func TestTranscriptIsWhole(t *testing.T) {
	trial := returnedTrial(t)
	got := printed(t, trial, show.Options{Full: true})
	for _, m := range trial.Record.Messages {
		if text := strings.TrimSpace(m.TextOf()); !strings.Contains(got, text) {
			t.Errorf("%q is missing", text)
		}
	}
	brief := printed(t, trial, show.Options{})
	if !strings.Contains(brief, "guide   identify.ask: Ask for the e-mail address, and for nothing else that the customer might not have at hand right now.\n") {
		t.Errorf("guidance is not one line with its node:\n%s", brief)
	}
}

// FuzzTranscript: no result, whatever it is, makes a line longer than the page, lets anything steer the terminal, or
// breaks the fold.
func FuzzTranscript(f *testing.F) {
	f.Add(order, user, 40)
	f.Add(`{"a":[{}],"":""}`, "\x1b[2J\u202e"+strings.Repeat("ab-", 90), 13)
	f.Fuzz(func(t *testing.T, first, second string, width int) {
		if width < 20 || width > 300 {
			t.Skip()
		}
		msgs, err := trace.Parse("agent> a => x\nagent> b => y\nagent> a => z")
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{first, second, first} {
			msgs[2*i+1].Content = &text
		}
		got := printed(t, transcript.Trial{Record: sim.Record{Messages: msgs}}, show.Options{Page: terminal.Page{Width: width}})
		for line := range strings.SplitSeq(got, "\n") {
			if n := terminal.Columns(line); n > width || strings.ContainsAny(line, "\x1b\u202e\r") {
				t.Errorf("%d columns of %d: %q", n, width, line)
			}
		}
	})
}
