package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

var victim = sim.Key{Domain: "retail", System: "Noop", Task: "cancel-one-return-one", Trial: 1}

// rewrite changes the first place of a file that a pattern finds.
func rewrite(t *testing.T, path, pattern, by string) {
	t.Helper()
	text := runtest.Text(t, path)
	at := regexp.MustCompile(pattern).FindIndex(text)
	if at == nil {
		t.Fatalf("%s: no %s", path, pattern)
	}
	runtest.Write(t, path, append(append(bytes.Clone(text[:at[0]]), by...), text[at[1]:]...))
}

// unsealed makes the files of a run those of an older program, which wrote no checksums of lines and none of the plan.
func unsealed(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"manifest.json", "plan.jsonl", "scores.jsonl", "index.jsonl"} {
		path := filepath.Join(dir, name)
		text := regexp.MustCompile(`\s*,"sum":"[0-9a-f]{8}"|,"record_sha256":"[0-9a-f]*"|,\s*"plan": \{[^}]*\}`).ReplaceAll(runtest.Text(t, path), nil)
		runtest.Write(t, path, text)
	}
}

// TestEditedRecords: what was stored is not what is there, so it counts as missing until it is taken over.
func TestEditedRecords(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	edit := func(t *testing.T, dir string) {
		rewrite(t, filepath.Join(dir, victimFile), `"steps": \d+`, `"steps": 1`)
	}
	for name, harm := range map[string]func(t *testing.T, dir string){
		"edited": edit,
		"edited, and the index is gone": func(t *testing.T, dir string) {
			edit(t, dir)
			runtest.Remove(t, filepath.Join(dir, "index.jsonl"))
		},
		"edited, and its lines have no checksums": func(t *testing.T, dir string) {
			edit(t, dir)
			unsealed(t, dir)
		},
		"edited, and the index is that of a program that wrote no usage": func(t *testing.T, dir string) {
			edit(t, dir)
			unsealed(t, dir)
			path := filepath.Join(dir, "index.jsonl")
			runtest.Write(t, path, regexp.MustCompile(`"roles":\[[^\n]*`).ReplaceAll(runtest.Text(t, path), []byte(`"usage":[]}`)))
		},
		"edited, and a resume that did not come to it": func(t *testing.T, dir string) {
			edit(t, dir)
			runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true, Only: []string{"system=ReAct"}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			harm(t, dir)
			r := runtest.Open(t, dir)
			says := victimFile + " is not the one that was stored, by its checksum\nhint: bring that back, or take over what is there with `tauguide score DIR --accept-edits`"
			if b := r.Broken(); len(b) != 1 || !strings.Contains(b[0].Error(), says) || r.Unreadable() != 1 {
				t.Errorf("broken %v", b)
			}
			if e, ok := r.Counting(victim); ok {
				t.Errorf("the edited record counts: %+v", e)
			}
			files, err := store.AcceptEdits(dir, time.Now())
			if err != nil || len(files) != 1 || files[0] != victimFile {
				t.Fatalf("taken over: %v, %v", files, err)
			}
			if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); !strings.Contains(log, "edited record taken over") || !strings.Contains(log, victimFile) {
				t.Errorf("the log does not say so: %s", log)
			}
			r = runtest.Open(t, dir)
			if e, ok := r.Counting(victim); !ok || e.Steps != 1 || len(r.Broken()) != 0 {
				t.Errorf("after that: %+v, broken %v", e, r.Broken())
			}
			if files, err := store.AcceptEdits(dir, time.Now()); err != nil || len(files) != 0 {
				t.Errorf("taken over again: %v, %v", files, err)
			}
		})
	}
	t.Run("brought back", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		edit(t, dir)
		runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true, Only: []string{"system=ReAct"}})
		runtest.Write(t, filepath.Join(dir, victimFile), runtest.Text(t, filepath.Join(calm, victimFile)))
		if r := runtest.Open(t, dir); len(r.Broken()) != 0 || len(r.Index()) != 12 {
			t.Errorf("broken %v, %d in the index", r.Broken(), len(r.Index()))
		}
		runtest.Same(t, calm, dir)
	})
}

// TestAcceptedRecordsAreScoredAgain: the score of what was there before is not that of what is there now.
func TestAcceptedRecordsAreScoredAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	rewrite(t, filepath.Join(dir, victimFile), `"steps": \d+`, `"steps": 1`)
	if _, err := store.AcceptEdits(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	r := runtest.Open(t, dir)
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := r.Counting(victim); e.Reward != nil || e.Pending == "" || scores[e.Ref].Reward != nil {
		t.Errorf("the old score counts: %+v", e)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); s.Executed != 0 || !s.Complete() || s.Pending != 0 {
		t.Errorf("resume: %+v", s)
	}
}

