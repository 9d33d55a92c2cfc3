package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

func embeddedTask(t testing.TB, w *domains.World, id string) *domains.Task {
	t.Helper()
	task, ok := w.Task(id)
	if !ok {
		t.Fatalf("%s has no task %s", w.Name, id)
	}
	return task
}

func TestUserPrompt(t *testing.T) {
	mockW, retailW := mockWorld(t), retailWorld(t)
	custom := *mockW
	custom.Guidelines = domains.Guidelines{Plain: "plain rules", WithTools: "rules with tools"}
	persona := taskOf(t, `"user_tools":[],"description":null`)
	persona.UserScenario.Persona = domains.Text("Short of time.\n\nCurt.")
	persona.UserScenario.Instructions = domains.Instructions{Plain: "Want bread.\n  \nNow."}
	for _, c := range []struct {
		name string
		w    *domains.World
		task *domains.Task
	}{
		{"user_retail", retailW, embeddedTask(t, retailW, "cancel-gift-card-order")},
		{"user_mock_tools", mockW, embeddedTask(t, mockW, "dismiss_note")},
		{"user_no_tools_persona", &custom, persona},
		{"user_data_guidelines", &custom, embeddedTask(t, mockW, "add_task")},
	} {
		t.Run(c.name, func(t *testing.T) { golden(t, c.name+".golden", sim.UserPrompt(c.w, c.task)) })
	}
}

func TestUserSpeaks(t *testing.T) {
	w := mockWorld(t)
	task := embeddedTask(t, w, "dismiss_note")
	thinks := llm.Message{Content: domains.Text("<think>###STOP###</think>hi"), Extra: nil}
	looks := llm.Message{ToolCalls: []llm.ToolCall{{ID: "n", Name: "check_notifications"}}}
	a := &answering{answers: []any{answer(thinks, "stop"), answer(looks, "tool_calls"), stop}}
	rec := run(t, scripted(says("hello")), sim.NewUser(w, task, modelOf(a, "user")), func(tr *sim.Trial) { tr.Task = task })
	ended(t, rec, sim.UserStop)
	if rec.Messages[1].TextOf() != "hi" || rec.Messages[3].ToolCalls[0].Requestor != sim.UserSide || rec.Messages[4].Error {
		t.Errorf("trajectory %q", lines(rec.Messages))
	}
	if len(rec.Calls) != 3 || rec.Calls[2].Role != "user" || rec.Calls[2].Ordinal != 2 || rec.Calls[2].Index != 5 {
		t.Errorf("calls %+v", rec.Calls)
	}
	last := a.requests[2]
	if len(last.Tools) != 2 || last.ToolChoice != "" || last.Messages[0].Text() != sim.UserPrompt(w, task) {
		t.Errorf("%d tools, choice %q", len(last.Tools), last.ToolChoice)
	}
	var roles []string
	for _, m := range last.Messages {
		roles = append(roles, string(m.Role))
	}
	same(t, "the flipped roles", "system user assistant user assistant tool", strings.Join(roles, " "))
}

func TestUserWithoutTools(t *testing.T) {
	w := retailWorld(t)
	a := &answering{answers: []any{stop}}
	u := sim.NewUser(w, &w.Tasks[0], modelOf(a, "user"))
	if _, err := u.Next(context.Background(), sim.View{}); err != nil {
		t.Fatal(err)
	}
	if a.requests[0].Tools != nil {
		t.Errorf("tools %v, want none", a.requests[0].Tools)
	}
	if _, err := u.Next(context.Background(), sim.View{}); !errors.Is(err, errScript) {
		t.Errorf("error %v, want the client's own", err)
	}
}
