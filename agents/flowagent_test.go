package agents_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

const status = `update_task_status{"task_id":"task_1","status":"completed"}`

// TestFlowConversations has the controllers look at agents and users that say what they are given, and compares what
// happened with golden files. The agent sees a rejected message again with an error for each call; trajectory and
// environment never do.
func TestFlowConversations(t *testing.T) {
	hello := text("Please put 'Water plants' on my list. I am user_1.")
	for _, c := range []struct {
		name, params string
		agent        []sim.Message
		user         []sim.Message
		writes       int
	}{
		{"order", `{}`, []sim.Message{asks(plants), asks(look), asks(plants), text("Done.")}, []sim.Message{hello}, 1},
		{"never_reset", `{}`, []sim.Message{asks(look), asks(plants), text("Done."), asks(feedCat), text("Done.")}, []sim.Message{hello, text("And feed the cat.")}, 2},
		{"unknown", `{}`, []sim.Message{asks(`delete_task{"task_id":"task_1"}`), text("I cannot.")}, []sim.Message{hello}, 0},
		{"duplicate", `{}`, []sim.Message{asks(look), asks(look), asks(plants), asks(plants), text("Done."), asks(plants)}, []sim.Message{hello, text("Once more.")}, 2},
		{"several_calls", `{}`, []sim.Message{asks(look, plants), asks(feedCat, feedCat), asks(status, `fly{}`), text("Done.")}, []sim.Message{hello}, 1},
		{"capped", `{"max_rejections":3}`, []sim.Message{asks(plants), asks(plants), asks(plants), asks(look), text("Well.")}, []sim.Message{hello, text("Please?")}, 0},
		{"off", `{"dependency":false,"duplicates":false}`, []sim.Message{asks(plants), asks(plants), text("Done.")}, []sim.Message{hello}, 2},
		{"threshold", `{"threshold":3}`, []sim.Message{asks(look), asks(look), asks(look), text("Well.")}, []sim.Message{hello}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, _ := setup(t, w, "add_task")
			s.Params = agents.Params(c.params)
			overlay, err := agents.NewFlowOverlay(s)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
				Agent: overlay(lines(domains.RoleAssistant, c.agent...)), User: lines(domains.RoleUser, c.user...)})
			if err != nil || rec.Fault != nil {
				t.Fatalf("error %v, fault %+v", err, rec.Fault)
			}
			if got := written(w, rec); got != c.writes {
				t.Errorf("%d changes were made, want %d", got, c.writes)
			}
			golden(t, "flow/"+c.name+".golden", transcript(t, rec))
		})
	}
}

// TestFlowNative: the tool-calling agent has policy and procedure in its prompt, is offered its tools, and sees rejections
// as errors of its calls.
func TestFlowNative(t *testing.T) {
	for _, c := range []struct {
		params string
		warned bool
	}{{`{}`, false}, {`{"precontrol":true}`, true}} {
		t.Run(c.params, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, m := setup(t, w, "add_task", calls(llm.ToolCall{ID: "c", Name: "create_task", Arguments: "{}"}), says("Your id?"))
			s.Params = agents.Params(c.params)
			agent, err := agents.NewFlowAgent(s)
			if err != nil {
				t.Fatal(err)
			}
			hi := sim.Message{Role: domains.RoleUser, Content: domains.Text("Hi")}
			turn, err := agent.Next(context.Background(), sim.View{Messages: []sim.Message{hi}, Index: 1, StepsLeft: 9})
			if err != nil || turn.Steps != 1 || len(turn.Private) != 2 || len(turn.Calls) != 2 || turn.Message.TextOf() != "Your id?" {
				t.Fatalf("error %v, turn %+v", err, turn)
			}
			if e := turn.Events; len(e) != 1 || e[0].Kind != agents.EventFlowReject || e[0].Data["controller"] != "dependency" || e[0].Data["missing"] != "get_users" {
				t.Errorf("events %+v", e)
			}
			first, second := m.requests[0], m.requests[1]
			system := first.Messages[0].Text()
			if !strings.Contains(system, w.Policy) || !strings.Contains(system, "result = API_create_task(user_id, title, description)") || len(first.Tools) != 4 {
				t.Errorf("%d tools, prompt %s", len(first.Tools), system)
			}
			if got := strings.Contains(system, "cannot be called yet"); got != c.warned {
				t.Errorf("warned: %v", got)
			}
			last := second.Messages[len(second.Messages)-1]
			if last.Role != llm.ToolRole || !strings.HasPrefix(last.Text(), "Error: create_task was not executed: its precondition get_users") {
				t.Errorf("the agent sees %+v", last)
			}
		})
	}
}

