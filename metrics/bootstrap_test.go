package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// naiveInterval is the bootstrap of the mean over strata of their means as one would write it down: no goroutines, no tricks
// but the same draws.
func naiveInterval(seed uint64, resamples int, strata ...[]float64) (lo, hi float64) {
	var means []float64
	for r := range resamples {
		source := rand.NewPCG(seed, uint64(r))
		total := 0.0
		for _, values := range strata {
			var halves []uint32
			next := func() uint32 {
				if len(halves) == 0 {
					x := source.Uint64()
					halves = []uint32{uint32(x >> 32), uint32(x & 0xffffffff)}
				}
				h := halves[0]
				halves = halves[1:]
				return h
			}
			n := uint64(len(values))
			sum := 0.0
			for range values {
				h := uint64(next())
				for h*n%(1<<32) < (1<<32)%n { // such halves would favour some tasks
					h = uint64(next())
				}
				sum += values[h*n/(1<<32)]
			}
			total += sum / float64(len(values))
		}
		means = append(means, total/float64(len(strata)))
	}
	slices.Sort(means)
	return means[resamples/40-1], means[resamples-resamples/40-1]
}

// TestMeanOverDomains: each domain counts the same whatever its size, tasks are drawn within it, one domain is itself, and
// one that is undefined makes the mean so.
func TestMeanOverDomains(t *testing.T) {
	var domains [][]metrics.Outcome
	var strata [][]float64
	for d, n := range []int{5, 40, 12} {
		var all []metrics.Outcome
		values := make([]float64, n)
		for task := range n {
			for trial := range 4 {
				o := metrics.Outcome{Domain: fmt.Sprint(d), Task: fmt.Sprintf("%03d", task), Trial: trial, State: metrics.Failure}
				if task%(d+2) == 0 {
					o.State, values[task] = metrics.Success, 1
				}
				all = append(all, o)
			}
		}
		domains, strata = append(domains, all), append(strata, values)
	}
	b := metrics.Bootstrap{Seed: 7, Resamples: 1000}
	got := b.MeanPassHat(domains, 4)
	lo, hi := naiveInterval(7, 1000, strata...)
	if want := (3.0/5 + 14.0/40 + 3.0/12) / 3; math.Abs(got.Value-want) > 1e-12 || got.Tasks != 57 {
		t.Errorf("mean %v of %d tasks, want %v", got.Value, got.Tasks, want)
	}
	if math.Abs(got.Interval.Lo-lo) > 1e-12 || math.Abs(got.Interval.Hi-hi) > 1e-12 {
		t.Errorf("interval %v, want %v to %v", got.Interval, lo, hi)
	}
	if one := b.MeanPassHat(domains[1:2], 4); one != b.PassHat(domains[1], 4) {
		t.Errorf("of one domain %v, want %v", one, b.PassHat(domains[1], 4))
	}
	for _, undefined := range [][][]metrics.Outcome{nil, {domains[0], nil}} {
		if e := b.MeanPassHat(undefined, 4); e.Defined || e.Reason == "" || e.Interval.Defined {
			t.Errorf("of %d domains, one of them empty: %v", len(undefined), e)
		}
	}
}

