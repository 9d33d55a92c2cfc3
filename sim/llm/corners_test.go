package llm_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestFinishReasons reads every provider's words, in any case.
func TestFinishReasons(t *testing.T) {
	t.Parallel()
	words := map[string][]string{
		"cut off":  {"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length"},
		"filtered": {"content_filter", "content_filtered", "SAFETY", "recitation", "prohibited_content", "blocklist", "spii", "refusal"},
		"neither":  {"", "stop", "tool_calls", "end_turn", "error"},
	}
	for kind, list := range words {
		for _, w := range list {
			if got := llm.CutOff(w); got != (kind == "cut off") {
				t.Errorf("%q: cut off %t", w, got)
			}
			if got := llm.Filtered(w); got != (kind == "filtered") {
				t.Errorf("%q: filtered %t", w, got)
			}
		}
	}
	for _, text := range []string{"<tool_call>{", "<|tool_call_begin|>", "<tool_calls>", "[TOOL_CALLS]", "<function=f>", "<function_call>", "<|python_tag|>", "<|action_start|>", "<invoke name", "functools[{", "<minimax:tool_call>", "<|channel|>commentary to=", "<|recipient|>", "<｜tool▁calls"} {
		if got := llm.CallMarkup("I do: " + text); got == "" || !strings.HasPrefix(text, got) {
			t.Errorf("%s: markup %q", text, got)
		}
	}
	if got := llm.CallMarkup("I call the tool."); got != "" {
		t.Errorf("plain words: markup %q", got)
	}
}

// TestBareStatuses: what a status stands for by itself, and which 4xx tell nothing.
func TestBareStatuses(t *testing.T) {
	t.Parallel()
	want := map[llm.Kind][]int{
		llm.KindAuth: {401, 403}, llm.KindQuota: {402}, llm.KindTimeout: {408}, llm.KindRateLimit: {429},
		llm.KindServer: {409, 423, 424, 425, 499, 500, 502, 529}, llm.KindBadRequest: {400, 404, 410, 418, 422, 451},
	}
	for kind, list := range want {
		for _, status := range list {
			e := llm.Models{}.Classify(status, nil, []byte("no words"), llm.TestEpoch)
			if e.Kind != kind || e.Unknown != (kind == llm.KindBadRequest || status == 403) || e.Status != status {
				t.Errorf("%d: %s, unknown %t, status %d", status, e.Kind, e.Unknown, e.Status)
			}
		}
	}
}

// TestErrorFieldsThatReportNone: many servers send an error field with every answer.
func TestErrorFieldsThatReportNone(t *testing.T) {
	t.Parallel()
	body := func(e string) []byte {
		return []byte(`{"error":` + e + `,"choices":[{"error":` + e + `,"message":{"role":"assistant","content":"ok"}}]}`)
	}
	for _, none := range []string{"null", "{}", "[]", `""`, "false", " null "} {
		if _, _, e := llm.ReadAnswer(200, body(none)); e != nil {
			t.Errorf("error: %s: %v", none, e)
		}
	}
	for _, some := range []string{`{"message":"x"}`, `"x"`, "true", "1"} {
		if _, _, e := llm.ReadAnswer(200, body(some)); e == nil {
			t.Errorf("error: %s is taken for none", some)
		}
	}
	// An error beside nothing, as some proxies send it with status 200.
	if _, _, e := llm.ReadAnswer(200, []byte(`{"message":"rate limit reached","code":429}`)); e == nil || e.Kind != llm.KindRateLimit || e.Message != "rate limit reached" {
		t.Errorf("an error without its field: %v", e)
	}
}

// TestContentForms: texts of lists are joined, and a list without any is no text; the role may be the model's own word.
func TestContentForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, message string
		want          *string
		quirks        []string
	}{
		{"texts and parts", `{"role":"assistant","content":["a",{"type":"text","text":"b"},{"type":"output_text","text":"c"},{"type":"image","text":"d"}]}`, ptr("abc"), []string{"content_parts"}},
		{"only an image, and a call", `{"role":"assistant","content":[{"type":"image"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`, nil, []string{"content_parts"}},
		{"an empty text in a list, and a call", `{"role":"assistant","content":[{"type":"text","text":""}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`, ptr(""), []string{"content_parts"}},
		{"role model", `{"role":"model","content":"a"}`, ptr("a"), []string{"role"}},
		{"no role", `{"content":"a"}`, ptr("a"), []string{"role"}},
	} {
		srv := faultserver.New(t, reply(c.message, "stop"))
		got := ask(t, once(t, srv))
		if diff := cmp.Diff(c.want, got.Message.Content); diff != "" || !slices.Equal(got.Quirks, c.quirks) {
			t.Errorf("%s: quirks %q, content (-want +got):\n%s", c.name, got.Quirks, diff)
		}
		if got.Elapsed <= 0 || got.Elapsed < got.Latency {
			t.Errorf("%s: elapsed %v, latency %v", c.name, got.Elapsed, got.Latency)
		}
	}
}

