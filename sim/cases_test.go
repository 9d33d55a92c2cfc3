package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// The tests C1 to C34 are named by the inputs that are known to break harnesses. Each drives the plain agent over real
// HTTP against a server that answers as scripted; the user is scripted too. What concerns the client alone (streams)
// has no test here.

// client dials a fault server with short waits.
func client(t testing.TB, srv *faultserver.Server) llm.Client {
	t.Helper()
	models, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	e := llm.Endpoint{Name: "fault", BaseURL: srv.URL, Model: "local-model",
		Retry: llm.RetryPolicy{Attempts: 3, RateLimited: 3, FirstWait: time.Millisecond, MaxWait: 2 * time.Millisecond, MaxRetryAfter: 200 * time.Millisecond}}
	c, err := llm.Dial(e, models)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// held is a conversation of the plain agent with what was sent on its behalf.
type held struct {
	t    *testing.T
	w    *domains.World
	task *domains.Task
	user *script
	srv  *faultserver.Server
	rec  sim.Record
}

// holdIn lets the plain agent talk to a user who says hi, then stops; the server gives the replies in order.
func holdIn(t *testing.T, w *domains.World, replies ...faultserver.Reply) held {
	t.Helper()
	h := held{t: t, w: w, task: plainTask(t), user: scripted(says("hi"), says(stop)), srv: faultserver.New(t, replies...)}
	h.hold(client(t, h.srv))
	return h
}

func hold(t *testing.T, replies ...faultserver.Reply) held {
	t.Helper()
	return holdIn(t, mockWorld(t), replies...)
}

func (h *held) hold(c llm.Client) {
	h.t.Helper()
	agent, err := agents.NewReAct(agents.Setup{World: h.w, Task: h.task, Model: modelOf(c, "agent")})
	if err != nil {
		h.t.Fatal(err)
	}
	h.rec, err = sim.Run(context.Background(), sim.Trial{World: h.w, Task: h.task, Agent: agent, User: h.user,
		Key: sim.Key{Domain: h.w.Name, System: "react", Task: h.task.ID}, Limits: sim.Limits{MaxSteps: 60, MaxErrors: 10}})
	if err != nil {
		h.t.Fatal(err)
	}
}

// results are the tool messages of the trajectory.
func (h held) results() []sim.Message {
	var out []sim.Message
	for _, m := range h.rec.Messages {
		if m.Role == domains.RoleTool {
			out = append(out, m)
		}
	}
	return out
}

// sent are the messages of the n-th request, without the system prompt.
func (h held) sent(n int) []map[string]any {
	h.t.Helper()
	all := h.srv.Requests()
	if n >= len(all) {
		h.t.Fatalf("%d requests were made, want more than %d", len(all), n)
	}
	var out []map[string]any
	for _, m := range all[n].JSON(h.t)["messages"].([]any)[1:] {
		out = append(out, m.(map[string]any))
	}
	return out
}

// echoed are the calls that a request sends back to the model, by id, and the ids that its results answer.
func (h held) echoed(n int) (ids, arguments, answered []string) {
	h.t.Helper()
	for _, m := range h.sent(n) {
		list, _ := m["tool_calls"].([]any)
		for _, c := range list {
			f := c.(map[string]any)["function"].(map[string]any)
			ids = append(ids, c.(map[string]any)["id"].(string))
			arguments = append(arguments, f["arguments"].(string))
		}
		if m["role"] == "tool" {
			answered = append(answered, m["tool_call_id"].(string))
		}
	}
	return ids, arguments, answered
}

// replays checks that the record leads to the same state again, and that it survives storage.
func (h held) replays() {
	h.t.Helper()
	if _, err := mustEnv(h.t, h.w, h.task).Replay(h.rec.Messages, true); err != nil {
		h.t.Errorf("replay: %v", err)
	}
	if a, b := asJSON(h.t, h.rec), asJSON(h.t, reread(h.t, h.rec)); !bytes.Equal(a, b) {
		h.t.Errorf("the record changes under storage:\n%s\n%s", a, b)
	}
}

// unchanged checks that the replayed calls leave the database as it was.
func (h held) unchanged() {
	h.t.Helper()
	env := mustEnv(h.t, h.w, h.task)
	if _, err := env.Replay(h.rec.Messages, true); err != nil {
		h.t.Error(err)
	}
	if diff := mustEnv(h.t, h.w, h.task).Diff(env); len(diff) > 0 {
		h.t.Errorf("the database changed: %v", diff)
	}
}

// toolCall is a reply with one tool call whose raw id and arguments are JSON texts.
func toolCall(finish, id, name, arguments string) faultserver.Reply {
	return faultserver.Message(fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%s,"type":"function","function":{"name":%q,"arguments":%s}}]}`,
		id, name, arguments), finish)
}

var bye = faultserver.Text("bye")

// malformed checks the handling of one call with unusable arguments.
func (h held) malformed(raw, reason string) {
	h.t.Helper()
	ended(h.t, h.rec, sim.UserStop)
	res := h.results()
	if len(res) != 1 || res[0].ID != "c1" || !res[0].Error || !strings.HasPrefix(res[0].TextOf(), "Error: invalid JSON arguments: ") || !strings.Contains(res[0].TextOf(), reason) {
		h.t.Errorf("results %+v, want one error for c1 with %q", lines(res), reason)
	}
	if h.rec.ToolErrors != 1 {
		h.t.Errorf("%d errors, want 1", h.rec.ToolErrors)
	}
	if got := h.rec.Messages[2].ToolCalls[0]; got.Malformed != raw || !got.Arguments.IsNull() {
		h.t.Errorf("malformed text %q, want %q kept; arguments %s", got.Malformed, raw, asJSON(h.t, got.Arguments))
	}
	ids, arguments, answered := h.echoed(1)
	if len(ids) != 1 || ids[0] != "c1" || answered[0] != "c1" || !json.Valid([]byte(arguments[0])) || arguments[0][0] != '{' || strings.TrimSpace(arguments[0]) == "{}" {
		h.t.Errorf("history has ids %v, results for %v, arguments %s", ids, answered, arguments)
	}
	h.replays()
	h.unchanged()
}

func TestC1ArgumentsCutOff(t *testing.T) {
	raw := `{"user_id": "user_1", "title": "x`
	h := hold(t, toolCall("tool_calls", `"c1"`, "create_task", faultserver.Quote(raw)), bye)
	h.malformed(raw, "unexpected EOF")
	h = hold(t, toolCall("length", `"c1"`, "create_task", faultserver.Quote(raw)), bye)
	h.malformed(raw, "truncated")
}

