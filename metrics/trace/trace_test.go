package trace_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics/trace"
)

func call(id, name string) domains.ToolCall {
	return domains.ToolCall{ID: id, Name: name, Arguments: value.OfMap(nil), Requestor: domains.AgentSide}
}

func result(id, text string) domains.Message {
	return domains.Message{Role: domains.RoleTool, ID: id, Content: &text}
}

// Of two calls of one message neither is before the other, whatever came of them first; a result is filed with the
// oldest call of its id, as ids may be empty or come twice.
func TestOrder(t *testing.T) {
	events := trace.Events([]domains.Message{
		{Role: domains.RoleAssistant, Content: domains.Text("Let me look."), ToolCalls: []domains.ToolCall{call("", "read"), call("", "write")}},
		result("", "first"), result("", "second"),
		{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{call("x", "again")}},
		{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{call("x", "open")}},
		result("x", "Error. No such thing."),
	})
	if len(events) != 5 {
		t.Fatalf("%d events", len(events))
	}
	text, read, write, again, open := events[0], events[1], events[2], events[3], events[4]
	if read.Result != "first" || write.Result != "second" || read.Before(write) || text.Before(write) || !read.Before(again) {
		t.Errorf("read %+v, write %+v", read, write)
	}
	if again.OK || again.End != 5 || open.End != -1 || open.OK || open.Before(again) {
		t.Errorf("again %+v, open %+v", again, open)
	}
}

func TestRecords(t *testing.T) {
	e := &trace.Event{Result: `[{"id": "a", "in": [{"id": "b"}]}, 3, {"id": "c"}]`}
	var got string
	for m := range e.Records {
		id, _ := m.Get("id")
		got += id.Str()
		if got == "ab" {
			break
		}
	}
	if got != "ab" {
		t.Errorf("records %q", got)
	}
	list := value.OfList([]value.Value{value.OfString("x"), value.OfString("y")})
	if !trace.Same(list, value.OfString("y")) || trace.Same(list, value.OfString("z")) || !trace.Same(value.OfInt(2), value.OfFloat(2)) {
		t.Error("a list holds its elements, and numbers are equal by value")
	}
}
