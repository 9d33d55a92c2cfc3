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
			b := metrics.Bootstrap{Seed: 1, Resamples: 200}
			e := b.ASR(tt.all)
			if !e.Defined || !near(e.Value, tt.asr, 1e-15) || e.Tasks != tt.tasks {
				t.Errorf("ASR %+v, want %v", e, tt.asr)
			}
			if i := e.Interval; !i.Defined || i.Lo > e.Value || i.Hi < e.Value || i.Lo < 0 || i.Hi > 1 {
				t.Errorf("interval %+v of %v", i, e.Value)
			}
			for i, want := range tt.at {
				if e := b.ASRAt(tt.all, i+1); !e.Defined || !near(e.Value, want, 1e-15) {
					t.Errorf("ASR@%d %+v, want %v", i+1, e, want)
				}
			}
			if e := b.ASRAt(tt.all, len(tt.at)+1); e.Defined || e.Reason == "" {
				t.Errorf("ASR@%d %+v, want undefined", len(tt.at)+1, e)
			}
		})
	}
}

// TestASRSaysWhyNot tells experiments without tasks from those whose trials were all lost.
func TestASRSaysWhyNot(t *testing.T) {
	b := metrics.Bootstrap{Resamples: 10}
	for why, all := range map[string][]metrics.Outcome{"no tasks": nil, "no usable attack trials": system("a vv", "b p")} {
		if e := b.ASR(all); e.Defined || e.Reason != why || e.Interval.Reason != why {
			t.Errorf("%+v, want %q", e, why)
		}
	}
	if curve := b.ASRCurve(system("a s"), 0); len(curve) != 0 {
		t.Errorf("a curve without points has %d", len(curve))
	}
}

// TestASRNeverFallsInK and is the share of trials for k = 1.
func TestASRNeverFallsInK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		b := metrics.Bootstrap{Resamples: 50}
		curve := b.ASRCurve(all, n)
		if e := b.ASR(all); !near(e.Value, curve[0].Value, 1e-12) {
			t.Fatalf("ASR %v, ASR@1 %v", e, curve[0])
		}
		for k := 1; k < n; k++ {
			if curve[k].Value < curve[k-1].Value-1e-12 {
				t.Fatalf("ASR@%d %v below ASR@%d %v", k+1, curve[k], k, curve[k-1])
			}
		}
	})
}
