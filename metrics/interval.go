package metrics

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Level is the coverage that intervals aim at, in percent.
const Level = 95

// Interval is a confidence interval of an estimate, or the reason why there is none. Lo <= Hi, both finite.
type Interval struct {
	Lo, Hi  float64
	Defined bool
	Reason  string // why it is undefined
	Method  Method // by which it was computed
	// SE is the standard error of the estimate over tasks, whose trials stay together: for a mean over tasks their standard
	// deviation over the root of their number, for other quotients the linear approximation. It is 0 where all tasks agree,
	// and then says nothing.
	SE float64
}

// Method is a way to compute an interval.
type Method string

// The methods. Which is for what, and how often each holds the truth, is in docs/statistics.md#intervals.
const (
	Adjusted  Method = "adjusted"  // shares, and differences of shares: Share, Difference
	LogNormal Method = "lognormal" // amounts without an upper bound: Amount
	Resampled Method = "bootstrap" // what the paper prints: Bootstrap
	Exact     Method = "exact"     // odds ratios: McNemar.Odds
)

// String says in a few words what a method is.
func (m Method) String() string {
	return map[Method]string{Adjusted: "adjusted Wald over tasks, two added at either bound (Agresti and Coull 1998), Student's t",
		LogNormal: "Student's t over tasks on the log scale (Cox's standard error where it is the larger)",
		Resampled: "percentile bootstrap over tasks", Exact: "binomial (Clopper and Pearson 1934)"}[m]
}

// Part is what one task adds to a figure that is a quotient of two sums over tasks: {value, 1} for a mean over tasks,
// {successes, trials} for a share of trials, {dollars, conversations} for a cost.
type Part struct{ Sum, Size float64 }

// Parts are the parts of tasks by id.
type Parts map[string]Part

// Add adds a trial's, or anything else's, to the part of its task.
func (p Parts) Add(task string, sum, size float64) {
	x := p[task]
	p[task] = Part{x.Sum + sum, x.Size + size}
}

// sorted are the parts that have a size, by task id, so that no sum over them depends on the order of records.
func (p Parts) sorted() (out []Part) {
	for _, task := range slices.Sorted(maps.Keys(p)) {
		if p[task].Size > 0 {
			out = append(out, p[task])
		}
	}
	return out
}

// Share estimates a share: the quotient of two sums over tasks, where each task's own quotient is between 0 and 1. why says
// what is missing where there is nothing to divide by.
//
// It assumes that tasks are a fair sample and independent of each other; trials of one task need not be. The interval is
// that of Agresti and Coull (1998) with tasks in place of their coin tosses: two tasks at 0 and two at 1, of the usual
// size, are added, and the interval is Student's t times the standard error of the tasks with these, cut at 0 and 1. Where
// tasks have one size and values 0 and 1, it is theirs; where trials of a task differ, it is as narrow as these allow.
func Share(tasks Parts, why string) Estimate { return bounded([][]Part{tasks.sorted()}, 0, 1, 2, why) }

// MeanShare is the mean of a share over domains, each of which counts the same whatever its number of tasks. It is
// undefined where that of any domain is. Of the added tasks, each domain gets its part: two over the number of domains at
// either end (Price and Bonett 2004), so that the interval is stratified by domain; the degrees of freedom are
// Satterthwaite's. It says nothing about domains that are not there.
func MeanShare(domains []Parts, why string) Estimate {
	strata := make([][]Part, len(domains))
	for i, d := range domains {
		strata[i] = d.sorted()
	}
	return bounded(strata, 0, 1, 2, why)
}