func TestC2ArgumentsAsObject(t *testing.T) {
	h := hold(t, toolCall("tool_calls", `"c1"`, "create_task", `{"user_id": "user_1", "title": "<x>", "description": null}`), bye)
	ended(t, h.rec, sim.UserStop)
	if res := h.results(); len(res) != 1 || res[0].Error || !strings.Contains(res[0].TextOf(), `"title": "<x>"`) {
		t.Errorf("results %q", lines(res))
	}
	if q := h.rec.Calls[0].Quirks; len(q) != 1 || q[0] != "object_arguments" {
		t.Errorf("quirks %v", q)
	}
	if _, arguments, _ := h.echoed(1); arguments[0] != `{"user_id":"user_1","title":"<x>","description":null}` {
		t.Errorf("history has the arguments %s", arguments)
	}
	h.replays()
}

func TestC3NoArguments(t *testing.T) {
	for name, raw := range map[string]string{"empty": `""`, "null": `null`, "blank": `" "`, "null as text": `"null"`} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, toolCall("tool_calls", `"c1"`, "get_users", raw), bye)
			ended(t, h.rec, sim.UserStop)
			if res := h.results(); res[0].Error {
				t.Errorf("result %q", res[0].TextOf())
			}
			if _, arguments, _ := h.echoed(1); arguments[0] != "{}" {
				t.Errorf("history has the arguments %q, want {}", arguments)
			}
			h.replays()
		})
	}
	t.Run("key absent", func(t *testing.T) {
		h := hold(t, faultserver.Message(`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_users"}}]}`, "tool_calls"), bye)
		if res := h.results(); len(res) != 1 || res[0].Error {
			t.Errorf("results %q", lines(res))
		}
	})
}

