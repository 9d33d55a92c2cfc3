package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
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
	// Unlike are the settings in which the runs differ and that a fair comparison shares; with any, it is no comparison of
	// the systems alone.
	Unlike  []string           `json:"unlike"`
	K       int                `json:"k"` // of the Pass^k that is compared
	Domains []DomainComparison `json:"domains"`
	Pooled  *Test              `json:"pooled"` // null if no domain could be compared
	Trials  int                `json:"trials"` // that are usable on both sides
	Flips   []Flip             `json:"flips"`
	Alone   []string           `json:"alone"` // tasks that only one side has
	Notes   []string           `json:"notes"`
}

// DomainComparison is the comparison on one domain. Figures are null where undefined; Undefined says why.
type DomainComparison struct {
	Domain    string            `json:"domain"`
	Tasks     int               `json:"tasks"`  // that both have
	PassA     *float64          `json:"pass_a"` // Pass^k
	PassB     *float64          `json:"pass_b"`
	Delta     *float64          `json:"delta"` // A less B
	Low       *float64          `json:"low"`   // of the 95 % interval
	High      *float64          `json:"high"`
	OnlyA     int               `json:"only_a"` // tasks that pass with A alone
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

func testOf(t metrics.McNemar) Test {
	p, _ := t.P()
	return Test{OnlyA: t.First, OnlyB: t.Second, Z: t.Z, Normal: t.Normal, Exact: t.Exact, P: p}
}

// Flip is a trial with another outcome on each side.
type Flip struct {
	Domain string `json:"domain"`
	Task   string `json:"task"`
	Trial  int    `json:"trial"`
	Mut    bool   `json:"mut"`
	A      string `json:"a"` // pass, fail, void, pending
	B      string `json:"b"`
}

// Unlike lists the settings in which two runs differ, apart from the systems under test and the models that only they use:
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
	if a.Synthetic != b.Synthetic {
		out = append(out, fmt.Sprintf("synthetic is %v in the first run and %v in the second", a.Synthetic, b.Synthetic))
	}
	return out
}

