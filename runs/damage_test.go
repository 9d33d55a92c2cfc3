package runs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/sim"
)

func TestDamagedRecordsNameFileAndPlace(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	execute(t, small, runs.Options{Out: calm})
	whole := fileText(t, filepath.Join(calm, victimFile))
	tests := []struct {
		name string
		text []byte
		want string
	}{
		{"cut off", whole[:100], "damaged at byte 100 of 100"},
		{"empty", nil, "damaged at byte 0 of 0"},
		{"a broken byte", append([]byte{'{', '!'}, whole[2:]...), fmt.Sprintf("damaged at byte 2 of %d", len(whole))},
		{"something after it", append(bytes.Clone(whole), "{}"...), fmt.Sprintf("damaged at byte %d of %d", len(whole)+1, len(whole)+2)},
		{"no record", []byte(`{}`), "this is no record"},
		{"of the future", bytes.Replace(whole, []byte(`"version": 1`), []byte(`"version": 99`), 1), "version 99 is newer"},
		{"of another type", bytes.Replace(whole, []byte(`"trial": 1`), []byte(`"trial": "1"`), 1), "field trial holds a string"},
		{"of another trial", bytes.Replace(whole, []byte(`"trial": 1`), []byte(`"trial": 7`), 1), "it is the record of retail/Noop/cancel-one-return-one/7 attempt 0: move it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := clone(t, calm)
			path := filepath.Join(dir, victimFile)
			writeText(t, path, tt.text)
			check := func(r *runs.Run) {
				t.Helper()
				good, bad := 0, 0
				for rec, err := range r.Records() {
					switch {
					case err == nil:
						good++
					case !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path):
						t.Errorf("error %v, want %s and %q in it", err, path, tt.want)
					default:
						bad++
						_ = rec
					}
				}
				if good != 11 || bad != 1 {
					t.Errorf("%d good and %d bad records, want 11 and 1", good, bad)
				}
			}
			check(open(t, dir))
			remove(t, filepath.Join(dir, "index.jsonl"))
			r := open(t, dir)
			check(r)
			if len(r.Broken()) != 1 {
				t.Errorf("broken: %v", r.Broken())
			}
			// A resume holds the trial again under the next number and leaves the damaged file where it is.
			if s := execute(t, small, runs.Options{Out: dir, Resume: true}); s.Executed != 1 || !s.Complete() {
				t.Errorf("resume: %+v", s)
			}
			if !bytes.Equal(fileText(t, path), tt.text) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n{\"b\":2}\n{\"c\""))
	f.Add([]byte("\n\n{}\r\n[1]\n"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole, damaged, torn := runs.Lines(text)
		path := filepath.Join(t.TempDir(), "lines.jsonl")
		writeText(t, path, text)
		if err := runs.Mend(path); err != nil {
			t.Fatal(err)
		}
		after := fileText(t, path)
		if len(after) > 0 && after[len(after)-1] != '\n' {
			t.Errorf("mended to %q, which does not end in a line break", after)
		}
		again, damagedAgain, tornAgain := runs.Lines(after)
		if len(again) != len(whole) || len(damagedAgain) != len(damaged) || tornAgain {
			t.Errorf("mending %q changed what is whole: %q, then %q; torn %v", text, whole, again, torn)
		}
	})
}

func FuzzIndexScoresPlan(f *testing.F) {
	entry, err := json.Marshal(runs.Entry{Ref: runs.Ref{Key: sim.Key{Domain: "d", System: "s", Task: "t"}}, File: "trials/d/s/t.0.0.json"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(entry, '\n'))
	f.Add([]byte(`{"domain":"d","trial":-1,"attempt":1e9,"reward":null}` + "\n"))
	f.Add([]byte(`{"version":1,"domain":"d","reward":1,"reward_info":{"reward":1}}` + "\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		for _, name := range []string{"index.jsonl", "scores.jsonl", "plan.jsonl"} {
			writeText(t, filepath.Join(dir, name), text)
		}
		entries, err := runs.ReadIndex(dir)
		if err != nil || len(entries) != 0 {
			t.Errorf("an index without records has %d entries, %v", len(entries), err)
		}
		if _, err := runs.ReadScores(dir); err != nil {
			t.Error(err)
		}
		if plan, err := runs.ReadPlan(dir); err != nil && !strings.Contains(err.Error(), "plan.jsonl:") {
			t.Errorf("%v names no line; %d trials", err, len(plan))
		}
	})
}

func FuzzRecord(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "run")
	execute(f, small, runs.Options{Out: dir, Limit: 1, Trials: 1})
	for path, text := range snapshot(f, filepath.Join(dir, "trials")) {
		f.Add([]byte(text), -1)
		f.Add([]byte(text), len(path)*7)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		if cut >= 0 && cut < len(text) {
			text = text[:cut]
		}
		rec, err := runs.DecodeRecord(text)
		if err != nil {
			return
		}
		if _, err := json.Marshal(rec); err != nil {
			t.Errorf("a record that was read cannot be written: %v", err)
		}
	})
}

func TestARecordCutAtAnyByteIsDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	execute(t, small, runs.Options{Out: dir, Only: []string{"system=Noop"}, Limit: 1, Trials: 1})
	for _, text := range snapshot(t, filepath.Join(dir, "trials")) {
		whole := strings.TrimSpace(text)
		for cut := range len(whole) {
			if _, err := runs.DecodeRecord([]byte(whole[:cut])); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("damaged at byte %d of %d", cut, cut)) {
				t.Fatalf("cut at %d: error %v", cut, err)
			}
		}
	}
}
