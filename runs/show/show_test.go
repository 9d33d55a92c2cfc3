package show_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPrint shows a conversation that ends in the wrong state.
func TestPrint(t *testing.T) {
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	task, ok := w.Task("finish_task")
	if !ok {
		t.Fatal("no task finish_task")
	}
	env, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	args := value.OfMap(value.MapOf(value.Pair{Key: "user_id", Value: value.OfString("user_1")}, value.Pair{Key: "title", Value: value.OfString("évil \u202e\x1b[2J")}))
	good := sim.ToolCall{ID: "c1", Name: "create_task", Arguments: args, Requestor: domains.AgentSide}
	bad := sim.ToolCall{ID: "c2", Name: "create_task", Malformed: `{"user_id": "us`, Reason: "invalid JSON: unexpected EOF", Requestor: domains.AgentSide}
	rec := sim.Record{Key: sim.Key{Domain: "mock", System: "ReAct", Task: task.ID}, Seed: 626729, Synthetic: true, Termination: sim.UserStop, Steps: 5, ToolErrors: 1,
		Messages: []sim.Message{
			{Role: domains.RoleAssistant, Content: domains.Text(domains.Greeting)},
			{Role: domains.RoleUser, Content: domains.Text("I watered the plants.")},
			{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{good, bad}},
			domains.ResultMessage(good, env.Call(domains.AgentSide, good)),
			domains.ResultMessage(bad, env.Call(domains.AgentSide, bad)),
			{Role: domains.RoleUser, Content: domains.Text("###STOP###")},
		},
		Events: []sim.Event{{Kind: sim.EventPrivate, Side: domains.AgentSide, Index: 2,
			Messages: []sim.Message{{Role: domains.RoleDeveloper, Content: domains.Text("Mark the task first.")}}}},
		Calls: []sim.ModelCall{{Role: "user", Index: 1, Refusal: "Not \x1b this.", CallInText: "<tool_call>"}, {Role: "agent", Index: 2, Finish: "length",
			Transport: sim.Transport{Failed: &llm.Spent{Usage: llm.Usage{PromptTokens: llm.Known(100), CompletionTokens: llm.Known(10)}}}},
			{Role: "agent", Index: 5, Finish: "content_filter"}, {Role: "agent", Index: 6, Error: "context_window"}},
	}
	score, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := show.Print(&b, transcript.Trial{Record: rec, Score: &score, Task: task, Slice: metrics.Mut}, show.Options{Full: true}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "mock.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Error("a control character reached the terminal")
	}
}

// TestPendingScoreShowsTheJudgesWords: whoever looks at a pending score sees what the judge said.
func TestPendingScoreShowsTheJudgesWords(t *testing.T) {
	for _, pending := range []string{"judge: unusable verdicts", ""} {
		var b strings.Builder
		score := sim.Score{Pending: pending, JudgeCalls: []sim.ModelCall{{}, {Answer: "Both\nare met."}}}
		if err := show.Print(&b, transcript.Trial{Score: &score}, show.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); strings.Contains(got, "the judge answered:\n    Both\n    are met.\n") != (pending != "") || strings.Count(got, "the judge answered") > 1 {
			t.Errorf("%q:\n%s", pending, got)
		}
	}
}
