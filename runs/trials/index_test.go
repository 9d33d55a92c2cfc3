package trials_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim"
)

// made writes a run in which each of these is said in a trial of its own.
func made(t *testing.T, said ...string) (*store.Run, []trials.Line) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, text := range said {
		r := sim.Record{Version: sim.RecordVersion, Key: sim.Key{Domain: "mock", System: "A", Task: "t", Trial: i}, Termination: sim.UserStop,
			Messages: []sim.Message{{Role: domains.RoleUser, Content: domains.Text(text)}}}
		if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
			t.Fatal(err)
		}
	}
	c := runtest.Parse(t, "note: made\nmodels: {m: {synthetic: true}}\nuser: {model: m}\ndomains: [{name: mock}]\nsystems: [{name: A, agent: react, model: m}]\n")
	if err := f.Finish(store.Manifest{Name: "made", Config: c}, time.Now()); err != nil {
		t.Fatal(err)
	}
	r := runtest.Open(t, dir)
	return r, trials.All(r)
}

// TestIndexGrows: records are read a few at a time, new ones are added, and what was said in one that is another now is not found.
func TestIndexGrows(t *testing.T) {
	x := &trials.Index{}
	find := func(r *store.Run, lines []trials.Line, most int, text string, want, unread int) {
		t.Helper()
		found, err := x.Find(t.Context(), r, lines, trials.NewQuery(map[string][]string{trials.Text: {text}}), most)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Places) != want || found.Unread != unread {
			t.Errorf("%q: %d found, %d unread, want %d and %d", text, len(found.Places), found.Unread, want, unread)
		}
	}
	r, lines := made(t, "one", "one", "two")
	find(r, lines, 2, "one", 2, 1)
	find(r, lines, 2, "one", 2, 0)
	find(r, lines, 2, "two", 1, 0)
	r, lines = made(t, "one", "three", "two", "one")
	find(r, lines, 1, "one", 1, 1)
	find(r, lines, 1, "one", 2, 0)
	find(r, lines, 1, "three", 1, 0)
}

// TestRows: the texts of the data of a copy have a bound, and the lines have none.
func TestRows(t *testing.T) {
	r, lines := made(t, "four", "five", "six")
	for most, want := range map[int]int{100: 0, 11: 0, 8: 1, 0: 3} {
		rows, left := trials.Rows(r, lines, most)
		if len(rows) != 3 || left != want || rows[2].Of["outcome"][0] != "pending" || len(rows[0].Keys) != len(trials.Columns()) {
			t.Errorf("%d bytes: %d rows, %d of them without texts, want %d", most, len(rows), left, want)
		}
	}
}
