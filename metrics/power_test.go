package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tauguide/tauguide/metrics"
)

// tried draws two systems on n tasks with m trials: chances of the first are beta with mean p, those of the second with mean q,
// each with correlation rho of a task's trials.
func tried(r *rand.Rand, n, m int, p, q, rho float64) metrics.Both {
	return metrics.Both{First: drawn(r, n, m, p, rho, 0), Second: drawn(r, n, m, q, rho, 0)}
}

// known is what is known of two such systems.
func known(p, q, rho float64) metrics.Contest {
	chances := func(p float64) metrics.Chances {
		return metrics.Chances{Mean: p, Variation: metrics.Variation{Between: rho * p * (1 - p), Within: (1 - rho) * p * (1 - p)}}
	}
	c := metrics.Contest{First: chances(p), Second: chances(q)}
	c.Between = c.First.Between + c.Second.Between
	return c
}

// TestPowerIsThatOfExperiments holds the power of plans against how often simulated experiments find the difference.
func TestPowerIsThatOfExperiments(t *testing.T) {
	const experiments = 1000
	for _, tt := range []struct {
		k, tasks, trials int
		p, q, rho        float64
		domains          int
	}{
		{1, 20, 4, 0.7, 0.4, 0.3, 1}, {1, 50, 1, 0.6, 0.4, 0.3, 1}, {1, 50, 8, 0.6, 0.5, 0.1, 1},
		{1, 114, 2, 0.8, 0.7, 0.3, 1}, {1, 40, 4, 0.55, 0.45, 0.4, 3}, {1, 100, 4, 0.5, 0.5, 0.4, 1},
		{2, 50, 4, 0.7, 0.5, 0.3, 1}, {4, 50, 4, 0.8, 0.6, 0.5, 1}, {4, 50, 8, 0.8, 0.65, 0.3, 1}, {4, 100, 4, 0.9, 0.8, 0, 1}, {3, 40, 5, 0.7, 0.6, 0.6, 3},
	} {
		var plan []metrics.Design
		for range tt.domains {
			plan = append(plan, metrics.Design{Tasks: tt.tasks, Trials: tt.trials, Variation: known(tt.p, tt.q, tt.rho).Variation(tt.k, tt.trials)})
		}
		r, found := rand.New(rand.NewPCG(1, uint64(tt.tasks*tt.trials))), 0.0
		for range experiments {
			var all []metrics.Both
			for range tt.domains {
				all = append(all, tried(r, tt.tasks, tt.trials, tt.p, tt.q, tt.rho))
			}
			if metrics.PassDifference(tt.k, all...).Interval.Lo > 0 {
				found += 1.0 / experiments
			}
		}
		// 0.03 is for the normal approximation, the rest for chance.
		effect := passes(tt.p, tt.rho, tt.k) - passes(tt.q, tt.rho, tt.k)
		if got := metrics.Power(effect, 1, plan...); math.Abs(got-found) > 0.03+3*math.Sqrt(0.25/experiments) {
			t.Errorf("%+v: power %.3f, found in %.3f of the experiments", tt, got, found)
		}
	}
}

// TestDetectable: more of anything finds less, and more comparisons find less easily.
func TestDetectable(t *testing.T) {
	design := func(tasks, trials int) metrics.Design {
		return metrics.Design{Tasks: tasks, Trials: trials, Variation: metrics.Variation{Between: 0.15, Within: 0.25}}
	}
	last := math.Inf(1)
	for _, d := range []metrics.Design{design(20, 1), design(20, 4), design(50, 4), design(50, 64), design(400, 4)} {
		e := metrics.Detectable(1, d)
		if !e.Defined || e.Value >= last || metrics.Detectable(3, d).Value <= e.Value {
			t.Errorf("%+v: %+v after %v, and %v of three comparisons", d, e, last, metrics.Detectable(3, d))
		}
		if p := metrics.Power(e.Value, 1, d); p < 0.8 || p > 0.802 {
			t.Errorf("%+v: the power at %v is %v", d, e.Value, p)
		}
		last = e.Value
	}
	for _, few := range [][]metrics.Design{nil, {design(1, 4)}, {design(3, 1)}, {design(50, 0)}} {
		if e := metrics.Detectable(1, few...); e.Defined || e.Reason == "" {
			t.Errorf("%+v: %+v", few, e)
		}
	}
}

func ExampleDetectable() {
	guided := trialsOf(map[string]string{"cancel": "ss", "exchange": "ss", "return": "sf", "status": "ss"})
	react := trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff", "status": "fs"})
	v, _ := metrics.VariationOf(metrics.Both{First: guided, Second: react})
	fmt.Printf("between tasks %.3f, within %.3f\n", v.Between, v.Within)
	for _, d := range []metrics.Design{{Tasks: 50, Trials: 4, Variation: v}, {Tasks: 100, Trials: 4, Variation: v}, {Tasks: 50, Trials: 8, Variation: v}} {
		fmt.Printf("%d tasks, %d trials: %.3f\n", d.Tasks, d.Trials, metrics.Detectable(1, d).Value)
	}
	// Output:
	// between tasks 0.000, within 0.375
	// 50 tasks, 4 trials: 0.141
	// 100 tasks, 4 trials: 0.093
	// 50 tasks, 8 trials: 0.110
}
