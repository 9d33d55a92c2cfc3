package runs

import (
	"slices"
	"strings"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// summary counts the run as it is on disk.
func (x *execution) summary() *Summary {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := &Summary{Dir: x.plan.Dir, Name: x.plan.Config.Name, Synthetic: x.plan.Synthetic(), Planned: len(x.writer.Plan),
		Terminations: map[sim.Reason]int{}, Executed: x.executed, Stopped: strings.Join(x.stopped, "; "),
		Warnings: x.progress.Warnings, Elapsed: time.Since(x.started), Usage: x.meter.Snapshot()}
	entries := x.writer.Entries()
	counting := store.Latest(entries)
	s.Causes = causes(entries, counting, x.examples)
	s.Oversight = watched(x.writer.Plan, counting)
	s.Answers = slipped(x.writer.Plan, counting)
	for _, p := range x.writer.Plan {
		e, ran := counting[p.Key]
		if !ran {
			s.Missing++
			continue
		}
		s.Terminations[e.Termination]++
		if capped(x.plan, e) {
			s.OverBudget++
		}
		if e.Termination.Evaluable() {
			s.Evaluable++
			if e.Reward == nil {
				s.Pending++
				if x.plan.Config.Judge.Model == "" && x.plan.NeedsJudge(p.Key) {
					s.NeedsJudge++
				}
			}
		}
	}
	return s
}

// watched sums up by system, in the order of the plan.
func watched(plan []config.Planned, counting map[sim.Key]store.Entry) (out []Watched) {
	for _, p := range plan {
		o := counting[p.Key].Oversight
		if o == nil {
			continue
		}
		i := slices.IndexFunc(out, func(w Watched) bool { return w.System == p.System })
		if i < 0 {
			i = len(out)
			out = append(out, Watched{System: p.System})
		}
		out[i].Oversight = out[i].Plus(*o)
	}
	return out
}

// slipped sums up the roles of each system whose answers slipped or whose failed calls cost something.
func slipped(plan []config.Planned, counting map[sim.Key]store.Entry) (out []Answers) {
	for _, p := range plan {
		for _, u := range counting[p.Key].Usage {
			i := slices.IndexFunc(out, func(a Answers) bool { return a.System == p.System && a.Role == u.Role })
			if i < 0 {
				i = len(out)
				out = append(out, Answers{System: p.System, Role: u.Role})
			}
			out[i].Add(u.Usage)
		}
	}
	return slices.DeleteFunc(out, func(a Answers) bool {
		return len(a.Slips()) == 0 && a.FailedPrompt+a.FailedCompletion == 0 && a.FailedCost == 0
	})
}

// Cause is why attempts at trials were void.
type Cause struct {
	Reason   sim.Reason `json:"reason"`
	Fault    string     `json:"fault,omitempty"` // kind of the fault
	Attempts int        `json:"attempts"`        // that ended so, those that were made up for included
	Trials   int        `json:"trials"`          // that these attempts were made at
	Void     int        `json:"void"`            // of these trials, how many have no attempt that counts
	Example  string     `json:"example,omitempty"`
}

// causes sums up the void attempts, the most frequent cause first.
func causes(entries map[store.Ref]store.Entry, counting map[sim.Key]store.Entry, examples map[string]string) []Cause {
	type id struct {
		reason sim.Reason
		fault  string
	}
	sums, trials := map[id]*Cause{}, map[id]map[sim.Key]bool{}
	for _, e := range entries {
		if e.Termination.Evaluable() {
			continue
		}
		k := id{e.Termination, e.Fault}
		if sums[k] == nil {
			sums[k], trials[k] = &Cause{Reason: e.Termination, Fault: e.Fault, Example: examples[e.Fault]}, map[sim.Key]bool{}
		}
		sums[k].Attempts++
		if !trials[k][e.Key] {
			trials[k][e.Key] = true
			sums[k].Trials++
			if !counting[e.Key].Termination.Evaluable() {
				sums[k].Void++
			}
		}
	}
	out := make([]Cause, 0, len(sums))
	for _, c := range sums {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Cause) int {
		if a.Attempts != b.Attempts {
			return b.Attempts - a.Attempts
		}
		return strings.Compare(string(a.Reason)+a.Fault, string(b.Reason)+b.Fault)
	})
	return out
}
