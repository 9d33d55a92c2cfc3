package store_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// without returns the lines of a file that do not hold a text.
func without(t testing.TB, path, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, line := range runtest.Lines(t, path) {
		if !bytes.Contains(line, []byte(text)) {
			b.Write(line)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// victim is the trial that crashes happen to, and a text that only its lines have.
const (
	victimFile = "trials/retail/Noop/cancel-one-return-one.1.0.json"
	victimMark = `"system":"Noop","task":"cancel-one-return-one","trial":1`
)

// crashes are the states in which a killed process can leave a run, and damage beyond that.
var crashes = []struct {
	name string
	do   func(t *testing.T, dir string)
	runs int // conversations that a resume must hold
}{
	{"nothing", func(*testing.T, string) {}, 0},
	{"while writing the temporary file", func(t *testing.T, dir string) {
		drop(t, dir, "index.jsonl", "scores.jsonl")
		text := runtest.Text(t, filepath.Join(dir, victimFile))
		runtest.Write(t, filepath.Join(dir, filepath.Dir(victimFile), ".tmp-123"), text[:len(text)/2])
		runtest.Remove(t, filepath.Join(dir, victimFile))
	}, 1},
	{"before renaming it", func(t *testing.T, dir string) {
		drop(t, dir, "index.jsonl", "scores.jsonl")
		if err := os.Rename(filepath.Join(dir, victimFile), filepath.Join(dir, filepath.Dir(victimFile), ".tmp-123")); err != nil {
			t.Fatal(err)
		}
	}, 1},
	{"after renaming, before the score", func(t *testing.T, dir string) { drop(t, dir, "index.jsonl", "scores.jsonl") }, 0},
	{"while writing the score", func(t *testing.T, dir string) {
		drop(t, dir, "index.jsonl", "scores.jsonl")
		appendText(t, filepath.Join(dir, "scores.jsonl"), `{"version":1,"domain":"retail","syst`)
	}, 0},
	{"after the score, before the index", func(t *testing.T, dir string) { drop(t, dir, "index.jsonl") }, 0},
	{"while writing the index", func(t *testing.T, dir string) {
		drop(t, dir, "index.jsonl")
		appendText(t, filepath.Join(dir, "index.jsonl"), `{"domain":"retail","system":"No`)
	}, 0},
	{"the index whole but for its line break", func(t *testing.T, dir string) {
		path := filepath.Join(dir, "index.jsonl")
		runtest.Write(t, path, bytes.TrimSuffix(runtest.Text(t, path), []byte("\n")))
	}, 0},
	{"index before score", func(t *testing.T, dir string) { drop(t, dir, "scores.jsonl") }, 0},
	{"no index at all", func(t *testing.T, dir string) { runtest.Remove(t, filepath.Join(dir, "index.jsonl")) }, 0},
	{"no scores at all", func(t *testing.T, dir string) { runtest.Remove(t, filepath.Join(dir, "scores.jsonl")) }, 0},
	{"only the records", func(t *testing.T, dir string) {
		for _, f := range []string{"index.jsonl", "scores.jsonl", "log.jsonl", "plan.jsonl", "lock"} {
			runtest.Remove(t, filepath.Join(dir, f))
		}
	}, 0},
	{"before the manifest", func(t *testing.T, dir string) {
		for _, f := range []string{"manifest.json", "trials", "index.jsonl", "scores.jsonl"} {
			runtest.Remove(t, filepath.Join(dir, f))
		}
	}, 12},
	{"lines twice", func(t *testing.T, dir string) {
		for _, f := range []string{"index.jsonl", "scores.jsonl"} {
			text := runtest.Text(t, filepath.Join(dir, f))
			appendText(t, filepath.Join(dir, f), string(text))
		}
	}, 0},
	{"a damaged line inside", func(t *testing.T, dir string) {
		for _, f := range []string{"index.jsonl", "scores.jsonl"} {
			path := filepath.Join(dir, f)
			runtest.Write(t, path, bytes.Replace(runtest.Text(t, path), []byte(victimMark), []byte(`"sys`), 1))
		}
	}, 0},
	{"the index of an older program", func(t *testing.T, dir string) {
		path := filepath.Join(dir, "index.jsonl")
		runtest.Write(t, path, regexp.MustCompile(`"roles":.*,"sum":"[0-9a-f]*"`).ReplaceAll(runtest.Text(t, path), []byte(`"usage":[]`)))
	}, 0},
	{"a record gone", func(t *testing.T, dir string) { runtest.Remove(t, filepath.Join(dir, victimFile)) }, 1},
	{"a plan cut short", func(t *testing.T, dir string) {
		path := filepath.Join(dir, "plan.jsonl")
		text := runtest.Text(t, path)
		runtest.Write(t, path, text[:len(text)/2])
	}, 0},
}

func drop(t testing.TB, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(dir, f)
		runtest.Write(t, path, without(t, path, victimMark))
	}
}

func appendText(t testing.TB, path, text string) {
	t.Helper()
	runtest.Write(t, path, append(runtest.Text(t, path), text...))
}

func TestResumeAfterACrashAtEveryStep(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	for _, tt := range crashes {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := runtest.Clone(t, calm)
			tt.do(t, dir)
			s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true})
			if s.Executed != tt.runs || !s.Complete() || s.Pending != 0 {
				t.Errorf("%d conversations ran, want %d; %+v", s.Executed, tt.runs, s)
			}
			runtest.Consistent(t, dir)
			runtest.Same(t, calm, dir)
			if again := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); again.Executed != 0 {
				t.Errorf("a second resume ran %d conversations", again.Executed)
			}
		})
	}
}

