package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/llm"
	"github.com/tauguide/tauguide/llm/faultserver"
	"github.com/tauguide/tauguide/sim"
)

// The tests C1 to C34 are named by the inputs that are known to break harnesses. Each drives the plain agent over real
// HTTP against a server that answers as scripted; the user is scripted too. What concerns the client alone (streams)
// has no test here.

// client dials a fault server with short waits.
func client(t testing.TB, srv *faultserver.Server, edit ...func(*llm.Endpoint)) llm.Client {
	t.Helper()
	file := filepath.Join(domaintest.Root(t), "configs", "models.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	models, err := llm.LoadModels(file, text)
	if err != nil {
		t.Fatal(err)
	}
	e := llm.Endpoint{Name: "fault", BaseURL: srv.URL, Model: "local-model", Timeout: 10 * time.Second,
		Retry: llm.RetryPolicy{Attempts: 3, RateLimited: 3, Base: time.Millisecond, Max: 2 * time.Millisecond, MaxRetryAfter: 200 * time.Millisecond}}
	for _, f := range edit {
		f(&e)
	}
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

// holdIn lets the plain agent talk to a user who says hi, then ok, then stops; the server gives the replies in order.
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
	agent, err := agents.NewReAct(agents.Seat{World: h.w, Task: h.task, Model: modelOf(c, "agent")})
	if err != nil {
		h.t.Fatal(err)
	}
	h.rec, err = sim.Run(context.Background(), sim.Trial{World: h.w, Task: h.task, Agent: agent, User: h.user,
		Key: sim.Key{Domain: h.w.Name, System: "react", Task: h.task.ID}, Limits: sim.Limits{MaxSteps: 60, MaxErrors: 10, Timeout: time.Minute}})
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

func TestC15UsageThatIsMissingOrOdd(t *testing.T) {
	reply := func(usage string) faultserver.Reply {
		return faultserver.Raw(`{"choices":[{"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]` + usage + `}`)
	}
	for _, c := range []struct {
		name, usage string
		want        llm.Usage
	}{
		{"missing", ``, llm.Usage{}},
		{"null", `,"usage":null`, llm.Usage{}},
		{"floats", `,"usage":{"prompt_tokens":12.0,"completion_tokens":3.0}`, llm.Usage{PromptTokens: llm.Known(12), CompletionTokens: llm.Known(3)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hold(t, reply(c.usage))
			ended(t, h.rec, sim.UserStop)
			same(t, "usage", c.want, h.rec.Calls[0].Usage)
			if h.rec.Calls[0].Cost != nil {
				t.Errorf("cost %v, want unknown", *h.rec.Calls[0].Cost)
			}
			if c.want == (llm.Usage{}) && !strings.Contains(string(asJSON(t, h.rec)), `"prompt_tokens":null`) {
				t.Errorf("the record does not say that the figures are unknown: %s", asJSON(t, h.rec.Calls))
			}
		})
	}
}

// recovers checks that a reply is retried and leaves no trace in the trajectory, and that it is a fault of the
// infrastructure where it stays.
func recovers(t *testing.T, bad faultserver.Reply, kind, part string) {
	t.Helper()
	h := hold(t, bad, bye)
	ended(t, h.rec, sim.UserStop)
	if len(h.rec.Messages) != 4 || h.rec.ToolErrors != 0 || h.rec.Calls[0].Transport.Attempts != 2 {
		t.Errorf("trajectory %q, %d attempts", lines(h.rec.Messages), h.rec.Calls[0].Transport.Attempts)
	}
	h = hold(t, bad, bad, bad)
	ended(t, h.rec, sim.Infra)
	if f := h.rec.Fault; f.Kind != kind || f.Side != sim.AgentSide || f.Index != 2 || !strings.Contains(f.Text, part) || !strings.Contains(f.Text, "after 3 attempts") {
		t.Errorf("fault %+v, want %s with %q", f, kind, part)
	}
	if h.rec.Termination.Evaluable() {
		t.Error("it counts in the figures")
	}
}

func TestC16ErrorInA200Reply(t *testing.T) {
	recovers(t, faultserver.Raw(`{"error":{"code":502,"message":"Provider returned error","metadata":{"provider_name":"Example"}}}`), "server", "Provider returned error")
}

func TestC17NoChoices(t *testing.T) {
	for name, c := range map[string]struct{ body, kind, part string }{
		"empty": {`{"choices":[]}`, "malformed", "empty list of choices"},
		"null":  {`{"choices":null}`, "malformed", "choices"},
		"error": {`{"choices":[{"index":0,"finish_reason":"error","error":{"code":503,"message":"overloaded"},"message":{"role":"assistant","content":"par"}}]}`, "server", "overloaded"},
	} {
		t.Run(name, func(t *testing.T) { recovers(t, faultserver.Raw(c.body), c.kind, c.part) })
	}
}

func TestC18RepliesThatAreNoJSON(t *testing.T) {
	for name, c := range map[string]struct {
		reply faultserver.Reply
		part  string
	}{
		"HTML":         {faultserver.Raw("<html><body><h1>Bad gateway</h1></body></html>").With("Content-Type", "text/html"), "Bad gateway"},
		"empty":        {faultserver.Raw(""), "empty"},
		"cut text":     {faultserver.Raw(`{"choices":[{"message":{"role":"assistant","content":"hel`), "cut off"},
		"cut transfer": {faultserver.Cut("hello", 40), "cut off"},
	} {
		t.Run(name, func(t *testing.T) { recovers(t, c.reply, "malformed", c.part) })
	}
}

func TestC19RetryAfter(t *testing.T) {
	limited := faultserver.Error(429, "requests", "rate_limit_exceeded", "", "slow down")
	for name, c := range map[string]struct {
		header [2]string
		least  time.Duration
	}{
		"none":              {},
		"milliseconds":      {[2]string{"retry-after-ms", "30"}, 30 * time.Millisecond},
		"seconds":           {[2]string{"Retry-After", "0.03"}, 30 * time.Millisecond},
		"date that is past": {[2]string{"Retry-After", "Wed, 21 Oct 2020 07:28:00 GMT"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // without a wish of the provider's the limiter pauses for a second
			reply := limited
			if c.header[0] != "" {
				reply = reply.With(c.header[0], c.header[1])
			}
			h := hold(t, reply, bye)
			ended(t, h.rec, sim.UserStop)
			tr := h.rec.Calls[0].Transport
			if tr.Attempts != 2 || time.Duration(tr.Elapsed*float64(time.Second)) < c.least {
				t.Errorf("%d attempts in %v s, asked to wait %s", tr.Attempts, tr.Elapsed, c.least)
			}
		})
	}
	for name, header := range map[string]string{"longer than allowed": "7", "a day": "86400", "date far off": "Wed, 21 Oct 2099 07:28:00 GMT"} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, limited.With("Retry-After", header))
			ended(t, h.rec, sim.Infra)
			if f := h.rec.Fault; f.Kind != "rate_limit" || !strings.Contains(f.Text, "asks to wait") || !strings.Contains(f.Text, "slow down") {
				t.Errorf("fault %+v", f)
			}
		})
	}
	t.Run("all the time", func(t *testing.T) {
		soon := limited.With("retry-after-ms", "5")
		h := hold(t, soon, soon, soon)
		ended(t, h.rec, sim.Infra)
		if h.rec.Termination.Evaluable() {
			t.Error("a rate limit is scored as a loss")
		}
	})
}

