package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// RetryPolicy bounds the attempts at one request. Zero fields take the default.
type RetryPolicy struct {
	// Attempts bounds how often the request is sent when the endpoint fails,
	// RateLimited how often when it says "too many requests". The second is
	// larger because a refusal costs nothing and the limiter slows down.
	Attempts    int // default 5
	RateLimited int // default 20
	// Base is the first wait; each further one doubles, up to Max, and is
	// spread by half of itself in both directions.
	Base time.Duration // default 500 ms
	Max  time.Duration // default 30 s
	// MaxRetryAfter is the longest wait that a provider may ask for; a longer
	// one fails the call at once.
	MaxRetryAfter time.Duration // default 120 s
	// Notify, if set, hears of each wait before it begins. It must be quick
	// and safe for concurrent use.
	Notify func(req Request, err *Error, attempt int, wait time.Duration)

	live *Live // counts the calls that wait
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	def := func(v *int, n int) {
		if *v <= 0 {
			*v = n
		}
	}
	dur := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&p.Attempts, 5)
	def(&p.RateLimited, 20)
	dur(&p.Base, 500*time.Millisecond)
	dur(&p.Max, 30*time.Second)
	dur(&p.MaxRetryAfter, 120*time.Second)
	return p
}

// Retry repeats a request that failed for a passing reason (see
// [Error.Retryable]). It holds nothing while it waits: put the limiter inside
// it. The error of the last attempt is returned, with Attempts counting all of
// them. If the caller's deadline passes during a wait or a later attempt, it is
// the error of the last attempt that failed by itself, which then wraps the
// deadline's cause too: an endpoint that is down does not look like a caller in
// a hurry. Safe for concurrent use.
func Retry(p RetryPolicy) Middleware {
	p = p.withDefaults()
	return func(next Client) Client {
		return Func(func(ctx context.Context, req Request) (Response, error) {
			r := retrier{policy: p, next: next, req: req}
			return r.run(ctx)
		})
	}
}

// retrier is the state of one request.
type retrier struct {
	policy   RetryPolicy
	next     Client
	req      Request
	sent     int // HTTP requests so far
	failures int // attempts that failed, other than rate limits
	limited  int // attempts that met a rate limit
	waits    bool
	last     *Error
	failed   *Error // the last one that was not the end of the caller's context
}

func (r *retrier) run(ctx context.Context) (Response, error) {
	start := time.Now()
	defer r.waiting(false)
	b := &backoff.ExponentialBackOff{
		InitialInterval: r.policy.Base, MaxInterval: r.policy.Max, Multiplier: 2, RandomizationFactor: 0.5,
	}
	resp, err := backoff.Retry(ctx, func() (Response, error) { return r.attempt(ctx) },
		backoff.WithBackOff(b), backoff.WithMaxElapsedTime(0), backoff.WithNotify(r.notify))
	if err == nil {
		resp.Attempts = r.sent
		resp.Elapsed = time.Since(start)
		return resp, nil
	}
	e := r.last
	switch {
	case ctx.Err() == nil:
	case r.failed != nil && pastDeadline(ctx):
		e = r.failed
		if !errors.Is(e, context.Cause(ctx)) { // the limiter's says so already
			e = e.outOfTime(ctx)
		}
	case e.Kind != KindCancelled:
		e = contextError(ctx, "waiting to retry after: "+r.last.Message)
		e.Endpoint, e.Model, e.Usage, e.Cost = r.last.Endpoint, r.last.Model, r.last.Usage, r.last.Cost
	}
	failed := *e
	failed.Attempts = r.sent
	return Response{}, &failed
}

// attempt sends once and sorts what comes back: done, final, or worth waiting
// for.
func (r *retrier) attempt(ctx context.Context) (Response, error) {
	r.waiting(false)
	resp, err := r.next.Complete(ctx, r.req)
	if err == nil {
		r.sent += resp.Attempts
		return resp, nil
	}
	e := asError(err)
	r.sent += e.Attempts
	r.last = e
	if e.Kind != KindCancelled {
		r.failed = e
	}
	if !e.Retryable() || ctx.Err() != nil {
		return Response{}, backoff.Permanent(e)
	}
	if e.RetryAfter > r.policy.MaxRetryAfter {
		long := *e
		long.Message = fmt.Sprintf("%s (the provider asks to wait %s, longer than the %s allowed)", e.Message, e.RetryAfter.Round(time.Second), r.policy.MaxRetryAfter)
		r.last = &long
		return Response{}, backoff.Permanent(r.last)
	}
	if e.Kind == KindRateLimit {
		r.limited++
	} else {
		r.failures++
	}
	if r.limited >= r.policy.RateLimited || r.failures >= r.policy.Attempts {
		return Response{}, backoff.Permanent(e)
	}
	if e.RetryAfter > 0 {
		// A little later than asked, and not all at the same moment.
		wait := e.RetryAfter + rand.N(e.RetryAfter/10+50*time.Millisecond)
		return Response{}, errors.Join(e, &backoff.RetryAfterError{Duration: wait})
	}
	return Response{}, e
}

// waiting keeps the count of calls that wait right.
func (r *retrier) waiting(is bool) {
	switch {
	case is && !r.waits:
		r.policy.live.retry(1)
	case !is && r.waits:
		r.policy.live.retry(-1)
	}
	r.waits = is
}

func (r *retrier) notify(_ error, wait time.Duration) {
	r.waiting(true)
	if r.policy.Notify != nil {
		r.policy.Notify(r.req, r.last, r.sent, wait)
	}
}

// Timeout bounds one attempt by d, from the moment it is called: put it inside
// the limiter, so that queueing does not count. A result that arrives after the
// deadline is discarded even if it is good, since the attempt has been given up.
func Timeout(d time.Duration) Middleware {
	cause := fmt.Errorf("%w after %s", errAttempt, d)
	return func(next Client) Client {
		return Func(func(ctx context.Context, req Request) (Response, error) {
			ctx, cancel := context.WithTimeoutCause(ctx, d, cause)
			defer cancel()
			resp, err := next.Complete(ctx, req)
			if ctx.Err() == nil {
				return resp, err
			}
			e := contextError(ctx, "waiting for the reply")
			e.Attempts = 1
			if err != nil {
				was := asError(err)
				e.Endpoint, e.Model, e.Attempts = was.Endpoint, was.Model, was.Attempts
			}
			return Response{}, e
		})
	}
}
