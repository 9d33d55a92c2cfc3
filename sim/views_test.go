package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// thinking adds provider fields to a turn, on the message and on its calls.
func thinking(t sim.Turn, mark string) sim.Turn {
	raw := json.RawMessage(`"` + mark + `"`)
	t.Message.Provider = map[string]json.RawMessage{"reasoning_content": raw}
	for i := range t.Message.ToolCalls {
		t.Message.ToolCalls[i].Provider = map[string]json.RawMessage{"extra_content": raw}
	}
	return t
}

// TestReasoningStaysWithItsSide looks at the bytes of everything that the sides were shown.
func TestReasoningStaysWithItsSide(t *testing.T) {
	agent := scripted(thinking(calls(call("a", "get_users", `{}`)), "agent-mind"), thinking(says("hello"), "agent-mind"), says("bye"))
	user := scripted(thinking(says("hi"), "user-mind"), thinking(calls(call("u", "check_notifications", `{}`)), "user-mind"),
		thinking(says("seen"), "user-mind"), says(stop))
	rec := run(t, agent, user)
	ended(t, rec, sim.UserStop)
	for _, c := range []struct {
		name    string
		seen    string
		own     string
		foreign string
	}{{"agent", agent.seen(t), "agent-mind", "user-mind"}, {"user", user.seen(t), "user-mind", "agent-mind"}} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.seen, c.foreign) {
				t.Errorf("saw the other side's reasoning: %s", c.seen)
			}
			if !strings.Contains(c.seen, c.own) {
				t.Error("lost its own reasoning")
			}
		})
	}
	if got := string(asJSON(t, rec)); strings.Count(got, "agent-mind") != 3 || strings.Count(got, "user-mind") != 4 {
		t.Errorf("the record does not hold all reasoning: %s", got)
	}
}

func TestPrivateMessages(t *testing.T) {
	guidance := sim.Message{Role: domains.RoleDeveloper, Content: domains.Text("whisper: ask first")}
	proposal := sim.Message{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{call("p1", "create_task", `{}`)}}
	refusal := sim.Message{Role: domains.RoleTool, ID: "p1", Requestor: sim.AgentSide, Content: domains.Text("whisper: refused"), Error: true}
	first := says("hello")
	first.Private, first.Steps = []sim.Message{guidance, proposal, refusal}, 2
	first.Events = []sim.Event{{Kind: "guide", Side: sim.AgentSide, Index: 2, Text: "fired"}}
	first.Calls = []sim.ModelCall{{Role: "agent"}, {Role: "guard"}}
	agent, user := scripted(first, says("bye")), scripted(says("hi"), says("more"), says(stop))
	rec := run(t, agent, user, steps(20))
	ended(t, rec, sim.UserStop)

	same(t, "the agent's next view", []string{"assistant: " + domains.Greeting, "user: hi", "developer: whisper: ask first", "assistant: [create_task]",
		"tool: whisper: refused", "assistant: hello", "user: more"}, lines(agent.views[1].Messages))
	if strings.Contains(user.seen(t), "whisper") {
		t.Error("the user saw private messages")
	}
	if strings.Contains(strings.Join(lines(rec.Messages), "\n"), "whisper") {
		t.Error("private messages are in the trajectory")
	}
	if rec.Steps != 7 || rec.ToolErrors != 0 {
		t.Errorf("%d steps and %d errors, want 5+2 and 0", rec.Steps, rec.ToolErrors)
	}
	var left []int
	for _, v := range agent.views {
		left = append(left, v.StepsLeft)
	}
	same(t, "the agent's steps left", []int{19, 15}, left)
	var kinds []string
	for _, e := range rec.Events {
		kinds = append(kinds, fmt.Sprintf("%s %s %d %d", e.Kind, e.Side, e.Index, len(e.Messages)))
	}
	same(t, "events", []string{"guide assistant 2 0", "private assistant 2 3"}, kinds)
	if len(rec.Calls) != 2 {
		t.Errorf("%d model calls on record, want 2", len(rec.Calls))
	}
	if _, err := mustEnv(t, mockWorld(t), plainTask(t)).Replay(rec.Messages, true); err != nil {
		t.Errorf("the trajectory does not replay: %v", err)
	}
}

