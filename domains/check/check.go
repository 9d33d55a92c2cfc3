// Package check examines a domain's data: what its splits hold, whether every gold plan can be carried out, and what in
// tasks and policy would make figures mean something else than they say.
package check

import (
	"fmt"

	"github.com/tauguide/tauguide/domains"
)

// Report is what was found in one world.
type Report struct {
	Domain  string        `json:"domain"`
	Splits  []SplitReport `json:"splits"`
	Actions int           `json:"gold_actions"`
	Failing []Failure     `json:"failing_gold_actions"`
	Broken  []Broken      `json:"broken_tasks"`
	// Unreached are assertions that the gold plan alone does not bring about: the task counts on more than its plan.
	Unreached []Broken `json:"assertions_not_reached_by_gold"`
	Lints     []Lint   `json:"lints"`
}

// SplitReport counts the tasks of a split: PV tasks ask for what the policy forbids or need no change, Mut tasks need one.
type SplitReport struct {
	Name    string   `json:"split"`
	Tasks   int      `json:"tasks"`
	PV      int      `json:"pv"`
	Mut     int      `json:"mut"`
	Missing []string `json:"missing,omitempty"` // ids that the task file does not have
}

// Failure is a gold action that errs when its plan is replayed.
type Failure struct {
	Task   string `json:"task"`
	Action int    `json:"action"` // position in the plan, from 0
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Error  string `json:"error"`
}

// Broken is a task that cannot even start, or whose assertions cannot be evaluated.
type Broken struct {
	Task  string `json:"task"`
	Error string `json:"error"`
}

// World replays the gold plan of every task as the evaluator does, and counts the splits.
func World(w *domains.World) Report {
	r := Report{Domain: w.Name, Failing: []Failure{}, Broken: []Broken{}, Unreached: []Broken{}}
	for _, name := range w.Splits.Names() {
		r.Splits = append(r.Splits, split(w, name))
	}
	for i := range w.Tasks {
		if err := r.replay(w, &w.Tasks[i]); err != nil {
			r.Broken = append(r.Broken, Broken{Task: w.Tasks[i].ID, Error: err.Error()})
		}
	}
	r.Lints = append([]Lint{}, lints(w)...)
	broken, err := violations(w)
	if err != nil {
		broken = []Lint{{Kind: LintRecord, Field: "invariants.yaml", Why: err.Error()}}
	}
	r.Lints = append(r.Lints, broken...)
	return r
}

func split(w *domains.World, name string) SplitReport {
	s := SplitReport{Name: name}
	for _, id := range w.Splits[name] {
		t, ok := w.Task(id)
		switch {
		case !ok:
			s.Missing = append(s.Missing, id)
		case t.Mutating(w):
			s.Mut++
		default:
			s.PV++
		}
	}
	s.Tasks = s.PV + s.Mut
	return s
}

// replay runs a gold plan in an environment of its own, then its assertions in one that syncs after each action, as
// a conversation would.
func (r *Report) replay(w *domains.World, t *domains.Task) error {
	env, err := start(w, t)
	if err != nil {
		return err
	}
	if t.Criteria == nil {
		return nil
	}
	for i, a := range t.Criteria.Actions {
		r.Actions++
		res := env.Call(a.Requestor, a.Call())
		if res.Error {
			r.Failing = append(r.Failing, Failure{Task: t.ID, Action: i, Name: a.Name, Kind: kind(w, a.Name), Error: res.Content})
		}
	}
	for i, a := range t.Criteria.EnvAssertions {
		ok, err := env.Check(a)
		if err != nil {
			return fmt.Errorf("env_assertions[%d] %s: %w", i, a.Func, err)
		}
		if !ok {
			r.Unreached = append(r.Unreached, Broken{Task: t.ID, Error: fmt.Sprintf("env_assertions[%d] %s", i, a.Func)})
		}
	}
	return nil
}

// start opens the environment that a gold plan begins in.
func start(w *domains.World, t *domains.Task) (*domains.Env, error) {
	env, err := w.NewGold(t)
	if err != nil {
		return nil, err
	}
	if t.InitialState != nil {
		if _, err := env.Replay(t.InitialState.History, true); err != nil {
			return nil, fmt.Errorf("message_history: %w", err)
		}
	}
	return env, nil
}

func kind(w *domains.World, name string) string {
	for _, k := range []*domains.Kit{w.Agent, w.User} {
		if t, ok := k.Tool(name); ok {
			return string(t.Kind)
		}
	}
	return "unknown tool"
}
