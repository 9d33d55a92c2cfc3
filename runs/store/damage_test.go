package store_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

func TestDamagedRecordsNameFileAndPlace(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	whole := runtest.Text(t, filepath.Join(calm, victimFile))
	tests := []struct {
		name      string
		text      []byte
		want      string
		keepIndex bool
	}{
		{"cut off", whole[:100], "damaged at byte 100 of 100", false},
		{"cut off, and the index is whole", whole[:500], "damaged at byte 500 of 500: unexpected end of JSON input", true},
		{"a broken byte, and the index is whole", append([]byte{'{', '!'}, whole[2:]...), "damaged at byte 2 of", true},
		{"empty", nil, "damaged at byte 0 of 0", false},
		{"a broken byte", append([]byte{'{', '!'}, whole[2:]...), fmt.Sprintf("damaged at byte 2 of %d", len(whole)), false},
		{"something after it", append(bytes.Clone(whole), "{}"...), fmt.Sprintf("damaged at byte %d of %d", len(whole)+1, len(whole)+2), false},
		{"no record", []byte(`{}`), "this is no record", false},
		{"of the future", bytes.Replace(whole, []byte(`"version": 1`), []byte(`"version": 99`), 1), "version 99 is newer", false},
		{"of another type", bytes.Replace(whole, []byte(`"trial": 1`), []byte(`"trial": "1"`), 1), "field trial holds a string", false},
		{"of another trial", bytes.Replace(whole, []byte(`"trial": 1`), []byte(`"trial": 7`), 1), "it is the record of retail/Noop/cancel-one-return-one/7 attempt 0", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := runtest.Clone(t, calm)
			path := filepath.Join(dir, victimFile)
			runtest.Write(t, path, tt.text)
			says := func(text string) {
				t.Helper()
				if !strings.Contains(text, tt.want) || !strings.Contains(text, path) {
					t.Errorf("%s; want %s and %q in it", text, path, tt.want)
				}
			}
			check := func(r *store.Run) {
				t.Helper()
				good := 0
				for rec, err := range r.Records() {
					if err != nil {
						t.Errorf("%s: %v", rec.Key.String(), err)
					}
					good++
				}
				if good != 11 || len(r.Index()) != 11 || len(r.Broken()) != 1 {
					t.Fatalf("%d records, %d in the index, broken %v; want 11, 11 and one", good, len(r.Index()), r.Broken())
				}
				says(r.Broken()[0].Error())
				_, err := r.Record(r.Plan()[slices.IndexFunc(r.Plan(), func(p config.Planned) bool {
					return strings.Contains(victimMark, p.Task) && p.System == "Noop" && p.Trial == 1
				})].Key)
				says(fmt.Sprint(err))
			}
			check(runtest.Open(t, dir))
			if !tt.keepIndex {
				runtest.Remove(t, filepath.Join(dir, "index.jsonl"))
			}
			check(runtest.Open(t, dir))
			// A resume runs the trial again under the next number and leaves the damaged file where it is.
			s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true})
			if s.Executed != 1 || !s.Complete() || len(s.Warnings) != 1 {
				t.Fatalf("resume: %+v", s)
			}
			says(s.Warnings[0])
			says(string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))))
			runtest.Same(t, calm, dir)
			if r := runtest.Open(t, dir); len(r.Index()) != 12 || len(r.Broken()) != 0 {
				t.Errorf("after the resume: %d in the index, broken %v", len(r.Index()), r.Broken())
			}
			if !bytes.Equal(runtest.Text(t, path), tt.text) {
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
		whole, damaged, torn := store.Lines(text)
		path := filepath.Join(t.TempDir(), "lines.jsonl")
		runtest.Write(t, path, text)
		if err := store.Mend(path); err != nil {
			t.Fatal(err)
		}
		after := runtest.Text(t, path)
		if len(after) > 0 && after[len(after)-1] != '\n' {
			t.Errorf("mended to %q, which does not end in a line break", after)
		}
		again, damagedAgain, tornAgain := store.Lines(after)
		if len(again) != len(whole) || len(damagedAgain) != len(damaged) || tornAgain {
			t.Errorf("mending %q changed what is whole: %q, then %q; torn %v", text, whole, again, torn)
		}
	})
}

