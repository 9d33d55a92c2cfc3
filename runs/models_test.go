package runs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestEndpointsOfModels: what a config says of a model reaches its endpoint, limits per minute as limits per second.
func TestEndpointsOfModels(t *testing.T) {
	t.Parallel()
	text := strings.Replace(runtest.Small, "careful: {synthetic: true}", "careful: {base_url: http://a.example/v1, key: k, model: prod-a, like: gpt-5-mini, server: vllm, rps: 5, limits: {rpm: 120, tpm: 90000}, concurrency: 3, timeout: 5s, retry: {attempts: 7, rate_limited: 9, first_wait: 1s, max_wait: 2s, max_retry_after: 3s}}", 1)
	got := runtest.Parse(t, text).Models["careful"].Endpoint("careful")
	want := llm.Endpoint{Name: "careful", BaseURL: "http://a.example/v1", Key: "k", Model: "prod-a", Like: "gpt-5-mini", Server: "vllm", Concurrency: 3, RPS: 2, TPM: 90000, Timeout: 5 * time.Second,
		Retry: llm.RetryPolicy{Attempts: 7, RateLimited: 9, FirstWait: time.Second, MaxWait: 2 * time.Second, MaxRetryAfter: 3 * time.Second}}
	if got.Name != want.Name || got.String() != want.String() || got.Key != want.Key || got.Like != want.Like || got.Server != want.Server ||
		got.Concurrency != want.Concurrency || got.RPS != want.RPS || got.TPM != want.TPM || got.Timeout != want.Timeout || got.Retry != want.Retry {
		t.Errorf("endpoint %+v, want %+v", got, want)
	}
}

// TestHeadersAreSecrets: the values of headers reach the endpoint, and are nowhere else.
func TestHeadersAreSecrets(t *testing.T) {
	t.Parallel()
	text := strings.Replace(runtest.Small, "careful: {synthetic: true}", `careful: {base_url: "http://a.example/v1", key: k, echo: never, roles: alternate, headers: {X-Gateway: $GATEWAY, X-Team: team-secret}}`, 1)
	c, err := config.Parse("h.yaml", []byte(text), func(name string) string { return map[string]string{"GATEWAY": "gw-secret-1"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	m := c.Models["careful"]
	if e := m.Endpoint("careful"); e.Headers["X-Gateway"] != "gw-secret-1" || e.Headers["X-Team"] != "team-secret" || e.Echo != llm.EchoNever || e.Roles != llm.RolesAlternate {
		t.Errorf("headers %v, echo %q, roles %q", e.Headers, e.Echo, e.Roles)
	}
	if got := c.Public(c.Models).Models["careful"].Headers; got["X-Gateway"] != "$GATEWAY" || got["X-Team"] != "[redacted]" {
		t.Errorf("written down as %v", got)
	}
	if m.Headers["X-Team"] != "team-secret" {
		t.Error("writing the config down changed it")
	}
	if got := string(config.Secrets(c.Models).Redact([]byte("gw-secret-1 team-secret"))); strings.Contains(got, "secret") {
		t.Errorf("not masked: %s", got)
	}
	c, err = config.Parse("h.yaml", []byte(text), func(string) string { return "" })
	if err == nil {
		_, _, err = c.OneModel("careful", config.Options{})
	}
	if err == nil || !strings.Contains(err.Error(), "GATEWAY") {
		t.Errorf("a header's variable that is not set: %v", err)
	}
}

// TestProgressLines are what a terminal shows.
func TestProgressLines(t *testing.T) {
	t.Parallel()
	n, cost, free := int64(12345), 0.5, 0.0
	for _, c := range []struct {
		name string
		p    runs.Progress
		want string
	}{
		{"quiet", runs.Progress{Name: "x", Planned: 9, Done: 3, Running: 2, Elapsed: time.Minute, Tokens: &n, Cost: &cost}, "x: 3/9, 100 % evaluable, 2 running, 0 void, $0.50 of ~$1.50, 2m left, 3 trials/min, 12.3k tokens"},
		{"nothing known", runs.Progress{Name: "x", Planned: 9}, "x: 0/9, 0 running, 0 void, $?, 0s so far, ? tokens"},
		{"busy", runs.Progress{Name: "x", Planned: 9, Running: 9, Waiting: 50, Pace: 9.81, Retrying: 4, Oldest: 83 * time.Second, CallRate: 9.5, Tokens: &n, Cost: &cost},
			"x: 0/9, 9 running, 0 void, $0.50, 0s so far, 50 waiting (slowed to 9.81 calls/s), 4 retrying, oldest call 1m23s, 9.5 calls/s, 12.3k tokens"},
		{"replayed", runs.Progress{Name: "x", Planned: 9, Done: 9, Replayed: 1234, WouldCost: &cost, Tokens: &n, Cost: &free}, "x: 9/9, 100 % evaluable, 0 running, 0 void, $0.00, 12.3k tokens, 1.23k answers replayed, which cost $0.50 when they were recorded"},
	} {
		if got := c.p.Line(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWarningsAreShownAsTheyCome: each once, also those that turn up during the run.
func TestWarningsAreShownAsTheyCome(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := runs.NewLineReporter(terminal.NewWriter(&b))
	p := runs.Progress{Name: "x", Warnings: []string{"first"}}
	r.Update(p)
	r.Update(p)
	p.Warnings = []string{"first", "second\x1b[2J"}
	r.Update(p)
	r.Update(p)
	want := "x: 0/0, 0 running, 0 void, $?, 0s so far, ? tokens\nwarning: second\\u001b[2J\n"
	if b.String() != "warning: first\n"+want {
		t.Errorf("shown %q, want %q", b.String(), want)
	}
}
