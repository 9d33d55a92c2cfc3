package llm_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

const wholeReply = `{"id":"c","model":"x","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hello."}}]}`

// TestSlips: answers that are refusals, cut off, or hold a call in their text are marked, and what surrounds a reply or
// comes in a further choice is noted, not lost.
func TestSlips(t *testing.T) {
	t.Parallel()
	message := func(finish, fields string) string {
		return `{"choices":[{"finish_reason":"` + finish + `","message":{"role":"assistant",` + fields + `}}]}`
	}
	type marks struct{ text, refusal, markup, call string }
	for _, tt := range []struct {
		name, body string
		tools      bool
		want       marks
		cutOff     bool
		quirks     []string
	}{
		{"plain", wholeReply, true, marks{text: "Hello."}, false, nil},
		{"refusal", message("stop", `"content":null,"refusal":"I can't assist."`), false, marks{refusal: "I can't assist."}, false, nil},
		{"cut off", message("length", `"content":"Your task has been crea"`), false, marks{text: "Your task has been crea"}, true, nil},
		{"cut off in another word", message("max_tokens", `"content":"Your"`), false, marks{text: "Your"}, true, nil},
		{"filtered", message("content_filter", `"content":"Your"`), false, marks{text: "Your"}, false, nil},
		{"filtered refusal", message("content_filter", `"content":null,"refusal":"I can't assist."`), false, marks{refusal: "I can't assist."}, false, nil},
		{"call in text", message("stop", `"content":"<tool_call>{}"`), true, marks{text: "<tool_call>{}", markup: "<tool_call>"}, false, nil},
		{"call in a JSON text", message("stop", `"content":"Now:\n[{\"type\": \"function\", \"name\": \"f\", \"parameters\": {}}]"`), true,
			marks{text: "Now:\n[{\"type\": \"function\", \"name\": \"f\", \"parameters\": {}}]", markup: `[{"type": "function", "name": "f"`}, false, nil},
		{"call like a function's", message("stop", `"content":"f(x=1)"`), true, marks{text: "f(x=1)", markup: "f(x="}, false, nil},
		{"JSON of no tool", message("stop", `"content":"{\"name\": \"Ada\"}"`), true, marks{text: `{"name": "Ada"}`}, false, nil},
		{"refusal in a part", message("stop", `"content":[{"type":"refusal","refusal":"I can't assist."}]`), false, marks{refusal: "I can't assist."}, false, []string{"content_parts"}},
		{"markup without tools", message("stop", `"content":"<tool_call>{}"`), false, marks{text: "<tool_call>{}"}, false, nil},
		{"end of a stream", wholeReply + "\n\ndata: [DONE]\n\n", false, marks{text: "Hello."}, false, []string{"stream_end"}},
		{"end of a stream with comments", wholeReply + "\r\n: keep-alive\r\n\r\ndata: [DONE]\r\n", false, marks{text: "Hello."}, false, []string{"stream_end"}},
		{"end of a stream without its field", wholeReply + "\n[DONE]\n", false, marks{text: "Hello."}, false, []string{"stream_end"}},
		{"byte-order mark", "\xEF\xBB\xBF" + wholeReply, false, marks{text: "Hello."}, false, []string{"byte_order_mark"}},
		{"call in the second choice", `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"Now."}},{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"},"more":1}]}}]}`,
			true, marks{text: "Now.", call: "f"}, false, []string{"further_choices", "call_in_further_choice"}},
		{"text in the second choice", `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}},{"message":{"role":"assistant","content":"Now."}}]}`,
			true, marks{text: "Now.", call: "f"}, false, []string{"further_choices", "text_in_further_choice"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := hello()
			if tt.tools {
				req.Tools = []llm.Tool{{Name: "f"}}
			}
			resp, err := once(t, faultserver.New(t, faultserver.Raw(tt.body))).Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			got := marks{text: resp.Message.Text(), refusal: resp.Refusal, markup: resp.CallInText}
			for _, c := range resp.Message.ToolCalls {
				got.call += c.Name
			}
			if got != tt.want || resp.CutOff != tt.cutOff || !slices.Equal(resp.Quirks, tt.quirks) {
				t.Errorf("got %+v, cut off %t, quirks %q\nwant %+v, %t, %q", got, resp.CutOff, resp.Quirks, tt.want, tt.cutOff, tt.quirks)
			}
		})
	}
}

