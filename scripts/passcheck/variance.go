package main

import (
	"math"
	"math/big"
)

// moments are a task's share of successes, the variance of one of its simulations, and that of the share, which is due to them.
type moments struct{ share, within, noise *big.Rat }

// repeated are the moments of the tasks with at least two scored simulations.
func (c counts) repeated() map[string]moments {
	out := map[string]moments{}
	for task, t := range c {
		if n := int64(t.success + t.failure); n > 1 {
			within := new(big.Rat).SetFrac64(int64(t.success*t.failure), n*(n-1))
			out[task] = moments{new(big.Rat).SetFrac64(int64(t.success), n), within, over(within, ratio(int(n)))}
		}
	}
	return out
}

// less are the moments of the differences to those of another system, of common tasks.
func less(a, b map[string]moments) map[string]moments {
	out := map[string]moments{}
	for task, x := range a {
		if y, ok := b[task]; ok {
			out[task] = moments{minus(x.share, y.share), plus(x.within, y.within), plus(x.noise, y.noise)}
		}
	}
	return out
}

// split is what varies between tasks, within domains, and between simulations of one; nil where no domain has two tasks.
func split(domains ...map[string]moments) (between, within *big.Rat) {
	squares, noise, inner, tasks, degrees := ratio(0), ratio(0), ratio(0), 0, 0
	for _, d := range domains {
		mean := meanShare(d)
		for _, x := range d {
			off := minus(x.share, mean)
			squares, noise, inner = plus(squares, times(off, off)), plus(noise, x.noise), plus(inner, x.within)
		}
		tasks += len(d)
		degrees += max(0, len(d)-1)
	}
	if degrees == 0 {
		return nil, nil
	}
	between = minus(over(squares, ratio(degrees)), over(noise, ratio(tasks)))
	if between.Sign() < 0 {
		between = ratio(0)
	}
	return between, over(inner, ratio(tasks))
}

func meanShare(tasks map[string]moments) *big.Rat {
	sum := ratio(0)
	for _, x := range tasks {
		sum = plus(sum, x.share)
	}
	return over(sum, ratio(max(1, len(tasks))))
}

// together says how the shares of the tasks of two systems go together: their correlation within domains, not a number where
// there is none, and how often of a simulation of each one succeeds alone, nil without common tasks.
func together(domains ...[2]counts) (correlation float64, discordance *big.Rat) {
	both, first, second, alone, tasks := ratio(0), ratio(0), ratio(0), ratio(0), 0
	for _, d := range domains {
		var p, q []*big.Rat
		sumP, sumQ := ratio(0), ratio(0)
		for task, a := range d[0] {
			b := d[1][task]
			if b == nil || a.success+a.failure == 0 || b.success+b.failure == 0 {
				continue
			}
			x, y := over(ratio(a.success), ratio(a.success+a.failure)), over(ratio(b.success), ratio(b.success+b.failure))
			p, q, sumP, sumQ = append(p, x), append(q, y), plus(sumP, x), plus(sumQ, y)
			alone = plus(alone, plus(times(x, minus(ratio(1), y)), times(y, minus(ratio(1), x))))
		}
		n := ratio(max(1, len(p)))
		for i := range p {
			x, y := minus(p[i], over(sumP, n)), minus(q[i], over(sumQ, n))
			both, first, second = plus(both, times(x, y)), plus(first, times(x, x)), plus(second, times(y, y))
		}
		tasks += len(p)
	}
	if tasks == 0 {
		return math.NaN(), nil
	}
	return float(both) / math.Sqrt(float(first)*float(second)), over(alone, ratio(tasks))
}

// bounds are Pass^k with what is void or not scored counted as a failure, and as a success.
func (c counts) bounds(k int) (worst, best *big.Rat) {
	bad, good := counts{}, counts{}
	for task, t := range c {
		missing := t.void + t.unscored
		bad[task] = &tally{success: t.success, failure: t.failure + missing}
		good[task] = &tally{success: t.success + missing, failure: t.failure}
	}
	return bad.pass(k), good.pass(k)
}
