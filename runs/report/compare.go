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
	Mean    *DomainComparison `json:"mean"`
	Pooled  *Test             `json:"pooled"` // null if no domain could be compared
	Trials  int               `json:"trials"` // that are usable on both sides
	Changed []TaskChange      `json:"tasks"`  // that one side passes more often
	Flips   []Flip            `json:"flips"`
	Alone   []string          `json:"alone"` // tasks that only one side has
	Notes   []string          `json:"notes"`
	// Finding says in a sentence what can be concluded, and what not.
	Finding string `json:"finding"`
}

// Test is the stratified McNemar test over all domains.
type Test struct {
	OnlyA  int     `json:"only_a"`
	OnlyB  int     `json:"only_b"`
	Z      float64 `json:"z"`
	Normal float64 `json:"p_normal"` // as the paper prints it: too small where few tasks are discordant
	Exact  float64 `json:"p_exact"`
	P      float64 `json:"p"`      // the one to read: exact, and corrected where several systems are compared
	Family int     `json:"family"` // comparisons that were asked for together, for which P is corrected (Holm 1979)
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

// CompareAll compares the first system with each other; the p of their tests are corrected for that (Holm 1979).
func CompareAll(k int, first Side, others ...Side) ([]Comparison, error) {
	out, tests, ps := make([]Comparison, len(others)), []*Test{}, []float64{}
	for i, other := range others {
		c, err := Compare(k, first, other)
		if err != nil {
			return nil, err
		}
		if out[i] = c; c.Pooled != nil {
			tests, ps = append(tests, c.Pooled), append(ps, c.Pooled.Exact)
		}
	}
	for i, p := range metrics.Holm(ps) {
		tests[i].P, tests[i].Family = p, len(ps)
	}
	for i := range out {
		out[i].Finding = out[i].conclusion()
	}
	return out, nil
}

// Compare pairs two systems by Pass^k; k of 0 is the paper's 4, or the most that both have trials for. It is an error if they
// have no task in common, or no so many trials.
func Compare(k int, a, b Side) (Comparison, error) {
	c := Comparison{A: a.Source.Provenance, B: b.Source.Provenance, SystemA: a.System, SystemB: b.System,
		Unlike: append([]string{}, Unlike(a.Source, b.Source)...), Changed: []TaskChange{}, Flips: []Flip{}, Alone: []string{}, Notes: append([]string{}, a.Source.remarks()...)}
	if b.Source != a.Source {
		c.Notes = append(c.Notes, b.Source.remarks()...)
	}
	ofA, ofB := a.outcomes(), b.outcomes()
	if err := c.choose(k, min(trials(ofA), trials(ofB))); err != nil {
		return c, err
	}
	c.Notes = append(c.Notes, a.Source.unreliable(a.System)...)
	if a != b {
		c.Notes = append(c.Notes, b.Source.unreliable(b.System)...)
	}
	var all []stratum
	for _, domain := range slices.Sorted(maps.Keys(ofA)) {
		if len(ofB[domain]) == 0 {
			c.Notes = append(c.Notes, "only the first side has "+domain)
			continue
		}
		s := stratum{domain, metrics.Both{First: shared(ofA[domain], ofB[domain]), Second: shared(ofB[domain], ofA[domain])}}
		c.pair(domain, ofA[domain], ofB[domain])
		if len(s.First) > 0 {
			all = append(all, s)
			c.changes(s)
		}
		c.Domains = append(c.Domains, c.compared(domain, s))
	}
	for _, domain := range slices.Sorted(maps.Keys(ofB)) {
		if len(ofA[domain]) == 0 {
			c.Notes = append(c.Notes, "only the second side has "+domain)
		}
	}
	if len(all) == 0 {
		return c, domains.Usage(fmt.Errorf("%s of %s and %s of %s have no task in common\nhint: compare systems of one run, or runs on the same tasks",
			a.System, a.Source.Name, b.System, b.Source.Name))
	}
	if len(c.Domains) > 1 {
		mean := c.compared("mean", all...)
		c.Mean = &mean
	}
	if t := c.test(all...); t.Strata > 0 {
		c.Pooled = &Test{OnlyA: t.First, OnlyB: t.Second, Z: t.Z, Normal: t.Normal, Exact: t.Exact, P: t.Exact, Family: 1}
	}
	c.Finding = c.conclusion()
	return c, nil
}

// choose chooses the k of the Pass^k that is compared, of which there are so many trials.
func (c *Comparison) choose(k, most int) error {
	if c.K = k; k > most {
		return domains.Usage(fmt.Errorf("too few trials for Pass^%d: %s or %s has %d of a task\nhint: ask for a k from 1 to %d", k, c.SystemA, c.SystemB, most, most))
	}
	if k > 0 {
		return nil
	}
	if c.K = min(paperTrials, most); c.K < paperTrials && c.K > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Pass^%d is compared: one side has no more trials", c.K))
	}
	return nil
}

// pair says of a domain what of it is no pair, and which trials end otherwise.
func (c *Comparison) pair(domain string, a, b []metrics.Outcome) {
	p := metrics.PairUp(a, b, c.K)
	if p.Reason != "" {
		c.Notes = append(c.Notes, fmt.Sprintf("`-` on %s: %s", domain, p.Reason))
	}
	note := fmt.Sprintf("of tasks with more than %d usable trials, Pass^k and A − B go by all of them, the test by the first %[1]d", c.K)
	if p.ExtraFirst+p.ExtraSecond > 0 && !slices.Contains(c.Notes, note) {
		c.Notes = append(c.Notes, note)
	}
	p.ExtraFirst, p.ExtraSecond = 0, 0
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
