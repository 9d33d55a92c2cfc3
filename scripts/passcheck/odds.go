package main

import "math"

// odds is the quotient of two counts, where the second is not 0, with its exact limits: those of the share of the first at which
// so many, or more, and so many, or fewer, are seen in 2.5 of 100 cases.
func odds(first, second int) bar {
	if second == 0 {
		return bar{}
	}
	n := first + second
	chance := func(p float64, from, to int) (sum float64) {
		for k := from; k <= to; k++ {
			all, _ := math.Lgamma(float64(n + 1))
			some, _ := math.Lgamma(float64(k + 1))
			rest, _ := math.Lgamma(float64(n - k + 1))
			sum += math.Exp(all - some - rest + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		}
		return sum
	}
	// halve finds the share from which on something holds.
	halve := func(holds func(float64) bool) float64 {
		lo, hi := 0.0, 1.0
		for range 60 {
			if mid := (lo + hi) / 2; holds(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi
	}
	b := bar{value: float(over(ratio(first), ratio(second))), ok: true}
	hi := halve(func(p float64) bool { return chance(p, 0, first) < 0.025 })
	b.hi = hi / (1 - hi)
	if first > 0 {
		lo := halve(func(p float64) bool { return chance(p, first, n) > 0.025 })
		b.lo = lo / (1 - lo)
	}
	return b
}

// holm corrects each p for those that are not smaller, and lets none fall below that of a smaller one.
func holm(ps []float64) []float64 {
	out := make([]float64, len(ps))
	for i, p := range ps {
		for _, q := range ps {
			if q > p {
				continue
			}
			more := 0
			for _, r := range ps {
				if r >= q {
					more++
				}
			}
			out[i] = max(out[i], min(1, float64(more)*q))
		}
	}
	return out
}
