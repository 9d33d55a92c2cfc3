package guide_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// oneNode is a graph whose single evaluated node has the check.
func oneNode(check string, typ guide.Type) *guide.Graph {
	n := &guide.Node{ID: "n", Local: "n", File: "main.yaml", Line: 3, Type: typ, Check: check, Edges: []guide.Edge{{To: "end", When: guide.Satisfied}}}
	if typ == guide.Authorization {
		n.Tools = []string{"create_task"}
	}
	return guide.NewGraph("mock", "start", nil, []*guide.Node{
		{ID: "start", Type: guide.Entry, Edges: []guide.Edge{{To: "n", When: guide.Satisfied}}}, n, {ID: "end", Type: guide.Exit},
	})
}

func vocabulary() guide.Vocabulary {
	return guide.Vocabulary{
		Facts: func(t *guide.Trace) map[string]any {
			return map[string]any{"calls": len(t.Calls), "tasks": map[string]any{}}
		},
		Helpers: guide.TraceFunction("calls_of", []*cel.Type{cel.StringType}, cel.IntType, func(t *guide.Trace, args []ref.Val) ref.Val {
			return types.Int(len(t.CallsOf(string(args[0].(types.String)))))
		}),
		Targets: map[string]string{"create_task": "title"},
		Now:     time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC),
	}
}

