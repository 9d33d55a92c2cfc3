package agents_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// The user of this task has a reservation that may be cancelled, and an older one that may not.
const (
	youngAndOld = "cancel-young-keep-old"
	cancelYoung = `cancel_reservation{"reservation_id":"N5C8F6"}`
	cancelOld   = `cancel_reservation{"reservation_id":"D3P2T4"}`
	readYoung   = `get_reservation_details{"reservation_id":"N5C8F6"}`
)

// reading is the hidden reader of a trial, as a run makes it.
func reading(env *domains.Env) func(context.Context, sim.ToolCall) sim.ToolResult {
	return func(_ context.Context, c sim.ToolCall) sim.ToolResult { return env.Call(sim.AgentSide, c) }
}

// guardSetup is a place in a trial of a task.
func guardSetup(t *testing.T, w *domains.World, task, params string) (agents.Setup, *domains.Env) {
	t.Helper()
	found, ok := w.Task(task)
	if !ok {
		t.Fatalf("no task %s", task)
	}
	env, err := w.New(found)
	if err != nil {
		t.Fatal(err)
	}
	return agents.Setup{World: w, Task: found, Params: agents.Params(params), Read: reading(env)}, env
}

// TestToolGuardConversations holds conversations with agents that say what they are given, and compares what happened
// with golden files.
func TestToolGuardConversations(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	hello := text("Please cancel both of my reservations.")
	insist := make([]sim.Message, 12)
	for i := range insist {
		insist[i] = asks(cancelOld)
	}
	for _, c := range []struct {
		name   string
		params string
		agent  []sim.Message
		writes int
		blocks int
		passes int
	}{
		{"one_of_two", `{}`, []sim.Message{asks(readYoung), asks(cancelOld), asks(cancelYoung), text("One is cancelled, the other cannot be.")}, 1, 1, 1},
		{"several_calls", `{}`, []sim.Message{asks(readYoung, cancelYoung, cancelOld), asks(cancelYoung), text("One is cancelled.")}, 1, 1, 2},
		{"insists", `{}`, insist, 0, 10, 0},
		{"release", `{"release":true}`, []sim.Message{asks(cancelYoung), text("I am sorry.")}, 0, 1, 0},
		{"release_with_a_clock", `{"release":true,"now":"2024-05-15T15:00:00"}`, []sim.Message{asks(cancelYoung), text("Done.")}, 1, 0, 1},
		{"unguarded", `{}`, []sim.Message{asks(`transfer_to_human_agents{"summary":"no way"}`), text("Bye.")}, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, env := guardSetup(t, w, youngAndOld, c.params)
			overlay, err := agents.NewToolGuardOverlay(s)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Env: env, Limits: sim.DefaultLimits(),
				Agent: overlay(lines(domains.RoleAssistant, c.agent...)), User: lines(domains.RoleUser, hello)})
			if err != nil || rec.Fault != nil {
				t.Fatalf("error %v, fault %+v", err, rec.Fault)
			}
			if got := written(w, rec); got != c.writes {
				t.Errorf("%d changes were made, want %d", got, c.writes)
			}
			replayed, err := w.New(s.Task)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := replayed.Replay(rec.Messages, true); err != nil {
				t.Error(err)
			}
			if diff := replayed.Diff(env); len(diff) > 0 {
				t.Errorf("the trial's database is not what its trajectory makes: %v", diff)
			}
			blocks, passes := 0, 0
			for _, e := range rec.Events {
				switch e.Kind {
				case agents.EventGuardBlock:
					blocks++
					reads, ok := e.Data["reads"].([]toolguard.Need)
					if !ok || len(reads) == 0 || e.Data["hidden_reads"] != len(reads) || e.Data["rule"] != "airline.cancel.1" {
						t.Errorf("data of the event: %v", e.Data)
					}
				case agents.EventGuardPass:
					passes++
					if n, ok := e.Data["hidden_reads"].(int); !ok || n == 0 {
						t.Errorf("data of the event: %v", e.Data)
					}
				}
			}
			if blocks != c.blocks || passes != c.passes {
				t.Errorf("%d calls blocked and %d passed, want %d and %d", blocks, passes, c.blocks, c.passes)
			}
			golden(t, "toolguard/"+c.name+".golden", transcript(t, rec))
		})
	}
}

