package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tauguide/tauguide/metrics"
)

// TestVariationIsUnbiased: on average of experiments it is what they were drawn from, of one system and of two.
func TestVariationIsUnbiased(t *testing.T) {
	for _, m := range []int{2, 4} {
		want, r := known(0.6, 0.4, 0.5), rand.New(rand.NewPCG(2, 3))
		both, first := want.Variation(1, m), want.First.Variation
		var got, one metrics.Variation
		const experiments = 400
		for range experiments {
			b := tried(r, 40, m, 0.6, 0.4, 0.5)
			v, ok := metrics.VariationOf(b)
			x, alone := metrics.SplitOf(b.First)
			if !ok || !alone {
				t.Fatal("nothing is known of 40 tasks")
			}
			got.Between += v.Between / experiments
			got.Within += v.Within / experiments
			one.Between += x.Between / experiments
			one.Within += x.Within / experiments
		}
		if !near(got.Between, both.Between, 0.01) || !near(got.Within, both.Within, 0.01) || !near(one.Between, first.Between, 0.01) || !near(one.Within, first.Within, 0.01) {
			t.Errorf("%d trials: %+v, %+v, drawn from %+v, %+v", m, got, one, both, first)
		}
	}
}

// TestVariationByHand covers what is left out, several domains, and limits.
func TestVariationByHand(t *testing.T) {
	both := metrics.Both{First: system("a ss", "b sf", "c s"), Second: system("a sf", "b sf", "c ff")}
	far := metrics.Both{First: system("x ff", "y ff"), Second: system("x ss", "y ss")}
	type split struct {
		metrics.Variation
		ok bool
	}
	of := func(v metrics.Variation, ok bool) split { return split{v, ok} }
	for _, c := range []struct {
		name string
		got  split
		want split
	}{
		{"one trial says nothing of two", of(metrics.VariationOf(metrics.Both{First: system("a s", "b f"), Second: system("a ss", "b ff")})), split{}},
		// a: 0 + 1/2, b: 1/2 + 1/2; c has one trial
		{"two systems", of(metrics.VariationOf(both)), split{metrics.Variation{Within: 0.75}, true}},
		// Differences 1/2 and 0, and twice -1: 1/8 over 1 + 1 degrees, less the noise of 3/4 over 4 tasks.
		{"of two domains", of(metrics.VariationOf(both, far)), split{metrics.Variation{Within: 0.375}, true}},
		{"one system", of(metrics.SplitOf(system("a ssss", "b ffff", "c ssff"))), split{metrics.Variation{Between: 0.25 - 1.0/36, Within: 1.0 / 9}, true}},
		{"domains do not count", of(metrics.SplitOf(system("a ss", "b ss"), system("a ff", "b ff"))), split{ok: true}},
		{"a task alone", of(metrics.SplitOf(system("a ssss"), system("b ff"))), split{}},
		{"nothing", of(metrics.SplitOf()), split{}},
	} {
		if c.got.ok != c.want.ok || !near(c.got.Between, c.want.Between, 1e-12) || !near(c.got.Within, c.want.Within, 1e-12) {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
	if e := (metrics.Variation{}).Intraclass(); e.Defined || e.Reason == "" {
		t.Errorf("nothing varies: %+v", e)
	}
	if e := (metrics.Variation{Between: 0.3, Within: 0.1}).Intraclass(); !near(e.Value, 0.75, 1e-12) {
		t.Errorf("%+v", e)
	}
}

func TestAssociation(t *testing.T) {
	alike := metrics.Both{First: system("a ss", "b sf", "c ff", "d s"), Second: system("a ssss", "b ssff", "c ffff", "d vv")}
	a := metrics.AssociationOf(alike)
	if a.Tasks != 3 || !near(a.Correlation.Value, 1, 1e-12) || !near(a.Discordance.Value, 0.5/3, 1e-12) {
		t.Errorf("%+v", a)
	}
	// The mean of another domain, far away, is no correlation of tasks.
	other := metrics.Both{First: system("x ss", "y ff"), Second: system("x ff", "y ss")}
	if b := metrics.AssociationOf(alike, other); !near(b.Correlation.Value, 0, 1e-12) || !near(b.Discordance.Value, 2.5/5, 1e-12) || b.Tasks != 5 {
		t.Errorf("%+v", b)
	}
	for name, b := range map[string]metrics.Both{"no tasks": {}, "no common ones": {First: system("a s"), Second: system("b s")}} {
		if x := metrics.AssociationOf(b); x.Discordance.Defined || x.Correlation.Defined || x.Correlation.Reason == "" {
			t.Errorf("%s: %+v", name, x)
		}
	}
	if x := metrics.AssociationOf(metrics.Both{First: system("a ss", "b ss"), Second: system("a sf", "b ss")}); x.Correlation.Defined || !x.Discordance.Defined {
		t.Errorf("one that always passes: %+v", x)
	}
}

// TestContestOfPowers: the variation of Pass^k that is planned with is that of experiments, those that are alike included.
func TestContestOfPowers(t *testing.T) {
	const tasks, m = 30_000, 5
	r := rand.New(rand.NewPCG(5, 6))
	var b metrics.Both
	for task := range tasks { // two systems with the same chance of each task
		chance := coin(r, 0.7, 0.4)
		for _, to := range []*[]metrics.Outcome{&b.First, &b.Second} {
			for trial := range m {
				*to = append(*to, metrics.Outcome{Task: fmt.Sprint(task), Trial: trial, State: metrics.Failure})
				if r.Float64() < chance {
					(*to)[len(*to)-1].State = metrics.Success
				}
			}
		}
	}
	c, ok := metrics.ContestOf(b)
	if !ok || !near(c.Between, 0, 0.002) || !near(c.First.Mean, 0.7, 0.005) {
		t.Fatalf("%+v", c)
	}
	for _, k := range []int{1, 2, 4, 5} {
		v := c.Variation(k, m)
		planned, found := (v.Between+v.Within/m)/tasks, metrics.PassDifference(k, b).Interval.SE
		if ratio := math.Sqrt(planned) / found; ratio < 0.97 || ratio > 1.03 {
			t.Errorf("Pass^%d: planned with a standard error of %.5f, found %.5f", k, math.Sqrt(planned), found)
		}
	}
	if v := (metrics.Contest{First: metrics.Chances{Mean: 1}, Second: metrics.Chances{Mean: 0}}).Variation(4, 4); v != (metrics.Variation{}) {
		t.Errorf("nothing varies: %+v", v)
	}
}

func ExampleSplitOf() {
	retail := trialsOf(map[string]string{"cancel": "ssss", "exchange": "sfsf", "return": "ffff"})
	telecom := trialsOf(map[string]string{"roaming": "ssss", "refuel": "sssf"})
	for _, domains := range [][][]metrics.Outcome{{retail}, {retail, telecom}} {
		v, _ := metrics.SplitOf(domains...)
		fmt.Printf("between tasks %.3f, within %.3f, intraclass correlation %.2f\n", v.Between, v.Within, v.Intraclass().Value)
	}
	// Output:
	// between tasks 0.222, within 0.111, intraclass correlation 0.67
	// between tasks 0.148, within 0.117, intraclass correlation 0.56
}

func ExampleAssociationOf() {
	guided := trialsOf(map[string]string{"cancel": "ss", "exchange": "ss", "return": "sf"})
	react := trialsOf(map[string]string{"cancel": "ss", "exchange": "sf", "return": "ff"})
	a := metrics.AssociationOf(metrics.Both{First: guided, Second: react})
	show("correlation of tasks", a.Correlation)
	show("one passes alone", a.Discordance)
	// Output:
	// correlation of tasks: 0.866
	// one passes alone: 0.333
}

func ExampleContestOf() {
	guided := trialsOf(map[string]string{"cancel": "ssss", "exchange": "sssf", "return": "ssff", "status": "ssss"})
	react := trialsOf(map[string]string{"cancel": "ssss", "exchange": "sfff", "return": "ffff", "status": "ssfs"})
	c, _ := metrics.ContestOf(metrics.Both{First: guided, Second: react})
	for _, k := range []int{1, 4} {
		v := c.Variation(k, 4)
		fmt.Printf("Pass^%d: between tasks %.3f, within %.3f, found in 50 tasks %.3f\n", k, v.Between, v.Within, metrics.Detectable(1, metrics.Design{Tasks: 50, Trials: 4, Variation: v}).Value)
	}
	// Output:
	// Pass^1: between tasks 0.000, within 0.271, found in 50 tasks 0.125
	// Pass^4: between tasks 0.015, within 0.997, found in 50 tasks 0.218
}
