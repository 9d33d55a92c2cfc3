package runs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// small is a config whose run takes a moment: three tasks, one of which needs the judge, two systems, two trials.
const small = `
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

func noEnv(string) string { return "" }

func parse(t testing.TB, text string) *runs.Config {
	t.Helper()
	c, err := runs.Parse("small.yaml", []byte(text), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func prepare(t testing.TB, text string, o runs.Options) *runs.Job {
	t.Helper()
	j, err := runs.Prepare(parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func execute(t testing.TB, text string, o runs.Options) *runs.Summary {
	t.Helper()
	s, err := runs.Execute(context.Background(), parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t testing.TB, dir string) *runs.Run {
	t.Helper()
	r, err := runs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// outcome is all that two runs of one seed must have in common, by key: record and score as JSON, without times and
// without the number of the attempt.
func outcome(t testing.TB, dir string) map[string]string {
	t.Helper()
	r := open(t, dir)
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		score, ok := scores[runs.Ref{Key: rec.Key, Attempt: rec.Attempt}]
		if !ok && rec.Termination.Evaluable() {
			t.Errorf("%s: no score of %s", dir, runs.KeyString(rec.Key))
		}
		score.JudgeCalls = nil
		rec.Attempt, score.Attempt = 0, 0
		text, err := json.Marshal(map[string]any{"record": rec.Timeless(), "score": score})
		if err != nil {
			t.Fatal(err)
		}
		out[runs.KeyString(rec.Key)] = string(text)
	}
	return out
}

// same fails the test unless both run directories hold the same outcome.
func same(t testing.TB, want, got string) {
	t.Helper()
	if diff := cmp.Diff(outcome(t, want), outcome(t, got)); diff != "" {
		t.Errorf("runs %s and %s differ (-first +second):\n%s", want, got, diff)
	}
}

// consistent checks that index, scores and folder of a run agree, and that nothing unfinished lies about.
func consistent(t testing.TB, dir string) {
	t.Helper()
	r := open(t, dir)
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
	indexed := map[runs.Ref]bool{}
	for _, line := range fileLines(t, filepath.Join(dir, "index.jsonl")) {
		var e runs.Entry
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
		if text := fileText(t, filepath.Join(dir, f)); len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s ends in a torn line", f)
		}
	}
}

func fileLines(t testing.TB, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	sc := bufio.NewScanner(bytes.NewReader(text))
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		out = append(out, bytes.Clone(sc.Bytes()))
	}
	return out
}

func writeText(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// clone copies a run directory.
func clone(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
