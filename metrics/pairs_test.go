package metrics_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// trials makes the outcomes of a task from letters: s success, f failure, v void, p pending.
func trials(task, letters string) []metrics.Outcome {
	states := map[rune]metrics.State{'s': metrics.Success, 'f': metrics.Failure, 'v': metrics.Void, 'p': metrics.Pending}
	var out []metrics.Outcome
	for i, c := range letters {
		out = append(out, metrics.Outcome{Task: task, Trial: i, State: states[c]})
	}
	return out
}

// system makes outcomes from "task letters" words.
func system(words ...string) []metrics.Outcome {
	var out []metrics.Outcome
	for _, w := range words {
		task, letters, _ := strings.Cut(w, " ")
		out = append(out, trials(task, letters)...)
	}
	return out
}

func TestPairUp(t *testing.T) {
	tests := []struct {
		name          string
		first, second []metrics.Outcome
		k             int
		want          metrics.Pairing
	}{
		{"all four", system("b ssss", "a sssf"), system("a ssss", "b fsss"), 4,
			metrics.Pairing{K: 4, Pairs: []metrics.Pair{{Task: "a", Second: true}, {Task: "b", First: true}}}},
		{"only common tasks", system("a s", "b s", "c s"), system("b s", "d f"), 1,
			metrics.Pairing{K: 1, Pairs: []metrics.Pair{{Task: "b", First: true, Second: true}}, OnlyFirst: []string{"a", "c"}, OnlySecond: []string{"d"}}},
		{"the first k of more", system("a ssf"), system("a sf"), 2,
			metrics.Pairing{K: 2, Pairs: []metrics.Pair{{Task: "a", First: true}}, ExtraFirst: 1}},
		{"void trials are passed over", system("a vss"), system("a sps"), 2,
			metrics.Pairing{K: 2, Pairs: []metrics.Pair{{Task: "a", First: true, Second: true}}}},
		{"too few usable", system("a ss", "b sv"), system("a ss", "b ss"), 2,
			metrics.Pairing{K: 2, Reason: "1 of 2 common tasks have fewer than 2 usable trials on a side"}},
		{"all void is still a task", system("a v"), system("a s"), 1,
			metrics.Pairing{K: 1, Reason: "1 of 1 common tasks have no usable trial on a side"}},
		{"nothing in common", system("a s"), system("b s"), 1,
			metrics.Pairing{K: 1, Reason: "no common tasks", OnlyFirst: []string{"a"}, OnlySecond: []string{"b"}}},
		{"a trial that is there twice", system("a s", "a f"), system("a f", "a s"), 1,
			metrics.Pairing{K: 1, Pairs: []metrics.Pair{{Task: "a"}}, ExtraFirst: 1, ExtraSecond: 1}},
		{"nothing at all", nil, nil, 4, metrics.Pairing{K: 4, Reason: "no common tasks"}},
		{"k of none", system("a s"), system("a s"), 0, metrics.Pairing{Reason: "Pass^0: k starts at 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, metrics.PairUp(tt.first, tt.second, tt.k)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func delta(p metrics.Pairing) metrics.Estimate { return metrics.Bootstrap{Resamples: 1}.Delta(p) }

func TestPairingFigures(t *testing.T) {
	p := metrics.PairUp(system("a s", "b s", "c f", "d s"), system("a s", "b f", "c s", "d f"), 1)
	if d := p.Discordant(); d != (metrics.Discordant{First: 2, Second: 1}) {
		t.Errorf("discordant %+v", d)
	}
	if e := delta(p); !e.Defined || e.Value != 0.25 || e.Tasks != 4 {
		t.Errorf("delta %+v, want 0.25 of 4 tasks", e)
	}
	if e := delta(metrics.PairUp(nil, nil, 1)); e.Defined || e.Reason != "no common tasks" {
		t.Errorf("delta of nothing %+v", e)
	}
	if e := delta(metrics.PairUp(system("a v"), system("a s"), 1)); e.Defined || e.Reason != "1 of 1 common tasks have no usable trial on a side" {
		t.Errorf("delta without a comparison %+v", e)
	}
	if e := delta(metrics.Pairing{}); e.Defined || e.Reason == "" {
		t.Errorf("delta of the zero pairing %+v", e)
	}
}

func TestPairingRemarks(t *testing.T) {
	p := metrics.PairUp(system("a ss", "b s", "c s", "d s", "e s", "f s", "g s"), system("a s", "h s"), 1)
	want := []string{
		"6 tasks of ReAct have no counterpart in Guide and are left out: b, c, d, e, f and 1 more",
		"ReAct has more than 1 usable trials of 1 tasks: the first 1 of each count",
		"1 tasks of Guide have no counterpart in ReAct and are left out: h",
	}
	if diff := cmp.Diff(want, p.Remarks("ReAct", "Guide")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p = metrics.PairUp(system("a s", "b s", "c s", "d s", "e s", "f s"), system("a s"), 1)
	want = []string{"5 tasks of ReAct have no counterpart in Guide and are left out: b, c, d, e, f"}
	if diff := cmp.Diff(want, p.Remarks("ReAct", "Guide")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPairingIsAntisymmetric: changing sides changes the sign of all that has one, and nothing else.
func TestPairingIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, n := outcomes(t, true)
		second, m := outcomes(t, true)
		k := rapid.IntRange(1, min(n, m)).Draw(t, "k")
		there, back := metrics.PairUp(first, second, k), metrics.PairUp(second, first, k)
		a, b := there.Discordant(), back.Discordant()
		if a.First != b.Second || a.Second != b.First || there.Reason != back.Reason || delta(there).Value != -delta(back).Value {
			t.Fatalf("%+v and %+v", there, back)
		}
		if there.Reason == "" && len(there.OnlyFirst)+len(there.OnlySecond) == 0 && n == k && m == k {
			if want := metrics.PassHat(first, k).Value - metrics.PassHat(second, k).Value; !near(want, delta(there).Value, 1e-12) {
				t.Fatalf("difference %v, that of Pass^%d is %v", delta(there).Value, k, want)
			}
		}
		x, y := metrics.McNemarTest(a, a), metrics.McNemarTest(b, b)
		if x.Z != -y.Z || x.Normal != y.Normal || x.Exact != y.Exact {
			t.Fatalf("%+v and %+v", x, y)
		}
	})
}

// TestPassDifferenceIsThatOfPassHat: one estimator for both, whatever trials each has of a task.
func TestPassDifferenceIsThatOfPassHat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, n := outcomes(t, true)
		second, m := outcomes(t, true)
		k := rapid.IntRange(1, min(n, m)).Draw(t, "k")
		got, back := metrics.PassDifference(k, metrics.Both{First: first, Second: second}), metrics.PassDifference(k, metrics.Both{First: second, Second: first})
		pairs := metrics.PairUp(first, second, k)
		if got.Reason != pairs.Reason || !near(got.Value, -back.Value, 1e-12) || !near(got.Interval.Lo, -back.Interval.Hi, 1e-12) {
			t.Fatalf("%+v and %+v of %+v", got, back, pairs)
		}
		if got.Defined && len(pairs.OnlyFirst)+len(pairs.OnlySecond) == 0 {
			if want := metrics.PassHat(first, k).Value - metrics.PassHat(second, k).Value; !near(want, got.Value, 1e-12) {
				t.Fatalf("difference %v, that of Pass^%d is %v", got.Value, k, want)
			}
		}
		if d := metrics.Difference(pairs); got.Defined && n == k && m == k && !near(d.Value, got.Value, 1e-12) {
			t.Fatalf("difference %v, by pairs %v", got.Value, d.Value)
		}
	})
}
