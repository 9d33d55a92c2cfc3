package trials_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// lined makes lines of a domain: of each task the outcomes of each system's trials, by their marks.
func lined(tasks ...string) []trials.Line {
	byMark := map[string]trials.Outcome{}
	for _, o := range trials.Outcomes() {
		byMark[o.Mark()] = o
	}
	var out []trials.Line
	for _, task := range tasks {
		words := strings.Fields(task)
		for k, marks := range words[2:] {
			for n, mark := range []rune(marks) {
				out = append(out, trials.Line{Planned: config.Planned{Key: sim.Key{Domain: "d", Task: words[0], System: []string{"A", "B", "Oracle"}[k], Trial: n}},
					Slice: metrics.Slice(words[1]), Outcome: byMark[string(mark)]})
			}
		}
	}
	return append(out, trials.Line{Planned: config.Planned{Key: sim.Key{Domain: "other", Task: "x", System: "Z"}}, Outcome: trials.Passed})
}

func TestMatrix(t *testing.T) {
	lines := lined("task-10 PV ✓✗ ✓✓ ✓✓", "task-9 Mut ✓✓ ✓✓ ✓✓", "task-1 PV ✗∅ ?· ✓✓", "task-2 Mut ✗✗ ✗✗ ✓✓")
	whole := trials.NewMatrix(lines, "d", func(name string) bool { return name == "Oracle" })
	shown := func(m trials.Matrix) (out []string) {
		cell := func(t trials.Tally) string { return fmt.Sprintf("%d/%d of %d", t.Passed, t.Judged, t.Trials) }
		for _, r := range m.Rows {
			s := r.Task + " " + string(r.Slice)
			for _, c := range r.Cells {
				s += ", " + cell(c.Tally)
			}
			out = append(out, s+": "+cell(r.Total))
		}
		s := "all"
		for _, c := range m.Totals {
			s += ", " + cell(c)
		}
		return append(out, s+": "+cell(m.Total))
	}
	want := []string{"task-10 PV, 1/2 of 2, 2/2 of 2, 2/2 of 2: 5/6 of 6", "task-9 Mut, 2/2 of 2, 2/2 of 2, 2/2 of 2: 6/6 of 6", "task-1 PV, 0/1 of 2, 0/0 of 2, 2/2 of 2: 2/3 of 6",
		"task-2 Mut, 0/2 of 2, 0/2 of 2, 2/2 of 2: 2/6 of 6", "all, 3/7 of 8, 4/6 of 8, 8/8 of 8: 15/21 of 24"}
	if diff := cmp.Diff(want, shown(whole)); diff != "" || !slices.Equal(whole.Systems, []string{"A", "B", "Oracle"}) {
		t.Errorf("%v (-want +got):\n%s", whole.Systems, diff)
	}
	differ := whole.Only(true, false)
	if diff := cmp.Diff([]string{want[0], "all, 1/2 of 2, 2/2 of 2, 2/2 of 2: 5/6 of 6"}, shown(differ)); diff != "" {
		t.Errorf("where systems differ, the bound left aside (-want +got):\n%s", diff)
	}
	if got := whole.Only(false, true); len(got.Rows) != 1 || got.Rows[0].Task != "task-10" {
		t.Errorf("flaky: %v", shown(got))
	}
	if got := trials.NewMatrix(lined("t PV ✓✓ ✓✗", "u PV ✓✗ ✓✗"), "d", func(string) bool { return false }).Only(true, true); len(got.Rows) != 1 || got.Rows[0].Task != "t" {
		t.Errorf("both: %v", shown(got))
	}
	for by, want := range map[string]string{"": "10 9 1 2", "nothing": "10 9 1 2", "task": "1 2 9 10", "-task": "10 9 2 1", "slice": "9 2 10 1", "total": "2 1 10 9", "-total": "9 10 1 2",
		"system:A": "1 2 10 9", "-system:B": "10 9 2 1", "system:Z": "10 9 1 2"} {
		m := whole.Only(false, false)
		m.Sort(by)
		var got []string
		for _, r := range m.Rows {
			got = append(got, strings.TrimPrefix(r.Task, "task-"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %q: %v, want %s", by, got, want)
		}
	}
}
