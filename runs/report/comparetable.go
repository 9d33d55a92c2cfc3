package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/terminal"
)

// Tables renders a comparison: the figures by domain and slice, those of Pass^1, and the first so many of the tasks that one
// side passes more often and of the flips; 0 is all of them.
func (c Comparison) Tables(most int) []Table {
	out := []Table{c.figures()}
	if c.K > 1 {
		out = append(out, c.single())
	}
	return append(out, c.changed(most), c.flipped(most))
}

// Family renders several comparisons of one system: a table of all, and the figures of each.
func Family(all []Comparison) []Table {
	first := all[0]
	t := first.table("comparisons", fmt.Sprintf("A = %s of %s against each", first.SystemA, first.A.Name))
	for _, c := range all[1:] {
		t.Synthetic = t.Synthetic || c.B.Synthetic
		if c.differ() {
			t.Runs = append(t.Runs, c.B)
		}
	}
	cols := []column[Comparison]{{"system", "B", words, "", func(c Comparison) Cell { return Label(c.SystemB) }},
		{"p_holm", "p Holm", 4, "", func(c Comparison) Cell {
			if c.Pooled == nil {
				return Dash("no domain could be compared")
			}
			return probability(c.Pooled.P)
		}}}
	rest := lift(slices.Concat(passed(first.K), tested()), func(c Comparison) DomainComparison { return c.whole() })
	fill(&t, slices.Insert(cols, 1, rest...), all, nil)
	t.Notes = append(t.Notes, intervalNote, testNote(first.K), fmt.Sprintf("p Holm: corrected for the %d comparisons that were asked for; p is not", len(all)))
	for _, c := range all {
		t.Notes = append(t.Notes, c.SystemB+": "+c.Finding)
	}
	out := []Table{t}
	for _, c := range all {
		out = append(out, c.figures())
	}
	return out
}

// table is an empty table of a comparison.
func (c Comparison) table(name, title string) Table {
	t := Table{Name: name, Title: title, Synthetic: c.A.Synthetic || c.B.Synthetic, mark: markOf(c.A, c.B), Runs: []Provenance{c.A}}
	if c.differ() {
		t.Runs = append(t.Runs, c.B)
	}
	return t
}

// differ reports whether the sides are of two runs.
func (c Comparison) differ() bool { return c.A.Dir != c.B.Dir || c.A.Config != c.B.Config }

// rows are the domains and the mean over them, with their slices.
func (c Comparison) rows() (out []DomainComparison) {
	all := c.Domains
	if c.Mean != nil {
		all = append(slices.Clone(all), *c.Mean)
	}
	for _, d := range all {
		out = append(append(out, d), d.Slices...)
	}
	return out
}

// where says of what a row is.
func where() []column[DomainComparison] {
	return []column[DomainComparison]{
		{"domain", "Domain", words, "", func(d DomainComparison) Cell { return Label(d.Domain) }},
		{"slice", "Slice", words, "", func(d DomainComparison) Cell { return Label(d.Slice) }},
		{"tasks", "#", 0, "", func(d DomainComparison) Cell { return Whole(d.Tasks) }},
	}
}

// defined is a column of a figure, which may be undefined.
func defined(key, title string, cell func(float64) Cell, value func(Contrast) *float64) column[Contrast] {
	return column[Contrast]{key, title, 3, "", func(c Contrast) Cell {
		if v := value(c); v != nil {
			return cell(*v)
		}
		return Dash(c.Undefined[key])
	}}
}

// contrasted are the columns of Pass^k.
func contrasted(k int) []column[Contrast] {
	plain := func(v float64) Cell { return Number(v, 3) }
	change := func(v float64) Cell { return Signed(v, 3) }
	return []column[Contrast]{
		defined("pass_a", fmt.Sprintf("Pass^%d A", k), plain, func(c Contrast) *float64 { return c.PassA }),
		defined("pass_b", fmt.Sprintf("Pass^%d B", k), plain, func(c Contrast) *float64 { return c.PassB }),
		defined("delta", "A − B", change, func(c Contrast) *float64 { return c.Delta }),
		defined("low", "95 %|low|low", change, func(c Contrast) *float64 { return c.Low }),
		defined("high", "95 %|high|high", change, func(c Contrast) *float64 { return c.High }),
	}
}

// passed are those of a comparison.
func passed(k int) []column[DomainComparison] {
	return lift(contrasted(k), func(d DomainComparison) Contrast { return d.Contrast })
}

