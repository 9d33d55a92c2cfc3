package llm_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

func TestDialChecksTheEndpoint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		endpoint llm.Endpoint
		want     string // error, or "" for success
	}{
		{"default address", llm.Endpoint{}, ""},
		{"slash and path", llm.Endpoint{BaseURL: "http://h:1/v1/chat/completions/"}, ""},
		{"no scheme", llm.Endpoint{Name: "x", BaseURL: "localhost:8000/v1"}, `endpoint "x": base_url "localhost:8000/v1" is not an http or https address`},
		{"no host", llm.Endpoint{BaseURL: "http:///v1"}, "base_url"},
		{"unreadable", llm.Endpoint{BaseURL: "http://[::1"}, "base_url"},
		{"key with a line break", llm.Endpoint{Key: "sk-1\nX: y"}, "line break"},
		{"header with a space", llm.Endpoint{Headers: map[string]string{"X Key": "v"}}, `headers: "X Key" cannot be the name of a header`},
		{"header with a line break", llm.Endpoint{Headers: map[string]string{"X-Key": "v\nX: y"}}, "headers.X-Key: the value holds a line break"},
		{"negative", llm.Endpoint{Timeout: -1}, "must not be negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := llm.Dial(tt.endpoint, llm.Models{})
			if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestAddressForms: a base URL may end in a slash or in the whole path.
func TestAddressForms(t *testing.T) {
	t.Parallel()
	for _, suffix := range []string{"", "/", "/chat/completions", "/chat/completions/"} {
		srv := faultserver.New(t, faultserver.Text("ok"))
		ask(t, once(t, srv, func(e *llm.Endpoint) { e.BaseURL += suffix }))
	}
}

// TestAddressWithoutAPath: some servers answer at their root.
func TestAddressWithoutAPath(t *testing.T) {
	t.Parallel()
	var path string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer srv.Close()
	for _, suffix := range []string{"", "/"} {
		c, err := llm.Dial(llm.Endpoint{Name: "test", BaseURL: srv.URL + suffix, Model: "m"}, llm.Models{})
		if err != nil {
			t.Fatal(err)
		}
		path = ""
		if _, err := c.Complete(t.Context(), fullRequest()); err == nil || path != "/chat/completions" {
			t.Errorf("%q: path %q, error %v", suffix, path, err)
		}
	}
}

// TestModelNamesPassThrough: names that go-openai treats specially reach the wire
// with the parameters that the table allows.
func TestModelNamesPassThrough(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"o1-x", "o3-x", "o4-x", "gpt-5-x", "gpt-5-chat-x", "text-davinci-003", "code-davinci-002", "ada"} {
		srv := faultserver.New(t, faultserver.Text("ok"))
		e := llm.Endpoint{Name: "test", BaseURL: srv.URL, Model: name}
		c, err := llm.Dial(e, llm.Models{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Complete(context.Background(), fullRequest()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body := srv.Last(t).JSON(t)
		if body["temperature"] != 0.0 || body["max_tokens"] != 256.0 || body["model"] != name {
			t.Errorf("%s: temperature %v, max_tokens %v, model %v", name, body["temperature"], body["max_tokens"], body["model"])
		}
	}
}

// TestEndpointsShareALimiter where they reach the same model with the same key.
func TestEndpointsShareALimiter(t *testing.T) {
	t.Parallel()
	var inFlight, peak atomic.Int64
	srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply {
		n := inFlight.Add(1)
		for {
			p := peak.Load()
			if n <= p || peak.CompareAndSwap(p, n) {
				break
			}
		}
		time.Sleep(2 * time.Millisecond) // lets calls pile up; nothing is measured
		inFlight.Add(-1)
		return faultserver.Text("ok")
	})
	meter := &llm.Meter{}
	d := &llm.Dialer{Models: models(t), Meter: meter}
	dial := func(name, model string, n int) llm.Client {
		c, err := d.Dial(llm.Endpoint{Name: name, BaseURL: srv.URL, Model: model, Concurrency: n})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	agent, judge := dial("agent", "m", 3), dial("judge", "m", 3)
	done := make(chan []error, 2)
	go func() { done <- run(context.Background(), agent, 10, 3) }()
	go func() { done <- run(context.Background(), judge, 10, 3) }()
	for range 2 {
		if failed := <-done; failed != nil {
			t.Fatal(failed[0])
		}
	}
	if p := peak.Load(); p > 3 {
		t.Errorf("%d requests at once, want at most 3", p)
	}
	if n := meter.Total().Calls; n != 60 {
		t.Errorf("metered %d calls, want 60", n)
	}
	if _, err := d.Dial(llm.Endpoint{Name: "user", BaseURL: srv.URL, Model: "m", Concurrency: 5}); err == nil || !strings.Contains(err.Error(), "concurrency 3") {
		t.Errorf("unlike limits for one model: %v", err)
	}
	dial("user", "other", 5)
	states := d.Limiters()
	if len(states) != 2 || states[0].Model != "m" || states[1].Model != "other" || states[0].InFlight != 0 {
		t.Errorf("limiters %+v", states)
	}
}

// TestInsideStandsBetweenMeterAndRetry: a recorder's answer is metered and asks
// nobody.
func TestInsideStandsBetweenMeterAndRetry(t *testing.T) {
	t.Parallel()
	meter := &llm.Meter{}
	replay := func(llm.Client) llm.Client { return answering(llm.Response{Attempts: 0, Cost: ptr(0.0)}, nil) }
	d := &llm.Dialer{Meter: meter}
	c, err := d.Dial(llm.Endpoint{BaseURL: faultserver.New(t).URL, Model: "m"}, replay)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, c)
	if got := meter.Total(); got.Calls != 1 || got.Attempts != 0 {
		t.Errorf("metered %+v", got)
	}
}

// TestManyAtOnce keeps 256 calls in flight over one transport.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	var arrived atomic.Int64
	srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply {
		if arrived.Add(1) == 256 {
			close(gate)
		}
		<-gate // nobody is answered before all have arrived
		return faultserver.Text("ok")
	})
	c := once(t, srv, func(e *llm.Endpoint) { e.Concurrency = 256 })
	if failed := run(context.Background(), c, 256, 1); failed != nil {
		t.Fatalf("%d calls failed: %v", len(failed), failed[0])
	}
}

func TestChainOrder(t *testing.T) {
	t.Parallel()
	var trace []string
	mark := func(name string) llm.Middleware {
		return func(next llm.Client) llm.Client {
			return llm.Func(func(ctx context.Context, r llm.Request) (llm.Response, error) {
				trace = append(trace, name)
				return next.Complete(ctx, r)
			})
		}
	}
	ask(t, llm.Chain(answering(llm.Response{}, nil), mark("outer"), mark("inner")))
	if got := strings.Join(trace, " "); got != "outer inner" {
		t.Errorf("order %q", got)
	}
}
