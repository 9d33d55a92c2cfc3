package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
)

const listed = `
note: listed
trials: 2
models: {m: {synthetic: true}}
user: {model: m}
domains: [{name: mock, tasks: [add_task, finish_task]}]
systems: [{name: Bound, agent: oracle, model: m}, {name: Noop, agent: noop}, {name: A, agent: react, model: m}, {name: B, agent: react, model: m}]
`

// TestListRuns looks at runs in every state, the newest first, and at the best system of those that are complete.
func TestListRuns(t *testing.T) {
	root := t.TempDir()
	dir := func(name string) string { return filepath.Join(root, name) }
	runtest.Execute(t, listed, config.Options{Out: dir("finished")})
	if _, err := runtest.Run(t.Context(), runtest.Parse(t, listed+"limits: {max_tokens: 1, concurrency: 1}\n"), config.Options{Out: dir("budget")}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"running", "interrupted", "torn", "broken", "other plan"} {
		if err := os.CopyFS(dir(name), os.DirFS(dir("finished"))); err != nil {
			t.Fatal(err)
		}
	}
	index := runtest.Lines(t, filepath.Join(dir("finished"), "index.jsonl"))
	runtest.Write(t, filepath.Join(dir("interrupted"), "index.jsonl"), append(bytes.Join(index[:5], []byte("\n")), '\n'))
	runtest.Write(t, filepath.Join(dir("torn"), "index.jsonl"), append(bytes.Join(index[:5], []byte("\n")), "\n{\"domain\""...)) // the records are there to be read
	runtest.Write(t, filepath.Join(dir("broken"), "manifest.json"), []byte("{"))
	plan := runtest.Text(t, filepath.Join(dir("finished"), "plan.jsonl"))
	runtest.Write(t, filepath.Join(dir("other plan"), "plan.jsonl"), append([]byte("x\n"), plan...))
	runtest.Write(t, dir("no-run.txt"), []byte("x"))
	lock := flock.New(filepath.Join(dir("running"), "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer lock.Close()

	dirs, err := store.Folders(root)
	if err != nil {
		t.Fatal(err)
	}
	lines := report.ListRuns(dirs)
	got := map[string]string{}
	for _, l := range lines {
		best := "-"
		if l.Best != nil {
			best = fmt.Sprintf("%s %.3f %d", l.Best.System, l.Best.Pass, l.Best.K)
		}
		got[filepath.Base(l.Dir)] = fmt.Sprintf("%s %d/%d %d %s", l.State, l.Done, l.Planned, l.Evaluable, best)
	}
	const best = "A 1.000 2" // neither the bound nor the second of the same figure
	want := map[string]string{"finished": "finished 16/16 16 " + best, "running": "running 16/16 16 " + best, "torn": "finished 16/16 16 " + best,
		"interrupted": "interrupted 5/16 5 -", "broken": "unreadable 0/0 0 -", "other plan": "unreadable 0/0 0 -"}
	budget := got["budget"]
	delete(got, "budget")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(budget, "budget ") || !strings.HasSuffix(budget, " -") {
		t.Errorf("the run that its budget ended: %s", budget)
	}
	for k, file := range []string{"manifest.json", "plan.jsonl:1"} {
		if line := lines[len(lines)-2+k]; !strings.Contains(line.Error, file) {
			t.Errorf("the line does not say that %s is broken: %+v", file, line)
		}
	}
	var b strings.Builder
	if err := report.Write(&b, report.Term, report.RunsTable(lines, lines[0].Created.Add(3*time.Hour))); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"finished", "16/16", " 100 ", " 31 ", "A and 1 more *synthetic*", "1.000 (^2)", " 3 h", " – ", "unreadable", "manifest.json", "results of scripted models"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is missing in\n%s", part, b.String())
		}
	}
}
