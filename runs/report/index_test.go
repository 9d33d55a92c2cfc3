package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
)

// TestTablesAreOfTheIndex removes the records of a run: all tables that do not read conversations stay as they are.
func TestTablesAreOfTheIndex(t *testing.T) {
	dir := smallRun(t)
	before := indexTables(t, dir)
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	source, err := report.FromRun(r, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "trials")); err != nil {
		t.Fatal(err)
	}
	if after := render(t, source); after != before {
		t.Errorf("the tables changed:\n%s\n%s", before, after)
	}
}

// TestOldIndexFallsBackToRecords strips the index of what older programs did not write.
func TestOldIndexFallsBackToRecords(t *testing.T) {
	dir := smallRun(t)
	before := indexTables(t, dir)
	path := filepath.Join(dir, "index.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var e map[string]json.RawMessage
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		delete(e, "roles")
		delete(e, "size")
		delete(e, "modified")
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, line...), '\n')
	}
	if err := os.WriteFile(path, out, 0o644); err != nil {
		t.Fatal(err)
	}
	if after := indexTables(t, dir); after != before {
		t.Errorf("the tables changed:\n%s\n%s", before, after)
	}
}

func indexTables(t testing.TB, dir string) string {
	t.Helper()
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := report.FromRun(r, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return render(t, s)
}

func render(t testing.TB, s report.Source) string {
	t.Helper()
	var out strings.Builder
	for _, name := range []string{"1", "10", "11", "12", "13", "14", "15", "pass", "calls"} {
		out.WriteString(write(t, report.JSON, build(t, name, report.Input{Sources: []report.Source{s}, Options: report.Options{Resamples: 100}})))
	}
	return out.String()
}

// smallRun holds a few conversations with scripted models.
func smallRun(t testing.TB) string {
	t.Helper()
	cfg, err := config.Parse("small.yaml", []byte(`
note: a test's run
trials: 4
models: {scripted: {synthetic: true}}
user: {model: scripted}
judge: {model: scripted}
domains: [{name: mock}]
systems:
  - {name: ReAct, agent: react, model: scripted}
  - {name: Noop, agent: noop}
`), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "small")
	if _, err := runtest.Run(t.Context(), cfg, config.Options{Out: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}
