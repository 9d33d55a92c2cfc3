package show_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// TestPrintGuide shows what a guide did beside the messages.
func TestPrintGuide(t *testing.T) {
	const events = `[
		{"kind":"firing","side":"assistant","index":1,"data":{"before":{"requests":[],"transfer":false,"firings":0},
			"after":{"requests":[{"id":"a","intent":"add_task","node":"add.authorize_create","status":"open","authorize_tool":"create_task","selection":{"target":"T"},"since":0}],"transfer":true,"firings":1},
			"record":{"reconcile":{"intents":[]},"traverse":[{"id":"a","walk":[{"node":"intake","satisfied":true},{"node":"add.authorize_create","satisfied":false}]}]},
			"rejected":[{"request":"b","why":"there is no node"}],"coerced":["/transfer: \"yes\" is read as true"],"calls":[0]}},
		{"kind":"guidance","side":"assistant","index":1,"text":"Do it \u001b[2J."},
		{"kind":"intercept","side":"assistant","index":1,"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","name":"create_task","arguments":{"title":"T"},"requestor":"assistant"}]}],
			"data":{"mode":"advisory","refusals":[{"tool":"create_task","reason":"no open request","held":true}]}},
		{"kind":"fail_open","side":"assistant","index":1,"text":"timed out"},
		{"kind":"private","side":"assistant","index":1,"messages":[{"role":"developer","content":"Do it."}]}]`
	rec := sim.Record{Messages: []sim.Message{{Role: domains.RoleAssistant, Content: domains.Text("Hi")}, {Role: domains.RoleUser, Content: domains.Text("###STOP###")}}}
	if err := json.Unmarshal([]byte(events), &rec.Events); err != nil {
		t.Fatal(err)
	}
	whole, brief := printed(t, transcript.Trial{Record: rec}, show.Options{Full: true}), printed(t, transcript.Trial{Record: rec}, show.Options{})
	for _, want := range []string{
		"guide   firing 1, by 1 call of a model", "walk of a: intake ✓ → add.authorize_create ✗",
		"a: open, at add.authorize_create, intent add_task, target T, create_task enabled", "transfer: signalled", "rejected: b: there is no node", `read by its meaning: /transfer: "yes" is read as true`,
		"guide   guidance\n              Do it ", "GATE    intercept: held back (advisory gate)", `→ create_task(title: "T")`, "create_task: no open request",
		"GATE    verifier failed", "timed out",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("%q is missing in\n%s", want, whole)
		}
	}
	for _, want := range []string{
		"guide   rejected: b: there is no node\n            read by its meaning: /transfer: \"yes\" is read as true\n            a open, at add.authorize_create",
		"guide   transfer: Do it ", "GATE    intercept: held back (advisory gate)\n              → create_task(title: \"T\")\n              create_task: no open request",
		"GATE    verifier failed",
	} {
		if !strings.Contains(brief, want) {
			t.Errorf("%q is missing in\n%s", want, brief)
		}
	}
	if all := whole + brief; strings.Contains(all, "developer:") || strings.Contains(all, "\x1b") {
		t.Errorf("guidance is there twice, or not made safe:\n%s", all)
	}
}
