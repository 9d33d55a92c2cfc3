package view_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/sim"
)

var victim = sim.Key{Domain: "retail", System: "Guided", Task: "cancel-gift-card-order"}

// TestDamage changes a run while it is shown, and looks at what its pages say.
func TestDamage(t *testing.T) {
	type want struct {
		status int
		text   string
	}
	rewrite := func(path string, change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			full := filepath.Join(dir, path)
			if path == "record" {
				full = recordPath(t, dir, victim, 0)
			}
			text, err := os.ReadFile(full)
			if err == nil {
				err = os.WriteFile(full, change(text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	cut := func(text []byte) []byte { return text[:len(text)/2] }
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		pages  map[string]want
	}{
		{"the record is cut off", rewrite("record", cut), map[string]want{
			aTrial: {500, "damaged at byte"}, aTrial + "a0/": {500, "The file as it is"}, aTrial + "a0/record.json": {200, `"version"`}, "/small/trials/": {200, "of 10"},
			aTrial + "beside/small/ReAct/0/": {500, "damaged"}, "/small/trial/retail/ReAct/cancel-gift-card-order/0/beside/small/Guided/0/": {500, "damaged"}}},
		{"the record is gone", func(t *testing.T, dir string) {
			if err := os.Remove(recordPath(t, dir, victim, 0)); err != nil {
				t.Fatal(err)
			}
		}, map[string]want{aTrial: {404, "not in the run's folder"}, aTrial + "a0/record.json": {404, "not in the run's folder"}, "/small/trials/": {200, "1 to 10 of 10"}}},
		{"the record is a folder", func(t *testing.T, dir string) {
			path := recordPath(t, dir, victim, 0)
			if err := os.Remove(path); err == nil {
				err = os.MkdirAll(filepath.Join(path, "x"), 0o755)
				if err != nil {
					t.Fatal(err)
				}
			}
		}, map[string]want{aTrial: {500, "is no file"}}},
		{"the record is gone and the index too", func(t *testing.T, dir string) {
			rewrite("record", cut)(t, dir)
			if err := os.Remove(filepath.Join(dir, "index.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, map[string]want{aTrial: {500, "the record cannot be read"}, "/small/": {200, "damaged at byte"}, "/": {200, "9 of 10"}}},
		{"the last line of the index is torn", rewrite("index.jsonl", func(b []byte) []byte { return b[:len(b)-20] }), map[string]want{"/small/trials/": {200, "1 to 10 of 10"}}},
		{"a line of the scores is broken", rewrite("scores.jsonl", func(b []byte) []byte { return append(append([]byte("{broken\n"), b...), "{torn"...) }), map[string]want{"/small/trials/": {200, "1 to 10 of 10"}, aTrial: {200, "Component"}}},
		{"there are no scores", rewrite("scores.jsonl", func([]byte) []byte { return nil }), map[string]want{aTrial: {200, "not scored yet"}, "/small/": {200, "10 pending"}}},
		{"the manifest is broken", rewrite("manifest.json", cut), map[string]want{"/small/": {500, "manifest.json"}, aTrial: {500, "manifest.json"}, "/": {200, "damaged at byte"}}},
		{"the plan is broken", rewrite("plan.jsonl", func(b []byte) []byte { return append([]byte("x\n"), b...) }), map[string]want{"/small/": {500, "plan.jsonl:1: damaged line"}}},
		{"the plan is empty", rewrite("plan.jsonl", func([]byte) []byte { return nil }), map[string]want{"/small/": {500, "plan.jsonl is missing or empty"}}},
		{"the run is deleted", func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		}, map[string]want{"/small/": {404, "there is no run in"}, aTrial: {404, "there is no run in"}, aTrial + "a0/record.json": {404, "there is no run"}, "/": {200, "any more: lstat"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := smallRun(t)
			s := serve(t, dir)
			s.page(aTrial) // so that whatever is kept is kept
			tt.change(t, dir)
			for path, want := range tt.pages {
				status, body, _ := s.get(path)
				if got := words(body); status != want.status || !strings.Contains(got, want.text) || refreshes(body) {
					t.Errorf("%s: status %d, want %d and %q in\n%s", path, status, want.status, want.text, got)
				}
			}
		})
	}
}

// TestLinksOutOfTheRun puts symbolic links where records and lists are: nothing outside may be read, neither by a viewer
// that has the run open nor by one that opens it then.
func TestLinksOutOfTheRun(t *testing.T) {
	lists := []string{"/small/", aTrial, aTrial + "a0/record.json"}
	for name, pages := range map[string][]string{"manifest.json": lists, "plan.jsonl": lists, "index.jsonl": lists, "scores.jsonl": lists, "tau2.json": lists,
		"record": lists[1:], "folder": lists[1:], "broken": nil, "device": nil} {
		t.Run(name, func(t *testing.T) {
			dir, outside := smallRun(t), smallRun(t)
			s := serve(t, dir)
			from, to := filepath.Join(dir, name), filepath.Join(outside, name)
			switch name {
			case "record":
				from, to = recordPath(t, dir, victim, 0), recordPath(t, outside, victim, 0)
			case "folder":
				from, to = filepath.Join(dir, "trials", "retail"), filepath.Join(outside, "trials", "retail")
			case "broken", "device":
				from = filepath.Join(dir, "trials", "retail", "ReAct", "more.json")
				to = map[string]string{"broken": "nowhere", "device": os.DevNull}[name]
			}
			if err := os.RemoveAll(from); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(to, from); err != nil {
				t.Skip(err)
			}
			for _, path := range pages {
				if status, body, _ := s.get(path); status != http.StatusInternalServerError {
					t.Errorf("%s: status %d\n%s", path, status, words(body))
				}
			}
			if _, err := view.Open([]string{dir}, noEnv); err == nil || !strings.Contains(err.Error(), "is a link") {
				t.Errorf("opened then: error %v", err)
			}
		})
	}
}

// TestARunThatIsALink is allowed: the folder that it leads to is the run.
func TestARunThatIsALink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "small")
	if err := os.Symlink(smallRun(t), link); err != nil {
		t.Skip(err)
	}
	serve(t, link).page(aTrial)
}
