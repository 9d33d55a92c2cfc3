package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/terminal"
)

// Tables renders a comparison: the figures by domain, and the first so many flips; 0 is all of them.
func (c Comparison) Tables(flips int) []Table {
	return []Table{c.figures(), c.flipped(flips)}
}

func (c Comparison) figures() Table {
	t := Table{Name: "comparison", Title: fmt.Sprintf("A = %s of %s, B = %s of %s", c.SystemA, c.A.Name, c.SystemB, c.B.Name),
		Synthetic: c.A.Synthetic || c.B.Synthetic, mark: markOf(c.A, c.B), Runs: []Provenance{c.A}}
	if c.A.Dir != c.B.Dir || c.A.Config != c.B.Config {
		t.Runs = append(t.Runs, c.B)
	}
	for _, u := range c.Unlike {
		t.Notes = append(t.Notes, "unlike: "+u)
	}
	number := func(key, title string, value func(DomainComparison) *float64, cell func(float64) Cell) column[DomainComparison] {
		return column[DomainComparison]{key, title, 3, "", func(d DomainComparison) Cell {
			v := value(d)
			if v == nil {
				return Dash(d.Undefined[key])
			}
			return cell(*v)
		}}
	}
	discordant := func(key, title string, count func(DomainComparison) int) column[DomainComparison] {
		return column[DomainComparison]{key, title, 0, "", func(d DomainComparison) Cell {
			if d.P == nil {
				return Dash(d.Undefined["p"])
			}
			return Whole(count(d))
		}}
	}
	plain := func(v float64) Cell { return Number(v, 3) }
	change := func(v float64) Cell { return Signed(v, 3) }
	rows := c.Domains
	if c.Mean != nil {
		rows = append(slices.Clone(rows), *c.Mean)
	}
	fill(&t, []column[DomainComparison]{
		{"domain", "Domain", words, "", func(d DomainComparison) Cell { return Label(d.Domain) }},
		{"tasks", "#", 0, "", func(d DomainComparison) Cell { return Whole(d.Tasks) }},
		number("pass_a", fmt.Sprintf("Pass^%d A", c.K), func(d DomainComparison) *float64 { return d.PassA }, plain),
		number("pass_b", fmt.Sprintf("Pass^%d B", c.K), func(d DomainComparison) *float64 { return d.PassB }, plain),
		number("delta", "A − B", func(d DomainComparison) *float64 { return d.Delta }, change),
		number("low", "95 %|low|low", func(d DomainComparison) *float64 { return d.Low }, change),
		number("high", "95 %|high|high", func(d DomainComparison) *float64 { return d.High }, change),
		discordant("only_a", "Only|A|only A", func(d DomainComparison) int { return d.OnlyA }),
		discordant("only_b", "Only|B|only B", func(d DomainComparison) int { return d.OnlyB }),
		number("p", "p", func(d DomainComparison) *float64 { return d.P }, probability),
	}, rows, nil)
	t.Notes = append(t.Notes, c.Notes...)
	if c.Mean != nil {
		t.Notes = append(t.Notes, "mean: over the domains, each of which counts the same, with an interval stratified by domain; its p is that of all tasks together")
	}
	t.Notes = append(t.Notes, fmt.Sprintf("%d %% intervals of A − B: adjusted Wald over pairs of tasks, two added, one for each side (Bonett and Price 2012), Student's t", metrics.Level))
	if c.Pooled == nil {
		t.Notes = append(t.Notes, "no domain could be compared, so that there is no test over all of them")
	} else {
		t.Notes = append(t.Notes, fmt.Sprintf("over all domains: %d tasks pass with A only, %d with B only; Z %s, p %s (McNemar; exact below 25 such tasks)",
			c.Pooled.OnlyA, c.Pooled.OnlyB, Signed(c.Pooled.Z, 2).Text, probability(c.Pooled.P).Text))
	}
	const most = 10
	for i, a := range c.Alone {
		if i == most {
			t.Notes = append(t.Notes, fmt.Sprintf("left out: %d tasks more; --json lists them", len(c.Alone)-most))
			break
		}
		t.Notes = append(t.Notes, "left out: "+a)
	}
	return t
}

func (c Comparison) flipped(most int) Table {
	t := Table{Name: "flips", Title: fmt.Sprintf("Trials that end otherwise: %d, of %d that both could be judged", len(c.Flips), c.Trials), Synthetic: c.A.Synthetic || c.B.Synthetic, mark: markOf(c.A, c.B)}
	shown := c.Flips
	if most > 0 && len(shown) > most {
		shown = shown[:most]
		t.Notes = append(t.Notes, fmt.Sprintf("the first %d are shown; --flips 0 shows all", most))
	}
	fill(&t, []column[Flip]{
		{"domain", "Domain", words, "", func(f Flip) Cell { return Label(f.Domain) }},
		{"task", "Task", words, "", func(f Flip) Cell { return Label(f.Task) }},
		{"trial", "Trial", 0, "", func(f Flip) Cell { return Whole(f.Trial) }},
		{"slice", "Slice", words, "", func(f Flip) Cell { return Label(f.Slice) }},
		{"a", "A", words, "", func(f Flip) Cell { return verdict(f.A) }},
		{"b", "B", words, "", func(f Flip) Cell { return verdict(f.B) }},
	}, shown, nil)
	return t
}

// verdict is how a trial ended, in its colour.
func verdict(state string) Cell {
	c := Label(state)
	c.Style = map[string]terminal.Style{"pass": terminal.Good, "fail": terminal.Bad, "void": terminal.Warn, "pending": terminal.Warn}[state]
	return c
}
