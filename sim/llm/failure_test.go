package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

const page503 = `<!DOCTYPE html><html><head><style>p{color:red}</style><title>503 Service Unavailable</title></head><body><p>The upstream is   down.</p></body></html>`

// TestFailuresAreClassified drives failing replies of every known shape through
// real HTTP: each becomes one *Error with a kind, a status and a message.
func TestFailuresAreClassified(t *testing.T) {
	t.Parallel()
	status, rawReply := faultserver.Status, faultserver.Raw
	tests := []struct {
		name    string
		reply   faultserver.Reply
		kind    llm.Kind
		status  int
		message string // substring
		retry   bool
	}{
		{"C16 error in a 200 with code", rawReply(`{"error":{"code":502,"message":"Provider returned error","metadata":{"provider_name":"Example"}}}`),
			llm.KindServer, 502, "Provider returned error", true},
		{"C16 error in a 200 without code", rawReply(`{"error":{"message":"upstream broke"}}`), llm.KindServer, 502, "upstream broke", true},
		{"C16 error string in a 200", rawReply(`{"error":"model not loaded"}`), llm.KindServer, 502, "model not loaded", true},
		{"C16 rate limit in a 200", rawReply(`{"error":{"code":429,"message":"slow down"}}`), llm.KindRateLimit, 429, "slow down", true},
		{"C16 rate limit by type in a 200", rawReply(`{"error":{"type":"rate_limit_error","message":"slow down"}}`), llm.KindRateLimit, 429, "slow down", true},
		{"C16 bad request in a 200", rawReply(`{"error":{"code":"400","message":"no such tool choice"}}`), llm.KindBadRequest, 400, "no such tool choice", false},
		{"C16 error beside choices", rawReply(`{"choices":[{"message":{"role":"assistant","content":"par"}}],"error":{"code":504,"message":"timed out"}}`),
			llm.KindServer, 504, "timed out", true},
		{"C16 upstream's words in the metadata", rawReply(`{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"GPU lost"}}}`),
			llm.KindServer, 502, "Provider returned error: GPU lost", true},
		{"C16 flat error object in a 200", rawReply(`{"object":"error","message":"engine dead","code":500}`), llm.KindServer, 500, "engine dead", true},

		{"C17 no choices", rawReply(`{"id":"g","choices":[]}`), llm.KindMalformed, 200, "empty list of choices", true},
		{"C17 null choices", rawReply(`{"id":"g","choices":null}`), llm.KindMalformed, 200, "no choices", true},
		{"C17 absent choices", rawReply(`{"id":"g"}`), llm.KindMalformed, 200, "no choices", true},
		{"C17 choices are no list", rawReply(`{"choices":{"0":{}}}`), llm.KindMalformed, 200, "not a list", true},
		{"C17 null choice", rawReply(`{"choices":[null]}`), llm.KindMalformed, 200, "first choice", true},
		{"C17 choice without a message", rawReply(`{"choices":[{"finish_reason":"stop"}]}`), llm.KindMalformed, 200, "message is not an object", true},
		{"C17 choice that ended in an error", rawReply(`{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"error","error":{"code":503,"message":"provider gone"}}]}`),
			llm.KindServer, 503, "provider gone", true},
		{"C17 finish reason error alone", rawReply(`{"choices":[{"message":{"role":"assistant","content":"x"},"finish_reason":"error"}]}`),
			llm.KindServer, 502, "ended the answer with an error", true},
		{"message of another role", rawReply(`{"choices":[{"message":{"role":"user","content":"x"},"finish_reason":"stop"}]}`), llm.KindMalformed, 200, `role "user"`, true},
		{"content of no known type", rawReply(`{"choices":[{"message":{"role":"assistant","content":{"a":1}},"finish_reason":"stop"}]}`), llm.KindMalformed, 200, "content is neither", true},
		{"calls that are no list", rawReply(`{"choices":[{"message":{"role":"assistant","tool_calls":{"id":"c"}},"finish_reason":"stop"}]}`), llm.KindMalformed, 200, "not a list", true},
		{"call that is no object", rawReply(`{"choices":[{"message":{"role":"assistant","tool_calls":["x"]},"finish_reason":"stop"}]}`), llm.KindMalformed, 200, "tool call 0", true},

		{"C18 HTML with status 200", rawReply(page503).With("Content-Type", "text/html"), llm.KindMalformed, 200, "not JSON: 503 Service Unavailable The upstream is down.", true},
		{"C18 empty body", rawReply(""), llm.KindMalformed, 200, "reply is empty", true},
		{"C18 JSON cut, length honest", rawReply(`{"choices":[{"message":{"role":"assistant","content":"Hel`), llm.KindMalformed, 200, "cut off or not valid JSON", true},
		{"C18 JSON cut, connection broken", faultserver.Cut("Hello", 40), llm.KindMalformed, 200, "cut off", true},
		{"C18 a list", rawReply(`[1,2]`), llm.KindMalformed, 200, "list", true},
		{"C18 a stream although none was asked for", rawReply("data: {\"choices\":[]}\n\n"), llm.KindMalformed, 200, "event stream", true},

		{"C19 rate limit", faultserver.Error(429, "requests", "rate_limit_exceeded", "", "Rate limit reached"), llm.KindRateLimit, 429, "Rate limit reached", true},
		{"C20 quota", faultserver.Error(429, "insufficient_quota", "insufficient_quota", "", "You exceeded your current quota"), llm.KindQuota, 429, "quota", false},
		{"C20 quota in a 200", rawReply(`{"error":{"type":"insufficient_quota","message":"pay"}}`), llm.KindQuota, 402, "pay", false},
		{"C20 payment required", status(402, `{"error":{"message":"Insufficient credits","code":402}}`), llm.KindQuota, 402, "Insufficient credits", false},
		{"C20 empty account as bad request", status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`), llm.KindQuota, 400, "credit balance", false},

		{"C20 one request above the limit of a minute", faultserver.Error(429, "tokens", "rate_limit_exceeded", "", "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000."), llm.KindBadRequest, 429, "too large", false},

		{"C21 list of errors", status(429, `[{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}]`), llm.KindRateLimit, 429, "exhausted", true},
		{"C21 list of errors, wrong key", status(400, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"@type":"x","reason":"API_KEY_INVALID"}]}}]`), llm.KindAuth, 400, "API key not valid", false},
		{"C21 error string", status(404, `{"error":"model not found"}`), llm.KindBadRequest, 404, "model not found", false},
		{"C21 flat object", status(400, `{"object":"error","message":"tool choice is not supported","type":"BadRequestError","param":null,"code":400}`), llm.KindBadRequest, 400, "tool choice", false},
		{"C21 validation report", status(422, `{"detail":[{"loc":["body","model"],"msg":"field required"}]}`), llm.KindBadRequest, 422, "field required", false},
		{"C21 detail string", status(405, `{"detail":"Method Not Allowed"}`), llm.KindBadRequest, 405, "Method Not Allowed", false},
		{"C21 list of messages", status(500, `{"errors":[{"message":"boom"}]}`), llm.KindServer, 500, "boom", true},
		{"C21 HTML 503", status(503, page503).With("Content-Type", "text/html"), llm.KindServer, 503, "503 Service Unavailable The upstream is down.", true},
		{"C21 empty 502", status(502, ""), llm.KindServer, 502, "Bad Gateway", true},
		{"C21 null error", status(500, `{"error":null}`), llm.KindServer, 500, `{"error":null}`, true},
		{"C21 overloaded 529", status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.KindServer, 529, "Overloaded", true},
		{"C21 empty unknown status", status(599, ""), llm.KindServer, 599, "no reason", true},
		{"C21 prose of a parser", status(422, `Failed to deserialize the JSON body into the target type`), llm.KindBadRequest, 422, "Failed to deserialize", false},
		{"401", faultserver.Error(401, "invalid_request_error", "invalid_api_key", "", "Incorrect API key"), llm.KindAuth, 401, "Incorrect", false},
		{"403", status(403, `{"error":{"message":"no access"}}`), llm.KindAuth, 403, "no access", false},
		{"403 of a moderation layer", status(403, `{"error":{"code":403,"message":"flagged","metadata":{"reasons":["x"],"flagged_input":"y"}}}`), llm.KindContentFilter, 403, "flagged", false},
		{"408", status(408, `{"error":{"message":"too slow"}}`), llm.KindTimeout, 408, "too slow", true},
		{"409", status(409, `{"error":{"message":"busy"}}`), llm.KindServer, 409, "busy", true},
		{"501 stays", status(501, `{"error":{"message":"not here"}}`), llm.KindServer, 501, "not here", false},
		{"redirect", status(302, "").With("Location", "https://elsewhere.example/v1"), llm.KindBadRequest, 302, "set base_url", false},
		{"content filter", status(400, `{"error":{"code":"content_filter","message":"filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`), llm.KindContentFilter, 400, "filtered", false},
		{"content filter by the inner code", status(400, `{"error":{"code":"x","message":"filtered","inner_error":{"code":"ResponsibleAIPolicyViolation"}}}`), llm.KindContentFilter, 400, "filtered", false},

		{"C33 overflow by code", faultserver.Error(400, "invalid_request_error", "context_length_exceeded", "messages", "too long"), llm.KindContextWindow, 400, "too long", false},
		{"C33 overflow in prose", status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`), llm.KindContextWindow, 400, "4096", false},
		{"C33 overflow as a 500", status(500, `{"error":{"code":500,"message":"the request exceeds the available context size"}}`), llm.KindContextWindow, 500, "context size", false},
		{"C33 limit spent without text", rawReply(`{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":50}}`),
			llm.KindContextWindow, 200, "output limit was spent", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := refuse(t, once(t, faultserver.New(t, tt.reply.With("X-Request-Id", "req-1"))))
			if e.Kind != tt.kind || e.Status != tt.status {
				t.Errorf("kind %s, status %d, want %s, %d", e.Kind, e.Status, tt.kind, tt.status)
			}
			if !strings.Contains(e.Message, tt.message) {
				t.Errorf("message %q does not contain %q", e.Message, tt.message)
			}
			if e.Retryable() != tt.retry {
				t.Errorf("retryable %t, want %t", e.Retryable(), tt.retry)
			}
			if e.RequestID != "req-1" || e.Endpoint != "test" || e.Model != "local-model" || e.Attempts != 1 {
				t.Errorf("request id %q, endpoint %q, model %q, attempts %d", e.RequestID, e.Endpoint, e.Model, e.Attempts)
			}
			if tt.reply.Body != "" && e.Body == "" {
				t.Error("the body was not kept")
			}
		})
	}
}