func TestC4ArgumentsAreNotRepaired(t *testing.T) {
	for raw, reason := range map[string]string{
		`{}""`:                        "unexpected text",
		`{"user_id":"user_1"} trail`:  "unexpected text",
		"```json\n{\"title\":1}\n```": "invalid character",
		"None":                        "invalid character",
		"{'title': 'x'}":              "invalid character",
	} {
		t.Run(raw, func(t *testing.T) {
			hold(t, toolCall("tool_calls", `"c1"`, "create_task", faultserver.Quote(raw)), bye).malformed(raw, reason)
		})
	}
}

func TestC5ArgumentsAreNoObject(t *testing.T) {
	for raw, reason := range map[string]string{`[1]`: "an array", `"P-1"`: "a string", `3`: "a number", `true`: "a boolean"} {
		t.Run(raw, func(t *testing.T) {
			hold(t, toolCall("tool_calls", `"c1"`, "get_users", faultserver.Quote(raw)), bye).malformed(raw, "arguments must be an object, not "+reason)
		})
	}
}

func TestC6ArgumentsEncodedTwice(t *testing.T) {
	raw := `"{\"user_id\":\"user_1\",\"title\":\"x\"}"`
	hold(t, toolCall("tool_calls", `"c1"`, "create_task", faultserver.Quote(raw)), bye).malformed(raw, "not a string")
}

// TestC7UnknownTool: the text is the reference's own, without a list of valid names (docs/decisions/003-error-texts.md).
func TestC7UnknownTool(t *testing.T) {
	for _, name := range []string{"get_user", "check_notifications", "functions.get_users", "get_users ", "GET_USERS"} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, toolCall("tool_calls", `"c1"`, name, `"{}"`), bye)
			ended(t, h.rec, sim.UserStop)
			res := h.results()
			if len(res) != 1 || !res[0].Error || res[0].TextOf() != "Error: Tool '"+name+"' not found." || h.rec.ToolErrors != 1 {
				t.Errorf("results %q, %d errors", lines(res), h.rec.ToolErrors)
			}
			h.replays()
			h.unchanged()
		})
	}
}

func create(title string) string { return `{"user_id":"user_1","title":"` + title + `"}` }

func TestC8DuplicateIDs(t *testing.T) {
	h := hold(t, faultserver.Calls(faultserver.Call{ID: "dup", Name: "create_task", Arguments: create("first")},
		faultserver.Call{ID: "dup", Name: "create_task", Arguments: create("second")}), bye)
	ended(t, h.rec, sim.UserStop)
	res := h.results()
	if len(res) != 2 || !strings.Contains(res[0].TextOf(), "first") || !strings.Contains(res[1].TextOf(), "second") {
		t.Fatalf("results %q", lines(res))
	}
	ids, _, answered := h.echoed(1)
	if len(ids) != 2 || ids[0] == ids[1] || ids[0] != answered[0] || ids[1] != answered[1] {
		t.Errorf("ids %v, results for %v", ids, answered)
	}
	h.replays()
}

func TestC9SameIDInLaterTurns(t *testing.T) {
	again := faultserver.Calls(faultserver.Call{ID: "get_users:0", Name: "get_users", Arguments: "{}"})
	h := hold(t, again, again, again, bye)
	ended(t, h.rec, sim.UserStop)
	ids, _, answered := h.echoed(3)
	seen := map[string]bool{}
	for i, id := range ids {
		if seen[id] || answered[i] != id {
			t.Errorf("ids %v, results for %v", ids, answered)
		}
		seen[id] = true
	}
	if len(ids) != 3 || ids[0] != "get_users:0" {
		t.Errorf("ids %v", ids)
	}
	h.replays()
}

