package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/flow"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// A ruling has the rules that were looked at, each with how it came out, and those behind the one that refused the call
// without.
func TestRulings(t *testing.T) {
	d, err := all.Domain("airline")
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Open(domains.Embedded(), domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	procedure, err := flow.Load(w, "")
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) sim.Message {
		return sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{{ID: name, Name: name, Requestor: domains.AgentSide}}}
	}
	event := func(kind sim.EventKind, text string, data map[string]any) sim.Event {
		return sim.Event{Kind: kind, Side: sim.AgentSide, Text: text, Data: data}
	}
	for _, tt := range []struct {
		agent    string
		events   []sim.Event
		messages []sim.Message
		want     []string // title, and rules: + met, - not met, ? not looked at
	}{
		{"toolguard", []sim.Event{
			event(agents.EventGuardPass, "", map[string]any{"tool": "cancel_reservation", "hidden_reads": 2}),
			event(agents.EventGuardBlock, "", map[string]any{"tool": "update_reservation_flights", "rule": "airline.flights.3", "message": "no"}),
		}, nil, []string{"cancel_reservation passed: +airline.cancel.1 +airline.cancel.2", "update_reservation_flights refused: +airline.flights.1 +airline.flights.2 -airline.flights.3 ?airline.flights.4 ?airline.flights.5"}},
		{"policyguard", []sim.Event{
			event(agents.EventGuard, "", map[string]any{"tool": "cancel_reservation", "pass": false, "message": "not yet",
				"items": []map[string]any{{"name": "own", "status": "MET"}, {"name": "asked", "status": "NOT MET", "why": "nobody did"}, {"name": "paid", "status": "N/A"}}}),
			event(agents.EventBlock, "", map[string]any{"mode": "policyguard", "asked": true, "refusals": []map[string]any{{"tool": "cancel_reservation", "reason": "not yet"}}}),
			event(agents.EventBlock, "", map[string]any{"mode": "policyguard", "asked": false, "refusals": []map[string]any{{"tool": "cancel_reservation", "reason": "shut"}}}),
			event(agents.EventBlock, "", map[string]any{"mode": "strict", "refusals": []map[string]any{{"tool": "cancel_reservation", "reason": "a guide's"}}}),
		}, nil, []string{"cancel_reservation refused: +own: -asked: ?paid:", "cancel_reservation refused:"}},
		{"flowagent", []sim.Event{event(agents.EventFlowReject, "cancel_reservation: not yet", nil)}, []sim.Message{call("get_user_details"), call("get_user_details")},
			[]string{"before any call: -get_reservation_details", "rejected: cancel_reservation: not yet: -get_reservation_details", "after message 0: +get_reservation_details"}},
		{"react", nil, []sim.Message{call("get_user_details")}, nil},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			m := store.Manifest{Config: &config.Config{Data: "embedded", Systems: []config.System{{Name: "S", Agent: tt.agent}}},
				Workflows: []config.Workflow{{System: "S", Domain: "airline", Workflow: agents.Workflow{SHA256: procedure.Hash}}}}
			c, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Events: tt.events, Messages: tt.messages}, Guides: transcript.GuidesOf(m, "S", w, "airline")})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range c.Rulings {
				text := r.Title + ":"
				for _, rule := range r.Rules {
					name, _, _ := strings.Cut(rule.Label, " ")
					if tt.agent == "flowagent" && name != "get_reservation_details" {
						continue
					}
					text += fmt.Sprintf(" %s%s", map[[2]bool]string{{true, true}: "+", {true, false}: "-"}[[2]bool{rule.Known, rule.Met}]+map[bool]string{false: "?"}[rule.Known], name)
				}
				got = append(got, text)
			}
			if d := diff.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
