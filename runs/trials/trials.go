// Package trials lists the trials of a run: how each came out, and those that a reader asks for, by what lists say of them
// and by what was said in them.
package trials

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
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

// Outcomes are all that there are, in the order in which they are counted.
func Outcomes() []Outcome { return []Outcome{Passed, Failed, Void, Pending, Waiting} }

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

// Line is a trial in a list. What is of an attempt is of the one that counts.
type Line struct {
	config.Planned
	Outcome  Outcome    `json:"outcome"`
	Ending   sim.Reason `json:"termination_reason,omitempty"`
	Reward   *float64   `json:"reward"`
	Steps    int        `json:"steps"`
	Cost     *float64   `json:"cost"`   // dollars; null if unknown
	Tokens   *int64     `json:"tokens"` // likewise
	Seconds  float64    `json:"seconds"`
	Attempts int        `json:"attempts"`
	Why      string     `json:"why,omitempty"` // what broke, or what the score lacks

	Slice metrics.Slice `json:"-"` // "" of a trial that is not planned
	Fault string        `json:"-"`
	// Troubles are what went wrong with models, whatever came of the trial.
	Troubles []string `json:"-"`
	Attempt  int      `json:"-"`
	Foreign  bool     `json:"-"` // not planned: imported files bring such
	sha256   string   // of the record; "" of a trial that has not run
}

// Ran reports whether there is a record.
func (l *Line) Ran() bool { return l.sha256 != "" }

func (l *Line) ref() store.Ref { return store.Ref{Key: l.Key, Attempt: l.Attempt} }

// All lists the trials of a run: domains, their tasks, and systems each in the order of the plan.
func All(r *store.Run) []Line {
	attempts := map[sim.Key]int{}
	for e := range r.Entries() {
		attempts[e.Key]++
	}
	plan, ran := r.Plan(), 0
	out := make([]Line, 0, len(plan))
	for _, p := range plan {
		l := line(r, p)
		if l.Slice = (metrics.Outcome{Mut: p.Mut, Unclassified: p.Unclassified}).Slice(); l.Ran() {
			ran++
		}
		out = append(out, l)
	}
	if ran < r.Trials() {
		for _, e := range r.Index()[ran:] {
			l := line(r, config.Planned{Key: e.Key, Seed: e.Seed})
			l.Foreign, l.Why = true, cmp.Or(l.Why, "not planned")
			out = append(out, l)
		}
	}
	ranks := [3]map[string]int{{}, {}, {}}
	for i := range out {
		l := &out[i]
		l.Attempts = attempts[l.Key]
		for k, name := range [3]string{l.Domain, l.Task, l.System} {
			if _, ok := ranks[k][name]; !ok {
				ranks[k][name] = len(ranks[k])
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Line) int {
		return cmp.Or(ranks[0][a.Domain]-ranks[0][b.Domain], ranks[1][a.Task]-ranks[1][b.Task], ranks[2][a.System]-ranks[2][b.System], a.Trial-b.Trial)
	})
	return out
}

// OfTask are the trials of the task of which one is at a place of lines that are in the order of All.
func OfTask(lines []Line, at int) []Line {
	from, to := at, at
	same := func(i int) bool { return lines[i].Domain == lines[at].Domain && lines[i].Task == lines[at].Task }
	for from > 0 && same(from-1) {
		from--
	}
	for to < len(lines) && same(to) {
		to++
	}
	return lines[from:to:to]
}

func line(r *store.Run, p config.Planned) Line {
	l := Line{Planned: p, Outcome: Waiting}
	if e, ok := r.Counting(p.Key); ok {
		l.Outcome, l.Ending, l.Reward, l.Steps, l.Cost, l.Tokens, l.Seconds = OutcomeOf(e), e.Termination, e.Reward, e.Steps, e.Cost, e.Tokens, e.Seconds
		l.Why, l.Fault, l.Attempt, l.sha256, l.Troubles = cmp.Or(e.Fault, e.Pending), e.Fault, e.Attempt, e.SHA256, troubles(e)
	}
	return l
}

// troubles says of which roles answers were not what was asked for, or did not come, and whether a verifier could not be used.
func troubles(e store.Entry) (out []string) {
	if e.Oversight != nil && e.Oversight.Failed > 0 {
		out = append(out, "verifier failed open")
	}
	for _, u := range e.Usage {
		if u.Failed > 0 {
			out = append(out, u.Role+": failed")
		}
		for _, s := range u.Slips() {
			what, _, _ := strings.Cut(s.What, ",")
			out = append(out, u.Role+": "+what)
		}
	}
	return out
}
