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

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

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
	some, err := r.ScoresOf(func(ref store.Ref) bool { return ref.Trial == 0 })
	for ref, want := range all {
		if got, ok := some[ref]; ok != (ref.Trial == 0) || ok && asJSON(t, got) != asJSON(t, want) {
			t.Errorf("%s: %v among those of the first trials", ref, ok)
		}
	}
	if err != nil || len(some) == 0 {
		t.Errorf("%d scores of the first trials: %v", len(some), err)
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

// TestScoreIsOfWhenTheRunWasOpened scores an attempt again, by an older and by a newer version, between two openings.
func TestScoreIsOfWhenTheRunWasOpened(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	r := runtest.Open(t, dir)
	all, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range all {
		older, newer := want, want
		older.Version, newer.Version, newer.Drift = want.Version-1, want.Version+1, 77
		if err := r.AppendScores(store.Grading{Score: newer}, store.Grading{Score: older}); err != nil {
			t.Fatal(err)
		}
		again := runtest.Open(t, dir)
		for _, c := range []struct {
			run  *store.Run
			want sim.Score
		}{{r, want}, {again, newer}} {
			if got, err := c.run.Score(ref); err != nil || got == nil || asJSON(t, *got) != asJSON(t, c.want) {
				t.Errorf("%s: %v, %v; want %v", ref, got, err, c.want)
			}
		}
	}
}