// TestFailureKeepsEvidence keeps 2 KB of the body, the content type and the
// tokens that were paid for.
func TestFailureKeepsEvidence(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 3000)
	e := refuse(t, once(t, faultserver.New(t, faultserver.Raw(long).With("Content-Type", "text/html; charset=utf-8"))))
	if len(e.Body) != 2048 || !strings.HasPrefix(long, e.Body) {
		t.Errorf("kept %d bytes of the body, want 2048", len(e.Body))
	}
	if e.ContentType != "text/html; charset=utf-8" {
		t.Errorf("content type %q", e.ContentType)
	}
	spent := faultserver.Raw(`{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":50}}`)
	e = refuse(t, once(t, faultserver.New(t, spent), func(e *llm.Endpoint) { e.Model = "gpt-4.1" }))
	if e.Usage.CompletionTokens != llm.Known(50) || e.Cost == nil {
		t.Errorf("usage %+v, cost %v: want 50 completion tokens and a cost", e.Usage, e.Cost)
	}
}

// TestErrorSaysWhatToDo checks the wording of the one error type.
func TestErrorSaysWhatToDo(t *testing.T) {
	t.Parallel()
	e := refuse(t, once(t, faultserver.New(t, faultserver.Error(401, "", "invalid_api_key", "", "Incorrect API key"))))
	want := "endpoint \"test\": model local-model: auth (status 401, invalid_api_key): Incorrect API key\nhint: check the endpoint's key and its access to the model"
	if e.Error() != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
}

