package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

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
