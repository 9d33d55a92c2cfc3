package metrics

import (
	"fmt"
)

// Pass^k is the probability that k trials of a task, drawn without replacement from its n, all succeed, averaged over
// tasks. With c successes it is C(c,k)/C(n,k), the unbiased estimator of p^k (paper, section 4; spec/metrics.md).
// Here it is computed as the product of (c-i)/(n-i) for i < k: no factorial, no overflow, and no panic for c < k,
// where the product runs through zero.

// Estimate is a figure, or the reason why there is none.
type Estimate struct {
	Value   float64
	Defined bool
	Reason  string // why it is undefined
	Tasks   int    // tasks that it averages over
}

func undefined(format string, args ...any) Estimate {
	return Estimate{Reason: fmt.Sprintf(format, args...)}
}

// Ratio is C(c,k)/C(n,k) for 0 <= c <= n and 1 <= k <= n.
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

func tallies(all []Outcome) (tasks []string, by map[string]*tally) {
	by = map[string]*tally{}
	for _, o := range all {
		t := by[o.Task]
		if t == nil {
			t = &tally{}
			by[o.Task] = t
			tasks = append(tasks, o.Task)
		}
		switch o.State {
		case Success:
			t.success++
			t.usable++
		case Failure:
			t.usable++
		}
	}
	return tasks, by
}

// PassHat estimates Pass^k over the tasks of the outcomes, which are one system's on one domain. It is undefined where
// any task has fewer than k usable trials: averaging over the others would change what is estimated.
func PassHat(all []Outcome, k int) Estimate {
	if k < 1 {
		return undefined("Pass^%d: k starts at 1", k)
	}
	tasks, by := tallies(all)
	if len(tasks) == 0 {
		return undefined("no tasks")
	}
	short, sum := 0, 0.0
	for _, id := range tasks {
		t := by[id]
		if t.usable < k {
			short++
			continue
		}
		sum += Ratio(t.success, t.usable, k)
	}
	if short > 0 {
		return undefined("%d of %d tasks have fewer than %d usable trials", short, len(tasks), k)
	}
	return Estimate{Value: sum / float64(len(tasks)), Defined: true, Tasks: len(tasks)}
}

// StrictPass is Pass^1 with every void or pending trial counted as a failure: the lower end of what the missing trials
// could have brought.
func StrictPass(all []Outcome) Estimate {
	counted := make([]Outcome, len(all))
	for i, o := range all {
		if o.State != Success {
			o.State = Failure
		}
		counted[i] = o
	}
	return PassHat(counted, 1)
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
