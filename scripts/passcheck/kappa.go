package main

import (
	"math"
	"math/big"
)

// answer is what two raters said of one thing.
type answer struct {
	task          string
	first, second bool
}

// answered are the sums of a task: things, what either said yes to, and on what they differ.
type answered struct{ size, first, second, differ *big.Rat }

// kappa is Cohen's, with an interval over tasks for which one task of the usual size is added to each of the four cells. It is
// not a number where both always say the same, and has no interval for one task.
func kappa(all []answer) bar {
	by := map[string]*answered{}
	for _, x := range all {
		t := by[x.task]
		if t == nil {
			t = &answered{ratio(0), ratio(0), ratio(0), ratio(0)}
			by[x.task] = t
		}
		one := func(yes bool) *big.Rat {
			if yes {
				return ratio(1)
			}
			return ratio(0)
		}
		t.size, t.first, t.second, t.differ = plus(t.size, ratio(1)), plus(t.first, one(x.first)), plus(t.second, one(x.second)), plus(t.differ, one(x.first != x.second))
	}
	var tasks []answered
	size, squares := ratio(0), ratio(0)
	for _, t := range by {
		tasks = append(tasks, *t)
		size, squares = plus(size, t.size), plus(squares, times(t.size, t.size))
	}
	b := bar{}
	b.value, b.se = linear(tasks)
	if math.IsNaN(b.value) || len(tasks) < 2 {
		return b
	}
	usual, none := over(squares, size), ratio(0)
	centre, se := linear(append(tasks, answered{usual, usual, usual, none}, answered{usual, usual, none, usual}, answered{usual, none, usual, usual}, answered{usual, none, none, none}))
	half := student(float64(len(tasks)+3), 0.025) * se
	b.lo, b.hi, b.ok = max(-1, centre-half), min(1, centre+half), true
	return b
}

// linear is kappa and its standard error over tasks, by what each would change.
func linear(tasks []answered) (value, se float64) {
	size, first, second, differ := ratio(0), ratio(0), ratio(0), ratio(0)
	for _, t := range tasks {
		size, first, second, differ = plus(size, t.size), plus(first, t.first), plus(second, t.second), plus(differ, t.differ)
	}
	if size.Sign() == 0 {
		return math.NaN(), 0
	}
	x, y, q := over(first, size), over(second, size), over(differ, size)
	chance := plus(times(x, minus(ratio(1), y)), times(y, minus(ratio(1), x)))
	if chance.Sign() == 0 {
		return math.NaN(), 0
	}
	squares := ratio(0)
	for _, t := range tasks {
		moved := plus(times(minus(t.first, times(x, t.size)), minus(ratio(1), times(ratio(2), y))), times(minus(t.second, times(y, t.size)), minus(ratio(1), times(ratio(2), x))))
		d := minus(over(times(q, moved), times(chance, chance)), over(minus(t.differ, times(q, t.size)), chance))
		squares = plus(squares, times(d, d))
	}
	n := float64(len(tasks))
	return float(minus(ratio(1), over(q, chance))), math.Sqrt(float(squares)*n/(n-1)) / float(size)
}
