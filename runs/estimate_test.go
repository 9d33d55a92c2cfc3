package runs_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
)

// priced is a config with real models, one of a price that is known.
const priced = `
note: priced
trials: 2
models:
  known: {model: gpt-4.1, key: x}
  unknown: {model: nobodys-model, base_url: 'http://127.0.0.1:1/v1'}
user: {model: known}
judge: {model: known}
domains: [{name: retail, tasks: [cancel-gift-card-order, change-two-items-then-address]}]
systems:
  - {name: ReAct, agent: react, model: known}
  - {name: Guided, agent: policyguide, model: known}
  - {name: Checked, agent: policyguide, model: known, params: {verifier: deterministic}}
  - {name: Noop, agent: noop}
`

func estimate(t *testing.T, text, like string, o config.Options) *runs.Estimate {
	t.Helper()
	if o.Out == "" {
		o.Out = filepath.Join(t.TempDir(), "run")
	}
	e, err := runs.NewEstimate(runtest.Resolve(t, text, o), like)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func lineOf(t *testing.T, e *runs.Estimate, role, model string) runs.EstimateLine {
	t.Helper()
	i := slices.IndexFunc(e.Lines, func(l runs.EstimateLine) bool { return l.Role == role && l.Model == model })
	if i < 0 {
		t.Fatalf("no line for %s by %s in %+v", role, model, e.Lines)
	}
	return e.Lines[i]
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

func TestEstimateByTheTable(t *testing.T) {
	e := estimate(t, priced, "", config.Options{})
	agent, user, guide, judge := lineOf(t, e, "agent", "known"), lineOf(t, e, "user", "known"), lineOf(t, e, "guide", "known"), lineOf(t, e, "judge", "known")
	if e.Trials != 16 || !near(agent.Calls, 12*11.9) || !near(user.Calls, 16*7.2) || !near(guide.Calls, 4*7.42) || judge.Calls != 8 {
		t.Errorf("estimate %+v", e)
	}
	// Table 14 of the paper, retail: 7.42 calls of 22,803 prompt tokens, 85.8 % of them cached, and 2,179 of output.
	if !near(guide.Prompt, 4*7.42*22803) || !near(guide.Cached, 0.858*guide.Prompt) || !near(guide.Completion, 4*7.42*2179) {
		t.Errorf("guide %+v", guide)
	}
	want := (guide.Prompt-guide.Cached)*2e-6 + guide.Cached*0.5e-6 + guide.Completion*8e-6
	if guide.Cost == nil || !near(*guide.Cost, want) || e.Cost == nil || !near(*e.Cost, *agent.Cost+*user.Cost+*guide.Cost+*judge.Cost) {
		t.Errorf("guide's dollars %v, want %v; all %v", guide.Cost, want, e.Cost)
	}
	if len(e.Basis) != 1 || !strings.Contains(e.Basis[0], "Table 14") || e.Unknown != nil {
		t.Errorf("basis %q, unknown %q", e.Basis, e.Unknown)
	}
}

func TestUnknownIsNotNothing(t *testing.T) {
	unpriced := strings.Replace(priced, "name: ReAct, agent: react, model: known", "name: ReAct, agent: react, model: unknown", 1)
	e := estimate(t, unpriced, "", config.Options{})
	if l := lineOf(t, e, "agent", "unknown"); l.Cost != nil || l.Calls == 0 || e.Cost != nil || e.KnownCost == 0 {
		t.Errorf("estimate %+v", e)
	}
	unlisted := strings.Replace(priced, "name: retail, tasks: [cancel-gift-card-order, change-two-items-then-address]", "name: mock", 1)
	e = estimate(t, unlisted, "", config.Options{})
	if e.Cost != nil || len(e.Unknown) != 1 || e.Unknown[0] != "guide of Guided on mock: no figures are published of it" {
		t.Errorf("estimate %+v", e)
	}
	if e := estimate(t, runtest.Small, "", config.Options{}); e.Cost == nil || *e.Cost != 0 || !lineOf(t, e, "agent", "clumsy").Scripted {
		t.Errorf("scripted models cost nothing: %+v", e)
	}
}

// TestEstimateByAnEarlierRun goes by a run of the same systems, whose sums must come out again for the same plan.
func TestEstimateByAnEarlierRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "earlier")
	s := runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	e := estimate(t, runtest.Small, dir, config.Options{})
	for _, role := range []string{"agent", "user"} {
		var calls, prompt float64
		for _, l := range e.Lines {
			if l.Role == role {
				calls, prompt = calls+l.Calls, prompt+l.Prompt
			}
		}
		if u := s.Usage[role]; !near(calls, float64(u.Calls)) || !near(prompt, float64(u.PromptTokens)) {
			t.Errorf("%s: %v calls, %v tokens; the run had %+v", role, calls, prompt, u)
		}
	}
	if len(e.Basis) != 2 || !strings.Contains(e.Basis[0], dir) || !strings.Contains(e.Basis[0], "synthetic") || !strings.Contains(e.Basis[1], "Table 14") {
		t.Errorf("basis %q", e.Basis)
	}
	// What the run does not have goes by the table.
	other := strings.Replace(runtest.Small, "name: ReAct", "name: Other", 1)
	if e := estimate(t, other, dir, config.Options{}); !near(lineOf(t, e, "agent", "clumsy").Calls, 6*11.9) {
		t.Errorf("estimate %+v", e)
	}
	if _, err := runs.NewEstimate(runtest.Resolve(t, runtest.Small, config.Options{}), filepath.Join(t.TempDir(), "none")); !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), "none") {
		t.Errorf("a run that is not there: %v", err)
	}
}

