package checks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
)

// TestTelecomRecorded tries every change that real agents made in recorded conversations with a user, none of whom was
// guided. Where it is not authorized, the node at which its request rests says what they had left out
// (docs/faithfulness/telecom.md).
func TestTelecomRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(domaintest.Shared(t), "trajectories", "telecom", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded conversations: %v", err)
	}
	w := open(t, "tau2", "telecom")
	c := checkerFor(t, w)
	got := map[string]map[string]int{}
	for _, f := range files {
		if strings.Contains(f, "no-user") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Simulations []struct {
				Messages []domains.Message `json:"messages"`
			} `json:"simulations"`
		}
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, s := range file.Simulations {
			tally(c, w, s.Messages, got)
		}
	}
	want := map[string]map[string]int{
		"send_payment_request": {"authorized": 1, "pay.agree.summarize": 16},
		"resume_line":          {"authorized": 11, "hand_over": 5, "exit_done": 1},
		"enable_roaming":       {"authorized": 11, "roaming.own_line": 9, "roaming.says_abroad": 6, "roaming.read_line": 1, "exit_done": 1},
		"refuel_data":          {"authorized": 6, "refuel.agree.summarize": 16, "refuel.own_line": 2, "refuel.amount": 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// tally counts for each tool where its calls rest.
func tally(c *guide.Checker, w *domains.World, messages []domains.Message, into map[string]map[string]int) {
	trace := guide.NewTrace()
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			if m.Role != domains.RoleAssistant || !w.Agent.Mutates(call.Name) {
				continue
			}
			rests := "authorized"
			if p, _ := c.Authorize(trace, call, 0); p.Authorizes != call.Name {
				for _, r := range c.Open(call, 0) {
					if r.Intent == directIntent(call.Name) {
						q := c.Walk(trace, r)
						rests = q.Node
					}
				}
			}
			if into[call.Name] == nil {
				into[call.Name] = map[string]int{}
			}
			into[call.Name][rests]++
		}
		trace.Add(m)
	}
}
