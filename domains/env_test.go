package domains_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/value"
)

// start opens an environment of a task with this initial state.
func start(t *testing.T, w *domains.World, initialState string) (*domains.Env, error) {
	t.Helper()
	return w.New(&parseTasks(t, `[{"id": "t", `+brief+`, "initial_state": `+initialState+`}]`)[0])
}

func mustStart(t *testing.T, w *domains.World, initialState string) *domains.Env {
	t.Helper()
	e, err := start(t, w, initialState)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func toolCall(t *testing.T, name, args string) domains.ToolCall {
	t.Helper()
	v, err := value.ParseString(args)
	if err != nil {
		t.Fatal(err)
	}
	return domains.ToolCall{ID: "1", Name: name, Arguments: v}
}

func hashes(e *domains.Env) [2]string {
	agent, _ := e.Hash(domains.AgentSide)
	user, _ := e.Hash(domains.UserSide)
	return [2]string{agent, user}
}

const complete = `{"task_id": "task_1", "status": "completed"}`

func TestRouting(t *testing.T) {
	const dismiss = `{"notification_id": "note_1"}`
	w, solo := mockWorld(t, domains.Options{}), mockWorld(t, domains.Options{Solo: true})
	shop := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	agentless := *w
	agentless.Agent = nil
	for _, tt := range []struct {
		name       string
		world      *domains.World
		side       domains.Side
		tool, args string
		want       string // the result, "" for any that did not fail
	}{
		{"own tool", w, domains.AgentSide, "update_task_status", complete, ""},
		{"user's own tool", w, domains.UserSide, "dismiss_notification", dismiss, "Notification note_1 dismissed"},
		{"user's tool by the agent", w, domains.AgentSide, "dismiss_notification", dismiss, "Error: Tool 'dismiss_notification' not found."},
		{"agent's tool by the user", w, domains.UserSide, "get_users", `{}`, "Error: Tool 'get_users' not found."},
		{"unknown tool", w, domains.AgentSide, "fly\n'", `{}`, "Error: Tool 'fly\n'' not found."},
		{"no name", w, domains.AgentSide, "", `{}`, "Error: Tool '' not found."},
		{"case matters", w, domains.AgentSide, "Get_users", `{}`, "Error: Tool 'Get_users' not found."},
		{"function that is no tool", w, domains.AgentSide, "assert_task_status", `{}`, "Error: Tool 'assert_task_status' not found."},
		{"user's function", w, domains.UserSide, "add_notification", `{}`, "Error: Tool 'add_notification' not found."},
		{"nobody's call", w, "system", "get_users", `{}`, "Error: Invalid requestor: system"},
		{"call of no side", w, "", "get_users", `{}`, "Error: Invalid requestor: "},
		{"user without tools", shop, domains.UserSide, "get_user_details", `{}`, "Error: User tools not available"},
		{"agent without tools", &agentless, domains.AgentSide, "get_users", `{}`, "Error: Tools not available"},
		{"alone: agent's tool", solo, domains.AgentSide, "update_task_status", complete, ""},
		{"alone: user's tool", solo, domains.AgentSide, "dismiss_notification", dismiss, "Notification note_1 dismissed"},
		{"alone: unknown tool", solo, domains.AgentSide, "done", `{}`, "Error: Tool 'done' not found."},
		{"alone: the user", solo, domains.UserSide, "dismiss_notification", dismiss, "Error: User tool calls are not allowed in solo mode"},
		{"alone: unknown tool of the user", solo, domains.UserSide, "fly", `{}`, "Error: User tool calls are not allowed in solo mode"},

		{"reserved: requestor", w, domains.AgentSide, "get_users", `{"self": 1, "requestor": 2}`,
			"Error: tau2.environment.environment.Environment.make_tool_call() got multiple values for keyword argument 'requestor'"},
		{"reserved: self", w, domains.AgentSide, "get_users", `{"x": 1, "self": 1, "tool_name": 2}`, "Error: Environment.make_tool_call() got multiple values for argument 'self'"},
		{"reserved: tool_name", w, domains.AgentSide, "get_users", `{"tool_name": 2, "self": 1}`, "Error: Environment.make_tool_call() got multiple values for argument 'tool_name'"},
		{"reserved names come before the route", w, "system", "fly", `{"self": 1}`, "Error: Environment.make_tool_call() got multiple values for argument 'self'"},
		{"the route comes before binding", w, domains.UserSide, "get_users", `{"x": 1}`, "Error: Tool 'get_users' not found."},
		{"binding", w, domains.AgentSide, "update_task_status", `{"task_id": "task_1"}`, "Error: MockTools.update_task_status() missing 1 required positional argument: 'status'"},
		{"binding of the user's", w, domains.UserSide, "dismiss_notification", `{"id": 1}`, "Error: MockUserTools.dismiss_notification() got an unexpected keyword argument 'id'"},
		{"no arguments at all", w, domains.AgentSide, "get_users", `null`, ""},
		{"arguments that are no object", w, domains.AgentSide, "get_users", `[]`, "Error: invalid JSON arguments: want an object, got a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := mustStart(t, tt.world, "null")
			before := hashes(e)
			res := e.Call(tt.side, toolCall(t, tt.tool, tt.args))
			switch {
			case res.Error != strings.HasPrefix(tt.want, "Error: "):
				t.Errorf("error flag %v: %s", res.Error, res.Content)
			case tt.want != "" && res.Content != tt.want:
				t.Errorf(" got %s\nwant %s", res.Content, tt.want)
			case res.Error && hashes(e) != before:
				t.Error("a call that reached no tool changed the world")
			}
		})
	}
}

