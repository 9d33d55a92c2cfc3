package llm_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
)

// endpoint simulates a server: it takes latency per request, measures
// concurrency and refuses more than perSecond starts in any one second.
type endpoint struct {
	latency    time.Duration
	perSecond  int
	retryAfter time.Duration

	mu       sync.Mutex
	inFlight int
	peak     int
	starts   []time.Time
	refused  int
}

func (s *endpoint) Complete(ctx context.Context, _ llm.Request) (llm.Response, error) {
	s.mu.Lock()
	now := time.Now()
	recent := 0
	for i := len(s.starts) - 1; i >= 0 && now.Sub(s.starts[i]) < time.Second; i-- {
		recent++
	}
	if s.perSecond > 0 && recent >= s.perSecond {
		s.refused++
		s.mu.Unlock()
		return llm.Response{}, &llm.Error{Kind: llm.KindRateLimit, Status: 429, Message: "slow down", RetryAfter: s.retryAfter, Attempts: 1}
	}
	s.starts = append(s.starts, now)
	s.inFlight++
	s.peak = max(s.peak, s.inFlight)
	s.mu.Unlock()
	select {
	case <-time.After(s.latency):
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.inFlight--
	s.mu.Unlock()
	if ctx.Err() != nil {
		return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "cancelled", Err: ctx.Err()}
	}
	return llm.Response{Attempts: 1}, nil
}

// run makes n calls from each of so many workers and returns the failures.
func run(ctx context.Context, c llm.Client, workers, n int) []error {
	var mu sync.Mutex
	var failed []error
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range n {
				if _, err := c.Complete(ctx, hello()); err != nil {
					mu.Lock()
					failed = append(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// TestLimiterBoundsConcurrency uses all slots and never more.
func TestLimiterBoundsConcurrency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &endpoint{latency: time.Second}
		start := time.Now()
		if failed := run(t.Context(), llm.NewLimiter(llm.Limits{Concurrency: 8}).Wrap(s), 64, 2); failed != nil {
			t.Fatal(failed[0])
		}
		if s.peak != 8 {
			t.Errorf("peak %d, want 8", s.peak)
		}
		if took := time.Since(start); took != 16*time.Second {
			t.Errorf("128 calls over 8 slots took %s, want 16s", took)
		}
	})
}

// TestLimiterBoundsRate spreads the starts evenly.
func TestLimiterBoundsRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &endpoint{latency: 10 * time.Millisecond}
		l := llm.NewLimiter(llm.Limits{Concurrency: 64, RPS: 4})
		if failed := run(t.Context(), l.Wrap(s), 21, 1); failed != nil {
			t.Fatal(failed[0])
		}
		if took := s.starts[20].Sub(s.starts[0]).Round(time.Millisecond); took != 5*time.Second {
			t.Errorf("21 starts at 4 per second took %s, want 5s", took)
		}
	})
}

// TestRateLimitSlowsEverybody: after one 429 nobody starts before the provider's
// wait is over, and a waiting retry holds no slot.
func TestRateLimitSlowsEverybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{errs: []error{&llm.Error{Kind: llm.KindRateLimit, Message: "slow down", RetryAfter: 7 * time.Second, Attempts: 1}}}
		l := llm.NewLimiter(llm.Limits{Concurrency: 4})
		c := llm.Chain(s, llm.Retry(llm.RetryPolicy{}), l.Wrap)
		start := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
		synctest.Wait()
		if st := l.State(); st.InFlight != 0 || st.Slots != 3 || !st.CoolUntil.Equal(start.Add(7*time.Second)) {
			t.Errorf("state while the retry waits: %+v", st)
		}
		for range 3 {
			wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
		}
		synctest.Wait()
		if st := l.State(); st.Waiting != 3 || st.InFlight != 0 {
			t.Errorf("state during the cool-down: %+v", st)
		}
		wg.Wait()
		for i, at := range s.calls[1:] {
			if d := at.Sub(start); d < 7*time.Second {
				t.Errorf("call %d started after %s, within the cool-down", i+2, d)
			}
		}
		if st := l.State(); st.InFlight != 0 || st.Waiting != 0 || !st.CoolUntil.IsZero() {
			t.Errorf("state at the end: %+v", st)
		}
	})
}

// TestStormOfWorkers: 64 workers against an endpoint that allows 10 requests per
// second end without a single failed call, with and without Retry-After.
func TestStormOfWorkers(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"with Retry-After": time.Second, "without": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &endpoint{latency: 300 * time.Millisecond, perSecond: 10, retryAfter: after}
				l := llm.NewLimiter(llm.Limits{Concurrency: 64})
				start := time.Now()
				failed := run(t.Context(), llm.Chain(s, llm.Retry(llm.RetryPolicy{}), l.Wrap), 64, 5)
				if failed != nil {
					t.Fatalf("%d calls failed: %v", len(failed), failed[0])
				}
				if len(s.starts) != 320 {
					t.Errorf("%d calls served, want 320", len(s.starts))
				}
				t.Logf("320 calls in %s (32 s at best), %d refusals, %+v", time.Since(start), s.refused, l.State())
			})
		})
	}
}

// TestConcurrencyRecovers grows back to the full concurrency after the trouble.
func TestConcurrencyRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{errs: []error{fault(llm.KindRateLimit, time.Second)}}
		l := llm.NewLimiter(llm.Limits{Concurrency: 8})
		c := llm.Chain(s, llm.Retry(llm.RetryPolicy{}), l.Wrap)
		if failed := run(t.Context(), c, 1, 1); failed != nil {
			t.Fatal(failed)
		}
		if got := l.State().Slots; got != 6 {
			t.Errorf("slots after one rate limit: %d, want 6", got)
		}
		if failed := run(t.Context(), c, 1, 20); failed != nil {
			t.Fatal(failed)
		}
		if got := l.State().Slots; got != 8 {
			t.Errorf("slots after 20 successes: %d, want 8", got)
		}
	})
}

// TestServerFaultWithRetryAfterCools makes everybody wait, at full concurrency.
func TestServerFaultWithRetryAfterCools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{errs: []error{fault(llm.KindServer, 5*time.Second)}}
		l := llm.NewLimiter(llm.Limits{Concurrency: 4})
		if failed := run(t.Context(), l.Wrap(s), 1, 1); len(failed) != 1 {
			t.Fatal("the fault did not get through")
		}
		if st := l.State(); st.Slots != 4 || time.Until(st.CoolUntil) != 5*time.Second {
			t.Errorf("state %+v", st)
		}
	})
}

// TestWaitersLeave: a caller that gives up while queueing takes no slot with it,
// and a panic below returns its slot.
func TestWaitersLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := llm.NewLimiter(llm.Limits{Concurrency: 1})
		s := &endpoint{latency: time.Minute}
		c := l.Wrap(s)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Complete(ctx, hello())
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindCancelled || e.Attempts != 0 {
			t.Errorf("got %v", err)
		}
		if st := l.State(); st.InFlight != 1 || st.Waiting != 0 {
			t.Errorf("state %+v", st)
		}
		wg.Wait()
		if _, err := c.Complete(ctx, hello()); err == nil {
			t.Error("a dead context got a slot")
		}
		func() {
			defer func() { _ = recover() }()
			_, _ = l.Wrap(llm.Func(func(context.Context, llm.Request) (llm.Response, error) { panic("boom") })).Complete(t.Context(), hello())
		}()
		if st := l.State(); st.InFlight != 0 {
			t.Errorf("the panic kept its slot: %+v", st)
		}
		if failed := run(t.Context(), c, 2, 1); failed != nil {
			t.Error(failed[0])
		}
	})
}