func TestC10IDsThatAreNoTexts(t *testing.T) {
	for _, c := range []struct{ name, id, want string }{
		{"empty", `"id":"",`, "call_2_0"}, {"absent", ``, "call_2_0"}, {"null", `"id":null,`, "call_2_0"}, {"integer", `"id":7,`, "7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hold(t, faultserver.Message(`{"role":"assistant","content":null,"tool_calls":[{`+c.id+`"type":"function","function":{"name":"get_users","arguments":"{}"}}]}`, "tool_calls"), bye)
			ended(t, h.rec, sim.UserStop)
			ids, _, answered := h.echoed(1)
			if len(ids) != 1 || ids[0] != c.want || answered[0] != c.want || h.results()[0].ID != c.want {
				t.Errorf("ids %v, results for %v; want %s", ids, answered, c.want)
			}
			h.replays()
		})
	}
}

func TestC11EmptyAnswers(t *testing.T) {
	for name, message := range map[string]string{
		"null":           `{"role":"assistant","content":null}`,
		"blank":          `{"role":"assistant","content":"  \n"}`,
		"only reasoning": `{"role":"assistant","content":null,"reasoning_content":"let me think"}`,
		"only thoughts":  `{"role":"assistant","content":"<think>let me think</think>\n"}`,
		"empty calls":    `{"role":"assistant","content":"","tool_calls":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			empty := faultserver.Message(message, "stop")
			h := hold(t, empty, empty, empty)
			ended(t, h.rec, sim.AgentError)
			if n := len(h.srv.Requests()); n != 3 || len(h.rec.Calls) != 3 || len(h.rec.Events) != 3 {
				t.Errorf("%d requests, %d calls and %d events on record; want 3", n, len(h.rec.Calls), len(h.rec.Events))
			}
			h = hold(t, empty, empty, bye)
			ended(t, h.rec, sim.UserStop)
			if len(h.rec.Messages) != 4 {
				t.Errorf("trajectory %q", lines(h.rec.Messages))
			}
		})
	}
}

func TestC12TextBesideCalls(t *testing.T) {
	h := hold(t, faultserver.TextAndCalls("let me look", faultserver.Call{ID: "c1", Name: "get_users", Arguments: "{}"}), bye)
	ended(t, h.rec, sim.UserStop)
	if m := h.rec.Messages[2]; m.TextOf() != "let me look" || len(m.ToolCalls) != 1 || h.results()[0].Error {
		t.Errorf("trajectory %q", lines(h.rec.Messages))
	}
	if strings.Contains(h.user.seen(t), "let me look") {
		t.Error("the user saw the text")
	}
	if m := h.sent(1)[2]; m["content"] != "let me look" {
		t.Errorf("the agent's history has %v", m)
	}
}

func TestC13ManyCallsAtOnce(t *testing.T) {
	var list []faultserver.Call
	for i := range 12 {
		c := faultserver.Call{ID: fmt.Sprintf("c%02d", i), Name: "create_task", Arguments: create(fmt.Sprintf("no %d", i))}
		if i == 2 {
			c.Arguments = `{"user_id":"nobody","title":"x"}`
		}
		list = append(list, c)
	}
	h := hold(t, faultserver.Calls(list...), bye)
	ended(t, h.rec, sim.UserStop)
	for i, m := range h.results() {
		if m.ID != list[i].ID || m.Error != (i == 2) || i != 2 && !strings.Contains(m.TextOf(), fmt.Sprintf("no %d\"", i)) {
			t.Errorf("result %d: %s %q", i, m.ID, m.TextOf())
		}
	}
	if len(h.results()) != 12 || h.rec.ToolErrors != 1 {
		t.Errorf("%d results, %d errors", len(h.results()), h.rec.ToolErrors)
	}
	h.replays()
}

func TestC14TextWithAnEmptyListOfCalls(t *testing.T) {
	for _, list := range []string{"[]", "null"} {
		h := hold(t, faultserver.Message(`{"role":"assistant","content":"plain","tool_calls":`+list+`}`, "stop"))
		ended(t, h.rec, sim.UserStop)
		if m := h.rec.Messages[2]; m.IsToolCall() || m.TextOf() != "plain" || h.rec.Steps != 3 {
			t.Errorf("tool_calls %s: trajectory %q", list, lines(h.rec.Messages))
		}
	}
}