// TestMalformedCallsReachNoTool holds it for the live call, for a gold action's route and for replay.
func TestMalformedCallsReachNoTool(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	for name, c := range map[string]domains.ToolCall{
		"cut text":       {Malformed: `{"task_id": "task_1", "status`, Reason: "unexpected end"},
		"reason only":    {Reason: "the argument text is empty"},
		"with arguments": {Arguments: toolCall(t, "", complete).Arguments, Malformed: complete + "}", Reason: "text behind the object"},
		"list":           {Arguments: value.OfList(nil)},
		"text":           {Arguments: value.OfString(complete)},
	} {
		t.Run(name, func(t *testing.T) {
			e := mustStart(t, w, "null")
			before := hashes(e)
			c.ID, c.Name, c.Requestor = "1", "update_task_status", domains.AgentSide
			res := e.Call(domains.AgentSide, c)
			if !res.Error || !strings.HasPrefix(res.Content, "Error: invalid JSON arguments: ") || !strings.Contains(res.Content, c.Reason) {
				t.Errorf("result %+v", res)
			}
			msgs := []domains.Message{{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, res)}
			if _, err := e.Replay(msgs, true); err != nil {
				t.Errorf("replay: %v", err)
			}
			if hashes(e) != before {
				t.Error("the world changed")
			}
		})
	}
}