// TestFiguresAtTheirBounds: the largest figures that are believed, and the first that are not.
func TestFiguresAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		usage  string
		prompt llm.Count
		billed *float64
		quirks []string
	}{
		{`{"prompt_tokens":100000000,"completion_tokens":1,"cost":10000}`, llm.Known(100_000_000), ptr(10000.0), nil},
		{`{"prompt_tokens":100000001,"completion_tokens":1,"cost":10000.5}`, llm.Count{}, nil, []string{"odd_usage", "odd_cost"}},
		{`{"prompt_tokens":7.0,"completion_tokens":1,"cost":0}`, llm.Known(7), ptr(0.0), []string{"float_usage"}},
		{`{"prompt_tokens":"7","completion_tokens":1,"cost":"0.5"}`, llm.Known(7), ptr(0.5), nil},
		{`{"prompt_tokens":7.5,"completion_tokens":1,"cost":-1}`, llm.Count{}, nil, []string{"odd_usage", "odd_cost"}},
		{`{"prompt_tokens":-1,"completion_tokens":1,"cost":"NaN"}`, llm.Count{}, nil, []string{"odd_usage", "odd_cost"}},
		{`{"prompt_tokens":-1.0,"completion_tokens":1,"cost":"free"}`, llm.Count{}, nil, []string{"odd_usage", "odd_cost"}},
		{`{"prompt_tokens":0,"completion_tokens":1}`, llm.Known(0), nil, nil},
		{`{"prompt_tokens":0.0,"completion_tokens":1}`, llm.Known(0), nil, []string{"float_usage"}},
		{`{"prompt_tokens":0,"completion_tokens":0}`, llm.Count{}, nil, []string{"zero_usage"}},
		{`{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cache_write_tokens":1}}`, llm.Known(1), nil, nil},
	} {
		u, billed, quirks := llm.ReadUsage(c.usage)
		slices.Sort(quirks)
		slices.Sort(c.quirks)
		if diff := cmp.Diff(c.billed, billed); u.PromptTokens != c.prompt || diff != "" || !slices.Equal(quirks, c.quirks) {
			t.Errorf("%s: prompt %s, want %s; quirks %q; billed %s", c.usage, u.PromptTokens, c.prompt, quirks, diff)
		}
	}
	for name, details := range map[string]string{"cache_write_tokens": "prompt_tokens_details", "cache_creation_tokens": "input_tokens_details"} {
		u, _, _ := llm.ReadUsage(fmt.Sprintf(`{"prompt_tokens":9,"completion_tokens":1,%q:{%q:4}}`, details, name))
		if u.CacheWriteTokens != llm.Known(4) {
			t.Errorf("%s in %s: %s", name, details, u.CacheWriteTokens)
		}
	}
}

