package metrics_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// enumerated counts all k-subsets of n trials of which the first c succeed: the definition, without algebra.
func enumerated(c, n, k int) float64 {
	good, all := 0, 0
	for set := range 1 << n {
		size, ok := 0, true
		for i := range n {
			if set>>i&1 == 1 {
				size++
				ok = ok && i < c
			}
		}
		if size == k {
			all++
			if ok {
				good++
			}
		}
	}
	return float64(good) / float64(all)
}

func TestRatioEqualsEnumeration(t *testing.T) {
	for n := 1; n <= 10; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				if got, want := metrics.Ratio(c, n, k), enumerated(c, n, k); math.Abs(got-want) > 1e-12 {
					t.Errorf("Ratio(%d,%d,%d) = %v, want %v", c, n, k, got, want)
				}
			}
		}
	}
}

func TestRatioOfManyTrials(t *testing.T) {
	if got := metrics.Ratio(100, 200, 50); !(got > 0 && got < 1e-15) {
		t.Errorf("Ratio(100,200,50) = %v, want a small positive number", got)
	}
}

// outcomes draws the outcomes of one system with n planned trials of each task.
func outcomes(t *rapid.T, void bool) ([]metrics.Outcome, int) {
	n := rapid.IntRange(1, 6).Draw(t, "trials")
	states := []metrics.State{metrics.Failure, metrics.Success}
	if void {
		states = append(states, metrics.Void, metrics.Pending)
	}
	var out []metrics.Outcome
	for task := range rapid.IntRange(1, 8).Draw(t, "tasks") {
		for trial := range n {
			out = append(out, metrics.Outcome{Domain: "d", System: "s", Task: fmt.Sprint(task), Trial: trial,
				Mut: task%2 == 0, State: rapid.SampledFrom(states).Draw(t, "state")})
		}
	}
	return out, n
}

func TestPassHatNeverRisesInK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		last := 1.0
		for k := 1; k <= n; k++ {
			e := metrics.PassHat(all, k)
			if !e.Defined {
				t.Fatalf("Pass^%d undefined: %s", k, e.Reason)
			}
			if e.Value > last+1e-12 {
				t.Fatalf("Pass^%d = %v above Pass^%d = %v", k, e.Value, k-1, last)
			}
			last = e.Value
		}
		if e := metrics.PassHat(all, n+1); e.Defined {
			t.Fatalf("Pass^%d of %d trials is %v, want undefined", n+1, n, e.Value)
		}
	})
}

func TestStrictNeverAboveAndOrderIrrelevant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, _ := outcomes(t, true)
		strict, plain := metrics.StrictPass(all), metrics.PassHat(all, 1)
		if plain.Defined && strict.Value > plain.Value+1e-12 {
			t.Fatalf("strict %v above plain %v", strict.Value, plain.Value)
		}
		shuffled := rapid.Permutation(all).Draw(t, "order")
		again := metrics.PassHat(shuffled, 1)
		if again.Defined != plain.Defined || math.Abs(again.Value-plain.Value) > 1e-12 {
			t.Fatalf("order matters: %v and %v", plain, again)
		}
		c := metrics.Cover(all)
		if c.Evaluable+c.Void+c.Pending != c.Planned {
			t.Fatalf("coverage does not add up: %+v", c)
		}
	})
}

func TestPassHatNamesWhatIsMissing(t *testing.T) {
	all := []metrics.Outcome{{Task: "a", State: metrics.Success}, {Task: "a", Trial: 1, State: metrics.Void},
		{Task: "b", State: metrics.Success}, {Task: "b", Trial: 1, State: metrics.Failure}}
	e := metrics.PassHat(all, 2)
	if want := "1 of 2 tasks have fewer than 2 usable trials"; e.Defined || e.Reason != want {
		t.Errorf("got %+v, want undefined with %q", e, want)
	}
	for name, e := range map[string]metrics.Estimate{"Pass^0": metrics.PassHat(all, 0), "pass@-1": metrics.PassAt(all, -1), "ASR@0": metrics.ASRAt(all, 0)} {
		if want := name + ": k starts at 1"; e.Defined || e.Reason != want {
			t.Errorf("got %+v, want undefined with %q", e, want)
		}
	}
	if e := plain(metrics.PassHat(nil, 1)); e != not("no tasks") {
		t.Errorf("no tasks give %+v, want undefined", e)
	}
}

// TestTrialsAreCountedByTask: MaxTrials tells tasks of the same id apart by domain and system, and coverage the states.
func TestTrialsAreCountedByTask(t *testing.T) {
	all := []metrics.Outcome{{Domain: "a", System: "x", Task: "1"}, {Domain: "a", System: "y", Task: "1"}, {Domain: "b", System: "x", Task: "1"}}
	for want := 1; want <= 3; want++ {
		if got := metrics.MaxTrials(all); got != want {
			t.Errorf("%d trials, want %d", got, want)
		}
		all = append(all, metrics.Outcome{Domain: "b", System: "x", Task: "1", Trial: want})
	}
	if got := metrics.MaxTrials(nil); got != 0 {
		t.Errorf("%d trials of nothing", got)
	}
	want := metrics.Coverage{Planned: 7, Evaluable: 3, Void: 1, Pending: 3}
	if got := metrics.Cover(system("a sfp", "b ppsv")); got != want {
		t.Errorf("coverage %+v, want %+v", got, want)
	}
}

