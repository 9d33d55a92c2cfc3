package llm_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// script answers with the errors in order, then with success. A nil entry is a
// success too.
type script struct {
	mu    sync.Mutex
	errs  []error
	calls []time.Time
}

func (s *script) Complete(context.Context, llm.Request) (llm.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.calls)
	s.calls = append(s.calls, time.Now())
	if n < len(s.errs) && s.errs[n] != nil {
		return llm.Response{}, s.errs[n]
	}
	return llm.Response{Attempts: 1, Message: llm.Message{Role: llm.Assistant, Content: ptr("ok")}}, nil
}

func fault(k llm.Kind, after time.Duration) error {
	return &llm.Error{Kind: k, Status: 500, Message: "scripted", RetryAfter: after, Attempts: 1}
}

func repeat(err error, n int) []error {
	out := make([]error, n)
	for i := range out {
		out[i] = err
	}
	return out
}

func TestRetry(t *testing.T) {
	t.Parallel()
	down := fault(llm.KindServer, 0)
	tests := []struct {
		name     string
		policy   llm.RetryPolicy
		errs     []error
		kind     llm.Kind // "" for success
		attempts int
		min, max time.Duration // of the whole call
	}{
		{"success at once", llm.RetryPolicy{}, nil, "", 1, 0, 0},
		{"one failure", llm.RetryPolicy{}, repeat(down, 1), "", 2, 250 * time.Millisecond, 750 * time.Millisecond},
		{"waits double", llm.RetryPolicy{}, repeat(down, 4), "", 5, 3750 * time.Millisecond, 11250 * time.Millisecond},
		{"attempts are bounded", llm.RetryPolicy{}, repeat(down, 9), llm.KindServer, 5, 3750 * time.Millisecond, 11250 * time.Millisecond},
		{"bound of the policy", llm.RetryPolicy{Attempts: 2}, repeat(down, 9), llm.KindServer, 2, 250 * time.Millisecond, 750 * time.Millisecond},
		{"waits are capped", llm.RetryPolicy{FirstWait: time.Minute, MaxWait: time.Minute}, repeat(down, 2), "", 3, time.Minute, 3 * time.Minute},
		{"rate limits have their own bound", llm.RetryPolicy{RateLimited: 7, FirstWait: time.Second, MaxWait: time.Second}, repeat(fault(llm.KindRateLimit, 0), 9), llm.KindRateLimit, 7, 3 * time.Second, 9 * time.Second},
		{"C19 Retry-After is honoured", llm.RetryPolicy{}, repeat(fault(llm.KindRateLimit, 7*time.Second), 1), "", 2, 7 * time.Second, 7750 * time.Millisecond},
		{"C19 Retry-After of a server fault", llm.RetryPolicy{}, repeat(fault(llm.KindServer, 7*time.Second), 1), "", 2, 7 * time.Second, 7750 * time.Millisecond},
		{"C19 Retry-After at the cap", llm.RetryPolicy{}, repeat(fault(llm.KindRateLimit, 120*time.Second), 1), "", 2, 120 * time.Second, 133 * time.Second},
		{"C19 Retry-After beyond the cap", llm.RetryPolicy{}, repeat(fault(llm.KindRateLimit, 86400*time.Second), 1), llm.KindRateLimit, 1, 0, 0},
		{"malformed", llm.RetryPolicy{}, repeat(fault(llm.KindMalformed, 0), 1), "", 2, 250 * time.Millisecond, 750 * time.Millisecond},
		{"network", llm.RetryPolicy{}, repeat(errors.New("connection reset"), 1), "", 1, 250 * time.Millisecond, 750 * time.Millisecond},
		{"not auth", llm.RetryPolicy{}, repeat(fault(llm.KindAuth, 0), 1), llm.KindAuth, 1, 0, 0},
		{"C20 not quota", llm.RetryPolicy{}, repeat(fault(llm.KindQuota, time.Second), 1), llm.KindQuota, 1, 0, 0},
		{"not bad request", llm.RetryPolicy{}, repeat(fault(llm.KindBadRequest, 0), 1), llm.KindBadRequest, 1, 0, 0},
		{"C33 not context window", llm.RetryPolicy{}, repeat(fault(llm.KindContextWindow, 0), 1), llm.KindContextWindow, 1, 0, 0},
		{"not content filter", llm.RetryPolicy{}, repeat(fault(llm.KindContentFilter, 0), 1), llm.KindContentFilter, 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{errs: tt.errs}
				start := time.Now()
				resp, err := llm.Retry(tt.policy)(s).Complete(t.Context(), hello())
				took := time.Since(start)
				if took < tt.min || took > tt.max {
					t.Errorf("took %s, want %s to %s", took, tt.min, tt.max)
				}
				if tt.kind == "" {
					if err != nil {
						t.Fatal(err)
					}
					if resp.Attempts != tt.attempts || resp.Elapsed != took {
						t.Errorf("attempts %d, elapsed %s, want %d, %s", resp.Attempts, resp.Elapsed, tt.attempts, took)
					}
					return
				}
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != tt.kind || e.Attempts != tt.attempts {
					t.Errorf("got %v, want %s after %d attempts", err, tt.kind, tt.attempts)
				}
			})
		})
	}
}

