package runs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/runtest"
)

// confirmed is what the judge is to say about a conversation.
const confirmed = "The agent confirmed the task was created successfully"

// judgedData is a τ² data folder of domain mock, out of the files of one, whose tasks rest on a judge's verdict too.
func judgedData(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "tau2", "domains", "mock")
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	var tasks []map[string]any
	file := filepath.Join(to, "tasks.json")
	if err := json.Unmarshal(runtest.Text(t, file), &tasks); err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if c, ok := task["evaluation_criteria"].(map[string]any); ok {
			c["nl_assertions"], c["reward_basis"] = []string{confirmed}, []string{"DB", "NL_ASSERTION"}
		}
	}
	text, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	runtest.Write(t, file, text)
	return filepath.Dir(filepath.Dir(filepath.Dir(to)))
}

func verdict(met bool) string {
	text, err := json.Marshal(map[string]any{"results": []any{map[string]any{"expectedOutcome": confirmed, "reasoning": "so", "metExpectation": met}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// TestConflictingVerdicts: a judge's answer with verdicts that contradict each other, or one that was cut off, is no
// verdict. It is asked for once more; a second one like it leaves the score pending, with all words kept.
func TestConflictingVerdicts(t *testing.T) {
	t.Parallel()
	says := func(text string) *runtest.Reply { return &runtest.Reply{Body: runtest.Says(text)} }
	cut := &runtest.Reply{Body: runtest.Answer("length", map[string]any{"role": "assistant", "content": verdict(true) + " Although"})}
	changed := says("First thought:\n```json\n" + verdict(true) + "\n```\nBut it never said so:\n" + verdict(false))
	own := func(replies ...*runtest.Reply) func(*testing.T) runtest.Situation {
		return func(t *testing.T) runtest.Situation {
			s := runtest.Own(map[string][]*runtest.Reply{"j": replies})
			s.Data = judgedData(t, filepath.Join("..", "domains", "mock", "data"))
			return s
		}
	}
	for _, tt := range []struct {
		name   string
		of     func(*testing.T) runtest.Situation
		reward float64 // -1: pending
		asked  int
		why    string
	}{
		{"field: a quoted verdict and another", func(t *testing.T) runtest.Situation {
			s := runtest.Field(t, domaintest.Shared(t), "05-judge-first-object")
			s.Data = judgedData(t, filepath.Join(s.Data, "tau2", "domains", "mock"))
			return s
		}, -1, 2, "contradict each other"},
		{"a fenced draft and another", own(changed), -1, 2, "contradict each other"},
		{"a fenced draft and another, then one", own(changed, says(verdict(false))), 0, 2, ""},
		{"twice the same", own(says(verdict(true) + "\nSo: " + verdict(true))), 1, 1, ""},
		{"cut off", own(cut), -1, 2, "cut off at the output limit"},
		{"cut off, then whole", own(cut, says(verdict(true))), 1, 2, ""},
		{"all of the limit thought, then whole", own(thought, says(verdict(true))), 1, 2, ""},
		{"one", own(says(verdict(true))), 1, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, r := played(t, tt.of(t).Config(t, 1))
			e := r.Index()[0]
			if got := e.Reward; tt.reward < 0 && (got != nil || s.Pending != 1 || !strings.Contains(e.Pending, tt.why)) || tt.reward >= 0 && (got == nil || *got != tt.reward) {
				t.Fatalf("reward %v, pending %q; want %v, %q", got, e.Pending, tt.reward, tt.why)
			}
			score, err := r.Score(e.Ref)
			if err != nil || len(score.JudgeCalls) != tt.asked {
				t.Fatalf("%v; %d calls of the judge, want %d", err, len(score.JudgeCalls), tt.asked)
			}
			for _, c := range score.JudgeCalls {
				if !strings.Contains(c.Answer, confirmed) && tt.name != "all of the limit thought, then whole" {
					t.Errorf("the judge's answer is not kept: %q", c.Answer)
				}
			}
		})
	}
}
