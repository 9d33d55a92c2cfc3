package metrics_test

import (
	"fmt"

	"github.com/tauguide/tauguide/metrics"
)

func ExampleMeanShare() {
	airline, retail := metrics.Parts{}, metrics.Parts{} // satisfied of applicable checks
	for task, satisfied := range map[string]float64{"cancel": 4, "change": 3, "book": 4} {
		airline.Add(task, satisfied, 4)
		retail.Add(task, satisfied-1, 5)
	}
	show("mean over domains", metrics.MeanShare([]metrics.Parts{airline, retail}, "no check applies"))
	// Output:
	// mean over domains: 0.725, standard error 0.053, 95 % interval 0.342 to 0.928
}

func ExampleBounds() {
	all := trialsOf(map[string]string{"cancel": "ssss", "exchange": "svvv", "return": "ffff"})
	worst, best := metrics.Bounds(all, 1)
	fmt.Printf("Pass^1 between %.3f and %.3f\n", worst.Value, best.Value)
	least, most := metrics.ASR(metrics.Counted(all, metrics.Failure)), metrics.ASR(metrics.Counted(all, metrics.Success))
	fmt.Printf("as attacks, between %.3f and %.3f\n", least.Value, most.Value)
	// Output:
	// Pass^1 between 0.417 and 0.667
	// as attacks, between 0.417 and 0.667
}

func ExampleRatio() {
	fmt.Printf("%.3f\n", metrics.Ratio(3, 4, 2)) // both of two trials, drawn from four of which three succeeded
	// Output:
	// 0.500
}

func ExamplePassDifference() {
	guided := trialsOf(map[string]string{"cancel": "ssss", "exchange": "ssss", "return": "sfss", "status": "ssss"})
	react := trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff", "status": "fs"}) // fewer trials
	show("difference of Pass^2", metrics.PassDifference(2, metrics.Both{First: guided, Second: react}))
	// Output:
	// difference of Pass^2: 0.625, standard error 0.239, 95 % interval -0.424 to 1.000
}

func ExampleMcNemar_Odds() {
	guided := trialsOf(map[string]string{"cancel": "s", "exchange": "s", "return": "s", "status": "s", "refund": "f"})
	react := trialsOf(map[string]string{"cancel": "f", "exchange": "f", "return": "f", "status": "s", "refund": "s"})
	odds := metrics.McNemarOf(metrics.PairUp(guided, react, 1)).Odds()
	fmt.Printf("odds ratio %.1f, 95 %% interval %.2f to %.2f\n", odds.Value, odds.Interval.Lo, odds.Interval.Hi)
	// Output:
	// odds ratio 3.0, 95 % interval 0.24 to 157.49
}

func ExampleByGroup() {
	all := trialsOf(map[string]string{"cancel": "sf", "exchange": "ss"})
	groups, by := metrics.ByGroup(all)
	for _, g := range groups {
		some := metrics.Select(by[g], metrics.PV)
		fmt.Printf("%s on %s: %d trials of a task at most\n", g.System, g.Domain, metrics.MaxTrials(some))
		show("Pass^1 of PV", metrics.PassHat(some, 1))
	}
	// Output:
	// ReAct on retail: 2 trials of a task at most
	// Pass^1 of PV: 0.750, standard error 0.250, 95 % interval 0.067 to 1.000
}

func ExampleTotal() {
	sum := metrics.Total(map[string]metrics.Use{
		"cancel":   {Usage: metrics.Usage{Calls: 4, Cost: 0.02, Failed: 1, FailedCost: 0.005}, Conversations: 2},
		"exchange": {Usage: metrics.Usage{Calls: 9, Cost: 0.05}, Conversations: 2},
	})
	fmt.Printf("%d calls in %d conversations\n", sum.Calls, sum.Conversations)
	show("dollars of failed ones", sum.FailedDollars())
	// Output:
	// 13 calls in 4 conversations
	// dollars of failed ones: 0.005
}

func ExamplePower() {
	plan := metrics.Design{Tasks: 50, Trials: 4, Variation: metrics.Variation{Between: 0.12, Within: 0.18}}
	fmt.Printf("a difference of 0.15 is found in %.0f of 100 experiments\n", 100*metrics.Power(0.15, 1, plan))
	fmt.Printf("as one of three comparisons in %.0f\n", 100*metrics.Power(0.15, 3, plan))
	// Output:
	// a difference of 0.15 is found in 64 of 100 experiments
	// as one of three comparisons in 44
}

func ExampleEstimate_Low() {
	e := metrics.PassHat(trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff"}), 1)
	show("at least", e.Low())
	show("at most", e.High())
	// Output:
	// at least: 0.038
	// at most: 0.962
}
