package llm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// dialAt connects to a provider's address; the connection ends at srv. warned
// collects the warnings.
func dialAt(t testing.TB, srv *faultserver.Server, e llm.Endpoint, warned *[]string) llm.Client {
	t.Helper()
	var mu sync.Mutex
	rt := srv.Transport()
	t.Cleanup(rt.CloseIdleConnections)
	d := llm.Dialer{Models: models(t), Transport: rt, Warn: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		*warned = append(*warned, text)
	}}
	e.Retry = llm.RetryPolicy{Attempts: 1, RateLimited: 1}
	c, err := d.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestProviders asks each kind of server by its address, twice, and compares
// where the request went, how the key travelled, what was left out and the body,
// which is a golden file.
func TestProviders(t *testing.T) {
	t.Parallel()
	const bearer, apiKey = "Authorization: Bearer sk-planted", "Api-Key: sk-planted"
	tests := []struct {
		name     string
		endpoint llm.Endpoint
		url      string // as it arrives
		auth     string
		dropped  []string
	}{
		{"openai", llm.Endpoint{BaseURL: "http://api.openai.com/v1", Model: "gpt-4.1"}, "api.openai.com/v1/chat/completions", bearer, nil},
		{"openai-reasoning", llm.Endpoint{BaseURL: "http://api.openai.com/v1", Model: "o3"}, "api.openai.com/v1/chat/completions", bearer, []string{"temperature", "top_p", "presence_penalty"}},
		{"azure-deployment", llm.Endpoint{BaseURL: "http://my.openai.azure.com/openai/deployments/prod-a?api-version=2024-10-21", Model: "gpt-5-mini"},
			"my.openai.azure.com/openai/deployments/prod-a/chat/completions?api-version=2024-10-21", apiKey, []string{"temperature", "top_p", "presence_penalty"}},
		{"azure-v1", llm.Endpoint{BaseURL: "http://my.openai.azure.com/openai/v1/", Model: "prod-a", Like: "gpt-5-mini"},
			"my.openai.azure.com/openai/v1/chat/completions", apiKey, []string{"temperature", "top_p", "presence_penalty"}},
		{"anthropic", llm.Endpoint{BaseURL: "http://api.anthropic.com/v1/", Model: "claude-sonnet-4-5"}, "api.anthropic.com/v1/chat/completions", bearer, []string{"seed", "reasoning_effort", "presence_penalty"}},
		{"gemini", llm.Endpoint{BaseURL: "http://generativelanguage.googleapis.com/v1beta/openai/", Model: "gemini-2.5-pro"},
			"generativelanguage.googleapis.com/v1beta/openai/chat/completions", bearer, []string{"seed"}},
		{"openrouter", llm.Endpoint{BaseURL: "http://openrouter.ai/api/v1", Model: "qwen/qwen3-235b"}, "openrouter.ai/api/v1/chat/completions", bearer, nil},
		{"vllm", llm.Endpoint{BaseURL: "http://gpu7:8000/v1", Model: "Qwen/Qwen3-32B"}, "gpu7:8000/v1/chat/completions", bearer, nil},
		{"vllm-named", llm.Endpoint{BaseURL: "http://models.example/v1", Model: "Qwen/Qwen3-32B", Server: "vllm"}, "models.example/v1/chat/completions", bearer, nil},
		{"llamacpp", llm.Endpoint{BaseURL: "http://127.0.0.1:8080/v1", Model: "local"}, "127.0.0.1:8080/v1/chat/completions", bearer, nil},
		{"ollama", llm.Endpoint{BaseURL: "http://localhost:11434/v1", Model: "qwen3:8b"}, "localhost:11434/v1/chat/completions", bearer, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.New(t, faultserver.Text("ok"), faultserver.Text("ok"))
			e := tt.endpoint
			e.Name, e.Key = "p", "sk-planted"
			var warned []string
			c := dialAt(t, srv, e, &warned)
			for range 2 {
				resp, err := c.Complete(context.Background(), fullRequest())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.dropped, resp.Dropped); diff != "" {
					t.Errorf("dropped (-want +got):\n%s", diff)
				}
			}
			got := srv.Last(t)
			url := got.Host + got.Path
			if got.Query != "" {
				url += "?" + got.Query
			}
			if url != tt.url {
				t.Errorf("asked %s, want %s", url, tt.url)
			}
			var auth []string
			for _, h := range []string{"Authorization", "Api-Key"} {
				for _, v := range got.Header.Values(h) {
					auth = append(auth, h+": "+v)
				}
			}
			if fmt.Sprint(auth) != "["+tt.auth+"]" {
				t.Errorf("the key came as %q, want %q", auth, tt.auth)
			}
			var want []string
			if tt.dropped != nil {
				want = []string{fmt.Sprintf(`endpoint "p": model %s does not take %s: not sent`, e.Model, strings.Join(tt.dropped, ", "))}
			}
			if diff := cmp.Diff(want, warned); diff != "" {
				t.Errorf("warnings of two calls (-want +got):\n%s", diff)
			}
			golden(t, "provider-"+tt.name+".json", got.Body)
		})
	}
}

