package trials

import (
	"slices"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
)

// Row is a line with all that a query goes by, for a program that answers queries elsewhere.
type Row struct {
	Link  string              `json:"link"`
	Cells []string            `json:"cells"` // as they are shown; by column, as the next
	Keys  []any               `json:"keys"`  // a number or a text, null for none
	Of    map[string][]string `json:"of"`    // what the trial has of each field
	Said  [][]string          `json:"said"`  // passages: the place of each, and its texts
}

// Rows are the lines of a run as rows without links and cells, the texts of the conversations cut off once they have so many
// bytes: left is how many of the conversations are without. Each record is read.
func Rows(r *store.Run, lines []Line, most int) (rows []Row, left int) {
	rows = make([]Row, len(lines))
	columns, fields := Columns(), Fields()
	for i := range lines {
		l, row := &lines[i], &rows[i]
		row.Of = map[string][]string{}
		var d doc
		if rec, _, err := r.RecordInside(l.ref()); err == nil {
			d.tools, d.stopped = transcript.Called(rec), transcript.StoppedAt(rec)
			for _, p := range transcript.Passages(rec) {
				said := append([]string{p.ID()}, p.Texts...)
				for _, text := range p.Texts {
					most -= len(text)
				}
				row.Said = append(row.Said, said)
			}
		}
		if most < 0 && row.Said != nil {
			row.Said = nil
			left++
		}
		for _, f := range fields {
			if f.said != nil {
				row.Of[f.Name] = f.said(&d)
			} else if shown := slices.Collect(f.values(l)); len(shown) > 0 {
				row.Of[f.Name] = shown
			}
		}
		for _, c := range columns {
			n, text, known := c.of(l)
			switch {
			case !known:
				row.Keys = append(row.Keys, nil)
			case c.Numeric:
				row.Keys = append(row.Keys, n)
			default:
				row.Keys = append(row.Keys, text)
			}
		}
	}
	return rows, left
}
