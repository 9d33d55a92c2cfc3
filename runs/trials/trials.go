// Package trials lists the trials of a run: how each came out, and those that a reader asks for.
package trials

import (
	"cmp"
	"slices"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// Outcome is what a list calls the state of a trial.
type Outcome string

// The outcomes. A trial without a record waits; in figures it counts as void, as it does in tables.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Void    Outcome = "void"
	Pending Outcome = "pending"
	Waiting Outcome = "waiting"
)

// Mark is a sign for an outcome that can be told without colours.
func (o Outcome) Mark() string {
	signs := map[Outcome]string{Passed: "✓", Failed: "✗", Pending: "?", Void: "∅"}
	return cmp.Or(signs[o], "·")
}

// OutcomeOf is the outcome of an attempt.
func OutcomeOf(e store.Entry) Outcome {
	switch {
	case !e.Termination.Evaluable():
		return Void
	case e.Reward == nil:
		return Pending
	case sim.Success(*e.Reward):
		return Passed
	}
	return Failed
}

// Filter chooses trials of a run. The zero value chooses all; conditions that are given must all hold.
type Filter struct {
	Only        []string // key=value[,value], as for a run
	Passed      bool
	Failed      bool
	Faults      bool // something outside of the agent broke, or the trial is void
	Intercepted bool // a guide or a guard stopped a message; reads the records
}

// Line is a trial in a list.
type Line struct {
	config.Planned
	Outcome  Outcome    `json:"outcome"`
	Ending   sim.Reason `json:"termination_reason,omitempty"`
	Steps    int        `json:"steps"`
	Attempts int        `json:"attempts"`
	Why      string     `json:"why,omitempty"` // what broke, or what the score lacks
}

// List lists the trials of a run that a filter chooses: the tasks and systems in the order of the plan, each with its trials.
func List(r *store.Run, f Filter) ([]Line, error) {
	plan, err := config.Narrow(r.Plan(), r.Manifest().Config, f.Only)
	if err != nil {
		return nil, err
	}
	attempts := map[sim.Key]int{}
	for e := range r.Entries() {
		attempts[e.Key]++
	}
	out := []Line{}
	for _, p := range plan {
		l := Line{Planned: p, Outcome: Waiting, Attempts: attempts[p.Key]}
		e, ran := r.Counting(p.Key)
		if ran {
			l.Outcome, l.Ending, l.Steps, l.Why = OutcomeOf(e), e.Termination, e.Steps, cmp.Or(e.Fault, e.Pending)
		}
		if f.Passed && l.Outcome != Passed || f.Failed && l.Outcome != Failed || f.Faults && e.Fault == "" && l.Outcome != Void {
			continue
		}
		if f.Intercepted {
			stopped, err := intercepted(r, e, ran)
			if err != nil {
				return nil, err
			}
			if !stopped {
				continue
			}
		}
		out = append(out, l)
	}
	type group struct{ domain, system, task string }
	rank := map[group]int{}
	of := func(l Line) group { return group{l.Domain, l.System, l.Task} }
	for _, l := range out {
		if _, ok := rank[of(l)]; !ok {
			rank[of(l)] = len(rank)
		}
	}
	slices.SortStableFunc(out, func(a, b Line) int { return rank[of(a)] - rank[of(b)] })
	return out, nil
}

// intercepted reports whether a message of the agent's was stopped in an attempt.
func intercepted(r *store.Run, e store.Entry, ran bool) (bool, error) {
	if !ran {
		return false, nil
	}
	rec, err := r.Attempt(e.Ref)
	return slices.ContainsFunc(rec.Events, func(e sim.Event) bool { return transcript.Stopped(e.Kind) }), err
}
