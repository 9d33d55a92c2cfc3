package sim_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// received lets a model answer and returns what the simulation makes of it.
func received(t testing.TB, resp llm.Response) (sim.Message, sim.ModelCall) {
	t.Helper()
	m, call, err := modelOf(&answering{answers: []any{resp}}, "agent").Ask(context.Background(), 4, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	return m, call
}

func answer(m llm.Message, finish string) llm.Response {
	return llm.Response{Message: m, FinishReason: finish}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		name   string
		text   string
		finish string
		want   string // the arguments as JSON, or
		reason string // why they are malformed
	}{
		{"object", `{"id": "P-1"}`, "", `{"id":"P-1"}`, ""},
		{"nothing", ``, "", `{}`, ""},
		{"white space", " \n", "", `{}`, ""},
		{"null", ` null `, "", `{}`, ""},
		{"order and repeated keys", `{"b":1,"a":2,"b":3}`, "", `{"b":3,"a":2}`, ""},
		{"integers keep their digits", `{"n":12345678901234567890}`, "", `{"n":12345678901234567890}`, ""},
		{"floats stay floats", `{"n":25.0,"m":2.50,"e":1e2}`, "", `{"n":25.0,"m":2.5,"e":100.0}`, ""},
		{"minus zero", `{"n":-0,"m":-0.0}`, "", `{"n":0,"m":-0.0}`, ""},
		{"lone surrogate", `{"s":"\ud83d"}`, "", `{"s":"\ud83d"}`, ""},
		{"NaN", `{"n": NaN}`, "", `{"n":NaN}`, ""},
		{"overflow", `{"n":-1e400}`, "", `{"n":-Infinity}`, ""},
		{"4,301 digits", `{"n":` + strings.Repeat("1", 4301) + `}`, "", "", "an integer of 4301 digits, 4300 at most"},
		{"cut off", `{"id": "P-1`, "tool_calls", "", "unexpected EOF"},
		{"cut off by the length limit", `{"id": "P-1`, "length", "", "truncated because the answer reached its length limit"},
		{"whole in spite of the length limit", `{"id":"P-1"}`, "length", `{"id":"P-1"}`, ""},
		{"list", `[1]`, "", "", "arguments must be an object, not an array"},
		{"string", `"P-1"`, "", "", "arguments must be an object, not a string"},
		{"number", `3`, "", "", "arguments must be an object, not a number"},
		{"float", `3.5`, "", "", "arguments must be an object, not a number"},
		{"boolean", `true`, "", "", "arguments must be an object, not a boolean"},
		{"encoded twice", `"{\"id\":\"P-1\"}"`, "", "", "arguments must be an object, not a string"},
		{"text behind", `{"id":"P-1"} trailing`, "", "", "unexpected text after the JSON value at byte 12"},
		{"quotes behind", `{}""`, "", "", "unexpected text"},
		{"fenced", "```json\n{}\n```", "", "", "invalid character '`'"},
		{"None", `None`, "", "", "invalid character 'N'"},
		{"single quotes", `{'id':1}`, "", "", `invalid character '\''`},
		{"too deep", strings.Repeat(`{"a":`, 10001) + "1" + strings.Repeat("}", 10001), "", "", "nested deeper than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := received(t, answer(llm.Message{ToolCalls: []llm.ToolCall{{ID: "c", Name: "f", Arguments: c.text}}}, c.finish))
			got := m.ToolCalls[0]
			if c.reason == "" {
				if got.Malformed != "" || got.Reason != "" || got.Arguments.JSON() != c.want {
					t.Errorf("arguments %s, malformed %q (%s); want %s", asJSON(t, got.Arguments), got.Malformed, got.Reason, c.want)
				}
				return
			}
			if got.Malformed != c.text || !strings.Contains(got.Reason, c.reason) || !got.Arguments.IsNull() {
				t.Errorf("arguments %s, reason %q; want the text kept and %q", asJSON(t, got.Arguments), got.Reason, c.reason)
			}
			if strings.HasPrefix(got.Reason, "invalid JSON") {
				t.Errorf("reason %q repeats what the result says in front of it", got.Reason)
			}
		})
	}
}

