package llm_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// reply wraps one message as a full reply without usage.
func reply(message, finish string) faultserver.Reply {
	return faultserver.Raw(`{"id":"g1","model":"served","choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}]}`)
}

func oneCall(call string) faultserver.Reply {
	return reply(`{"role":"assistant","content":null,"tool_calls":[`+call+`]}`, "tool_calls")
}

func assistant(content *string, calls ...llm.ToolCall) llm.Message {
	return llm.Message{Role: llm.Assistant, Content: content, ToolCalls: calls, Origin: "test/local-model"}
}

// TestRepliesArrive drives odd but usable replies through real HTTP and
// go-openai. What the model said must arrive unrepaired; only types change, and
// every change is named.
func TestRepliesArrive(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) llm.ToolCall { return llm.ToolCall{ID: id, Name: name, Arguments: args} }
	tests := []struct {
		name   string
		reply  faultserver.Reply
		want   llm.Message
		finish string
		quirks []string
	}{
		{"C1 arguments cut off", oneCall(`{"id":"c1","type":"function","function":{"name":"get_parcel","arguments":"{\"id\": \"P-1"}}`),
			assistant(nil, call("c1", "get_parcel", `{"id": "P-1`)), "tool_calls", nil},
		{"C1 truncated turn keeps its calls", reply(`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_parcel","arguments":"{"}}]}`, "length"),
			assistant(nil, call("c1", "get_parcel", `{`)), "length", nil},
		{"C2 arguments as object", oneCall(`{"id":"c1","type":"function","function":{"name":"get_parcel","arguments":{"id": "P-1"}}}`),
			assistant(nil, call("c1", "get_parcel", `{"id":"P-1"}`)), "tool_calls", []string{"object_arguments"}},
		{"C3 empty arguments", oneCall(`{"id":"c1","type":"function","function":{"name":"list","arguments":""}}`),
			assistant(nil, call("c1", "list", "")), "tool_calls", nil},
		{"C3 null arguments", oneCall(`{"id":"c1","type":"function","function":{"name":"list","arguments":null}}`),
			assistant(nil, call("c1", "list", "")), "tool_calls", []string{"missing_arguments"}},
		{"C3 absent arguments", oneCall(`{"id":"c1","type":"function","function":{"name":"list"}}`),
			assistant(nil, call("c1", "list", "")), "tool_calls", []string{"missing_arguments"}},
		{"C4 arguments with a tail are not repaired", oneCall(`{"id":"c1","type":"function","function":{"name":"list","arguments":"{}\"\""}}`),
			assistant(nil, call("c1", "list", `{}""`)), "tool_calls", nil},
		{"C5 arguments are a list in text", oneCall(`{"id":"c1","type":"function","function":{"name":"list","arguments":"[1]"}}`),
			assistant(nil, call("c1", "list", `[1]`)), "tool_calls", nil},
		{"C5 arguments are a bare number", oneCall(`{"id":"c1","type":"function","function":{"name":"list","arguments":3}}`),
			assistant(nil, call("c1", "list", `3`)), "tool_calls", []string{"untyped_arguments"}},
		{"C6 doubly encoded", oneCall(`{"id":"c1","type":"function","function":{"name":"list","arguments":"\"{\\\"id\\\":\\\"P-1\\\"}\""}}`),
			assistant(nil, call("c1", "list", `"{\"id\":\"P-1\"}"`)), "tool_calls", nil},
		{"C7 unknown and prefixed tool names", oneCall(`{"id":"c1","type":"function","function":{"name":"functions.get_parcle ","arguments":"{}"}}`),
			assistant(nil, call("c1", "functions.get_parcle ", `{}`)), "tool_calls", nil},
		{"C8 duplicate ids", oneCall(`{"id":"dup","type":"function","function":{"name":"get_parcel","arguments":"{\"id\":\"P-1\"}"}},` +
			`{"id":"dup","type":"function","function":{"name":"get_parcel","arguments":"{\"id\":\"P-2\"}"}}`),
			assistant(nil, call("dup", "get_parcel", `{"id":"P-1"}`), call("dup", "get_parcel", `{"id":"P-2"}`)), "tool_calls", nil},
		{"C10 integer id", oneCall(`{"id":7,"type":"function","function":{"name":"list","arguments":"{}"}}`),
			assistant(nil, call("7", "list", `{}`)), "tool_calls", []string{"int_id"}},
		{"C10 empty id", oneCall(`{"id":"","type":"function","function":{"name":"list","arguments":"{}"}}`),
			assistant(nil, call("", "list", `{}`)), "tool_calls", []string{"missing_id"}},
		{"C10 absent id", oneCall(`{"type":"function","function":{"name":"list","arguments":"{}"}}`),
			assistant(nil, call("", "list", `{}`)), "tool_calls", []string{"missing_id"}},
		{"C11 nothing at all", reply(`{"role":"assistant","content":null}`, "stop"), assistant(nil), "stop", nil},
		{"C11 blank text", reply(`{"role":"assistant","content":"  \n"}`, "stop"), assistant(ptr("  \n")), "stop", nil},
		{"C11 empty text differs from none", reply(`{"role":"assistant","content":""}`, "stop"), assistant(ptr("")), "stop", nil},
		{"C12 text and calls", reply(`{"role":"assistant","content":"Looking.","tool_calls":[{"id":"c1","type":"function","function":{"name":"list","arguments":"{}"}}]}`, "stop"),
			assistant(ptr("Looking."), call("c1", "list", `{}`)), "stop", nil},
		{"C14 empty list of calls", reply(`{"role":"assistant","content":"Hi.","tool_calls":[]}`, "stop"), assistant(ptr("Hi.")), "stop", nil},
		{"C14 null list of calls", reply(`{"role":"assistant","content":"Hi.","tool_calls":null}`, "stop"), assistant(ptr("Hi.")), "stop", nil},
		{"C28 numbers keep their digits", oneCall(`{"id":"c1","type":"function","function":{"name":"set","arguments":{"n":12345678901234567890,"e":1e400,"z":-0,"p":2.50,"f":25.0}}}`),
			assistant(nil, call("c1", "set", `{"n":12345678901234567890,"e":1e400,"z":-0,"p":2.50,"f":25.0}`)), "tool_calls", []string{"object_arguments"}},
		{"C30 odd unicode", reply(`{"role":"assistant","content":"ok 👩‍👩‍👧 – שלום \u202e نعم \u0000 \ud83d end"}`, "stop"),
			assistant(ptr("ok 👩‍👩‍👧 – שלום \u202e نعم \x00 \uFFFD end")), "stop", nil},
		{"C30 invalid UTF-8 becomes one replacement", reply("{\"role\":\"assistant\",\"content\":\"a\xff\xfe\xfdb\"}", "stop"),
			assistant(ptr("a\uFFFDb")), "stop", nil},
		{"C31 markup and line separators", reply(`{"role":"assistant","content":"<b>&amp; \u2028###STOP###\u001b[2J"}`, "stop"),
			assistant(ptr("<b>&amp; \u2028###STOP###\x1b[2J")), "stop", nil},
		{"role absent", reply(`{"content":"Hi."}`, "stop"), assistant(ptr("Hi.")), "stop", []string{"role"}},
		{"content in parts", reply(`{"role":"assistant","content":[{"type":"text","text":"Hi"},null,{"type":"output_text","text":" you"}]}`, "stop"),
			func() llm.Message {
				m := assistant(ptr("Hi you"))
				m.Extra = map[string]json.RawMessage{"content": raw(`[{"type":"text","text":"Hi"},null,{"type":"output_text","text":" you"}]`)}
				return m
			}(), "stop", []string{"content_parts"}},
		{"call without a function object", oneCall(`{"id":"c1","name":"list","arguments":"{}"}`),
			assistant(nil, call("c1", "list", `{}`)), "tool_calls", []string{"flat_tool_call"}},
		{"legacy function call", reply(`{"role":"assistant","content":null,"function_call":{"name":"list","arguments":"{}"}}`, "function_call"),
			assistant(nil, call("", "list", `{}`)), "function_call", []string{"function_call", "missing_id"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := ask(t, once(t, faultserver.New(t, tt.reply)))
			if diff := cmp.Diff(tt.want, resp.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if resp.FinishReason != tt.finish {
				t.Errorf("finish reason %q, want %q", resp.FinishReason, tt.finish)
			}
			if diff := cmp.Diff(tt.quirks, resp.Quirks, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("quirks (-want +got):\n%s", diff)
			}
			if !utf8.Valid(resp.Raw) || !json.Valid(resp.Raw) {
				t.Errorf("raw reply is not valid JSON in UTF-8: %q", resp.Raw)
			}
			if resp.Attempts != 1 || resp.Model != "served" || resp.RequestID != "g1" {
				t.Errorf("attempts %d, model %q, request id %q", resp.Attempts, resp.Model, resp.RequestID)
			}
		})
	}
}