func TestReadingACrashedRunChangesNothing(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	want := runtest.Open(t, calm).Attempts()
	for _, tt := range crashes {
		if tt.runs > 0 || tt.name == "only the records" || tt.name == "a plan cut short" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			tt.do(t, dir)
			before := runtest.Snapshot(t, dir)
			got := runtest.Open(t, dir).Attempts()
			if len(got) != len(want) {
				t.Fatalf("%d attempts, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i].Reward == nil && strings.Contains(got[i].File, "cancel-one-return-one.1") || tt.name == "no scores at all" {
					continue // its score is what the crash took
				}
				want[i].Modified, got[i].Modified = 0, 0 // copying the run made its files new
				if diff := cmp.Diff(want[i], got[i]); diff != "" {
					t.Errorf("entry (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(before, runtest.Snapshot(t, dir)); diff != "" {
				t.Errorf("reading changed the run:\n%s", diff)
			}
		})
	}
}

func TestScoresOfHigherVersionsWin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Limit: 1, Trials: 1})
	r := runtest.Open(t, dir)
	ref := r.Index()[0].Ref
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	newer, older := scores[ref], scores[ref]
	newer.Version, newer.Reward, newer.Info, newer.Components = newer.Version+1, &half, sim.RewardInfo{Reward: half}, nil
	older.Version = 0
	if err := r.AppendScores(store.Grading{Score: newer}, store.Grading{Score: older}); err != nil {
		t.Fatal(err)
	}
	again := runtest.Open(t, dir)
	scores, err = again.Scores()
	if err != nil {
		t.Fatal(err)
	}
	if got := scores[ref]; got.Version != newer.Version || *got.Reward != half {
		t.Errorf("score %+v", got)
	}
	runtest.Remove(t, filepath.Join(dir, "index.jsonl"))
	if e := runtest.Open(t, dir).Index()[0]; e.Reward == nil || *e.Reward != half {
		t.Errorf("rebuilt entry %+v", e)
	}
	if err := r.AppendScores(store.Grading{Score: sim.Score{Key: sim.Key{Task: "none"}}}); err == nil || !strings.Contains(err.Error(), "no such record") {
		t.Errorf("score of nothing: %v", err)
	}
}

func TestStoreErrorsNameThePathAndHarmNothing(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm, Only: []string{"system=Noop"}})
	tests := []struct {
		name string
		harm func(t *testing.T, dir string)
		want []string
	}{
		{"a folder that cannot be made", func(t *testing.T, dir string) {
			runtest.Write(t, filepath.Join(dir, "trials/retail/ReAct"), []byte("x"))
		},
			[]string{"trials/retail/ReAct", "not a directory"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			tt.harm(t, dir)
			s, err := runtest.Run(context.Background(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true})
			if err == nil {
				t.Fatalf("no error; %+v", s)
			}
			for _, want := range append(tt.want, dir) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
			for path, text := range runtest.Snapshot(t, filepath.Join(calm, "trials")) {
				rel, err := filepath.Rel(calm, path)
				if err != nil {
					t.Fatal(err)
				}
				if string(runtest.Text(t, filepath.Join(dir, rel))) != text {
					t.Errorf("%s was changed", rel)
				}
			}
		})
	}
}

func TestOpenRefusesWhatItCannotRead(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm, Limit: 1, Trials: 1})
	tests := []struct {
		name, file string
		text       string
		want       string
	}{
		{"broken manifest", "manifest.json", `{"format": 1, `, "manifest.json: damaged at byte 14 of 14"},
		{"manifest of the future", "manifest.json", `{"format": 2, "config": {}}`, "format 2 is newer"},
		{"no manifest of ours", "manifest.json", `{"name": "web app"}`, "no manifest of a run"},
		{"broken plan", "plan.jsonl", "{\"domain\":\"retail\"}\n{x\n{\"domain\":\"mock\"}\n", "plan.jsonl:2: damaged line"},
		{"plan with a trial twice", "plan.jsonl", "{\"domain\":\"retail\"}\n{\"domain\":\"retail\"}\n", "plan.jsonl:2: damaged line: trial retail///0 is planned on line 1 already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			runtest.Write(t, filepath.Join(dir, tt.file), []byte(tt.text))
			if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}