// TestThinking: what a model thinks aloud in its content is kept, apart from what it says.
func TestThinking(t *testing.T) {
	for _, c := range []struct{ name, content, said, thought string }{
		{"none", "hello <b>", "hello <b>", ""},
		{"in front", "<think>the user is angry</think>\n\nhello", "hello", "the user is angry"},
		{"twice", "<think>a</think>hel<think>b</think>lo", "hello", "a\nb"},
		{"never closed", "hello<think>###STOP###", "hello", "###STOP###"},
		{"only thoughts", "<think>hm</think>", "", "hm"},
		{"empty", "<think></think>hello", "hello", ""},
		{"opened by the chat template", "the user is angry\n</think>\n\nhello", "hello", "the user is angry"},
		{"a closing tag more", "<think>a</think>hello</think>", "hello</think>", "a"},
		{"white space stays without a tag", "  hello \n", "  hello \n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			extra := map[string]json.RawMessage{"reasoning": json.RawMessage(`"r"`)}
			m, call := received(t, answer(llm.Message{Content: &c.content, Extra: extra}, "stop"))
			if m.TextOf() != c.said {
				t.Errorf("said %q, want %q", m.TextOf(), c.said)
			}
			var thought string
			if raw, ok := m.Provider["think"]; ok {
				if err := json.Unmarshal(raw, &thought); err != nil {
					t.Fatal(err)
				}
			}
			if strings.TrimSpace(thought) != c.thought {
				t.Errorf("thought %q, want %q", thought, c.thought)
			}
			if string(m.Provider["reasoning"]) != `"r"` || len(extra) != 1 {
				t.Errorf("provider fields %v, the answer's own %v", m.Provider, extra)
			}
			if noted := strings.Contains(strings.Join(call.Quirks, " "), "think_in_content"); noted != strings.Contains(c.content, "think>") {
				t.Errorf("quirks %v", call.Quirks)
			}
		})
	}
	t.Run("no content", func(t *testing.T) {
		if m, _ := received(t, answer(llm.Message{}, "stop")); m.Content != nil || m.ToolCalls != nil {
			t.Errorf("message %+v", m)
		}
	})
}

func TestModelCallOnRecord(t *testing.T) {
	cost := 0.25
	resp := llm.Response{Message: llm.Message{Content: domains.Text("x")}, FinishReason: "stop", Usage: llm.Usage{PromptTokens: llm.Known(12)}, Cost: &cost,
		Model: "served", RequestID: "r", Attempts: 2, Latency: time.Second, Elapsed: 3 * time.Second, Dropped: []string{"seed"}, Quirks: []string{"int_id"}}
	_, call := received(t, resp)
	same(t, "call", sim.ModelCall{Role: "agent", Index: 4, Model: "scripted", Usage: resp.Usage, Cost: &cost, Finish: "stop", Dropped: []string{"seed"}, Quirks: []string{"int_id"},
		Transport: sim.Transport{Served: "served", RequestID: "r", Attempts: 2, Seconds: 1, Elapsed: 3}}, call)
}

func TestModelRequests(t *testing.T) {
	a := &answering{answers: []any{"1", errScript, "3"}}
	temperature := 0.0
	base := sim.Model{Client: a, Name: "n", Base: llm.Request{Temperature: &temperature, ToolChoice: "none"}, Tag: llm.Tag{Domain: "d", Task: "t", Trial: 2, Role: "old", Ordinal: 9}}
	m := base.With("agent")
	tools := []domains.ToolSpec{{Name: "f", Description: "does f", Parameters: json.RawMessage(`{}`)}}
	for i, ask := range []struct {
		tools  []domains.ToolSpec
		choice string
	}{{tools, "required"}, {nil, "required"}, {tools, ""}} {
		_, call, err := m.Ask(context.Background(), i, userSays("x"), ask.tools, ask.choice)
		if (err != nil) != (i == 1) || call.Ordinal != i || call.Role != "agent" {
			t.Errorf("call %d: %+v, error %v", i, call, err)
		}
	}
	for i, r := range a.requests {
		if r.Tag != (llm.Tag{Domain: "d", Task: "t", Trial: 2, Role: "agent", Ordinal: i}) || r.Temperature != &temperature || len(r.Messages) != 1 {
			t.Errorf("request %d: tag %+v", i, r.Tag)
		}
	}
	if a.requests[0].ToolChoice != "required" || len(a.requests[0].Tools) != 1 || a.requests[1].Tools != nil || a.requests[2].ToolChoice != "" {
		t.Errorf("tools and choices: %+v", a.requests)
	}
	if base.Tag.Ordinal != 9 || base.Base.Messages != nil {
		t.Error("the model that it was made from changed")
	}
}

// userSays is a request of one user message.
func userSays(text string) []llm.Message { return []llm.Message{{Role: llm.User, Content: &text}} }

// both is a view that holds every kind of message, some of them private.
func both(t testing.TB) []sim.Message {
	t.Helper()
	p := func(text string) *string { return &text }
	raw := map[string]json.RawMessage{"reasoning": json.RawMessage(`"r"`)}
	return []sim.Message{
		{Role: domains.RoleAssistant, Content: p("greeting"), Provider: raw},
		{Role: domains.RoleUser, Content: p("hello"), Provider: raw},
		{Role: domains.RoleAssistant, Content: p("  ")},
		{Role: domains.RoleUser, Content: p(" \n")},
		{Role: domains.RoleDeveloper, Content: p("guidance")},
		{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{
			{ID: "a1", Name: "get", Arguments: args(t, `{"b":1.0,"a":"<&>"}`), Requestor: sim.AgentSide, Provider: map[string]json.RawMessage{"extra_content": json.RawMessage(`"s"`)}},
			{ID: "a2", Name: "cut", Malformed: `{"id": "<P`, Reason: "unexpected EOF", Requestor: sim.AgentSide}}, Provider: raw},
		{Role: domains.RoleTool, ID: "a1", Requestor: sim.AgentSide, Content: p("result")},
		{Role: domains.RoleTool, ID: "a2", Requestor: sim.AgentSide, Content: nil},
		{Role: domains.RoleUser, Content: p("one moment"), ToolCalls: []sim.ToolCall{{ID: "u1", Name: "look", Arguments: args(t, `{}`), Requestor: sim.UserSide}}},
		{Role: domains.RoleTool, ID: "u1", Requestor: sim.UserSide, Content: p("")},
		{Role: domains.RoleAssistant},
		{Role: domains.RoleUser},
		{Role: domains.RoleUser, Content: p("done")},
	}
}