// TestInitializationDataRepoints is the reference's quirk: data for one side puts that side's database under the
// other side's tools as well.
func TestInitializationDataRepoints(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	fresh := hashes(mustStart(t, w, "null"))
	const patch = `{"tasks": {"task_9": {"task_id": "task_9", "title": "New", "status": "pending"}}}`
	const note = `{"notifications": {"note_9": {"notification_id": "note_9", "message": "New"}}}`
	const noTasks, noNotes = "Error: 'MockUserDB' object has no attribute 'users'", "Error: 'MockDB' object has no attribute 'notifications'"
	for _, tt := range []struct {
		name, data  string
		agent, user string // results of get_users and check_notifications, "" for any that did not fail
		one         bool   // both sides have one hash
	}{
		{"nothing", `{}`, "", "", false},
		{"null", `{"agent_data": null, "user_data": null}`, "", "", false},
		{"agent's data", `{"agent_data": ` + patch + `}`, "", noNotes, true},
		{"agent's data that changes nothing", `{"agent_data": {}}`, "", noNotes, true},
		{"user's data", `{"user_data": ` + note + `}`, noTasks, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := mustStart(t, w, `{"initialization_data": `+tt.data+`}`)
			for side, check := range map[domains.Side]struct{ tool, want string }{
				domains.AgentSide: {"get_users", tt.agent}, domains.UserSide: {"check_notifications", tt.user},
			} {
				res := e.Call(side, toolCall(t, check.tool, `{}`))
				if res.Error != (check.want != "") || res.Error && res.Content != check.want {
					t.Errorf("%s: got %s, want %q", check.tool, res.Content, check.want)
				}
			}
			h := hashes(e)
			agent, user := e.Databases()
			if (h[0] == h[1]) != tt.one || (agent == user) != tt.one {
				t.Errorf("one database for both: %v, want %v", agent == user, tt.one)
			}
			if !tt.one && h != fresh {
				t.Error("nothing was patched, and the hashes changed")
			}
			if tt.name == "agent's data that changes nothing" && h[0] != fresh[0] {
				t.Error("an empty patch changed the agent's hash")
			}
			if d := e.Diff(mustStart(t, w, "null")); (len(d) == 0) != (h == fresh) {
				t.Errorf("differences to a fresh environment: %+v", d)
			}
		})
	}
	e := mustStart(t, w, `{"initialization_data": {"agent_data": `+patch+`}}`)
	res := e.Call(domains.AgentSide, toolCall(t, "update_task_status", `{"task_id": "task_9", "status": "completed"}`))
	if want := `{"task_id": "task_9", "title": "New", "description": null, "status": "completed"}`; res.Content != want {
		t.Errorf("the patched task: %s, want %s", res.Content, want)
	}
	if after := hashes(e); after[0] != after[1] {
		t.Error("a write after the patch reaches one side only")
	}
}

