package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// naiveInterval is the bootstrap of a mean as one would write it down: no goroutines, no tricks but the same draws.
func naiveInterval(seed uint64, resamples int, values []float64) (lo, hi float64) {
	var means []float64
	for r := range resamples {
		source := rand.NewPCG(seed, uint64(r))
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
		means = append(means, sum/float64(len(values)))
	}
	slices.Sort(means)
	return means[resamples/40-1], means[resamples-resamples/40-1]
}

func TestBootstrapEqualsNaive(t *testing.T) {
	const many = 100_003 // tasks, so that some draws have to be thrown away
	for _, n := range []int{2, 3, 50, 114, 278, many} {
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
			return fmt.Sprint(b.Delta(metrics.PairUp(x, y, k)), metrics.PassHat(x, k), metrics.ASR(x), metrics.ASRAt(x, k))
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

func TestBootstrapSize(t *testing.T) {
	for asked, want := range map[int]int{-1: 10_000, 0: 10_000, 1: 1, 2: 2} {
		if got := (metrics.Bootstrap{Resamples: asked}).Size(); got != want {
			t.Errorf("%d resamples asked for: %d, want %d", asked, got, want)
		}
	}
	// The limits of one resample are that resample's.
	if i := (metrics.Bootstrap{Seed: 5, Resamples: 1}).Delta(pairing(9, 4, 1)).Interval; !i.Defined || i.Lo != i.Hi {
		t.Errorf("one resample gives %+v", i)
	}
}
