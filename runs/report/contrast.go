package report

import (
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// Contrast is Pass^k of two systems on the tasks that both have, over all usable trials, and the difference of the two. Figures
// are null where undefined; Undefined says why.
type Contrast struct {
	PassA     *float64          `json:"pass_a"`
	PassB     *float64          `json:"pass_b"`
	Delta     *float64          `json:"delta"` // A less B
	SE        *float64          `json:"se"`    // of delta, over tasks; null where all tasks agree
	Low       *float64          `json:"low"`   // of the 95 % interval
	High      *float64          `json:"high"`
	Method    metrics.Method    `json:"method,omitempty"` // of the interval
	Undefined map[string]string `json:"undefined,omitempty"`
}

// DomainComparison is the comparison on one domain or a slice of it, or over several. What counts tasks goes by the first k
// trials of each.
type DomainComparison struct {
	Domain string `json:"domain"`
	Slice  string `json:"slice"` // all, PV or Mut
	Tasks  int    `json:"tasks"` // that both have
	Contrast
	OnlyA    int                `json:"only_a"` // tasks that pass with A alone
	OnlyB    int                `json:"only_b"`
	Odds     *float64           `json:"odds"` // the odds ratio of passing, A against B
	OddsLow  *float64           `json:"odds_low"`
	OddsHigh *float64           `json:"odds_high"`
	P        *float64           `json:"p"`                // McNemar, exact; not corrected
	Single   *Contrast          `json:"pass_1,omitempty"` // of Pass^1, where k is another
	Slices   []DomainComparison `json:"slices,omitempty"` // where there are both
}

// stratum is a domain's outcomes of the tasks that both sides have.
type stratum struct {
	domain string
	metrics.Both
}

// in are the outcomes of a slice.
func (s stratum) in(slice metrics.Slice) stratum {
	return stratum{s.domain, metrics.Both{First: metrics.Select(s.First, slice), Second: metrics.Select(s.Second, slice)}}
}

// compared compares over domains, with their slices if there are several.
func (c *Comparison) compared(name string, all ...stratum) DomainComparison {
	d := c.on(name, metrics.All, all)
	for _, slice := range []metrics.Slice{metrics.PV, metrics.Mut} {
		var part []stratum
		for _, s := range all {
			if x := s.in(slice); len(x.First) > 0 {
				part = append(part, x)
			}
		}
		if x := c.on(name, slice, part); x.Tasks > 0 && x.Tasks < d.Tasks {
			d.Slices = append(d.Slices, x)
		}
	}
	return d
}

// on compares over domains, all of whose tasks are of a slice.
func (c *Comparison) on(name string, slice metrics.Slice, all []stratum) DomainComparison {
	d := DomainComparison{Domain: name, Slice: string(slice), Contrast: contrast(c.K, all)}
	for _, s := range all {
		d.Tasks += countTasks(s.First)
	}
	if c.K > 1 {
		single := contrast(1, all)
		d.Single = &single
	}
	test := c.test(all...)
	odds := test.Odds()
	if d.Delta == nil {
		test, odds = metrics.McNemar{}, metrics.Estimate{Reason: d.Undefined["delta"]}
	}
	d.OnlyA, d.OnlyB = test.First, test.Second
	d.Odds, d.OddsLow, d.OddsHigh = d.set("odds", odds), d.set("odds_low", odds.Low()), d.set("odds_high", odds.High())
	d.P = d.set("p", metrics.Estimate{Value: test.Exact, Defined: d.Delta != nil, Reason: d.Undefined["delta"]})
	return d
}

// contrast compares Pass^k.
func contrast(k int, all []stratum) Contrast {
	c := Contrast{Undefined: map[string]string{}}
	var a, b [][]metrics.Outcome
	var both []metrics.Both
	for _, s := range all {
		a, b, both = append(a, s.First), append(b, s.Second), append(both, s.Both)
	}
	c.PassA, c.PassB = c.set("pass_a", metrics.MeanPassHat(a, k)), c.set("pass_b", metrics.MeanPassHat(b, k))
	delta := metrics.PassDifference(k, both...)
	c.Delta, c.Low, c.High, c.Method = c.set("delta", delta), c.set("low", delta.Low()), c.set("high", delta.High()), delta.Interval.Method
	if delta.Interval.SE > 0 {
		c.SE = &delta.Interval.SE
	}
	return c
}

// set notes why a figure is undefined.
func (c *Contrast) set(name string, e metrics.Estimate) *float64 {
	if !e.Defined {
		c.Undefined[name] = e.Reason
		return nil
	}
	return &e.Value
}

// test is McNemar's over domains, on the tasks that passed in the first k trials.
func (c *Comparison) test(all ...stratum) metrics.McNemar {
	pairs := make([]metrics.Pairing, len(all))
	for i, s := range all {
		pairs[i] = metrics.PairUp(s.First, s.Second, c.K)
	}
	return metrics.McNemarOf(pairs...)
}

// TaskChange is a task that one side passes in a larger share of its trials.
type TaskChange struct {
	Domain  string   `json:"domain"`
	Task    string   `json:"task"`
	Slice   string   `json:"slice"`
	PassedA int      `json:"passed_a"`
	TrialsA int      `json:"trials_a"` // usable ones
	PassedB int      `json:"passed_b"`
	TrialsB int      `json:"trials_b"`
	Delta   float64  `json:"delta"` // A less B, of the shares
	Trial   int      `json:"trial"` // a trial to look at: one that ends otherwise on the other side, if there is any
	Show    []string `json:"show"`  // commands that show it on both sides
}

// changes adds the tasks of a domain that one side passes more often.
func (c *Comparison) changes(s stratum) {
	count := func(all []metrics.Outcome, task string) (passed, usable int) {
		for _, o := range all {
			if o.Task == task && o.State == metrics.Success {
				passed++
			}
			if o.Task == task && (o.State == metrics.Success || o.State == metrics.Failure) {
				usable++
			}
		}
		return passed, usable
	}
	var seen = map[string]bool{}
	for _, o := range s.First {
		if seen[o.Task] {
			continue
		}
		seen[o.Task] = true
		x := TaskChange{Domain: s.domain, Task: o.Task, Slice: string(o.Slice())}
		x.PassedA, x.TrialsA = count(s.First, o.Task)
		x.PassedB, x.TrialsB = count(s.Second, o.Task)
		if x.PassedA*x.TrialsB == x.PassedB*x.TrialsA {
			continue
		}
		x.Delta = float64(x.PassedA)/float64(x.TrialsA) - float64(x.PassedB)/float64(x.TrialsB)
		if i := slices.IndexFunc(c.Flips, func(f Flip) bool { return f.Domain == s.domain && f.Task == o.Task }); i >= 0 {
			x.Trial = c.Flips[i].Trial
		}
		x.Show = c.show(x)
		c.Changed = append(c.Changed, x)
	}
}
