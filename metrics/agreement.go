package metrics

import (
	"maps"
	"math"
	"slices"
)

// Rated is something that two raters said yes or no to, such as an expected outcome of one conversation, by its task.
type Rated struct {
	Task          string
	First, Second bool
}

// Agreement says how far two raters agree, and how often either says yes.
type Agreement struct {
	Both, OnlyFirst, OnlySecond, Neither int
	Share                                Estimate // of what they rated alike
	// Kappa is how much of the way they are from what chance alone would give, for how often each says yes, to agreement on all
	// (Cohen 1960, Educational and Psychological Measurement 20): 0 is chance, 1 is all. It is undefined where both say yes to
	// everything, or to nothing: then chance alone agrees.
	Kappa Estimate
}

// Size is how many things both rated.
func (a Agreement) Size() int { return a.Both + a.OnlyFirst + a.OnlySecond + a.Neither }

// ratings are the sums of one task.
type ratings struct{ size, first, second, differ float64 }

func (r ratings) plus(x ratings) ratings {
	return ratings{r.size + x.size, r.first + x.first, r.second + x.second, r.differ + x.differ}
}

// AgreementOf estimates how far two raters agree. It assumes what Share does, and bounds the share as that. The interval of
// kappa is made in the same way: of the usual size, four tasks are added, one for each pair of answers, and the interval is
// Student's t times the linear approximation of kappa's standard error over tasks (Fleiss, Cohen and Everitt 1969,
// Psychological Bulletin 72, with tasks in place of single ratings), cut at -1 and 1.
func AgreementOf(all []Rated) Agreement {
	var a Agreement
	by, alike := map[string]ratings{}, Parts{}
	for _, x := range all {
		r, same := ratings{size: 1}, 0.0
		switch {
		case x.First && x.Second:
			a.Both++
			r.first, r.second, same = 1, 1, 1
		case x.First:
			a.OnlyFirst++
			r.first, r.differ = 1, 1
		case x.Second:
			a.OnlySecond++
			r.second, r.differ = 1, 1
		default:
			a.Neither++
			same = 1
		}
		by[x.Task] = by[x.Task].plus(r)
		alike.Add(x.Task, same, 1)
	}
	a.Share = Share(alike, "nothing was rated twice")
	var tasks []ratings
	for _, task := range slices.Sorted(maps.Keys(by)) {
		tasks = append(tasks, by[task])
	}
	a.Kappa = kappa(tasks)
	return a
}

// kappa is Cohen's kappa of these tasks with its interval.
func kappa(tasks []ratings) Estimate {
	if len(tasks) == 0 {
		return Estimate{Reason: "nothing was rated twice", Interval: Interval{Reason: "nothing was rated twice"}}
	}
	value, se := linear(tasks)
	e := of(value, len(tasks), "both always give the same answer, as chance would")
	switch {
	case !e.Defined:
		e.Interval = Interval{Reason: e.Reason}
		return e
	case len(tasks) == 1:
		e.Interval = Interval{Reason: oneTask}
		return e
	}
	size, squares := 0.0, 0.0
	for _, t := range tasks {
		size += t.size
		squares += t.size * t.size
	}
	s := squares / size // the usual size
	centre, wide := linear(append(slices.Clone(tasks), ratings{s, s, s, 0}, ratings{s, s, 0, s}, ratings{s, 0, s, s}, ratings{s, 0, 0, 0}))
	half := student(float64(len(tasks)+3)) * wide
	e.Interval = Interval{Lo: max(-1, centre-half), Hi: min(1, centre+half), Defined: true, Method: Adjusted, SE: se}
	return e
}

// linear is kappa, not a number where there is none, and its standard error over tasks.
func linear(tasks []ratings) (value, se float64) {
	var sum ratings
	for _, t := range tasks {
		sum = sum.plus(t)
	}
	differ, first, second := sum.differ/sum.size, sum.first/sum.size, sum.second/sum.size
	chance := first*(1-second) + second*(1-first) // of answers that differ
	rest := 0.0
	for _, t := range tasks {
		off := ratings{0, t.first - first*t.size, t.second - second*t.size, t.differ - differ*t.size}
		d := differ/chance/chance*(off.first*(1-2*second)+off.second*(1-2*first)) - off.differ/chance
		rest += d * d
	}
	n := float64(len(tasks))
	return 1 - differ/chance, math.Sqrt(rest*n/(n-1)) / sum.size
}
