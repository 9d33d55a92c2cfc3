package runs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/runs"
)

// TestEveryRoleIsEstimated prepares every agent and every overlay on every domain: each role that the system asks a model
// in is in the estimate, or named as unknown.
func TestEveryRoleIsEstimated(t *testing.T) {
	t.Parallel()
	systems := map[string]string{}
	for _, a := range agents.All() {
		if a.Model {
			systems[a.Name] = "agent: " + a.Name + ", model: a"
		}
		if a.Models != nil {
			systems[a.Name+" by another"] = "agent: " + a.Name + ", model: a, params: {model: v}"
		}
	}
	for _, o := range agents.Overlays() {
		systems["react in "+o.Name] = "agent: react, model: a, overlays: [" + o.Name + "]"
		systems["noop in "+o.Name] = "agent: noop, model: a, overlays: [" + o.Name + "]"
	}
	systems["both"] = "agent: react, model: a, overlays: [{policyguide: {model: a}}, {policyguard: {model: v}}]"
	systems["both, the other way"] = "agent: react, model: a, overlays: [{policyguard: {model: v}}, {policyguide: {}}]"
	for _, domain := range []string{"airline", "retail", "telecom", "mock"} {
		for name, system := range systems {
			text := "note: x\ntrials: 2\nmodels: {a: {model: gpt-4.1, key: x}, v: {model: gpt-4.1-mini, key: x}, u: {model: gpt-4.1, key: x}}\nuser: {model: u}\njudge: {model: u}\n" +
				"domains: [{name: " + domain + "}]\nsystems: [{name: S, " + system + "}]\n"
			c, err := runs.Parse("x.yaml", []byte(text), noEnv)
			if err != nil {
				t.Fatal(err)
			}
			j, err := runs.Prepare(c, runs.Options{Out: filepath.Join(t.TempDir(), "run")})
			if err != nil {
				if strings.Contains(err.Error(), "model") || strings.Contains(name, "noop in") || strings.Contains(err.Error(), domain) {
					continue // cannot be run
				}
				t.Fatalf("%s on %s: %v", name, domain, err)
			}
			e, err := j.Estimate("")
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"user": "u"}
			if !strings.Contains(system, "noop") {
				want["agent"] = "a"
			}
			other := "a"
			if strings.Contains(system, "model: v") {
				other = "v"
			}
			if strings.Contains(system, "policyguard") {
				want["guard"] = other
			}
			if strings.Contains(system, "policyguide") && !strings.Contains(system, "policyguide-self") {
				want["guide"] = other
				if strings.HasPrefix(name, "both") {
					want["guide"] = "a"
				}
			}
			for role, model := range want {
				i := slices.IndexFunc(e.Lines, func(l runs.EstimateOf) bool { return l.Role == role })
				unknown := slices.ContainsFunc(e.Unknown, func(s string) bool { return strings.HasPrefix(s, role+" of S on "+domain+": ") })
				if i < 0 && !unknown || i >= 0 && (unknown || e.Lines[i].Model != model || e.Lines[i].Calls <= 0 || e.Lines[i].Prompt <= 0 || e.Lines[i].Completion <= 0 || e.Lines[i].Cost == nil) {
					t.Errorf("%s on %s: %s by %s: %+v, unknown %q", name, domain, role, model, e.Lines, e.Unknown)
				}
			}
			for _, l := range e.Lines {
				if l.Role != "judge" && want[l.Role] == "" {
					t.Errorf("%s on %s: nobody asks in the role %s", name, domain, l.Role)
				}
			}
		}
	}
}

// TestGuardByDefault checks the figures of PolicyGuard's verifier against its prompts.
func TestGuardByDefault(t *testing.T) {
	t.Parallel()
	text := strings.Replace(priced, "agent: policyguide, model: known}", "agent: policyguard, model: known}", 1)
	j := prepare(t, text, runs.Options{Out: filepath.Join(t.TempDir(), "run"), Only: []string{"system=Guided"}})
	e, err := j.Estimate("")
	if err != nil {
		t.Fatal(err)
	}
	set, err := checklist.For(j.Worlds["retail"], "")
	if err != nil {
		t.Fatal(err)
	}
	guard, err := checklist.NewGuard(j.Worlds["retail"], set)
	if err != nil {
		t.Fatal(err)
	}
	var calls, least float64
	for _, p := range j.Plan {
		task, _ := j.Worlds["retail"].Task(p.Task)
		for _, a := range task.Criteria.Actions {
			if prompt, guarded := guard.Prefix(a.Name); guarded {
				calls, least = calls+1.5, least+1.5*float64(len(prompt))/4
			}
		}
	}
	l := lineOf(t, e, "guard", "known")
	if calls != 6 || !near(l.Calls, calls) || l.Prompt < least+500*calls || l.Prompt > least+5096*calls || !near(l.Completion, 300*calls) || e.Cost == nil {
		t.Errorf("%v calls, at least %v tokens: %+v", calls, least, l)
	}
	if len(e.Basis) != 2 || !strings.Contains(e.Basis[1], "no figures are published") {
		t.Errorf("basis %q", e.Basis)
	}
	short := strings.Replace(text, "agent: policyguard, model: known}", "agent: policyguard, model: known, params: {policy: false}}", 1)
	e, err = prepare(t, short, runs.Options{Out: filepath.Join(t.TempDir(), "run"), Only: []string{"system=Guided"}}).Estimate("")
	if err != nil {
		t.Fatal(err)
	}
	if without := lineOf(t, e, "guard", "known"); !near(without.Calls, calls) || without.Prompt > l.Prompt-calls*float64(len(j.Worlds["retail"].Policy))/5 {
		t.Errorf("without the policy %+v, with it %+v", without, l)
	}
}

