package main

import (
	"math"
	"math/big"
)

// contest is what two systems on a domain show of their chances: mean, and what varies between tasks and within them, of each;
// and what the difference varies between tasks.
type contest struct {
	mean, between, within [2]*big.Rat
	difference            *big.Rat
}

// contested is a contest by the common tasks with at least two scored simulations of either; nil where there are not two.
func contested(a, b counts) *contest {
	x, y := a.repeated(), b.repeated()
	both := less(x, y)
	if len(both) < 2 {
		return nil
	}
	var c contest
	c.difference, _ = split(both)
	for i, side := range []map[string]moments{x, y} {
		for task := range side {
			if _, ok := both[task]; !ok {
				delete(side, task)
			}
		}
		c.mean[i] = meanShare(side)
		c.between[i], c.within[i] = split(side)
	}
	return &c
}

// varies is what the difference in Pass^k varies between tasks, and what so many simulations of a task add to that.
func (c contest) varies(k, trials int) (between, added float64) {
	if k == 1 {
		return float(c.difference), float(over(plus(c.within[0], c.within[1]), ratio(trials)))
	}
	var outer [2]float64
	for i := range 2 {
		whole, double, single := ratio(0), c.moment(i, 2*k), c.moment(i, k)
		for common := range k + 1 { // of two choices of k
			if k-common <= trials-k {
				draws := new(big.Int).Mul(ways(k, common), ways(trials-k, k-common))
				whole = plus(whole, times(new(big.Rat).SetFrac(draws, ways(trials, k)), c.moment(i, 2*k-common)))
			}
		}
		outer[i] = float(minus(double, times(single, single)))
		added += float(minus(whole, double))
	}
	alike := 0.0
	if width := math.Sqrt(float(c.between[0]) * float(c.between[1])); width > 0 {
		alike = min(1, max(-1, float(minus(plus(c.between[0], c.between[1]), c.difference))/2/width))
	}
	return max(0, outer[0]+outer[1]-2*alike*math.Sqrt(outer[0]*outer[1])), added
}

// moment is the mean of a power of chances that are beta distributed.
func (c contest) moment(side, power int) *big.Rat {
	alike, all := ratio(0), plus(c.between[side], c.within[side])
	if all.Sign() > 0 {
		alike = over(c.between[side], all)
	}
	rest, out := minus(ratio(1), alike), c.mean[side]
	for i := 1; i < power; i++ {
		step := times(alike, ratio(i))
		out = times(out, over(plus(times(rest, c.mean[side]), step), plus(rest, step)))
	}
	return out
}

// plan is a domain of an experiment: tasks, and the variance of a task's difference.
type plan struct {
	tasks    int
	variance float64
}

// power is how often such experiments, of so many comparisons, find an effect: how often the interval leaves out 0.
func power(effect float64, family int, domains ...plan) float64 {
	count := float64(len(domains))
	var centre, truth, variance, spread float64
	for _, d := range domains {
		n := float64(d.tasks)
		whole := n + 2/count
		c := effect * n / whole
		squares := (n-1)*d.variance + n*(effect-c)*(effect-c) + ((1-c)*(1-c)+(1+c)*(1+c))/count
		v := squares / whole / (whole - 1)
		centre, truth, variance, spread = centre+c, truth+n*d.variance/whole/whole, variance+v, spread+v*v/(whole-1)
	}
	over := centre - student(variance*variance/spread, 0.025/float64(family))*math.Sqrt(variance)
	switch {
	case truth > 0:
		return math.Erfc(-over/math.Sqrt(2*truth)) / 2
	case over > 0:
		return 1
	}
	return 0
}
