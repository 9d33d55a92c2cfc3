package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/sim"
)

const (
	madeTask = `{"role":"assistant","tool_calls":[{"id":"c1","name":"create_task","arguments":{"user_id":"user_1","title":"Buy bread"}}]},
		{"role":"tool","id":"c1","content":"{\"status\":\"pending\",\"task_id\":\"task_2\",\"title\":\"Buy bread\",\"description\":null}"}`
	looked = `{"role":"user","tool_calls":[{"id":"u1","name":"check_notifications","arguments":{}}]},
		{"role":"tool","id":"u1","requestor":"user","content":"[]"}`
)

func withHistory(t testing.TB, messages string) *domains.Task {
	t.Helper()
	return taskOf(t, `"initial_state":{"message_history":[`+messages+`]},"evaluation_criteria":{"actions":[]}`)
}

// TestHistoryRouting: who speaks first is told by the last message of the history (docs/reference/tau2.md#protocol).
func TestHistoryRouting(t *testing.T) {
	for _, c := range []struct {
		name    string
		history string
		first   sim.Side
		view    []string // what the first speaker sees
	}{
		{"agent text, so the user", `{"role":"user","content":"hi"},{"role":"assistant","content":"yes?"}`, sim.UserSide,
			[]string{"user: hi", "assistant: yes?"}},
		{"user text, so the agent", `{"role":"assistant","content":"yes?"},{"role":"user","content":"hi"}`, sim.AgentSide,
			[]string{"assistant: yes?", "user: hi"}},
		{"result for the agent", `{"role":"user","content":"hi"},` + madeTask, sim.AgentSide,
			[]string{"user: hi", "assistant: [create_task]", `tool: {"status":"pending","task_id":"task_2","title":"Buy bread","description":null}`}},
		{"result for the user", `{"role":"assistant","content":"yes?"},` + looked, sim.UserSide,
			[]string{"assistant: yes?", "user: [check_notifications]", "tool: []"}},
		{"a stop token of the agent is text", `{"role":"assistant","content":"###STOP###"}`, sim.UserSide, []string{"assistant: ###STOP###"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent, user := scripted(says("from agent")), scripted(says("from user"), says(stop))
			if c.first == sim.AgentSide {
				user = scripted(says(stop))
			}
			task := withHistory(t, c.history)
			rec := run(t, agent, user, func(tr *sim.Trial) { tr.Task = task })
			ended(t, rec, sim.UserStop)
			n := len(task.InitialState.History)
			first := user
			if c.first == sim.AgentSide {
				first = agent
			}
			same(t, "the first view", c.view, lines(first.views[0].Messages))
			if got := rec.Messages[n]; got.Side() != c.first || rec.Steps != len(rec.Messages)-n {
				t.Errorf("%s spoke first, %d steps", got.Side(), rec.Steps)
			}
			for i, m := range rec.Messages {
				if *m.TurnIdx != i {
					t.Errorf("message %d has turn %d", i, *m.TurnIdx)
				}
			}
			if task.InitialState.History[0].TurnIdx != nil {
				t.Error("the task's own history was written to")
			}
		})
	}
}