// TestEditedLines: a score that was edited is no score, says so, and is made again from the record.
func TestEditedLines(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	scores := runtest.Lines(t, filepath.Join(calm, "scores.jsonl"))
	n := -1
	for i, line := range scores {
		if bytes.Contains(line, []byte(victimMark)) {
			n = i
		}
	}
	change := func(pattern, by string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			rewrite(t, filepath.Join(dir, "scores.jsonl"), `(?m)^.*`+victimMark+`.*$`, regexp.MustCompile(pattern).ReplaceAllString(string(scores[n]), by))
		}
	}
	old := func(pattern, by string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			change(pattern, by)(t, dir)
			unsealed(t, dir)
			later := time.Now().Add(time.Minute)
			if err := os.Chtimes(filepath.Join(dir, "scores.jsonl"), later, later); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name string
		harm func(t *testing.T, dir string)
		want string
	}{
		{"a text", change(`"replay_drift":0`, `"replay_drift":1`), "not as it was written, by its checksum"},
		{"a reward", change(`"reward":0`, `"reward":1`), "not as it was written, by its checksum"},
		{"a line by hand", func(t *testing.T, dir string) {
			text := regexp.MustCompile(`,"sum":"[^"]*"|,"record_sha256":"[^"]*"`).ReplaceAllString(strings.ReplaceAll(string(scores[n]), `"reward":0`, `"reward":1`), "")
			appendText(t, filepath.Join(dir, "scores.jsonl"), text+"\n")
		}, "not as it was written, by its checksum"},
		{"a reward above 1 without checksum", old(`"reward":0`, `"reward":7`), "reward 7 is not within 0 and 1"},
		{"one of two rewards without checksum", old(`"attempt":0,"reward":0`, `"attempt":0,"reward":1`), "reward 1 is not that of reward_info"},
		{"both rewards without checksum", old(`"reward":0`, `"reward":1`), "reward 1 is not that of reward_info"},
		{"rewards and breakdown without checksum", old(`"(reward|DB|ENV_ASSERTION|ACTION|NL_ASSERTION|COMMUNICATE)":0`, `"$1":1`), "reward 1 does not fit the component DB, which failed"},
		{"no JSON", change(`^.*$`, `{broken`), "scores.jsonl:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			tt.harm(t, dir)
			r := runtest.Open(t, dir)
			if b := r.Broken(); len(b) != 1 || !strings.Contains(b[0].Error(), tt.want) || !strings.Contains(b[0].Error(), "scores.jsonl:") ||
				!strings.Contains(b[0].Error(), "\nhint: `tauguide score DIR` scores the record again") {
				t.Errorf("broken %v, want %q", b, tt.want)
			}
			e, _ := r.Counting(victim)
			if e.Reward != nil || e.Pending == "" {
				t.Errorf("the edited score counts: %+v", e)
			}
			if s, err := r.Score(e.Ref); s != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v", s, err)
			}
			s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true})
			if s.Executed != 0 || s.Pending != 0 || !strings.Contains(strings.Join(s.Warnings, "\n"), "the score counts as missing") {
				t.Errorf("resume: %+v", s)
			}
			if r := runtest.Open(t, dir); len(r.Broken()) != 0 {
				t.Errorf("after the resume: broken %v", r.Broken())
			}
			runtest.Same(t, calm, dir)
		})
	}
	t.Run("a reward of the index", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		rewrite(t, filepath.Join(dir, "index.jsonl"), `"reward":0`, `"reward":1`)
		r := runtest.Open(t, dir)
		if b := r.Broken(); len(b) != 1 || !strings.Contains(b[0].Error(), "index.jsonl:") {
			t.Errorf("broken %v", b)
		}
		runtest.Same(t, calm, dir)
	})
}

