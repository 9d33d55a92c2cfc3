package agents_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// model answers from a list and remembers the requests.
type model struct {
	answers  []llm.Message
	requests []llm.Request
}

var errModel = errors.New("the model has no further answer")

func (m *model) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	m.requests = append(m.requests, req)
	if len(m.requests) > len(m.answers) {
		return llm.Response{}, errModel
	}
	return llm.Response{Message: m.answers[len(m.requests)-1]}, nil
}

func says(text string) llm.Message { return llm.Message{Role: llm.Assistant, Content: &text} }

func calls(c ...llm.ToolCall) llm.Message { return llm.Message{Role: llm.Assistant, ToolCalls: c} }

func world(t testing.TB, o domains.Options) *domains.World {
	t.Helper()
	return domaintest.Embedded(t, mock.Domain(), o)
}

// setup is that of an agent for one of the tasks, with a model that gives the answers.
func setup(t testing.TB, w *domains.World, task string, answers ...llm.Message) (agents.Setup, *model) {
	t.Helper()
	m := &model{answers: answers}
	found, ok := w.Task(task)
	if !ok {
		t.Fatalf("no task %s", task)
	}
	named := sim.Model{Client: m, Name: "scripted"}
	return agents.Setup{World: w, Task: found, Model: named.With("agent")}, m
}

// speak gives one turn to the agent of a factory.
func speak(t testing.TB, make agents.Factory, s agents.Setup, view ...sim.Message) sim.Turn {
	t.Helper()
	a, err := make(s)
	if err != nil {
		t.Fatal(err)
	}
	turn, err := a.Next(context.Background(), sim.View{Messages: view, Index: len(view)})
	if err != nil {
		t.Fatal(err)
	}
	return turn
}
