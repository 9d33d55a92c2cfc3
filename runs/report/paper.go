package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim/attack"
)

// paperTrials is the number of trials of all the paper's tables.
const paperTrials = 4

// The splits of the paper's main tables, and of its tables of variants. Airline has no test split.
const (
	base = "base"
	test = "test"
)

// paperDomains are those of the paper in its order.
func paperDomains() []string { return []string{"airline", "retail", "telecom"} }

// readPaper reads the paper's figures at the first use. They are never changed.
var readPaper = sync.OnceValues(configs.Published)

// paperFigure is the paper's figure at a path in which names, such as $domain, mean values. nil if the paper has
// none, or if it is not wanted.
func (in Input) paperFigure(path string, names ...string) *float64 {
	if v, ok := in.paper[strings.NewReplacer(names...).Replace(path)]; ok {
		return &v
	}
	return nil
}

// onOwnTasks lists the runs on the program's own tasks, of which the paper knows nothing.
func (in Input) onOwnTasks() []string {
	var out []string
	for _, s := range in.Sources {
		if s.DataFolder == attack.Embedded {
			out = append(out, s.Name)
		}
	}
	return out
}

// foreign says of such runs that the paper's figures are not beside theirs.
func (in Input) foreign() (notes []string) {
	for _, name := range in.onOwnTasks() {
		notes = append(notes, fmt.Sprintf("the paper's figures are of τ²-bench's tasks and are not shown beside run %s, which is on the program's own", name))
	}
	return notes
}

// withPaper puts the paper's figures and the differences to them into columns of their own.
func (t Table) withPaper() Table {
	has := make([]bool, len(t.Columns))
	for _, r := range t.Rows {
		for i, c := range r {
			has[i] = has[i] || c.Paper != nil
		}
	}
	out := t
	out.Columns, out.Rows, out.Notes = nil, nil, slices.Clone(t.Notes)
	for i, c := range t.Columns {
		out.Columns = append(out.Columns, c)
		if has[i] {
			out.Columns = append(out.Columns, c.beside("_paper", "paper", c.Heading()+" paper"), c.beside("_difference", "−", "− paper"))
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
	if !slices.Contains(has, true) {
		out.Notes = append(out.Notes, "no figures of the paper belong beside these")
		return out
	}
	out.Notes = append(out.Notes, "columns with \"paper\" are figures published in the paper (arXiv preprint 2026), not of these runs")
	if t.Synthetic {
		out.Notes = append(out.Notes, "a difference between scripted models and the paper's says nothing")
	}
	return out
}

// beside is a column of figures beside those of another, below the same heading.
func (c Column) beside(key, own, title string) Column {
	if shared, of := c.split(); shared != "" {
		title = shared + "|" + strings.TrimSpace(of+" "+own) + "|" + title
	}
	return Column{Key: c.Key + key, Title: title, Numeric: true}
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
	const exact = 1e9 // digits beyond these come from the binary form of decimals
	return []Cell{paper, Signed(math.Round((v-*c.Paper)*exact)/exact, c.Digits)}
}

// paperRow reports whether the paper's figures belong beside a row of a table of the split, and if not, why.
func (r row) paperRow(split string) (bool, string) {
	switch {
	case r.source == nil:
		return true, ""
	case !r.system.is(r.kind), r.source.DataFolder == attack.Embedded:
		return false, ""
	case r.family == "" && r.system.Family != "" && r.system.Family != families[0]:
		return false, fmt.Sprintf("the paper's row of %s is of %s, not of %s", r.kind, families[0], r.system.Family)
	case split != "" && r.source.split(r.domain) != split:
		return false, fmt.Sprintf("the paper has %s on the %s split, run %s on %s", r.domain, split, r.source.Name, r.source.split(r.domain))
	case split == "":
		return true, ""
	}
	figures, err := readPaper()
	if err != nil {
		return false, ""
	}
	return r.as(int(figures[fmt.Sprintf("splits.%s.%s.all", r.domain, split)]))
}

// as reports whether a row has so many tasks with as many trials as the paper's, all of them with a result, and if not, why
// the paper's figures are not beside it.
func (r row) as(tasks int) (bool, string) {
	trials := tasks * paperTrials
	if countTasks(r.outcomes) == tasks && len(r.outcomes) == trials && metrics.Cover(r.outcomes).Evaluable == trials {
		return true, ""
	}
	return false, fmt.Sprintf("the paper's figures are of all tasks of its splits with %d trials each: none is shown beside a row of run %s that has other tasks or trials, or trials without a result",
		paperTrials, r.source.Name)
}