// TestEditedPlan: with trials less, or others, every figure would be of something else.
func TestEditedPlan(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm, Only: []string{"system=Noop"}})
	text := string(runtest.Text(t, filepath.Join(calm, "plan.jsonl")))
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for name, tt := range map[string]struct{ text, want string }{
		"shortened":   {strings.Join(lines[:4], ""), "has 4 trials and is not the plan of 6 that was written"},
		"reordered":   {lines[1] + lines[0] + strings.Join(lines[2:], ""), "is not the plan of 6 that was written"},
		"a line more": {text + `{"domain":"retail","system":"Noop","task":"x","trial":0,"seed":1,"mut":false}` + "\n", "plan.jsonl:7: damaged line: not as it was written"},
		"another mut": {strings.Replace(text, `"mut":true`, `"mut":false`, 1), "damaged line: not as it was written"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			path := filepath.Join(dir, "plan.jsonl")
			if tt.text == text {
				t.Fatal("nothing was changed")
			}
			runtest.Write(t, path, []byte(tt.text))
			if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			again := runtest.Clone(t, dir)
			runtest.Execute(t, runtest.Small, config.Options{Out: again, Resume: true, Only: []string{"system=Noop"}})
			if r := runtest.Open(t, again); len(r.Plan()) != 6 {
				t.Errorf("%d trials after a resume, want 6", len(r.Plan()))
			}
			if _, err := store.AcceptEdits(dir, time.Now()); err != nil {
				t.Fatal(err)
			}
			if r := runtest.Open(t, dir); len(r.Broken()) != 0 {
				t.Errorf("broken %v", r.Broken())
			}
			if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); !strings.Contains(log, "edited manifest or plan taken over") {
				t.Errorf("the log does not say so: %s", log)
			}
		})
	}
	t.Run("shortened, and the resume plans less", func(t *testing.T) {
		dir := runtest.Clone(t, calm)
		runtest.Write(t, filepath.Join(dir, "plan.jsonl"), []byte(strings.Join(lines[:4], "")))
		runtest.Remove(t, filepath.Join(dir, victimFile))
		s, err := runtest.Run(t.Context(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true, Limit: 1, Only: []string{"system=Noop"}})
		if s != nil || err == nil || !strings.Contains(err.Error(), "the run had 6 planned trials; records, the config and the flags of now give 5") {
			t.Errorf("%+v, %v", s, err)
		}
	})
	t.Run("killed between plan and manifest", func(t *testing.T) {
		dir, longer := runtest.Clone(t, calm), runtest.Clone(t, calm)
		runtest.Execute(t, runtest.Small, config.Options{Out: longer, Resume: true})
		runtest.Write(t, filepath.Join(dir, "plan.jsonl"), runtest.Text(t, filepath.Join(longer, "plan.jsonl")))
		if r := runtest.Open(t, dir); len(r.Plan()) != 12 {
			t.Errorf("%d trials", len(r.Plan()))
		}
		runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true})
		if m := runtest.Open(t, dir).Manifest(); m.Plan.Trials != 12 {
			t.Errorf("the manifest has %d trials", m.Plan.Trials)
		}
	})
}

// TestEditedManifest: it says what was run, on which plan.
func TestEditedManifest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	rewrite(t, filepath.Join(dir, "manifest.json"), `"synthetic": true`, `"synthetic": false`)
	_, openErr := store.Open(dir)
	_, runErr := runtest.Run(t.Context(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true})
	for _, err := range []error{openErr, runErr} {
		if err == nil || !strings.Contains(err.Error(), "manifest.json: not as it was written, by its checksum\nhint: bring back") {
			t.Errorf("error %v", err)
		}
	}
	if _, err := store.AcceptEdits(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	if m := runtest.Open(t, dir).Manifest(); m.Synthetic {
		t.Error("the edit was not taken over")
	}
}

// TestRunsOfOlderProgramsAreRead: no checksum is no claim.
func TestRunsOfOlderProgramsAreRead(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm, Trials: 1})
	dir := runtest.Clone(t, calm)
	unsealed(t, dir)
	if r := runtest.Open(t, dir); len(r.Broken()) != 0 || len(r.Index()) != 6 {
		t.Errorf("broken %v, %d in the index", r.Broken(), len(r.Index()))
	}
	runtest.Same(t, calm, dir)
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); s.Executed != 6 || !s.Complete() || s.Pending != 0 || len(s.Warnings) != 0 {
		t.Errorf("resume: %+v", s)
	}
	if r := runtest.Open(t, dir); len(r.Broken()) != 0 || len(r.Index()) != 12 || r.Manifest().Plan.Trials != 12 {
		t.Errorf("after the resume: broken %v, %d in the index, plan %+v", r.Broken(), len(r.Index()), r.Manifest().Plan)
	}
}

// TestEditedImport: the tasks that came with an import decide its scores.
func TestEditedImport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, two := foreignRecord("a", 0), 2.0
	score := &sim.Score{Version: sim.ScoreVersion, Key: rec.Key, Reward: &two, Info: sim.RewardInfo{Reward: two}, Origin: "elsewhere"}
	if err := f.Add(config.Planned{Key: rec.Key}, rec, score); err == nil || !strings.Contains(err.Error(), "reward 2 is not within 0 and 1") {
		t.Errorf("error %v", err)
	}
	if err := f.Add(config.Planned{Key: sim.Key{Domain: "mock", Task: "b"}}, foreignRecord("b", 0), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep("tau2.json", map[string]int{"x": 1}); err != nil {
		t.Fatal(err)
	}
	if err := f.Finish(store.Manifest{Name: "x", Config: runtest.Parse(t, runtest.Small)}, time.Now()); err != nil {
		t.Fatal(err)
	}
	runtest.Open(t, dir)
	path := filepath.Join(dir, "tau2.json")
	if err := os.WriteFile(path, []byte(`{"x":2}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), path+": not as it was written, by its checksum in manifest.json") {
		t.Errorf("error %v", err)
	}
	if _, err := store.AcceptEdits(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	runtest.Open(t, dir)
}
