package nmr

import "github.com/tauguide/tauguide/metrics"

// Trace is the audit of one trial's conversation.
type Trace struct {
	Domain, System, Task string
	Trial                int
	Mut                  bool
	State                metrics.State
	Calls                []Call // successfully executed mutations of the agent's, in order
}

// Figure is a near-miss rate with what it was computed from. Rate.Value is a share in [0, 1]; it is undefined, with the
// reason, where no passing Mut trajectory has a mutation.
type Figure struct {
	Rate         metrics.Estimate // Tasks is the number of tasks among the passing Mut trajectories
	Missing      int              // mutations that lack at least one read
	Mutations    int              // successfully executed mutations
	Trajectories int              // passing Mut trajectories
}

// Rate is Call-NMR over traces, which are one system's on one domain (paper, Appendix F): of the successfully executed
// mutations in passing Mut trajectories the share that lacks at least one required earlier read. Traces that are no
// Success or not Mut do not count.
func Rate(all []Trace) Figure {
	var f Figure
	tasks := map[string]bool{}
	for _, t := range all {
		if t.State != metrics.Success || !t.Mut {
			continue
		}
		f.Trajectories++
		tasks[t.Task] = true
		for _, c := range t.Calls {
			f.Mutations++
			if len(c.Missing) > 0 {
				f.Missing++
			}
		}
	}
	f.Rate.Tasks = len(tasks)
	switch {
	case f.Trajectories == 0:
		f.Rate.Reason = "no passing trajectory of a Mut task"
	case f.Mutations == 0:
		f.Rate.Reason = "no mutation was executed in the passing trajectories of Mut tasks"
	default:
		f.Rate.Defined, f.Rate.Value = true, float64(f.Missing)/float64(f.Mutations)
	}
	return f
}
