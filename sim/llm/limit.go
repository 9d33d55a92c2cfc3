package llm

import (
	"container/list"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// pause is how long nobody starts where most is refused and the endpoint names no time, longestPause how long it can
	// make everybody wait.
	pause        = time.Second
	longestPause = 2 * time.Minute
	// catchUp is how much of a second's starts may be made up for at once: timers are coarse.
	catchUp = 0.05
)

// Limits bound the requests to one endpoint.
type Limits struct {
	Concurrency int     // in flight at once; DefaultConcurrency if 0
	RPS         float64 // starts per second, 0 for no bound
	TPM         float64 // tokens per minute, prompts and answers, 0 for no bound
}

// Limiter lets through at most so many requests at once, so many per second and so many tokens per minute, first come
// first served. Where the endpoint says "too many requests", starts are paced at what it was seen to take, see [pace], and
// if it refuses most of them, nobody starts until its wait is over. Safe for concurrent use.
type Limiter struct {
	limits Limits

	mu       sync.Mutex
	starts   *rate.Limiter // by RPS and pace; nil without a bound
	tokens   *tokenBucket  // nil without a bound
	pace     pace
	inFlight int
	waiting  list.List // of *ticket
	hold     time.Time // nobody starts before
	failure  *Error    // of the endpoint, since its last success
	wake     *time.Timer
}

// ticket is a request that waits for its start or was started.
type ticket struct {
	started chan struct{}
	at      time.Time // of the start, zero before
	round   int       // of the pace, at the start
	size    int       // bytes of its texts
	tokens  float64   // taken from the bucket
}

// NewLimiter returns a limiter without a pace.
func NewLimiter(l Limits) *Limiter {
	if l.Concurrency <= 0 {
		l.Concurrency = DefaultConcurrency
	}
	lim := &Limiter{limits: l}
	lim.setRate(time.Now())
	if l.TPM > 0 {
		lim.tokens = newTokenBucket(l.TPM, time.Now())
	}
	return lim
}

// setRate bounds the starts by what was set and what was learnt.
func (l *Limiter) setRate(now time.Time) {
	perSecond := l.limits.RPS
	if p := l.pace.rate; p > 0 && (perSecond == 0 || p < perSecond) {
		perSecond = p
	}
	burst := max(1, int(perSecond*catchUp))
	switch {
	case perSecond == 0:
		l.starts = nil
	case l.starts == nil:
		l.starts = rate.NewLimiter(rate.Limit(perSecond), burst)
	default:
		l.starts.SetLimitAt(now, rate.Limit(perSecond))
		l.starts.SetBurstAt(now, burst)
	}
}

// LimiterState is a snapshot for a status line.
type LimiterState struct {
	BaseURL, Model string // set by Dialer.Limiters
	InFlight       int
	Waiting        int
	Rate           float64   // starts per second that refusals taught, 0 for no bound
	HeldUntil      time.Time // when somebody may start again, zero for now
}

// State returns a snapshot.
func (l *Limiter) State() LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := LimiterState{InFlight: l.inFlight, Waiting: l.waiting.Len(), Rate: l.pace.rate}
	if time.Now().Before(l.hold) {
		s.HeldUntil = l.hold
	}
	return s
}

// Wrap is the limiter as a [Middleware]. A request holds its slot from start to reply and not a moment longer.
func (l *Limiter) Wrap(next Client) Client {
	complete := FuncOf(next)
	return Func(func(ctx context.Context, req Request) (Response, error) {
		t, err := l.acquire(ctx, req)
		if err != nil {
			return Response{}, err
		}
		used, e := Usage{}, &Error{Kind: KindCancelled} // if next panics
		defer func() { l.release(t, used, e) }()
		resp, err := complete(ctx, req)
		used, e = resp.Usage, nil
		if err != nil {
			e = asError(err)
			used = e.Usage
		}
		return resp, err
	})
}

