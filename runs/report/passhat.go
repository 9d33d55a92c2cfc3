package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// Source is one run as a table needs it.
type Source struct {
	Name      string
	Synthetic bool
	Identity  string // hash of all that affects results
	Models    string // which model played which role, for the notes
	Outcomes  []metrics.Outcome
	Spent     map[Spender]*Spending
}

// PassHat is the table of Pass^k for every k, overall and for PV and Mut tasks, with the coverage beside each row.
func PassHat(sources []Source) Table {
	var all []metrics.Outcome
	t := Table{Title: "Pass^k"}
	for _, s := range sources {
		all = append(all, s.Outcomes...)
		t.Synthetic = t.Synthetic || s.Synthetic
		t.Notes = append(t.Notes, fmt.Sprintf("run %s, identity %s; %s", s.Name, s.Identity, s.Models))
	}
	n := metrics.MaxTrials(all)
	t.Columns = []Column{{Key: "domain", Title: "Domain"}, {Key: "system", Title: "System"}, {Key: "slice", Title: "Tasks"},
		{Key: "tasks", Title: "#", Numeric: true}, {Key: "evaluable", Title: "Evaluable/planned", Numeric: true}}
	for k := 1; k <= n; k++ {
		t.Columns = append(t.Columns, Column{Key: fmt.Sprintf("pass^%d", k), Title: fmt.Sprintf("Pass^%d", k), Numeric: true})
	}
	t.Columns = append(t.Columns, Column{Key: "strict_pass^1", Title: "strict Pass^1", Numeric: true})
	groups, by := metrics.ByGroup(all)
	var reasons []string
	for _, g := range groups {
		for _, s := range []metrics.Slice{metrics.All, metrics.PV, metrics.Mut} {
			part := metrics.Select(by[g], s)
			if len(part) == 0 {
				continue
			}
			row, why := passRow(g, s, part, n)
			t.Rows = append(t.Rows, row)
			for _, r := range why {
				if line := fmt.Sprintf("`-` for %s on %s (%s): %s", g.System, g.Domain, s, r); !slices.Contains(reasons, line) {
					reasons = append(reasons, line)
				}
			}
		}
	}
	t.Notes = append(t.Notes, "strict Pass^1 counts every void or pending trial as a failure; the other columns leave them out")
	t.Notes = append(t.Notes, reasons...)
	return t
}

func passRow(g metrics.Group, s metrics.Slice, part []metrics.Outcome, n int) (row []Cell, why []string) {
	c := metrics.Cover(part)
	tasks := map[string]bool{}
	for _, o := range part {
		tasks[o.Task] = true
	}
	row = []Cell{Label(g.Domain), Label(g.System), Label(string(s)), Whole(len(tasks)),
		{Text: fmt.Sprintf("%d/%d", c.Evaluable, c.Planned), Value: fmt.Sprintf("%d/%d", c.Evaluable, c.Planned)}}
	for k := 1; k <= n; k++ {
		cell := figure(metrics.PassHat(part, k))
		if cell.Why != "" {
			why = append(why, cell.Why)
		}
		row = append(row, cell)
	}
	return append(row, figure(metrics.StrictPass(part))), why
}

// figure is a cell of an estimate: three decimals, or a dash with the reason.
func figure(e metrics.Estimate) Cell {
	if !e.Defined {
		return Cell{Text: "-", Why: e.Reason}
	}
	return Cell{Text: fmt.Sprintf("%.3f", e.Value), Value: e.Value}
}
