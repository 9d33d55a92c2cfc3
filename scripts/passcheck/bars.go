package main

import (
	"math"
	"math/big"
)

// part is what a task adds to a quotient of two sums over tasks.
type part struct{ sum, size *big.Rat }

// bar is a figure with its standard error and 95 % limits; ok is false where there are no limits.
type bar struct {
	value, se, lo, hi float64
	ok                bool
}

// ratio is a whole number as a fraction.
func ratio(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

func plus(a, b *big.Rat) *big.Rat  { return new(big.Rat).Add(a, b) }
func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func over(a, b *big.Rat) *big.Rat  { return new(big.Rat).Quo(a, b) }

func float(r *big.Rat) float64 { f, _ := r.Float64(); return f }

// sums are the sums of the parts, of their sizes, and of the squares of these.
func sums(parts []part) (sum, size, squares *big.Rat) {
	sum, size, squares = ratio(0), ratio(0), ratio(0)
	for _, p := range parts {
		sum, size, squares = plus(sum, p.sum), plus(size, p.size), plus(squares, times(p.size, p.size))
	}
	return sum, size, squares
}

// rest is the sum of squares of what the parts are off from a quotient.
func rest(parts []part, quotient *big.Rat) *big.Rat {
	out := ratio(0)
	for _, p := range parts {
		d := minus(p.sum, times(quotient, p.size))
		out = plus(out, times(d, d))
	}
	return out
}

// share is the mean over strata of quotients between lo and 1, with an interval for which so many tasks of the usual size
// are added at either bound, divided among the strata.
func share(strata [][]part, lo, added int) bar {
	count := ratio(len(strata))
	value, se2, centre, variance, spread := ratio(0), ratio(0), ratio(0), ratio(0), ratio(0)
	b := bar{ok: true}
	for _, parts := range strata {
		sum, size, squares := sums(parts)
		q := over(sum, size)
		value = plus(value, q)
		if len(parts) < 2 {
			b.ok = false
			continue
		}
		n := ratio(len(parts))
		se2 = plus(se2, over(times(rest(parts, q), over(n, minus(n, ratio(1)))), times(size, size)))
		extra := over(ratio(added), count)
		usual := over(squares, size)
		weight := times(extra, usual)
		ends := []part{{times(usual, ratio(lo)), usual}, {usual, usual}}
		whole := plus(size, times(ratio(2), weight))
		c := over(plus(sum, times(weight, ratio(lo+1))), whole)
		squared := plus(rest(parts, c), times(extra, rest(ends, c)))
		all := plus(over(size, usual), times(ratio(2), extra))
		degrees := minus(all, ratio(1))
		v := times(over(squared, times(whole, whole)), over(all, degrees))
		centre, variance, spread = plus(centre, c), plus(variance, v), plus(spread, over(times(v, v), degrees))
	}
	b.value = float(over(value, count))
	if !b.ok {
		return b
	}
	b.se = math.Sqrt(float(se2)) / float(count)
	half := student(float(over(times(variance, variance), spread)), 0.025) * math.Sqrt(float(variance)) / float(count)
	b.lo, b.hi = max(float64(lo), float(over(centre, count))-half), min(1, float(over(centre, count))+half)
	return b
}

// amount is a quotient without an upper bound, with its interval on the log scale.
func amount(parts []part) bar {
	sum, size, _ := sums(parts)
	q := over(sum, size)
	n := float64(len(parts))
	b := bar{value: float(q)}
	b.se = math.Sqrt(float(rest(parts, q))*n/(n-1)) / float(size)
	if n < 3 || b.se <= 1e-12*b.value {
		return b
	}
	relative, logs, mean := b.se/b.value, []float64{}, 0.0
	for _, p := range parts {
		if p.sum.Sign() > 0 {
			logs = append(logs, math.Log(float(over(p.sum, p.size))))
			mean += logs[len(logs)-1] / n
		}
	}
	if len(logs) == len(parts) {
		v := 0.0
		for _, x := range logs {
			v += (x - mean) * (x - mean) / (n - 1)
		}
		relative = max(relative, math.Sqrt(v/n+v*v/2/(n-1)))
	}
	factor := math.Exp(student(n-1, 0.025) * relative)
	b.lo, b.hi, b.ok = b.value/factor, b.value*factor, true
	return b
}

// student is the point that Student's t exceeds with a chance: the density is summed by Simpson's rule and the point found by
// halving.
func student(degrees, chance float64) float64 {
	a, _ := math.Lgamma((degrees + 1) / 2)
	c, _ := math.Lgamma(degrees / 2)
	scale := math.Exp(a-c) / math.Sqrt(degrees*math.Pi)
	density := func(x float64) float64 { return scale * math.Pow(1+x*x/degrees, -(degrees+1)/2) }
	const steps = 600
	below := func(t float64) float64 {
		sum, h := density(0)+density(t), t/steps
		for i := 1; i < steps; i++ {
			sum += density(float64(i)*h) * float64(2+i%2*2)
		}
		return 0.5 + sum*h/3
	}
	lo, hi := 1.9, 0.4/chance // of as many degrees as one likes, and of one
	for range 45 {
		if mid := (lo + hi) / 2; below(mid) < 1-chance {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
