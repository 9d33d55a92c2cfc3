package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func mockWorld(t testing.TB) *domains.World {
	t.Helper()
	return domaintest.Embedded(t, mock.Domain(), domains.Options{})
}

func retailWorld(t testing.TB) *domains.World {
	t.Helper()
	return domaintest.Embedded(t, retail.Domain(), domains.Options{})
}

// plainTask is a task without criteria and without an initial state.
func plainTask(t testing.TB) *domains.Task { t.Helper(); return taskOf(t, "") }

// taskOf makes a task out of the fields after id and scenario.
func taskOf(t testing.TB, fields string) *domains.Task {
	t.Helper()
	text := `[{"id":"t","user_scenario":{"instructions":"none"}`
	if fields != "" {
		text += "," + fields
	}
	tasks, err := domains.ParseTasks([]byte(text + "}]"))
	if err != nil {
		t.Fatal(err)
	}
	return &tasks[0]
}

func criteria(t testing.TB, fields string) *domains.Task {
	t.Helper()
	return taskOf(t, `"evaluation_criteria":{`+fields+`}`)
}

func args(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func says(text string) sim.Turn {
	return sim.Turn{Message: sim.Message{Content: domains.Text(text)}}
}

func calls(c ...sim.ToolCall) sim.Turn { return sim.Turn{Message: sim.Message{ToolCalls: c}} }

// call is a call with arguments in JSON, which must be valid.
func call(id, name, arguments string) sim.ToolCall {
	v, err := value.ParseString(arguments)
	if err != nil {
		panic(err)
	}
	return sim.ToolCall{ID: id, Name: name, Arguments: v}
}

const stop = "###STOP###"

// script is a speaker that gives its turns in order and remembers what it saw. Beyond the last turn it fails.
type script struct {
	turns []sim.Turn
	views []sim.View
}

var errScript = errors.New("the script has no further turn")

func scripted(turns ...sim.Turn) *script { return &script{turns: turns} }

func (s *script) Next(_ context.Context, v sim.View) (sim.Turn, error) {
	v.Messages = slices.Clone(v.Messages)
	s.views = append(s.views, v)
	if len(s.views) > len(s.turns) {
		return sim.Turn{}, errScript
	}
	return s.turns[len(s.views)-1], nil
}

// seen is all that the side was ever shown, as text.
func (s *script) seen(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	for _, v := range s.views {
		b.Write(asJSON(t, v.Messages))
	}
	return b.String()
}

// trial is a trial in the mock domain on a task without criteria; edit changes it.
func trial(t testing.TB, agent, user sim.Participant, edit ...func(*sim.Trial)) sim.Trial {
	t.Helper()
	tr := sim.Trial{World: mockWorld(t), Task: plainTask(t), Agent: agent, User: user,
		Key: sim.Key{Domain: "mock", System: "s", Task: "t"}, Limits: sim.Limits{MaxSteps: 50, MaxErrors: 10}}
	for _, f := range edit {
		f(&tr)
	}
	return tr
}

// run holds a conversation and wants a record.
func run(t testing.TB, agent, user sim.Participant, edit ...func(*sim.Trial)) sim.Record {
	t.Helper()
	rec, err := sim.Run(context.Background(), trial(t, agent, user, edit...))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func ended(t testing.TB, rec sim.Record, want sim.Reason) {
	t.Helper()
	if rec.Termination != want {
		t.Fatalf("ended as %s (fault %+v), want %s", rec.Termination, rec.Fault, want)
	}
}

// lines shows a trajectory in short: role, text or calls, one entry a message.
func lines(msgs []sim.Message) []string {
	var out []string
	for _, m := range msgs {
		s := string(m.Role) + ":"
		if m.Content != nil {
			s += " " + *m.Content
		}
		if m.ToolCalls != nil {
			names := []string{}
			for _, c := range m.ToolCalls {
				names = append(names, c.Name)
			}
			s += " [" + strings.Join(names, " ") + "]"
		}
		out = append(out, s)
	}
	return out
}

func same(t testing.TB, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// score scores a record in a world and wants a score.
func score(t testing.TB, w *domains.World, task *domains.Task, rec sim.Record, o ...func(*sim.ScoreOptions)) sim.Score {
	t.Helper()
	var opts sim.ScoreOptions
	for _, f := range o {
		f(&opts)
	}
	s, err := sim.ScoreRecord(context.Background(), w, task, rec, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rewarded checks the reward of a score.
func rewarded(t testing.TB, s sim.Score, want float64) {
	t.Helper()
	if s.Reward == nil || *s.Reward != want || s.Info.Reward != want {
		t.Errorf("reward %s (info %v), want %v; pending %q", asJSON(t, s.Reward), s.Info.Reward, want, s.Pending)
	}
}

// golden compares a text with a golden file.
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
	same(t, name, string(want), got)
}

// reread writes a record and reads it again.
func reread(t testing.TB, rec sim.Record) sim.Record {
	t.Helper()
	var out sim.Record
	if err := json.Unmarshal(asJSON(t, rec), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// speakerFunc is a speaker without use for the context.
func speakerFunc(f func(sim.View) (sim.Turn, error)) sim.Participant {
	return sim.ParticipantFunc(func(_ context.Context, v sim.View) (sim.Turn, error) { return f(v) })
}

// firstOrder returns the id of the first order of a retail world.
func firstOrder(t testing.TB, w *domains.World) string {
	t.Helper()
	agent, _ := w.Fresh()
	db, ok := agent.(*retail.DB)
	if !ok {
		t.Fatalf("database is a %T", agent)
	}
	for id := range db.Orders.All() {
		return id
	}
	t.Fatal("no orders")
	return ""
}
