package metrics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
)

// shares draws the parts of tasks whose quotients are between 0 and 1.
func shares(t *rapid.T, name string) metrics.Parts {
	out := metrics.Parts{}
	for task := range rapid.IntRange(2, 30).Draw(t, name) {
		size := rapid.IntRange(0, 9).Draw(t, "size")
		if task < 2 {
			size++
		}
		out.Add(fmt.Sprint(task), float64(rapid.IntRange(0, size).Draw(t, "sum")), float64(size))
	}
	return out
}

// mirrored are the parts of the opposite share.
func mirrored(p metrics.Parts) metrics.Parts {
	out := metrics.Parts{}
	for task, x := range p {
		out.Add(task, x.Size-x.Sum, x.Size)
	}
	return out
}

// TestIntervalsOfShares: they hold the share, stay between 0 and 1, are never a point, and are those of the opposite share
// turned round.
func TestIntervalsOfShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []metrics.Parts{shares(t, "first"), shares(t, "second"), shares(t, "third")}[:rapid.IntRange(1, 3).Draw(t, "domains")]
		opposite := make([]metrics.Parts, len(all))
		for i, p := range all {
			opposite[i] = mirrored(p)
		}
		e, o := metrics.MeanShare(all, "no tasks"), metrics.MeanShare(opposite, "no tasks")
		i, j := e.Interval, o.Interval
		if !i.Defined || i.Method != metrics.Adjusted || i.Lo < 0 || i.Hi > 1 || i.Lo > e.Value || i.Hi < e.Value || i.Hi-i.Lo < 1e-3 {
			t.Fatalf("%+v", e)
		}
		if !near(e.Value+o.Value, 1, 1e-9) || !near(i.Lo+j.Hi, 1, 1e-9) || !near(i.Hi+j.Lo, 1, 1e-9) || !near(i.SE, j.SE, 1e-9) {
			t.Fatalf("%+v, the opposite %+v", e, o)
		}
		if one := metrics.Share(all[0], "no tasks"); len(all) == 1 && one != e {
			t.Fatalf("of one domain %+v, want %+v", e, one)
		}
	})
}

// TestIntervalsOfAmounts: they hold the amount, stay above 0, and change with the unit.
func TestIntervalsOfAmounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dollars, cents := metrics.Parts{}, metrics.Parts{}
		for task := range rapid.IntRange(2, 30).Draw(t, "tasks") {
			sum, size := rapid.Float64Range(0, 50).Draw(t, "sum"), float64(rapid.IntRange(1, 4).Draw(t, "size"))
			dollars.Add(fmt.Sprint(task), sum, size)
			cents.Add(fmt.Sprint(task), 100*sum, size)
		}
		e, c := metrics.Amount(dollars, ""), metrics.Amount(cents, "")
		i := e.Interval
		if !i.Defined {
			if i.Reason == "" {
				t.Fatalf("%+v", e)
			}
			return
		}
		if i.Method != metrics.LogNormal || i.Lo < 0 || i.Lo > e.Value || i.Hi < e.Value {
			t.Fatalf("%+v", e)
		}
		if ratio := c.Interval.Hi / i.Hi; !near(ratio, 100, 1e-6) || !near(c.Interval.SE/i.SE, 100, 1e-6) {
			t.Fatalf("%+v in cents %+v", e, c)
		}
	})
}

// TestIntervalsOfDifferences: exchanging the systems turns them round; one with no discordant task is no point.
func TestIntervalsOfDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "tasks")
		a := rapid.IntRange(0, n).Draw(t, "first only")
		p, q := pairing(n, a, rapid.IntRange(0, n-a).Draw(t, "second only")), metrics.Pairing{K: 4}
		for _, x := range p.Pairs {
			q.Pairs = append(q.Pairs, metrics.Pair{Task: x.Task, First: x.Second, Second: x.First})
		}
		e, o := metrics.Difference(p), metrics.Difference(q)
		i, j := e.Interval, o.Interval
		if !i.Defined || i.Lo < -1 || i.Hi > 1 || i.Lo > e.Value || i.Hi < e.Value || i.Hi-i.Lo < 1e-3 {
			t.Fatalf("%+v", e)
		}
		if e.Value != -o.Value || !near(i.Lo, -j.Hi, 1e-12) || !near(i.Hi, -j.Lo, 1e-12) {
			t.Fatalf("%+v, exchanged %+v", e, o)
		}
	})
}

// TestAgrestiCoull: with one trial each the interval is theirs, but for t in place of the normal quantile and n - 1.
func TestAgrestiCoull(t *testing.T) {
	const n, c = 40, 11
	e := metrics.PassHat(counted(n, c), 1)
	p := (c + 2.0) / (n + 4)
	if half := 2.016692 * math.Sqrt(p*(1-p)/(n+3)); !near(e.Interval.Lo, p-half, 1e-6) || !near(e.Interval.Hi, p+half, 1e-6) { // t of 43 degrees
		t.Errorf("%+v, want %v ± %v", e, p, half)
	}
	if se := math.Sqrt(float64(c) / n * (n - c) / n / (n - 1)); !near(e.Interval.SE, se, 1e-12) {
		t.Errorf("standard error %v, want %v", e.Interval.SE, se)
	}
}

