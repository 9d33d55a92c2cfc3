package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"github.com/tauguide/tauguide/runs/store"
)

// TestState: whatever grows or is replaced gives another state, and records, which the index tells of, do not.
func TestState(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := store.State(dir); err == nil {
		t.Error("a folder without a manifest has a state")
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("manifest.json", "{}")
	was := ""
	look := func(what string, changed, held bool) {
		t.Helper()
		state, writing, err := store.State(dir)
		if err != nil || (state != was) != changed || writing != held {
			t.Errorf("%s: state %q after %q, writing: %v, error %v", what, state, was, writing, err)
		}
		was = state
	}
	look("the first", true, false)
	look("nothing", false, false)
	for _, name := range []string{"index.jsonl", "scores.jsonl", "plan.jsonl", "tau2.json"} {
		put(name, "1\n")
		look(name+" is new", true, false)
		put(name, "1\n2\n")
		look(name+" has grown", true, false)
	}
	put("a record.json", "{}")
	look("a record", false, false)
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	look("a process writes", true, true)
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	look("it has ended", true, false)
}
