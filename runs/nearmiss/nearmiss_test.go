package nearmiss_test

import (
	"context"
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
				traces = append(traces, nmr.Trace{Task: p.Task.ID, Mut: p.Task.Mutating(w), State: metrics.Success, Calls: calls})
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

func made(calls []nmr.Call) (out []string) {
	for _, c := range calls {
		out = append(out, fmt.Sprint(c.Index, " ", c.Tool))
	}
	return out
}
