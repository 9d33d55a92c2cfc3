package guide_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide"
)

const create = `{"user_id": "user_1", "title": "Buy bread"}`

func TestAuthorize(t *testing.T) {
	completed := `{"task_id": "task_1", "status": "completed"}`
	asked := func(k *talk) *talk { return k.user("user_1 here, please add a task: Buy bread") }
	for _, tt := range []struct {
		name  string
		talk  func(k *talk) *talk
		tool  string
		args  string
		rests string // node where the walk rests
		due   bool
	}{
		{"nothing said", func(k *talk) *talk { return k }, "create_task", create, "intake", false},
		{"no id", func(k *talk) *talk { return k.user("add a task") }, "create_task", create, "identify.ask_id", false},
		{"not looked up", asked, "create_task", create, "identify.look_up", false},
		{"no summary", func(k *talk) *talk { return asked(k).call("get_users", `{}`) }, "create_task", create, "add.agree.summarize", false},
		{"no consent", func(k *talk) *talk {
			return asked(k).call("get_users", `{}`).agent("I will add Buy bread. Yes?")
		}, "create_task", create, "add.agree.confirm", false},
		{"refused", func(k *talk) *talk {
			return asked(k).call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("No, wait, not yet")
		}, "create_task", create, "add.agree.confirm", false},
		{"agreed", func(k *talk) *talk {
			return asked(k).call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("Yes please")
		}, "create_task", create, "add.authorize_create", true},
		{"agreed to something else", func(k *talk) *talk {
			return asked(k).call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("Yes please")
		}, "create_task", `{"user_id": "user_1", "title": "Sell bread"}`, "add.agree.summarize", false},
		{"for another member", func(k *talk) *talk {
			return asked(k).call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("Yes please")
		}, "create_task", `{"user_id": "user_2", "title": "Buy bread"}`, "add.authorize_create", false},
		{"already done", func(k *talk) *talk {
			return asked(k).call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("Yes please").call("create_task", create)
		}, "create_task", create, "exit_done", false},
		{"branch by check, unmet", func(k *talk) *talk {
			return k.user("user_1: please tick off task_1").call("get_users", `{}`)
		}, "update_task_status", completed, "status.says_done", false},
		{"branch by check, met", func(k *talk) *talk {
			return k.user("user_1: I have done task_1").call("get_users", `{}`).agent("Set task_1 to completed?").user("yes")
		}, "update_task_status", completed, "status.authorize_update", true},
		{"no branch", func(k *talk) *talk {
			return k.user("user_1: I have done task_1").call("get_users", `{}`).agent("Set task_1 to lost?").user("yes")
		}, "update_task_status", `{"task_id": "task_1", "status": "lost"}`, "status.which_status", false},
		{"somebody else's task", func(k *talk) *talk {
			return k.user("user_1: I have done task_9").call("get_users", `{}`)
		}, "update_task_status", `{"task_id": "task_9", "status": "completed"}`, "status.own_task", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := mockChecker(t)
			trace := guide.NewTrace(tt.talk(newTalk(t)).msgs...)
			p, ok := c.Authorize(trace, toolCall(t, tt.tool, tt.args), 0)
			if !ok {
				t.Fatal("no node authorizes the tool")
			}
			if due := p.Authorizes == tt.tool; due != tt.due || p.Node != tt.rests {
				t.Errorf("rests at %s, due %v; want %s, %v\n%+v", p.Node, due, tt.rests, tt.due, p.Walk)
			}
			unmet := p.Unmet()
			if p.Walk[len(p.Walk)-1].Node != p.Node || unmet == nil || !p.Done && unmet.Node != p.Node {
				t.Fatalf("position does not agree with its walk: %+v", p)
			}
			if p.Done && (unmet.Node != "add.authorize_create" || unmet.Note != "the request counts as done already: create_task has succeeded for it") {
				t.Errorf("of a call that was made it says %+v", *unmet)
			}
		})
	}
}