func FuzzIndexScoresPlan(f *testing.F) {
	entry, err := json.Marshal(store.Entry{Ref: store.Ref{Key: sim.Key{Domain: "d", System: "s", Task: "t"}}, File: "trials/d/s/t.0.0.json"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(entry, '\n'))
	f.Add([]byte(`{"domain":"d","trial":-1,"attempt":1e9,"reward":null}` + "\n"))
	f.Add([]byte(`{"version":1,"domain":"d","reward":1,"reward_info":{"reward":1}}` + "\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		for _, name := range []string{"index.jsonl", "scores.jsonl", "plan.jsonl"} {
			runtest.Write(t, filepath.Join(dir, name), text)
		}
		entries, err := store.ReadIndex(dir)
		if err != nil || len(entries) != 0 {
			t.Errorf("an index without records has %d entries, %v", len(entries), err)
		}
		if _, err := store.ReadScores(dir); err != nil {
			t.Error(err)
		}
		if plan, err := store.ReadPlan(dir); err != nil && !strings.Contains(err.Error(), "plan.jsonl") {
			t.Errorf("%v does not name the file; %d trials", err, len(plan))
		}
	})
}

func FuzzRecord(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "run")
	runtest.Execute(f, runtest.Small, config.Options{Out: dir, Limit: 1, Trials: 1})
	for path, text := range runtest.Snapshot(f, filepath.Join(dir, "trials")) {
		f.Add([]byte(text), -1)
		f.Add([]byte(text), len(path)*7)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		if cut >= 0 && cut < len(text) {
			text = text[:cut]
		}
		rec, err := store.DecodeRecord(text)
		if err != nil {
			return
		}
		var want sim.Record
		if err := json.Unmarshal(text, &want); err != nil {
			t.Errorf("the fast reader takes what the other does not: %v", err)
		}
		if !reflect.DeepEqual(rec, want) {
			t.Errorf("the fast reader reads\n%+v\nwant\n%+v", rec, want)
		}
		if _, err := json.Marshal(rec); err != nil {
			t.Errorf("a record that was read cannot be written: %v", err)
		}
	})
}

func TestARecordCutAtAnyByteIsDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Only: []string{"system=Noop"}, Limit: 1, Trials: 1})
	for _, text := range runtest.Snapshot(t, filepath.Join(dir, "trials")) {
		whole := strings.TrimSpace(text)
		for cut := range len(whole) {
			if _, err := store.DecodeRecord([]byte(whole[:cut])); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("damaged at byte %d of %d", cut, cut)) {
				t.Fatalf("cut at %d: error %v", cut, err)
			}
		}
	}
}

func TestTheIndexOfAnotherRunIsNotBelieved(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	runtest.Execute(t, strings.Replace(runtest.Small, "agent: react, model: clumsy", "agent: noop", 1), config.Options{Out: other})
	want := runtest.Open(t, dir).Index()
	runtest.Write(t, filepath.Join(dir, "index.jsonl"), runtest.Text(t, filepath.Join(other, "index.jsonl")))
	if diff := cmp.Diff(want, runtest.Open(t, dir).Index()); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); s.Executed != 0 || !s.Complete() {
		t.Errorf("resume: %+v", s)
	}
	if diff := cmp.Diff(want, runtest.Open(t, dir).Index()); diff != "" {
		t.Errorf("index after the resume (-want +got):\n%s", diff)
	}
}

func TestALostPlanIsAnErrorThatAResumeMends(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	want := runtest.Open(t, calm).Plan()
	for _, lost := range []string{"missing", "empty"} {
		t.Run(lost, func(t *testing.T) {
			dir := runtest.Clone(t, calm)
			path := filepath.Join(dir, "plan.jsonl")
			if runtest.Remove(t, path); lost == "empty" {
				runtest.Write(t, path, []byte("\n"))
			}
			if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), path+" is missing or empty\nhint: `tauguide run CONFIG --resume`") {
				t.Errorf("error %v", err)
			}
			// What was run is planned again, even if the resume plans less.
			runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true, Limit: 1})
			byKey := func(a, b config.Planned) int { return strings.Compare(a.Key.String(), b.Key.String()) }
			if diff := cmp.Diff(slices.SortedFunc(slices.Values(want), byKey), slices.SortedFunc(slices.Values(runtest.Open(t, dir).Plan()), byKey)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFileInPlaceOfTheRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Limit: 1, Trials: 1})
	runtest.Remove(t, filepath.Join(dir, "trials"))
	runtest.Write(t, filepath.Join(dir, "trials"), []byte("x"))
	_, openErr := store.Open(dir)
	_, runErr := runtest.Run(t.Context(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true})
	for _, err := range []error{openErr, runErr} {
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "trials")+" is no folder\nhint: move it away") {
			t.Errorf("error %v", err)
		}
	}
}