// TestNobodyThere: an address that nobody answers at is given up within ten seconds, however often a request may be sent.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		cause  error
		nobody bool
	}{
		{"nothing listens", os.NewSyscallError("connect", syscall.ECONNREFUSED), true},
		{"no way to the host", os.NewSyscallError("connect", syscall.EHOSTUNREACH), true},
		{"no network", os.NewSyscallError("connect", syscall.ENETUNREACH), true},
		{"no host of that name", &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, true},
		{"names cannot be looked up now", &net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}, false},
		{"a connection that broke", os.NewSyscallError("read", syscall.ECONNRESET), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &llm.Error{Kind: llm.KindNetwork, Message: "scripted", Attempts: 1, Err: &net.OpError{Op: "dial", Net: "tcp", Err: tt.cause}}
				for range 50 { // waits are drawn
					start := time.Now()
					_, err := llm.Retry(llm.RetryPolicy{Attempts: 8})(&script{errs: repeat(e, 8)}).Complete(t.Context(), hello())
					took := time.Since(start)
					if soon := took < 10*time.Second; err == nil || soon != tt.nobody || e.Nobody() != tt.nobody || took < time.Second {
						t.Fatalf("given up after %s: %v", took, err)
					}
				}
			})
		})
	}
}

// TestRetryAfterBeyondTheCapSaysSo names the reason for giving up.
func TestRetryAfterBeyondTheCapSaysSo(t *testing.T) {
	t.Parallel()
	s := &script{errs: repeat(fault(llm.KindRateLimit, 24*time.Hour), 1)}
	_, err := llm.Retry(llm.RetryPolicy{})(s).Complete(context.Background(), hello())
	if err == nil || !strings.Contains(err.Error(), "asks to wait 24h0m0s, longer than the 2m0s allowed") {
		t.Errorf("got %v", err)
	}
	if s.errs[0].(*llm.Error).Message != "scripted" {
		t.Error("the provider's own error was changed")
	}
}

// TestRetryTellsAboutWaits reports each wait before it begins.
func TestRetryTellsAboutWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type note struct {
			kind    llm.Kind
			attempt int
			wait    time.Duration
			at      time.Time
		}
		var notes []note
		hear := func(_ string, _ llm.Request, e *llm.Error, attempt int, wait time.Duration) {
			notes = append(notes, note{e.Kind, attempt, wait, time.Now()})
		}
		s := &script{errs: []error{fault(llm.KindServer, 0), fault(llm.KindRateLimit, time.Second)}}
		if _, err := llm.RetryWith(llm.RetryPolicy{}, hear)(s).Complete(t.Context(), hello()); err != nil {
			t.Fatal(err)
		}
		if len(notes) != 2 || notes[0].kind != llm.KindServer || notes[1].kind != llm.KindRateLimit || notes[1].attempt != 2 {
			t.Fatalf("notes %+v", notes)
		}
		for i, n := range notes {
			if want := n.at.Add(n.wait); !s.calls[i+1].Equal(want) {
				t.Errorf("attempt %d at %s, announced for %s", i+2, s.calls[i+1], want)
			}
		}
	})
}

// TestRetryStopsWithTheCaller ends a wait when the caller's context ends.
func TestRetryStopsWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("operator stopped the run")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(stop) })
		s := &script{errs: repeat(fault(llm.KindRateLimit, time.Minute), 9)}
		start := time.Now()
		_, err := llm.Retry(llm.RetryPolicy{})(s).Complete(ctx, hello())
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindCancelled || !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 3*time.Second || len(s.calls) != 1 {
			t.Errorf("took %s with %d attempts", took, len(s.calls))
		}
	})
}

