package guide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

func TestTrace(t *testing.T) {
	device := toolCall(t, "check_notifications", `{}`)
	device.ID, device.Requestor = "c1", domains.UserSide
	read, write := toolCall(t, "get_users", `{}`), toolCall(t, "create_task", `{"user_id": "user_1"}`)
	read.ID, write.ID = "c1", "c2"
	result := func(c domains.ToolCall, text string, failed bool) domains.Message {
		return domains.ResultMessage(c, domains.ToolResult{Content: text, Error: failed})
	}
	hint := "a hint"
	msgs := []domains.Message{
		{Role: domains.RoleSystem, Content: &hint},
		{Role: domains.RoleAssistant, Content: domains.Text("hello")},
		{Role: domains.RoleUser, Content: domains.Text("hi")},
		{Role: domains.RoleDeveloper, Content: &hint},
		{Role: domains.RoleAssistant, Content: domains.Text("one moment"), ToolCalls: []domains.ToolCall{read, write}},
		result(read, `{"n": 1, "f": 1.5, "l": [true, null]}`, false),
		result(write, "Error: no", true),
		{Role: domains.RoleUser, ToolCalls: []domains.ToolCall{device}},
		result(device, "plain text", false),
		{Role: domains.RoleUser, Content: domains.Text("  ")},
		{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{read}}, // the id again, and no result yet
	}
	tr := guide.NewTrace(msgs...)
	if tr.Len() != len(msgs) || tr.Turn() != 1 {
		t.Errorf("length %d, turn %d", tr.Len(), tr.Turn())
	}
	type row struct {
		Name        string
		OK, Done    bool
		Turn, Index int
		Result      any
	}
	rows := func(calls []*guide.Call) (out []row) {
		for _, c := range calls {
			out = append(out, row{c.Name, c.OK, c.Done, c.Turn, c.Index, guide.Native(c.Result)})
		}
		return out
	}
	want := []row{
		{"get_users", true, true, 1, 4, map[string]any{"n": int64(1), "f": 1.5, "l": []any{true, nil}}},
		{"create_task", false, true, 1, 4, "Error: no"},
		{"get_users", false, false, 1, 10, nil},
	}
	if d := cmp.Diff(want, rows(tr.Calls)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]guide.Said{{Text: "hello", Index: 1}}, tr.Agent); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]guide.Said{{Text: "hi", Turn: 1, Index: 2}}, tr.User); d != "" {
		t.Error(d)
	}
	if c := tr.LastOK("get_users"); c == nil || c.Index != 4 || tr.LastOK("create_task") != nil {
		t.Errorf("last successful call is %+v", c)
	}
	if got := tr.CallsOf("create_task")[0].Arg("user_id"); got != "user_1" {
		t.Errorf("argument is %q", got)
	}
}

func TestNativeBigInteger(t *testing.T) {
	v, err := value.ParseString(`12345678901234567890`)
	if err != nil {
		t.Fatal(err)
	}
	if got := guide.Native(v); got != float64(12345678901234567890) {
		t.Errorf("got %v", got)
	}
}

// chain is one intent that authorizes two tools in a row.
func chain() *guide.Graph {
	node := func(id string, typ guide.Type, tool, to string) *guide.Node {
		n := &guide.Node{ID: id, Local: id, File: "main.yaml", Type: typ}
		if tool != "" {
			n.Tools = []string{tool}
		}
		if to != "" {
			n.Edges = []guide.Edge{{To: to, When: guide.Satisfied}}
		}
		return n
	}
	return guide.NewGraph("mock", "start", nil, []*guide.Node{
		node("start", guide.Entry, "", "first"), node("first", guide.Authorization, "create_task", "second"),
		node("second", guide.Authorization, "update_task_status", "end"), node("end", guide.Exit, "", ""),
	})
}

// A call counts for a request unless it was about another record of the kind that the request is about.
func TestWhichCallsBelong(t *testing.T) {
	for _, tt := range []struct {
		name    string
		targets map[string]string
		target  string
		rests   string
	}{
		{"other kinds of record", map[string]string{"create_task": "title", "update_task_status": "task_id"}, "task_2", "second"},
		{"same kind, same record", map[string]string{"create_task": "user_id", "update_task_status": "user_id"}, "user_1", "second"},
		{"same kind, other record", map[string]string{"create_task": "user_id", "update_task_status": "user_id"}, "user_2", "first"},
		{"no target known", map[string]string{"create_task": "user_id", "update_task_status": "user_id"}, "", "second"},
		{"no kinds named", nil, "task_2", "second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := guide.NewChecker(chain(), guide.InventoryOf(mockWorld(t)), guide.Vocabulary{Targets: tt.targets})
			if err != nil {
				t.Fatal(err)
			}
			k := newTalk(t).call("create_task", create)
			if p := c.Walk(guide.NewTrace(k.msgs...), guide.Request{Target: tt.target}); p.Node != tt.rests || p.Authorizes == "" {
				t.Errorf("rests at %s enabling %q, want %s", p.Node, p.Authorizes, tt.rests)
			}
		})
	}
}

// Where the call is about another kind of record, the verifying node says whether the right one was meant.
func TestVerifierDecidesOtherKinds(t *testing.T) {
	for check, rests := range map[string]string{
		`call_ok("create_task", {"title": "Buy bread"})`: "x",
		`call_ok("create_task", {"title": "Buy milk"})`:  "w",
	} {
		g := graphOf("s entry - ok>w\nw tool_authorization create_task ok>v\nv agent_action - ok>u\nu tool_authorization update_task_status ok>x\nx exit -")
		v, _ := g.Node("v")
		v.Check = check
		c, err := guide.NewChecker(g, guide.InventoryOf(mockWorld(t)),
			guide.Vocabulary{Targets: map[string]string{"create_task": "title", "update_task_status": "task_id"}})
		if err != nil {
			t.Fatal(err)
		}
		k := newTalk(t).call("create_task", create).call("update_task_status", `{"task_id": "task_1", "status": "pending"}`)
		call := toolCall(t, "update_task_status", `{"task_id": "task_1", "status": "pending"}`)
		p := c.Walk(guide.NewTrace(k.msgs...), guide.Request{Target: "task_1", Call: &call})
		if p.Node != rests {
			t.Errorf("%s: rests at %s, want %s", check, p.Node, rests)
		}
	}
}

// The arguments of a proposed call are what the checks see, whatever was recorded before.
func TestCallOverGrounded(t *testing.T) {
	c, err := guide.NewChecker(oneNode(`request.grounded_values.title == "new" && request.grounded_values["kept"] == 1`, guide.AgentAction),
		guide.InventoryOf(mockWorld(t)), guide.Vocabulary{})
	if err != nil {
		t.Fatal(err)
	}
	call := toolCall(t, "create_task", `{"title": "new"}`)
	r := guide.Request{Call: &call, Grounded: value.MapOf(
		value.Pair{Key: "title", Value: value.OfString("old")}, value.Pair{Key: "kept", Value: value.OfInt(1)})}
	if p := c.Walk(guide.NewTrace(), r); !p.Done {
		t.Errorf("rests at %+v", p.Unmet())
	}
}