// holds evaluates a check over a conversation.
func holds(t *testing.T, check string, k *talk, r guide.Request) (bool, string) {
	t.Helper()
	c, err := guide.NewChecker(oneNode(check, guide.AgentAction), guide.InventoryOf(mockWorld(t)), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	p := c.Walk(guide.NewTrace(k.msgs...), r)
	if p.Done {
		return true, ""
	}
	return false, p.Unmet().Note
}

func TestChecks(t *testing.T) {
	k := newTalk(t).user("I am user_1. Add 'Buy bread'").call("get_users", `{}`).
		call("create_task", `{"user_id": "user_9", "title": "Buy bread"}`). // fails
		agent("I will add Buy bread for user_1. Is that right?").user("Yes, go ahead").
		call("create_task", `{"user_id": "user_1", "title": "Buy bread"}`).
		agent("Done.").user("thanks, bye")
	r := guide.Request{ID: "r", Intent: "add", Target: "Buy bread", Selection: []string{"task_7"},
		Grounded: value.MapOf(value.Pair{Key: "n", Value: value.OfInt(2)}, value.Pair{Key: "share", Value: value.OfFloat(2)})}
	for _, tt := range []struct {
		check string
		want  bool
	}{
		{`read_ok("get_users")`, true},
		{`has_call("create_task")`, true},
		{`has_call("create_task", {"user_id": "user_9"})`, true},
		{`call_ok("create_task", {"user_id": "user_9"})`, false},
		{`call_ok("create_task", {"title": request.target})`, true},
		{`call_ok("create_task", request.target)`, true},
		{`call_ok("create_task", "user_9")`, false},
		{`result("create_task", "Buy bread").title == "Buy bread"`, true},
		{`result("create_task", "user_9") != "x"`, false},
		{`!has(result("update_task_status").title)`, false},
		{`call_ok(["get_users", "create_task"], {"title": "Buy bread"})`, true},
		{`count_ok("create_task") == 1 && count_ok(["create_task", "get_users"]) == 2`, true},
		{`count_ok("update_task_status") == 0`, true},
		{`index_ok("create_task") == 8 && index_ok("update_task_status") == -1`, true},
		{`last_result("create_task").title == "Buy bread"`, true},
		{`last_result("get_users")[0].user_id == "user_1"`, true},
		{`last_result("update_task_status") == null`, true},
		{`last_result("update_task_status").title == "x"`, false},
		{`user_said("(?i)buy bread") && agent_said("will add")`, true},
		{`user_said("I will add")`, false},
		{`index_user_said("user_1") == 1 && index_agent_said("Done") == 10 && index_user_said("never") == -1`, true},
		{`index_user_said("go ahead") > index_agent_said("will add")`, true},
		{`user_mentioned(["USER_1", request.target])`, true},
		{`user_mentioned([])`, false},
		{`user_mentioned([""])`, false},
		{`agent_mentioned(["bread", "milk"])`, false},
		{`index_agent_mentioned([request.target]) == 6`, true},
		{`consent_after_summary(["Buy bread", "user_1"])`, true},
		{`consent_after_summary(["milk"])`, false},
		{`index_consent(["bread"]) == 7`, true},
		{`calls.size() == 3 && calls.filter(c, c.ok).size() == 2 && calls[1].args.user_id == "user_9"`, true},
		{`calls[1].result == "Error: User user_9 not found"`, true},
		{`said_by_user.exists(s, s.text.contains("thanks") && s.turn == 3) && said_by_agent[0].index == 0`, true},
		{`calls.all(c, c.turn >= 1)`, true},
		{`facts.calls == 3`, true},
		{`facts.tasks.missing == 3`, false},
		{`!has(facts.tasks.missing)`, true},
		{`request.intent == "add" && request.id == "r" && request.selection == ["task_7"]`, true},
		{`request.grounded_values["n"] == 2.0 && request.grounded_values["n"] == request.grounded_values["share"]`, true},
		{`request.grounded_values.title == "x"`, false},
		{`date("2024-05-16") > now && date("2024-05-15 14:59:00") < now && date("2024-05-15T15:00:00") == now`, true},
		{`date("tomorrow") > now`, false},
		{`calls_of("create_task") == 2`, true},
	} {
		t.Run(tt.check, func(t *testing.T) {
			if got, note := holds(t, tt.check, k, r); got != tt.want {
				t.Errorf("holds: %v (%s), want %v", got, note, tt.want)
			}
		})
	}
}

// What an expression stumbles over is noted, so that an audit can tell a broken check from an unmet one.
func TestFailingCheckIsNoted(t *testing.T) {
	if got, note := holds(t, `facts.tasks.missing == 3`, newTalk(t), guide.Request{}); got || !strings.Contains(note, "no such key") {
		t.Errorf("holds %v, note %q", got, note)
	}
}

// An expression whose cost explodes is cut off by its cost, not by the clock, so the outcome is the same everywhere.
func TestCostLimit(t *testing.T) {
	k := newTalk(t)
	for range 300 {
		k.user("x")
	}
	check := `said_by_user.all(a, said_by_user.all(b, said_by_user.all(c, a.text == b.text && b.text == c.text)))`
	got, note := holds(t, check, k, guide.Request{})
	if got || !strings.Contains(note, "cost limit") {
		t.Errorf("holds %v, note %q; want a cost limit", got, note)
	}
}

func TestCompileErrors(t *testing.T) {
	for _, tt := range []struct {
		name, check string
		typ         guide.Type
		code, text  string
	}{
		{"syntax", "calls.exists(", guide.AgentAction, "check-compile", "Syntax error"},
		{"unknown name", "called == 1", guide.AgentAction, "check-compile", "undeclared reference to 'called'"},
		{"unknown tool", `read_ok("get_user")`, guide.AgentAction, "check-compile", `the agent has no tool "get_user"; did you mean "get_users"?`},
		{"unknown tool in a list", "true &&\n  read_ok([\"get_users\", \"x\"])", guide.AgentAction, "check-compile", `2:25`},
		{"tool not in quotes", `read_ok(get_users)`, guide.AgentAction, "check-compile", "name of a tool in quotes"},
		{"mutating read", `read_ok("create_task")`, guide.AgentAction, "check-compile", "ask for it with call_ok"},
		{"bad pattern", `user_said("(")`, guide.AgentAction, "check-compile", "no RE2"},
		{"computed pattern", `user_said(request.target)`, guide.AgentAction, "check-compile", "_mentioned"},
		{"misspelt member", `request.targt == "x"`, guide.AgentAction, "check-compile", `request has no member targt; did you mean "target"?`},
		{"misspelt member with has", `has(request.targt)`, guide.AgentAction, "check-compile", `did you mean "target"?`},
		{"misspelt fact", `facts.call == 3`, guide.AgentAction, "check-compile", `facts has no member call; did you mean "calls"?`},
		{"misspelt argument", `call.args.titel == "x"`, guide.Authorization, "check-compile", `call.args has no member titel; did you mean "title"?`},
		{"argument of another tool", `call.args.task_id == "x"`, guide.Authorization, "check-compile", `call.args has no member task_id`},
		{"argument of no tool", `has(request.grounded_values.colour)`, guide.AgentAction, "check-compile", `request.grounded_values has no member colour`},
		{"argument of another type", `call.args.title == 3`, guide.Authorization, "check-compile", "(string, int)"},
		{"call elsewhere", `call.name == "x"`, guide.AgentAction, "check-compile", "elsewhere request.grounded_values has its arguments"},
		{"user calls", `user_calls.size() == 0`, guide.AgentAction, "check-compile", "undeclared reference to 'user_calls'"},
		{"the hidden variable", `size(@trace) == 0`, guide.AgentAction, "check-compile", "Syntax error"},
		{"no condition", `count_ok("get_users")`, guide.AgentAction, "check-type", "type int"},
		{"dynamic", `facts.calls`, guide.AgentAction, "check-type", "type dyn"},
		{"member of call", `call.arguments.x == 1`, guide.Authorization, "check-compile", `call has no member arguments; use one of args, name`},
		{"too long", `"` + strings.Repeat("x", 5000) + `" == ""`, guide.AgentAction, "check-compile", "size"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := guide.NewChecker(oneNode(tt.check, tt.typ), guide.InventoryOf(mockWorld(t)), vocabulary())
			var found guide.Findings
			if !errors.As(err, &found) {
				t.Fatalf("error %v, want findings", err)
			}
			f := found[0]
			if f.Code != tt.code || !strings.Contains(f.Text, tt.text) || f.File != "main.yaml" || f.Line != 3 || f.Node != "n" {
				t.Errorf("got %v, want code %s and text %q", f, tt.code, tt.text)
			}
		})
	}
}

