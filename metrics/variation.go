package metrics

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Variation says what makes a share of successes uncertain, or the difference of two: how much it differs from task to task
// (the variance over tasks of the chance of success, or of the difference of two chances, which is the smaller the more the
// systems find the same tasks hard), and how much from trial to trial of one task (the mean variance of a trial, or the sum of
// both systems').
type Variation struct {
	Between float64 `json:"between"`
	Within  float64 `json:"within"`
}

// Intraclass is the correlation of two trials of a task: the part of the variance that is between tasks. It is 1 where every
// task always or never passes, and undefined where nothing varies.
func (v Variation) Intraclass() Estimate {
	return of(v.Between/(v.Between+v.Within), 0, "all trials end alike")
}

// repeated is a task with at least two usable trials: its share, or the difference of two, the variance of a trial, and that of
// the share, which is due to trials.
type repeated struct{ share, within, noise float64 }

// repeatedOf is a task as that, from two usable trials on.
func repeatedOf(t *tally) (repeated, bool) {
	if t.usable < 2 {
		return repeated{}, false
	}
	n, share := float64(t.usable), t.ratio(1)
	within := share * (1 - share) * n / (n - 1)
	return repeated{share, within, within / n}, true
}

// less is the difference of two systems' shares of a task.
func (x repeated) less(y repeated) repeated {
	return repeated{x.share - y.share, x.within + y.within, x.noise + y.noise}
}

// split is the analysis of variance of tasks within strata; false where no stratum has two.
func split(strata [][]repeated) (v Variation, ok bool) {
	var squares, degrees, tasks, noise float64
	for _, s := range strata {
		shares := make([]float64, len(s))
		for i, x := range s {
			shares[i] = x.share
			v.Within += x.within
			noise += x.noise
		}
		tasks += float64(len(s))
		if n := float64(len(s) - 1); n > 0 {
			squares += n * stat.Variance(shares, nil)
			degrees += n
		}
	}
	if degrees == 0 {
		return Variation{}, false
	}
	return Variation{max(0, squares/degrees-noise/tasks), v.Within / tasks}, true
}

// SplitOf estimates the variation of one system's chances without bias from the tasks with at least two usable trials: the
// variance over tasks of their shares, of which the part that is due to trials is taken away (one-way analysis of variance;
// Searle, Casella and McCulloch 1992, section 3.6). It assumes that trials of a task are alike and independent given the task.
// Over several domains, tasks are set against the mean of their own. A Between below 0, which small samples give, is 0. False
// where no domain has two such tasks.
func SplitOf(domains ...[]Outcome) (Variation, bool) {
	strata := make([][]repeated, len(domains))
	for i, all := range domains {
		by := tallies(all)
		for _, task := range slices.Sorted(maps.Keys(by)) {
			if x, ok := repeatedOf(by[task]); ok {
				strata[i] = append(strata[i], x)
			}
		}
	}
	return split(strata)
}

// VariationOf is SplitOf for the difference in Pass^1 of two systems, from the tasks of which both have at least two usable
// trials.
func VariationOf(domains ...Both) (Variation, bool) {
	strata := make([][]repeated, len(domains))
	for i, b := range domains {
		b.each(func(first, second *tally) {
			x, one := repeatedOf(first)
			y, two := repeatedOf(second)
			if one && two {
				strata[i] = append(strata[i], x.less(y))
			}
		})
	}
	return split(strata)
}

// each goes through the tasks of which both systems have a usable trial, in the order of their ids.
func (b Both) each(do func(first, second *tally)) {
	first, second := tallies(b.First), tallies(b.Second)
	for _, task := range slices.Sorted(maps.Keys(first)) {
		if t := second[task]; t != nil && min(first[task].usable, t.usable) > 0 {
			do(first[task], t)
		}
	}
}

// Association says how far two systems find the same tasks hard.
type Association struct {
	Tasks int // of which both have a usable trial
	// Correlation is Pearson's of the tasks' shares of successes. It is nearer to 0 than that of the chances, the fewer the
	// trials.
	Correlation Estimate
	// Discordance is the chance that of a trial of each on the same task one passes alone, the mean over tasks: what a paired
	// comparison learns from. It is unbiased if trials are independent given the task.
	Discordance Estimate
}

