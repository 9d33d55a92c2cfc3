package sim_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// The tests Edge1 to Edge10 are named by the list of must-match behaviours (docs/reference/tau2.md#edge-behaviours).

func steps(n int) func(*sim.Trial)  { return func(t *sim.Trial) { t.Limits.MaxSteps = n } }
func faults(n int) func(*sim.Trial) { return func(t *sim.Trial) { t.Limits.MaxErrors = n } }

var unknownTool = call("x", "no_such_tool", `{}`)

func TestEdge1StopOnTheVeryStepOfTheCap(t *testing.T) {
	w := mockWorld(t)
	task := criteria(t, `"actions":[]`)
	agentStops := says("done")
	agentStops.Stop = true
	for _, c := range []struct {
		name        string
		agent, user []sim.Turn
		max         int
		want        sim.Reason
		reward      float64
	}{
		{"user stops one step before the cap", []sim.Turn{says("hello")}, []sim.Turn{says("hi"), says(stop)}, 4, sim.UserStop, 1},
		{"user stops at the cap", []sim.Turn{says("hello")}, []sim.Turn{says("hi"), says(stop)}, 3, sim.MaxSteps, 0},
		{"agent stops one step before the cap", []sim.Turn{agentStops}, []sim.Turn{says("hi")}, 3, sim.AgentStop, 1},
		{"agent stops at the cap", []sim.Turn{agentStops}, []sim.Turn{says("hi")}, 2, sim.MaxSteps, 0},
		{"no cap", []sim.Turn{says("hello")}, []sim.Turn{says("hi"), says(stop)}, 0, sim.UserStop, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := run(t, scripted(c.agent...), scripted(c.user...), steps(c.max))
			ended(t, rec, c.want)
			rewarded(t, score(t, w, task, rec), c.reward)
		})
	}
}

func TestEdge2NoCapWhileCallsArePending(t *testing.T) {
	clock := time.Unix(0, 0)
	for _, c := range []struct {
		name string
		edit func(*sim.Trial)
		want sim.Reason
	}{
		{"step cap", steps(2), sim.MaxSteps},
		{"error cap beats step cap", func(tr *sim.Trial) { tr.Limits = sim.Limits{MaxSteps: 2, MaxErrors: 1} }, sim.TooManyErrors},
		{"timeout", func(tr *sim.Trial) {
			// The hour passes while the agent decides on its call.
			tr.Limits = sim.Limits{MaxSteps: 50, Timeout: time.Hour}
			tr.Now = func() time.Time { return clock }
			next := tr.Agent
			tr.Agent = speakerFunc(func(v sim.View) (sim.Turn, error) {
				clock = clock.Add(time.Hour)
				return next.Next(t.Context(), v)
			})
		}, sim.Timeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := run(t, scripted(calls(call("a", "get_users", `{}`), unknownTool)), scripted(says("hi")), c.edit)
			ended(t, rec, c.want)
			if rec.Steps != 3 {
				t.Errorf("%d steps, want 3: the batch runs although the limit was reached before it", rec.Steps)
			}
			if n := len(rec.Messages); n != 5 || rec.Messages[3].Role != domains.RoleTool || !rec.Messages[4].Error {
				t.Errorf("the batch left %q", lines(rec.Messages))
			}
		})
	}
}

func TestEdge3EnvironmentStepsCount(t *testing.T) {
	rec := run(t, scripted(calls(call("a", "get_users", `{}`), call("b", "get_users", `{}`)), says("done")), scripted(says("hi"), says(stop)))
	ended(t, rec, sim.UserStop)
	if rec.Steps != 5 {
		t.Errorf("%d steps, want 5: two of the user, two of the agent, one batch", rec.Steps)
	}
	if len(rec.Messages) != 7 {
		t.Errorf("messages %q", lines(rec.Messages))
	}
}