// TestSecretsStayInside lets the server echo the key and the headers in every
// way it can: no error, body or stored reply may show them.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	const key, header = `sk-very"secret-0123456789`, "azure-secret-abcdef"
	secret := func(e *llm.Endpoint) {
		e.Key, e.Headers = key, map[string]string{"api-key": header}
	}
	echo := fmt.Sprintf(`{"error":{"message":%s,"code":"invalid_api_key"}}`, faultserver.Quote("wrong key "+key+" or "+header))
	replies := map[string]faultserver.Reply{
		"error object": faultserver.Status(401, echo),
		"plain text":   faultserver.Status(403, "key "+key+" / "+header+" refused"),
		"200 error":    faultserver.Raw(echo),
		"malformed":    faultserver.Raw("<html>" + key + " " + header),
		"request id":   faultserver.Status(500, "").With("X-Request-Id", "for "+header),
		"redirect":     faultserver.Status(302, header),
		"cut":          {Body: "key " + key + " " + header, CutAfter: 50},
	}
	for name, reply := range replies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.New(t, reply)
			e := refuse(t, once(t, srv, secret))
			all := fmt.Sprintf("%v %+v %#v", e, *e, *e)
			for _, s := range []string{key, header, `sk-very\"secret`} {
				if strings.Contains(all, s) {
					t.Errorf("the error shows %q:\n%s", s, all)
				}
			}
			if got := srv.Last(t).Header.Get("Authorization"); got != "Bearer "+key {
				t.Errorf("Authorization %q", got)
			}
			if got := srv.Last(t).Header.Get("api-key"); got != header {
				t.Errorf("api-key %q", got)
			}
		})
	}
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		resp := ask(t, once(t, faultserver.New(t, faultserver.Text("your key is "+key)), secret))
		if s := string(resp.Raw) + resp.Message.Text(); strings.Contains(s, "0123456789") {
			t.Errorf("the answer shows the key: %s", s)
		}
	})
	t.Run("endpoint", func(t *testing.T) {
		t.Parallel()
		e := llm.Endpoint{Name: "x", BaseURL: "https://u:password1@h/v1"}
		secret(&e)
		text, _ := e.MarshalText()
		all := fmt.Sprintf("%v %+v %#v %s", e, e, e, text)
		for _, s := range []string{"secret", "password1"} {
			if strings.Contains(all, s) {
				t.Errorf("printing shows %q: %s", s, all)
			}
		}
	})
}