// TestMeanOverDomains: each domain counts the same whatever its size, one that is undefined makes the mean so, and the
// standard error is the root of the sum of squares over the number of domains.
func TestMeanOverDomains(t *testing.T) {
	domains := [][]metrics.Outcome{counted(5, 3), counted(40, 14), counted(12, 3)}
	e := metrics.MeanPassHat(domains, 1)
	if want := (3.0/5 + 14.0/40 + 3.0/12) / 3; !near(e.Value, want, 1e-12) || e.Tasks != 57 {
		t.Errorf("mean %v of %d tasks, want %v", e.Value, e.Tasks, want)
	}
	squares := 0.0
	for _, d := range domains {
		squares += math.Pow(metrics.PassHat(d, 1).Interval.SE, 2)
	}
	if !near(e.Interval.SE, math.Sqrt(squares)/3, 1e-12) {
		t.Errorf("standard error %v, want %v", e.Interval.SE, math.Sqrt(squares)/3)
	}
	for _, undefined := range [][][]metrics.Outcome{nil, {domains[0], nil}} {
		if e := metrics.MeanPassHat(undefined, 1); e.Defined || e.Reason == "" || e.Interval.Defined {
			t.Errorf("of %d domains, one of them empty: %v", len(undefined), e)
		}
	}
}

// TestAddedTasksKeepSizes: the interval of a quotient does not change where all sizes change alike.
func TestAddedTasksKeepSizes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	small, large := metrics.Parts{}, metrics.Parts{}
	for task := range 20 {
		size := float64(1 + random.IntN(8))
		sum := float64(random.IntN(int(size) + 1))
		small.Add(fmt.Sprint(task), sum, size)
		large.Add(fmt.Sprint(task), 1000*sum, 1000*size)
	}
	a, b := metrics.Share(small, ""), metrics.Share(large, "")
	if !near(a.Interval.Lo, b.Interval.Lo, 1e-12) || !near(a.Interval.Hi, b.Interval.Hi, 1e-12) {
		t.Errorf("%+v and %+v", a, b)
	}
}

// TestNoIntervals: what has no interval says why.
func TestNoIntervals(t *testing.T) {
	amounts := metrics.Parts{"a": {Sum: 2, Size: 1}, "b": {Sum: 4, Size: 2}, "c": {Sum: 2, Size: 1}}
	for name, x := range map[string]struct {
		e       metrics.Estimate
		defined bool
		why     string
	}{
		"no outcomes":        {metrics.PassHat(nil, 1), false, "no tasks"},
		"no pairs":           {metrics.Bootstrap{}.Delta(metrics.Pairing{}), false, "no common tasks"},
		"no pairing":         {metrics.Difference(), false, "no common tasks"},
		"no attacks":         {metrics.ASR(nil), false, "no tasks"},
		"all are void":       {metrics.ASR([]metrics.Outcome{{Task: "a", State: metrics.Void}}), false, "no usable attack trials"},
		"k too large":        {metrics.ASRAt(counted(2, 1), 2), false, "2 of 2 tasks have fewer than 2 usable trials"},
		"one task":           {metrics.PassHat(counted(1, 1), 1), true, "one task says nothing about others"},
		"one pair":           {metrics.Bootstrap{}.Delta(pairing(1, 1, 0)), true, "one task says nothing about others"},
		"one task of a mean": {metrics.MeanPassHat([][]metrics.Outcome{counted(1, 1), counted(9, 3)}, 1), true, "one task says nothing about others"},
		"two amounts":        {metrics.Amount(metrics.Parts{"a": {Sum: 2, Size: 1}, "b": {Sum: 3, Size: 1}}, ""), true, "fewer than three tasks say too little of others"},
		"equal amounts":      {metrics.Amount(amounts, ""), true, "all tasks agree, so that nothing is known of others"},
		"no amounts":         {metrics.Amount(nil, "no conversations"), false, "no conversations"},
	} {
		if x.e.Defined != x.defined || x.e.Interval.Defined || x.e.Interval.Reason != x.why {
			t.Errorf("%s: %+v, want %q", name, x.e, x.why)
		}
	}
}

// TestLimitsAsFigures: a limit is a figure as the estimate is, and as undefined as the estimate or its interval.
func TestLimitsAsFigures(t *testing.T) {
	band := metrics.Interval{Lo: 0.25, Hi: 0.75, Defined: true}
	tests := []struct {
		name      string
		of        metrics.Estimate
		low, high metrics.Estimate
	}{
		{"both", metrics.Estimate{Value: 0.5, Defined: true, Tasks: 8, Interval: band},
			metrics.Estimate{Value: 0.25, Defined: true, Tasks: 8}, metrics.Estimate{Value: 0.75, Defined: true, Tasks: 8}},
		{"no interval", metrics.Estimate{Value: 0.5, Defined: true, Interval: metrics.Interval{Reason: "not asked for"}}, not("not asked for"), not("not asked for")},
		{"no figure", metrics.Estimate{Reason: "no tasks", Interval: band}, not("no tasks"), not("no tasks")},
	}
	for _, tt := range tests {
		if low, high := tt.of.Low(), tt.of.High(); low != tt.low || high != tt.high {
			t.Errorf("%s: %+v and %+v, want %+v and %+v", tt.name, low, high, tt.low, tt.high)
		}
	}
}
