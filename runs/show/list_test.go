package show_test

import (
	"testing"

	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/trials"
)

// TestListHasReasonsOnlyWhereThereAreSome: the column is left to the keys otherwise.
func TestListHasReasonsOnlyWhereThereAreSome(t *testing.T) {
	t.Parallel()
	for want, lines := range map[int][]trials.Line{4: {{}, {}}, 5: {{}, {Why: "broken"}}} {
		table := show.Table(lines)
		if len(table.Columns) != want || len(table.Rows[0]) != want || len(table.Rows[1]) != want {
			t.Errorf("%d columns, want %d: %+v", len(table.Columns), want, table)
		}
	}
}
