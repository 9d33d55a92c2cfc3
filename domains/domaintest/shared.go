// Package domaintest finds the data that tests need. Its own tests run the recorded conformance vectors against every
// domain, and check what all must hold: fresh environments are independent, reads change nothing, a replay of the
// recorded calls gives the same state.
package domaintest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tauguide/tauguide/domains"
)

// Root returns the root of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}

// Locate returns the folder with the reference's data and vectors, named by TAUGUIDE_SHARED (default ../shared beside
// the repository), and whether it is there.
func Locate(t testing.TB) (dir string, ok bool) {
	t.Helper()
	dir = os.Getenv("TAUGUIDE_SHARED")
	switch {
	case dir == "":
		dir = filepath.Join(Root(t), "..", "shared")
	case !filepath.IsAbs(dir):
		dir = filepath.Join(Root(t), dir)
	}
	_, err := os.Stat(filepath.Join(dir, "conformance"))
	return dir, err == nil
}

// Shared is Locate for a test that cannot do without: it skips where the folder is absent.
func Shared(t testing.TB) string {
	t.Helper()
	dir, ok := Locate(t)
	if !ok {
		t.Skipf("shared reference data not found: set TAUGUIDE_SHARED (looked in %s)", dir)
	}
	return dir
}

// Real opens a domain on the reference's data.
func Real(t testing.TB, d domains.Domain, o domains.Options) *domains.World {
	t.Helper()
	data, err := domains.Folder(filepath.Join(Shared(t), "tau2"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := d.Open(data, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Embedded opens a domain on the program's own data.
func Embedded(t testing.TB, d domains.Domain, o domains.Options) *domains.World {
	t.Helper()
	w, err := d.Open(domains.Embedded(), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Vectors decodes a file of the conformance corpus.
func Vectors(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(Shared(t), "conformance", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Started opens a task's environment with its message history replayed.
func Started(w *domains.World, task *domains.Task) (*domains.Env, error) {
	e, err := w.New(task)
	if err != nil || task.InitialState == nil {
		return e, err
	}
	_, err = e.Replay(task.InitialState.History, true)
	return e, err
}