func TestHistoryThatEndsOrBreaks(t *testing.T) {
	for _, c := range []struct {
		name, history string
		want          sim.Reason
		fault         string
	}{
		{"user stop ends at step 0", `{"role":"assistant","content":"yes?"},{"role":"user","content":"###STOP###"}`, sim.UserStop, ""},
		{"ends on a call", `{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","name":"get_users","arguments":{}}]}`,
			sim.Infra, "message_history: Tool message expected"},
		{"result of another call", `{"role":"assistant","tool_calls":[{"id":"c","name":"get_users","arguments":{}}]},{"role":"tool","id":"d","content":""}`,
			sim.Infra, "message_history: message 1: Tool call id mismatch"},
		{"recorded result that the tool does not give", strings.Replace(madeTask, "Buy bread", "Buy milk", 1), sim.Infra, "message_history: message 1: create_task returned"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := run(t, scripted(), scripted(), func(tr *sim.Trial) { tr.Task = withHistory(t, c.history) })
			ended(t, rec, c.want)
			if rec.Steps != 0 {
				t.Errorf("%d steps, want none", rec.Steps)
			}
			if c.fault == "" {
				return
			}
			if rec.Fault == nil || rec.Fault.Kind != "task" || !strings.Contains(rec.Fault.Text, c.fault) {
				t.Errorf("fault %+v, want one of the task with %q", rec.Fault, c.fault)
			}
		})
	}
	t.Run("initialization that fails", func(t *testing.T) {
		task := taskOf(t, `"initial_state":{"initialization_actions":[{"env_type":"assistant","func_name":"no_such","arguments":{}}]}`)
		rec := run(t, scripted(), scripted(), func(tr *sim.Trial) { tr.Task = task })
		ended(t, rec, sim.Infra)
		if rec.Fault.Kind != "task" || !strings.Contains(rec.Fault.Text, "initialization_actions[0] no_such") {
			t.Errorf("fault %+v", rec.Fault)
		}
	})
}

// TestHistoryReachesTheEnvironment: errors of the history do not count, its ids are taken, its writes are done.
func TestHistoryReachesTheEnvironment(t *testing.T) {
	failed := `{"role":"assistant","tool_calls":[{"id":"c0","name":"create_task","arguments":{}}]},
		{"role":"tool","id":"c0","error":true,"content":"Error: MockTools.create_task() missing 2 required positional arguments: 'user_id' and 'title'"}`
	task := withHistory(t, `{"role":"user","content":"hi"},`+failed+","+madeTask)
	env := mustEnv(t, mockWorld(t), task)
	rec := run(t, scripted(calls(call("c1", "update_task_status", `{"task_id":"task_2","status":"completed"}`)), says("done")), scripted(says(stop)),
		func(tr *sim.Trial) { tr.Task, tr.Env = task, env })
	ended(t, rec, sim.UserStop)
	if rec.ToolErrors != 0 {
		t.Errorf("%d errors counted, want none of the history's", rec.ToolErrors)
	}
	if m := rec.Messages[5]; m.ToolCalls[0].ID == "c1" {
		t.Error("an id of the history was used again")
	}
	if m := rec.Messages[6]; m.Error || !strings.Contains(m.TextOf(), `"status": "completed"`) {
		t.Errorf("the task of the history is not there: %s", m.TextOf())
	}
	replayed := mustEnv(t, mockWorld(t), task)
	if _, err := replayed.Replay(rec.Messages, true); err != nil {
		t.Fatal(err)
	}
	if diff := env.Diff(replayed); len(diff) > 0 {
		t.Errorf("live and replayed states differ: %v", diff)
	}
}

// TestRealHistories runs the reference's own tasks that begin in the middle.
func TestRealHistories(t *testing.T) {
	w := domaintest.Real(t, mock.Domain(), domains.Options{})
	n := 0
	for i := range w.Tasks {
		task := &w.Tasks[i]
		if task.InitialState == nil || len(task.InitialState.History) == 0 {
			continue
		}
		n++
		t.Run(task.ID, func(t *testing.T) {
			user := scripted(says("now complete it"), says(stop))
			agent := scripted(calls(call("call_1", "update_task_status", `{"task_id":"task_2","status":"completed"}`)), says("done"))
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: task, Agent: agent, User: user, Limits: sim.DefaultLimits()})
			if err != nil {
				t.Fatal(err)
			}
			ended(t, rec, sim.UserStop)
			same(t, "the user's first view", []string{lines(rec.Messages)[0], lines(rec.Messages)[3]}, lines(user.views[0].Messages))
			s := score(t, w, task, rec)
			rewarded(t, s, 1)
		})
	}
	if n != 2 {
		t.Errorf("%d tasks with a history, want 2", n)
	}
}