// TestReasoningGoesBackByProvider sends a conversation on: what a provider said
// beside its answer returns where the provider wants it, and nowhere else.
func TestReasoningGoesBackByProvider(t *testing.T) {
	t.Parallel()
	const turn = `{"role":"assistant","content":null,"reasoning":"R1","reasoning_content":"R2","reasoning_details":[{"text":"R3"}],
		"extra_content":{"google":{"thought_signature":"R4"}},
		"tool_calls":[{"id":"c1","type":"function","function":{"name":"list","arguments":"{}"},"extra_content":{"google":{"thought_signature":"R5"}}}]}`
	const plain = `{"role":"assistant","content":"said","reasoning":"P1","reasoning_content":"P2","reasoning_details":[{"text":"P3"}],"extra_content":{"x":"P4"}}`
	for _, tt := range []struct {
		name, base, model string
		back              string // which of the marks return
	}{
		{"openai", "http://api.openai.com/v1", "gpt-5.4", ""},
		{"anthropic", "http://api.anthropic.com/v1", "claude-opus-4-6", ""},
		{"gemini", "http://generativelanguage.googleapis.com/v1beta/openai", "gemini-3-pro", "R4 R5 P4"},
		{"openrouter", "http://openrouter.ai/api/v1", "deepseek/deepseek-v3.2", "R1 R3 R5"},
		{"deepseek", "http://api.deepseek.com/v1", "deepseek-reasoner", "R2 R5"},
		{"vllm", "http://gpu:8000/v1", "Qwen3", "R1 R2"},
		{"llamacpp", "http://gpu:8080/v1", "Qwen3", "R2"},
		{"ollama", "http://gpu:11434/v1", "qwen3", "R1"},
		{"unknown server", "http://models.example/v1", "m", "R1 R2 R3 R4 R5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.New(t, faultserver.Message(turn, "tool_calls"), faultserver.Message(plain, "stop"), faultserver.Text("ok"))
			var warned []string
			c := dialAt(t, srv, llm.Endpoint{Name: "p", BaseURL: tt.base, Model: tt.model}, &warned)
			req := llm.Request{Messages: []llm.Message{user("hi")}, Tools: []llm.Tool{{Name: "list"}}}
			for _, next := range []llm.Message{{Role: llm.ToolRole, ToolCallID: "c1", Content: ptr("[]")}, user("more")} {
				resp, err := c.Complete(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				req.Messages = append(slices.Clone(req.Messages), resp.Message, next)
			}
			if _, err := c.Complete(context.Background(), req); err != nil {
				t.Fatal(err)
			}
			var back []string
			body := string(srv.Last(t).Body)
			for _, mark := range []string{"R1", "R2", "R3", "R4", "R5", "P1", "P2", "P3", "P4"} {
				if strings.Contains(body, `"`+mark+`"`) {
					back = append(back, mark)
				}
			}
			if got := strings.Join(back, " "); got != tt.back {
				t.Errorf("went back: %q, want %q\n%s", got, tt.back, body)
			}
		})
	}
}

// TestDeveloperRoleFallsBack: where an endpoint refuses the role, system messages
// go as such, now and later, and it is recorded with each answer.
func TestDeveloperRoleFallsBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		reply  faultserver.Reply
		learns bool
	}{
		{"by its place", faultserver.Error(400, "invalid_request_error", "invalid_value", "messages[0].role", "Invalid value."), true},
		{"by its place, with dots", faultserver.Error(422, "invalid_request_error", "", "messages.0.role", "unexpected"), true},
		{"in words", faultserver.Status(400, `{"object":"error","message":"Unexpected message role: 'developer'","code":400}`), true},
		{"Anthropic's form", faultserver.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.role: Input should be 'user' or 'assistant'"}}`), true},
		{"about something else", faultserver.Error(400, "invalid_request_error", "", "messages[0].content", "too odd"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.New(t, tt.reply, faultserver.Text("one"), faultserver.Text("two"))
			var warned []string
			c := dialAt(t, srv, llm.Endpoint{Name: "p", BaseURL: "http://proxy.example/v1", Model: "o3"}, &warned)
			req := llm.Request{Messages: []llm.Message{{Role: llm.System, Content: ptr("s")}, user("hi")}}
			first, err := c.Complete(context.Background(), req)
			if (err == nil) != tt.learns {
				t.Fatalf("error %v", err)
			}
			if !tt.learns {
				return
			}
			second, err := c.Complete(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"developer role"}
			if !slices.Equal(first.Dropped, want) || !slices.Equal(second.Dropped, want) || first.Attempts != 2 || second.Attempts != 1 || len(warned) != 1 {
				t.Errorf("dropped %q then %q, %d and %d attempts, warnings %q", first.Dropped, second.Dropped, first.Attempts, second.Attempts, warned)
			}
			for i, role := range []string{"developer", "system", "system"} {
				if body := string(srv.Requests()[i].Body); !strings.Contains(body, `{"role":"`+role+`","content":"s"}`) {
					t.Errorf("request %d does not have the role %s: %s", i+1, role, body)
				}
			}
		})
	}
}
