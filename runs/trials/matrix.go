package trials

import (
	"cmp"
	"slices"
	"strings"

	"github.com/maruel/natural"

	"github.com/tauguide/tauguide/metrics"
)

// Tally counts trials.
type Tally struct {
	Trials, Judged, Passed int // judged ones passed or failed
}

func (t Tally) with(l *Line) Tally {
	t.Trials++
	if l.Outcome == Passed || l.Outcome == Failed {
		t.Judged++
	}
	if l.Outcome == Passed {
		t.Passed++
	}
	return t
}

// Share is the share of the judged trials that passed; of none below all others.
func (t Tally) Share() float64 {
	if t.Judged == 0 {
		return -1
	}
	return float64(t.Passed) / float64(t.Judged)
}

// Flaky reports whether some judged trials passed and some did not.
func (t Tally) Flaky() bool { return t.Passed > 0 && t.Passed < t.Judged }

// Cell is the trials of one system at one task.
type Cell struct {
	Tally
	Lines []*Line
}

// MatrixRow is a task, and what each system made of it.
type MatrixRow struct {
	Task  string
	Slice metrics.Slice
	Total Tally
	Cells []Cell // of Matrix.Systems

	differ bool // some systems that compete pass more of their judged trials than others
}

// Matrix sets the tasks of a domain against the systems that have trials there. Totals are of the tasks that it has.
type Matrix struct {
	Systems []string
	Rows    []MatrixRow
	Totals  []Tally // of Systems
	Total   Tally
}

// NewMatrix makes the matrix of a domain of lines that are in the order of All. bound names systems that do not compete.
func NewMatrix(lines []Line, domain string, bound func(system string) bool) Matrix {
	var m Matrix
	at := map[string]int{}
	for i := range lines {
		if l := &lines[i]; l.Domain == domain {
			if _, ok := at[l.System]; !ok {
				at[l.System] = len(m.Systems)
				m.Systems = append(m.Systems, l.System)
			}
		}
	}
	for i := range lines {
		l := &lines[i]
		if l.Domain != domain {
			continue
		}
		if n := len(m.Rows); n == 0 || m.Rows[n-1].Task != l.Task {
			m.Rows = append(m.Rows, MatrixRow{Task: l.Task, Slice: l.Slice, Cells: make([]Cell, len(m.Systems))})
		}
		row := &m.Rows[len(m.Rows)-1]
		c := &row.Cells[at[l.System]]
		c.Tally, c.Lines = c.with(l), append(c.Lines, l)
	}
	for i := range m.Rows {
		m.Rows[i].differ = m.differ(m.Rows[i], bound)
	}
	return m.of(m.Rows)
}

func (m Matrix) differ(row MatrixRow, bound func(string) bool) bool {
	share := -1.0
	for k, c := range row.Cells {
		if c.Judged == 0 || bound(m.Systems[k]) {
			continue
		}
		if share >= 0 && c.Share() != share {
			return true
		}
		share = c.Share()
	}
	return false
}

// of is the matrix of these rows.
func (m Matrix) of(rows []MatrixRow) Matrix {
	m.Rows, m.Totals, m.Total = rows, make([]Tally, len(m.Systems)), Tally{}
	add := func(to *Tally, t Tally) {
		to.Trials, to.Judged, to.Passed = to.Trials+t.Trials, to.Judged+t.Judged, to.Passed+t.Passed
	}
	for i := range rows {
		row := &rows[i]
		row.Total = Tally{}
		for k, c := range row.Cells {
			add(&row.Total, c.Tally)
			add(&m.Totals[k], c.Tally)
		}
		add(&m.Total, row.Total)
	}
	return m
}

// Only keeps the tasks at which competing systems differ, or at which some system passes some trials and fails others.
func (m Matrix) Only(differ, flaky bool) Matrix {
	return m.of(slices.DeleteFunc(slices.Clone(m.Rows), func(r MatrixRow) bool {
		return differ && !r.differ || flaky && !slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Flaky() })
	}))
}

// SystemKey is what Sort calls the column of a system.
const SystemKey = "system:"

// Sort puts the rows into the order of a column: task, slice, total, or that of a system; behind a dash, the other way round.
// Rows that are alike in it stay as they were. An unknown column changes nothing.
func (m Matrix) Sort(by string) {
	key, down := strings.CutPrefix(by, "-")
	share := func(of func(MatrixRow) Tally) func(a, b MatrixRow) int {
		return func(a, b MatrixRow) int { return cmp.Compare(of(a).Share(), of(b).Share()) }
	}
	compare := map[string]func(a, b MatrixRow) int{
		"task":  func(a, b MatrixRow) int { return natural.Compare(a.Task, b.Task) },
		"slice": func(a, b MatrixRow) int { return cmp.Compare(a.Slice, b.Slice) },
		"total": share(func(r MatrixRow) Tally { return r.Total }),
	}
	for k, system := range m.Systems {
		compare[SystemKey+system] = share(func(r MatrixRow) Tally { return r.Cells[k].Tally })
	}
	if by := compare[key]; by != nil {
		slices.SortStableFunc(m.Rows, func(a, b MatrixRow) int {
			if down {
				a, b = b, a
			}
			return by(a, b)
		})
	}
}