func TestEdge4ErrorsAreCumulative(t *testing.T) {
	agent := func() *script {
		return scripted(calls(unknownTool, call("a", "get_users", `{}`), call("b", "create_task", `{}`)), says("well"), says("bye"))
	}
	user := func() *script {
		return scripted(says("hi"), calls(call("u", "get_users", `{}`)), calls(call("v", "check_notifications", `{}`)), says("ok"), says(stop))
	}
	for _, c := range []struct {
		name   string
		max    int
		errors int
		want   sim.Reason
	}{
		{"below the cap", 4, 3, sim.UserStop},
		{"the third error, after successes in between, is the cap", 3, 3, sim.TooManyErrors},
		{"two errors of one batch reach a cap of two", 2, 2, sim.TooManyErrors},
		{"a batch is not cut short", 1, 2, sim.TooManyErrors},
		{"no cap", 0, 3, sim.UserStop},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := run(t, agent(), user(), faults(c.max))
			ended(t, rec, c.want)
			n := 0
			for _, m := range rec.Messages {
				if m.Error {
					n++
				}
			}
			if n != c.errors || rec.ToolErrors != c.errors {
				t.Errorf("%d error results, %d counted; want %d", n, rec.ToolErrors, c.errors)
			}
		})
	}
}

func TestEdge5Greeting(t *testing.T) {
	user := scripted(says(stop))
	rec := run(t, scripted(), user)
	ended(t, rec, sim.UserStop)
	same(t, "trajectory", []string{"assistant: " + domains.Greeting, "user: " + stop}, lines(rec.Messages))
	same(t, "the user's first view", []string{"assistant: " + domains.Greeting}, lines(user.views[0].Messages))
	if rec.Steps != 1 {
		t.Errorf("%d steps, want 1: the greeting is none", rec.Steps)
	}
	task := criteria(t, `"communicate_info":["how can i help you"],"reward_basis":["COMMUNICATE"]`)
	rewarded(t, score(t, mockWorld(t), task, rec), 1)

	agent := scripted(says("hello"))
	rec = run(t, agent, scripted(says("hi"), says(stop)))
	ended(t, rec, sim.UserStop)
	same(t, "the agent's first view", []string{"assistant: " + domains.Greeting, "user: hi"}, lines(agent.views[0].Messages))
}

func TestEdge6UserStopWithCallsDoesNotStop(t *testing.T) {
	mixed := calls(call("u", "check_notifications", `{}`))
	mixed.Message.Content = domains.Text("secret words " + stop)
	agent := scripted(says("hello"))
	rec := run(t, agent, scripted(mixed, says("hi"), says(stop)))
	ended(t, rec, sim.UserStop)
	if len(rec.Messages) != 6 {
		t.Errorf("trajectory %q", lines(rec.Messages))
	}
	if strings.Contains(agent.seen(t), "secret words") {
		t.Error("the agent saw the text of the user's calling message")
	}
}

func TestStopTokens(t *testing.T) {
	for _, c := range []struct {
		name string
		m    sim.Message
		want bool
	}{
		{"stop", sim.Message{Role: "user", Content: domains.Text("Thanks! ###STOP###")}, true},
		{"transfer", sim.Message{Role: "user", Content: domains.Text("###TRANSFER###")}, true},
		{"out of scope", sim.Message{Role: "user", Content: domains.Text("x###OUT-OF-SCOPE###y")}, true},
		{"lower case", sim.Message{Role: "user", Content: domains.Text("###stop###")}, false},
		{"no token", sim.Message{Role: "user", Content: domains.Text("STOP")}, false},
		{"no text", sim.Message{Role: "user"}, false},
		{"with an empty list of calls", sim.Message{Role: "user", Content: domains.Text(stop), ToolCalls: []sim.ToolCall{}}, false},
		{"assistant", sim.Message{Role: "assistant", Content: domains.Text(stop)}, false},
		{"tool", sim.Message{Role: "tool", Content: domains.Text(stop), Requestor: sim.UserSide}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sim.UserStops(c.m); got != c.want {
				t.Errorf("stops %v, want %v", got, c.want)
			}
		})
	}
}

func TestEdge7AgentTextDoesNotStop(t *testing.T) {
	user := scripted(says("hi"), says(stop))
	rec := run(t, scripted(says(stop)), user)
	ended(t, rec, sim.UserStop)
	same(t, "the user's last view", []string{"assistant: " + domains.Greeting, "user: hi", "assistant: " + stop}, lines(user.views[1].Messages))
}

