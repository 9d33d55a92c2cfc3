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
	// shrink is what a rate limit leaves of the concurrency, gentle what an
	// occasional one leaves while the pace already follows the endpoint.
	shrink = 0.75
	gentle = 0.95
)

// Limits bound the requests to one endpoint.
type Limits struct {
	Concurrency int     // in flight at once; DefaultConcurrency if 0
	RPS         float64 // starts per second, 0 for no bound
	TPM         float64 // tokens per minute, prompts and answers, 0 for no bound
}

// Limiter lets through at most so many requests at once, so many per second and
// so many tokens per minute, first come first served. When the endpoint says
// "too many requests", all workers slow down: nobody starts until the provider's
// wait is over, the concurrency drops by a quarter (once per such wait) and
// starts are paced at what the endpoint was seen to take. The concurrency grows
// back by one for every full round of successes, the pace with time, slowly at
// first. If slowing down does not make refusals rarer, they come by chance:
// concurrency and pace return, and a refusal makes only its own call wait, as
// long as there are not many more. Safe for concurrent use.
type Limiter struct {
	limits Limits

	mu      sync.Mutex
	rate    *rate.Limiter // nil without a bound
	tokens  *tokenBucket  // nil without a bound
	pace    pace
	slots   int       // present concurrency, 1…limits.Concurrency
	flying  list.List // of *waiter, those in flight in order of their start
	waiting list.List // of *waiter
	cool    time.Time // nobody starts before
	strikes int       // rate limits in a row
	good    int       // successes since the last change of slots
	failure *Error    // of the endpoint, since its last success
	wake    *time.Timer
	wakeAt  time.Time
}

// waiter is a request that wants a slot or has one.
type waiter struct {
	ready   chan struct{}
	at      *list.Element // in waiting, then in flying
	granted bool
	slow    bool      // the pace was, when it was granted
	start   time.Time // when it was granted
	size    int       // bytes of its texts
	tokens  float64   // taken from the bucket
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
	if l.TPM > 0 {
		lim.tokens = newTokenBucket(l.TPM, time.Now())
	}
	return lim
}

// LimiterState is a snapshot for a status line.
type LimiterState struct {
	BaseURL, Model string // set by Dialer.Limiters
	InFlight       int
	Waiting        int
	Slots          int       // present concurrency
	Rate           float64   // present pace in starts per second that the endpoint's refusals taught, 0 for none
	Oldest         time.Time // start of the oldest request in flight, zero without one
	CoolUntil      time.Time // zero if not cooling down
}

// State returns a snapshot.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	s := LimiterState{InFlight: l.flying.Len(), Waiting: l.waiting.Len(), Slots: l.slots, Rate: l.pace.at(now)}
	if e := l.flying.Front(); e != nil {
		s.Oldest = e.Value.(*waiter).start
	}
	if now.Before(l.cool) {
		s.CoolUntil = l.cool
	}
	return s
}

// Wrap is the limiter as a [Middleware]. A request holds its slot from start to
// reply and not a moment longer.
func (l *Limiter) Wrap(next Client) Client {
	return Func(func(ctx context.Context, req Request) (Response, error) {
		w, err := l.acquire(ctx, req)
		if err != nil {
			return Response{}, err
		}
		var e *Error
		done := false
		defer func() {
			if !done { // next panicked: the slot must not be lost
				l.release(w, Usage{}, &Error{Kind: KindCancelled})
			}
		}()
		resp, err := next.Complete(ctx, req)
		used := resp.Usage
		if err != nil {
			e = asError(err)
			used = e.Usage
		}
		done = true
		l.release(w, used, e)
		return resp, err
	})
}

