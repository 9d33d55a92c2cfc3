package verify_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// wanting is an open request to put something on the list.
func wanting(id, title string) verify.Request {
	return verify.Request{ID: id, Request: "put it on the list", Intent: "add_task", Node: "intake", Status: verify.Open, Plan: "list it", Selection: verify.Selection{Target: title},
		Grounded: verify.Grounded{{Arg: "title", Value: value.OfString(title)}, {Arg: "user_id", Value: value.OfString("user_1")}}}
}

// TestHybridAsks wants the model to be asked exactly where code cannot decide all.
func TestHybridAsks(t *testing.T) {
	desk := deskWorkflow(t)
	vague := vagueWorkflow(t, desk)
	done := wanting("old", "Feed cat")
	done.Status = verify.Done
	nameless := wanting("b", "Feed cat")
	nameless.Intent = ""
	for _, c := range []struct {
		name     string
		workflow *verify.Workflow
		requests []verify.Request
		msgs     []domains.Message
		refused  []verify.Refusal
		asks     bool
	}{
		{"no request yet", desk, nil, consented()[:2], nil, true},
		{"one that waits for the user's yes", desk, []verify.Request{wanting("a", "Water plants")}, consented()[:5], nil, false},
		{"two that do", desk, []verify.Request{wanting("a", "Water plants"), wanting("b", "Feed cat")}, consented()[:5], nil, false},
		{"one that does beside one that is settled", desk, []verify.Request{done, wanting("a", "Water plants")}, consented()[:5], nil, false},
		{"only settled ones", desk, []verify.Request{done}, consented()[:5], nil, true},
		{"one whose kind is not known", desk, []verify.Request{wanting("a", "Water plants"), nameless}, consented()[:5], nil, true},
		{"one whose call is due", desk, []verify.Request{wanting("a", "Water plants")}, consented(), nil, true},
		{"a call that was refused", desk, []verify.Request{wanting("a", "Water plants")}, consented()[:5], []verify.Refusal{{Call: call("create_task", `{"title":"x"}`), Held: true}}, true},
		{"a node that only a reader can judge", vague, []verify.Request{wanting("a", "Water plants")}, consented()[:5], nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			text := fenced(`{"reconcile":{"intents":[]},"traverse":[]}`)
			v := &verify.Hybrid{LLM: verify.LLM{Workflow: c.workflow, Model: &sim.Model{Client: llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
				asked++
				return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &text}}, nil
			})}}}
			in := input(verify.State{Requests: c.requests, Summary: "so far"}, c.msgs...)
			in.Refused = c.refused
			a, err := v.Verify(context.Background(), in)
			if err != nil || (asked == 1) != c.asks || asked > 1 {
				t.Fatalf("asked %d times, error %v", asked, err)
			}
			if c.asks {
				return
			}
			open := 0
			for _, q := range c.requests {
				if q.Status != verify.Open {
					continue
				}
				got := a.Record.Traverse[open]
				node := map[string]string{"Water plants": "add.agree.confirm", "Feed cat": "add.agree.summarize"}[q.Selection.Target]
				if got.ID != q.ID || got.Node != node || got.Status != verify.Open || got.Plan != q.Plan || got.Authorize != nil || !strings.Contains(got.Remediation, "yes") ||
					a.Record.Reconcile.Intents[open] != (verify.Intent{ID: q.ID, Request: q.Request, Intent: q.Intent}) {
					t.Errorf("code's record of %s: %+v", q.ID, got)
				}
				open++
			}
			if len(a.Record.Traverse) != open || a.Record.Summary != "so far" || a.Raw != "" {
				t.Errorf("code's record: %+v", a)
			}
		})
	}
}