// TestFlowText: each decision is one message of the user's role without tools; an answer that cannot be read is asked for
// again, twice.
func TestFlowText(t *testing.T) {
	act := func(name, input string) llm.Message {
		return says("Thought: Go on.\nAction: API_" + name + "\nAction Input: " + input)
	}
	hello := []sim.Message{text("Hi, I am user_1.")}
	six := []llm.Message{act("get_users", `{}`), act("get_users", `{"n":1}`), act("get_users", `{"n":2}`), act("get_users", `{"n":3}`), act("get_users", `{"n":4}`), act("get_users", `{"n":5}`)}
	for _, c := range []struct {
		name, params string
		answers      []llm.Message
		end          sim.Reason
	}{
		{"text", `{}`, []llm.Message{act("create_task", `{"user_id":"user_1","title":"Plants"}`), act("get_users", `{}`),
			act("create_task", `{"user_id":"user_1","title":"Plants"}`), says("Thought: All done.\nResponse: Done.")}, sim.UserStop},
		{"text_mended", `{}`, []llm.Message{says("Hello!"), says("Response: a\nAction: b"), says("Response: Hello!")}, sim.UserStop},
		{"text_unreadable", `{}`, []llm.Message{says("Hello!"), says("Hello!"), act("get_users", `oops`)}, sim.AgentError},
		{"text_limit", `{}`, six, sim.UserStop},
		{"text_limit_1", `{"action_limit":1}`, six[:2], sim.UserStop},
		{"text_no_limit", `{"action_limit":0}`, append(six[:6:6], act("get_users", `{"n":6}`), says("Response: Hello!")), sim.UserStop},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, m := setup(t, w, "add_task", c.answers...)
			s.Params = agents.Params(strings.Replace(c.params, "{", `{"protocol":"text",`, 1))
			if c.params == "{}" {
				s.Params = agents.Params(`{"protocol":"text"}`)
			}
			agent, err := agents.NewFlowAgent(s)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
				Agent: agent, User: lines(domains.RoleUser, hello...)})
			if err != nil || rec.Termination != c.end || (rec.Fault != nil) != (c.end == sim.AgentError) {
				t.Fatalf("error %v, %s, fault %+v", err, rec.Termination, rec.Fault)
			}
			if len(m.requests) != len(c.answers) {
				t.Errorf("the model was asked %d times, want %d", len(m.requests), len(c.answers))
			}
			for _, r := range m.requests {
				if len(r.Messages) != 1 || r.Messages[0].Role != llm.User || len(r.Tools) > 0 {
					t.Errorf("request with %d messages and %d tools", len(r.Messages), len(r.Tools))
				}
			}
			golden(t, "flow/"+c.name+".golden", transcript(t, rec))
		})
	}
}

// A request after an answer that could not be read is the same once more, and what is the same in all requests comes first.
func TestFlowTextPrompts(t *testing.T) {
	w := world(t, domains.Options{})
	s, m := setup(t, w, "add_task", says("?"), says("Response: Your id?"), says("Response: Well?"))
	s.Params = agents.Params(`{"protocol":"text","precontrol":true}`)
	agent, err := agents.NewFlowAgent(s)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
		Agent: agent, User: lines(domains.RoleUser, text("Hi"), text("user_1"))})
	if err != nil || len(m.requests) != 3 {
		t.Fatalf("error %v, %d requests", err, len(m.requests))
	}
	var p []string
	for _, r := range m.requests {
		p = append(p, r.Messages[0].Text())
	}
	prefix, _, _ := strings.Cut(p[0], "<history>")
	if p[0] != p[1] || !strings.HasPrefix(p[2], prefix) || !strings.HasSuffix(prefix, "</apis>\n\n") || !strings.Contains(p[2], "[USER] user_1\n") {
		t.Errorf("prompts differ:\n%s\n%s", p[1], p[2])
	}
	if !strings.Contains(p[2], "<state>\nThese APIs cannot be called yet") {
		t.Errorf("no warning in %s", p[2])
	}
}

