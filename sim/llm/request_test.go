package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// history is a conversation with everything that goes wrong in one: empty
// results, empty and broken arguments, provider fields of two origins.
func history(origin string) []llm.Message {
	return []llm.Message{
		{Role: llm.System, Content: ptr("Policy: <b>be fair</b> & \"exact\".\n")},
		{Role: llm.Developer, Content: ptr("Speak plainly.")},
		user("Where is P-1? \u2028 \xff\xfe"),
		{Role: llm.Assistant, Origin: origin, Content: nil, Extra: map[string]json.RawMessage{
			"reasoning_content": raw(`"first <think>"`), "reasoning": raw(`"second"`), "reasoning_details": raw(`[ {"n": 1.50} ]`),
			"extra_content": raw(`{"google":{"thought_signature":"m=="}}`), "refusal": raw(`"no"`),
		}, ToolCalls: []llm.ToolCall{
			{ID: "c1", Name: "get_parcel", Arguments: `{"id": "P-1", "n": 12345678901234567890}`, Extra: map[string]json.RawMessage{
				"extra_content": raw(`{"google":{"thought_signature":"s=="}}`), "function": raw(`{"note":"kept"}`)}},
			{ID: "c2", Name: "list", Arguments: ""},
			{ID: "c3", Name: "list", Arguments: `{"cut": "of`},
		}},
		{Role: llm.ToolRole, ToolCallID: "c1", Content: ptr(`{"state": "lost"}`)},
		{Role: llm.ToolRole, ToolCallID: "c2", Content: ptr("")},
		{Role: llm.ToolRole, ToolCallID: "c3", Content: nil},
		{Role: llm.Assistant, Content: ptr("It is lost."), Origin: "elsewhere/other", Extra: map[string]json.RawMessage{"reasoning": raw(`"foreign"`)}},
		{Role: llm.User, Content: ptr("Thanks."), Name: "ann"},
	}
}

func fullRequest() llm.Request {
	return llm.Request{
		Messages: history(""), ToolChoice: "auto",
		Tools: []llm.Tool{
			{Name: "get_parcel", Description: "Finds a parcel.", Parameters: raw(`{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}`)},
			{Name: "list"},
		},
		Temperature: ptr(0.0), TopP: ptr(0.0), MaxTokens: ptr(256), Seed: ptr(int64(0)), ReasoningEffort: "none",
		Extra: map[string]json.RawMessage{"stop": raw(`[ "###" ]`), "presence_penalty": raw(`0`)},
		Tag:   llm.Tag{Domain: "retail", Role: "agent", Task: "7"},
	}
}

// TestRequestBodies compares the body that reaches the server with a golden file
// per model family.
func TestRequestBodies(t *testing.T) {
	tests := []struct {
		name, model, why string
		edit             func(*llm.Request)
		dropped          []string
	}{
		{"default", "local-model", "temperature 0 is sent, empty results stay, reasoning goes back with tool turns", nil, nil},
		{"gpt-4.1", "gpt-4.1-2025-04-14", "developer role kept, nothing echoed", nil, nil},
		{"gpt-5-mini", "gpt-5-mini", "other token field, sampling dropped", nil, []string{"temperature", "top_p", "presence_penalty"}},
		{"gpt-5.4", "openai/gpt-5.4", "not reasoning: sampling kept", nil, nil},
		{"gpt-5.4-high", "gpt-5.4", "reasoning: sampling dropped", func(r *llm.Request) { r.ReasoningEffort = "high" }, []string{"temperature", "top_p", "presence_penalty"}},
		{"o4-mini", "o4-mini", "developer role instead of system", nil, []string{"temperature", "top_p", "presence_penalty"}},
		{"claude", "claude-sonnet-4-5", "one system message, no empty text, object arguments", nil, []string{"seed", "presence_penalty"}},
		{"gemini", "google/gemini-2.5-pro", "thought signatures go back", nil, []string{"seed"}},
		{"deepseek", "deepseek-chat", "reasoning_content alone goes back", nil, nil},
		{"plain", "local-model", "nothing that was not asked for", func(r *llm.Request) { *r = llm.Request{Messages: []llm.Message{user("hi")}} }, nil},
		{"forced-tool", "local-model", "a named tool", func(r *llm.Request) { r.Messages, r.ToolChoice = []llm.Message{user("hi")}, "list" }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := faultserver.New(t, faultserver.Text("ok"))
			req := fullRequest()
			if tt.edit != nil {
				tt.edit(&req)
			}
			resp, err := once(t, srv, func(e *llm.Endpoint) { e.Model = tt.model }).Complete(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.dropped, resp.Dropped); diff != "" {
				t.Errorf("dropped (-want +got):\n%s", diff)
			}
			body := srv.Last(t).Body
			golden(t, tt.name+".json", body)
			e := llm.Endpoint{Name: "test", BaseURL: srv.URL, Model: tt.model}
			again, _, err := llm.EncodeRequest(e, models(t), req)
			if err != nil || !bytes.Equal(again, body) {
				t.Errorf("EncodeRequest differs from the wire (error %v):\n%s\n%s", err, again, body)
			}
		})
	}
}

