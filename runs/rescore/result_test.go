package rescore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/rescore"
	"github.com/tauguide/tauguide/runs/tau2"
)

// written puts n τ² results into a folder, each with more conversations than the one before and with a key that we do not
// know.
func written(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		var sims []string
		for k := range 3*i + 1 {
			sims = append(sims, fmt.Sprintf(`{"id":"s%d-%d","task_id":"t","trial":%d,"seed":1,"termination_reason":"user_stop","reward_info":{"reward":%d.0},`+
				`"messages":[{"role":"user","content":"###STOP###","novel":[%d]}]}`, i, k, k, k%2, k))
		}
		text := `{"info":{"environment_info":{"domain_name":"mock"}},"tasks":[{"id":"t","user_scenario":{"instructions":"be"},"evaluation_criteria":{"actions":[]}}],` +
			`"simulations":[` + strings.Join(sims, ",") + `]}`
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.json", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rescored is what is printed and told of paths.
func rescored(t *testing.T, paths ...string) (out string, notes []string, err error) {
	t.Helper()
	var b bytes.Buffer
	o := rescore.Options{Strictness: tau2.Lenient, Tasks: tau2.RecordedTasks, Data: "embedded", Env: func(string) string { return "" },
		Note: func(text string) { notes = append(notes, text) }}
	_, err = rescore.Paths(context.Background(), paths, o, rescore.Text(&b, true, false))
	return b.String(), notes, err
}

// TestResultsInOrder wants results that are scored at the same time told one after the other, as they are alone.
func TestResultsInOrder(t *testing.T) {
	dir := written(t, 9)
	got, notes, err := rescored(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	var alone []string
	for i := range 9 {
		out, _, err := rescored(t, filepath.Join(dir, fmt.Sprintf("%02d.json", i)))
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, out)
	}
	if want := strings.Join(alone, "\n") + "\ntotal: 117 trials: 56 agree, 61 differ; mean reward recorded 0.4786 of 117, now 1.0000 of 117\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	want := "9 results, the first " + filepath.Join(dir, "00.json") + ": 117 × unknown key novel of a message: kept under extra (first in simulation s0-0)"
	if n := len(notes); n == 0 || notes[n-1] != want && !strings.Contains(strings.Join(notes, "\n"), want) {
		t.Errorf("told %q, want %q", notes, want)
	}
	if n := strings.Count(strings.Join(notes, "\n"), "novel"); n != 1 {
		t.Errorf("the key is told %d times, want once", n)
	}
}

// TestBrokenAmongResults wants a result that breaks off told up to there, and all others whole.
func TestBrokenAmongResults(t *testing.T) {
	dir := written(t, 7)
	file := filepath.Join(dir, "03.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	out, notes, err := rescored(t, dir)
	if err == nil || !strings.Contains(err.Error(), "03.json") || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out, "total: 69 trials") || !strings.Contains(out, "s3-8") || strings.Contains(out, "s3-9") {
		t.Errorf("got\n%s\n%q", out, notes)
	}
}

// TestStopped wants no word and no wait after the caller has had enough.
func TestStopped(t *testing.T) {
	dir := written(t, 5)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	o := rescore.Options{Strictness: tau2.Lenient, Tasks: tau2.RecordedTasks, Data: "embedded", Env: func(string) string { return "" }, Note: func(string) {}}
	if _, err := rescore.Paths(ctx, []string{dir}, o, rescore.Text(&bytes.Buffer{}, true, false)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