func TestC20QuotaIsNotRetried(t *testing.T) {
	for name, reply := range map[string]faultserver.Reply{
		"429": faultserver.Error(429, "insufficient_quota", "insufficient_quota", "", "You exceeded your current quota"),
		"402": faultserver.Status(402, `{"error":{"message":"Insufficient credits"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, reply)
			ended(t, h.rec, sim.Infra)
			if f := h.rec.Fault; f.Kind != "quota" || !strings.Contains(f.Text, "add credit") {
				t.Errorf("fault %+v", f)
			}
		})
	}
}

func TestC21ErrorBodies(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply faultserver.Reply
		kind  string
		part  string
		tries int
	}{
		{"a list", faultserver.Status(400, `[{"error":{"code":400,"message":"bad schema","status":"INVALID_ARGUMENT"}}]`), "bad_request", "bad schema", 1},
		{"a text", faultserver.Status(404, `{"error":"model not found"}`), "bad_request", "model not found", 1},
		{"flat", faultserver.Status(400, `{"object":"error","message":"no such parameter","type":"BadRequestError","code":400}`), "bad_request", "no such parameter", 1},
		{"HTML", faultserver.Status(503, "<html><title>503</title>busy</html>"), "server", "busy", 3},
		{"529", faultserver.Status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "server", "Overloaded", 3},
		{"nothing", faultserver.Status(500, ""), "server", "Internal Server Error", 3},
		{"key", faultserver.Error(401, "invalid_request_error", "invalid_api_key", "", "wrong key"), "auth", "check the endpoint's key", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var replies []faultserver.Reply
			for range c.tries {
				replies = append(replies, c.reply.With("X-Request-Id", "req-9"))
			}
			h := hold(t, replies...)
			ended(t, h.rec, sim.Infra)
			if f := h.rec.Fault; f.Kind != c.kind || !strings.Contains(f.Text, c.part) || f.RequestID != "req-9" {
				t.Errorf("fault %+v, want %s with %q", f, c.kind, c.part)
			}
			if n := len(h.srv.Requests()); n != c.tries {
				t.Errorf("%d requests, want %d", n, c.tries)
			}
		})
	}
	t.Run("moderation counts as the agent's", func(t *testing.T) {
		h := hold(t, faultserver.Status(400, `{"error":{"code":"content_filter","message":"filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`))
		ended(t, h.rec, sim.AgentError)
		if h.rec.Fault.Kind != "content_filter" {
			t.Errorf("fault %+v", h.rec.Fault)
		}
	})
}

func TestC33ContextOverflow(t *testing.T) {
	for name, reply := range map[string]faultserver.Reply{
		"code":                    faultserver.Error(400, "invalid_request_error", "context_length_exceeded", "messages", "too long"),
		"prose":                   faultserver.Status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`),
		"limit spent on thoughts": faultserver.Message(`{"role":"assistant","content":""}`, "length"),
	} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, reply)
			ended(t, h.rec, sim.ContextWindow)
			if !h.rec.Termination.Evaluable() || h.rec.Fault.Kind != "context_window" {
				t.Errorf("fault %+v", h.rec.Fault)
			}
			rewarded(t, score(t, h.w, criteria(t, `"actions":[]`), h.rec), 0)
		})
	}
}

func TestC30OddTexts(t *testing.T) {
	const text = "ok 👩‍👩‍👧 – שלום \u202e نعم \x00 end"
	raw := `{"role":"assistant","content":"ok 👩‍👩‍👧 – שלום \u202e نعم \u0000 end` + " \\ud83d \xff\xfe\"}"
	h := hold(t, faultserver.Message(raw, "stop"))
	ended(t, h.rec, sim.UserStop)
	got := h.rec.Messages[2].TextOf()
	if !strings.HasPrefix(got, text) || !utf8.ValidString(got) || strings.Count(got, "\ufffd") < 2 {
		t.Errorf("content %q", got)
	}
	h.replays()
	again := reread(t, reread(t, h.rec))
	if again.Messages[2].TextOf() != got {
		t.Errorf("stored twice it became %q", again.Messages[2].TextOf())
	}

	h = hold(t, toolCall("tool_calls", `"c1"`, "create_task", faultserver.Quote(`{"user_id":"user_1","title":"`+text[:len(text)-5]+`\u0000 \ud83d"}`)), faultserver.Message(raw, "stop"))
	ended(t, h.rec, sim.UserStop)
	if res := h.results(); len(res) != 1 {
		t.Fatalf("results %q", lines(res))
	}
	for i, r := range h.srv.Requests() {
		if !utf8.Valid(r.Body) || !json.Valid(r.Body) {
			t.Errorf("request %d is not valid", i)
		}
	}
	h.replays()
}
