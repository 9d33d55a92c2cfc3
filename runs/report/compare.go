package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/tau2"
)

// Side is one side of a comparison: a system of a run.
type Side struct {
	Source *Source
	System string
}

// Comparison is two systems, paired by domain, task and trial.
type Comparison struct {
	A       Provenance `json:"a"`
	B       Provenance `json:"b"`
	SystemA string     `json:"system_a"`
	SystemB string     `json:"system_b"`
	// Unlike are the settings in which the runs differ and that a fair comparison shares; with any, it is not a comparison of
	// the systems alone.
	Unlike  []string           `json:"unlike"`
	K       int                `json:"k"` // of the Pass^k that is compared
	Domains []DomainComparison `json:"domains"`
	// Mean is over the domains, each of which counts the same; null where there is one.
	Mean   *DomainComparison `json:"mean"`
	Pooled *Test             `json:"pooled"` // null if no domain could be compared
	Trials int               `json:"trials"` // that are usable on both sides
	Flips  []Flip            `json:"flips"`
	Alone  []string          `json:"alone"` // tasks that only one side has
	Notes  []string          `json:"notes"`
}

// DomainComparison is the comparison on one domain, or over several. Figures are null where undefined; Undefined says why.
type DomainComparison struct {
	Domain    string            `json:"domain"`
	Tasks     int               `json:"tasks"`  // that both have
	PassA     *float64          `json:"pass_a"` // Pass^k
	PassB     *float64          `json:"pass_b"`
	Delta     *float64          `json:"delta"` // A less B
	SE        *float64          `json:"se"`    // of delta, over tasks; null where all tasks agree
	Low       *float64          `json:"low"`   // of the 95 % interval
	High      *float64          `json:"high"`
	Method    metrics.Method    `json:"method,omitempty"` // of the interval
	OnlyA     int               `json:"only_a"`           // tasks that pass with A alone
	OnlyB     int               `json:"only_b"`
	P         *float64          `json:"p"` // McNemar, exact where few tasks differ
	Undefined map[string]string `json:"undefined,omitempty"`
}

// Test is the stratified McNemar test over all domains; P is the one to read, exact where few tasks differ.
type Test struct {
	OnlyA  int     `json:"only_a"`
	OnlyB  int     `json:"only_b"`
	Z      float64 `json:"z"`
	Normal float64 `json:"p_normal"`
	Exact  float64 `json:"p_exact"`
	P      float64 `json:"p"`
}

// Flip is a trial with another outcome on each side.
type Flip struct {
	Domain string `json:"domain"`
	Task   string `json:"task"`
	Trial  int    `json:"trial"`
	Mut    bool   `json:"mut"`
	Slice  string `json:"slice"` // PV, Mut or unclassified
	A      string `json:"a"`     // pass, fail, void, pending
	B      string `json:"b"`
}

// outcomes are a side's, by domain.
func (s Side) outcomes() map[string][]metrics.Outcome {
	out := map[string][]metrics.Outcome{}
	for _, o := range s.Source.Outcomes {
		if o.System == s.System {
			out[o.Domain] = append(out[o.Domain], o)
		}
	}
	return out
}

// trials is the largest number of planned trials of any task of a side.
func trials(by map[string][]metrics.Outcome) int {
	n := 0
	for _, outcomes := range by {
		n = max(n, metrics.MaxTrials(outcomes))
	}
	return n
}

