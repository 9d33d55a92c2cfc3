package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// PlannedPower is the chance, in percent, at which an experiment should find a difference.
const PlannedPower = 80

// Design is how one domain is planned: tasks, trials of each with either system, and what is known of their variation.
type Design struct {
	Tasks, Trials int
	Variation
}

// Power is the chance that the interval of PassDifference leaves out 0, if on each domain the first system's is
// better by effect. Of several comparisons that are corrected together, it is of the one that is corrected most. It takes the
// mean over tasks as normal, and the variance as it will probably be estimated; it is 0 for fewer than two tasks or no trial.
func Power(effect float64, comparisons int, domains ...Design) float64 {
	count := float64(len(domains))
	var centre, truth, estimated, spread float64
	for _, d := range domains {
		if d.Tasks < 2 || d.Trials < 1 {
			return 0
		}
		tasks, added := float64(d.Tasks), 1/count
		v := d.Between + d.Within/float64(d.Trials)
		n := tasks + 2*added // as in adjusted
		c := effect * tasks / n
		off := func(x float64) float64 { return (x - c) * (x - c) }
		se2 := ((tasks-1)*v + tasks*off(effect) + added*(off(1)+off(-1))) / (n * (n - 1))
		centre += c
		truth += tasks * v / (n * n)
		estimated += se2
		spread += se2 * se2 / (n - 1)
	}
	if count == 0 {
		return 0
	}
	level := (1 - Level/100.0) / float64(max(comparisons, 1))
	critical := distuv.StudentsT{Sigma: 1, Nu: estimated * estimated / spread}.Quantile(1 - level/2)
	over := centre - critical*math.Sqrt(estimated)
	switch {
	case truth > 0:
		return distuv.UnitNormal.CDF(over / math.Sqrt(truth))
	case over > 0:
		return 1
	}
	return 0
}

// Detectable is the smallest difference that is found with a Power of 80 %, to a ten-thousandth.
func Detectable(comparisons int, domains ...Design) Estimate {
	const steps = 10_000
	if Power(1, comparisons, domains...) < PlannedPower/100.0 {
		return undefined("no difference would be found in %d of 100 such experiments: there are too few tasks", PlannedPower)
	}
	return Estimate{Value: float64(least(steps, func(n int) bool {
		return Power(float64(n)/steps, comparisons, domains...) >= PlannedPower/100.0
	})) / steps, Defined: true}
}

// least is the least whole number from 1 to most for which something holds that holds for all greater ones; most if none does.
func least(most int, holds func(int) bool) int {
	low, high := 0, most
	for high-low > 1 {
		if mid := (low + high) / 2; holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