// TestFilteredAnswer: an answer of which a provider's filter left nothing is a moderated one, not an empty one.
func TestFilteredAnswer(t *testing.T) {
	t.Parallel()
	for _, finish := range []string{"content_filter", "SAFETY", "refusal"} {
		body := `{"choices":[{"finish_reason":"` + finish + `","message":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":9,"completion_tokens":0}}`
		e := refuse(t, once(t, faultserver.New(t, faultserver.Raw(body))))
		if e.Kind != llm.KindContentFilter || e.Code != finish || e.Usage.PromptTokens != llm.Known(9) || !strings.Contains(e.Error(), "filter") {
			t.Errorf("%s: %v, usage %+v", finish, e, e.Usage)
		}
	}
}

// TestTrailersThatAreNoEnd: what follows a reply must be the end of a stream.
func TestTrailersThatAreNoEnd(t *testing.T) {
	t.Parallel()
	for _, rest := range []string{wholeReply, "x", "data: " + wholeReply, "\n\ndata: [DONE]\nx"} {
		if e := refuse(t, once(t, faultserver.New(t, faultserver.Raw(wholeReply+rest)))); e.Kind != llm.KindMalformed || !strings.Contains(e.Message, "not valid JSON") {
			t.Errorf("followed by %q: %v", rest, e)
		}
	}
}

// TestModelsThatWantAnotherHistory: an endpoint may keep what models said beside their text to itself, have messages
// joined so that roles alternate, and want headers of its own, which are not repeated.
func TestModelsThatWantAnotherHistory(t *testing.T) {
	t.Parallel()
	srv := faultserver.New(t, faultserver.Text("ok"), faultserver.Status(400, `{"error":{"message":"odd header gw-secret-12345"}}`))
	c := once(t, srv, func(e *llm.Endpoint) {
		e.Echo, e.Roles, e.Headers = llm.EchoNever, llm.RolesAlternate, map[string]string{"X-Gateway": "gw-secret-12345"}
	})
	say := func(role llm.Role, text string) llm.Message { return llm.Message{Role: role, Content: &text} }
	call := say(llm.Assistant, "Looking.")
	call.ToolCalls = []llm.ToolCall{{ID: "c1", Name: "f", Arguments: "{}", Extra: map[string]json.RawMessage{"sig": raw(`1`)}}}
	call.Extra = map[string]json.RawMessage{"reasoning_content": raw(`"thought"`)}
	req := llm.Request{Messages: []llm.Message{say(llm.System, "S"), say(llm.Assistant, "Hi"), say(llm.User, "one"), say(llm.User, "two"), say(llm.System, "G"),
		say(llm.Assistant, "Well."), call, {Role: llm.ToolRole, ToolCallID: "c1"}, say(llm.Assistant, "Done.")}}
	if _, err := c.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var sent struct{ Messages []map[string]any }
	if err := json.Unmarshal(srv.Last(t).Body, &sent); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range sent.Messages {
		got = append(got, fmt.Sprintf("%v: %v", m["role"], m["content"]))
		if m["reasoning_content"] != nil {
			t.Error("the thoughts went back")
		}
	}
	want := []string{"system: S\n\nG", "user: (The conversation begins.)", "assistant: Hi", "user: one\n\ntwo", "assistant: Well.\n\nLooking.", "tool: ", "assistant: Done."}
	if !slices.Equal(got, want) {
		t.Errorf("sent %q\nwant %q", got, want)
	}
	if h := srv.Last(t).Header.Get("X-Gateway"); h != "gw-secret-12345" {
		t.Errorf("header %q", h)
	}
	if e := refuse(t, c); strings.Contains(fmt.Sprintf("%+v %s", e, e), "gw-secret") {
		t.Errorf("the error repeats the header: %v", e)
	}
}