// Compare pairs two systems. It is an error if they have no task in common.
func Compare(a, b Side) (Comparison, error) {
	c := Comparison{A: a.Source.Provenance, B: b.Source.Provenance, SystemA: a.System, SystemB: b.System,
		Unlike: append([]string{}, Unlike(a.Source, b.Source)...), Flips: []Flip{}, Alone: []string{}, Notes: append([]string{}, a.Source.remarks()...)}
	if b.Source != a.Source {
		c.Notes = append(c.Notes, b.Source.remarks()...)
	}
	ofA, ofB := a.outcomes(), b.outcomes()
	c.K = min(paperTrials, trials(ofA), trials(ofB))
	if c.K < paperTrials && c.K > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Pass^%d is compared: one side has no more trials", c.K))
	}
	c.Notes = append(c.Notes, a.Source.unreliable(a.System)...)
	if a != b {
		c.Notes = append(c.Notes, b.Source.unreliable(b.System)...)
	}
	var strata []metrics.Pairing
	var inA, inB [][]metrics.Outcome
	total := 0
	for _, domain := range slices.Sorted(maps.Keys(ofA)) {
		if len(ofB[domain]) == 0 {
			c.Notes = append(c.Notes, "only the first side has "+domain)
			continue
		}
		p := c.pair(domain, ofA[domain], ofB[domain])
		x, y := shared(ofA[domain], ofB[domain]), shared(ofB[domain], ofA[domain])
		strata, inA, inB = append(strata, p), append(inA, x), append(inB, y)
		c.Domains = append(c.Domains, c.figuresOf(domain, strata[len(strata)-1:], [][]metrics.Outcome{x}, [][]metrics.Outcome{y}))
		total += countTasks(x)
	}
	for _, domain := range slices.Sorted(maps.Keys(ofB)) {
		if len(ofA[domain]) == 0 {
			c.Notes = append(c.Notes, "only the second side has "+domain)
		}
	}
	if total == 0 {
		return c, domains.Usage(fmt.Errorf("%s of %s and %s of %s have no task in common\nhint: compare systems of one run, or runs on the same tasks",
			a.System, a.Source.Name, b.System, b.Source.Name))
	}
	if len(strata) > 1 {
		mean := c.figuresOf("mean", strata, inA, inB)
		c.Mean = &mean
	}
	if t := metrics.McNemarOf(strata...); t.Strata > 0 {
		p, _ := t.P()
		c.Pooled = &Test{OnlyA: t.First, OnlyB: t.Second, Z: t.Z, Normal: t.Normal, Exact: t.Exact, P: p}
	}
	return c, nil
}

// pair pairs the tasks of a domain, and says what of it is no pair, and which trials end otherwise.
func (c *Comparison) pair(domain string, a, b []metrics.Outcome) metrics.Pairing {
	p := metrics.PairUp(a, b, c.K)
	if p.Reason != "" {
		c.Notes = append(c.Notes, fmt.Sprintf("`-` on %s: %s", domain, p.Reason))
	}
	for _, r := range p.Remarks("the first side", "the second side") {
		c.Notes = append(c.Notes, domain+": "+r)
	}
	c.flips(domain, a, b)
	for _, t := range p.OnlyFirst {
		c.Alone = append(c.Alone, fmt.Sprintf("%s/%s: first side only", domain, t))
	}
	for _, t := range p.OnlySecond {
		c.Alone = append(c.Alone, fmt.Sprintf("%s/%s: second side only", domain, t))
	}
	return p
}

// figuresOf compares on domains, on the tasks that both sides have.
func (c *Comparison) figuresOf(name string, pairs []metrics.Pairing, a, b [][]metrics.Outcome) DomainComparison {
	d := DomainComparison{Domain: name, Tasks: countTasks(slices.Concat(a...)), Undefined: map[string]string{}}
	set := func(name string, e metrics.Estimate) *float64 {
		if !e.Defined {
			d.Undefined[name] = e.Reason
			return nil
		}
		return &e.Value
	}
	test := metrics.McNemarOf(pairs...)
	d.OnlyA, d.OnlyB = test.First, test.Second
	d.PassA, d.PassB = set("pass_a", metrics.MeanPassHat(a, c.K)), set("pass_b", metrics.MeanPassHat(b, c.K))
	delta := metrics.Difference(pairs...)
	d.Delta, d.Low, d.High, d.Method = set("delta", delta), set("low", delta.Low()), set("high", delta.High()), delta.Interval.Method
	if delta.Interval.SE > 0 {
		d.SE = &delta.Interval.SE
	}
	value, _ := test.P()
	d.P = set("p", metrics.Estimate{Value: value, Defined: delta.Defined, Reason: delta.Reason})
	return d
}

