package audit_test

import (
	"slices"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/audit"
)

// Every plan with an action becomes a conversation that holds all of the agent's changes in their order, each call with
// its result. Retail task 50 plans nothing but a transfer, so nobody can tell who its customer is.
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		data, domain  string
		paths, failed int
	}{
		{"embedded", "airline", 14, 0}, {"embedded", "retail", 16, 0}, {"embedded", "telecom", 14, 0},
		{"tau2", "airline", 43, 0}, {"tau2", "retail", 112, 1}, {"tau2", "telecom", 114, 0},
	} {
		t.Run(tt.data+"/"+tt.domain, func(t *testing.T) {
			w := openDomain(t, tt.data, tt.domain)
			tasks, err := w.Select("base")
			if err != nil {
				t.Fatal(err)
			}
			all, err := audit.Paths(w, tasks)
			if err != nil || len(all) != len(tasks) {
				t.Fatalf("%d paths of %d tasks, error %v", len(all), len(tasks), err)
			}
			paths, failed := 0, 0
			for _, p := range all {
				if p.Err != nil {
					failed++
					t.Log(p.Task.ID, p.Err)
				}
				if p.Messages == nil {
					continue
				}
				paths++
				var want, got []string
				for _, a := range p.Task.Criteria.Actions {
					if a.Requestor == domains.AgentSide && w.Agent.Mutates(a.Name) {
						want = append(want, a.Name)
					}
				}
				open := map[string]bool{}
				for _, m := range p.Messages {
					for _, c := range m.ToolCalls {
						open[c.ID] = true
						if w.Agent.Mutates(c.Name) {
							got = append(got, c.Name)
						}
					}
					if m.Role == domains.RoleTool {
						delete(open, m.ID)
					}
				}
				if !slices.Equal(want, got) || len(open) > 0 {
					t.Errorf("task %s: changes %v, want %v; %d calls without a result", p.Task.ID, got, want, len(open))
				}
			}
			if paths != tt.paths || failed != tt.failed {
				t.Errorf("%d paths, %d failed; want %d and %d", paths, failed, tt.paths, tt.failed)
			}
		})
	}
	if _, err := audit.Paths(openDomain(t, "embedded", "mock"), nil); err == nil {
		t.Error("the mock domain has no driver")
	}
}