// TestEveryHelperIsEstimated has each kind of verifier beside the agent, with the agent's model and with its own.
func TestEveryHelperIsEstimated(t *testing.T) {
	t.Parallel()
	const text = "note: x\ntrials: 2\nmodels: {a: {model: gpt-4.1, key: x}, v: {model: gpt-4.1-mini, key: x}}\nuser: {model: a}\ndomains: [{name: airline}]\nsystems: [{name: S, SYSTEM}]\n"
	for _, tt := range []struct{ system, role, model string }{
		{"agent: policyguide, model: a", "guide", "a"},
		{"agent: policyguide-raw, model: a, params: {model: v}", "guide", "v"},
		{"agent: policyguard, model: a, params: {model: v}", "guard", "v"},
		{"agent: react, model: a, overlays: [policyguard]", "guard", "a"},
		{"agent: react, model: a, overlays: [{policyguard-raw: {}}, {policyguide: {model: v}}]", "guide", "v"},
		{"agent: policyguide, model: a, params: {verifier: deterministic}", "", ""},
		{"agent: toolguard, model: a", "", ""},
	} {
		e := estimate(t, strings.Replace(text, "SYSTEM", tt.system, 1), "", config.Options{})
		if e.Cost == nil || e.Unknown != nil || tt.role != "" && lineOf(t, e, tt.role, tt.model).Prompt == 0 || tt.role == "" && len(e.Lines) != 2 {
			t.Errorf("%s: %+v", tt.system, e)
		}
	}
}

func TestEstimateOfAResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Only: []string{"system=Noop"}})
	before := runtest.Snapshot(t, dir)
	if e := estimate(t, runtest.Small, "", config.Options{Out: dir, Resume: true}); e.Trials != 6 || e.Finished != 6 {
		t.Errorf("estimate %+v", e)
	}
	if after := runtest.Snapshot(t, dir); len(after) != len(before) {
		t.Error("estimating changed the run")
	}
	if e := estimate(t, runtest.Small, "", config.Options{Out: filepath.Join(t.TempDir(), "none"), Resume: true}); e.Trials != 12 {
		t.Errorf("estimate of a run that is not there yet: %+v", e)
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("estimating made folders: %v, %v", entries, err)
	}
}

// TestEstimateOfWhatIsLeft: a record without a verdict costs a question of the judge, a void trial says nothing of the
// others, and a folder that is no run is an error.
func TestEstimateOfWhatIsLeft(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, strings.Replace(runtest.Small, "judge: {model: careful}\n", "", 1), config.Options{Out: dir})
	wait := 0.0
	for _, x := range runtest.Open(t, dir).Index() {
		if x.Pending != "" {
			wait++
		}
	}
	e := estimate(t, runtest.Small, "", config.Options{Out: dir, Resume: true})
	if wait == 0 || wait == 12 || e.Trials != 0 || e.Finished != 12 || len(e.Lines) != 1 || lineOf(t, e, "judge", "careful").Calls != wait {
		t.Errorf("%v wait for the judge: %+v", wait, e)
	}

	one := estimate(t, runtest.Small, "", config.Options{Only: []string{"system=ReAct"}, Trials: 1})
	if n := lineOf(t, one, "judge", "careful").Calls; n != 1 {
		t.Errorf("%v questions of the judge for one of three tasks: %+v", n, one)
	}

	part := filepath.Join(t.TempDir(), "part")
	j := wrapped(t, runtest.Small, config.Options{Out: part, Only: []string{"system=ReAct"}}, func(setup agents.Setup, s sim.Participant) sim.Participant {
		if setup.Task.ID == "cancel-gift-card-order" {
			return sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) { panic("void") })
		}
		return s
	})
	if _, err := runs.Execute(t.Context(), j, runs.Options{}); err != nil {
		t.Fatal(err)
	}
	calls, trials := 0, 0
	for _, x := range runtest.Open(t, part).Index() {
		if x.Termination.Evaluable() {
			trials++
			for _, u := range x.Usage {
				if u.Role == "agent" {
					calls += u.Calls
				}
			}
		}
	}
	e = estimate(t, runtest.Small, part, config.Options{Only: []string{"system=ReAct"}})
	if want := 6 * float64(calls) / float64(trials); trials != 4 || !near(lineOf(t, e, "agent", "clumsy").Calls, want) {
		t.Errorf("%d trials ended well; estimate %+v, want %v calls", trials, e, want)
	}
}