// owned keeps what a side can see.
func owned(msgs []sim.Message, side sim.Side) []sim.Message {
	var out []sim.Message
	for _, m := range msgs {
		if m.Side() == side || m.Role != domains.RoleTool && !m.IsToolCall() {
			out = append(out, m)
		}
	}
	return out
}

func TestWire(t *testing.T) {
	for _, side := range []sim.Side{sim.AgentSide, sim.UserSide} {
		t.Run(string(side), func(t *testing.T) {
			var b strings.Builder
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			for _, m := range sim.Wire("system prompt", owned(both(t), side), side) {
				if err := enc.Encode(m); err != nil {
					t.Fatal(err)
				}
			}
			golden(t, "wire_"+string(side)+".golden", b.String())
		})
	}
}

func TestWireArgumentsOfMalformedCalls(t *testing.T) {
	for _, c := range []struct {
		name string
		call sim.ToolCall
		want string
	}{
		{"cut off", sim.ToolCall{Malformed: `{"id": "P-1`, Reason: "r"}, `{"malformed_arguments":"{\"id\": \"P-1"}`},
		{"markup stays readable", sim.ToolCall{Malformed: `<x> & "y"`, Reason: "r"}, `{"malformed_arguments":"<x> & \"y\""}`},
		{"numbers keep their spelling", call("", "f", `{"n":12345678901234567890,"f":25.0}`), `{"n":12345678901234567890,"f":25.0}`},
		{"no arguments", call("", "f", `{}`), `{}`},
		{"not ASCII", call("", "f", `{"s":"é\u2028"}`), "{\"s\":\"é\u2028\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sim.Wire("", []sim.Message{{Role: domains.RoleAssistant, ToolCalls: []sim.ToolCall{c.call}}}, sim.AgentSide)
			got := w[1].ToolCalls[0].Arguments
			if got != c.want || !json.Valid([]byte(got)) {
				t.Errorf("arguments %s, want %s", got, c.want)
			}
		})
	}
}

// TestWritersHaveATemperatureOfTheirOwn: where the config asks for none.
func TestWritersHaveATemperatureOfTheirOwn(t *testing.T) {
	for asked, want := range map[bool]float64{false: 0.2, true: 0} {
		m := sim.Model{Base: llm.Request{Temperature: new(float64), TemperatureByDefault: !asked}}
		if got := *m.Writer("author").Base.Temperature; got != want {
			t.Errorf("temperature 0 was asked for %t: %v, want %v", asked, got, want)
		}
	}
}

// TestSamplesOfAnAnswer: each sample has its number and a seed of its own, where the model is sent one, and its own
// temperature; the model's parameters stay as they are.
func TestSamplesOfAnAnswer(t *testing.T) {
	t.Parallel()
	var sent []llm.Request
	seed, warm, cold := int64(300), 0.7, 0.0
	m := sim.Model{Base: llm.Request{Seed: &seed, Temperature: &cold}, Client: llm.Func(func(_ context.Context, req llm.Request) (llm.Response, error) {
		sent = append(sent, req)
		return llm.Response{}, nil
	})}
	ask := func(s sim.Sampling) llm.Request {
		t.Helper()
		if _, _, err := m.AskWith(t.Context(), s, 0, nil, nil, ""); err != nil {
			t.Fatal(err)
		}
		return sent[len(sent)-1]
	}
	first, second, third := ask(sim.Sampling{}), ask(sim.Sampling{Sample: 1, Temperature: &warm}), ask(sim.Sampling{Sample: 2})
	if *first.Seed != 300 || *first.Temperature != 0 || first.Tag.Sample != 0 {
		t.Errorf("the first is not as Ask sends it: %+v", first)
	}
	if *second.Seed == 300 || *second.Seed == *third.Seed || *second.Temperature != 0.7 || *third.Temperature != 0 || second.Tag.Sample != 1 || third.Tag.Ordinal != 2 {
		t.Errorf("samples %+v and %+v", second, third)
	}
	if m.Base.Seed = nil; ask(sim.Sampling{Sample: 1}).Seed != nil || seed != 300 {
		t.Error("a model that gets no seed gets one for a sample")
	}
}
