package trials_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// TestAsked: an answer is kept once it is whole, and given for the same query alone.
func TestAsked(t *testing.T) {
	r, lines := made(t, "one word", "another", "a word again")
	a := trials.Asked{Index: &trials.Index{}}
	for _, step := range []struct {
		lines        []trials.Line // kept answers need none
		text         string
		most         int
		want, unread int
	}{{lines, "word", 1, 1, 2}, {lines, "word", 1, 1, 1}, {lines, "word", 1, 2, 0}, {nil, "word", 0, 2, 0}, {nil, "another", 0, 0, 0}} {
		found, err := a.Find(t.Context(), r, step.lines, trials.NewQuery(map[string][]string{trials.Text: {step.text}}), step.most)
		if err != nil || len(found.Places) != step.want || found.Unread != step.unread {
			t.Errorf("%+v: %d found, %d not read, error %v", step, len(found.Places), found.Unread, err)
		}
	}
}

func TestAround(t *testing.T) {
	found := trials.Found{Places: []int{4, 2, 7}}
	for at, want := range map[int][2]int{4: {-1, 2}, 2: {4, 7}, 7: {2, -1}, 5: {-1, -1}} {
		if before, after := found.Around(at); [2]int{before, after} != want {
			t.Errorf("around %d are %d and %d, want %v", at, before, after, want)
		}
	}
}

func TestOfTask(t *testing.T) {
	lines := lined("a PV ✓✗ ✓", "b Mut ✗ ✓✓", "c PV ✓")
	for i, l := range lines {
		var want []trials.Line
		for _, o := range lines {
			if o.Task == l.Task {
				want = append(want, o)
			}
		}
		key := func(l trials.Line) sim.Key { return l.Key }
		if d := cmp.Diff(want, trials.OfTask(lines, i), cmp.Transformer("key", key)); d != "" {
			t.Errorf("%v: %s", l.Key, d)
		}
	}
}

func TestProgress(t *testing.T) {
	_, ran := made(t, "a", "b")
	waiting := trials.Line{Planned: config.Planned{Key: sim.Key{Domain: "mock", System: "A", Task: "t", Trial: 9}}}
	foreign := ran[0]
	foreign.Foreign = true
	imported := store.Manifest{}
	imported.Setup.Fields = map[string]string{"imported.from": "a file"}
	for _, tt := range []struct {
		name    string
		lines   []trials.Line
		of      metrics.Coverage
		m       store.Manifest
		writing bool
		want    string
	}{
		{"complete", ran, metrics.Coverage{Planned: 2, Evaluable: 2}, store.Manifest{}, false, "2 of 2 planned trials run, 2 evaluable; complete"},
		{"one to come", append(ran[:2:2], waiting), metrics.Coverage{Planned: 3, Evaluable: 2, Void: 1}, store.Manifest{}, true,
			"2 of 3 planned trials run, 2 evaluable; a process is writing now"},
		{"stopped", append(ran[:2:2], waiting), metrics.Coverage{Planned: 3, Evaluable: 2, Void: 1}, store.Manifest{}, false,
			"2 of 3 planned trials run, 2 evaluable; not complete: resume the run to go on"},
		{"void and pending", ran, metrics.Coverage{Planned: 2, Void: 1, Pending: 1}, store.Manifest{}, false,
			"2 of 2 planned trials run, 0 evaluable, 1 void, 1 pending; not complete: resume the run to go on"},
		{"imported", append(ran[:1:1], waiting, foreign), metrics.Coverage{Planned: 2, Evaluable: 1, Void: 1}, imported, false,
			"1 of 2 planned trials run, 1 evaluable; 1 more that the plan does not have; not complete, and imported: it cannot be resumed"},
	} {
		if got := trials.Progress(tt.lines, tt.of, tt.m, tt.writing); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