// TestAffordable: what is estimated above its bound is refused, and the error says what allows it.
func TestAffordable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dollars, spent, maxCost, accepted float64
		want                              string // "" if it is allowed
	}{
		{dollars: 20},
		{dollars: 20.01, want: "20.01 dollars, which is more than the 20 dollars that a run may cost without limits.max_cost; nothing was begun\nhint: allow it with --accept-cost 21 or a limits.max_cost, or run less"},
		{dollars: 20.01, accepted: 20.01},
		{dollars: 20.01, accepted: 20, want: "which is more than the 20.00 of --accept-cost; nothing was begun\nhint: allow it with --accept-cost 21, or run less"},
		{dollars: 5, accepted: 1, want: "which is more than the 1.00 of --accept-cost"},
		{dollars: 1500, maxCost: 1500},
		{dollars: 5, maxCost: 4, want: "5.00 dollars, which is more than limits.max_cost of 4.00; nothing was begun\nhint: raise limits.max_cost, have it end there with --accept-cost 5, or run less"},
		{dollars: 5, maxCost: 4, accepted: 5},
		{dollars: 3, spent: 2, maxCost: 4, want: "3.00 dollars, with the 2.00 spent already, which is more than limits.max_cost of 4.00"},
		{dollars: 3, spent: 4, maxCost: 4, want: "nothing was begun\nhint: raise limits.max_cost, or run less"}, // with --accept-cost it would end at once
		{dollars: 3, spent: 200},
	} {
		e := runs.Estimate{KnownCost: tt.dollars, Spent: tt.spent}
		err := e.Affordable(config.Limits{Budget: config.Budget{MaxCost: tt.maxCost}}, tt.accepted)
		if tt.want == "" && err != nil || tt.want != "" && (!errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestEstimatedTimeIsLikeThePapers: at the rates that estimates go by, a conversation takes about as long as in Table 15.
func TestEstimatedTimeIsLikeThePapers(t *testing.T) {
	t.Parallel()
	paper, err := configs.Published()
	if err != nil {
		t.Fatal(err)
	}
	const text = "note: x\ntrials: 1\nmodels: {m: {model: gpt-5.4, key: x}}\nuser: {model: m}\ndomains: [{name: DOMAIN}]\nsystems: [{name: S, agent: AGENT, model: m}]\n"
	for _, domain := range []string{"airline", "retail", "telecom"} {
		for _, agent := range []string{"react", "policyguide"} {
			e := estimate(t, strings.NewReplacer("DOMAIN", domain, "AGENT", agent).Replace(text), "", config.Options{Limit: 1})
			want := paper["table15."+domain+"."+agent]
			if ratio := e.Seconds / want; ratio < 2.0/3 || ratio > 4.0/3 {
				t.Errorf("%s on %s: %.0f s, the paper has %.0f", agent, domain, e.Seconds, want)
			}
		}
	}
}

// TestReplaysCostNothing, whatever the price of the model that was recorded.
func TestReplaysCostNothing(t *testing.T) {
	t.Parallel()
	tapes := filepath.Join(t.TempDir(), "tapes")
	runtest.Execute(t, runtest.Small, config.Options{Cassette: "record:" + tapes, Out: filepath.Join(t.TempDir(), "run")})
	if e := estimate(t, priced, "", config.Options{Cassette: "replay:" + tapes}); e.Cost == nil || *e.Cost != 0 || e.Seconds != 0 || lineOf(t, e, "user", "known").Calls == 0 {
		t.Errorf("estimate %+v", e)
	}
}
