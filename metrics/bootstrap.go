package metrics

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// DefaultResamples is the usual number of resamples of a bootstrap (paper, appendix C).
const DefaultResamples = 10_000

// Bootstrap is a percentile bootstrap over tasks. All trials of a task stay together, since they are not independent of
// each other. Resample r draws as many tasks as there are, with replacement, from a PCG seeded with (Seed, r), out of the
// tasks sorted by id: the interval is the same to the last bit whatever the number of processors and the order of the
// records. The zero value has seed 0 and 10,000 resamples.
//
// It is how the paper computes the intervals of its Table 13, and there to print these. For few tasks, or figures near a
// bound, it is too narrow (docs/statistics.md#intervals): see Share and Difference.
type Bootstrap struct {
	Seed      uint64
	Resamples int // 0 for DefaultResamples
}

// Size is the number of resamples.
func (b Bootstrap) Size() int {
	if b.Resamples < 1 {
		return DefaultResamples
	}
	return b.Resamples
}

// Delta is the difference in Pass^k of a pairing, the first minus the second, with its interval: both systems get the
// same resampled tasks.
func (b Bootstrap) Delta(p Pairing) Estimate {
	e := Difference(p)
	if !e.Interval.Defined {
		return e
	}
	e.Interval = b.interval(p.differences(), e.Interval.SE)
	return e
}

// interval is the percentile interval of the mean of values, of which there are some.
func (b Bootstrap) interval(values []float64, se float64) Interval {
	means := make([]float64, b.Size())
	workers := min(runtime.GOMAXPROCS(0), len(means))
	var group sync.WaitGroup
	for w := range workers {
		first := w * len(means) / workers
		part := means[first : (w+1)*len(means)/workers]
		group.Go(func() {
			var source rand.PCG
			draw := make([]int32, len(values))
			for r := range part {
				source.Seed(b.Seed, uint64(first+r))
				fill(draw, &source)
				sum := 0.0
				for _, i := range draw {
					sum += values[i]
				}
				part[r] = sum / float64(len(values))
			}
		})
	}
	group.Wait()
	slices.Sort(means)
	lo, hi := limits(len(means))
	return Interval{Lo: means[lo-1], Hi: means[hi-1], Defined: true, Method: Resampled, SE: se}
}

// fill draws as many task numbers as draw is long, each below that length and all equally likely. One number of the
// source gives two, by multiplication; the few halves that would favour some tasks are thrown away (Lemire 2019).
func fill(draw []int32, source *rand.PCG) {
	n := uint32(len(draw))
	unfair := -n % n
	for i := 0; i < len(draw); {
		x := source.Uint64()
		for _, half := range [2]uint32{uint32(x >> 32), uint32(x)} {
			if p := uint64(half) * uint64(n); uint32(p) >= unfair && i < len(draw) {
				draw[i] = int32(p >> 32)
				i++
			}
		}
	}
}

// limits are the order statistics, counted from 1, that bound the middle 95 % of n values: 250 and 9,750 of 10,000.
func limits(n int) (lo, hi int) {
	tail := n * (100 - Level) / 200
	return max(tail, 1), n - tail
}
