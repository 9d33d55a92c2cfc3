package sim_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
)

// TestEvaluationVectors scores the recorded trajectories and compares everything but the prose with what the
// reference's evaluators found.
func TestEvaluationVectors(t *testing.T) {
	for _, d := range []struct {
		domain domains.Domain
		cases  int
	}{{retail.Domain(), 289}, {mock.Domain(), 157}, {airline.Domain(), 248}, {telecom.Domain(), 240}} {
		t.Run(d.domain.Name, func(t *testing.T) {
			w := domaintest.Real(t, d.domain, domains.Options{})
			var file struct {
				Cases []struct {
					TaskID      string          `json:"task_id"`
					Variant     string          `json:"variant"`
					Type        sim.Evaluation  `json:"evaluation_type"`
					Termination sim.Reason      `json:"termination_reason"`
					Messages    []sim.Message   `json:"messages"`
					RewardInfo  json.RawMessage `json:"reward_info"`
					Raised      string          `json:"raised"`
				} `json:"cases"`
			}
			domaintest.Vectors(t, "eval_"+d.domain.Name+".json", &file)
			if len(file.Cases) != d.cases {
				t.Fatalf("%d cases, want %d", len(file.Cases), d.cases)
			}
			for _, c := range file.Cases {
				task, ok := w.Task(c.TaskID)
				if !ok {
					t.Fatalf("task %s is not in the data", c.TaskID)
				}
				rec := sim.Record{Key: sim.Key{Domain: w.Name, Task: c.TaskID}, Messages: c.Messages, Termination: c.Termination}
				s, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{Evaluation: c.Type})
				if (err != nil) != (c.Raised != "") {
					t.Errorf("%s %s %s: error %v, the reference raised %q", c.TaskID, c.Variant, c.Type, err, c.Raised)
					continue
				}
				if err != nil {
					continue
				}
				if diff := cmp.Diff(prosaic(t, c.RewardInfo), prosaic(t, marshal(t, s.Info))); diff != "" {
					t.Errorf("%s %s %s (-recorded +got):\n%s", c.TaskID, c.Variant, c.Type, diff)
				}
			}
		})
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// prosaic decodes a reward without its prose: justifications, and an empty breakdown against none.
func prosaic(t *testing.T, raw []byte) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"communicate_checks", "nl_assertions"} {
		checks, _ := v[list].([]any)
		for _, c := range checks {
			delete(c.(map[string]any), "justification")
		}
	}
	return v
}