// TestReplayedCost: what replayed answers once cost is summed apart, in dollars, and nothing is spent.
func TestReplayedCost(t *testing.T) {
	t.Parallel()
	var m llm.Meter
	used := llm.Usage{PromptTokens: llm.Known(100), CachedTokens: llm.Known(60), CompletionTokens: llm.Known(10), ReasoningTokens: llm.Known(4)}
	failed := &llm.Spent{Usage: llm.Usage{PromptTokens: llm.Known(1), CompletionTokens: llm.Known(2)}, Cost: ptr(0.5)}
	for _, c := range []struct {
		resp llm.Response
		err  error
	}{
		{llm.Response{Replayed: true, Attempts: 1, Latency: time.Second, Usage: used, Cost: ptr(0.25)}, nil},
		{llm.Response{Replayed: true, Usage: used, Cost: ptr(0.125), Failed: failed}, nil},
		{llm.Response{Replayed: true, Usage: used}, nil},
		{llm.Response{}, &llm.Error{Replayed: true, Spent: *failed}},
	} {
		_, _ = m.Wrap(answering(c.resp, c.err)).Complete(t.Context(), tagged("agent"))
	}
	text, err := json.Marshal(m.Snapshot()["agent"])
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, n := range got {
		if n == 0.0 {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(map[string]any{"replayed": 4.0, "would_tokens": 336.0, "would_cost": 1.375, "would_unknown": 1.0}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := m.Total().KnownCost(); c == nil || *c != 0 {
		t.Errorf("spent %v, want nothing", c)
	}
}

// TestExtraFieldsThatClash with what the request has itself, and only then.
func TestExtraFieldsThatClash(t *testing.T) {
	t.Parallel()
	tools := []llm.Tool{{Name: "f"}}
	for _, c := range []struct {
		key   string
		req   llm.Request
		clash bool
	}{
		{"temperature", llm.Request{Temperature: ptr(0.0)}, true}, {"temperature", llm.Request{}, false},
		{"top_p", llm.Request{TopP: ptr(1.0)}, true}, {"top_p", llm.Request{}, false},
		{"seed", llm.Request{Seed: ptr(int64(0))}, true}, {"seed", llm.Request{}, false},
		{"max_tokens", llm.Request{MaxTokens: ptr(1)}, true}, {"max_completion_tokens", llm.Request{MaxTokens: ptr(1)}, true}, {"max_tokens", llm.Request{}, false},
		{"reasoning_effort", llm.Request{ReasoningEffort: "low"}, true}, {"reasoning_effort", llm.Request{}, false},
		{"tool_choice", llm.Request{ToolChoice: "auto", Tools: tools}, true}, {"tool_choice", llm.Request{ToolChoice: "auto"}, false}, {"tool_choice", llm.Request{Tools: tools}, false},
		{"parallel_tool_calls", llm.Request{Tools: tools}, false}, // nothing is known of the model here
		{"top_k", llm.Request{}, false},
		{"model", llm.Request{}, true}, {"messages", llm.Request{}, true}, {"stream", llm.Request{}, true}, {"tools", llm.Request{}, true},
	} {
		if err := c.req.CheckExtra(c.key); (err != nil) != c.clash {
			t.Errorf("%s: %v, want an error: %t", c.key, err, c.clash)
		}
	}
	strict, err := llm.NewModels(llm.Row{Match: []string{"*"}, ParallelToolCalls: ptr(true)})
	if err != nil {
		t.Fatal(err)
	}
	srv := faultserver.New(t, faultserver.Text("ok"))
	client, err := llm.Dial(llm.Endpoint{Name: "test", BaseURL: srv.URL, Model: "m"}, strict)
	if err != nil {
		t.Fatal(err)
	}
	req := hello()
	req.Extra = map[string]json.RawMessage{"parallel_tool_calls": raw("false")}
	if _, err := client.Complete(t.Context(), req); err != nil || srv.Last(t).JSON(t)["parallel_tool_calls"] != false {
		t.Errorf("without tools, only the extra field says it: %v", err)
	}
	req.Tools = tools
	if _, err := client.Complete(t.Context(), req); err == nil || !strings.Contains(err.Error(), `"parallel_tool_calls" is also set by the request`) {
		t.Errorf("with tools, both do: %v", err)
	}
}

// TestSettingsOnTheWire: choices of tools by their words, and numbers in the form that JSON has for them.
func TestSettingsOnTheWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		choice string
		tools  bool
		want   any // nil for an error, "" for no field
	}{
		{"", true, ""}, {"auto", true, "auto"}, {"none", true, "none"}, {"required", true, "required"},
		{"f", true, map[string]any{"type": "function", "function": map[string]any{"name": "f"}}}, {"g", true, nil},
		{"auto", false, ""}, {"none", false, ""}, {"required", false, nil}, {"f", false, nil},
	} {
		srv := faultserver.New(t, faultserver.Text("ok"))
		req := hello()
		if req.ToolChoice = c.choice; c.tools {
			req.Tools = []llm.Tool{{Name: "f"}}
		}
		_, err := once(t, srv).Complete(t.Context(), req)
		if (err != nil) != (c.want == nil) {
			t.Errorf("%q, tools %t: %v", c.choice, c.tools, err)
		}
		if err != nil {
			continue
		}
		got, sent := srv.Last(t).JSON(t)["tool_choice"]
		if sent != (c.want != "") || sent && !cmp.Equal(got, c.want) {
			t.Errorf("%q, tools %t: sent %v", c.choice, c.tools, got)
		}
	}
	for f, want := range map[float64]string{0: "0", 0.7: "0.7", 1e-7: "1e-07", 1e-6: "0.000001", -1e-7: "-1e-07", 1e21: "1e+21", 9e20: "900000000000000000000"} {
		srv := faultserver.New(t, faultserver.Text("ok"))
		req := hello()
		req.Temperature = &f
		if _, err := once(t, srv).Complete(t.Context(), req); err != nil || !strings.Contains(string(srv.Last(t).Body), `"temperature":`+want) {
			t.Errorf("%v: %v, sent %s", f, err, srv.Last(t).Body)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		req := hello()
		req.TopP = &f
		if _, err := once(t, faultserver.New(t)).Complete(t.Context(), req); err == nil || !strings.Contains(err.Error(), "top_p") {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// TestWhatIsHandedInIsCopied: tables and headers may be changed by who made them without a change in what they made.
func TestWhatIsHandedInIsCopied(t *testing.T) {
	t.Parallel()
	rows := []llm.FailureRow{{Kind: llm.KindQuota, Message: []string{"no coins"}}}
	m, err := llm.Models{}.WithFailures(rows...)
	if err != nil {
		t.Fatal(err)
	}
	rows[0].Kind = llm.KindAuth
	if e := m.Classify(400, nil, []byte(`{"error":{"message":"no coins left"}}`), llm.TestEpoch); e.Kind != llm.KindQuota {
		t.Errorf("kind %s", e.Kind)
	}
	srv := faultserver.New(t, faultserver.Text("ok"))
	headers := map[string]string{"X-Test": "before"}
	c := once(t, srv, func(e *llm.Endpoint) { e.Headers = headers })
	headers["X-Test"] = "after"
	ask(t, c)
	if got := srv.Last(t).Header.Get("X-Test"); got != "before" {
		t.Errorf("header %q", got)
	}
}

// TestRowsSetWhatTheySay, and a value that no row may have is refused by its key.
func TestRowsSetWhatTheySay(t *testing.T) {
	t.Parallel()
	m, err := llm.NewModels(
		llm.Row{Match: []string{"*"}, Auth: ptr(llm.AuthAPIKey), Roles: ptr(llm.RolesAlternate), EmptyContent: ptr(llm.EmptySpace), SystemRole: ptr("developer"), OneSystem: ptr(true), StrictArguments: ptr(true), Developer: ptr(true)},
		llm.Row{Match: []string{"other"}, Auth: ptr(llm.AuthBearer), OneSystem: ptr(false)})
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]string{"any": "api-key alternate true developer true true true", "other": "bearer alternate true developer false true true"} {
		c := m.For("http://h/v1", model)
		if got := fmt.Sprint(c.Auth, " ", c.Roles, " ", c.EmptyContent == llm.EmptySpace, " ", c.SystemRole, " ", c.OneSystem, " ", c.StrictArguments, " ", c.Developer); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
	for key, r := range map[string]llm.Row{
		"auth": {Auth: ptr("password")}, "roles": {Roles: ptr("any")}, "empty_content": {EmptyContent: ptr("x")}, "system_role": {SystemRole: ptr("user")},
		"token_field": {TokenField: ptr("tokens")}, "echo.when": {Echo: &llm.Echo{When: "now"}}, "input": {Price: &llm.Price{Input: ptr(1e6 + 1), Date: "2026-01-01", Source: "x"}},
		"up_to_prompt": {Price: &llm.Price{UpToPrompt: ptr(int64(0)), Date: "2026-01-01", Source: "x"}},
	} {
		r.Match = []string{"*"}
		if _, err := llm.NewModels(r); err == nil || !strings.HasPrefix(err.Error(), "rows[0]."+key+": ") {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := llm.NewModels(llm.Row{Match: []string{"*"}, Price: &llm.Price{Input: ptr(1e6), Cached: ptr(0.0), UpToPrompt: ptr(int64(1)), Date: "2026-01-01", Source: "x"}}); err != nil {
		t.Errorf("prices at their bounds: %v", err)
	}
}

// TestCodesOfErrors: the code is the endpoint's own, or what kind it says the error is, and a moderation layer is known by
// what it flags.
func TestCodesOfErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, code string }{
		{"its own", `{"error":{"message":"m","type":"kind","code":"code"}}`, "code"},
		{"the kind", `{"error":{"message":"m","type":"kind"}}`, "kind"},
		{"a number is a status", `{"error":{"message":"m","type":"kind","code":400}}`, "kind"},
	} {
		if e := models(t).Classify(400, nil, []byte(c.body), llm.TestEpoch); e.Code != c.code {
			t.Errorf("%s: code %q, want %q", c.name, e.Code, c.code)
		}
	}
	flagged := `{"error":{"message":"no","code":403,"metadata":{"reasons":["violence"],"flagged_input":"hit"}}}`
	if e := models(t).Classify(403, nil, []byte(flagged), llm.TestEpoch); e.Kind != llm.KindContentFilter {
		t.Errorf("flagged: %s", e.Kind)
	}
}
