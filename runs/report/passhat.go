package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// PassHat is the table of Pass^k, overall and for PV and Mut tasks, with the coverage beside each row. Runs are never
// pooled: with several, each has rows of its own.
func PassHat(sources []Source) Table {
	t := Table{Name: "pass", Title: "Pass^k"}
	t.of(sources)
	n := 0
	for _, s := range sources {
		n = max(n, metrics.MaxTrials(s.Outcomes))
	}
	ks := shownK(n)
	t.Columns = []Column{{Key: "domain", Title: "Domain"}, {Key: "system", Title: "System"}, {Key: "slice", Title: "Tasks"},
		{Key: "tasks", Title: "#", Numeric: true}, {Key: "evaluable", Title: "Evaluable", Numeric: true}, {Key: "planned", Title: "Planned", Numeric: true}}
	for _, k := range ks {
		t.Columns = append(t.Columns, Column{Key: fmt.Sprintf("pass^%d", k), Title: fmt.Sprintf("Pass^%d", k), Numeric: true})
	}
	t.Columns = append(t.Columns, Column{Key: "strict_pass^1", Title: "strict Pass^1", Numeric: true})
	if len(sources) > 1 {
		t.Columns = slices.Insert(t.Columns, 0, Column{Key: "run", Title: "Run"})
	}
	var reasons []string
	for _, s := range sources {
		rows, why := passRows(s, ks)
		for _, row := range rows {
			if len(sources) > 1 {
				row = slices.Insert(row, 0, Label(s.Name))
			}
			t.Rows = append(t.Rows, row)
		}
		reasons = append(reasons, why...)
	}
	t.Notes = append(t.Notes, "strict Pass^1 counts every void or pending trial as a failure; the other columns leave them out")
	t.Notes = append(t.Notes, reasons...)
	return t
}

// shownK picks the k to print: all up to eight, then doubling, and the largest.
func shownK(n int) []int {
	var ks []int
	for k := 1; k < n; {
		ks = append(ks, k)
		if k < 8 {
			k++
		} else {
			k *= 2
		}
	}
	if n > 0 {
		ks = append(ks, n)
	}
	return ks
}

// passRows are the rows of one run, and why some of their figures are undefined.
func passRows(s Source, ks []int) (rows [][]Cell, reasons []string) {
	groups, by := metrics.ByGroup(s.Outcomes)
	for _, g := range groups {
		for _, slice := range []metrics.Slice{metrics.All, metrics.PV, metrics.Mut} {
			part := metrics.Select(by[g], slice)
			if len(part) == 0 {
				continue
			}
			row, why := passRow(g, slice, part, ks)
			rows = append(rows, row)
			for _, r := range why {
				if line := fmt.Sprintf("`-` for %s on %s (%s): %s", g.System, g.Domain, slice, r); !slices.Contains(reasons, line) {
					reasons = append(reasons, line)
				}
			}
		}
	}
	return rows, reasons
}

func passRow(g metrics.Group, s metrics.Slice, part []metrics.Outcome, ks []int) (row []Cell, why []string) {
	c := metrics.Cover(part)
	tasks := map[string]bool{}
	for _, o := range part {
		tasks[o.Task] = true
	}
	row = []Cell{Label(g.Domain), Label(g.System), Label(string(s)), Whole(len(tasks)), Whole(c.Evaluable), Whole(c.Planned)}
	for _, k := range ks {
		cell := estimate(metrics.PassHat(part, k))
		if cell.Why != "" {
			why = append(why, cell.Why)
		}
		row = append(row, cell)
	}
	return append(row, estimate(metrics.StrictPass(part))), why
}

// estimate is a cell of an estimate: three decimals, or a dash with the reason.
func estimate(e metrics.Estimate) Cell {
	if !e.Defined {
		return Dash(e.Reason)
	}
	return Number(e.Value, 3)
}
