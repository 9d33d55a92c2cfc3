package metrics_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

func TestPerTrial(t *testing.T) {
	tests := []struct {
		name            string
		all             []metrics.Outcome
		mean, deviation float64
		why, whyDev     string
	}{
		{"two trials", system("a sf", "b ss"), 0.75, 0.25, "", ""},
		{"no spread", system("a ss", "b ff"), 0.5, 0, "", ""},
		{"one trial", system("a s", "b f"), 0.5, 0, "", "one trial has no spread"},
		{"a hole", system("a ss", "b sv", "c ss"), 0, 0, "1 of 3 tasks have no usable outcome in trial 1", "1 of 3 tasks have no usable outcome in trial 1"},
		{"a task without a trial", system("a ss", "b s"), 0, 0, "1 of 2 tasks have no usable outcome in trial 1", "1 of 2 tasks have no usable outcome in trial 1"},
		{"pending", system("a p"), 0, 0, "1 of 1 tasks have no usable outcome in trial 0", "1 of 1 tasks have no usable outcome in trial 0"},
		{"nothing", nil, 0, 0, "no tasks", "no tasks"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := metrics.PerTrial(tt.all)
			if s.Mean.Defined != (tt.why == "") || s.Mean.Reason != tt.why || !near(s.Mean.Value, tt.mean, 1e-15) {
				t.Errorf("mean %+v, want %v, %q", s.Mean, tt.mean, tt.why)
			}
			if s.Deviation.Defined != (tt.whyDev == "") || s.Deviation.Reason != tt.whyDev || !near(s.Deviation.Value, tt.deviation, 1e-15) {
				t.Errorf("deviation %+v, want %v, %q", s.Deviation, tt.deviation, tt.whyDev)
			}
		})
	}
}

// TestPerTrialMeanIsPass1: without holes the mean over trials is Pass^1, and the deviation is that of the definition.
func TestPerTrialMeanIsPass1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		s := metrics.PerTrial(all)
		if p := metrics.PassHat(all, 1); !near(s.Mean.Value, p.Value, 1e-12) {
			t.Fatalf("mean %v, Pass^1 %v", s.Mean, p)
		}
		squares := 0.0
		for _, x := range s.Trials {
			squares += (x.Pass.Value - s.Mean.Value) * (x.Pass.Value - s.Mean.Value)
		}
		if len(s.Trials) != n || n > 1 && !near(s.Deviation.Value, math.Sqrt(squares/float64(n)), 1e-12) {
			t.Fatalf("%d trials, deviation %v of %v", n, s.Deviation, s.Trials)
		}
	})
}