// golden compares an indented body with testdata/requests/name.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, body)
	}
	b.WriteByte('\n')
	file := filepath.Join("testdata", "requests", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run go test ./sim/llm -run %s -update", err, t.Name())
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestServerRows checks the rows that go by address.
func TestServerRows(t *testing.T) {
	t.Parallel()
	body, _, err := llm.EncodeRequest(llm.Endpoint{BaseURL: "http://localhost:11434/v1", Model: "qwen3"}, models(t), fullRequest())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"max_tokens":256,"max_completion_tokens":256`, `"content":"","tool_calls"`, `{\"invalid_arguments\":\"{\\\"cut\\\": \\\"of\"}`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("body lacks %s:\n%s", want, body)
		}
	}
}

// TestForeignFieldsStayHome never sends one endpoint's provider fields to another.
func TestForeignFieldsStayHome(t *testing.T) {
	t.Parallel()
	e := llm.Endpoint{Name: "here", BaseURL: "https://h/v1", Model: "gemini-3-pro"}
	for _, tt := range []struct {
		origin string
		sent   bool
	}{{e.Origin(e.Model), true}, {"", true}, {"there/gemini-3-pro", false}, {"here/other", false}} {
		req := llm.Request{Messages: history(tt.origin)}
		body, _, err := llm.EncodeRequest(e, models(t), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"m==", "s==", "kept"} {
			if got := bytes.Contains(body, []byte(field)); got != tt.sent {
				t.Errorf("origin %q: field with %s sent: %t, want %t", tt.origin, field, got, tt.sent)
			}
		}
	}
}

