package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Spec is a table that can be asked for.
type Spec struct {
	Number int // in the paper; 0 for those that it does not have
	Name   string
	About  string // in a few words, for help texts
	// Free says that it is of the program's own catalogs and workflows, and needs no run.
	Free  bool
	build func(Input) (Table, error)
}

// Build computes the table. With Published, the paper's figures and the differences stand in columns of their own.
func (s Spec) Build(in Input) (Table, error) {
	in, err := in.withPaper()
	if err != nil {
		return Table{}, fmt.Errorf("table %s: %w", s.Name, err)
	}
	own := in.own()
	if !s.Free && len(own) > 0 && len(own) == len(in.Sources) {
		in.paper = nil
	}
	t, err := s.build(in)
	if err != nil {
		return Table{}, fmt.Errorf("table %s: %w", s.Name, err)
	}
	if in.Published {
		for _, name := range own {
			if !s.Free {
				t.Notes = append(t.Notes, fmt.Sprintf("the paper's figures are of τ²-bench's tasks and do not stand beside run %s, which is on the program's own", name))
			}
		}
		t = t.published()
	}
	return t, nil
}

// Tables lists all tables: those of the paper by number, then our own.
func Tables() []Spec {
	plain := func(f func(Input) Table) func(Input) (Table, error) {
		return func(in Input) (Table, error) { return f(in), nil }
	}
	return []Spec{
		{1, "main", "Pass^1 and Pass^4 of all systems", false, plain(mainTable)},
		{2, "ablations", "Pass^4 of PolicyGuide's variants", false, plain(ablations)},
		{3, "controllers", "Pass^4 of workflow controllers on telecom", false, plain(controllers)},
		{4, "models", "Pass^4 by agent family on airline", false, plain(agentFamilies)},
		{5, "traces", "compliance of traces with the rubric", false, traces},
		{6, "requirements", "requirements by class", true, requirements},
		{7, "requirements-retail", "requirements of the retail policy", true, catalogTable(7, "retail", "")},
		{8, "requirements-telecom", "requirements of the telecom policy", true, catalogTable(8, "telecom", mainDocument)},
		{9, "requirements-manual", "requirements of the telecom manual", true, catalogTable(9, "telecom", manualDocument)},
		{10, "pass-k", "Pass^k and pass@k for each k, consistency", false, plain(breakdown)},
		{11, "trials", "Pass^1 of each trial and its spread", false, plain(perTrial)},
		{12, "mcnemar", "paired test of Pass^4 over domains", false, mcnemar},
		{13, "bootstrap", "difference of Pass^4 with its interval", false, bootstrap},
		{14, "guide", "model use of guides and guards", false, plain(guideUsage)},
		{15, "time", "wall clock per task", false, plain(wallClock)},
		{16, "validator", "size and findings of workflows", true, validator},
		{17, "nmr", "mutations without the reads they need", false, nearMisses},
		{0, "pass", "Pass^k by slice, with the coverage", false, func(in Input) (Table, error) { return PassHat(in.Sources), nil }},
		{0, "guard-ablations", "Pass^4 of PolicyGuard's variants", false, plain(guardAblations)},
		{0, "asr", "attack success by k and by kind of call", false, plain(attackSuccess)},
		{0, "calls", "model calls, tokens and cost by role", false, func(in Input) (Table, error) { return Usage(in.Sources), nil }},
		{0, "requirements-airline", "requirements of the airline policy", true, catalogTable(0, "airline", "")},
	}
}

// FindTable returns the table of a name or a number of the paper.
func FindTable(name string) (Spec, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(name), "table"))
	var known []string
	for _, s := range Tables() {
		if s.Name == name || err == nil && n > 0 && s.Number == n {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Spec{}, fmt.Errorf("unknown table %q: choose a number from 1 to 17, all, or one of %s", name, strings.Join(known, ", "))
}

// paperTrials is the number of trials of all the paper's tables.
const paperTrials = 4

// published puts the paper's figures and the differences to them into columns of their own.
func (t Table) published() Table {
	has := make([]bool, len(t.Columns))
	any := false
	for _, r := range t.Rows {
		for i, c := range r {
			has[i] = has[i] || c.Paper != nil
			any = any || c.Paper != nil
		}
	}
	out := t
	out.Columns, out.Rows = nil, nil
	for i, c := range t.Columns {
		out.Columns = append(out.Columns, c)
		if has[i] {
			out.Columns = append(out.Columns, Column{Key: c.Key + "_paper", Title: c.Title + " paper", Numeric: true},
				Column{Key: c.Key + "_difference", Title: "− paper", Numeric: true})
		}
	}
	for _, r := range t.Rows {
		var row []Cell
		for i, c := range r {
			row = append(row, c)
			if has[i] {
				row = append(row, c.paperCells()...)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	if !any {
		out.Notes = append(append([]string{}, t.Notes...), "the paper has no figures to put beside these")
		return out
	}
	out.Notes = append(append([]string{}, t.Notes...), "columns with \"paper\" are figures published in the paper (arXiv preprint 2026), not of these runs")
	if t.Synthetic {
		out.Notes = append(out.Notes, "a difference between scripted models and the paper's says nothing")
	}
	return out
}

// paperCells are the paper's figure and ours less it.
func (c Cell) paperCells() []Cell {
	if c.Paper == nil {
		return []Cell{Dash("the paper has no such figure"), Dash("the paper has no such figure")}
	}
	paper := Number(*c.Paper, c.Digits)
	if c.Signed {
		paper = Signed(*c.Paper, c.Digits)
	}
	v, ok := c.number()
	if !ok {
		return []Cell{paper, Dash("there is no figure to compare")}
	}
	const exact = 1e9 // what a difference of decimals has beyond is of their binary form
	return []Cell{paper, Signed(math.Round((v-*c.Paper)*exact)/exact, c.Digits)}
}

// signed is a number with its sign always there; zero has none.
func signed(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	if v > 0 {
		return "+" + s
	}
	return s
}
