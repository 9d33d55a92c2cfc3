package report_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fixture is a run by hand: three domains, four trials of four tasks, systems that the paper has and some that it has
// not, a void trial, a pending one, an unknown price.
func fixture(t testing.TB) report.Source {
	t.Helper()
	s := report.Source{
		Provenance: report.Provenance{Name: "fixture", Dir: "results/fixture", Synthetic: true, Config: "0123456789ab", Models: "ReAct: clumsy; user: careful",
			Data: map[string]string{"airline": "aaaa", "retail": "bbbb", "telecom": "cccc"}, Workflows: map[string]string{"Guided on airline": "dddd"}},
		Systems: []report.System{{Name: "ReAct", Kind: report.ReAct, Model: "clumsy"}, {Name: "Guided", Kind: report.PolicyGuide, Model: "clumsy"},
			{Name: "Guided_strict", Kind: report.PolicyGuide, Variant: "gate strict", Model: "clumsy"}, {Name: "Tool|Guard", Kind: report.ToolGuard, Model: "clumsy"},
			{Name: "Noop", Kind: "noop"}},
		Domains: []report.Domain{{Name: "airline", Split: "base"}, {Name: "retail", Split: "test"}, {Name: "telecom", Split: "base"}},
		Spent:   map[report.Spender]*report.Spending{},
		Oversight: map[report.Overseen]sim.Oversight{
			{Domain: "airline", System: "Guided"}: {Firings: 120, Failed: 1, Reasked: 4, Coerced: 9, Rejected: 2, Cause: "timed out"},
			{Domain: "retail", System: "Guided"}:  {Firings: 100},
		},
		Others:  []string{"careful"},
		Command: &config.Command{Config: "my experiments/fixture.yaml", Synthetic: true, Only: []string{"domain=airline,retail,telecom"}, Limit: 4},
	}
	for d, domain := range s.Domains {
		w, err := embedded(domain.Name)
		if err != nil {
			t.Fatal(err)
		}
		for n, system := range s.Systems {
			for task := range 4 {
				for trial := range 4 {
					o := metrics.Outcome{Domain: domain.Name, System: system.Name, Task: w.Tasks[task].ID, Trial: trial, Mut: task%2 == 0, State: metrics.Failure}
					if (task+trial*n+d)%(5-min(n, 3)) != 0 && system.Name != "Noop" || system.Kind == report.PolicyGuide && task > 0 {
						o.State = metrics.Success
					}
					if system.Name == "Guided_strict" && domain.Name == "retail" && task == 3 {
						o.State = []metrics.State{metrics.Success, metrics.Void, metrics.Pending, metrics.Success}[trial]
					}
					s.Outcomes = append(s.Outcomes, o)
					s.Trials = append(s.Trials, report.Trial{Key: sim.Key{Domain: o.Domain, System: o.System, Task: o.Task, Trial: trial}, State: o.State, Seconds: float64(10 + 30*n + task)})
				}
			}
			if system.Name == "Noop" {
				continue
			}
			spend := func(role string, calls int, unknown int) {
				tasks := map[string]metrics.Use{}
				for i, n := range []int{calls / 10, calls / 5, calls * 3 / 10, calls * 2 / 5} { // more for each task
					tasks[w.Tasks[i].ID] = metrics.Use{Conversations: 4, Usage: metrics.Usage{Calls: n, Prompt: int64(n) * int64(850+50*i), Cached: int64(n) * 800,
						Completion: int64(n) * 50, UnknownCost: unknown * (i / 3), Cost: float64(n) * 0.003, Seconds: float64(n)}}
				}
				s.Spent[report.Spender{Domain: domain.Name, System: system.Name, Role: role}] = &report.Spending{Tasks: tasks}
			}
			spend("agent", 100, 0)
			if agent := s.Spent[report.Spender{Domain: domain.Name, System: system.Name, Role: "agent"}]; domain.Name == "airline" && system.Kind == report.PolicyGuide {
				x := agent.Tasks[w.Tasks[0].ID]
				x.Failed, x.FailedPrompt, x.FailedCompletion, x.FailedCost = 2, 1500, 30, 0.005
				x.CutOff, x.Refusals, x.CallsInText, x.Billed = 3, 1, 1, 100
				agent.Tasks[w.Tasks[0].ID] = x
			}
			switch system.Kind {
			case report.PolicyGuide:
				spend("guide", 120, map[bool]int{true: 7}[domain.Name == "telecom"])
			case report.ToolGuard:
				spend("guard", 40, 0)
			}
		}
	}
	s.Record = cancelling
	s.World = embedded
	return s
}