// TestLateResultsAreDiscarded: an answer that comes after its attempt's deadline
// is not used, even from a client that ignores its context, and the next attempt
// gives the one result.
func TestLateResultsAreDiscarded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		slow := llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
			n++
			text := "late"
			if n > 1 {
				text = "in time"
			} else {
				time.Sleep(5 * time.Second)
			}
			return llm.Response{Attempts: 1, Message: llm.Message{Content: &text}}, nil
		})
		meter := &llm.Meter{}
		c := llm.Chain(slow, meter.Wrap, llm.Retry(llm.RetryPolicy{}), llm.Timeout(time.Second))
		resp, err := c.Complete(t.Context(), hello())
		if err != nil || resp.Message.Text() != "in time" || resp.Attempts != 2 {
			t.Errorf("got %q after %d attempts, error %v", resp.Message.Text(), resp.Attempts, err)
		}
		if got := meter.Total(); got.Calls != 1 || got.Attempts != 2 {
			t.Errorf("metered %d calls and %d attempts, want 1 and 2", got.Calls, got.Attempts)
		}
	})
}

// TestTimeoutStartsWithTheAttempt: time spent in the queue does not count.
func TestTimeoutStartsWithTheAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
			time.Sleep(900 * time.Millisecond)
			return llm.Response{Attempts: 1}, nil
		})
		l := llm.NewLimiter(llm.Limits{Concurrency: 1})
		c := llm.Chain(busy, llm.Retry(llm.RetryPolicy{Attempts: 1}), l.Wrap, llm.Timeout(time.Second))
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if _, err := c.Complete(t.Context(), hello()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

// TestRetryOverHTTP retries on the real path until the endpoint recovers, and
// honours retry-after-ms.
func TestRetryOverHTTP(t *testing.T) {
	t.Parallel()
	srv := faultserver.New(t,
		faultserver.Error(429, "requests", "rate_limit_exceeded", "", "slow down").With("Retry-After-Ms", "2"),
		faultserver.Status(503, page503),
		faultserver.Raw(`{"choices":[]}`),
		faultserver.Raw(`{"error":{"code":502,"message":"Provider returned error"}}`),
		faultserver.Cut("hello", 30),
		faultserver.Text("hello"))
	c := once(t, srv, func(e *llm.Endpoint) {
		e.Retry = llm.RetryPolicy{Attempts: 6, FirstWait: time.Millisecond, MaxWait: 2 * time.Millisecond}
	})
	resp := ask(t, c)
	if resp.Message.Text() != "hello" || resp.Attempts != 6 {
		t.Errorf("got %q after %d attempts", resp.Message.Text(), resp.Attempts)
	}
	first := srv.Requests()[0]
	for i, r := range srv.Requests() {
		if string(r.Body) != string(first.Body) {
			t.Errorf("attempt %d sent another body", i+1)
		}
	}
}

func TestRetryAfterForms(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC)
	h := func(kv ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(kv); i += 2 {
			h.Set(kv[i], kv[i+1])
		}
		return h
	}
	year := 365 * 24 * time.Hour
	tests := []struct {
		name   string
		header http.Header
		want   time.Duration
	}{
		{"none", h(), 0},
		{"seconds", h("Retry-After", "7"), 7 * time.Second},
		{"padded", h("Retry-After", " 7 "), 7 * time.Second},
		{"fraction", h("Retry-After", "0.5"), 500 * time.Millisecond},
		{"HTTP date", h("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"), time.Minute},
		{"date in the past", h("Retry-After", "Wed, 21 Oct 2026 07:00:00 GMT"), 0},
		{"RFC 850 date", h("Retry-After", "Wednesday, 21-Oct-26 07:28:00 GMT"), time.Minute},
		{"duration", h("Retry-After", "1m30s"), 90 * time.Second},
		{"milliseconds", h("retry-after-ms", "350"), 350 * time.Millisecond},
		{"milliseconds win", h("retry-after-ms", "350", "Retry-After", "1"), 350 * time.Millisecond},
		{"a day", h("Retry-After", "86400"), 24 * time.Hour},
		{"absurd", h("Retry-After", "1e300"), year},
		{"absurd milliseconds", h("retry-after-ms", "1e300"), year},
		{"infinite", h("Retry-After", "Inf"), year},
		{"not a number", h("Retry-After", "NaN"), 0},
		{"negative", h("Retry-After", "-5"), 0},
		{"words", h("Retry-After", "soon"), 0},
		{"budget used up", h("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "6m0s"), 6 * time.Minute},
		{"two budgets used up", h("x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "1s", "x-ratelimit-remaining-tokens", "0", "x-ratelimit-reset-tokens", "120ms"), time.Second},
		{"budget left", h("x-ratelimit-remaining-requests", "3", "x-ratelimit-reset-requests", "6m0s"), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := llm.RetryAfter(tt.header, now); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	body := []byte(`{"error":{"code":429,"message":"x","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"27s"}]}}`)
	if e := llm.Classify(429, h(), body, now); e.RetryAfter != 27*time.Second {
		t.Errorf("retryDelay in the body: got %s", e.RetryAfter)
	}
}
