package rubric

import "github.com/tauguide/tauguide/metrics"

// Trace is one planned trial with what the rubric says about its conversation.
type Trace struct {
	metrics.Outcome
	Applicable int // checks that apply
	Satisfied  int // of these
}

// TraceOf makes the Trace of a trial of its outcome and its verdict; a trial that is not usable needs no verdict.
func TraceOf(o metrics.Outcome, v Verdict) Trace {
	a, s := v.Count()
	return Trace{o, a, s}
}

// Figures are the trace compliance of a system on a domain, each a metrics.Share over tasks. An undefined one says why.
type Figures struct {
	StepTCR      metrics.Estimate // satisfied of applicable checks, over all passing traces together
	TraceTCR     metrics.Estimate // share of passing traces that satisfy every applicable check
	ProcessValid metrics.Estimate // share of all task-run pairs that pass both outcome and rubric

	Passing   int // traces whose outcome is a success
	Valid     int // of these with every applicable check satisfied
	Unchecked int // of the valid ones those to which no check applies
	Pairs     int // usable task-run pairs
	Void      int // trials that never ran or wait for a judge: no pairs
}

// Compliance computes the figures of docs/reference/metrics.md#trace-rubric. A trace to which no check applies counts
// as one that satisfies all, as a conjunction over nothing does, and is counted in Unchecked. Where no check applies
// to any passing trace, as in solo mode, the rubric has judged nothing and all three figures are undefined.
func Compliance(all []Trace) Figures {
	var f Figures
	steps, traces, pairs := metrics.Parts{}, metrics.Parts{}, metrics.Parts{}
	for _, t := range all {
		switch t.State {
		case metrics.Void, metrics.Pending:
			f.Void++
			continue
		case metrics.Success:
			f.Passing++
			steps.Add(t.Task, float64(t.Satisfied), float64(t.Applicable))
			valid := 0
			if t.Applicable == t.Satisfied {
				valid = 1
			}
			f.Valid += valid
			traces.Add(t.Task, float64(valid), 1)
			pairs.Add(t.Task, float64(valid), 0)
			if t.Applicable == 0 {
				f.Unchecked++
			}
		}
		f.Pairs++
		pairs.Add(t.Task, 0, 1)
	}
	if f.Passing > 0 && f.Unchecked == f.Passing {
		nothing := metrics.Share(nil, "no check applies to the passing traces")
		f.StepTCR, f.TraceTCR, f.ProcessValid = nothing, nothing, nothing
		return f
	}
	f.StepTCR = metrics.Share(steps, "no trace passes")
	f.TraceTCR = metrics.Share(traces, "no trace passes")
	f.ProcessValid = metrics.Share(pairs, "no trial could be used")
	return f
}
