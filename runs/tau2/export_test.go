package tau2_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

const ownConfig = `
note: a run of our own
trials: 2
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.2, act_before_consent: 0.3, grant_forbidden: 0.3, give_up: 0.2}}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: retail}, {name: telecom, solo: true}]
systems:
  - {name: ReAct, agent: react, model: clumsy}
  - {name: Noop, agent: noop}
`

// ownRun makes a small run with scripted models.
func ownRun(t testing.TB) *store.Run {
	t.Helper()
	c, err := config.Parse("own.yaml", []byte(ownConfig), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtest.Run(context.Background(), c, config.Options{Out: filepath.Join(t.TempDir(), "own"), Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOwnRunAsResult exports our own runs, with a user and without, and checks that what the reference would read is
// legal, has the same figures, and comes back as the same conversations.
func TestOwnRunAsResult(t *testing.T) {
	t.Parallel()
	r := ownRun(t)
	for _, part := range []struct{ domain, system string }{{"retail", "ReAct"}, {"retail", "Noop"}, {"telecom", "ReAct"}} {
		t.Run(part.domain+"/"+part.system, func(t *testing.T) {
			w, err := r.World(part.domain, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			for _, layout := range []tau2.Layout{tau2.LayoutJSON, tau2.LayoutDir} {
				name := filepath.Join(t.TempDir(), "out.json")
				done, err := tau2.Export(context.Background(), r, tau2.ExportOptions{Out: name, Domain: part.domain, System: part.system, Layout: layout, World: w, Program: "test"})
				if err != nil {
					t.Fatal(err)
				}
				if done.Simulations != 10 || done.Missing != 0 {
					t.Errorf("exported %+v", done)
				}
				checkLoads(t, name, true)
				s := source(t, name)
				sameFigures(t, r, part.domain, part.system, figuresOf(t, name))
				if !s.Header.Export.Synthetic || !s.Header.Export.Embedded() || s.System() != part.system || s.Header.Facts.Solo() != w.Options.Solo {
					t.Errorf("head %+v, system %s, solo %t", s.Header.Export, s.System(), s.Header.Facts.Solo())
				}
				sameConversations(t, r, s, w)
			}
		})
	}
}

// sameConversations wants the records of the run in the result, and the same scores when they are scored there.
func sameConversations(t *testing.T, r *store.Run, s *tau2.Source, w *domains.World) {
	t.Helper()
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range simulations(t, s) {
		got := one.Record
		want, err := r.Record(got.Key)
		if err != nil {
			t.Fatal(err)
		}
		if want.Termination != got.Termination || want.Seed != got.Seed || want.Solo != got.Solo || want.Steps != got.Steps || want.ToolErrors != got.ToolErrors || !got.Synthetic {
			t.Errorf("%s: %+v", one.ID, got)
		}
		a, b := bare(want.Messages), bare(got.Messages)
		if diff := cmp.Diff(a, b, compareValues); diff != "" {
			t.Fatalf("%s (-run +result):\n%.3000s", one.ID, diff)
		}
		score := scores[store.Ref{Key: want.Key, Attempt: want.Attempt}]
		if score.Reward == nil && one.Recorded == nil {
			continue
		}
		if one.Recorded == nil || *score.Reward != one.Recorded.Reward {
			t.Errorf("%s: reward %v, in the result %+v", one.ID, *score.Reward, one.Recorded)
		}
		c := tau2.Compare(context.Background(), w, taskOf(t, w, one), got, one.Recorded, tau2.Options{Strictness: tau2.Full})
		if c.Outcome != tau2.Agree || len(c.Notes) > 0 {
			t.Errorf("%s: scored again: %s %s %v", one.ID, c.Outcome, c.Err, c.Notes)
		}
	}
}

// bare is a conversation without what differs between the formats: the spelling of times, and costs.
func bare(msgs []domains.Message) []domains.Message {
	out := slices.Clone(msgs)
	for i := range out {
		out[i].Timestamp, out[i].Extra = "", nil
	}
	return out
}

// figures are the numbers that the reference computes of a result (docs/reference/tau2.md#metrics).
type figures struct {
	PassHat   []float64
	Reward    float64
	Infra     int
	AgentCost float64
}

// figuresOf computes them from the file alone.
func figuresOf(t *testing.T, name string) figures {
	t.Helper()
	type row struct {
		Task   string   `json:"task_id"`
		Reason string   `json:"termination_reason"`
		Cost   *float64 `json:"agent_cost"`
		Reward *struct {
			Reward float64 `json:"reward"`
		} `json:"reward_info"`
	}
	var o struct {
		Info struct {
			Trials int `json:"num_trials"`
		} `json:"info"`
		Simulations []row `json:"simulations"`
	}
	file := name
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		file = filepath.Join(name, "results.json")
		list, err := filepath.Glob(filepath.Join(name, "simulations", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			var one row
			if err := json.Unmarshal(readFile(t, f), &one); err != nil {
				t.Fatal(err)
			}
			o.Simulations = append(o.Simulations, one)
		}
	}
	rows := o.Simulations
	if err := json.Unmarshal(readFile(t, file), &o); err != nil {
		t.Fatal(err)
	}
	if rows == nil {
		rows = o.Simulations
	}
	out := figures{}
	n, c := map[string]int{}, map[string]int{}
	scored := 0
	for _, s := range rows {
		if s.Reason == "infrastructure_error" {
			out.Infra++
			continue
		}
		n[s.Task]++
		if s.Reward != nil {
			scored++
			out.Reward += s.Reward.Reward
			if math.Abs(s.Reward.Reward-1) <= 1e-6 {
				c[s.Task]++
			}
		}
		if s.Cost != nil {
			out.AgentCost += *s.Cost
		}
	}
	out.Reward /= float64(scored)
	most := o.Info.Trials
	for _, count := range n {
		most = min(most, count)
	}
	for k := 1; k <= most; k++ {
		sum := 0.0
		for task, count := range n {
			p := 1.0
			for i := range k { // C(c,k)/C(n,k)
				p *= math.Max(0, float64(c[task]-i)) / float64(count-i)
			}
			sum += p
		}
		out.PassHat = append(out.PassHat, sum/float64(len(n)))
	}
	return out
}

// sameFigures wants those of our own tables.
func sameFigures(t *testing.T, r *store.Run, domain, system string, got figures) {
	t.Helper()
	var outcomes []metrics.Outcome
	cost, reward, void, scored := 0.0, 0.0, 0, 0
	for _, e := range r.Index() {
		if e.Domain != domain || e.System != system {
			continue
		}
		state := metrics.Failure
		switch {
		case !e.Termination.Evaluable():
			state = metrics.Void
			void++
		case e.Reward == nil:
			state = metrics.Pending
		default:
			scored++
			reward += *e.Reward
			if sim.Success(*e.Reward) {
				state = metrics.Success
			}
		}
		outcomes = append(outcomes, metrics.Outcome{Domain: domain, System: system, Task: e.Task, Trial: e.Trial, State: state})
	}
	for k, p := range got.PassHat {
		if v := metrics.PassHat(outcomes, k+1); !v.Defined || math.Abs(v.Value-p) > 1e-9 {
			t.Errorf("pass^%d is %g of the result, of ours %+v", k+1, p, v)
		}
	}
	if len(got.PassHat) != 2 || math.Abs(got.Reward-reward/float64(scored)) > 1e-9 || got.Infra != void || math.Abs(got.AgentCost-cost) > 1e-9 {
		t.Errorf("figures of the result %+v; ours: reward %g, void %d", got, reward/float64(scored), void)
	}
}

// TestWordsWithoutPlace exports endings that the format does not know, and malformed calls, and reads them back.
func TestWordsWithoutPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[int]sim.Record{}
	for i, reason := range []sim.Reason{sim.Budget, sim.Cancelled, sim.Infra, sim.UserFault, sim.ContextWindow, sim.UserStop} {
		r := plannedRecord("aAtu")
		r.System, r.Trial, r.Termination = "S", i, reason
		if !reason.Evaluable() {
			r.Fault = &sim.Fault{Kind: "a kind", Text: "why"}
		}
		r.Messages[1].ToolCalls[0].Malformed, r.Messages[1].ToolCalls[0].Reason = `{"a": `, "unexpected end"
		r.Messages[1].ToolCalls[0].Arguments = value.Value{}
		want[i] = r
		if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
			t.Fatal(err)
		}
	}
	c := &config.Config{Name: "run", Note: "n", Data: "embedded", Domains: []config.Domain{{Name: "mock", Split: "base"}}, Systems: []config.System{{Name: "S", Agent: "react"}}}
	if err := f.Finish(store.Manifest{Name: "run", Config: c}, time.Now()); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := all.Domain("mock")
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Open(domains.Embedded(), domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := out(t, r, w, tau2.LayoutJSON)
	text := string(readFile(t, name))
	if n := strings.Count(text, `"termination_reason": "infrastructure_error"`); n != 4 {
		t.Errorf("%d void simulations, want 4", n)
	}
	for _, one := range simulations(t, source(t, name)) {
		was := want[one.Record.Trial]
		if one.Record.Termination != was.Termination {
			t.Errorf("trial %d ended with %s, was %s", was.Trial, one.Record.Termination, was.Termination)
		}
		if diff := cmp.Diff(bare(was.Messages), bare(one.Record.Messages), compareValues); diff != "" {
			t.Errorf("trial %d (-was +read):\n%s", was.Trial, diff)
		}
	}
}
