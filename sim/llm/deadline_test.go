package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

var errUp = errors.New("the caller's time is up")

// hangs is a client that answers nothing before its context ends.
func hangs() llm.Client {
	return llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
		<-ctx.Done()
		return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "hung", Err: context.Cause(ctx), Attempts: 1}
	})
}

// TestDeadlineWhileRetrying: when the caller's deadline passes, the error is what last went wrong at the endpoint, with
// the deadline as its cause; without an earlier failure it is the deadline alone.
func TestDeadlineWhileRetrying(t *testing.T) {
	t.Parallel()
	busy := &llm.Error{Kind: llm.KindRateLimit, Status: 429, Code: "slow", Message: "slow down", RequestID: "req-7", Attempts: 1}
	failing := func(err error) llm.Client {
		return llm.Func(func(context.Context, llm.Request) (llm.Response, error) { return llm.Response{}, err })
	}
	var n atomic.Int64
	thenHangs := llm.Func(func(ctx context.Context, r llm.Request) (llm.Response, error) {
		if n.Add(1) == 1 {
			return llm.Response{}, busy
		}
		return hangs().Complete(ctx, r)
	})
	limits := llm.Limits{Concurrency: 1}
	tests := []struct {
		name     string
		client   func() llm.Client
		deadline time.Duration
		want     llm.Error
		part     string
	}{
		{"waiting to retry", func() llm.Client { return llm.Chain(failing(busy), llm.Retry(llm.RetryPolicy{})) }, 4 * time.Second,
			*busy, "slow down"},
		{"waiting for the limiter to cool down", func() llm.Client {
			return llm.Chain(failing(busy), llm.Retry(llm.RetryPolicy{}), llm.NewLimiter(limits).Wrap)
		}, 4 * time.Second, *busy, "slow down"},
		{"within a later attempt", func() llm.Client { return llm.Chain(thenHangs, llm.Retry(llm.RetryPolicy{}), llm.Timeout(time.Hour)) }, time.Minute,
			*busy, "slow down"},
		{"attempts that time out", func() llm.Client { return llm.Chain(hangs(), llm.Retry(llm.RetryPolicy{}), llm.Timeout(2*time.Second)) }, 4 * time.Second,
			llm.Error{Kind: llm.KindTimeout}, "attempt timed out after 2s"},
		{"attempts that time out, with the defaults", func() llm.Client {
			return llm.Chain(hangs(), llm.Retry(llm.RetryPolicy{}), llm.Timeout(llm.DefaultTimeout))
		}, 30 * time.Minute, llm.Error{Kind: llm.KindTimeout}, "attempt timed out after 10m0s"},
		{"within the first attempt", func() llm.Client { return llm.Chain(hangs(), llm.Retry(llm.RetryPolicy{}), llm.Timeout(time.Hour)) }, time.Second,
			llm.Error{Kind: llm.KindCancelled}, "while waiting for the reply"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), tt.deadline, errUp)
				defer cancel()
				_, err := tt.client().Complete(ctx, hello())
				var e *llm.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %v", err)
				}
				if e.Kind != tt.want.Kind || e.Status != tt.want.Status || e.Code != tt.want.Code || e.RequestID != tt.want.RequestID || !strings.Contains(e.Message, tt.part) {
					t.Errorf("got %+v, want %+v with %q", e, tt.want, tt.part)
				}
				if !errors.Is(err, errUp) || !strings.Contains(e.Error(), errUp.Error()) || e.Attempts == 0 {
					t.Errorf("the deadline or the attempts are missing: %v, %d attempts", err, e.Attempts)
				}
			})
		})
	}
	if busy.Message != "slow down" || busy.Attempts != 1 {
		t.Errorf("the endpoint's own error was changed: %+v", busy)
	}
}

// TestDeadlineInTheQueueOfAFailingEndpoint: a request that never got a slot because the endpoint fails others reports
// why; behind an endpoint that answers it reports the deadline alone.
func TestDeadlineInTheQueueOfAFailingEndpoint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		first error // of the request before
		want  llm.Kind
	}{
		{"after a failure", &llm.Error{Kind: llm.KindServer, Status: 503, Message: "down", RequestID: "req-1", Attempts: 1, Spent: llm.Spent{Usage: llm.Usage{PromptTokens: llm.Known(9)}}}, llm.KindServer},
		{"after a refusal that says nothing of the endpoint", &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "no", Attempts: 1}, llm.KindCancelled},
		{"after a success", nil, llm.KindCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := 0
				c := llm.Chain(llm.Func(func(ctx context.Context, r llm.Request) (llm.Response, error) {
					if n++; n == 1 {
						return llm.Response{Attempts: 1}, tt.first
					}
					return hangs().Complete(ctx, r)
				}), llm.Retry(llm.RetryPolicy{Attempts: 1}), llm.NewLimiter(llm.Limits{Concurrency: 1}).Wrap)
				if _, err := c.Complete(t.Context(), hello()); (err == nil) != (tt.first == nil) {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				go func() { _, _ = c.Complete(ctx, hello()) }() // holds the one slot
				synctest.Wait()
				late, stop := context.WithTimeoutCause(t.Context(), time.Minute, errUp)
				defer stop()
				_, err := c.Complete(late, hello())
				cancel()
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != tt.want || !errors.Is(err, errUp) {
					t.Fatalf("got %v, want %s", err, tt.want)
				}
				if e.Attempts != 0 || e.Usage != (llm.Usage{}) {
					t.Errorf("a request that was not sent cost %d attempts and %+v", e.Attempts, e.Usage)
				}
			})
		})
	}
}
