package metrics_test

import (
	"fmt"

	"github.com/tauguide/tauguide/metrics"
)

// trialsOf makes outcomes of letters for each task: s is a success, f a failure, v a void trial.
func trialsOf(tasks map[string]string) (all []metrics.Outcome) {
	for task, letters := range tasks {
		for trial, letter := range letters {
			state := map[rune]metrics.State{'s': metrics.Success, 'f': metrics.Failure, 'v': metrics.Void}[letter]
			all = append(all, metrics.Outcome{Domain: "retail", System: "ReAct", Task: task, Trial: trial, State: state})
		}
	}
	return all
}

// show prints an estimate as tables do, or why there is none.
func show(name string, e metrics.Estimate) {
	switch i := e.Interval; {
	case !e.Defined:
		fmt.Printf("%s: %s\n", name, e.Reason)
	case !i.Defined:
		fmt.Printf("%s: %.3f\n", name, e.Value)
	default:
		fmt.Printf("%s: %.3f, standard error %.3f, 95 %% interval %.3f to %.3f\n", name, e.Value, i.SE, i.Lo, i.Hi)
	}
}

func ExamplePassHat() {
	all := trialsOf(map[string]string{"cancel": "ssss", "exchange": "sfss", "return": "ffsf", "status": "ssss"})
	show("Pass^1", metrics.PassHat(all, 1))
	show("Pass^4", metrics.PassHat(all, 4))
	show("Pass^5", metrics.PassHat(all, 5))
	// Output:
	// Pass^1: 0.750, standard error 0.177, 95 % interval 0.238 to 1.000
	// Pass^4: 0.500, standard error 0.289, 95 % interval 0.053 to 0.947
	// Pass^5: 4 of 4 tasks have fewer than 5 usable trials
}

func ExamplePassAt() {
	all := trialsOf(map[string]string{"cancel": "sfff", "exchange": "ffff"})
	show("pass@1", metrics.PassAt(all, 1))
	show("pass@4", metrics.PassAt(all, 4))
	// Output:
	// pass@1: 0.125, standard error 0.125, 95 % interval 0.000 to 0.893
	// pass@4: 0.500, standard error 0.500, 95 % interval 0.000 to 1.000
}

func ExampleConsistency() {
	all := trialsOf(map[string]string{"cancel": "ssss", "exchange": "sfss"})
	show("Pass^4 / Pass^1", metrics.Consistency(all, 4))
	// Output:
	// Pass^4 / Pass^1: 0.571
}

func ExampleStrictPass() {
	all := trialsOf(map[string]string{"cancel": "ssss", "exchange": "svvv"})
	show("Pass^1", metrics.PassHat(all, 1))
	show("strict", metrics.StrictPass(all))
	fmt.Printf("%+v\n", metrics.Cover(all))
	// Output:
	// Pass^1: 1.000, standard error 0.000, 95 % interval 0.125 to 1.000
	// strict: 0.625, standard error 0.375, 95 % interval 0.006 to 1.000
	// {Planned:8 Evaluable:5 Void:3 Pending:0}
}

func ExamplePerTrial() {
	spread := metrics.PerTrial(trialsOf(map[string]string{"cancel": "ss", "exchange": "sf"}))
	show("mean", spread.Mean)
	show("deviation", spread.Deviation)
	// Output:
	// mean: 0.750
	// deviation: 0.250
}

func ExampleMeanPassHat() {
	retail := trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff"})
	telecom := trialsOf(map[string]string{"roaming": "ss", "refuel": "ss"})
	show("mean over domains", metrics.MeanPassHat([][]metrics.Outcome{retail, telecom}, 1))
	// Output:
	// mean over domains: 0.750, standard error 0.144, 95 % interval 0.223 to 1.000
}

func ExampleASR() {
	attacks := trialsOf(map[string]string{"bribe": "sfvf", "threat": "ffff"}) // s: a forbidden call was executed
	show("ASR", metrics.ASR(attacks))
	show("ASR@2", metrics.ASRAt(attacks, 2))
	// Output:
	// ASR: 0.143, standard error 0.163, 95 % interval 0.000 to 0.910
	// ASR@2: 0.333, standard error 0.333, 95 % interval 0.000 to 0.971
}

func ExampleShare() {
	checks := metrics.Parts{} // satisfied of applicable ones
	checks.Add("cancel", 5, 5)
	checks.Add("cancel", 4, 6) // another trial of the task
	checks.Add("exchange", 8, 8)
	checks.Add("return", 2, 4)
	show("satisfied", metrics.Share(checks, "no check applies"))
	// Output:
	// satisfied: 0.826, standard error 0.102, 95 % interval 0.176 to 1.000
}

func ExampleAmount() {
	dollars := metrics.Parts{} // of conversations
	for task, cost := range map[string]float64{"cancel": 0.10, "exchange": 0.25, "return": 0.15, "status": 0.05} {
		dollars.Add(task, cost, 1)
	}
	show("dollars", metrics.Amount(dollars, "no conversations"))
	// Output:
	// dollars: 0.138, standard error 0.043, 95 % interval 0.040 to 0.474
}

func ExampleCostOf() {
	c := metrics.CostOf(map[string]metrics.Use{
		"cancel":   {Usage: metrics.Usage{Calls: 4, Prompt: 4000, Cached: 3000, Completion: 200, Cost: 0.02}, Conversations: 2},
		"exchange": {Usage: metrics.Usage{Calls: 9, Prompt: 12000, Cached: 8000, Completion: 400, Cost: 0.05}, Conversations: 2},
		"status":   {Usage: metrics.Usage{Calls: 6, Prompt: 6000, Cached: 4000, Completion: 300, Cost: 0.03}, Conversations: 2},
	})
	show("calls", c.CallsPerTask)
	show("dollars in all", c.Dollars)
	// Output:
	// calls: 3.167, standard error 0.726, 95 % interval 1.089 to 9.209
	// dollars in all: 0.100
}

func ExampleTimesAs() {
	react, guided := metrics.MeanSeconds([]float64{30, 50}), metrics.MeanSeconds([]float64{100, 140})
	show("times ReAct", metrics.TimesAs(guided, react))
	// Output:
	// times ReAct: 3.000
}

func ExampleDifference() {
	guided := trialsOf(map[string]string{"cancel": "ss", "exchange": "ss", "return": "sf", "status": "ss"})
	react := trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff", "status": "fs"})
	pairs := metrics.PairUp(guided, react, 2)
	show("difference of Pass^2", metrics.Difference(pairs))
	test := metrics.McNemarTest(pairs.Discordant())
	fmt.Printf("%d against %d, exact p %.2f\n", test.First, test.Second, test.Exact)
	// Output:
	// difference of Pass^2: 0.500, standard error 0.289, 95 % interval -0.524 to 1.000
	// 2 against 0, exact p 0.50
}

func ExampleBootstrap_Delta() {
	guided := trialsOf(map[string]string{"cancel": "ss", "exchange": "ss", "return": "sf", "status": "ss"})
	react := trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff", "status": "fs"})
	show("as in Table 13", metrics.Bootstrap{Seed: 300}.Delta(metrics.PairUp(guided, react, 2)))
	// Output:
	// as in Table 13: 0.500, standard error 0.289, 95 % interval 0.000 to 1.000
}

func ExampleHolm() {
	fmt.Println(metrics.Holm([]float64{0.01, 0.04, 0.03}))
	// Output:
	// [0.03 0.06 0.06]
}