// acquire waits for the start. When ctx ends first it returns a cancelled error, or, if a deadline passed behind an
// endpoint that fails, that endpoint's last error.
func (l *Limiter) acquire(ctx context.Context, req Request) (*ticket, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx, "waiting for a free slot")
	}
	t := &ticket{started: make(chan struct{})}
	if l.tokens != nil {
		t.size = TextSize(req)
	}
	l.mu.Lock()
	place := l.waiting.PushBack(t)
	l.dispatch()
	l.mu.Unlock()
	select {
	case <-t.started:
		return t, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.at.IsZero() {
		l.waiting.Remove(place)
	} else {
		l.leave(t, 0)
	}
	if l.failure != nil && pastDeadline(ctx) {
		e := l.failure.outOfTime(ctx)
		e.Attempts, e.Spent = 0, Spent{} // those of another request
		return nil, e
	}
	return nil, contextError(ctx, "waiting for a free slot")
}

// dispatch starts what may start now, and sees to it that it is called again when more may. With mu held.
func (l *Limiter) dispatch() {
	now := time.Now()
	for l.waiting.Len() > 0 && l.inFlight < l.limits.Concurrency {
		t := l.waiting.Front().Value.(*ticket)
		if d := l.delay(now, t); d > 0 {
			l.later(d)
			return
		}
		l.waiting.Remove(l.waiting.Front())
		l.inFlight++
		if l.pace.start(now) {
			l.setRate(now)
		}
		if l.tokens != nil {
			t.tokens = l.tokens.take(now, l.tokens.estimate(t.size))
		}
		t.at, t.round = now, l.pace.round
		close(t.started)
	}
}

// delay is how long a request has to wait for its start; 0 takes its turn.
func (l *Limiter) delay(now time.Time, t *ticket) time.Duration {
	if d := l.hold.Sub(now); d > 0 {
		return d
	}
	if l.tokens != nil {
		if d := l.tokens.wait(now, l.tokens.estimate(t.size)); d > 0 {
			return d
		}
	}
	if l.starts == nil {
		return 0
	}
	r := l.starts.ReserveN(now, 1)
	d := r.DelayFrom(now)
	if d > 0 {
		r.CancelAt(now)
	}
	return d
}

// later calls dispatch after d, and not before. With mu held.
func (l *Limiter) later(d time.Duration) {
	if l.wake != nil {
		l.wake.Reset(d)
		return
	}
	l.wake = time.AfterFunc(d, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dispatch()
	})
}

// leave frees the slot of a request that used so many tokens. With mu held.
func (l *Limiter) leave(t *ticket, used float64) {
	l.inFlight--
	if l.tokens != nil {
		l.tokens.correct(time.Now(), t.tokens, used)
	}
	l.dispatch()
}

// release frees the slot of a request and learns from how it ended.
func (l *Limiter) release(t *ticket, used Usage, e *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch {
	case e == nil:
		l.failure = nil
	case e.Retryable():
		l.failure = e
		if e.Kind == KindRateLimit && l.pace.refuse(t.round, now.Sub(t.at)) {
			l.holdFor(now, max(e.RetryAfter, pause))
		} else if e.Kind == KindServer {
			l.holdFor(now, e.RetryAfter)
		}
	}
	l.leave(t, l.spent(t, used, e))
}

// spent is how many tokens a request counts for, now that it has ended. A refusal costs none; what is not reported costs
// what was estimated.
func (l *Limiter) spent(t *ticket, used Usage, e *Error) float64 {
	switch {
	case l.tokens == nil, e != nil && (e.Kind == KindRateLimit || e.Kind == KindNetwork || e.Kind == KindAuth || e.Kind == KindQuota):
		return 0
	case !used.PromptTokens.Known || !used.CompletionTokens.Known:
		return t.tokens
	}
	l.tokens.learn(t.size, used)
	return float64(used.PromptTokens.N + used.CompletionTokens.N)
}

func (l *Limiter) holdFor(now time.Time, d time.Duration) {
	if until := now.Add(min(d, longestPause)); until.After(l.hold) {
		l.hold = until
	}
}
