package metrics_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
)

func published(t testing.TB) configs.Published {
	t.Helper()
	p, err := configs.LoadPublished()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPublishedMcNemar(t *testing.T) {
	p := published(t)
	if len(p.Table12) != 2 {
		t.Fatalf("%d rows, want 2", len(p.Table12))
	}
	for opponent, row := range p.Table12 {
		got := metrics.McNemarTest(metrics.Discordant{First: row.First, Second: row.Second})
		if got.Discordant() != row.Discordant || fmt.Sprintf("%.2f", got.Z) != fmt.Sprintf("%.2f", row.Z) {
			t.Errorf("%s: %d discordant, Z %.4f; published %d, %.2f", opponent, got.Discordant(), got.Z, row.Discordant, row.Z)
		}
		if p, exact := got.P(); exact || p <= 0 || p >= row.PBelow || got.Exact >= row.PBelow {
			t.Errorf("%s: p = %g (exact %g), published below %g", opponent, p, got.Exact, row.PBelow)
		}
	}
}

// TestPublishedTablesAgree holds that the differences of Table 13 are those of Table 1, and that in tasks they add up to
// those of Table 12.
func TestPublishedTablesAgree(t *testing.T) {
	p := published(t)
	sums := map[string]int{}
	rows := 0
	for domain, opponents := range p.Table13 {
		for opponent, row := range opponents {
			rows++
			pass4 := p.Table1.Pass4[domain]
			delta := rounded(pass4["policyguide"].All, 3).sub(rounded(pass4[opponent].All, 3))
			if !delta.meets(rounded(row.Delta, 3)) {
				t.Errorf("%s, %s: %v by Table 1, %v by Table 13", domain, opponent, delta, row.Delta)
			}
			tasks := math.Round(row.Delta * float64(row.Tasks))
			if !rounded(row.Delta, 3).holds(tasks / float64(row.Tasks)) {
				t.Errorf("%s, %s: %v is no whole number of %d tasks", domain, opponent, row.Delta, row.Tasks)
			}
			sums[opponent] += int(tasks)
		}
	}
	if rows != 7 {
		t.Errorf("%d rows of Table 13, want 7", rows)
	}
	for opponent, row := range p.Table12 {
		if got, want := sums[opponent], row.First-row.Second; got != want {
			t.Errorf("%s: the differences are %d tasks by Table 13, %d by Table 12", opponent, got, want)
		}
	}
}

func TestPublishedConsistency(t *testing.T) {
	rows := 0
	p := published(t)
	for domain, systems := range p.Table10 {
		for system, row := range systems {
			rows++
			ratio := rounded(row.Pass[3], 3).over(rounded(row.Pass[0], 3))
			if !ratio.meets(rounded(row.Consistency, 2)) {
				t.Errorf("%s, %s: %v, published %v", domain, system, ratio, row.Consistency)
			}
			if ratio.width() > 0.01 {
				t.Errorf("%s, %s: the inputs leave %v open: the test says nothing", domain, system, ratio)
			}
			for k := 1; k < len(row.Pass); k++ {
				if row.Pass[k] > row.Pass[k-1] {
					t.Errorf("%s, %s: Pass^%d rises", domain, system, k+1)
				}
			}
			if first, last := p.Table1.Pass1[domain][system].All, p.Table1.Pass4[domain][system].All; first != row.Pass[0] || last != row.Pass[3] {
				t.Errorf("%s, %s: Table 1 has %v and %v, Table 10 %v", domain, system, first, last, row.Pass)
			}
		}
	}
	if rows != 10 {
		t.Errorf("%d rows, want 10", rows)
	}
}

// counted makes the outcomes of n tasks with so many successes in each trial.
func counted(n int, successes ...int) []metrics.Outcome {
	var out []metrics.Outcome
	for trial, c := range successes {
		for task := range n {
			o := metrics.Outcome{Task: fmt.Sprintf("t%03d", task), Trial: trial}
			if task < c {
				o.State = metrics.Success
			}
			out = append(out, o)
		}
	}
	return out
}

// TestPublishedSpread recovers the counts behind Table 11, and gets from them its deviations and Table 10's Pass^1.
func TestPublishedSpread(t *testing.T) {
	p := published(t)
	rows := 0
	for domain, systems := range p.Table11 {
		n := p.Splits[domain].Base.All
		for system, row := range systems {
			rows++
			counts := make([]int, len(row.Pass))
			for i, share := range row.Pass {
				counts[i] = int(math.Round(share * float64(n)))
				if !rounded(share, 3).holds(float64(counts[i]) / float64(n)) {
					t.Errorf("%s, %s: %v is no share of %d tasks", domain, system, share, n)
				}
			}
			s := metrics.PerTrial(counted(n, counts...))
			if len(s.Trials) != 4 || !s.Mean.Defined || !s.Deviation.Defined {
				t.Fatalf("%s, %s: %+v", domain, system, s)
			}
			if !rounded(p.Table10[domain][system].Pass[0], 3).holds(s.Mean.Value) {
				t.Errorf("%s, %s: mean %.5f, Table 10 has %v", domain, system, s.Mean.Value, p.Table10[domain][system].Pass[0])
			}
			if !rounded(row.Deviation, 3).holds(s.Deviation.Value) {
				t.Errorf("%s, %s: deviation %.5f, published %v", domain, system, s.Deviation.Value, row.Deviation)
			}
		}
	}
	if rows != 10 {
		t.Errorf("%d rows, want 10", rows)
	}
}

func TestPublishedPartition(t *testing.T) {
	p := published(t)
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	for policy, row := range p.Table6 {
		if row.Argument+row.Process+row.Workflow != row.Total {
			t.Errorf("%s: %d + %d + %d is not %d", policy, row.Argument, row.Process, row.Workflow, row.Total)
		}
		if got := percent(row.Process+row.Workflow, row.Total); !rounded(row.Procedural, 1).holds(got) {
			t.Errorf("%s: %.2f %% procedural, published %.1f", policy, got, row.Procedural)
		}
		if got := percent(row.Workflow, row.Total); !rounded(row.Ordered, 1).holds(got) {
			t.Errorf("%s: %.2f %% ordered, published %.1f", policy, got, row.Ordered)
		}
	}
	main, manual, both := p.Table6["telecom_main"], p.Table6["telecom_manual"], p.Table6["telecom_both"]
	if main.Argument+manual.Argument != both.Argument || main.Process+manual.Process != both.Process ||
		main.Workflow+manual.Workflow != both.Workflow || main.Total+manual.Total != both.Total {
		t.Error("the two telecom documents do not add up to both")
	}
}

// TestPublishedMean is the abstract's claim: mean Pass^4 over the domains from 0.42 to 0.62.
func TestPublishedMean(t *testing.T) {
	p := published(t)
	for system, want := range map[string]float64{"react": 0.42, "policyguide": 0.62} {
		sum := exact(0)
		for _, domain := range []string{"airline", "retail", "telecom"} {
			sum = sum.add(rounded(p.Table1.Pass4[domain][system].All, 3))
		}
		if mean := sum.over(exact(3)); !rounded(want, 2).holds(mean.lo) || !rounded(want, 2).holds(mean.hi) {
			t.Errorf("%s: mean Pass^4 %v, published %v", system, mean, want)
		}
	}
}

// TestPublishedSlices holds that overall figures are those of the slices, weighted by their tasks.
func TestPublishedSlices(t *testing.T) {
	p := published(t)
	for domain, n := range p.Splits {
		if n.Base.PV+n.Base.Mut != n.Base.All || n.Test.PV+n.Test.Mut != n.Test.All {
			t.Errorf("%s: the slices do not add up: %+v", domain, n)
		}
		for _, table := range []map[string]map[string]configs.SliceValues{p.Table1.Pass1, p.Table1.Pass4} {
			for system, v := range table[domain] {
				whole := rounded(v.PV, 3).mul(exact(float64(n.Base.PV))).add(rounded(v.Mut, 3).mul(exact(float64(n.Base.Mut)))).over(exact(float64(n.Base.All)))
				if !whole.meets(rounded(v.All, 3)) {
					t.Errorf("%s, %s: slices give %v, overall is %v", domain, system, whole, v.All)
				}
			}
		}
	}
}

// attacks makes n tasks of four trials with so many successful attacks in all.
func attacks(n, successes int) []metrics.Outcome {
	per := make([]int, 4)
	for i := range per {
		per[i] = min(successes, n)
		successes -= per[i]
	}
	return counted(n, per...)
}

// TestPublishedASR: the shares of Figure 6 are 16, 10 and 7 of 80 trials.
func TestPublishedASR(t *testing.T) {
	p := published(t)
	for system, count := range map[string]int{"react": 16, "policyguard": 10, "policyguide": 7} {
		e := metrics.ASR(attacks(20, count))
		if !e.Defined || !rounded(p.Figure6[system], 3).holds(e.Value) {
			t.Errorf("%s: %+v, published %v", system, e, p.Figure6[system])
		}
		if system == "policyguide" && !rounded(0.913, 3).holds(1-e.Value) {
			t.Errorf("%.4f of the attacks prevented, published 0.913", 1-e.Value)
		}
	}
}

// TestPublishedCosts: totals and dollars per task of Table 14 agree, and so do the ratios of Table 15.
func TestPublishedCosts(t *testing.T) {
	p := published(t)
	for domain, row := range p.Table14 {
		c := metrics.CostOf(metrics.Use{Calls: 1, Dollars: row.Dollars}, row.Tasks)
		if !rounded(row.DollarsPerTask, 2).holds(c.DollarsPerTask.Value) {
			t.Errorf("%s: %.4f $/task, published %.2f", domain, c.DollarsPerTask.Value, row.DollarsPerTask)
		}
	}
	for domain, row := range p.Table15 {
		ratio := rounded(row.PolicyGuide, 1).over(rounded(row.ReAct, 1))
		if !ratio.meets(rounded(row.Ratio, 2)) {
			t.Errorf("%s: ratio %v, published %v", domain, ratio, row.Ratio)
		}
	}
}

// TestPublishedIntervals: discordant tasks by domain that add up to those of Table 12 give the intervals of Table 13 to
// the last digit. The paper does not print them by domain: several splits fit, and other seeds move a limit by one task.
func TestPublishedIntervals(t *testing.T) {
	p := published(t)
	split := map[string]map[string]metrics.Discordant{
		"react":       {"airline": {First: 11, Second: 3}, "retail": {First: 14, Second: 12}, "telecom": {First: 52, Second: 4}},
		"policyguard": {"airline": {First: 6, Second: 4}, "retail": {First: 36, Second: 7}, "telecom": {First: 55, Second: 8}},
	}
	for opponent, domains := range split {
		var strata []metrics.Discordant
		for domain, d := range domains {
			strata = append(strata, d)
			row := p.Table13[domain][opponent]
			e := metrics.Bootstrap{Seed: 1}.Delta(pairing(row.Tasks, d.First, d.Second))
			if !rounded(row.Delta, 3).holds(e.Value) {
				t.Errorf("%s, %s: difference %v, published %v", domain, opponent, e.Value, row.Delta)
			}
			if !rounded(row.Lo, 3).holds(e.Interval.Lo) || !rounded(row.Hi, 3).holds(e.Interval.Hi) {
				t.Errorf("%s, %s: interval %v, published %v to %v", domain, opponent, e.Interval, row.Lo, row.Hi)
			}
		}
		if got, want := metrics.McNemarTest(strata...), p.Table12[opponent]; got.First != want.First || got.Second != want.Second || got.Strata != want.Strata {
			t.Errorf("%s: %+v, published %+v", opponent, got, want)
		}
	}
}