// shared are the outcomes of tasks that the other side has too.
func shared(mine, theirs []metrics.Outcome) []metrics.Outcome {
	have := map[string]bool{}
	for _, o := range theirs {
		have[o.Task] = true
	}
	return slices.DeleteFunc(slices.Clone(mine), func(o metrics.Outcome) bool { return !have[o.Task] })
}

// flips adds the trials that ended otherwise on the other side, in the order of the first side's plan.
func (c *Comparison) flips(domain string, a, b []metrics.Outcome) {
	type trial struct {
		task   string
		number int
	}
	other := map[trial]metrics.Outcome{}
	for _, o := range b {
		other[trial{o.Task, o.Trial}] = o
	}
	for _, o := range a {
		x, ok := other[trial{o.Task, o.Trial}]
		if ok && o.State != x.State {
			c.Flips = append(c.Flips, Flip{Domain: domain, Task: o.Task, Trial: o.Trial, Mut: o.Mut, Slice: string(o.Slice()), A: stateName(o.State), B: stateName(x.State)})
		}
		if ok && metrics.Cover([]metrics.Outcome{o, x}).Evaluable == 2 {
			c.Trials++
		}
	}
}

func stateName(s metrics.State) string {
	return map[metrics.State]string{metrics.Success: "pass", metrics.Failure: "fail", metrics.Void: "void", metrics.Pending: "pending"}[s]
}

// Unlike lists the settings in which two runs differ, except the systems under test and the models that only they use:
// each with both values. Runs with any cannot be compared as if the systems made the difference.
func Unlike(a, b *Source) []string {
	if a == b {
		return nil
	}
	shared := func(s *Source) config.Identity {
		out := config.Identity{Version: s.Setup.Version, Fields: maps.Clone(s.Setup.Fields)}
		maps.DeleteFunc(out.Fields, func(path, _ string) bool { return !fair(path, a, b) })
		return out
	}
	var out []string
	for _, text := range config.Difference(shared(a), shared(b)) {
		text = hashes.ReplaceAllString(text, "$1")
		text = strings.Replace(text, " was ", " is ", 1)
		out = append(out, strings.Replace(text, ", now ", " in the first run and ", 1)+" in the second")
	}
	if text := otherTasks(a, b); text != "" {
		out = append(out, text)
	}
	if a.Synthetic != b.Synthetic {
		out = append(out, fmt.Sprintf("synthetic is %v in the first run and %v in the second", a.Synthetic, b.Synthetic))
	}
	return out
}

// otherTasks says in which tasks the results differ that two runs were imported from; "" where they agree.
func otherTasks(a, b *Source) string {
	var heads [2]*tau2.Header
	for i, s := range []*Source{a, b} {
		if s.Imported == nil {
			return ""
		}
		head, err := s.Imported()
		if err != nil {
			return fmt.Sprintf("the recorded tasks of %s cannot be read: %v", s.Name, err)
		}
		if head == nil {
			return ""
		}
		heads[i] = head
	}
	ids := heads[0].Differing(heads[1])
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("%d tasks of the same id are not the same in both, such as %s", len(ids), ids[0])
}

// hashes are cut short in texts, as in the provenance.
var hashes = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{52}\b`)

// fair reports whether a setting must be the same for a comparison of two systems.
func fair(path string, a, b *Source) bool {
	head, rest, _ := strings.Cut(path, ".")
	switch head {
	case "systems":
		return false
	case "imported":
		return rest != "from"
	case "models":
		return slices.ContainsFunc(append(a.Others, b.Others...), func(m string) bool { return strings.HasPrefix(rest, m+".") })
	case "user":
		if domain, ok := strings.CutPrefix(rest, "prompt."); ok {
			return a.split(domain) != "" && b.split(domain) != ""
		}
	case "domains":
		return slices.ContainsFunc(a.Domains, func(d Domain) bool { return strings.HasPrefix(rest, d.Name+".") && b.split(d.Name) != "" })
	}
	return true
}
