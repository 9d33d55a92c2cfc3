package metrics_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
)

// published is the figures of the paper.
type published map[string]float64

func load(t testing.TB) published {
	t.Helper()
	p, err := configs.Published()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rows are the figures of a table by row; a row has so many names, such as airline.react.
func (p published) rows(table string, names int) map[string]map[string]float64 {
	out := map[string]map[string]float64{}
	for path, v := range p {
		parts := strings.Split(path, ".")
		if parts[0] != table {
			continue
		}
		row := strings.Join(parts[1:1+names], ".")
		if out[row] == nil {
			out[row] = map[string]float64{}
		}
		out[row][strings.Join(parts[1+names:], ".")] = v
	}
	return out
}

func TestPublishedMcNemar(t *testing.T) {
	p := load(t).rows("table12", 1)
	if len(p) != 2 {
		t.Fatalf("%d rows, want 2", len(p))
	}
	for opponent, row := range p {
		got := metrics.McNemarTest(metrics.Discordant{First: int(row["first"]), Second: int(row["second"])})
		if got.Discordant() != int(row["discordant"]) || fmt.Sprintf("%.2f", got.Z) != fmt.Sprintf("%.2f", row["z"]) {
			t.Errorf("%s: %d discordant, Z %.4f; published %v", opponent, got.Discordant(), got.Z, row)
		}
		if got.Normal <= 0 || got.Normal >= row["p_below"] || got.Exact >= row["p_below"] {
			t.Errorf("%s: p = %g (exact %g), published below %g", opponent, got.Normal, got.Exact, row["p_below"])
		}
	}
}

// TestPublishedTablesAgree checks that the differences of Table 13 are those of Table 1, and that in tasks they add up to
// those of Table 12.
func TestPublishedTablesAgree(t *testing.T) {
	p := load(t)
	sums := map[string]int{}
	rows := p.rows("table13", 2)
	for name, row := range rows {
		domain, opponent, _ := strings.Cut(name, ".")
		delta := rounded(p["table1.pass4."+domain+".policyguide.all"], 3).sub(rounded(p["table1.pass4."+name+".all"], 3))
		if !delta.meets(rounded(row["delta"], 3)) {
			t.Errorf("%s: %v by Table 1, %v by Table 13", name, delta, row["delta"])
		}
		tasks := math.Round(row["delta"] * row["tasks"])
		if !rounded(row["delta"], 3).holds(tasks / row["tasks"]) {
			t.Errorf("%s: %v is no whole number of %v tasks", name, row["delta"], row["tasks"])
		}
		sums[opponent] += int(tasks)
	}
	if len(rows) != 7 {
		t.Errorf("%d rows of Table 13, want 7", len(rows))
	}
	for opponent, row := range p.rows("table12", 1) {
		if got, want := sums[opponent], int(row["first"]-row["second"]); got != want {
			t.Errorf("%s: the differences are %d tasks by Table 13, %d by Table 12", opponent, got, want)
		}
	}
}

func TestPublishedConsistency(t *testing.T) {
	p := load(t)
	rows := p.rows("table10", 2)
	for name, row := range rows {
		ratio := rounded(row["pass.4"], 3).over(rounded(row["pass.1"], 3))
		if !ratio.meets(rounded(row["consistency"], 2)) {
			t.Errorf("%s: %v, published %v", name, ratio, row["consistency"])
		}
		if ratio.width() > 0.01 {
			t.Errorf("%s: the inputs leave %v open: the test says nothing", name, ratio)
		}
		for k := 2; k <= 4; k++ {
			if row[fmt.Sprint("pass.", k)] > row[fmt.Sprint("pass.", k-1)] {
				t.Errorf("%s: Pass^%d rises", name, k)
			}
		}
		if first, last := p["table1.pass1."+name+".all"], p["table1.pass4."+name+".all"]; first != row["pass.1"] || last != row["pass.4"] {
			t.Errorf("%s: Table 1 has %v and %v, Table 10 %v", name, first, last, row)
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d rows, want 10", len(rows))
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
	p := load(t)
	rows := p.rows("table11", 2)
	for name, row := range rows {
		domain, _, _ := strings.Cut(name, ".")
		n := int(p["splits."+domain+".base.all"])
		counts := make([]int, 4)
		for i := range counts {
			share := row[fmt.Sprint("pass.", i+1)]
			counts[i] = int(math.Round(share * float64(n)))
			if !rounded(share, 3).holds(float64(counts[i]) / float64(n)) {
				t.Errorf("%s: %v is no share of %d tasks", name, share, n)
			}
		}
		s := metrics.PerTrial(counted(n, counts...))
		if len(s.Trials) != 4 || !s.Mean.Defined || !s.Deviation.Defined {
			t.Fatalf("%s: %+v", name, s)
		}
		if want := p["table10."+name+".pass.1"]; !rounded(want, 3).holds(s.Mean.Value) {
			t.Errorf("%s: mean %.5f, Table 10 has %v", name, s.Mean.Value, want)
		}
		if !rounded(row["deviation"], 3).holds(s.Deviation.Value) {
			t.Errorf("%s: deviation %.5f, published %v", name, s.Deviation.Value, row["deviation"])
		}
	}
	if len(rows) != 10 {
		t.Errorf("%d rows, want 10", len(rows))
	}
}

func TestPublishedPartition(t *testing.T) {
	p := load(t).rows("table6", 1)
	for policy, row := range p {
		if row["argument"]+row["process"]+row["workflow"] != row["total"] {
			t.Errorf("%s: %v does not add up", policy, row)
		}
		if got := 100 * (row["process"] + row["workflow"]) / row["total"]; !rounded(row["procedural"], 1).holds(got) {
			t.Errorf("%s: %.2f %% procedural, published %.1f", policy, got, row["procedural"])
		}
		if got := 100 * row["workflow"] / row["total"]; !rounded(row["ordered"], 1).holds(got) {
			t.Errorf("%s: %.2f %% ordered, published %.1f", policy, got, row["ordered"])
		}
	}
	for _, class := range []string{"argument", "process", "workflow", "total"} {
		if p["telecom_main"][class]+p["telecom_manual"][class] != p["telecom_both"][class] {
			t.Errorf("%s: the two telecom documents do not add up to both", class)
		}
	}
}

// TestPublishedMean is the abstract's claim: mean Pass^4 over the domains from 0.42 to 0.62.
func TestPublishedMean(t *testing.T) {
	p := load(t)
	for system, want := range map[string]float64{"react": 0.42, "policyguide": 0.62} {
		sum := exact(0)
		for _, domain := range []string{"airline", "retail", "telecom"} {
			sum = sum.add(rounded(p["table1.pass4."+domain+"."+system+".all"], 3))
		}
		if mean := sum.over(exact(3)); !rounded(want, 2).holds(mean.lo) || !rounded(want, 2).holds(mean.hi) {
			t.Errorf("%s: mean Pass^4 %v, published %v", system, mean, want)
		}
	}
}

// TestPublishedSlices checks that overall figures are those of the slices, weighted by their tasks.
func TestPublishedSlices(t *testing.T) {
	p := load(t)
	sizes := p.rows("splits", 2)
	for name, n := range sizes {
		if n["pv"]+n["mut"] != n["all"] {
			t.Errorf("%s: the slices do not add up: %v", name, n)
		}
	}
	rows := p.rows("table1", 3)
	for name, v := range rows {
		n := sizes[strings.Split(name, ".")[1]+".base"]
		whole := rounded(v["pv"], 3).mul(exact(n["pv"])).add(rounded(v["mut"], 3).mul(exact(n["mut"]))).over(exact(n["all"]))
		if !whole.meets(rounded(v["all"], 3)) {
			t.Errorf("%s: slices give %v, overall is %v", name, whole, v["all"])
		}
	}
	if len(sizes) != 5 || len(rows) != 20 {
		t.Errorf("%d splits and %d rows, want 5 and 20", len(sizes), len(rows))
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
	p := load(t)
	for system, count := range map[string]int{"react": 16, "policyguard": 10, "policyguide": 7} {
		e := metrics.ASR(attacks(20, count))
		if !e.Defined || !rounded(p["figure6."+system], 3).holds(e.Value) {
			t.Errorf("%s: %+v, published %v", system, e, p["figure6."+system])
		}
		if system == "policyguide" && !rounded(0.913, 3).holds(1-e.Value) {
			t.Errorf("%.4f of the attacks prevented, published 0.913", 1-e.Value)
		}
	}
}

// TestPublishedCosts: totals and dollars per task of Table 14 agree, and so do the ratios of Table 15.
func TestPublishedCosts(t *testing.T) {
	costs, times := load(t).rows("table14", 2), load(t).rows("table15", 1)
	if len(costs) != 3 || len(times) != 3 {
		t.Fatalf("%d and %d rows, want 3", len(costs), len(times))
	}
	for name, row := range costs {
		c := metrics.CostOf(map[string]metrics.Use{"all": {Usage: metrics.Usage{Calls: 1, Cost: row["dollars"]}, Conversations: int(row["tasks"])}})
		if !rounded(row["dollars_per_task"], 2).holds(c.DollarsPerTask.Value) {
			t.Errorf("%s: %.4f $/task, published %.2f", name, c.DollarsPerTask.Value, row["dollars_per_task"])
		}
	}
	for domain, row := range times {
		ratio := rounded(row["policyguide"], 1).over(rounded(row["react"], 1))
		if !ratio.meets(rounded(row["policyguide_ratio"], 2)) {
			t.Errorf("%s: ratio %v, published %v", domain, ratio, row["policyguide_ratio"])
		}
	}
}

// TestPublishedIntervals: discordant tasks by domain that add up to those of Table 12 give the intervals of Table 13 to
// the last digit. The paper does not print them by domain: several splits fit, and other seeds move a limit by one task.
func TestPublishedIntervals(t *testing.T) {
	p := load(t)
	split := map[string]map[string]metrics.Discordant{
		"react":       {"airline": {First: 11, Second: 3}, "retail": {First: 14, Second: 12}, "telecom": {First: 52, Second: 4}},
		"policyguard": {"airline": {First: 6, Second: 4}, "retail": {First: 36, Second: 7}, "telecom": {First: 55, Second: 8}},
	}
	for opponent, domains := range split {
		var strata []metrics.Discordant
		for domain, d := range domains {
			strata = append(strata, d)
			row := p.rows("table13", 2)[domain+"."+opponent]
			e := metrics.Bootstrap{Seed: 1}.Delta(pairing(int(row["tasks"]), d.First, d.Second))
			if !rounded(row["delta"], 3).holds(e.Value) {
				t.Errorf("%s, %s: difference %v, published %v", domain, opponent, e.Value, row["delta"])
			}
			if !rounded(row["lo"], 3).holds(e.Interval.Lo) || !rounded(row["hi"], 3).holds(e.Interval.Hi) {
				t.Errorf("%s, %s: interval %v, published %v to %v", domain, opponent, e.Interval, row["lo"], row["hi"])
			}
		}
		if got, want := metrics.McNemarTest(strata...), p.rows("table12", 1)[opponent]; got.First != int(want["first"]) || got.Second != int(want["second"]) || got.Strata != int(want["strata"]) {
			t.Errorf("%s: %+v, published %+v", opponent, got, want)
		}
	}
}
