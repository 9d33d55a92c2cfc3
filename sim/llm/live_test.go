package llm_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestLiveCounts follows three calls: one that is answered, one that waits to be
// sent again, one that nobody answers.
func TestLiveCounts(t *testing.T) {
	t.Parallel()
	var live llm.Live
	state := func() [2]int { s := live.State(); return [2]int{s.Calls, s.Retrying} }
	if s := live.State(); s != (llm.LiveState{}) || state() != [2]int{} {
		t.Errorf("at first %+v", s)
	}
	srv := faultserver.New(t, faultserver.Status(503, "busy"), faultserver.Text("well"), faultserver.Hang())
	waits, goOn := make(chan struct{}), make(chan struct{})
	d := llm.Dialer{Live: &live}
	e := llm.Endpoint{Name: "m", BaseURL: srv.URL, Model: "x", Timeout: time.Minute, Retry: llm.RetryPolicy{Attempts: 2, Base: time.Millisecond, Max: time.Millisecond,
		Notify: func(llm.Request, *llm.Error, int, time.Duration) {
			close(waits)
			<-goOn
		}}}
	c, err := d.Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
	<-waits
	if s := live.State(); state() != [2]int{1, 1} || s.Oldest.Before(began) || s.Oldest.After(time.Now()) {
		t.Errorf("while it waits: %+v", s)
	}
	close(goOn)
	wg.Wait()
	if s := live.State(); s != (llm.LiveState{}) {
		t.Errorf("when it is answered: %+v", s)
	}
	var none *llm.Live
	if none.State() != (llm.LiveState{}) {
		t.Error("no counter counts")
	}
}

// TestOldestInFlight: the limiter tells the start of the oldest request, the live
// counter that of the oldest call, which may have waited.
func TestOldestInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var live llm.Live
		l := llm.NewLimiter(llm.Limits{Concurrency: 1})
		c := llm.Chain(&endpoint{latency: 10 * time.Second}, live.Wrap, l.Wrap)
		start := time.Now()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { _, _ = c.Complete(t.Context(), hello()) })
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if s := l.State(); !s.Oldest.Equal(start) || s.InFlight != 1 || s.Waiting != 1 {
			t.Errorf("limiter %+v", s)
		}
		time.Sleep(10 * time.Second)
		if s, at := l.State(), live.State(); !s.Oldest.Equal(start.Add(10*time.Second)) || !at.Oldest.Equal(start.Add(time.Second)) || at.Calls != 1 {
			t.Errorf("limiter %+v, calls %+v", s, at)
		}
		wg.Wait()
		if s := l.State(); !s.Oldest.IsZero() {
			t.Errorf("at the end %+v", s)
		}
	})
}