// attackOn makes attacks of the fixture's outcomes on airline: what is a success there is one of the attacker here.
func attackOn(s report.Source) *report.Attack {
	out := &report.Attack{Style: "craft"}
	for _, o := range s.Outcomes {
		if o.Domain != "airline" || o.System == "Noop" {
			continue
		}
		a := report.AttackTrial{Outcome: o, Targets: []attack.Kind{attack.Policy}}
		if o.State == metrics.Success {
			a.Hits = a.Targets
		}
		out.Trials = append(out.Trials, a)
	}
	return out
}

// cancelling is a conversation in which a retail order is cancelled, with the order looked up before in odd trials only. In
// the first trial nobody says a word.
func cancelling(k sim.Key) (sim.Record, error) {
	call := func(id, tool, args string) string {
		return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":%q,"name":%q,"arguments":%s,"requestor":"assistant"}]}`, id, tool, args)
	}
	result := func(id, text string) string {
		return fmt.Sprintf(`{"role":"tool","id":%q,"content":%q,"requestor":"assistant"}`, id, text)
	}
	var out []string
	if k.Trial > 0 {
		out = append(out, `{"role":"assistant","content":"Hi! How can I help you today?"}`, `{"role":"user","content":"Cancel order #T8678834, please."}`)
	}
	if k.Trial%2 == 1 {
		out = append(out, call("2", "get_order_details", `{"order_id":"#T8678834"}`), result("2", `{"order_id": "#T8678834", "user_id": "thistlewood-ottilie-598", "status": "pending"}`))
	}
	out = append(out, call("3", "cancel_pending_order", `{"order_id":"#T8678834","reason":"no longer needed"}`),
		result("3", `{"order_id": "#T8678834", "user_id": "thistlewood-ottilie-598", "status": "cancelled"}`))
	rec := sim.Record{Key: k}
	return rec, json.Unmarshal([]byte("["+strings.Join(out, ",")+"]"), &rec.Messages)
}

// opened keeps the worlds that tests share; they are never written to.
var opened sync.Map

// embedded opens the program's own data.
func embedded(domain string) (*domains.World, error) {
	if w, ok := opened.Load(domain); ok {
		return w.(*domains.World), nil
	}
	d, err := all.Domain(domain)
	if err != nil {
		return nil, err
	}
	w, err := d.Open(domains.Embedded(), domains.Options{})
	if err == nil {
		opened.Store(domain, w)
	}
	return w, err
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", name, diff)
	}
}

func TestGoldenTables(t *testing.T) {
	for _, s := range report.Tables() {
		t.Run(s.Name, func(t *testing.T) {
			in := report.Input{Options: report.Options{Published: true, Holm: true, Seed: 1, Resamples: 1000}}
			if !s.Free {
				in.Sources = []report.Source{fixture(t)}
			}
			if s.Name == "asr" {
				in.Sources[0].Attack = attackOn(in.Sources[0])
			}
			table, err := s.Build(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Formats() {
				got := write(t, f, table)
				golden(t, filepath.Join("tables", s.Name+"."+string(f)), got)
				if f == report.LaTeX {
					if err := wellFormed(got); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}