// acquire waits for a slot. When ctx ends first it returns a cancelled error, or,
// if a deadline passed behind an endpoint that fails, that endpoint's last error.
func (l *Limiter) acquire(ctx context.Context, req Request) (*waiter, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx, "waiting for a free slot")
	}
	w := &waiter{ready: make(chan struct{})}
	if l.tokens != nil {
		w.size = textSize(req)
	}
	l.mu.Lock()
	w.at = l.waiting.PushBack(w)
	l.dispatch()
	l.mu.Unlock()
	select {
	case <-w.ready:
		return w, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.granted {
		l.pace.unsent(w.slow)
		l.leave(w, 0)
		l.dispatch()
	} else {
		l.waiting.Remove(w.at)
	}
	if l.failure != nil && pastDeadline(ctx) {
		e := l.failure.outOfTime(ctx)
		e.Attempts, e.Usage, e.Cost = 0, Usage{}, nil // those of another request
		return nil, e
	}
	return nil, contextError(ctx, "waiting for a free slot")
}

// dispatch lets waiters start as far as slots, cool-down, pace, rate and tokens
// allow. With mu held.
func (l *Limiter) dispatch() {
	now := time.Now()
	for l.waiting.Len() > 0 && l.flying.Len() < l.slots {
		if d := l.cool.Sub(now); d > 0 {
			l.later(now, d)
			return
		}
		l.pace.settle(now)
		w := l.waiting.Front().Value.(*waiter)
		d := l.pace.wait(now)
		if l.tokens != nil {
			d = max(d, l.tokens.wait(now, l.tokens.estimate(w.size)))
		}
		if d == 0 && l.rate != nil && !l.rate.AllowN(now, 1) {
			r := l.rate.ReserveN(now, 1)
			d = max(r.DelayFrom(now), time.Microsecond)
			r.CancelAt(now)
		}
		if d > 0 {
			l.later(now, d)
			return
		}
		l.grant(w, now)
	}
}

// grant starts the first of the waiting requests. With mu held.
func (l *Limiter) grant(w *waiter, now time.Time) {
	l.waiting.Remove(w.at)
	w.granted, w.start, w.at = true, now, l.flying.PushBack(w)
	w.slow = l.pace.started(now)
	if l.tokens != nil {
		w.tokens = l.tokens.take(now, l.tokens.estimate(w.size))
	}
	close(w.ready)
}

// leave frees the slot of a request that used so many tokens. With mu held.
func (l *Limiter) leave(w *waiter, used float64) {
	l.flying.Remove(w.at)
	if l.tokens != nil {
		l.tokens.correct(time.Now(), w.tokens, used)
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

// release frees the slot of a request and learns from how it ended.
func (l *Limiter) release(w *waiter, used Usage, e *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(w, l.spent(w, used, e))
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
		l.slowDown(w, e.RetryAfter)
	case e.Kind == KindServer && e.RetryAfter > 0:
		l.coolFor(e.RetryAfter)
	}
	l.dispatch()
}

// spent is how many tokens a request counts for, now that it has ended. A
// refusal costs none; what is not reported costs what was estimated.
func (l *Limiter) spent(w *waiter, used Usage, e *Error) float64 {
	switch {
	case l.tokens == nil, e != nil && (e.Kind == KindRateLimit || e.Kind == KindNetwork || e.Kind == KindAuth || e.Kind == KindQuota):
		return 0
	case !used.PromptTokens.Known || !used.CompletionTokens.Known:
		return w.tokens
	}
	l.tokens.learn(w.size, used)
	return float64(used.PromptTokens.N + used.CompletionTokens.N)
}

// slowDown reacts to a rate limit. Requests that were under way when the last
// cool-down began say nothing new about the concurrency, so only the first of
// such a group shrinks it.
func (l *Limiter) slowDown(w *waiter, wait time.Duration) {
	now := time.Now()
	l.pace.refused(w.slow)
	switch {
	case !w.start.After(l.cool):
	case l.pace.byChance():
		if l.pace.free(now) {
			l.slots, l.good = l.limits.Concurrency, 0
		}
		return
	default:
		keep := shrink
		if l.pace.follows(now) {
			keep = gentle
		}
		l.slots = max(1, int(float64(l.slots)*keep))
		l.good = 0
		if wait == 0 {
			wait = min(firstCool<<min(l.strikes, 10), maxCool)
		}
		l.strikes++
		l.pace.struck(now)
	}
	l.coolFor(wait)
}

func (l *Limiter) coolFor(d time.Duration) {
	if until := time.Now().Add(min(d, longestCool)); until.After(l.cool) {
		l.cool = until
	}
}