func mustEnv(t testing.TB, w *domains.World, task *domains.Task) *domains.Env {
	t.Helper()
	e, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestStepsOfRefusedProposalsReachTheCap(t *testing.T) {
	costly := says("hello")
	costly.Steps = 9
	rec := run(t, scripted(costly), scripted(says("hi")), steps(10))
	ended(t, rec, sim.MaxSteps)
	if rec.Steps != 11 {
		t.Errorf("%d steps, want 11", rec.Steps)
	}
}

// TestWhatAFailedTurnBroughtIsKept: calls that were paid for and events stay on record although the turn failed.
func TestWhatAFailedTurnBroughtIsKept(t *testing.T) {
	rec := run(t, speakerFunc(func(sim.View) (sim.Turn, error) {
		return sim.Turn{Calls: []sim.ModelCall{{Role: "guard"}}, Events: []sim.Event{{Kind: "guide"}}}, errScript
	}), scripted(says("hi")))
	ended(t, rec, sim.Infra)
	if len(rec.Calls) != 1 || len(rec.Events) != 1 {
		t.Errorf("%d calls and %d events on record, want one each", len(rec.Calls), len(rec.Events))
	}
}

// TestViewsAreNotShared: a speaker that appends to its view, against the contract, does not disturb later views.
func TestViewsAreNotShared(t *testing.T) {
	var kept [][]sim.Message
	agent := speakerFunc(func(v sim.View) (sim.Turn, error) {
		kept = append(kept, append(v.Messages, sim.Message{Role: domains.RoleDeveloper, Content: domains.Text("mine")}))
		return says(fmt.Sprintf("answer %d", len(kept))), nil
	})
	user := scripted(says("1"), says("2"), says("3"), says("4"), says("5"), says(stop))
	ended(t, run(t, agent, user), sim.UserStop)
	for i, view := range kept {
		if got := view[len(view)-1].TextOf(); got != "mine" {
			t.Errorf("what the speaker appended in turn %d became %q", i, got)
		}
	}
}

func TestViewIndex(t *testing.T) {
	agent := scripted(calls(call("a", "get_users", `{}`)), says("hello"))
	user := scripted(says("hi"), says(stop))
	rec := run(t, agent, user)
	same(t, "indices", []int{2, 4, 1, 5}, []int{agent.views[0].Index, agent.views[1].Index, user.views[0].Index, user.views[1].Index})
	for i, m := range rec.Messages {
		if m.TurnIdx == nil || *m.TurnIdx != i || m.Timestamp == "" {
			t.Errorf("message %d has turn %v and time %q", i, m.TurnIdx, m.Timestamp)
		}
	}
}

func TestCallIDs(t *testing.T) {
	get := func(id string) sim.ToolCall { return call(id, "get_users", `{}`) }
	for _, c := range []struct {
		name  string
		turns []sim.Turn // of the agent, before it says bye
		want  []string   // ids of its calls
	}{
		{"ids as they came", []sim.Turn{calls(get("a"), get("b"))}, []string{"a", "b"}},
		{"twice in one message", []sim.Turn{calls(get("dup"), get("dup"), get("dup"))}, []string{"dup", "call_2_1", "call_2_2"}},
		{"again in a later message", []sim.Turn{calls(get("get_users:0")), calls(get("get_users:0"))}, []string{"get_users:0", "call_4_0"}},
		{"missing", []sim.Turn{calls(get(""), get(""))}, []string{"call_2_0", "call_2_1"}},
		{"a later id equals one that was made up", []sim.Turn{calls(get(""), get("call_2_0"))}, []string{"call_2_0", "call_2_1"}},
		{"a made-up id is taken already", []sim.Turn{calls(get("call_2_1"), get("call_2_1"))}, []string{"call_2_1", "call_2_2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := string(asJSON(t, c.turns))
			agent := scripted(append(c.turns, says("bye"))...)
			rec := run(t, agent, scripted(says("hi"), says(stop)))
			ended(t, rec, sim.UserStop)
			var ids, results []string
			for _, m := range rec.Messages {
				for _, call := range m.ToolCalls {
					ids = append(ids, call.ID)
				}
				if m.Role == domains.RoleTool {
					results = append(results, m.ID)
				}
			}
			same(t, "ids of the calls", c.want, ids)
			same(t, "ids of the results", c.want, results)
			var shown []string
			for _, m := range agent.views[len(agent.views)-1].Messages {
				for _, call := range m.ToolCalls {
					shown = append(shown, call.ID)
				}
			}
			same(t, "ids in the agent's own history", c.want, shown)
			same(t, "the speaker's turns were written to", given, string(asJSON(t, c.turns)))
			replaced := 0
			for _, e := range rec.Events {
				if e.Kind == sim.EventCallID {
					replaced++
				}
			}
			if _, err := mustEnv(t, mockWorld(t), plainTask(t)).Replay(rec.Messages, true); err != nil {
				t.Errorf("replay: %v", err)
			}
			if want := strings.Count(strings.Join(c.want, " "), "call_2") + strings.Count(strings.Join(c.want, " "), "call_4"); replaced > want {
				t.Errorf("%d ids noted as replaced, at most %d were", replaced, want)
			}
		})
	}
	t.Run("across the sides", func(t *testing.T) {
		rec := run(t, scripted(calls(get("x")), says("bye")), scripted(calls(call("x", "check_notifications", `{}`)), says("hi"), says(stop)))
		ended(t, rec, sim.UserStop)
		if a, b := rec.Messages[1].ToolCalls[0], rec.Messages[4].ToolCalls[0]; a.ID != "x" || b.ID != "call_4_0" ||
			a.Requestor != sim.UserSide || b.Requestor != sim.AgentSide {
			t.Errorf("calls %+v and %+v", a, b)
		}
	})
	t.Run("a call cannot name another requestor", func(t *testing.T) {
		forged := call("f", "check_notifications", `{}`)
		forged.Requestor = sim.UserSide
		rec := run(t, scripted(calls(forged), says("bye")), scripted(says("hi"), says(stop)))
		if m := rec.Messages[3]; !m.Error || m.Requestor != sim.AgentSide {
			t.Errorf("the agent reached a tool of the user: %+v", m)
		}
	})
}