// TestBadRequestsNameTheField refuses what cannot be sent before it is sent.
func TestBadRequestsNameTheField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(*llm.Request)
		want string
	}{
		{"no messages", func(r *llm.Request) { r.Messages = nil }, "messages: the list is empty"},
		{"unknown role", func(r *llm.Request) { r.Messages[2].Role = "boss" }, `messages[2]: role: unknown role "boss"`},
		{"temperature NaN", func(r *llm.Request) { r.Temperature = ptr(math.NaN()) }, "temperature: NaN"},
		{"infinite top_p", func(r *llm.Request) { r.TopP = ptr(math.Inf(1)) }, "top_p: +Inf"},
		{"schema", func(r *llm.Request) { r.Tools[0].Parameters = raw(`{"a":`) }, `tool "get_parcel": parameters are not valid JSON`},
		{"choice", func(r *llm.Request) { r.ToolChoice = "fly" }, `tool_choice "fly"`},
		{"choice without tools", func(r *llm.Request) { r.Tools, r.ToolChoice = nil, "required" }, "no tools"},
		{"extra", func(r *llm.Request) { r.Extra["stop"] = raw(`[`) }, `extra field "stop" is not valid JSON`},
		{"reserved extra", func(r *llm.Request) { r.Extra["stream"] = raw(`true`) }, `extra field "stream"`},
		{"extra twice", func(r *llm.Request) { r.Extra["seed"] = raw(`1`) }, `extra field "seed" is also set`},
		{"message extra", func(r *llm.Request) { r.Messages[3].Extra["reasoning"] = raw(`x`) }, `messages[3]: extra field "reasoning"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.New(t)
			req := fullRequest()
			tt.edit(&req)
			_, err := once(t, srv).Complete(context.Background(), req)
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != llm.KindBadRequest || !strings.Contains(e.Message, tt.want) {
				t.Errorf("got %v, want a bad request with %q", err, tt.want)
			}
			if n := len(srv.Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
	t.Run("no model", func(t *testing.T) {
		t.Parallel()
		e := refuse(t, once(t, faultserver.New(t), func(e *llm.Endpoint) { e.Model = "" }))
		if e.Kind != llm.KindBadRequest || !strings.Contains(e.Message, "no model") {
			t.Errorf("got %v", e)
		}
	})
}

// TestHeaders: no key, no Authorization; the tag only to synthetic endpoints.
func TestHeaders(t *testing.T) {
	t.Parallel()
	tag := llm.Tag{Domain: "telecom", System: "ReAct", Task: "[x|é👩]", Trial: 3, Attempt: 1, Role: "agent", Ordinal: 4, Salt: "s", RunSeed: math.MinInt64}
	req := hello()
	req.Tag = tag
	for _, synthetic := range []bool{false, true} {
		srv := faultserver.New(t, faultserver.Text("ok"))
		c := once(t, srv, func(e *llm.Endpoint) { e.Synthetic, e.Headers = synthetic, map[string]string{"X-Org": "o"} })
		if _, err := c.Complete(context.Background(), req); err != nil {
			t.Fatal(err)
		}
		got := srv.Last(t)
		if h := got.Header.Values("Authorization"); h != nil {
			t.Errorf("Authorization %q without a key", h)
		}
		if got.Header.Get("X-Org") != "o" || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", got.Header)
		}
		if bytes.Contains(got.Body, []byte("telecom")) {
			t.Errorf("the tag is in the body: %s", got.Body)
		}
		back, ok, err := llm.ReadTag(got.Header)
		if err != nil || ok != synthetic {
			t.Errorf("synthetic %t: tag present %t, error %v", synthetic, ok, err)
		}
		if synthetic && back != tag {
			t.Errorf("tag %+v, want %+v", back, tag)
		}
	}
	if _, _, err := llm.ReadTag(map[string][]string{llm.TagHeader: {"{"}}); err == nil {
		t.Error("a broken tag was accepted")
	}
}

// TestRefusedParametersAreLearnt drops a sampling parameter that the endpoint
// refuses by name, once, for this model, and says so with every answer.
func TestRefusedParametersAreLearnt(t *testing.T) {
	t.Parallel()
	picky := func(_ int, r faultserver.Request) faultserver.Reply {
		body := r.JSON(t)
		if body["model"] == "picky" {
			for _, p := range []string{"temperature", "top_p", "max_tokens"} {
				if _, ok := body[p]; ok {
					return faultserver.Error(400, "invalid_request_error", "unsupported_value", p, "Unsupported: "+p)
				}
			}
		}
		return faultserver.Text("ok")
	}
	srv := faultserver.NewFunc(t, picky)
	c := once(t, srv)
	for round, attempts := range []int{4, 1} {
		req := fullRequest()
		req.Model = "picky"
		resp, err := c.Complete(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Attempts != attempts {
			t.Errorf("round %d: %d attempts, want %d", round, resp.Attempts, attempts)
		}
		if diff := cmp.Diff([]string{"temperature", "top_p"}, resp.Dropped); diff != "" {
			t.Errorf("round %d: dropped (-want +got):\n%s", round, diff)
		}
		if got := srv.Last(t).JSON(t)["max_completion_tokens"]; got != 256.0 {
			t.Errorf("round %d: max_completion_tokens %v, want 256", round, got)
		}
	}
	req := fullRequest()
	req.Model = "easy"
	resp, err := c.Complete(context.Background(), req)
	if err != nil || resp.Attempts != 1 || resp.Dropped != nil {
		t.Errorf("another model: attempts %d, dropped %v, error %v", resp.Attempts, resp.Dropped, err)
	}
}

// TestDefaultTemperatureIsLearntFromWords: a temperature that nobody asked for is left out where an endpoint refuses it in
// words alone.
func TestDefaultTemperatureIsLearntFromWords(t *testing.T) {
	t.Parallel()
	srv := faultserver.NewFunc(t, func(_ int, r faultserver.Request) faultserver.Reply {
		if _, ok := r.JSON(t)["temperature"]; ok {
			return faultserver.Error(400, "invalid_request_error", "", "", "`temperature` is deprecated for this model.")
		}
		return faultserver.Text("ok")
	})
	c := once(t, srv)
	for round, attempts := range []int{2, 1} {
		req := fullRequest()
		req.TemperatureByDefault = true
		resp, err := c.Complete(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Attempts != attempts || !slices.Equal(resp.Dropped, []string{"temperature"}) {
			t.Errorf("round %d: %d attempts, dropped %v", round, resp.Attempts, resp.Dropped)
		}
	}
}

// TestOtherRefusalsStand: prose is not a reason to drop a parameter, and what was
// not sent, or is not sampling, is not dropped either.
func TestOtherRefusalsStand(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]faultserver.Reply{
		"prose only":       faultserver.Error(400, "invalid_request_error", "", "", "temperature is not supported"),
		"not sampling":     faultserver.Error(400, "invalid_request_error", "", "reasoning_effort", "no"),
		"not sent":         faultserver.Error(400, "invalid_request_error", "", "logprobs", "no"),
		"not a parameter":  faultserver.Error(400, "invalid_request_error", "", "messages.[0].content", "no"),
		"not a refusal":    faultserver.Error(500, "server_error", "", "temperature", "no"),
		"not a wire field": faultserver.Error(400, "invalid_request_error", "", "tools", "no"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.New(t, reply)
			_, err := once(t, srv).Complete(context.Background(), fullRequest())
			var e *llm.Error
			if !errors.As(err, &e) || e.Attempts != 1 {
				t.Errorf("got %v, want an error after one attempt", err)
			}
		})
	}
}
