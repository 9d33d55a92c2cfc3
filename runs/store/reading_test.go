package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// TestEntryLinesAreReadAlike compares the short way of reading lines with that of the JSON package.
func TestEntryLinesAreReadAlike(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "retail", "a/b", `quo"te\`, "über", "\u2028", "<b>&", "[x]|y:z"}), rapid.String())
	maybe := func(t *rapid.T, name string) *float64 {
		if rapid.Bool().Draw(t, name+" known") {
			v := rapid.Float64Range(-1e9, 1e9).Draw(t, name)
			return &v
		}
		return nil
	}
	short := 0
	rapid.Check(t, func(t *rapid.T) {
		e := store.Entry{Ref: store.Ref{Key: sim.Key{Domain: text.Draw(t, "domain"), System: text.Draw(t, "system"), Task: text.Draw(t, "task"), Trial: rapid.IntRange(0, 9).Draw(t, "trial")}},
			Seed: rapid.Int64().Draw(t, "seed"), Synthetic: rapid.Bool().Draw(t, "synthetic"), Termination: sim.Reason(text.Draw(t, "ending")), Reward: maybe(t, "reward"),
			Pending: text.Draw(t, "pending"), Steps: rapid.Int().Draw(t, "steps"), Seconds: rapid.Float64Range(0, 1e6).Draw(t, "seconds"), Cost: maybe(t, "cost"),
			Fault: text.Draw(t, "fault"), File: text.Draw(t, "file"), SHA256: text.Draw(t, "sum"), Stamp: store.Stamp{Size: rapid.Int64().Draw(t, "size"), Modified: rapid.Int64().Draw(t, "modified")}}
		if rapid.Bool().Draw(t, "tokens known") {
			n := rapid.Int64().Draw(t, "tokens")
			e.Tokens = &n
		}
		if rapid.Bool().Draw(t, "attacked") {
			e.Attack = &store.Attacked{}
		}
		if rapid.Bool().Draw(t, "has usage") {
			e.Usage = []store.RoleUsage{}
			for range rapid.IntRange(0, 3).Draw(t, "roles") {
				e.Usage = append(e.Usage, store.RoleUsage{Role: text.Draw(t, "role"), Usage: metrics.Usage{Calls: rapid.Int().Draw(t, "calls"), Prompt: rapid.Int64().Draw(t, "prompt"), Cached: 2, Completion: 3,
					UnknownTokens: rapid.IntRange(0, 1).Draw(t, "unknown"), UnknownCached: 1, UnknownCost: 1, Cost: rapid.Float64().Draw(t, "role cost"), Seconds: 0.25}, Replayed: 1, ReplayedTokens: 2, ReplayedCost: 3})
			}
		}
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var want store.Entry
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		got, known := store.KnownEntry(line)
		if known {
			short++
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s\n(-want +got):\n%s", line, diff)
			}
		} else if !bytes.ContainsRune(line, '\\') {
			t.Fatalf("the short way does not know %s", line)
		}
	})
	if short == 0 {
		t.Error("no line was read the short way")
	}
}

// TestPlannedLinesAreReadAlike does the same for plans, and for lines that no program wrote.
func TestPlannedLinesAreReadAlike(t *testing.T) {
	for _, line := range []string{
		`{"domain":"d","system":"s","task":"t","trial":3,"seed":9223372036854775807,"mut":true}`, `{"domain":"d","task":"\u00e4\"","seed":-1}`, `{}`, `{"DOMAIN":"d"}`, `{"domain":"a","domain":"b"}`,
		`{"trial":1.5}`, `{"trial":"1"}`, `{"mut":1}`, `{"more":[1]}`, `[]`, `null`, `{"domain":null}`, `{`, ``, `{"domain":"d"} x`, "{\"task\":\"\xff\"}", `{"trial":1e2}`, `{"seed":99999999999999999999}`,
	} {
		var want config.Planned
		wantErr := json.Unmarshal([]byte(line), &want)
		got, err := store.PlannedLine([]byte(line))
		if (err == nil) != (wantErr == nil) || err == nil && got != want {
			t.Errorf("%s: %+v, %v; want %+v, %v", line, got, err, want, wantErr)
		}
	}
}

func TestScoreOfOneAttempt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	r := runtest.Open(t, dir)
	all, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no scores")
	}
	scores := runtest.Text(t, filepath.Join(dir, "scores.jsonl"))
	long := append(bytes.Repeat([]byte("x"), 300_000), '\n') // a line longer than any buffer
	runtest.Write(t, filepath.Join(dir, "scores.jsonl"), append(append(long, scores...), `{"version":1,"domain":"retail","sy`...))
	for ref, want := range all {
		got, err := r.Score(ref)
		if err != nil || got == nil {
			t.Fatalf("%s: %v, %v", ref, got, err)
		}
		if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
		ref.Attempt++
		if got, err := r.Score(ref); got != nil || err != nil {
			t.Errorf("%s: %v, %v; want none", ref, got, err)
		}
	}
	runtest.Remove(t, filepath.Join(dir, "scores.jsonl"))
	if got, err := r.Score(store.Ref{}); got != nil || err != nil {
		t.Errorf("without scores: %v, %v", got, err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRecordInside reads a record that is whole, changed, replaced by another, gone, and a link out of the run.
func TestRecordInside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	r := runtest.Open(t, dir)
	e := r.Index()[0]
	path := filepath.Join(dir, filepath.FromSlash(e.File))
	whole := runtest.Text(t, path)
	rec, raw, err := r.RecordInside(e.Ref)
	if err != nil || !bytes.Equal(raw, whole) || rec.Key != e.Key {
		t.Fatalf("%v, %d bytes, %v", rec.Key, len(raw), err)
	}
	for name, tt := range map[string]struct {
		text []byte
		want string
	}{
		"cut off":  {whole[:50], "damaged at byte 50"},
		"another":  {runtest.Text(t, filepath.Join(dir, filepath.FromSlash(r.Index()[1].File))), "it is the record of"},
		"modified": {bytes.Replace(whole, []byte(`"steps": `), []byte(`"steps": 1`), 1), "by its checksum"},
	} {
		runtest.Write(t, path, tt.text)
		if _, raw, err := r.RecordInside(e.Ref); err == nil || !strings.Contains(err.Error(), tt.want) || !bytes.Equal(raw, tt.text) {
			t.Errorf("%s: %d bytes, error %v", name, len(raw), err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.json")
	runtest.Write(t, outside, whole)
	runtest.Remove(t, path)
	if _, raw, err := r.RecordInside(e.Ref); !errors.Is(err, fs.ErrNotExist) || raw != nil {
		t.Errorf("gone: %v", err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Skip(err)
	}
	if _, raw, err := r.RecordInside(e.Ref); err == nil || raw != nil {
		t.Errorf("a link out of the run was followed: %d bytes", len(raw))
	}
}

// TestWriting tells a run that is being written from one that was, and does not keep a writer off.
func TestWriting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	before := runtest.Text(t, filepath.Join(dir, "lock"))
	for range 3 {
		if now, err := store.Writing(dir); now || err != nil {
			t.Fatalf("after the run: %v, %v", now, err)
		}
	}
	if !bytes.Equal(before, runtest.Text(t, filepath.Join(dir, "lock"))) {
		t.Error("the lock's file changed")
	}
	asker := flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDONLY))
	if ok, err := asker.TryRLock(); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		_ = asker.Unlock()
	}()
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}) // waits for whoever only asks
	writer := flock.New(filepath.Join(dir, "lock"))
	if ok, err := writer.TryLock(); !ok || err != nil {
		t.Fatalf("%v, %v", ok, err)
	}
	defer writer.Close()
	if now, err := store.Writing(dir); !now || err != nil {
		t.Errorf("while it is written: %v, %v", now, err)
	}
}

// TestImportedRecordsHaveStamps: without, every opening would read all records.
func TestImportedRecordsHaveStamps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec := sim.Record{Version: sim.RecordVersion, Key: sim.Key{Domain: "mock", System: "A", Task: "t"}, Termination: sim.UserStop}
	if err := f.Add(config.Planned{Key: rec.Key}, rec, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Finish(store.Manifest{Name: "x", Config: runtest.Parse(t, runtest.Small)}, time.Now()); err != nil {
		t.Fatal(err)
	}
	e := runtest.Open(t, dir).Index()[0]
	st, err := os.Stat(filepath.Join(dir, filepath.FromSlash(e.File)))
	if err != nil || e.Size != st.Size() || e.Modified != st.ModTime().UnixNano() {
		t.Errorf("stamp %+v, file %v, %v", e.Stamp, st, err)
	}
}
