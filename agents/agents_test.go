package agents_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

func TestRegistry(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{}) // one of those for which every system has what it needs
	var names []string
	for _, e := range agents.All() {
		if slices.Contains(names, e.Name) {
			t.Errorf("%s is registered twice", e.Name)
		}
		names = append(names, e.Name)
		got, err := agents.FindAgent(e.Name)
		if err != nil || got.Name != e.Name || got.New == nil || e.Summary == "" || strings.HasSuffix(e.Summary, ".") {
			t.Errorf("%s: %+v, error %v", e.Name, got, err)
		}
		s, m := setup(t, w, "cancel-gift-card-order", slices.Repeat([]llm.Message{says("x")}, 9)...) // some ask more than once
		s.Read = func(context.Context, sim.ToolCall) sim.ToolResult { return sim.ToolResult{} }
		if !e.Model {
			s.Model = nil
		}
		speak(t, e.New, s)
		if len(m.requests) > 0 != e.Model {
			t.Errorf("%s needs a model: %v, asked it %d times", e.Name, e.Model, len(m.requests))
		}
	}
	for _, want := range []string{"react", "oracle", "noop"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not registered", want)
		}
	}
	for name, hint := range map[string]string{"": "use one of " + strings.Join(slices.Sorted(slices.Values(names)), ", "), "React": `did you mean "react"?`, "reactor": `did you mean "react"?`} {
		_, err := agents.FindAgent(name)
		if err == nil || !strings.Contains(err.Error(), `unknown agent "`+name+"\"\nhint: "+hint) {
			t.Errorf("%q: error %v does not name the choice", name, err)
		}
	}
	if _, err := agents.FindOverlay("no such"); err == nil || !strings.Contains(err.Error(), `unknown overlay "no such"`) {
		t.Errorf("overlay: error %v", err)
	}
	for _, e := range agents.Overlays() {
		if got, err := agents.FindOverlay(e.Name); err != nil || got.Name != e.Name || got.New == nil {
			t.Errorf("overlay %s: error %v", e.Name, err)
		}
	}
}

func TestParams(t *testing.T) {
	type params struct {
		Limit int    `json:"limit"`
		Gate  string `json:"gate"`
	}
	for _, c := range []struct {
		name, text string
		want       params
		err        string
	}{
		{"none", "", params{Limit: 5}, ""},
		{"white space", " \n", params{Limit: 5}, ""},
		{"null", "null", params{Limit: 5}, ""},
		{"some", `{"gate":"hard"}`, params{5, "hard"}, ""},
		{"all", `{"gate":"hard","limit":1}`, params{1, "hard"}, ""},
		{"unknown", `{"limits":1}`, params{}, `unknown parameter "limits"`},
		{"wrong kind", `{"limit":"x"}`, params{}, "limit does not accept this value (string)\nhint: write a number within reason, without quotes"},
		{"too large", `{"limit":9999999999999999999}`, params{}, "limit does not accept this value (number 9999999999999999999)\nhint: write a number"},
		{"no object", `[1]`, params{}, "no mapping"},
		{"other letters", `{"LIMIT":1}`, params{}, "unknown parameter \"LIMIT\"\nhint: did you mean \"limit\"?"},
		{"cut off", `{"limit":`, params{}, "no mapping"},
		{"text behind", `{"limit":1} {"limit":2}`, params{}, "no mapping"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := params{Limit: 5}
			err := agents.Params(c.text).Decode(&got)
			if c.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), "parameters: ") || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %+v, error %v; want %+v", got, err, c.want)
			}
		})
	}
	t.Run("agents without parameters take none", func(t *testing.T) {
		for _, e := range agents.All() {
			s, _ := setup(t, world(t, domains.Options{}), "add_task")
			s.Params = agents.Params(`{"temprature":1}`)
			if _, err := e.New(s); err == nil || !strings.Contains(err.Error(), "temprature") {
				t.Errorf("%s: error %v", e.Name, err)
			}
		}
	})
}

func TestPrompts(t *testing.T) {
	w := *world(t, domains.Options{})
	w.Policy = "# Policy\n\nBe <kind> & brief.\n"
	for _, c := range []struct {
		name, task string
		make       agents.Factory
	}{
		{"react", "add_task", agents.NewReAct},
		{"oracle", "dismiss_note", agents.NewOracle},
		{"oracle_nothing_to_do", "rename_task", agents.NewOracle},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := setup(t, &w, c.task, says("x"))
			speak(t, c.make, s)
			r := m.requests[0]
			if len(r.Messages) != 1 || r.Messages[0].Role != llm.System {
				t.Fatalf("messages %+v", r.Messages)
			}
			golden(t, c.name+".golden", r.Messages[0].Text())
			if r.ToolChoice != "" || len(r.Tools) != len(w.AgentTools()) {
				t.Errorf("%d tools, choice %q", len(r.Tools), r.ToolChoice)
			}
		})
	}
}