// hashes are cut short in texts, as in the provenance.
var hashes = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{52}\b`)

// fair reports whether a setting must be the same for a comparison of two systems.
func fair(path string, a, b *Source) bool {
	head, rest, _ := strings.Cut(path, ".")
	switch head {
	case "systems":
		return false
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

// Compare pairs two systems. It is an error if they have no task in common.
func Compare(a, b Side, o Options) (Comparison, error) {
	in := Input{Options: o}
	c := Comparison{A: a.Source.Provenance, B: b.Source.Provenance, SystemA: a.System, SystemB: b.System,
		Unlike: append([]string{}, Unlike(a.Source, b.Source)...), Flips: []Flip{}, Alone: []string{}, Notes: []string{}}
	ofA, ofB := own(a), own(b)
	c.K = min(paperTrials, metrics.MaxTrials(flat(ofA)), metrics.MaxTrials(flat(ofB)))
	if c.K < paperTrials && c.K > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Pass^%d is compared: one side has no more trials", c.K))
	}
	var strata []metrics.Discordant
	for _, domain := range slices.Sorted(maps.Keys(ofA)) {
		if len(ofB[domain]) == 0 {
			c.Notes = append(c.Notes, "only the first side has "+domain)
			continue
		}
		d, p := in.domain(domain, ofA[domain], ofB[domain], c.K)
		c.Domains = append(c.Domains, d)
		if p.Reason != "" {
			c.Notes = append(c.Notes, fmt.Sprintf("`-` on %s: %s", domain, p.Reason))
		}
		c.Notes = append(c.Notes, said(p, domain, "the first side", "the second side")...)
		c.flips(domain, ofA[domain], ofB[domain])
		if p.Reason == "" {
			strata = append(strata, p.Discordant())
		}
		for _, t := range p.OnlyFirst {
			c.Alone = append(c.Alone, fmt.Sprintf("%s/%s: first side only", domain, t))
		}
		for _, t := range p.OnlySecond {
			c.Alone = append(c.Alone, fmt.Sprintf("%s/%s: second side only", domain, t))
		}
	}
	for _, domain := range slices.Sorted(maps.Keys(ofB)) {
		if len(ofA[domain]) == 0 {
			c.Notes = append(c.Notes, "only the second side has "+domain)
		}
	}
	total := 0
	for _, d := range c.Domains {
		total += d.Tasks
	}
	if total == 0 {
		return c, fmt.Errorf("%s of %s and %s of %s have no task in common", a.System, a.Source.Name, b.System, b.Source.Name)
	}
	if len(strata) > 0 {
		pooled := testOf(metrics.McNemarTest(strata...))
		c.Pooled = &pooled
	}
	return c, nil
}

// own are a side's outcomes by domain.
func own(s Side) map[string][]metrics.Outcome {
	out := map[string][]metrics.Outcome{}
	for _, o := range s.Source.Outcomes {
		if o.System == s.System {
			out[o.Domain] = append(out[o.Domain], o)
		}
	}
	return out
}

func flat(by map[string][]metrics.Outcome) []metrics.Outcome {
	var out []metrics.Outcome
	for _, d := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[d]...)
	}
	return out
}

// domain compares on one domain, on the tasks that both sides have.
func (in Input) domain(name string, a, b []metrics.Outcome, k int) (DomainComparison, metrics.Pairing) {
	p := metrics.PairUp(a, b, k)
	a, b = shared(a, b), shared(b, a)
	d := DomainComparison{Domain: name, Undefined: map[string]string{}}
	tasks := map[string]bool{}
	for _, o := range a {
		tasks[o.Task] = true
	}
	d.Tasks = len(tasks)
	delta := in.bootstrap().Delta(p)
	test := metrics.McNemarTest(p.Discordant())
	d.OnlyA, d.OnlyB = test.First, test.Second
	set := func(at **float64, name string, v float64, defined bool, why string) {
		if !defined {
			d.Undefined[name] = why
			return
		}
		*at = &v
	}
	passA, passB := metrics.PassHat(a, k), metrics.PassHat(b, k)
	set(&d.PassA, "pass_a", passA.Value, passA.Defined, passA.Reason)
	set(&d.PassB, "pass_b", passB.Value, passB.Defined, passB.Reason)
	set(&d.Delta, "delta", delta.Value, delta.Defined, delta.Reason)
	set(&d.Low, "low", delta.Interval.Lo, delta.Interval.Defined, delta.Interval.Reason)
	set(&d.High, "high", delta.Interval.Hi, delta.Interval.Defined, delta.Interval.Reason)
	value, _ := test.P()
	set(&d.P, "p", value, p.Reason == "", p.Reason)
	return d, p
}

// shared are the outcomes of tasks that the other side has too.
func shared(mine, theirs []metrics.Outcome) []metrics.Outcome {
	have := map[string]bool{}
	for _, o := range theirs {
		have[o.Task] = true
	}
	var out []metrics.Outcome
	for _, o := range mine {
		if have[o.Task] {
			out = append(out, o)
		}
	}
	return out
}

// flips adds the trials that ended otherwise on the other side, in the order of the first side's plan.
func (c *Comparison) flips(domain string, a, b []metrics.Outcome) {
	other := map[sim.Key]metrics.Outcome{}
	for _, o := range b {
		other[pairKey(o)] = o
	}
	for _, o := range a {
		x, ok := other[pairKey(o)]
		if ok && o.State != x.State {
			c.Flips = append(c.Flips, Flip{Domain: domain, Task: o.Task, Trial: o.Trial, Mut: o.Mut, A: stateName(o.State), B: stateName(x.State)})
		}
		if ok && usable(o.State) && usable(x.State) {
			c.Trials++
		}
	}
}

// pairKey is a trial whatever its system.
func pairKey(o metrics.Outcome) sim.Key {
	return sim.Key{Domain: o.Domain, Task: o.Task, Trial: o.Trial}
}

func usable(s metrics.State) bool { return s == metrics.Success || s == metrics.Failure }

func stateName(s metrics.State) string {
	switch s {
	case metrics.Success:
		return "pass"
	case metrics.Failure:
		return "fail"
	case metrics.Void:
		return "void"
	}
	return "pending"
}
