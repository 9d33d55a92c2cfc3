package llm

import (
	"container/list"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// firstCool is how long everybody waits after a rate limit that names no
	// time; it doubles with each further one up to maxCool.
	firstCool = time.Second
	maxCool   = 30 * time.Second
	// longestCool bounds the wait that a provider can impose on everybody.
	longestCool = 120 * time.Second
	// shrink is what a rate limit leaves of the concurrency.
	shrink = 0.75
)

// Limits bound the requests to one endpoint.
type Limits struct {
	Concurrency int     // in flight at once; DefaultConcurrency if 0
	RPS         float64 // starts per second, 0 for no bound
}

// Limiter lets through at most so many requests at once and so many per second,
// first come first served. When the endpoint says "too many requests", all
// workers slow down: nobody starts until the provider's wait is over, and the
// concurrency drops by a quarter (once per such wait). It grows back by one for
// every full round of successes. Safe for concurrent use.
type Limiter struct {
	limits Limits

	mu       sync.Mutex
	rate     *rate.Limiter // nil without a bound
	slots    int           // present concurrency, 1…limits.Concurrency
	inFlight int
	waiting  list.List // of *waiter
	cool     time.Time // nobody starts before
	strikes  int       // rate limits in a row
	good     int       // successes since the last change of slots
	failure  *Error    // of the endpoint, since its last success
	wake     *time.Timer
	wakeAt   time.Time
}

type waiter struct {
	ready   chan struct{}
	granted bool
}

// NewLimiter returns a limiter that starts with its full concurrency.
func NewLimiter(l Limits) *Limiter {
	if l.Concurrency <= 0 {
		l.Concurrency = DefaultConcurrency
	}
	lim := &Limiter{limits: l, slots: l.Concurrency}
	if l.RPS > 0 {
		// Starts are spread evenly: a burst of 50 ms only makes up for the
		// coarseness of timers.
		lim.rate = rate.NewLimiter(rate.Limit(l.RPS), max(1, int(l.RPS/20)))
	}
	return lim
}

// LimiterState is a snapshot for a status line.
type LimiterState struct {
	BaseURL, Model string // set by Dialer.Limiters
	InFlight       int
	Waiting        int
	Slots          int       // present concurrency
	CoolUntil      time.Time // zero if not cooling down
}

// State returns a snapshot.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LimiterState{InFlight: l.inFlight, Waiting: l.waiting.Len(), Slots: l.slots}
	if time.Now().Before(l.cool) {
		s.CoolUntil = l.cool
	}
	return s
}

// Wrap is the limiter as a [Middleware]. A request holds its slot from start to
// reply and not a moment longer.
func (l *Limiter) Wrap(next Client) Client {
	return Func(func(ctx context.Context, req Request) (Response, error) {
		if err := l.acquire(ctx); err != nil {
			return Response{}, err
		}
		start := time.Now()
		var e *Error
		done := false
		defer func() {
			if !done { // next panicked: the slot must not be lost
				l.release(start, &Error{Kind: KindCancelled})
			}
		}()
		resp, err := next.Complete(ctx, req)
		if err != nil {
			e = asError(err)
		}
		done = true
		l.release(start, e)
		return resp, err
	})
}

// acquire waits for a slot. When ctx ends first it returns a cancelled error, or,
// if a deadline passed behind an endpoint that fails, that endpoint's last error.
func (l *Limiter) acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return contextError(ctx, "waiting for a free slot")
	}
	w := &waiter{ready: make(chan struct{})}
	l.mu.Lock()
	at := l.waiting.PushBack(w)
	l.dispatch()
	l.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.granted {
		l.inFlight--
		l.dispatch()
	} else {
		l.waiting.Remove(at)
	}
	if l.failure != nil && pastDeadline(ctx) {
		e := l.failure.outOfTime(ctx)
		e.Attempts, e.Usage, e.Cost = 0, Usage{}, nil // those of another request
		return e
	}
	return contextError(ctx, "waiting for a free slot")
}

// dispatch lets waiters start as far as slots, cool-down and rate allow. With
// mu held.
func (l *Limiter) dispatch() {
	now := time.Now()
	for l.waiting.Len() > 0 && l.inFlight < l.slots {
		if d := l.cool.Sub(now); d > 0 {
			l.later(now, d)
			return
		}
		if l.rate != nil && !l.rate.AllowN(now, 1) {
			r := l.rate.ReserveN(now, 1)
			d := r.DelayFrom(now)
			r.CancelAt(now)
			l.later(now, max(d, time.Microsecond))
			return
		}
		w := l.waiting.Remove(l.waiting.Front()).(*waiter)
		w.granted = true
		l.inFlight++
		close(w.ready)
	}
}

// later arranges one dispatch after d, unless an earlier one is due. With mu
// held.
func (l *Limiter) later(now time.Time, d time.Duration) {
	at := now.Add(d)
	if l.wake != nil && !l.wakeAt.After(at) && l.wakeAt.After(now) {
		return
	}
	if l.wake != nil {
		l.wake.Stop()
	}
	l.wakeAt = at
	l.wake = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dispatch()
	})
}

// release frees the slot of a request that began at start and learns from how
// it ended.
func (l *Limiter) release(start time.Time, e *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	if e == nil {
		l.failure = nil
	} else if e.Retryable() {
		l.failure = e
	}
	switch {
	case e == nil:
		l.strikes = 0
		if l.good++; l.good >= l.slots && l.slots < l.limits.Concurrency {
			l.slots++
			l.good = 0
		}
	case e.Kind == KindRateLimit:
		l.slowDown(start, e.RetryAfter)
	case e.Kind == KindServer && e.RetryAfter > 0:
		l.coolFor(e.RetryAfter)
	}
	l.dispatch()
}

// slowDown reacts to a rate limit. Requests that were under way when the last
// cool-down began say nothing new about the concurrency, so only the first of
// such a group shrinks it.
func (l *Limiter) slowDown(start time.Time, wait time.Duration) {
	if start.After(l.cool) {
		l.slots = max(1, int(float64(l.slots)*shrink))
		l.good = 0
		if wait == 0 {
			wait = min(firstCool<<min(l.strikes, 10), maxCool)
		}
		l.strikes++
	}
	l.coolFor(wait)
}

func (l *Limiter) coolFor(d time.Duration) {
	if until := time.Now().Add(min(d, longestCool)); until.After(l.cool) {
		l.cool = until
	}
}
