package rubric_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/rubric"
)

func defined(v float64, tasks int) metrics.Estimate {
	return metrics.Estimate{Value: v, Defined: true, Tasks: tasks}
}

func undefined(reason string, tasks int) metrics.Estimate {
	return metrics.Estimate{Reason: reason, Tasks: tasks}
}

func TestCompliance(t *testing.T) {
	trial := func(task string, s metrics.State, applicable, satisfied int) rubric.Trace {
		return rubric.Trace{Outcome: metrics.Outcome{Task: task, State: s}, Applicable: applicable, Satisfied: satisfied}
	}
	for _, tt := range []struct {
		name   string
		traces []rubric.Trace
		want   rubric.Figures
	}{
		{"nothing", nil, rubric.Figures{StepTCR: undefined("no trace passes", 0), TraceTCR: undefined("no trace passes", 0),
			ProcessValid: undefined("no trial could be used", 0)}},
		{"no pass", []rubric.Trace{trial("1", metrics.Failure, 4, 4)}, rubric.Figures{StepTCR: undefined("no trace passes", 0),
			TraceTCR: undefined("no trace passes", 0), ProcessValid: defined(0, 1), Pairs: 1}},
		{"void and pending are no pairs", []rubric.Trace{trial("1", metrics.Void, 4, 4), trial("2", metrics.Pending, 4, 4)},
			rubric.Figures{StepTCR: undefined("no trace passes", 0), TraceTCR: undefined("no trace passes", 0),
				ProcessValid: undefined("no trial could be used", 0), Void: 2}},
		{"nothing applies", []rubric.Trace{trial("1", metrics.Success, 0, 0)}, rubric.Figures{
			StepTCR: undefined("no check applies to the passing traces", 0), TraceTCR: undefined("no check applies to the passing traces", 0),
			ProcessValid: undefined("no check applies to the passing traces", 0), Passing: 1, Valid: 1, Unchecked: 1, Pairs: 1}},
		{"nothing applies to one of them", []rubric.Trace{trial("1", metrics.Success, 0, 0), trial("2", metrics.Success, 4, 2), trial("2", metrics.Failure, 0, 0)},
			rubric.Figures{StepTCR: defined(0.5, 1), TraceTCR: defined(0.5, 2), ProcessValid: defined(1.0/3, 2), Passing: 2, Valid: 1, Unchecked: 1, Pairs: 3}},
		{"a failing trace counts for process-valid only", []rubric.Trace{trial("1", metrics.Success, 4, 4), trial("1", metrics.Success, 6, 3),
			trial("2", metrics.Failure, 5, 5), trial("3", metrics.Success, 2, 2)},
			rubric.Figures{StepTCR: defined(9.0/12, 2), TraceTCR: defined(2.0/3, 2), ProcessValid: defined(2.0/4, 3), Passing: 3, Valid: 2, Pairs: 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, rubric.Compliance(tt.traces), cmpopts.IgnoreFields(metrics.Estimate{}, "Interval")); d != "" {
				t.Error(d)
			}
		})
	}
}

// Figures are shares or say why they are none; the order of the traces does not matter; process-valid is never above
// Trace-TCR or the pass rate.
func TestComplianceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		traces := rapid.SliceOf(rapid.Custom(func(t *rapid.T) rubric.Trace {
			n := rapid.IntRange(0, 5).Draw(t, "applicable")
			return rubric.Trace{Applicable: n, Satisfied: rapid.IntRange(0, n).Draw(t, "satisfied"), Outcome: metrics.Outcome{
				Task:  rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "task"),
				State: rapid.SampledFrom([]metrics.State{metrics.Failure, metrics.Success, metrics.Void, metrics.Pending}).Draw(t, "state")}}
		})).Draw(t, "traces")
		f := rubric.Compliance(traces)
		for _, e := range []metrics.Estimate{f.StepTCR, f.TraceTCR, f.ProcessValid} {
			if e.Defined == (e.Reason != "") || math.IsNaN(e.Value) || e.Value < 0 || e.Value > 1 || !e.Defined && e.Value != 0 {
				t.Fatalf("%+v", e)
			}
			if i := e.Interval; i.Defined != (e.Tasks > 1) || i.Defined && (i.Lo < 0 || i.Hi > 1 || i.Lo > e.Value || i.Hi < e.Value) {
				t.Fatalf("%+v", e)
			}
		}
		if f.Pairs+f.Void != len(traces) || f.Valid > f.Passing || f.Passing > f.Pairs || f.TraceTCR.Defined && f.ProcessValid.Value > f.TraceTCR.Value+1e-12 {
			t.Fatalf("%+v", f)
		}
		if d := cmp.Diff(f, rubric.Compliance(rapid.Permutation(traces).Draw(t, "order"))); d != "" {
			t.Fatal(d)
		}
	})
}
