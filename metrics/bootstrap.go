package metrics

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Level is the coverage that bootstrap intervals aim at, in percent, and DefaultResamples their usual number of
// resamples (paper, appendix C).
const (
	Level            = 95
	DefaultResamples = 10_000
)

// Bootstrap is a percentile bootstrap over tasks. All trials of a task stay together, since they are not independent of
// each other. Resample r draws as many tasks as there are, with replacement, from a PCG seeded with (Seed, r), out of the
// tasks sorted by id: the interval is the same to the last bit whatever the number of processors and the order of the
// records. The zero value has seed 0 and 10,000 resamples.
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

// PassHat is Pass^k with its interval.
func (b Bootstrap) PassHat(all []Outcome, k int) Estimate {
	return b.mean(perTask(all, k, "Pass^%d", Ratio))
}

// Curve is Pass^1 to Pass^n with intervals, for a figure with bands. Every k sees the same resampled tasks, so that the
// limits, too, never rise in k. The band is one of single points, not of the whole curve.
func (b Bootstrap) Curve(all []Outcome, n int) []Estimate {
	out := make([]Estimate, max(n, 0))
	for i := range out {
		out[i] = b.PassHat(all, i+1)
	}
	return out
}

// Delta is the difference in Pass^k of a pairing, the first minus the second, with its interval: both systems get the
// same resampled tasks.
func (b Bootstrap) Delta(p Pairing) Estimate {
	return b.mean(p.differences())
}

// mean is the mean of values with its interval.
func (b Bootstrap) mean(values []float64, why string) Estimate {
	e := meanOf(values, why)
	if !e.Defined {
		e.Interval.Reason = e.Reason
		return e
	}
	e.Interval = b.interval([]int{len(values)}, func(draw []int32) float64 { return drawn(values, draw) })
	return e
}

// drawn is the mean of the values that were drawn.
func drawn(values []float64, draw []int32) float64 {
	sum := 0.0
	for _, i := range draw {
		sum += values[i]
	}
	return sum / float64(len(values))
}

// MeanPassHat is the mean of Pass^k over domains, each of which counts the same whatever its number of tasks, with its
// interval: tasks are drawn within their domain (a stratified bootstrap). It is undefined if that of any domain is.
func (b Bootstrap) MeanPassHat(domains [][]Outcome, k int) Estimate {
	each, sizes, tasks := make([][]float64, len(domains)), make([]int, len(domains)), 0
	mean := func(of func(domain int) float64) float64 {
		sum := 0.0
		for i := range domains {
			sum += of(i)
		}
		return sum / float64(len(domains))
	}
	for i, all := range domains {
		values, why := perTask(all, k, "Pass^%d", Ratio)
		if e := meanOf(values, why); !e.Defined {
			e.Interval.Reason = e.Reason
			return e
		}
		each[i], sizes[i] = values, len(values)
		tasks += len(values)
	}
	if len(domains) == 0 {
		return Estimate{Reason: "no domains", Interval: Interval{Reason: "no domains"}}
	}
	e := Estimate{Defined: true, Tasks: tasks, Value: mean(func(i int) float64 { return meanOf(each[i], "").Value })}
	e.Interval = b.interval(sizes, func(draw []int32) float64 {
		return mean(func(i int) float64 {
			part := draw[:sizes[i]]
			draw = draw[sizes[i]:]
			return drawn(each[i], part)
		})
	})
	return e
}

// interval is the percentile interval of a statistic of drawn tasks, of each stratum as many as it has, all above 0. The
// draw has the tasks of one stratum after those of the one before, each counted from 0. The statistic is called from
// several goroutines, gives finite numbers, and must not keep the draw.
func (b Bootstrap) interval(strata []int, statistic func(draw []int32) float64) Interval {
	n := 0
	for _, size := range strata {
		n += size
	}
	values := make([]float64, b.Size())
	workers := min(runtime.GOMAXPROCS(0), len(values))
	var group sync.WaitGroup
	for w := range workers {
		part := values[w*len(values)/workers : (w+1)*len(values)/workers]
		first := w * len(values) / workers
		group.Go(func() {
			var source rand.PCG
			draw := make([]int32, n)
			for r := range part {
				source.Seed(b.Seed, uint64(first+r))
				for from, i := 0, 0; i < len(strata); from, i = from+strata[i], i+1 {
					fill(draw[from:from+strata[i]], &source)
				}
				part[r] = statistic(draw)
			}
		})
	}
	group.Wait()
	slices.Sort(values)
	lo, hi := limits(len(values))
	return Interval{Lo: values[lo-1], Hi: values[hi-1], Defined: true}
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
