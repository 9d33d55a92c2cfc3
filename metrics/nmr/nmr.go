// Package nmr computes the call-level near-miss rate, Call-NMR (docs/reference/metrics.md#call-nmr; paper, Appendix
// F): of the mutations that an agent carried out in passing conversations, how many were made without a read that a
// guard of the tool depends on. A table per domain (data/*.yaml) says which reads a tool needs and when a read is
// about the same record. The audit looks at the conversation alone: it opens no database and asks no model.
//
// What a user claims is never a read, and neither is a call that failed or whose result came only after the mutation
// began. A mutation that failed or was blocked is not counted.
package nmr

import "github.com/tauguide/tauguide/metrics"

// Call is a successfully executed mutation of the agent's.
type Call struct {
	Tool    string
	Index   int    // of the message that asks for it, from 0
	Missing []Need // reads that it lacks, in the order of the table; empty for a call without a near miss
}

// Need is a required read that is missing, in words.
type Need struct {
	ID   string // of the table, such as "user" or "flight"
	What string // with the record it is about, such as "status of flight HAT001 on 2024-05-20"
}

// Trace is the audit of one trial's conversation.
type Trace struct {
	metrics.Outcome
	Calls []Call // successfully executed mutations of the agent's, in order
}

// Figure is a near-miss rate with what it was computed from. Rate.Value is a share in [0, 1]; it is undefined, with the
// reason, where no passing Mut trajectory has a mutation.
type Figure struct {
	Rate         metrics.Estimate // over the tasks that have mutations in passing trajectories
	Missing      int              // mutations that lack at least one read
	Mutations    int              // successfully executed mutations
	Trajectories int              // passing Mut trajectories
}

// Rate is Call-NMR over traces, which are one system's on one domain (paper, Appendix F): of the successfully executed
// mutations in passing Mut trajectories the share that lacks at least one required earlier read, as a metrics.Share over
// tasks. Traces that are no Success or not Mut do not count.
func Rate(all []Trace) Figure {
	var f Figure
	calls, why := metrics.Parts{}, "no passing trajectory of a Mut task"
	for _, t := range all {
		if t.State != metrics.Success || !t.Mut {
			continue
		}
		f.Trajectories++
		why = "no mutation was executed in the passing trajectories of Mut tasks"
		for _, c := range t.Calls {
			f.Mutations++
			lacking := 0
			if len(c.Missing) > 0 {
				lacking = 1
			}
			f.Missing += lacking
			calls.Add(t.Task, float64(lacking), 1)
		}
	}
	f.Rate = metrics.Share(calls, why)
	return f
}