// TestSpendingIsCountedOrRefused: what failed attempts cost is on the error, a provider's own figure counts where no
// price is known, and figures that cannot be are not believed.
func TestSpendingIsCountedOrRefused(t *testing.T) {
	t.Parallel()
	none := faultserver.Raw(`{"id":"g","usage":{"prompt_tokens":100,"completion_tokens":5,"cost":0.25}}`)
	meter := &llm.Meter{}
	d := llm.Dialer{Models: models(t), Meter: meter}
	c, err := d.Dial(llm.Endpoint{Name: "e", BaseURL: faultserver.New(t, none, none).URL, Model: "nobody-knows-me", Retry: llm.RetryPolicy{Attempts: 2, FirstWait: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if e := refuse(t, c); e.Usage.PromptTokens != llm.Known(200) || e.Usage.CompletionTokens != llm.Known(10) || e.Cost == nil || *e.Cost != 0.5 {
		t.Errorf("usage %+v, cost %v, want that of both attempts", e.Usage, e.Cost)
	}
	if got := meter.Total(); got.Failed != 1 || got.PromptTokens != 200 || got.Cost != 0.5 {
		t.Errorf("metered %+v", got)
	}
	then, err := d.Dial(llm.Endpoint{Name: "e", BaseURL: faultserver.New(t, none, faultserver.Raw(strings.TrimSuffix(wholeReply, "}")+`,"usage":{"prompt_tokens":7,"completion_tokens":1,"cost":0.5}}`)).URL,
		Model: "nobody-knows-me", Retry: llm.RetryPolicy{FirstWait: 1}})
	if err != nil {
		t.Fatal(err)
	}
	resp := ask(t, then)
	if f := resp.Failed; f == nil || f.Usage.PromptTokens != llm.Known(100) || *f.Cost != 0.25 || resp.Usage.PromptTokens != llm.Known(7) || *resp.Cost != 0.5 {
		t.Errorf("answered after a failure: %+v, before it %+v", resp, f)
	}
	if got := meter.Total(); got.Calls != 2 || got.Failed != 1 || got.PromptTokens != 307 || got.Cost != 1.25 || got.Billed != 2 {
		t.Errorf("metered %+v", got)
	}
	for _, tt := range []struct {
		usage  string
		cost   *float64
		prompt llm.Count
		quirk  string
	}{
		{`{"prompt_tokens":1000,"completion_tokens":100,"cost":0.25}`, ptr(0.25), llm.Known(1000), "billed_cost"},
		{`{"prompt_tokens":1000,"completion_tokens":100,"cost":-1}`, nil, llm.Known(1000), "odd_cost"},
		{`{"prompt_tokens":1000,"completion_tokens":100,"cost":"NaN"}`, nil, llm.Known(1000), "odd_cost"},
		{`{"prompt_tokens":1000,"completion_tokens":100,"cost":1e300}`, nil, llm.Known(1000), "odd_cost"},
		{`{"prompt_tokens":1000,"completion_tokens":100,"cost":1e999}`, nil, llm.Known(1000), "odd_cost"},
		{`{"prompt_tokens":1e999,"completion_tokens":100}`, nil, llm.Count{}, "odd_usage"},
		{`{"prompt_tokens":"NaN","completion_tokens":100}`, nil, llm.Count{}, "odd_usage"},
		{`{"prompt_tokens":1.5,"completion_tokens":100}`, nil, llm.Count{}, "odd_usage"},
		{`{"prompt_tokens":-5,"completion_tokens":100}`, nil, llm.Count{}, "odd_usage"},
		{`{"prompt_tokens":9e15,"completion_tokens":100}`, nil, llm.Count{}, "odd_usage"},
	} {
		resp := ask(t, once(t, faultserver.New(t, faultserver.Raw(strings.TrimSuffix(wholeReply, "}")+`,"usage":`+tt.usage+`}`))))
		if (resp.Cost == nil) != (tt.cost == nil) || tt.cost != nil && *resp.Cost != *tt.cost || resp.Usage.PromptTokens != tt.prompt || !slices.Contains(resp.Quirks, tt.quirk) {
			t.Errorf("%s: cost %v, usage %+v, quirks %q", tt.usage, resp.Cost, resp.Usage, resp.Quirks)
		}
	}
}

// TestAdviceFits: a long prompt is not cured by a higher limit of the answer, and nobody at an address is said to be so.
func TestAdviceFits(t *testing.T) {
	t.Parallel()
	long := refuse(t, once(t, faultserver.New(t, faultserver.Status(400, `{"error":{"message":"prompt is too long"}}`))))
	if text := long.Error(); strings.Contains(text, "max_tokens") || !strings.Contains(text, "larger context window") {
		t.Error(text)
	}
	spent := refuse(t, once(t, faultserver.New(t, faultserver.Raw(`{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"length"}]}`))))
	if text := spent.Error(); !strings.Contains(text, "raise max_tokens") {
		t.Error(text)
	}
	gone, err := llm.Dial(llm.Endpoint{Name: "gone", BaseURL: "http://127.0.0.1:1/v1", Model: "m", Retry: llm.RetryPolicy{Attempts: 1}}, llm.Models{})
	if err != nil {
		t.Fatal(err)
	}
	if e := refuse(t, gone); !e.Nobody() || !strings.Contains(e.Error(), "start the server") {
		t.Errorf("nobody %t: %v", e.Nobody(), e)
	}
}