// TestEdge8EmptyAnswer: live runs deviate from the reference on purpose (docs/decisions/002-live-deviations.md).
func TestEdge8EmptyAnswer(t *testing.T) {
	none, blank := sim.Turn{}, says(" \n\t")
	for _, c := range []struct {
		name        string
		agent, user []sim.Turn
		want        sim.Reason
		side        sim.Side
		asked       int // empty answers on record
	}{
		{"agent gives none three times", []sim.Turn{none, blank, says("")}, []sim.Turn{says("hi")}, sim.AgentError, sim.AgentSide, 3},
		{"user gives none three times", nil, []sim.Turn{none, none, blank}, sim.UserFault, sim.UserSide, 3},
		{"agent recovers", []sim.Turn{none, blank, says("here")}, []sim.Turn{says("hi"), says(stop)}, sim.UserStop, sim.AgentSide, 2},
		{"user recovers", nil, []sim.Turn{none, says(stop)}, sim.UserStop, sim.UserSide, 1},
		{"a stop without text is empty too", []sim.Turn{{Stop: true}, {Stop: true}, {Stop: true}}, []sim.Turn{says("hi")}, sim.AgentError, sim.AgentSide, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := scripted(c.agent...)
			rec := run(t, agent, scripted(c.user...))
			ended(t, rec, c.want)
			n := 0
			for _, e := range rec.Events {
				if e.Kind != sim.EventEmptyAnswer || e.Side != c.side {
					t.Errorf("unexpected event %+v", e)
				}
				n++
			}
			if n != c.asked {
				t.Errorf("%d empty answers on record, want %d", n, c.asked)
			}
			if c.want == sim.UserStop {
				return
			}
			if rec.Fault == nil || rec.Fault.Side != c.side || rec.Fault.Index != len(rec.Messages) {
				t.Errorf("fault %+v", rec.Fault)
			}
			rewarded(t, score(t, mockWorld(t), criteria(t, `"actions":[]`), rec), 0)
			if rec.Termination.Evaluable() != (c.side == sim.AgentSide) {
				t.Error("what the agent's model did wrong must count, and what the user's did must not")
			}
		})
	}
	t.Run("the answer is asked for again with the same view", func(t *testing.T) {
		agent := scripted(none, says("here"))
		run(t, agent, scripted(says("hi"), says(stop)))
		same(t, "view", lines(agent.views[0].Messages), lines(agent.views[1].Messages))
	})
}

func TestEdge9EmptyListOfCallsIsACall(t *testing.T) {
	mixed := says("words that the user does not see")
	mixed.Message.ToolCalls = []sim.ToolCall{}
	user := scripted(says("hi"), says(stop))
	agent := scripted(mixed, says("hello"))
	rec := run(t, agent, user)
	ended(t, rec, sim.UserStop)
	if rec.Steps != 5 {
		t.Errorf("%d steps, want 5: the empty batch is one", rec.Steps)
	}
	if strings.Contains(user.seen(t), "words that") {
		t.Error("the user saw the text")
	}
	if !strings.Contains(agent.seen(t), "words that") {
		t.Error("the agent lost its own text")
	}
	for text, want := range map[string]bool{`[]`: true, `null`: false} {
		var m sim.Message
		if err := json.Unmarshal([]byte(`{"role":"user","content":"###STOP###","tool_calls":`+text+`}`), &m); err != nil {
			t.Fatal(err)
		}
		if m.IsToolCall() != want || sim.UserStops(m) == want {
			t.Errorf("tool_calls %s: is a call %v, stops %v", text, m.IsToolCall(), sim.UserStops(m))
		}
	}
}