func TestBootstrapEqualsNaive(t *testing.T) {
	const many = 100_003 // tasks, so that some draws have to be thrown away
	for _, n := range []int{1, 2, 3, 50, 114, 278, many} {
		p := pairing(n, n/3, n/8)
		values := make([]float64, n)
		for i, x := range p.Pairs {
			values[i] = float64(b2i(x.First) - b2i(x.Second))
		}
		for _, resamples := range []int{40, 1000, 10_000} {
			if n == many && resamples > 40 {
				break
			}
			e := metrics.Bootstrap{Seed: 7, Resamples: resamples}.Delta(p)
			lo, hi := naiveInterval(7, resamples, values)
			if e.Interval.Lo != lo || e.Interval.Hi != hi {
				t.Errorf("%d tasks, %d resamples: %v, want %v to %v", n, resamples, e.Interval, lo, hi)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestBootstrapIsPinned holds the limits of one seed: an interval that was printed must come out again years later.
func TestBootstrapIsPinned(t *testing.T) {
	e := metrics.Bootstrap{Seed: 20260101}.Delta(pairing(114, 38, 9))
	if got, want := fmt.Sprintf("%.6f %.6f %.6f", e.Value, e.Interval.Lo, e.Interval.Hi), "0.254386 0.149123 0.359649"; got != want {
		t.Errorf("difference: got %s, want %s", got, want)
	}
	e = metrics.Bootstrap{Seed: 20260101}.PassHat(counted(114, 100, 70, 43, 5), 2)
	if got, want := fmt.Sprintf("%.12f %.12f %.12f", e.Value, e.Interval.Lo, e.Interval.Hi), "0.250000000000 0.203216374269 0.299707602339"; got != want {
		t.Errorf("Pass^2: got %s, want %s", got, want)
	}
}

// TestBootstrapIsBitIdentical holds it at several numbers of processors and in any order of the records.
func TestBootstrapIsBitIdentical(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	rapid.Check(t, func(t *rapid.T) {
		all, n := outcomes(t, false)
		other := make([]metrics.Outcome, len(all))
		for i, o := range all {
			o.State = rapid.SampledFrom([]metrics.State{metrics.Success, metrics.Failure}).Draw(t, "other")
			other[i] = o
		}
		k := rapid.IntRange(1, n).Draw(t, "k")
		b := metrics.Bootstrap{Seed: rapid.Uint64().Draw(t, "seed"), Resamples: rapid.SampledFrom([]int{1, 7, 100, 999}).Draw(t, "resamples")}
		look := func(x, y []metrics.Outcome) string {
			return fmt.Sprint(b.Delta(metrics.PairUp(x, y, k)), b.PassHat(x, k), b.ASR(x), b.ASRAt(x, k), b.Curve(x, n))
		}
		runtime.GOMAXPROCS(before)
		want := look(all, other)
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			if got := look(rapid.Permutation(all).Draw(t, "order"), rapid.Permutation(other).Draw(t, "other order")); got != want {
				t.Fatalf("%d processors, another order: %s\nwant %s", procs, got, want)
			}
		}
	})
}

// TestBootstrapOfCurves: limits bracket sensibly, never rise in k, and differ between seeds.
func TestBootstrapOfCurves(t *testing.T) {
	all := counted(60, 50, 40, 30, 20)
	curve := metrics.Bootstrap{Seed: 3}.Curve(all, 4)
	if len(curve) != 4 {
		t.Fatalf("%d points, want 4", len(curve))
	}
	for i, e := range curve {
		if plain := metrics.PassHat(all, i+1); plain.Value != e.Value || !e.Interval.Defined {
			t.Errorf("Pass^%d: %+v, want %v with an interval", i+1, e, plain.Value)
		}
		if e.Interval.Lo > e.Value || e.Interval.Hi < e.Value || e.Interval.Lo == e.Interval.Hi {
			t.Errorf("Pass^%d: %v outside of its interval, or that is empty: %v", i+1, e.Value, e.Interval)
		}
		if i > 0 && (e.Interval.Lo > curve[i-1].Interval.Lo || e.Interval.Hi > curve[i-1].Interval.Hi) {
			t.Errorf("Pass^%d: the band rises: %v after %v", i+1, e.Interval, curve[i-1].Interval)
		}
	}
	a, b := metrics.Bootstrap{Seed: 1, Resamples: 99}.PassHat(all, 1), metrics.Bootstrap{Seed: 2, Resamples: 99}.PassHat(all, 1)
	if a.Interval == b.Interval {
		t.Errorf("two seeds give one interval %v", a.Interval)
	}
	for _, n := range []int{-1, 0} {
		if got := len((metrics.Bootstrap{}).Curve(all, n)); got != 0 {
			t.Errorf("a curve of %d points has %d", n, got)
		}
	}
}

func TestBootstrapSize(t *testing.T) {
	for asked, want := range map[int]int{-1: 10_000, 0: 10_000, 1: 1, 2: 2} {
		if got := (metrics.Bootstrap{Resamples: asked}).Size(); got != want {
			t.Errorf("%d resamples asked for: %d, want %d", asked, got, want)
		}
	}
	// The limits of one resample are that resample's.
	if i := (metrics.Bootstrap{Seed: 5, Resamples: 1}).PassHat(counted(9, 4), 1).Interval; !i.Defined || i.Lo != i.Hi {
		t.Errorf("one resample gives %+v", i)
	}
}

// TestLimitsAsFigures: a limit is a figure as the estimate is, and as undefined as the estimate or its interval.
func TestLimitsAsFigures(t *testing.T) {
	band := metrics.Interval{Lo: 0.25, Hi: 0.75, Defined: true}
	tests := []struct {
		name      string
		of        metrics.Estimate
		low, high metrics.Estimate
	}{
		{"both", metrics.Estimate{Value: 0.5, Defined: true, Tasks: 8, Interval: band},
			metrics.Estimate{Value: 0.25, Defined: true, Tasks: 8}, metrics.Estimate{Value: 0.75, Defined: true, Tasks: 8}},
		{"no interval", metrics.Estimate{Value: 0.5, Defined: true, Interval: metrics.Interval{Reason: "not asked for"}}, not("not asked for"), not("not asked for")},
		{"no figure", metrics.Estimate{Reason: "no tasks", Interval: band}, not("no tasks"), not("no tasks")},
	}
	for _, tt := range tests {
		if low, high := tt.of.Low(), tt.of.High(); low != tt.low || high != tt.high {
			t.Errorf("%s: %+v and %+v, want %+v and %+v", tt.name, low, high, tt.low, tt.high)
		}
	}
}

func TestBootstrapOfNothing(t *testing.T) {
	for name, e := range map[string]metrics.Estimate{
		"no outcomes":  metrics.Bootstrap{}.PassHat(nil, 1),
		"no pairs":     metrics.Bootstrap{}.Delta(metrics.Pairing{}),
		"no attacks":   metrics.Bootstrap{}.ASR(nil),
		"all are void": metrics.Bootstrap{}.ASR([]metrics.Outcome{{Task: "a", State: metrics.Void}}),
		"k too large":  metrics.Bootstrap{}.ASRAt(counted(2, 1), 2),
	} {
		if e.Defined || e.Interval.Defined || e.Reason == "" || e.Interval.Reason == "" {
			t.Errorf("%s: %+v, want undefined with reasons", name, e)
		}
	}
}

// TestBootstrapCovers holds what the interval is for: of 400 experiments with a known difference about 95 % cover it.
func TestBootstrapCovers(t *testing.T) {
	const tasks, experiments, pa, pb = 114, 400, 0.4, 0.2
	random := rand.New(rand.NewPCG(11, 12))
	covered := 0
	for range experiments {
		p := metrics.Pairing{K: 4}
		for i := range tasks {
			p.Pairs = append(p.Pairs, metrics.Pair{Task: fmt.Sprint(i), First: random.Float64() < pa, Second: random.Float64() < pb})
		}
		e := metrics.Bootstrap{Seed: random.Uint64(), Resamples: 400}.Delta(p)
		if e.Interval.Lo <= pa-pb && pa-pb <= e.Interval.Hi {
			covered++
		}
	}
	if share := float64(covered) / experiments; share < 0.91 || share > 0.98 {
		t.Errorf("%.3f of the intervals cover the difference", share)
	}
}