func TestFlowParams(t *testing.T) {
	for _, c := range []struct{ params, want string }{
		{`{"protocol":"tools"}`, `protocol is "tools"`},
		{`{"threshold":1}`, "threshold is 1\nhint: give at least 2"},
		{`{"max_rejections":0}`, "max_rejections is 0\nhint: give at least 1"},
		{`{"action_limit":5}`, "action_limit belongs to the text protocol"},
		{`{"protocol":"text","action_limit":-1}`, "action_limit is -1"},
		{`{"bundle":"nowhere"}`, "nowhere"},
		{`{"bundle":"../guide/bundles/retail"}`, "workflow in ../guide/bundles/retail, for mock: "},
		{`{"thresh":2}`, `unknown parameter "thresh"`},
	} {
		s, _ := setup(t, world(t, domains.Options{}), "add_task")
		s.Params = agents.Params(c.params)
		if _, err := agents.NewFlowAgent(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.params, err, c.want)
		}
		if strings.Contains(c.params, "protocol") || strings.Contains(c.params, "action_limit") {
			continue
		}
		if _, err := agents.NewFlowOverlay(s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("overlay, %s: error %v, want %q", c.params, err, c.want)
		}
	}
	s, _ := setup(t, world(t, domains.Options{Solo: true}), "add_task")
	s.Params = agents.Params(`{"protocol":"text"}`)
	if _, err := agents.NewFlowAgent(s); err == nil || !strings.Contains(err.Error(), "no solo variant") {
		t.Errorf("solo: error %v", err)
	}
}

// flowRun runs a config whose scripted models are behind HTTP. DATA in the text stands for the data; limit is how many tasks of each domain are run (0: all).
func flowRun(t *testing.T, text, data string, limit int) *store.Run {
	t.Helper()
	c, err := config.Parse("flow.yaml", []byte(strings.ReplaceAll(text, "DATA", data)), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := config.Worlds(c)
	if err != nil {
		t.Fatal(err)
	}
	script, err := c.Script()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(synthetic.NewServer(synthetic.New(worlds, script)))
	t.Cleanup(srv.Close)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := runtest.Run(context.Background(), c, config.Options{Out: dir, BaseURL: srv.URL + "/v1", Limit: limit}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFlowOverHTTP runs FlowAgent in both protocols over HTTP, on some embedded and some real tasks of each domain:
// without a fault, with the same outcome in both protocols, and with rejections that no trajectory shows.
func TestFlowOverHTTP(t *testing.T) {
	const config = `
note: FlowAgent with scripted models
data: DATA
trials: 1
limits: {concurrency: 4}
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.3, act_before_consent: 0.3, wrong_order: 0.3, grant_forbidden: 0.3}, follows_guidance: 0.9}
user: {model: clumsy}
judge: {model: clumsy}
domains: DOMAINS
systems:
  - {name: native, agent: flowagent, model: clumsy}
  - {name: text, agent: flowagent, model: clumsy, params: {protocol: text, action_limit: 0}}
  - {name: overlay, agent: react, model: clumsy, overlays: [flowagent]}
`
	for _, c := range []struct {
		name, domains string
		data          func(testing.TB) string
	}{
		{"embedded", "[{name: airline, tasks: [change-of-plan-gold, swap-traveller-keep-bags, insured-and-ill]}, {name: retail, tasks: [price-match, cancel-one-return-one, return-both-copies]}, {name: telecom, tasks: [contract-ended, pictures-abroad, two-unpaid-bills]}]", func(testing.TB) string { return "embedded" }},
		{"tau2", `[{name: airline, tasks: ["1", "7", "18", "42"]}, {name: retail, tasks: ["0", "20", "64", "105"]}, {name: telecom, split: test}]`,
			func(t testing.TB) string { return filepath.Join(domaintest.Shared(t), "tau2") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := flowRun(t, strings.Replace(config, "DOMAINS", c.domains, 1), c.data(t), 4)
			rejections, said := map[string]int{}, map[string]string{}
			for rec, err := range r.Records() {
				if err != nil {
					t.Fatal(err)
				}
				if rec.Fault != nil || !rec.Termination.Completed() {
					t.Errorf("%s: %s, fault %+v", rec.Key.String(), rec.Termination, rec.Fault)
				}
				for _, e := range rec.Events {
					if e.Kind == agents.EventFlowReject {
						rejections[rec.System]++
					}
				}
				var b strings.Builder
				for _, m := range rec.Messages {
					fmt.Fprintf(&b, "%s %s%s\n", m.Role, strings.TrimSpace(m.TextOf()), shownCalls(m)) // the text protocol trims
					for _, call := range m.ToolCalls {
						if strings.HasPrefix(call.ID, "flow_") {
							t.Errorf("%s: a rejected call is in the trajectory", rec.Key.String())
						}
					}
				}
				said[rec.Domain+" "+rec.Task+" "+rec.System] = b.String()
			}
			for key, native := range said {
				if task, ok := strings.CutSuffix(key, " native"); ok && native != said[task+" text"] {
					t.Errorf("%s differs between the protocols:\n%s", task, cmp.Diff(native, said[task+" text"]))
				}
			}
			t.Logf("synthetic: %d conversations, rejections %v", len(said), rejections)
			if c.name == "embedded" && (rejections["native"] == 0 || rejections["native"] != rejections["text"]) {
				t.Errorf("rejections %v", rejections)
			}
		})
	}
}
