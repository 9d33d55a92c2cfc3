package metrics

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Discordant counts, in one stratum, the tasks that only the first system passed and those that only the second did.
type Discordant struct{ First, Second int }

// McNemar is the outcome of the stratified test that two systems pass a task equally often. All of it is always finite.
type McNemar struct {
	Strata        int
	First, Second int     // discordant tasks, summed over the strata
	Z             float64 // (First - Second) / sqrt(First + Second); 0 without discordant tasks
	Normal        float64 // two-sided p by the normal approximation, as the paper prints it: too small; 1 without discordant tasks
	Exact         float64 // two-sided p by the binomial distribution, the one to read
}

// McNemarTest runs McNemar's test over strata, which are domains (paper, appendix C). Under the hypothesis every discordant task
// is a fair coin whatever its stratum, so that the sums are binomial too. Negative counts are taken as none.
func McNemarTest(strata ...Discordant) McNemar {
	t := McNemar{Strata: len(strata), Normal: 1, Exact: 1}
	for _, s := range strata {
		t.First += max(s.First, 0)
		t.Second += max(s.Second, 0)
	}
	n := t.Discordant()
	if n == 0 {
		return t
	}
	t.Z = float64(t.First-t.Second) / math.Sqrt(float64(n))
	// The lower tail keeps its digits where the upper one, as a difference to 1, would lose them.
	t.Normal = 2 * distuv.UnitNormal.CDF(-math.Abs(t.Z))
	t.Exact = min(1, 2*distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(min(t.First, t.Second))))
	return t
}

// McNemarOf runs the test over pairings, each of which is a stratum. Those without a comparison are left out.
func McNemarOf(pairings ...Pairing) McNemar {
	var strata []Discordant
	for _, p := range pairings {
		if p.Reason == "" {
			strata = append(strata, p.Discordant())
		}
	}
	return McNemarTest(strata...)
}

// Discordant is the number of discordant tasks.
func (t McNemar) Discordant() int { return t.First + t.Second }

// Odds estimates the odds ratio of a task's passing with the first system against the second: the quotient of the discordant
// counts (Breslow and Day 1980, section 5.2), of which the tasks that agree say nothing. It assumes that discordant tasks are
// alike. Its interval is that of Clopper and Pearson (1934) for the share of the first: it leaves out 1 just where the exact
// p is below 5 %.
func (t McNemar) Odds() Estimate {
	first, second := float64(t.First), float64(t.Second)
	e := of(first/second, t.Discordant(), "no task passes with the second alone")
	if !e.Defined {
		e.Interval.Reason = e.Reason
		return e
	}
	const tail = (100 - Level) / 200.0
	odds := func(share float64) float64 { return share / (1 - share) }
	e.Interval = Interval{Defined: true, Method: Exact, Hi: odds(distuv.Beta{Alpha: first + 1, Beta: second}.Quantile(1 - tail))}
	if first > 0 {
		e.Interval.Lo = odds(distuv.Beta{Alpha: first, Beta: second + 1}.Quantile(tail))
	}
	return e
}

// Holm corrects the p of several comparisons that are read together, so that the chance of any false finding among them
// stays below the level at which they are read (Holm 1979). The order is kept. What is not a probability is taken as 1.
func Holm(ps []float64) []float64 {
	out := make([]float64, len(ps))
	order := make([]int, len(ps))
	for i, p := range ps {
		order[i] = i
		out[i] = 1
		if p >= 0 && p <= 1 {
			out[i] = p
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(out[i], out[j]) })
	most := 0.0
	for rank, i := range order {
		most = max(most, min(1, out[i]*float64(len(ps)-rank)))
		out[i] = most
	}
	return out
}
