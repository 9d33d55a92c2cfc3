package llm_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/sashabaranov/go-openai"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/sim/llm"
)

// FuzzReadAnswer: any body is either an answer that go-openai decodes, with as
// many calls as were kept, or an error with a message.
func FuzzReadAnswer(f *testing.F) {
	for _, s := range []string{
		`{"id":"g","choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1.0,"completion_tokens":2}}`,
		`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":7,"function":{"name":"f","arguments":{"a":1e400}}}]}}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"},"b",null]}}]}`,
		`{"choices":[{"message":{"function_call":{"name":"f","arguments":"{}"}},"finish_reason":null}]}`,
		`{"choices":[]}`, `{"error":"x"}`, `[{"error":{"code":"429"}}]`, `<html>`, ``, `{"choices":[{"finish_reason":"error"}]}`,
		`{"object":"error","message":"m","code":400}`, "{\"choices\":[{\"message\":{\"content\":\"\xff\"}}]}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		wire, calls, e := llm.ReadAnswer(200, []byte(body))
		if e != nil {
			if e.Message == "" || e.Kind == "" || e.Status == 0 || !utf8.ValidString(e.Error()) || len(e.Body) > 2048 {
				t.Fatalf("unusable error %#v", e)
			}
			return
		}
		var out openai.ChatCompletionResponse
		if err := json.Unmarshal(wire, &out); err != nil {
			t.Fatalf("go-openai cannot decode %s: %v", wire, err)
		}
		if len(out.Choices) != 1 || len(out.Choices[0].Message.ToolCalls) != calls {
			t.Fatalf("%d choices, want 1 with %d calls: %s", len(out.Choices), calls, wire)
		}
	})
}

// FuzzClassify: any failed reply becomes an error with a kind, a status and a
// message, the same one each time.
func FuzzClassify(f *testing.F) {
	for _, s := range []string{
		`{"error":{"message":"m","type":"t","param":"p","code":"c"}}`, `{"error":"x"}`, `[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"3s"}]}}]`,
		`{"object":"error","message":"m","code":400}`, `{"detail":[{"msg":"m"}]}`, `{"errors":["x"]}`, page503, ``, `null`, `[]`, `{"error":{"message":["a"]}}`, "\xff\xfe<p",
		`{"error":{"innererror":{"code":"ResponsibleAIPolicyViolation"},"metadata":{"raw":"r"}}}`,
	} {
		f.Add(429, s)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			status = 500
		}
		h, now := http.Header{}, time.Unix(0, 0)
		e := llm.Classify(status, h, []byte(body), now)
		if e.Message == "" || e.Kind == "" || e.Status == 0 || len(e.Body) > 2048 || !utf8.ValidString(e.Body) {
			t.Fatalf("unusable error %#v", e)
		}
		if status >= 300 && e.Status != status {
			t.Fatalf("status %d became %d", status, e.Status)
		}
		if again := llm.Classify(status, h, []byte(body), now); !reflect.DeepEqual(again, e) {
			t.Fatalf("%#v and %#v", e, again)
		}
	})
}

// FuzzRetryAfter: any header gives a wait between nothing and a year.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"7", "0.5", "Wed, 21 Oct 2026 07:28:00 GMT", "1m", "-1", "NaN", "1e999", "2026-10-21T07:28:00Z", ""} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, after, ms string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {after}}
		if d := llm.RetryAfter(h, time.Unix(1_800_000_000, 0)); d < 0 || d > 365*24*time.Hour {
			t.Fatalf("wait %s", d)
		}
	})
}

// TestStringsSurvive: request bodies hold the same text that encoding/json would
// write, unescaped, and invalid runs become one U+FFFD.
func TestStringsSurvive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		out := llm.AppendString(s)
		if !utf8.Valid(out) || !json.Valid(out) {
			t.Fatalf("%q is not a JSON string", out)
		}
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatal(err)
		}
		if want := toValid(s); back != want {
			t.Fatalf("wrote %q for %q, read %q, want %q", out, s, back, want)
		}
	})
}

// toValid is the naive twin: one replacement per run of invalid bytes.
func toValid(s string) string {
	var out []rune
	bad := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		invalid := r == utf8.RuneError && n == 1
		if !invalid {
			out = append(out, r)
		} else if !bad {
			out = append(out, utf8.RuneError)
		}
		bad = invalid
		i += n
	}
	return string(out)
}

// TestRoundTrip: what a model said, sent back as history, arrives as the same
// text at the server.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := llm.Message{Role: llm.Assistant, Content: ptr(rapid.StringN(1, 20, -1).Draw(t, "content"))}
		for range rapid.IntRange(0, 3).Draw(t, "calls") {
			m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: rapid.String().Draw(t, "id"), Name: rapid.String().Draw(t, "name"), Arguments: rapid.StringMatching(`\S.*`).Draw(t, "arguments")})
		}
		body, _, err := llm.EncodeRequest(llm.Endpoint{Model: "m"}, llm.Models{}, llm.Request{Messages: []llm.Message{m}})
		if err != nil {
			t.Fatal(err)
		}
		var sent openai.ChatCompletionRequest
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		got := llm.Message{Role: llm.Role(sent.Messages[0].Role), Content: &sent.Messages[0].Content}
		for _, c := range sent.Messages[0].ToolCalls {
			got.ToolCalls = append(got.ToolCalls, llm.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Fatalf("(-sent +arrived):\n%s", diff)
		}
	})
}