// vagueWorkflow is one whose only step no code can judge.
func vagueWorkflow(t *testing.T, desk *verify.Workflow) *verify.Workflow {
	t.Helper()
	next := func(to string) []guide.Edge { return []guide.Edge{{To: to, When: guide.Satisfied}} }
	w, err := verify.NewWorkflow(desk.World, guide.NewGraph("mock", "start", nil, []*guide.Node{
		{ID: "start", Type: guide.Entry, Edges: next("kind")},
		{ID: "kind", Type: guide.AgentAction, Edges: next("heard")},
		{ID: "heard", Type: guide.AgentAction, Check: "size(said_by_user) > 9", Edges: next("end")},
		{ID: "end", Type: guide.Exit},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestOpenRequestsStay keeps a request that nobody proposes any more as long as it is not idle, and settles the second of two
// equal changes by a call of its own.
func TestOpenRequestsStay(t *testing.T) {
	plants := call("create_task", `{"user_id":"user_1","title":"Water plants"}`)
	ok := domains.ResultMessage(plants, domains.ToolResult{Content: `{"task_id":"task_9"}`})
	const first, second = "create_task:Water plants", "create_task:Water plants#2"
	once := append(consented(), agentSays("", plants), ok, userSays("What about the second one?"))
	twice := append(append([]domains.Message{}, once...), agentSays("I will add Water plants. Do you agree?"), userSays("Yes, please."), agentSays("", plants), ok, userSays("Thanks."))
	on := func(id string, same int, status verify.Status) []verify.Request {
		q := wanting(id, "Water plants")
		q.Same, q.Status = same, status
		return []verify.Request{q}
	}
	for _, c := range []struct {
		name     string
		requests []verify.Request
		wishes   []domains.ToolCall
		msgs     []domains.Message
		want     string // the requests of the record, with their nodes
	}{
		{"nobody proposes it any more", on(first, 1, verify.Open), nil, consented()[:5], first + " at add.agree.confirm"},
		{"idle for too long", on(first, 3, verify.Open), nil, consented()[:5], "start at classify"},
		{"idle for long, not for too long", on(first, 2, verify.Open), nil, consented()[:5], first + " at add.agree.confirm"},
		{"settled", on(first, 1, verify.Done), nil, consented()[:5], "start at classify"},
		{"not one of a call", on("mine", 1, verify.Open), nil, consented()[:5], "start at classify"},
		{"wished for", nil, []domains.ToolCall{plants}, consented()[:5], first + " at add.agree.confirm"},
		{"wished for, but idle for too long", on(first, 3, verify.Open), []domains.ToolCall{plants}, consented()[:5], "start at classify"},
		{"wished for, idle for long", on(first, 2, verify.Open), []domains.ToolCall{plants}, consented()[:5], first + " at add.agree.confirm"},
		{"wished for and made", nil, []domains.ToolCall{plants}, once, first + " at exit_done, start at classify"},
		{"wished for twice, made once", nil, []domains.ToolCall{plants, plants}, once, first + " at exit_done, " + second + " at add.authorize_create"},
		{"the second is open after the first call", on(second, 1, verify.Open), nil, once[:9], second + " at add.authorize_create, " + first + " at exit_done"},
		{"another change of that kind was made", []verify.Request{wanting("create_task:Feed cat", "Feed cat")}, nil, once, "create_task:Feed cat at add.agree.summarize, " + first + " at exit_done"},
		{"the second is settled by the second call", on(second, 1, verify.Open), nil, twice, second + " at exit_done, start at classify"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := &verify.Deterministic{Workflow: deskWorkflow(t), Wishes: c.wishes}
			a, err := v.Verify(context.Background(), input(verify.State{Requests: c.requests}, c.msgs...))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, x := range a.Record.Traverse {
				got = append(got, x.ID+" at "+x.Node)
				says := map[string]string{"start": "what the user calls about", first: "create_task for Water plants", second: "create_task for Water plants"}[x.ID]
				if e := a.Record.Reconcile.Intents[i]; e.ID != x.ID || says != "" && e.Request != says {
					t.Errorf("the roster has %+v for %s", e, x.ID)
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s, want %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}

// TestHybridCorrects puts code's verdicts in place of a model's: a request rests where code finds a node unmet, and goes on from
// one that code finds met, as far as code can follow.
func TestHybridCorrects(t *testing.T) {
	workflow := deskWorkflow(t)
	all := []string{"intake", "identify.ask_id", "identify.look_up", "classify", "add.get_title", "add.agree.summarize", "add.agree.confirm"}
	const title = `,"selection":{"target":"Water plants"},"grounded_values":{"title":{"value":"Water plants"},"user_id":{"value":"user_1"}}`
	walk := func(met int, unmet string, rest string) string {
		var visits []string
		for _, n := range all[:met] {
			visits = append(visits, `{"node":"`+n+`","satisfied":true}`)
		}
		if unmet != "" {
			visits = append(visits, `{"node":"`+unmet+`","satisfied":false}`)
		}
		return `{"reconcile":{"intents":[{"id":"a","intent":"add_task"}]},"traverse":[{"id":"a","walk":[` + strings.Join(visits, ",") + `],"node":"` + rest + `","status":"open","remediation":"the model's"` + title + `}]}`
	}
	for _, c := range []struct {
		name, said  string
		msgs        []domains.Message
		node, tool  string
		remediation string
		walk        int // length
	}{
		{"unmet by code", walk(7, "add.authorize_create", "add.authorize_create"), consented()[:5], "add.agree.confirm", "", "explicit yes", 7},
		{"unmet by both", walk(6, "add.agree.confirm", "add.agree.confirm"), consented()[:5], "add.agree.confirm", "", "the model's", 7},
		{"met by code, and on to where it is not", walk(1, "identify.ask_id", "identify.ask_id"), consented()[:5], "add.agree.confirm", "", "explicit yes", 7},
		{"met by code, and on to the authorization", walk(6, "add.agree.confirm", "add.agree.confirm"), consented(), "add.authorize_create", "create_task", "Call create_task for Water plants", 8},
		{"the node that is met is not in the walk", walk(0, "", "identify.ask_id"), consented()[:5], "add.agree.confirm", "", "explicit yes", 5},
		{"at an exit", walk(7, "", "exit_done"), consented(), "exit_done", "", "the model's", 7},
		{"nothing of it known to code", walk(0, "", "nowhere"), consented(), "nowhere", "", "the model's", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fenced(c.said)
			v := &verify.Hybrid{LLM: verify.LLM{Workflow: workflow, Model: &sim.Model{Client: llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
				return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: &text}}, nil
			})}}}
			a, err := v.Verify(context.Background(), input(verify.State{}, c.msgs...))
			if err != nil {
				t.Fatal(err)
			}
			got := a.Record.Traverse[0]
			tool := ""
			if got.Authorize != nil {
				tool = *got.Authorize
			}
			if got.Node != c.node || tool != c.tool || !strings.Contains(got.Remediation, c.remediation) || len(got.Walk) != c.walk || got.Status != verify.Open {
				t.Errorf("%+v", got)
			}
			for _, x := range got.Walk[:max(0, len(got.Walk)-1)] {
				if !x.Satisfied {
					t.Errorf("the walk goes on past %s, which is unmet", x.Node)
				}
			}
		})
	}
}

// TestHybridCall lets code refuse a call, and leaves all else to the model's authorizations.
func TestHybridCall(t *testing.T) {
	v := &verify.Hybrid{LLM: verify.LLM{Workflow: deskWorkflow(t)}}
	plants := call("create_task", `{"user_id":"user_1","title":"Water plants"}`)
	for _, c := range []struct {
		name  string
		msgs  []domains.Message
		call  domains.ToolCall
		known bool
		why   string
	}{
		{"code finds a node before it unmet", consented()[:5], plants, true, "code finds add.agree.confirm unmet"},
		{"code finds nothing against it", consented(), plants, false, ""},
		{"for somebody else", consented(), call("create_task", `{"user_id":"user_2","title":"Water plants"}`), true, "code finds add.authorize_create unmet"},
		{"a transfer", consented()[:1], call(verify.TransferTool, `{"summary":"s"}`), false, ""},
		{"a tool without a procedure", consented(), call("delete_task", `{"task_id":"task_1"}`), false, ""},
	} {
		if ok, known, why := v.Call(input(verify.State{}, c.msgs...), c.call); ok || known != c.known || why != c.why {
			t.Errorf("%s: ok %v, known %v, %q", c.name, ok, known, why)
		}
	}
	vague := &verify.Hybrid{LLM: verify.LLM{Workflow: vagueWorkflow(t, deskWorkflow(t))}}
	if _, known, _ := vague.Call(input(verify.State{}, consented()...), plants); known {
		t.Error("code knows of a call that no node authorizes")
	}
}

// TestSettledByTheCall settles a request whose call itself made untrue what had to hold before it; a call that was not due
// settles nothing.
func TestSettledByTheCall(t *testing.T) {
	next := func(to string) []guide.Edge { return []guide.Edge{{To: to, When: guide.Satisfied}} }
	nodes := []*guide.Node{
		{ID: "start", Type: guide.Entry, Edges: next("classify")},
		{ID: "classify", Type: guide.Decision, Edges: []guide.Edge{{To: "fresh", When: "add_task"}, {To: "end", When: "general"}}},
		{ID: "fresh", Type: guide.AgentAction, Check: "size(said_by_user) > 1 && !calls.exists(c, c.name == 'create_task')", Edges: next("allow")},
		{ID: "allow", Type: guide.Authorization, Tools: []string{"create_task"}, Edges: next("seen")},
		{ID: "seen", Type: guide.AgentAction, Edges: next("end")},
		{ID: "end", Type: guide.Exit},
	}
	for _, n := range nodes {
		n.File = "main.yaml"
	}
	w, err := verify.NewWorkflow(deskWorkflow(t).World, guide.NewGraph("mock", "start", []guide.Intent{{Label: "add_task"}, {Label: "general"}}, nodes))
	if err != nil {
		t.Fatal(err)
	}
	plants := call("create_task", `{"user_id":"user_1","title":"#7"}`)
	made := []domains.Message{agentSays("", plants), domains.ResultMessage(plants, domains.ToolResult{Content: `{"task_id":"t"}`}), userSays("Thanks")}
	due := []domains.Message{agentSays("Hi"), userSays("Add it."), agentSays("Sure?"), userSays("Yes")}
	due = due[:len(due):len(due)]
	for _, c := range []struct {
		name   string
		record []verify.Request
		msgs   []domains.Message
		want   string
	}{
		{"it was due", nil, append(due, made...), "create_task:#7 done at end"},
		{"it was due, long ago", []verify.Request{wanting("create_task:#7", "#7")}, append(append(due, made...), agentSays("Else?"), userSays("No"), agentSays("Bye"), userSays("Bye")), "create_task:#7 done at end"},
		{"it was not", nil, append([]domains.Message{agentSays("Hi"), userSays("Add it.")}, made...), ""},
	} {
		a, err := (&verify.Deterministic{Workflow: w}).Verify(context.Background(), input(verify.State{Requests: c.record}, c.msgs...))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i, x := range a.Record.Traverse {
			if strings.HasPrefix(x.ID, "create_task") {
				if says := a.Record.Reconcile.Intents[i].Request; says != "create_task for #7" {
					t.Errorf("%s: the request is called %q", c.name, says)
				}
				got += x.ID + " " + string(x.Status) + " at " + x.Node
				for _, visit := range x.Walk {
					if !visit.Satisfied {
						t.Errorf("%s: %s is not satisfied", c.name, visit.Node)
					}
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q: %+v", c.name, got, c.want, a.Record)
		}
	}
}