// TestEstimateTakesOnlyRunsThatMatch puts runs that differ beside the job's folder.
func TestEstimateTakesOnlyRunsThatMatch(t *testing.T) {
	t.Parallel()
	results := t.TempDir()
	dir := filepath.Join(results, "earlier")
	execute(t, small, runs.Options{Out: dir, Trials: 1})
	table := "means of recorded"
	swap := func(old, with string) string { return strings.Replace(small, old, with, 1) }
	other := filepath.Join(results, "other")
	for _, c := range []struct {
		name, text, like string
		o                runs.Options
		want             []string // a part of each basis
	}{
		{"the same", small, "", runs.Options{}, []string{"the conversations of " + dir + " (synthetic"}},
		{"another name", swap("name: Noop", "name: Nobody"), "", runs.Options{}, []string{dir}},
		{"more trials and fewer tasks", swap("cancel-one-return-one, ", ""), "", runs.Options{Trials: 5}, []string{dir}},
		{"a model under another name", strings.ReplaceAll(small, "careful", "prudent"), "", runs.Options{}, []string{table}},
		{"under another name, the same for the endpoint", strings.ReplaceAll(strings.Replace(small, "careful: {", "careful: {model: careful, ", 1), "careful", "prudent"), "", runs.Options{}, []string{table}},
		{"another user", strings.Replace(small, "user: {model: careful}", "user: {model: clumsy}", 1), "", runs.Options{}, []string{table}},
		{"an answer's length", swap("careful: {", "careful: {max_tokens: 50, "), "", runs.Options{}, []string{table}},
		{"other parameters", swap("agent: react, model: clumsy", "agent: policyguide, model: clumsy, params: {verifier: deterministic}"), "", runs.Options{}, []string{table, dir + " (synthetic: scripted models, which say nothing of real ones) for Noop on retail"}},
		{"another agent of one system", swap("agent: react, model: clumsy", "agent: react, model: careful"), "", runs.Options{}, []string{table, "for Noop on retail"}},
		{"another domain", swap("retail, tasks: [cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]", "airline"), "", runs.Options{Limit: 1}, []string{table}},
		{"another user's intent", swap("user: {model: careful}", "user: {model: careful, attack: naive}") + "", "", runs.Options{}, nil},
		{"named, with another agent's model", swap("agent: react, model: clumsy", "agent: react, model: careful"), dir, runs.Options{}, []string{"for ReAct on retail"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == nil {
				c.text = strings.Replace(c.text, ", tasks: [cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]", "", 1)
				c.want = []string{table}
				c.o.Limit = 1
			}
			c.o.Out = other
			e := estimate(t, c.text, c.like, c.o)
			all := strings.Join(e.Basis, "\n")
			for _, want := range c.want {
				if !strings.Contains(all, want) {
					t.Errorf("basis %q, want %q", e.Basis, want)
				}
			}
			if !slices.ContainsFunc(c.want, func(s string) bool { return strings.Contains(s, dir) || strings.Contains(s, "for ") }) && strings.Contains(all, dir) {
				t.Errorf("basis %q: the run does not match", e.Basis)
			}
			if c.like != "" && !strings.Contains(all, "which had other models: agent clumsy (scripted), now careful (scripted)") {
				t.Errorf("basis %q does not say that the models differ", e.Basis)
			}
		})
	}
	newer := filepath.Join(results, "newer")
	execute(t, small, runs.Options{Out: newer, Only: []string{"system=Noop"}})
	e := estimate(t, small, "", runs.Options{Out: other})
	if all := strings.Join(e.Basis, "\n"); len(e.Basis) == 2 && (!strings.Contains(all, dir) || !strings.Contains(all, newer)) || len(e.Basis) > 2 {
		t.Errorf("basis %q", e.Basis)
	}
	if e := estimate(t, small, "", runs.Options{Out: newer}); len(e.Basis) != 2 || !strings.Contains(e.Basis[0], newer) || !strings.Contains(e.Basis[1], dir) {
		t.Errorf("the folder itself comes first: basis %q", e.Basis)
	}
}