// TestOraclePlan words arguments of every kind as the reference prints them.
func TestOraclePlan(t *testing.T) {
	tasks, err := domains.ParseTasks([]byte(`[{"id":"t","user_scenario":{"instructions":""},"evaluation_criteria":{"actions":[
		{"action_id":"a","name":"f","arguments":{"text":"it's","n":25,"x":25.0,"yes":true,"none":null,"list":["a",1],"map":{"k":"v"}}},
		{"action_id":"b","requestor":"user","name":"g","arguments":{}}]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	s, m := setup(t, world(t, domains.Options{}), "add_task", says("x"), says("x"))
	s.Task = &tasks[0]
	speak(t, agents.NewOracle, s)
	got := m.requests[0].Messages[0].Text()
	for _, line := range []string{
		"[Step 1] Call f(text=it's, n=25, x=25.0, yes=True, none=None, list=['a', 1], map={'k': 'v'}).",
		"[Step 2] Have the user call g().",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("the prompt lacks %q:\n%s", line, got)
		}
	}
	s.Task = &domains.Task{ID: "no criteria"}
	speak(t, agents.NewOracle, s)
	if got := m.requests[1].Messages[0].Text(); !strings.Contains(got, "leads to no action") {
		t.Errorf("without criteria: %s", got)
	}
}

func TestNoop(t *testing.T) {
	s, _ := setup(t, world(t, domains.Options{}), "add_task")
	s.Model = nil
	for range 2 {
		if turn := speak(t, agents.NewNoop, s); !turn.Message.HasText() || turn.Message.IsToolCall() || turn.Stop || turn.Calls != nil {
			t.Errorf("turn %+v", turn)
		}
	}
}

func TestReActTurns(t *testing.T) {
	text := "one moment"
	reply := llm.Message{Content: &text, ToolCalls: []llm.ToolCall{{ID: "c", Name: "get_users", Arguments: "{}"}}}
	s, m := setup(t, world(t, domains.Options{}), "add_task", reply)
	hi := sim.Message{Role: domains.RoleUser, Content: domains.Text("hi")}
	turn := speak(t, agents.NewReAct, s, hi)
	if turn.Message.TextOf() != text || len(turn.Message.ToolCalls) != 1 || turn.Stop || len(turn.Calls) != 1 || turn.Calls[0].Index != 1 {
		t.Errorf("turn %+v", turn)
	}
	if got := m.requests[0].Messages; len(got) != 2 || got[1].Role != llm.User || got[1].Text() != "hi" {
		t.Errorf("messages %+v", got)
	}
	a, err := agents.NewReAct(s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(context.Background(), sim.View{}); !errors.Is(err, errModel) {
		t.Errorf("error %v, want the model's own", err)
	}
	// Outside of solo mode a call of done is a call like any other.
	s, _ = setup(t, world(t, domains.Options{}), "add_task", calls(llm.ToolCall{ID: "d", Name: "done"}))
	if turn := speak(t, agents.NewReAct, s); turn.Stop || len(turn.Message.ToolCalls) != 1 {
		t.Errorf("turn %+v", turn)
	}
}

// marked is an overlay that writes its name in front of what the agent says, on the way out, and counts the order in
// which turns pass on the way in.
func marked(name string, order *[]string) agents.Overlay {
	return func(next sim.Participant) sim.Participant {
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			*order = append(*order, name)
			turn, err := next.Next(ctx, v)
			turn.Message.Content = domains.Text(name + turn.Message.TextOf())
			return turn, err
		})
	}
}

func TestStackOrder(t *testing.T) {
	s, _ := setup(t, world(t, domains.Options{}), "add_task")
	base, err := agents.NewNoop(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		stack []string
	}{{"none", nil}, {"one", []string{"a"}}, {"three", []string{"a", "b", "c"}}} {
		t.Run(c.name, func(t *testing.T) {
			var order []string
			var overlays []agents.Overlay
			for _, n := range c.stack {
				overlays = append(overlays, marked(n, &order))
			}
			turn, err := agents.Stack(base, overlays...).Next(context.Background(), sim.View{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(order, c.stack) || !strings.HasPrefix(turn.Message.TextOf(), strings.Join(c.stack, "")) {
				t.Errorf("order %v, text %q: the first overlay must be the outermost", order, turn.Message.TextOf())
			}
		})
	}
}
