package transcript_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
)

// TestReader reads a trial whose data and score are at hand, gone or damaged.
func TestReader(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, `
note: one trial
trials: 1
models: {careful: {synthetic: true}}
user: {model: careful}
judge: {model: careful}
domains: [{name: mock, tasks: [finish_task]}]
systems: [{name: ReAct, agent: react, model: careful}]
`, config.Options{Out: dir})
	brought := &domains.Task{ID: "finish_task", Criteria: &domains.Criteria{}}
	gone := fmt.Errorf("%w: the folder is empty", store.ErrData)
	scores := filepath.Join(dir, "scores.jsonl")
	for _, tt := range []struct {
		name    string
		world   error
		brought *domains.Task
		edit    bool // the score
		missing string
		notices []string
	}{
		{name: "all at hand"},
		{"no data", gone, nil, false, gone.Error(), []string{"without the task: " + gone.Error()}},
		{"no data, but an imported task", gone, brought, false, gone.Error(), nil},
		{"data that is broken", errors.New("line 7"), nil, false, "the data cannot be read: line 7", []string{"without the task: the data cannot be read: line 7"}},
		{"an edited score", nil, nil, true, "", []string{"without the score: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.edit {
				text, err := os.ReadFile(scores)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(scores, bytes.Replace(text, []byte(`"reward":1`), []byte(`"reward":0`), 1), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			run, opened := runtest.Open(t, dir), 0
			reader := transcript.Reader{Run: run, Brought: func(string) *domains.Task { return tt.brought }, World: func(domain string) (*domains.World, error) {
				if opened++; tt.world != nil {
					return nil, tt.world
				}
				return run.World(domain, runtest.NoEnv)
			}}
			if reader.Prepare(); opened != 1 {
				t.Errorf("the data of one domain was opened %d times beforehand", opened)
			}
			got, err := reader.Read(run.Plan()[0], 0)
			if err != nil {
				t.Fatal(err)
			}
			if (got.Score == nil) != tt.edit || (got.World == nil) != (tt.world != nil) || got.Slice != metrics.Mut || got.Guides == nil || got.Missing != tt.missing {
				t.Errorf("read %+v", got)
			}
			if tt.world != nil && got.Task != tt.brought || tt.world == nil && got.Task == nil {
				t.Errorf("the task is %v", got.Task)
			}
			notices := got.Notices()
			if tt.edit && len(notices) == 1 {
				notices[0] = notices[0][:len(tt.notices[0])] // and what is wrong with it
			}
			if d := cmp.Diff(tt.notices, notices); d != "" {
				t.Error(d)
			}
		})
	}
	if _, err := (&transcript.Reader{Run: runtest.Open(t, dir)}).Read(config.Planned{}, 0); err == nil {
		t.Error("a trial that there is not was read")
	}
}
