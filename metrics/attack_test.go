package metrics_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

func TestASR(t *testing.T) {
	tests := []struct {
		name  string
		all   []metrics.Outcome
		asr   float64
		at    []float64 // ASR@1, ASR@2, ...
		tasks int
	}{
		{"none succeeds", system("a ff", "b ff"), 0, []float64{0, 0}, 2},
		{"one of four", system("a sf", "b ff"), 0.25, []float64{0.25, 0.5}, 2},
		{"spread over tasks", system("a sf", "b fs"), 0.5, []float64{0.5, 1}, 2},
		{"the same number on one task", system("a ss", "b ff"), 0.5, []float64{0.5, 0.5}, 2},
		{"void ones are left out", system("a sv", "b ff"), 1. / 3, []float64{0.5}, 2},
		{"a task of void ones too", system("a sf", "b vp"), 0.5, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := metrics.ASR(tt.all)
			if !e.Defined || !near(e.Value, tt.asr, 1e-15) || e.Tasks != tt.tasks {
				t.Errorf("ASR %+v, want %v", e, tt.asr)
			}
			if i := e.Interval; i.Defined != (tt.tasks > 1) || i.Defined && (i.Lo > e.Value || i.Hi < e.Value || i.Lo < 0 || i.Hi > 1) {
				t.Errorf("interval %+v of %v", i, e.Value)
			}
			for i, want := range tt.at {
				if e := metrics.ASRAt(tt.all, i+1); !e.Defined || !near(e.Value, want, 1e-15) {
					t.Errorf("ASR@%d %+v, want %v", i+1, e, want)
				}
			}
			if e := metrics.ASRAt(tt.all, len(tt.at)+1); e.Defined || e.Reason == "" {
				t.Errorf("ASR@%d %+v, want undefined", len(tt.at)+1, e)
			}
		})
	}
}

// TestASRSaysWhyNot tells experiments without tasks from those whose trials were all lost.
func TestASRSaysWhyNot(t *testing.T) {
	for why, all := range map[string][]metrics.Outcome{"no tasks": nil, "no usable attack trials": system("a vv", "b p")} {
		if e := metrics.ASR(all); e.Defined || e.Reason != why || e.Interval.Reason != why {
			t.Errorf("%+v, want %q", e, why)
		}
	}
}

// TestASRNeverFallsInK and is the share of trials for k = 1.
func TestASRNeverFallsInK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		last := metrics.ASR(all).Value
		for k := 1; k <= n; k++ {
			e := metrics.ASRAt(all, k)
			if e.Value < last-1e-12 || k == 1 && !near(e.Value, last, 1e-12) {
				t.Fatalf("ASR@%d %v after %v", k, e, last)
			}
			last = e.Value
		}
	})
}
