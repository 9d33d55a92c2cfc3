package metrics

import (
	"fmt"
	"math"
	"slices"
)

// Pass^k is the probability that k trials of a task, drawn without replacement from its n, all succeed, averaged over
// tasks. With c successes it is C(c,k)/C(n,k), the unbiased estimator of p^k (paper, section 4;
// docs/reference/metrics.md#outcomes). Here it is computed as the product of (c-i)/(n-i) for i < k: no factorial, no
// overflow, and no panic for c < k, where the product runs through zero.

// Estimate is a figure, or the reason why there is none. Value is always finite, and 0 where it is not defined.
type Estimate struct {
	Value    float64
	Defined  bool
	Reason   string   // why it is undefined
	Tasks    int      // tasks that it averages over
	Interval Interval // of shares, amounts and differences; the zero value for figures that have none
}

// Low is the lower limit of the interval as a figure of its own.
func (e Estimate) Low() Estimate { return e.limit(e.Interval.Lo) }

// High is the upper limit.
func (e Estimate) High() Estimate { return e.limit(e.Interval.Hi) }

func (e Estimate) limit(v float64) Estimate {
	switch {
	case !e.Defined:
		return Estimate{Reason: e.Reason}
	case !e.Interval.Defined:
		return Estimate{Reason: e.Interval.Reason}
	}
	return Estimate{Value: v, Defined: true, Tasks: e.Tasks}
}

// of makes an estimate of a quotient; what would not be finite is undefined for the given reason.
func of(value float64, tasks int, why string) Estimate {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Estimate{Reason: why}
	}
	return Estimate{Value: value, Defined: true, Tasks: tasks}
}

func undefined(format string, args ...any) Estimate {
	return Estimate{Reason: fmt.Sprintf(format, args...)}
}

// Ratio is C(c,k)/C(n,k) for 0 <= c <= n and 1 <= k; for k > n, of which there is no draw, it is 0.
func Ratio(c, n, k int) float64 {
	r := 1.0
	for i := range k {
		if c-i <= 0 {
			return 0
		}
		r *= float64(c-i) / float64(n-i)
	}
	return r
}

// tally counts the usable trials and the successes of one task.
type tally struct{ usable, success int }

// ratio is the task's part of Pass^k.
func (t *tally) ratio(k int) float64 { return Ratio(t.success, t.usable, k) }

// tallies counts by task.
func tallies(all []Outcome) map[string]*tally {
	by := map[string]*tally{}
	for _, o := range all {
		t := by[o.Task]
		if t == nil {
			t = &tally{}
			by[o.Task] = t
		}
		switch o.State {
		case Success:
			t.success++
			t.usable++
		case Failure:
			t.usable++
		}
	}
	return by
}

// PassHat estimates Pass^k over the tasks of the outcomes, which are one system's on one domain, as a Share: the mean over tasks
// of C(c,k)/C(n,k), c successes of n usable trials, which is the unbiased estimator of a chance to the power k. It is undefined
// where any task has fewer than k usable trials: averaging over the others would change what is estimated. It assumes that
// the trials of a task are alike and independent given the task.
func PassHat(all []Outcome, k int) Estimate {
	return shareOf(perTask(all, k, "Pass^%d", Ratio))
}

// MeanPassHat is the MeanShare of Pass^k over domains. It is undefined if Pass^k of any domain is.
func MeanPassHat(domains [][]Outcome, k int) Estimate {
	each := make([]Parts, len(domains))
	for i, all := range domains {
		parts, why := perTask(all, k, "Pass^%d", Ratio)
		if why != "" {
			return shareOf(nil, why)
		}
		each[i] = parts
	}
	if len(domains) == 0 {
		return shareOf(nil, "no domains")
	}
	return MeanShare(each, "no tasks")
}

// PassAt estimates pass@k, the probability that at least one of k trials succeeds: the mean over tasks of
// 1 - C(n-c,k)/C(n,k) (Chen et al. 2021), as a Share. It is undefined where PassHat is, and assumes what that does. It says
// what retrying with a perfect judge could reach, and nothing about reliability.
func PassAt(all []Outcome, k int) Estimate {
	return shareOf(perTask(all, k, "pass@%d", anyOf))
}

// anyOf is 1 - C(n-c,k)/C(n,k): the chance of at least one success among k draws.
func anyOf(c, n, k int) float64 { return 1 - Ratio(n-c, n, k) }

// Consistency is Pass^n/Pass^1 (paper, Table 10): how much of a system's success rate is left when all n trials must succeed.
// It is undefined where either is, and where nothing ever succeeded. It has no interval: a system that passes one easy task
// has consistency 1.
func Consistency(all []Outcome, n int) Estimate {
	first, last := PassHat(all, 1), PassHat(all, n)
	switch {
	case !first.Defined:
		return first
	case !last.Defined:
		return last
	}
	return of(last.Value/first.Value, last.Tasks, "Pass^1 is 0: nothing ever succeeded")
}

// perTask computes a statistic of c successes in n usable trials for every task, or says why it cannot.
func perTask(all []Outcome, k int, name string, statistic func(c, n, k int) float64) (Parts, string) {
	name = fmt.Sprintf(name, k)
	if k < 1 {
		return nil, name + ": k starts at 1"
	}
	by := tallies(all)
	short := 0
	values := make(Parts, len(by))
	for id, t := range by {
		if t.usable < k {
			short++
			continue
		}
		values[id] = Part{statistic(t.success, t.usable, k), 1}
	}
	if short > 0 {
		return nil, fmt.Sprintf("%d of %d tasks have %s", short, len(by), tooFew(k))
	}
	return values, ""
}

// tooFew says that tasks have fewer than k usable trials.
func tooFew(k int) string {
	if k == 1 {
		return "no usable trial"
	}
	return fmt.Sprintf("fewer than %d usable trials", k)
}

// shareOf is the share of tasks, or undefined for a reason.
func shareOf(tasks Parts, why string) Estimate {
	if why == "" {
		return Share(tasks, "no tasks")
	}
	return Estimate{Reason: why, Interval: Interval{Reason: why}}
}

// Bounds are Pass^k with every void or pending trial counted as a failure, and as a success: whatever the missing trials would
// have brought, it lies between these. Their intervals are those of the tasks, not of what is missing (Horowitz and Manski 2000,
// Journal of the American Statistical Association 95).
func Bounds(all []Outcome, k int) (worst, best Estimate) {
	return PassHat(Counted(all, Failure), k), PassHat(Counted(all, Success), k)
}

// Counted are the outcomes with every void or pending trial counted as of a state, for bounds of other figures than Pass^k.
func Counted(all []Outcome, as State) []Outcome {
	counted := slices.Clone(all)
	for i, o := range counted {
		if o.State == Void || o.State == Pending {
			counted[i].State = as
		}
	}
	return counted
}

// StrictPass is Pass^1 at its worst: see Bounds.
func StrictPass(all []Outcome) Estimate {
	worst, _ := Bounds(all, 1)
	return worst
}

// MaxTrials is the largest number of planned trials of any task.
func MaxTrials(all []Outcome) int {
	n := map[string]int{}
	most := 0
	for _, o := range all {
		n[o.Domain+"\x00"+o.System+"\x00"+o.Task]++
		most = max(most, n[o.Domain+"\x00"+o.System+"\x00"+o.Task])
	}
	return most
}