// TestRawIsTheReply keeps the bytes of the reply as evidence.
func TestRawIsTheReply(t *testing.T) {
	t.Parallel()
	r := oneCall(`{"id":7,"type":"function","function":{"name":"list","arguments":{"n":2.50}}}`)
	resp := ask(t, once(t, faultserver.New(t, r)))
	if string(resp.Raw) != r.Body {
		t.Errorf("raw reply\n%s\nwant\n%s", resp.Raw, r.Body)
	}
}

// TestReasoningIsKept checks C26: provider fields arrive verbatim, apart from
// the visible text.
func TestReasoningIsKept(t *testing.T) {
	t.Parallel()
	r := reply(`{"role":"assistant","content":"Hi.","refusal":null,"reasoning_content":"think <b>","reasoning_details":[{"type":"x","n":1.50}],`+
		`"tool_calls":[{"id":"c1","type":"function","index":0,"extra_content":{"google":{"thought_signature":"s=="}},`+
		`"function":{"name":"list","arguments":"{}","note":"<&>"}}]}`, "tool_calls")
	resp := ask(t, once(t, faultserver.New(t, r)))
	want := llm.Message{
		Role: llm.Assistant, Content: ptr("Hi."), Origin: "test/local-model",
		Extra: map[string]json.RawMessage{
			"reasoning_content": raw(`"think <b>"`), "reasoning_details": raw(`[{"type":"x","n":1.50}]`),
		},
		ToolCalls: []llm.ToolCall{{ID: "c1", Name: "list", Arguments: "{}", Extra: map[string]json.RawMessage{
			"extra_content": raw(`{"google":{"thought_signature":"s=="}}`), "function": raw(`{"note":"<&>"}`),
		}}},
	}
	if diff := cmp.Diff(want, resp.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if got := resp.Message.Reasoning(); got != "think <b>" {
		t.Errorf("reasoning %q", got)
	}
}

// TestUsageArrives checks C15 through the wire.
func TestUsageArrives(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, usage string
		want        llm.Usage
		cost        *float64
		quirks      []string
	}{
		{"C15 absent", ``, llm.Usage{}, nil, nil},
		{"C15 null", `,"usage":null`, llm.Usage{}, nil, nil},
		{"C15 floats", `,"usage":{"prompt_tokens":12.0,"completion_tokens":3e0}`,
			llm.Usage{PromptTokens: llm.Known(12), CompletionTokens: llm.Known(3)}, ptr((12*2.0 + 3*8.0) / 1e6), []string{"float_usage"}},
		{"complete", `,"usage":{"prompt_tokens":1000,"completion_tokens":100,"total_tokens":1100,"prompt_tokens_details":{"cached_tokens":600},"completion_tokens_details":{"reasoning_tokens":40}}`,
			llm.Usage{PromptTokens: llm.Known(1000), CachedTokens: llm.Known(600), CompletionTokens: llm.Known(100), ReasoningTokens: llm.Known(40)},
			ptr((400*2.0 + 600*0.5 + 100*8.0) / 1e6), nil},
		{"zeros mean that nobody counted", `,"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, llm.Usage{}, nil, []string{"zero_usage"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]` + tt.usage + `}`
			srv := faultserver.New(t, faultserver.Raw(body))
			resp := ask(t, once(t, srv, func(e *llm.Endpoint) { e.Model = "gpt-4.1-2025-04-14" }))
			if diff := cmp.Diff(tt.want, resp.Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.cost, resp.Cost, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("cost (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.quirks, resp.Quirks, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("quirks (-want +got):\n%s", diff)
			}
		})
	}
}