// One success among ten planned trials, the rest void: 1.00 of 1 evaluable, 0.10 with the void ones as failures.
func TestVoidTrialsStayVisible(t *testing.T) {
	all := []metrics.Outcome{{Task: "a", State: metrics.Success}}
	for i := 1; i < 10; i++ {
		all = append(all, metrics.Outcome{Task: "a", Trial: i, State: metrics.Void})
	}
	if e := metrics.PassHat(all, 1); !e.Defined || e.Value != 1 {
		t.Errorf("Pass^1 = %+v, want 1", e)
	}
	if e := metrics.StrictPass(all); math.Abs(e.Value-0.1) > 1e-12 {
		t.Errorf("strict = %v, want 0.1", e.Value)
	}
	if c := metrics.Cover(all); c.Evaluable != 1 || c.Planned != 10 {
		t.Errorf("coverage = %+v", c)
	}
}

func TestSlicesAndGroups(t *testing.T) {
	all := []metrics.Outcome{
		{Domain: "retail", System: "B", Task: "1", Mut: true}, {Domain: "retail", System: "A", Task: "1", Mut: true},
		{Domain: "airline", System: "A", Task: "2"}, {Domain: "airline", System: "B", Task: "2"},
	}
	order, by := metrics.ByGroup(all)
	want := "[{retail B} {retail A} {airline B} {airline A}]"
	if got := fmt.Sprint(order); got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if n := len(metrics.Select(by[metrics.Group{Domain: "retail", System: "A"}], metrics.Mut)); n != 1 {
		t.Errorf("%d Mut outcomes, want 1", n)
	}
	if n := len(metrics.Select(all, metrics.PV)); n != 2 {
		t.Errorf("%d PV outcomes, want 2", n)
	}
}

func TestPassAtEqualsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		by := map[string][]bool{}
		for _, o := range all {
			by[o.Task] = append(by[o.Task], o.State == metrics.Success)
		}
		for k := 1; k <= n; k++ {
			hat, at := 0.0, 0.0
			for _, list := range by {
				every, some := subsets(list, k)
				hat += every / float64(len(by))
				at += some / float64(len(by))
			}
			if got := metrics.PassHat(all, k); !got.Defined || math.Abs(got.Value-hat) > 1e-12 {
				t.Fatalf("Pass^%d = %+v, the subsets say %v", k, got, hat)
			}
			if got := metrics.PassAt(all, k); !got.Defined || math.Abs(got.Value-at) > 1e-12 {
				t.Fatalf("pass@%d = %+v, the subsets say %v", k, got, at)
			}
		}
	})
}

// subsets counts the shares of the k-subsets of trials that all succeed, and of which any does.
func subsets(list []bool, k int) (every, some float64) {
	total := 0.0
	for set := range 1 << len(list) {
		size, good := 0, 0
		for i, ok := range list {
			if set>>i&1 == 1 {
				size++
				if ok {
					good++
				}
			}
		}
		if size != k {
			continue
		}
		total++
		if good == k {
			every++
		}
		if good > 0 {
			some++
		}
	}
	return every / total, some / total
}

func TestConsistency(t *testing.T) {
	tests := []struct {
		name string
		all  []metrics.Outcome
		n    int
		want float64
		why  string
	}{
		{"half is left", system("a ss", "b sf", "c fs"), 2, 0.5, ""},
		{"all is left", system("a ss", "b ff"), 2, 1, ""},
		{"nothing is left", system("a sf"), 2, 0, ""},
		{"nothing was there", system("a ff"), 2, 0, "Pass^1 is 0: nothing ever succeeded"},
		{"too few trials", system("a ss", "b s"), 2, 0, "1 of 2 tasks have fewer than 2 usable trials"},
		{"nothing usable", system("a v"), 1, 0, "1 of 1 tasks have no usable trial"},
		{"nothing", nil, 4, 0, "no tasks"},
	}
	for _, tt := range tests {
		if e := metrics.Consistency(tt.all, tt.n); e.Defined != (tt.why == "") || e.Reason != tt.why || !near(e.Value, tt.want, 1e-15) {
			t.Errorf("%s: %+v, want %v, %q", tt.name, e, tt.want, tt.why)
		}
	}
}

func TestRatioBeyondTheTrials(t *testing.T) {
	if got := metrics.Ratio(2, 2, 3); got != 0 {
		t.Errorf("Ratio(2,2,3) = %v, want 0: there is no such draw", got)
	}
}

// TestBounds: whatever the missing trials would have brought lies between the bounds, and the worst case of Pass^1 is the strict one.
func TestBounds(t *testing.T) {
	all := system("a ssvs", "b spff", "c ssss")
	for k, want := range map[int][2]float64{1: {8.0 / 12, 10.0 / 12}, 4: {1.0 / 3, 2.0 / 3}} {
		if worst, best := metrics.Bounds(all, k); !near(worst.Value, want[0], 1e-12) || !near(best.Value, want[1], 1e-12) {
			t.Errorf("Pass^%d between %v and %v, want %v", k, worst.Value, best.Value, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		k := rapid.IntRange(1, n).Draw(t, "k")
		missing := rapid.SampledFrom([]metrics.State{metrics.Void, metrics.Pending})
		holes := slices.Clone(all)
		for i := range holes {
			if rapid.Bool().Draw(t, "lost") {
				holes[i].State = missing.Draw(t, "as")
			}
		}
		worst, best := metrics.Bounds(holes, k)
		if truth := metrics.PassHat(all, k); truth.Defined && (truth.Value < worst.Value-1e-12 || truth.Value > best.Value+1e-12) {
			t.Fatalf("Pass^%d is %v, bounds are %v and %v", k, truth.Value, worst.Value, best.Value)
		}
	})
}
