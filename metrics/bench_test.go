package metrics_test

import (
	"fmt"
	"testing"

	"github.com/tauguide/tauguide/metrics"
)

// pairing makes a pairing of n tasks, a of which only the first passed and b only the second.
func pairing(n, a, b int) metrics.Pairing {
	p := metrics.Pairing{K: 4}
	for i := range n {
		x := metrics.Pair{Task: fmt.Sprintf("t%03d", i)}
		switch {
		case i < a:
			x.First = true
		case i < a+b:
			x.Second = true
		case i%2 == 0:
			x.First, x.Second = true, true
		}
		p.Pairs = append(p.Pairs, x)
	}
	return p
}

// BenchmarkComparisons is the paper's whole significance section: six comparisons of 278 tasks each, with 10,000 resamples.
func BenchmarkComparisons(b *testing.B) {
	p := pairing(278, 77, 19)
	for b.Loop() {
		for range 6 {
			if e := (metrics.Bootstrap{Seed: 1}).Delta(p); !e.Interval.Defined {
				b.Fatal(e.Interval.Reason)
			}
		}
	}
}

// BenchmarkCurve is a figure's curve of 114 tasks with bands for k = 1 to 4, from 456 outcomes.
func BenchmarkCurve(b *testing.B) {
	all := counted(114, 90, 80, 70, 60)
	for b.Loop() {
		for k := 1; k <= 4; k++ {
			if e := metrics.PassHat(all, k); !e.Interval.Defined {
				b.Fatal(e.Interval.Reason)
			}
		}
	}
}