// AssociationOf estimates how two systems' results go together, over domains within each: tasks are set against the mean of
// their own. Correlation takes two tasks of a domain, and is undefined where a system's tasks do not differ.
func AssociationOf(domains ...Both) Association {
	var a Association
	var together, first, second, discordant float64
	for _, b := range domains {
		var x, y []float64
		b.each(func(s, t *tally) {
			p, q := s.ratio(1), t.ratio(1)
			x, y = append(x, p), append(y, q)
			discordant += p*(1-q) + q*(1-p)
		})
		a.Tasks += len(x)
		if n := float64(len(x) - 1); n > 0 {
			together += n * stat.Covariance(x, y, nil)
			first += n * stat.Variance(x, nil)
			second += n * stat.Variance(y, nil)
		}
	}
	a.Correlation = of(together/math.Sqrt(first*second), a.Tasks, "the tasks of a system do not differ")
	a.Discordance = of(discordant/float64(a.Tasks), a.Tasks, "no common tasks")
	return a
}

// Chances are what is known of a system's chances of success over the tasks of a domain.
type Chances struct {
	Mean float64
	Variation
}

// Contest is what planning a comparison of two systems on a domain takes: the chances of each, and how much their difference
// varies between tasks.
type Contest struct {
	First, Second Chances
	Between       float64
}

// ContestOf estimates it from the tasks of which both have at least two usable trials; false where there are not two such tasks.
func ContestOf(b Both) (c Contest, ok bool) {
	var first, second []repeated
	var both []repeated
	b.each(func(s, t *tally) {
		x, one := repeatedOf(s)
		y, two := repeatedOf(t)
		if one && two {
			first, second, both = append(first, x), append(second, y), append(both, x.less(y))
		}
	})
	v, ok := split([][]repeated{both})
	c.Between = v.Between
	for side, tasks := range map[*Chances][]repeated{&c.First: first, &c.Second: second} {
		side.Variation, _ = split([][]repeated{tasks})
		for _, x := range tasks {
			side.Mean += x.share / float64(len(tasks))
		}
	}
	return c, ok
}

// Variation is that of the difference in Pass^k over so many trials of each task, at least k: Within / trials is the variance
// that trials add to a task. For k > 1 it takes the chances as beta distributed, with their mean and intraclass correlation, and
// their k-th powers as correlated between the systems as they are themselves.
func (c Contest) Variation(k, trials int) Variation {
	if k == 1 {
		return Variation{c.Between, c.First.Within + c.Second.Within}
	}
	x, y := c.First.powers(k, trials), c.Second.powers(k, trials)
	single := math.Sqrt(c.First.Between * c.Second.Between)
	shared := 0.0
	if single > 0 {
		shared = min(1, max(-1, (c.First.Between+c.Second.Between-c.Between)/2/single))
	}
	return Variation{max(0, x.Between+y.Between-2*shared*math.Sqrt(x.Between*y.Between)), x.Within + y.Within}
}

// powers is the variation of the unbiased estimates of k-th powers of the chances. Such an estimate is the share of all choices
// of k trials that all succeed: its square is that of two choices, which have some trials in common.
func (c Chances) powers(k, trials int) Variation {
	whole := 0.0
	for common := max(0, 2*k-trials); common <= k; common++ {
		whole += math.Exp(choices(k, common)+choices(trials-k, k-common)-choices(trials, k)) * c.moment(2*k-common)
	}
	between := c.moment(2*k) - c.moment(k)*c.moment(k)
	return Variation{max(0, between), max(0, whole-c.moment(2*k)) * float64(trials)}
}

// moment is the mean of a power of the chances.
func (c Chances) moment(power int) float64 {
	alike := 0.0
	if e := c.Intraclass(); e.Defined {
		alike = e.Value
	}
	m := c.Mean
	for i := 1; i < power; i++ {
		m *= ((1-alike)*c.Mean + alike*float64(i)) / (1 - alike + alike*float64(i))
	}
	return m
}

// choices is the logarithm of how many ways there are to choose k of n.
func choices(n, k int) float64 {
	log := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return log(n) - log(k) - log(n-k)
}
