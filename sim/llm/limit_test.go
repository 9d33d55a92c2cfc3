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

// endpoint simulates a server that takes a while for each request and measures
// the concurrency.
type endpoint struct {
	latency time.Duration

	mu       sync.Mutex
	inFlight int
	peak     int
	starts   []time.Time
}

func (s *endpoint) Complete(ctx context.Context, _ llm.Request) (llm.Response, error) {
	s.mu.Lock()
	s.starts = append(s.starts, time.Now())
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

// TestRefusalOfMostHoldsEverybody: where an endpoint refuses most, nobody starts
// before its wait is over, and a waiting retry holds no slot.
func TestRefusalOfMostHoldsEverybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const refused = 10
		s := &script{errs: repeat(&llm.Error{Kind: llm.KindRateLimit, Message: "slow down", RetryAfter: 7 * time.Second, Attempts: 1}, refused)}
		l := llm.NewLimiter(llm.Limits{})
		c := llm.Chain(s, llm.Retry(llm.RetryPolicy{}), l.Wrap)
		start := time.Now()
		var wg sync.WaitGroup
		for range refused {
			wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
		}
		synctest.Wait()
		if st := l.State(); st.InFlight != 0 || !st.HeldUntil.Equal(start.Add(7*time.Second)) {
			t.Errorf("state while the retries wait: %+v", st)
		}
		for range 3 {
			wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
		}
		synctest.Wait()
		if st := l.State(); st.Waiting != 3 || st.InFlight != 0 {
			t.Errorf("state during the pause: %+v", st)
		}
		wg.Wait()
		for i, at := range s.calls[refused:] {
			if d := at.Sub(start); d < 7*time.Second {
				t.Errorf("call %d started after %s, within the pause", i+refused+1, d)
			}
		}
		if st := l.State(); st.InFlight != 0 || st.Waiting != 0 || !st.HeldUntil.IsZero() {
			t.Errorf("state at the end: %+v", st)
		}
	})
}

// TestServerFaultWithRetryAfterHoldsEverybody, for once.
func TestServerFaultWithRetryAfterHoldsEverybody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{errs: []error{fault(llm.KindServer, 5*time.Second)}}
		l := llm.NewLimiter(llm.Limits{Concurrency: 4})
		if failed := run(t.Context(), l.Wrap(s), 1, 1); len(failed) != 1 {
			t.Fatal("the fault did not get through")
		}
		if st := l.State(); time.Until(st.HeldUntil) != 5*time.Second {
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