// bounded is the mean over strata of a quotient whose parts are between lo and hi, with its adjusted interval, for which
// so many tasks are added at either bound, over all strata.
func bounded(strata [][]Part, lo, hi, added float64, why string) Estimate {
	if len(strata) == 0 {
		return Estimate{Reason: why, Interval: Interval{Reason: why}}
	}
	out, alone := Estimate{Defined: true}, false
	var centre, variance, spread, se2 float64
	count := float64(len(strata))
	for _, tasks := range strata {
		e := quotient(tasks, why)
		if !e.Defined {
			return e
		}
		out.Value += e.Value
		out.Tasks += e.Tasks
		alone = alone || e.Tasks == 1
		se2 += e.Interval.SE * e.Interval.SE
		c, v, df := adjusted(tasks, lo, hi, added/count)
		centre += c
		variance += v
		spread += v * v / df
	}
	out.Value /= count
	centre /= count
	if alone {
		out.Interval = Interval{Reason: oneTask}
		return out
	}
	half := student(variance*variance/spread) * math.Sqrt(variance) / count
	out.Interval = Interval{Lo: max(lo, centre-half), Hi: min(hi, centre+half), Defined: true, Method: Adjusted, SE: math.Sqrt(se2) / count}
	return out
}

const oneTask = "one task says nothing about others"

// adjusted is a quotient with so many tasks added at either bound, its variance, and the degrees of freedom of that. An
// added task is as large as the tasks of a sample drawn by size are on average.
func adjusted(tasks []Part, lo, hi, added float64) (centre, variance, df float64) {
	var sum, size, squares float64
	for _, t := range tasks {
		sum += t.Sum
		size += t.Size
		squares += t.Size * t.Size
	}
	usual := squares / size
	n := size/usual + 2*added // tasks of that size
	size += 2 * added * usual
	centre = (sum + added*usual*(lo+hi)) / size
	square := func(x float64) float64 { return x * x }
	rest := added * square(usual) * (square(lo-centre) + square(hi-centre))
	for _, t := range tasks {
		rest += square(t.Sum - centre*t.Size)
	}
	return centre, rest / square(size) * n / (n - 1), n - 1
}

// quotient is the quotient of the sums with its standard error, without an interval.
func quotient(tasks []Part, why string) Estimate {
	var sum, size float64
	for _, t := range tasks {
		sum += t.Sum
		size += t.Size
	}
	e := of(sum/size, len(tasks), why)
	e.Interval.Reason = e.Reason
	if n := float64(len(tasks)); e.Defined && n > 1 {
		rest := 0.0
		for _, t := range tasks {
			d := t.Sum - e.Value*t.Size
			rest += d * d
		}
		e.Interval.SE = math.Sqrt(rest*n/(n-1)) / size
	}
	return e
}

// Amount estimates an amount that has no upper bound, such as dollars for a conversation: the quotient of two sums over
// tasks, none of which is negative.
//
// It assumes what Share does. Such amounts are skewed, and few tasks tend to miss the dear ones: the interval is Student's t
// on the log scale, with the standard error of the quotient (delta method) or, where it is the larger, that of a mean of
// log-normal values (Cox, in Land 1972; with t, Olsson 2005). It is undefined for one or two tasks, or limits a
// millionfold from the amount, for which it would be of no use, and where all tasks agree.
func Amount(tasks Parts, why string) Estimate {
	parts := tasks.sorted()
	e := quotient(parts, why)
	switch n := float64(len(parts)); {
	case !e.Defined:
	case n < 3:
		e.Interval = Interval{Reason: "fewer than three tasks say too little of others"}
	case e.Interval.SE <= 1e-12*e.Value:
		e.Interval = Interval{Reason: "all tasks agree, so that nothing is known of others"}
	default:
		relative := e.Interval.SE / e.Value
		if logs, ok := logarithms(parts); ok {
			v := stat.Variance(logs, nil)
			relative = max(relative, math.Sqrt(v/n+v*v/(2*(n-1))))
		}
		half := student(n-1) * relative
		if half > math.Log(1e6) { // whatever the unit
			e.Interval.Reason = "tasks differ too much"
			break
		}
		e.Interval = Interval{Lo: e.Value * math.Exp(-half), Hi: e.Value * math.Exp(half), Defined: true, Method: LogNormal, SE: e.Interval.SE}
	}
	return e
}

// logarithms are those of the tasks' own quotients; false where one has none.
func logarithms(parts []Part) ([]float64, bool) {
	out := make([]float64, len(parts))
	for i, p := range parts {
		if p.Sum <= 0 {
			return nil, false
		}
		out[i] = math.Log(p.Sum / p.Size)
	}
	return out, true
}

// student is the factor of a 95 % interval of a mean.
func student(df float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(0.5 + Level/200.0)
}