// tested are the columns of the test.
func tested() []column[DomainComparison] {
	discordant := func(key, title string, count func(DomainComparison) int) column[DomainComparison] {
		return column[DomainComparison]{key, title, 0, "", func(d DomainComparison) Cell {
			if d.P == nil {
				return Dash(d.Undefined["p"])
			}
			return Whole(count(d))
		}}
	}
	number := func(key, title string, cell func(float64) Cell, value func(DomainComparison) *float64) column[DomainComparison] {
		return column[DomainComparison]{key, title, 2, "", func(d DomainComparison) Cell {
			if v := value(d); v != nil {
				return cell(*v)
			}
			return Dash(d.Undefined[key])
		}}
	}
	ratio := func(v float64) Cell { return Number(v, 2) }
	return []column[DomainComparison]{
		discordant("only_a", "Only|A|only A", func(d DomainComparison) int { return d.OnlyA }),
		discordant("only_b", "Only|B|only B", func(d DomainComparison) int { return d.OnlyB }),
		number("odds", "Odds|ratio|odds ratio", ratio, func(d DomainComparison) *float64 { return d.Odds }),
		number("odds_low", "Odds|low|odds low", ratio, func(d DomainComparison) *float64 { return d.OddsLow }),
		number("odds_high", "Odds|high|odds high", ratio, func(d DomainComparison) *float64 { return d.OddsHigh }),
		number("p", "p", probability, func(d DomainComparison) *float64 { return d.P }),
	}
}

var intervalNote = fmt.Sprintf("%d %% intervals of A − B: adjusted Wald over pairs of tasks, two added, one for each side (Bonett and Price 2012), Student's t; of odds ratios: exact", metrics.Level)

// testNote says what the test is of.
func testNote(k int) string {
	passed := "first trial passes"
	if k > 1 {
		passed = fmt.Sprintf("first %d trials all pass", k)
	}
	return fmt.Sprintf("only A, only B, odds ratio, p: of tasks whose %s with one side alone; p is McNemar's, exact", passed)
}

func (c Comparison) figures() Table {
	t := c.table("comparison", fmt.Sprintf("A = %s of %s, B = %s of %s", c.SystemA, c.A.Name, c.SystemB, c.B.Name))
	t.narrow = []string{"odds_low", "odds_high", "odds"}
	t.Finding = c.Finding
	for _, u := range c.Unlike {
		t.Notes = append(t.Notes, "unlike: "+u)
	}
	fill(&t, slices.Concat(where(), passed(c.K), tested()), c.rows(), nil)
	t.Notes = append(append(t.Notes, c.Notes...), intervalNote, testNote(c.K))
	if c.Mean != nil {
		t.Notes = append(t.Notes, "mean: over the domains, each of which counts the same, with an interval stratified by domain; its test is of all tasks together")
	}
	if len(t.Rows) > len(c.Domains) {
		t.Notes = append(t.Notes, "the conclusion goes by the last row for all tasks; the others show where a difference is from, and their p are not corrected for their number")
	}
	if edge := c.edge(); len(edge) > 0 {
		t.Notes = append(t.Notes, "interval and p do not agree, so that there is no finding: "+strings.Join(edge, ", "))
	}
	if c.Pooled == nil {
		t.Notes = append(t.Notes, "no domain could be compared, so that there is no test over all of them")
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

// single is Pass^1, where k is another.
func (c Comparison) single() Table {
	t := c.table("comparison-pass1", "Pass^1 over all usable trials")
	t.Runs = nil
	fill(&t, slices.Concat(where(), lift(contrasted(1), func(d DomainComparison) Contrast { return *d.Single })), c.rows(), nil)
	return t
}

// changed lists the tasks that one side passes more often, the largest differences first.
func (c Comparison) changed(most int) Table {
	rows := slices.Clone(c.Changed)
	slices.SortStableFunc(rows, func(x, y TaskChange) int { return cmp.Compare(math.Abs(y.Delta), math.Abs(x.Delta)) })
	better := len(slices.DeleteFunc(slices.Clone(rows), func(x TaskChange) bool { return x.Delta < 0 }))
	t := c.table("tasks", fmt.Sprintf("Tasks that one side passes more often: %d with A, %d with B", better, len(rows)-better))
	t.Runs = nil
	if most > 0 && len(rows) > most {
		rows = rows[:most]
		t.Notes = append(t.Notes, fmt.Sprintf("the first %d are shown; --flips 0 shows all", most))
	}
	if len(rows) > 0 {
		t.Notes = append(t.Notes, "to look at the first: `"+strings.Join(rows[0].Show, "` and `")+"`; --json has these for each")
	}
	of := func(passed, trials int) Cell { return Label(fmt.Sprintf("%d of %d", passed, trials)) }
	fill(&t, []column[TaskChange]{
		{"domain", "Domain", words, "", func(x TaskChange) Cell { return Label(x.Domain) }},
		{"task", "Task", words, "", func(x TaskChange) Cell { return Label(x.Task) }},
		{"slice", "Slice", words, "", func(x TaskChange) Cell { return Label(x.Slice) }},
		{"passed_a", "Passed|A|passed with A", words, "", func(x TaskChange) Cell { return of(x.PassedA, x.TrialsA) }},
		{"passed_b", "Passed|B|passed with B", words, "", func(x TaskChange) Cell { return of(x.PassedB, x.TrialsB) }},
		{"delta", "A − B", 3, "", func(x TaskChange) Cell { return Signed(x.Delta, 3) }},
		{"trial", "Look at|trial|trial to look at", 0, "", func(x TaskChange) Cell { return Whole(x.Trial) }},
	}, rows, nil)
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
