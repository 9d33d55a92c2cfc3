// Package runtest makes and compares runs for the tests of the packages around them.
package runtest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
)

// Small is a config whose run takes a moment: three tasks, one of which needs the judge, two systems, two trials.
const Small = `
note: small
trials: 2
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.2, act_before_consent: 0.3, grant_forbidden: 0.3, give_up: 0.2}}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: retail, tasks: [cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]}]
systems:
  - {name: ReAct, agent: react, model: clumsy}
  - {name: Noop, agent: noop}
`

// NoEnv is an environment without variables.
func NoEnv(string) string { return "" }

// Parse reads a config.
func Parse(t testing.TB, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("small.yaml", []byte(text), NoEnv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Resolve makes the plan of a config.
func Resolve(t testing.TB, text string, o config.Options) *config.Plan {
	t.Helper()
	p, err := config.Resolve(context.Background(), Parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Run resolves and runs a config.
func Run(ctx context.Context, c *config.Config, o config.Options, how ...runs.Options) (*runs.Summary, error) {
	p, err := config.Resolve(ctx, c, o)
	if err != nil {
		return nil, err
	}
	return runs.Execute(ctx, p, append(how, runs.Options{})[0])
}

// Execute runs a config to its end.
func Execute(t testing.TB, text string, o config.Options, how ...runs.Options) *runs.Summary {
	t.Helper()
	s, err := Run(context.Background(), Parse(t, text), o, how...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Open opens a run directory.
func Open(t testing.TB, dir string) *store.Run {
	t.Helper()
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Outcome is all that two runs of one seed must have in common, by key: record and score as JSON, without times and
// without the number of the attempt.
func Outcome(t testing.TB, dir string) map[string]string {
	t.Helper()
	r := Open(t, dir)
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		score, ok := scores[store.Ref{Key: rec.Key, Attempt: rec.Attempt}]
		if !ok && rec.Termination.Evaluable() {
			t.Errorf("%s: no score of %s", dir, rec.Key.String())
		}
		score.JudgeCalls = nil
		rec.Attempt, score.Attempt = 0, 0
		text, err := json.Marshal(map[string]any{"record": rec.Timeless(), "score": score})
		if err != nil {
			t.Fatal(err)
		}
		out[rec.Key.String()] = string(text)
	}
	return out
}

// Same fails the test unless both run directories hold the same outcome.
func Same(t testing.TB, want, got string) {
	t.Helper()
	if diff := cmp.Diff(Outcome(t, want), Outcome(t, got)); diff != "" {
		t.Errorf("runs %s and %s differ (-first +second):\n%s", want, got, diff)
	}
}

// Consistent checks that index, scores and folder of a run agree, and that nothing unfinished lies about.
func Consistent(t testing.TB, dir string) {
	t.Helper()
	r := Open(t, dir)
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".tmp-") {
			t.Errorf("left over: %s", path)
		}
		if strings.HasPrefix(path, filepath.Join(dir, "trials")) && !d.IsDir() {
			files++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	indexed := map[store.Ref]bool{}
	for _, line := range Lines(t, filepath.Join(dir, "index.jsonl")) {
		var e store.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("index.jsonl: %v in %q", err, line)
		}
		indexed[e.Ref] = true
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(e.File))); err != nil {
			t.Errorf("index.jsonl: %v", err)
		}
	}
	if len(indexed) != files || len(r.Attempts()) != files {
		t.Errorf("%d record files, %d of them in index.jsonl, %d in the opened index", files, len(indexed), len(r.Attempts()))
	}
	for _, f := range []string{"scores.jsonl", "index.jsonl", "log.jsonl"} {
		if text := Text(t, filepath.Join(dir, f)); len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s ends in a torn line", f)
		}
	}
}

// Lines returns the lines of a file.
func Lines(t testing.TB, path string) [][]byte {
	t.Helper()
	var out [][]byte
	for line := range bytes.Lines(Text(t, path)) {
		out = append(out, bytes.TrimSuffix(line, []byte("\n")))
	}
	return out
}

// Write writes a file.
func Write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Clone copies a run directory.
func Clone(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// Text returns the text of a file.
func Text(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Snapshot returns the texts of all files of a folder, by path.
func Snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out[path] = string(Text(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Remove removes a file or a folder.
func Remove(t testing.TB, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}