// TestNoReply covers what happens below HTTP.
func TestNoReply(t *testing.T) {
	t.Parallel()
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		c, err := llm.Dial(llm.Endpoint{Name: "gone", BaseURL: "http://127.0.0.1:1/v1", Model: "m", Retry: llm.RetryPolicy{Attempts: 1}}, llm.Models{})
		if err != nil {
			t.Fatal(err)
		}
		if e := refuse(t, c); e.Kind != llm.KindNetwork || !e.Retryable() {
			t.Errorf("kind %s, retryable %t", e.Kind, e.Retryable())
		}
	})
	t.Run("attempt times out", func(t *testing.T) {
		t.Parallel()
		srv := faultserver.New(t, faultserver.Hang())
		e := refuse(t, once(t, srv, func(e *llm.Endpoint) { e.Timeout = 20 * time.Millisecond }))
		if e.Kind != llm.KindTimeout || !e.Retryable() || e.Attempts != 1 {
			t.Errorf("kind %s, retryable %t, attempts %d", e.Kind, e.Retryable(), e.Attempts)
		}
		if errors.Is(e, context.DeadlineExceeded) {
			t.Error("an attempt's timeout looks like the caller's own deadline")
		}
	})
	t.Run("caller gives up", func(t *testing.T) {
		t.Parallel()
		stop := errors.New("operator stopped the run")
		ctx, cancel := context.WithCancelCause(context.Background())
		srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply {
			cancel(stop)
			return faultserver.Hang()
		})
		_, err := once(t, srv).Complete(ctx, hello())
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindCancelled || e.Retryable() || !errors.Is(err, stop) {
			t.Errorf("got %v, want a cancelled error with its cause", err)
		}
	})
	t.Run("caller's deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := once(t, faultserver.New(t, faultserver.Hang())).Complete(ctx, hello())
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindCancelled || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want cancelled with the deadline as cause", err)
		}
	})
}
