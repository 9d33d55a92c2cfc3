package nearmiss_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/runs/nearmiss"
)

func open(t *testing.T, data, domain string) *domains.World {
	t.Helper()
	d, err := all.Domain(domain)
	if err != nil {
		t.Fatal(err)
	}
	if data == "tau2" {
		return domaintest.Real(t, d, domains.Options{})
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

func guards(t *testing.T, domain string, release bool) toolguard.Set {
	t.Helper()
	set, err := toolguard.Guards(domain, toolguard.Options{Release: release})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Completed gold paths come to the figures that docs/call-nmr.md tells, and both readings count the same calls.
func TestGold(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", "call-nmr.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		data, name, domain string
		release            bool
	}{
		{"tau2", "τ², airline, released guards", "airline", true}, {"tau2", "τ², airline", "airline", false},
		{"tau2", "τ², retail", "retail", false}, {"tau2", "τ², telecom", "telecom", false},
		{"embedded", "embedded, airline", "airline", false}, {"embedded", "embedded, retail", "retail", false}, {"embedded", "embedded, telecom", "telecom", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := open(t, tt.data, tt.domain)
			table, err := nmr.Load(tt.domain)
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := w.Select("")
			if err != nil {
				t.Fatal(err)
			}
			paths, err := audit.Paths(w, tasks)
			if err != nil {
				t.Fatal(err)
			}
			var traces []nmr.Trace
			lacks := map[string]int{}
			for _, p := range paths {
				calls, err := nearmiss.Audit(context.Background(), guards(t, tt.domain, tt.release), w, p.Task, p.Messages)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(made(table.Audit(p.Messages)), made(calls)); d != "" {
					t.Errorf("%s: the readings count different calls:\n%s", p.Task.ID, d)
				}
				traces = append(traces, nmr.Trace{Outcome: metrics.Outcome{Task: p.Task.ID, Mut: p.Task.Mutating(w), State: metrics.Success}, Calls: calls})
				for _, c := range calls {
					for _, n := range c.Missing {
						lacks[c.Tool+" "+n.ID]++
					}
				}
			}
			f := nmr.Rate(traces)
			t.Log(lacks)
			if row := fmt.Sprintf("| %s | %d of %d (%.1f %%) |", tt.name, f.Missing, f.Mutations, 100*f.Rate.Value); !strings.Contains(string(page), row) {
				t.Errorf("docs/call-nmr.md does not have the row %q", row)
			}
		})
	}
}

// A context that is done ends the audit with its error and the place.
func TestCancelled(t *testing.T) {
	w := open(t, "embedded", "airline")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tasks, err := w.Select("")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := audit.Paths(w, tasks)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, p := range paths {
		if !p.Task.Mutating(w) {
			continue
		}
		tried++
		if _, err := nearmiss.Audit(ctx, guards(t, "airline", false), w, p.Task, p.Messages); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "message ") {
			t.Errorf("%s: %v", p.Task.ID, err)
		}
	}
	if tried == 0 {
		t.Error("no task changes anything")
	}
}

// What the state has it otherwise is not a near miss but an error; a malformed call, which no tool ever saw, is neither.
func TestDrift(t *testing.T) {
	w := open(t, "embedded", "retail")
	task := &w.Tasks[0]
	talk := func(order, args, result string) (out []domains.Message) {
		text := `[{"role":"assistant","tool_calls":[{"id":"1","name":"cancel_pending_order","arguments":` + args + `,"requestor":"assistant"}]},
			{"role":"tool","id":"1","content":"` + result + `","error":` + fmt.Sprint(strings.HasPrefix(result, "Error")) + `,"requestor":"assistant"}]`
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "ORDER", order)), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	cancel := `{"order_id":"ORDER","reason":"no longer needed"}`
	for _, tt := range []struct {
		name  string
		msgs  []domains.Message
		calls int
		drift string
	}{
		{"as recorded", talk("#T8678834", cancel, "done"), 1, ""},
		{"fails now", talk("#T0", cancel, "done"), 0, `message 1: cancel_pending_order gave "done", and now "Error: Order not found"`},
		{"succeeds now", talk("#T8678834", cancel, "Error: Order not found"), 0, `gave "Error: Order not found", and now "{`},
		{"failed then and now", talk("#T0", cancel, "Error: Order not found"), 0, ""},
		{"malformed", talk("", `"not json"`, "Error: invalid JSON arguments"), 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls, err := nearmiss.Audit(context.Background(), guards(t, "retail", false), w, task, tt.msgs)
			if len(calls) != tt.calls || (err != nil) != (tt.drift != "") || err != nil && (!errors.Is(err, nearmiss.ErrDrift) || !strings.Contains(err.Error(), tt.drift)) {
				t.Errorf("%d calls, %v", len(calls), err)
			}
		})
	}
}

func made(calls []nmr.Call) (out []string) {
	for _, c := range calls {
		out = append(out, fmt.Sprint(c.Index, " ", c.Tool))
	}
	return out
}
