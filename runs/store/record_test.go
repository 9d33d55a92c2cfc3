package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// rotted changes a bit of a record without a trace in its size or time of modification.
func rotted(t *testing.T, path string) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text := runtest.Text(t, path)
	changed := bytes.Replace(text, []byte(`"trial": 1`), []byte(`"trial": 7`), 1)
	if bytes.Equal(text, changed) {
		t.Fatal("nothing was changed")
	}
	runtest.Write(t, path, changed)
	if err := os.Chtimes(path, time.Time{}, st.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// TestIndexOutlivesItsRecords: an entry was made from what was stored, so bits that rot later do not change it. Who reads
// the record is told, and a resume, which compares all checksums, runs the trial again.
func TestIndexOutlivesItsRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	before := len(runtest.Open(t, dir).Index())
	rotted(t, filepath.Join(dir, victimFile))
	r := runtest.Open(t, dir)
	if n := len(r.Index()); n != before {
		t.Errorf("%d entries, want %d as before", n, before)
	}
	told := 0
	for _, err := range r.Records() {
		if err != nil {
			told++
			if !strings.Contains(err.Error(), victimFile) {
				t.Errorf("the error does not name the file: %v", err)
			}
		}
	}
	if told != 1 {
		t.Errorf("%d records are refused, want the rotten one", told)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); s.Executed != 1 || !s.Complete() {
		t.Errorf("the resume ran %d conversations, want the rotten one: %+v", s.Executed, s)
	}
}

// TestChangedRecordIsRefusedByItsChecksum: a record that is whole and of the right trial, but not the one that was stored.
func TestChangedRecordIsRefusedByItsChecksum(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	path := filepath.Join(dir, victimFile)
	r := runtest.Open(t, dir)
	runtest.Write(t, path, append(runtest.Text(t, path), '\n'))
	for rec, err := range r.Records() {
		if err != nil {
			if !strings.Contains(err.Error(), "by its checksum") {
				t.Errorf("%s: %v, want a word of the checksum", rec.Key.String(), err)
			}
			return
		}
	}
	t.Error("the changed record is believed")
}

// TestTouchedRecordIsComparedAndBelieved: a copy of a run has new times, and the same checksums.
func TestTouchedRecordIsComparedAndBelieved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	when := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, victimFile), when, when); err != nil {
		t.Fatal(err)
	}
	if r := runtest.Open(t, dir); len(r.Broken()) != 0 || len(r.Index()) != 12 {
		t.Errorf("%d entries, broken %v; want 12 and none", len(r.Index()), r.Broken())
	}
}