func TestConsent(t *testing.T) {
	for _, tt := range []struct {
		name string
		talk func(k *talk) *talk
		want bool
	}{
		{"yes", func(k *talk) *talk { return k.agent("Add bread?").user("Yes.") }, true},
		{"please do", func(k *talk) *talk { return k.agent("Add bread?").user("please do") }, true},
		{"no", func(k *talk) *talk { return k.agent("Add bread?").user("No, that is not correct") }, false},
		{"yes but not", func(k *talk) *talk { return k.agent("Add bread?").user("Yes it is bread, but don't do it") }, false},
		{"something else", func(k *talk) *talk { return k.agent("Add bread?").user("What does it cost?") }, false},
		{"before the summary", func(k *talk) *talk { return k.user("yes").agent("Add bread?") }, false},
		{"not the first answer", func(k *talk) *talk { return k.agent("Add bread?").user("Hm.").user("Yes") }, false},
		{"to another text", func(k *talk) *talk { return k.agent("Add bread?").user("Hm.").agent("Still there?").user("Yes") }, false},
		{"taken back", func(k *talk) *talk { return k.agent("Add bread?").user("Yes").agent("So, bread?").user("No") }, false},
		{"given again", func(k *talk) *talk { return k.agent("Add bread?").user("No").agent("So, bread?").user("ok yes") }, true},
		{"a call between", func(k *talk) *talk { return k.agent("Add bread?").call("get_users", `{}`).user("Yes") }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := holds(t, `consent_after_summary(["bread"])`, tt.talk(newTalk(t)), guide.Request{}); got != tt.want {
				t.Errorf("consent %v, want %v", got, tt.want)
			}
		})
	}
}

// An act tag decides in place of the words.
func TestConsentByTag(t *testing.T) {
	for act, want := range map[string]bool{`"consent"`: true, `"refuse"`: false, `"inform"`: false} {
		k := newTalk(t).agent("Add bread?").user("yes or no, who knows")
		k.msgs[len(k.msgs)-1].Provider = map[string]json.RawMessage{guide.ActField: []byte(act)}
		if got, _ := holds(t, `consent_after_summary(["bread"])`, k, guide.Request{}); got != want {
			t.Errorf("act %s: consent %v, want %v", act, got, want)
		}
	}
}
