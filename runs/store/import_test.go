package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// foreignRecord is a record of a trial that ran elsewhere.
func foreignRecord(task string, attempt int) sim.Record {
	return sim.Record{Version: sim.RecordVersion, Key: sim.Key{Domain: "mock", System: "S", Task: task}, Attempt: attempt,
		Termination: sim.UserStop, Messages: []sim.Message{}}
}

func TestForeign(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "deep", "run")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	one := 1.0
	first, second := foreignRecord("a", 0), foreignRecord("b [x]/y", 0)
	score := &sim.Score{Version: sim.ScoreVersion, Key: first.Key, Reward: &one, Info: sim.RewardInfo{Reward: one}}
	for _, r := range []sim.Record{first, foreignRecord("a", 1), second} {
		s := score
		if r.Key != first.Key || r.Attempt != 0 {
			s = nil
		}
		if err := f.Add(config.Planned{Key: r.Key, Mut: true}, r, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Add(config.Planned{Key: first.Key}, first, nil); err == nil || !strings.Contains(err.Error(), "there are two of it") {
		t.Errorf("a record was added twice: %v", err)
	}
	if err := f.Keep("more.json", map[string]int{"x": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the run is there before it is finished")
	}
	c := &config.Config{Name: "run", Note: "n", Data: "embedded", Domains: []config.Domain{{Name: "mock", Split: "base"}}}
	if err := f.Finish(store.Manifest{Name: "run", Config: c}, time.Now()); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Index(); len(got) != 2 || len(r.Attempts()) != 3 || len(r.Plan()) != 2 || !r.Plan()[1].Mut || len(r.Broken()) != 0 {
		t.Errorf("index %v, plan %v, broken %v", got, r.Plan(), r.Broken())
	}
	// the run takes scores like any other
	second2 := sim.Score{Version: sim.ScoreVersion, Key: second.Key, Reward: &one, Info: sim.RewardInfo{Reward: one}}
	if err := r.AppendScores(store.Grading{Score: second2}); err != nil {
		t.Fatal(err)
	}
	scores, err := r.Scores()
	if err != nil || len(scores) != 2 {
		t.Errorf("%d scores, %v", len(scores), err)
	}
	if _, err := store.NewImporter(dir); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a run was begun over another: %v", err)
	}
}

// TestForeignUnfinished holds that what is not finished leaves nothing.
func TestForeignUnfinished(t *testing.T) {
	parent := t.TempDir()
	f, err := store.NewImporter(filepath.Join(parent, "run"))
	if err != nil {
		t.Fatal(err)
	}
	r := foreignRecord("a", 0)
	if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(parent); err != nil || len(list) > 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}
