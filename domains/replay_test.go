package domains_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
)

// said is a message of a conversation that a test replays.
func said(role domains.Role, text string) domains.Message {
	return domains.Message{Role: role, Content: domains.Text(text)}
}

// asked is a message with calls of the agent's or the user's.
func asked(role domains.Role, calls ...domains.ToolCall) domains.Message {
	side := domains.AgentSide
	if role == domains.RoleUser {
		side = domains.UserSide
	}
	for i := range calls {
		calls[i].Requestor = side
	}
	return domains.Message{Role: role, ToolCalls: calls}
}

// told is the recorded result of the call with that id.
func told(id, content string) domains.Message {
	m := said(domains.RoleTool, content)
	m.ID = id
	return m
}

func named(c domains.ToolCall, id string) domains.ToolCall {
	c.ID = id
	return c
}

func TestReplay(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	update := toolCall(t, "update_task_status", complete)
	dismiss := toolCall(t, "dismiss_notification", `{"notification_id": "note_1"}`)
	untitled := toolCall(t, "create_task", `{"user_id": "user_1", "title": 5}`)
	const invalid = "Error: 1 validation error for Task\ntitle\n  Input should be a valid string [type=string_type, input_value=5, input_type=int]\n" +
		"    For further information visit https://errors.pydantic.dev/2.12/v/string_type"
	const done = `{"task_id": "task_1", "title": "Water the plants", "description": "Balcony and kitchen", "status": "completed"}`
	agent, user := domains.RoleAssistant, domains.RoleUser
	for _, tt := range []struct {
		name   string
		msgs   []domains.Message
		drifts int
		err    string // of a lenient replay
		agent  bool   // the agent's database changes
		user   bool
	}{
		{"nothing", nil, 0, "", false, false},
		{"talk", []domains.Message{said(agent, "Hi"), said(user, "Hi")}, 0, "", false, false},
		{"a writer", []domains.Message{asked(agent, update), told("1", done)}, 0, "", true, false},
		{"the user's writer", []domains.Message{asked(user, dismiss), told("1", "Notification note_1 dismissed")}, 0, "", false, true},
		{"both in turn", []domains.Message{asked(agent, update), told("1", done), said(agent, "Done."), asked(user, dismiss), told("1", "Notification note_1 dismissed")},
			0, "", true, true},
		{"several calls at once", []domains.Message{asked(agent, named(update, "a"), named(update, "b")), told("a", done), told("b", done)}, 0, "", true, false},
		{"spacing and order of keys", []domains.Message{asked(agent, update),
			told("1", "{\"status\":\"completed\",\n\"description\":\"Balcony and kitchen\",\"title\":\"Water the plants\",\"task_id\":\"task_1\"}")}, 0, "", true, false},
		{"another result", []domains.Message{asked(agent, update), told("1", strings.Replace(done, "Water", "Feed", 1))}, 1, "", true, false},
		{"a recorded error that does not happen", []domains.Message{asked(agent, update), told("1", "Error: Task task_1 not found")}, 1, "", true, false},
		{"an error as recorded", []domains.Message{asked(agent, toolCall(t, "update_task_status", `{"task_id": "x", "status": 1}`)), told("1", "Error: Task x not found")},
			0, "", false, false},
		{"an invalid record in words of another version", []domains.Message{asked(agent, untitled), told("1", strings.ReplaceAll(invalid, "2.12", "2.11"))}, 0, "", false, false},
		{"an invalid record in our words of before", []domains.Message{asked(agent, untitled), told("1", "Error: invalid Task: title: want a string, got 5 (int)")},
			0, "", false, false},
		{"an invalid record of another model", []domains.Message{asked(agent, untitled), told("1", strings.Replace(invalid, "Task", "User", 1))}, 1, "", false, false},
		{"a recorded invalid record that is valid", []domains.Message{asked(agent, update), told("1", invalid)}, 1, "", true, false},
		{"another failure recorded as an invalid record", []domains.Message{asked(agent, toolCall(t, "create_task", `{"user_id": "x", "title": 5}`)), told("1", invalid)},
			1, "", false, false},
		{"readers are not run", []domains.Message{asked(agent, toolCall(t, "get_users", `{}`)), told("1", "whatever")}, 0, "", false, false},
		{"unknown tools are not run", []domains.Message{asked(agent, toolCall(t, "fly", `{}`)), told("1", "whatever")}, 0, "", false, false},
		{"a writer of the other side runs into its error", []domains.Message{asked(agent, dismiss), told("1", "Error: Tool 'dismiss_notification' not found.")},
			0, "", false, false},
		{"two drifts", []domains.Message{asked(agent, update), told("1", "x"), asked(user, dismiss), told("1", "y")}, 2, "", true, true},
		{"content null", []domains.Message{asked(agent, update), {Role: domains.RoleTool, ID: "1"}}, 0, "message 1: the recorded result of update_task_status is null", true, false},
		{"content null of a reader", []domains.Message{asked(agent, toolCall(t, "get_users", `{}`)), {Role: domains.RoleTool, ID: "1"}}, 0, "", false, false},
		{"dangling call", []domains.Message{asked(agent, update)}, 0, "Tool message expected. Got None.", false, false},
		{"one result for two calls", []domains.Message{asked(agent, named(update, "a"), named(update, "b")), told("a", done), said(user, "?")}, 0,
			"message 2: Tool message expected. Got a message of role user", false, false},
		{"orphaned result", []domains.Message{said(agent, "Hi"), told("1", done)}, 0,
			"message 1: Tool message not expected. Tool messages should always follow a tool call.", false, false},
		{"one result too many", []domains.Message{asked(agent, update), told("1", done), told("1", done)}, 0, "message 2: Tool message not expected.", false, false},
		{"id mismatch", []domains.Message{asked(agent, update), told("2", done)}, 0, "message 1: Tool call id mismatch. Got 1 and 2", false, false},
		{"results in another order", []domains.Message{asked(agent, named(update, "a"), named(update, "b")), told("b", done), told("a", done)}, 0,
			"message 1: Tool call id mismatch. Got a and b", false, false},
		{"a fault at the end stops all", []domains.Message{asked(agent, update), told("1", done), asked(agent, update)}, 0, "Tool message expected. Got None.", false, false},
		{"empty list of calls", []domains.Message{{Role: agent, ToolCalls: []domains.ToolCall{}}, said(user, "Hi")}, 0, "", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := mustStart(t, w, "null")
			before := hashes(e)
			drifts, err := e.Replay(tt.msgs, false)
			if (err != nil) != (tt.err != "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if len(drifts) != tt.drifts {
				t.Errorf("%d drifts, want %d: %+v", len(drifts), tt.drifts, drifts)
			}
			after := hashes(e)
			if (after[0] != before[0]) != tt.agent || (after[1] != before[1]) != tt.user {
				t.Errorf("changed: agent %v, user %v; want %v, %v", after[0] != before[0], after[1] != before[1], tt.agent, tt.user)
			}
			strict, err := mustStart(t, w, "null").Replay(tt.msgs, true)
			var drift *domains.DriftError
			switch {
			case tt.drifts > 0 && !errors.As(err, &drift):
				t.Errorf("a strict replay gives %v, want its first drift", err)
			case tt.drifts > 0 && (drift.Drift.Index != drifts[0].Index || drift.Drift.Got != drifts[0].Got || len(strict) != 0):
				t.Errorf("a strict replay stops at %+v, the lenient one found %+v", drift.Drift, drifts[0])
			case tt.drifts == 0 && (err != nil) != (tt.err != ""):
				t.Errorf("a strict replay gives %v, want %q", err, tt.err)
			}
		})
	}
}