func TestEdge10ToolTrafficIsPrivate(t *testing.T) {
	agent := scripted(calls(call("a", "get_users", `{}`)), says("hello"), says("bye"))
	user := scripted(says("hi"), calls(call("u", "check_notifications", `{}`)), says("looked"), says(stop))
	rec := run(t, agent, user)
	ended(t, rec, sim.UserStop)
	if got := agent.seen(t); strings.Contains(got, "check_notifications") || strings.Contains(got, "note_1") || !strings.Contains(got, "Robin") {
		t.Errorf("the agent saw %s", got)
	}
	if got := user.seen(t); strings.Contains(got, "get_users") || strings.Contains(got, "Robin") || !strings.Contains(got, "note_1") {
		t.Errorf("the user saw %s", got)
	}
	same(t, "the agent's last view", []string{"assistant: " + domains.Greeting, "user: hi", "assistant: [get_users]",
		"tool: " + rec.Messages[3].TextOf(), "assistant: hello", "user: looked"}, lines(agent.views[2].Messages))
	same(t, "the user's last view", []string{"assistant: " + domains.Greeting, "user: hi", "assistant: hello", "user: [check_notifications]",
		"tool: " + rec.Messages[6].TextOf(), "user: looked", "assistant: bye"}, lines(user.views[3].Messages))
}

func TestEachSideCallsItsOwnTools(t *testing.T) {
	rec := run(t, scripted(calls(call("a", "check_notifications", `{}`)), says("hello")),
		scripted(calls(call("u", "get_users", `{}`)), says("hi"), says(stop)))
	ended(t, rec, sim.UserStop)
	for i, want := range map[int]string{2: "Error: Tool 'get_users' not found.", 5: "Error: Tool 'check_notifications' not found."} {
		if m := rec.Messages[i]; m.TextOf() != want || !m.Error {
			t.Errorf("message %d is %q (error %v), want %q", i, m.TextOf(), m.Error, want)
		}
	}
}

func TestABatchRunsWholeAndInOrder(t *testing.T) {
	var batch []sim.ToolCall
	for i := range 12 {
		c := call("c"+string(rune('a'+i)), "create_task", `{"user_id":"user_1","title":"`+string(rune('A'+i))+`"}`)
		if i == 2 {
			c = call("cc", "create_task", `{"user_id":"nobody","title":"C"}`)
		}
		batch = append(batch, c)
	}
	rec := run(t, scripted(calls(batch...), says("done")), scripted(says("hi"), says(stop)))
	ended(t, rec, sim.UserStop)
	results := rec.Messages[3:15]
	for i, m := range results {
		if m.ID != batch[i].ID || m.Error != (i == 2) || m.Requestor != sim.AgentSide {
			t.Errorf("result %d answers %s, error %v", i, m.ID, m.Error)
		}
	}
	if i := slices.IndexFunc(rec.Messages, func(m sim.Message) bool { return strings.Contains(m.TextOf(), `"title": "L"`) }); i != 14 {
		t.Errorf("the last task was made at message %d, want 14", i)
	}
	if rec.ToolErrors != 1 {
		t.Errorf("%d errors, want 1", rec.ToolErrors)
	}
}

// TestStrictProtocol is the opt-in check: text beside calls ends the conversation, and the call does not run.
func TestStrictProtocol(t *testing.T) {
	mixed := calls(call("a", "create_task", `{"user_id":"user_1","title":"x"}`))
	mixed.Message.Content = domains.Text("text")
	strict := func(tr *sim.Trial) { tr.Strict = true }
	blank := calls(call("a", "get_users", `{}`))
	blank.Message.Content = domains.Text("")
	for _, c := range []struct {
		name        string
		agent, user []sim.Turn
		strict      bool
		want        sim.Reason
	}{
		{"agent", []sim.Turn{mixed}, []sim.Turn{says("hi")}, true, sim.AgentError},
		{"user", nil, []sim.Turn{mixed}, true, sim.UserFault},
		{"empty text beside calls is none", []sim.Turn{blank, says("ok")}, []sim.Turn{says("hi"), says(stop)}, true, sim.UserStop},
		{"off", []sim.Turn{mixed, says("ok")}, []sim.Turn{says("hi"), says(stop)}, false, sim.UserStop},
	} {
		t.Run(c.name, func(t *testing.T) {
			edit := strict
			if !c.strict {
				edit = func(*sim.Trial) {}
			}
			rec := run(t, scripted(c.agent...), scripted(c.user...), edit)
			ended(t, rec, c.want)
			last := rec.Messages[len(rec.Messages)-1]
			if c.want != sim.UserStop && (last.Role == domains.RoleTool || !last.IsToolCall()) {
				t.Errorf("the offending call was executed or lost: %q", lines(rec.Messages))
			}
		})
	}
}
