package show

import (
	"slices"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/runs/trials"
)

// Table is the list as a table.
func Table(lines []trials.Line) report.Table {
	t := report.Table{Name: "trials", Title: "Trials", Columns: []report.Column{{Key: "key", Title: "Trial"}, {Key: "outcome", Title: "Outcome"},
		{Key: "termination_reason", Title: "Ended"}, {Key: "steps", Title: "Steps", Numeric: true}, {Key: "why", Title: "Why"}}}
	for _, l := range lines {
		outcome := report.Label(l.Outcome.Mark() + " " + string(l.Outcome))
		outcome.Style = outcomeStyle(l.Outcome)
		t.Rows = append(t.Rows, []report.Cell{report.Label(l.Key.String()), outcome, report.Label(string(l.Ending)), report.Whole(l.Steps), report.Label(l.Why)})
	}
	if !slices.ContainsFunc(lines, func(l trials.Line) bool { return l.Why != "" }) { // keys need the room
		last := len(t.Columns) - 1
		t.Columns = t.Columns[:last]
		for i, r := range t.Rows {
			t.Rows[i] = r[:last]
		}
	}
	return t
}

func outcomeStyle(o trials.Outcome) terminal.Style {
	return map[trials.Outcome]terminal.Style{trials.Passed: terminal.Good, trials.Failed: terminal.Bad, trials.Void: terminal.Warn, trials.Pending: terminal.Warn}[o]
}