// TestToolGuardShowsTheRefusal checks what the agent sees of a refused message: the message and an error for each call.
func TestToolGuardShowsTheRefusal(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	s, _ := guardSetup(t, w, youngAndOld, `{}`)
	overlay, err := agents.NewToolGuardOverlay(s)
	if err != nil {
		t.Fatal(err)
	}
	var seen []sim.Message
	asked := 0
	inner := sim.ParticipantFunc(func(_ context.Context, v sim.View) (sim.Turn, error) {
		asked++
		if asked == 1 {
			m := asks(readYoung, cancelOld)
			m.Role = domains.RoleAssistant
			return sim.Turn{Message: m}, nil
		}
		seen = v.Messages
		return sim.Turn{Message: sim.Message{Role: domains.RoleAssistant, Content: domains.Text("No.")}}, nil
	})
	turn, err := overlay(inner).Next(t.Context(), sim.View{StepsLeft: 10})
	if err != nil {
		t.Fatal(err)
	}
	if turn.Steps != 1 || turn.Message.TextOf() != "No." || len(seen) != 3 {
		t.Fatalf("steps %d, message %q, the agent saw %v", turn.Steps, turn.Message.TextOf(), seen)
	}
	for i, want := range []string{"was not executed, because another call", "Error: The reservation cannot be cancelled"} {
		if m := seen[i+1]; !m.Error || m.ID != seen[0].ToolCalls[i].ID || !strings.Contains(m.TextOf(), want) {
			t.Errorf("result %d: %+v: %q", i, m, m.TextOf())
		}
	}
}

func TestToolGuardParameters(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	other := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	for _, c := range []struct {
		name, params, want string
		world              *domains.World
		blind              bool
	}{
		{"fine", `{"release":true,"history":true,"now":"2024-05-15T15:00:00"}`, "", w, false},
		{"unknown", `{"strict":true}`, "strict", w, false},
		{"moment", `{"now":"yesterday"}`, "2024-05-15T15:00:00", w, false},
		{"history", `{"history":true}`, "release", w, false},
		{"refusals", `{"max_refusals":0}`, "max_refusals is 0", w, false},
		{"domain", `{}`, "airline, retail, telecom", other, false},
		{"blind", `{}`, "cannot be read", w, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := agents.Setup{World: c.world, Task: &c.world.Tasks[0], Params: agents.Params(c.params)}
			if !c.blind {
				s.Read = func(context.Context, sim.ToolCall) sim.ToolResult { return sim.ToolResult{} }
			}
			for _, err := range []error{second(agents.NewToolGuardOverlay(s)), second(agents.Around(agents.NewToolGuardOverlay)(s))} {
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want one with %q", err, c.want)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestToolGuardOverHTTP holds conversations with scripted models over HTTP: about all of our own tasks, with an agent
// that errs, and about some of the reference's.
func TestToolGuardOverHTTP(t *testing.T) {
	for _, d := range []domains.Domain{airline.Domain(), retail.Domain(), telecom.Domain()} {
		t.Run("embedded/"+d.Name, func(t *testing.T) {
			w := domaintest.Embedded(t, d, domains.Options{})
			if guardAll(t, w, len(w.Tasks), synthetic.Mistakes{ActBeforeConsent: 0.5, GrantForbidden: 1}) == 0 {
				t.Error("no call was refused, so nothing was tried")
			}
		})
		t.Run("real/"+d.Name, func(t *testing.T) {
			guardAll(t, domaintest.Real(t, d, domains.Options{}), 8, synthetic.Mistakes{GrantForbidden: 1})
		})
	}
}

// guardAll holds one conversation about each of so many tasks, evenly picked, and returns how many calls were refused.
func guardAll(t *testing.T, w *domains.World, tasks int, m synthetic.Mistakes) (refused int) {
	t.Helper()
	model := served(t, w, m)
	for i := range tasks {
		task := &w.Tasks[i*len(w.Tasks)/tasks]
		env, err := w.New(task)
		if err != nil {
			t.Fatal(err)
		}
		agent, err := agents.Around(agents.NewToolGuardOverlay)(agents.Setup{World: w, Task: task, Model: model(task.ID, "agent", 0), Read: reading(env)})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Domain: w.Name, Task: task.ID}, World: w, Task: task, Env: env,
			Limits: sim.DefaultLimits(), Agent: agent, User: sim.NewUser(w, task, model(task.ID, "user", 0))})
		if err != nil || rec.Fault != nil || !rec.Termination.Completed() {
			t.Errorf("%s: error %v, ended %s: %+v", task.ID, err, rec.Termination, rec.Fault)
		}
		for _, e := range rec.Events {
			if e.Kind == agents.EventGuardBlock {
				refused++
			}
		}
	}
	return refused
}