// TestAuthorizeSaysWhatIsMissing has two kinds of request that lead to the tool, of which one comes to an exit without
// it, on a longer way than the other.
func TestAuthorizeSaysWhatIsMissing(t *testing.T) {
	edge := func(to, when string) guide.Edge { return guide.Edge{To: to, When: when} }
	by := func(e guide.Edge, check string) guide.Edge { e.Check = check; return e }
	next := func(to string) []guide.Edge { return []guide.Edge{edge(to, guide.Satisfied)} }
	graph := func(open string) *guide.Graph {
		return guide.NewGraph("mock", "start", nil, []*guide.Node{
			{ID: "start", Type: guide.Entry, Edges: next("classify")},
			{ID: "classify", File: "main.yaml", Type: guide.Decision, Edges: []guide.Edge{edge("mend", "mend"), edge("add", "add")}},
			{ID: "mend", Type: guide.AgentAction, Edges: next("works")},
			{ID: "works", Type: guide.Decision, Edges: []guide.Edge{by(edge("again", "works"), `size(said_by_user) > 0`), edge("allowed", "broken")}},
			{ID: "again", Type: guide.AgentAction, Edges: next("bye")},
			{ID: "bye", Type: guide.AgentAction, Edges: next("end")},
			{ID: "add", Type: guide.UserInput, Check: open, Edges: next("free")},
			{ID: "free", Type: guide.Decision, Edges: []guide.Edge{by(edge("end", "no"), `size(said_by_user) > 0`), edge("allowed", "yes")}},
			{ID: "allowed", Type: guide.Authorization, Tools: []string{"create_task"}, Edges: next("seen")},
			{ID: "seen", Type: guide.AgentAction, Edges: next("end")},
			{ID: "end", Type: guide.Exit},
		})
	}
	for _, tt := range []struct {
		name, check string
		rests       string
		done        bool
		missed      guide.Step
	}{
		{"the other kind rests", `size(said_by_user) > 5`, "add", false, guide.Step{Node: "add", Decided: true}},
		{"no kind rests", `true`, "end", true, guide.Step{Node: "works", Decided: true, Branch: "works",
			Note: `the branch "works" does not lead to create_task; the procedure ends at end without it`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := guide.NewChecker(graph(tt.check), guide.InventoryOf(mockWorld(t)), vocabulary())
			if err != nil {
				t.Fatal(err)
			}
			trace := guide.NewTrace(newTalk(t).user("It works again, but add a task.").msgs...)
			p, ok := c.Authorize(trace, toolCall(t, "create_task", create), 0)
			if !ok || p.Authorizes != "" || p.Node != tt.rests || p.Done != tt.done || p.Unmet() == nil {
				t.Fatalf("position %+v, %v", p, ok)
			}
			if diff := cmp.Diff(tt.missed, *p.Unmet()); diff != "" {
				t.Errorf("unmet (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAuthorizeUnknownTool(t *testing.T) {
	if p, ok := mockChecker(t).Authorize(guide.NewTrace(), toolCall(t, "delete_task", `{}`), 0); ok {
		t.Errorf("a tool without an authorization node is at %+v", p)
	}
}

func TestWalkWithoutProposal(t *testing.T) {
	c := mockChecker(t)
	k := newTalk(t).user("user_1 here, add a task: Buy bread").call("get_users", `{}`)
	p := c.Walk(guide.NewTrace(k.msgs...), guide.Request{ID: "r1"})
	if p.Node != "classify" || p.Authorizes != "" {
		t.Errorf("without an intent the walk rests at %s", p.Node)
	}
	p = c.Walk(guide.NewTrace(k.msgs...), guide.Request{ID: "r1", Intent: "general"})
	if p.Node != "decline" {
		t.Errorf("general rests at %s", p.Node)
	}
	p = c.Walk(guide.NewTrace(k.agent("I can only add tasks or change them.").msgs...), guide.Request{ID: "r1", Intent: "general"})
	if !p.Done || p.Node != "exit_general" {
		t.Errorf("general ends at %s", p.Node)
	}
	p = c.Walk(guide.NewTrace(k.msgs...), guide.Request{ID: "r1", Intent: "paint"})
	if p.Node != "classify" || p.Unmet().Note == "" {
		t.Errorf("an unknown intent rests at %s with note %q", p.Node, p.Unmet().Note)
	}
}

// A second write of the same kind is a request of its own: what was done for the first does not count for it.
func TestSinceSeparatesRequests(t *testing.T) {
	c := mockChecker(t)
	k := newTalk(t).user("user_1: I did task_1").call("get_users", `{}`).agent("Set task_1 to completed?").user("yes").
		call("update_task_status", `{"task_id": "task_1", "status": "completed"}`)
	again := toolCall(t, "update_task_status", `{"task_id": "task_1", "status": "completed"}`)
	trace := guide.NewTrace(k.msgs...)
	if p, _ := c.Authorize(trace, again, 0); !p.Done {
		t.Errorf("the request is not done: rests at %s", p.Node)
	}
	if p, _ := c.Authorize(trace, again, trace.Len()); p.Node != "status.authorize_update" {
		t.Errorf("a new request rests at %s", p.Node)
	}
}

func TestWalkIsPure(t *testing.T) {
	c := mockChecker(t)
	k := newTalk(t).user("user_1 here, add Buy bread").call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("Yes")
	whole := guide.NewTrace(k.msgs...)
	grown := guide.NewTrace()
	for _, m := range k.msgs {
		grown.Add(m)
		c.Walk(grown, guide.Request{Intent: "add_task"}) // looking must not change what is seen later
	}
	call := toolCall(t, "create_task", create)
	want, _ := c.Authorize(whole, call, 0)
	for name, tr := range map[string]*guide.Trace{"again": whole, "grown": grown} {
		if got, _ := c.Authorize(tr, call, 0); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", name, cmp.Diff(want, got))
		}
	}
}