func TestDriftError(t *testing.T) {
	long := strings.Repeat("é", 300)
	err := &domains.DriftError{Drift: domains.Drift{Index: 7, Call: domains.ToolCall{Name: "f"}, Got: "x", Recorded: long}}
	if got, want := err.Error(), "message 7: f returned x, recorded was "+strings.Repeat("é", 200)+"...\nhint: score leniently"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestSoloReplay(t *testing.T) {
	e := mustStart(t, mockWorld(t, domains.Options{Solo: true}), "null")
	dismiss := toolCall(t, "dismiss_notification", `{"notification_id": "note_1"}`)
	if _, err := e.Replay([]domains.Message{said(domains.RoleAssistant, "Hi"), said(domains.RoleUser, "Hi")}, false); err == nil ||
		!strings.Contains(err.Error(), "message 1: User messages are not allowed in solo mode") {
		t.Errorf("a user alone: %v", err)
	}
	before := hashes(e)
	msgs := []domains.Message{asked(domains.RoleAssistant, dismiss), told("1", "Notification note_1 dismissed")}
	if drifts, err := e.Replay(msgs, true); err != nil || len(drifts) != 0 {
		t.Errorf("the agent with the user's tool: %v", err)
	}
	if after := hashes(e); after[0] != before[0] || after[1] == before[1] {
		t.Error("the user's database did not change, or the agent's did")
	}
}

func TestSameContent(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"x", "x", true},
		{"x", "y", false},
		{"", "", true},
		{`{"a": 1, "b": [2]}`, `{"b":[2.0],"a":true}`, true},
		{`{"a": 1}`, `{"a": 1, "b": null}`, false},
		{"1", "1.0", true},
		{"1", `"1"`, false},
		{"null", "None", false},
		{`"x"`, "x", false},
		{"[1, 2]", "[2, 1]", false},
		{"007", "7", false},
		{"x ", "x", false},
		{" 7 ", "7", true},
		{"9007199254740993", "9007199254740992.0", false},
		{`"\u00e9"`, `"é"`, true},
	} {
		if domains.SameContent(tt.a, tt.b) != tt.want || domains.SameContent(tt.b, tt.a) != tt.want {
			t.Errorf("%q and %q: want %v", tt.a, tt.b, tt.want)
		}
	}
}