func TestBrokenInitialization(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	shop := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	for _, tt := range []struct {
		name  string
		world *domains.World
		state string
		want  string
	}{
		{"unknown table", w, `{"initialization_data": {"agent_data": {"pets": {}}}}`,
			"task t of mock cannot start: initialization_data.agent_data: invalid MockDB: pets: want no such key, got {} (dict)"},
		{"bad record", w, `{"initialization_data": {"user_data": {"notifications": {"n": {"message": 5}}}}}`,
			"task t of mock cannot start: initialization_data.user_data: invalid MockUserDB: notifications.n.notification_id"},
		{"data of the user on the agent's database", w, `{"initialization_data": {"agent_data": {}, "user_data": {"notifications": {}}}}`,
			"initialization_data.user_data: invalid MockDB: notifications: want no such key"},
		{"no user database", shop, `{"initialization_data": {"user_data": {}}}`, "task t of retail cannot start: initialization_data.user_data: the domain has no user database"},
		{"bad retail table", shop, `{"initialization_data": {"agent_data": {"pets": {}}}}`, "initialization_data.agent_data: invalid RetailDB"},
		{"unknown function", w, `{"initialization_actions": [{"env_type": "assistant", "func_name": "get_users", "arguments": {}},
			{"env_type": "assistant", "func_name": "fly", "arguments": {}}]}`,
			"task t of mock cannot start: initialization_actions[1] fly: 'MockTools' object has no attribute 'fly'"},
		{"no toolkit", shop, `{"initialization_actions": [{"env_type": "user", "func_name": "fly"}]}`, "'NoneType' object has no attribute 'fly'"},
		{"unknown side", w, `{"initialization_actions": [{"env_type": "agent", "func_name": "get_users"}]}`,
			`initialization_actions[0] get_users: env_type must be "assistant" or "user", not "agent"`},
		{"bad arguments", w, `{"initialization_actions": [{"env_type": "user", "func_name": "add_notification", "arguments": {"message": 1}}]}`,
			"MockUserTools.add_notification() missing 1 required positional argument: 'notification_id'"},
		{"failing tool", w, `{"initialization_actions": [{"env_type": "assistant", "func_name": "update_task_status", "arguments": {"task_id": "x", "status": 1}}]}`,
			"initialization_actions[0] update_task_status: Task x not found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := start(t, tt.world, tt.state); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf(" got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestInvokeAndCheck(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	e := mustStart(t, w, `{"initialization_actions": [
		{"env_type": "user", "func_name": "add_notification", "arguments": {"notification_id": "note_9", "message": "Hello"}},
		{"env_type": "assistant", "func_name": "create_task", "arguments": {"user_id": "user_1", "title": "Second"}}]}`)
	for _, tt := range []struct {
		name, assertion string
		want            bool
		err             string
	}{
		{"holds", `{"env_type": "assistant", "func_name": "assert_task_status", "arguments": {"task_id": "task_2", "expected_status": "pending"}}`, true, ""},
		{"does not hold", `{"env_type": "assistant", "func_name": "assert_task_status", "arguments": {"task_id": "task_2", "expected_status": "completed"}}`, false, ""},
		{"must not hold", `{"env_type": "user", "func_name": "assert_notification_status", "assert_value": false,
			"arguments": {"notification_id": "note_9", "expected_status": "read"}}`, true, ""},
		{"must not hold and does", `{"env_type": "user", "func_name": "assert_notification_status", "assert_value": false,
			"arguments": {"notification_id": "note_9", "expected_status": "unread"}}`, false, ""},
		{"fails", `{"env_type": "assistant", "func_name": "assert_task_status", "arguments": {"task_id": "task_7", "expected_status": ""}}`, false, "Task task_7 not found"},
		{"no boolean", `{"env_type": "assistant", "func_name": "get_users", "arguments": {}}`, false, "Function get_users returned <class 'str'> instead of bool"},
		{"other side's function", `{"env_type": "user", "func_name": "assert_task_status", "arguments": {}}`, false,
			"'MockUserTools' object has no attribute 'assert_task_status'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks := parseTasks(t, `[{"id": "t", `+brief+`, "evaluation_criteria": {"env_assertions": [`+tt.assertion+`]}}]`)
			got, err := e.Check(tasks[0].Criteria.EnvAssertions[0])
			if got != tt.want || (err != nil) != (tt.err != "") || err != nil && err.Error() != tt.err {
				t.Errorf("got %v, %v; want %v, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

// TestGold holds that a gold action's failure is an error, that what it changed before stays, and that a gold
// environment is never a solo one.
func TestGold(t *testing.T) {
	solo := mockWorld(t, domains.Options{Solo: true})
	e, err := solo.NewGold(&solo.Tasks[0])
	if err != nil {
		t.Fatal(err)
	}
	action := func(side domains.Side, name, args string) domains.Action {
		return domains.Action{Requestor: side, Name: name, Arguments: toolCall(t, name, args).Arguments}
	}
	got, err := e.Gold(action(domains.UserSide, "dismiss_notification", `{"notification_id": "note_1"}`))
	if err != nil || got != "Notification note_1 dismissed" {
		t.Errorf("got %s, %v", got, err)
	}
	before := hashes(e)
	for _, a := range []domains.Action{
		action(domains.AgentSide, "dismiss_notification", `{"notification_id": "note_1"}`),
		action(domains.AgentSide, "update_task_status", `{"task_id": "none", "status": 1}`),
		action("", "get_users", `{}`),
	} {
		if out, err := e.Gold(a); err == nil || strings.HasPrefix(err.Error(), "Error: ") {
			t.Errorf("%s: %q, %v", a.Name, out, err)
		}
	}
	if hashes(e) != before {
		t.Error("failing actions changed the world")
	}
}

// TestSyncFailures builds a world whose sides are linked, and holds that a failing sync is the call's result while
// the tool's change stays; gold actions do not sync.
func TestSyncFailures(t *testing.T) {
	w := *mockWorld(t, domains.Options{})
	failing, syncs := false, 0
	w.SyncFunc = func(agent, user domains.Database) error {
		syncs++
		if failing {
			return domains.Refusal("Line is gone")
		}
		if agent == nil || user == nil {
			t.Error("a sync without databases")
		}
		return nil
	}
	e := mustStart(t, &w, `{"initialization_actions": [{"env_type": "user", "func_name": "check_notifications", "arguments": {}}]}`)
	if syncs != 2 {
		t.Errorf("%d syncs at the start, want one at construction and one after the action", syncs)
	}
	failing = true
	before := hashes(e)
	if res := e.Call(domains.AgentSide, toolCall(t, "update_task_status", complete)); !res.Error || res.Content != "Error: Line is gone" {
		t.Errorf("result %+v", res)
	}
	after := hashes(e)
	if after == before {
		t.Error("the change before the failing sync was taken back")
	}
	syncs = 0
	if out, err := e.Gold(domains.Action{Requestor: domains.AgentSide, Name: "get_users"}); err != nil || out == "" || syncs != 0 {
		t.Errorf("gold: %q, %v, %d syncs", out, err, syncs)
	}
	if _, err := e.Invoke(domains.EnvCall{Side: domains.AgentSide, Func: "get_users"}); err == nil || err.Error() != "Line is gone" {
		t.Errorf("invoke: %v", err)
	}
	if _, err := e.Replay(nil, true); err == nil || err.Error() != "Line is gone" {
		t.Errorf("replay: %v", err)
	}
	if _, err := start(t, &w, "null"); err == nil || err.Error() != "task t of mock cannot start: Line is gone" {
		t.Errorf("start: %v", err)
	}
}

// TestResultsShowTheSync holds that a record in a result is rendered after the sync that follows its tool.
func TestResultsShowTheSync(t *testing.T) {
	w := *mockWorld(t, domains.Options{})
	w.SyncFunc = func(agent, _ domains.Database) error {
		if task := agent.(*mock.DB).Root.Tasks.Get("task_1"); task.Status.Repr() == "'completed'" {
			task.Title = "Synced"
		}
		return nil
	}
	res := mustStart(t, &w, "null").Call(domains.AgentSide, toolCall(t, "update_task_status", complete))
	if !strings.Contains(res.Content, `"title": "Synced"`) {
		t.Errorf("got %s", res.Content)
	}
	got, err := mustStart(t, &w, "null").Gold(domains.Action{Requestor: domains.AgentSide, Name: "update_task_status",
		Arguments: toolCall(t, "", complete).Arguments})
	if err != nil || strings.Contains(got, "Synced") {
		t.Errorf("a gold action: %s, %v", got, err)
	}
}

func TestRetailHasNoSoloMode(t *testing.T) {
	if _, err := retail.Domain().Open(domains.Embedded(), domains.Options{Solo: true}); err == nil || err.Error() != "Retail domain does not support solo mode" {
		t.Errorf("got %v", err)
	}
}

func TestSoloPolicy(t *testing.T) {
	data := mockFolder(t, nil)
	for solo, want := range map[bool]string{false: "Policy", true: "Alone"} {
		w, err := mock.Domain().Open(data, domains.Options{Solo: solo})
		if err != nil || w.Policy != want {
			t.Errorf("solo %v: policy %q, %v", solo, w.Policy, err)
		}
	}
}

// TestUserHash holds that a side without a database has no hash.
func TestUserHash(t *testing.T) {
	e := mustStart(t, domaintest.Embedded(t, retail.Domain(), domains.Options{}), "null")
	if h, ok := e.Hash(domains.UserSide); ok || h != "" {
		t.Errorf("hash %q of a database that is not there", h)
	}
	if h, ok := e.Hash(domains.AgentSide); !ok || len(h) != 64 {
		t.Errorf("agent's hash %q", h)
	}
	if e.World().Name != "retail" {
		t.Errorf("world %s", e.World().Name)
	}
}
