package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// RetryPolicy says how often a request is sent again and how long the waits in between are. It is the only place for
// these numbers. Zero fields take the default.
type RetryPolicy struct {
	// Attempts is how often a request is sent when the endpoint fails: a server error, no answer in time, no connection,
	// an unreadable reply. Default 5.
	Attempts int
	// RateLimited is how often it is sent when the endpoint says "too many requests", which costs nothing. Default 20.
	RateLimited int
	// FirstWait is the wait after the first failure, default 500 ms. Each further wait doubles, up to MaxWait, default
	// 30 s. Waits are spread by half in both directions.
	FirstWait, MaxWait time.Duration
	// MaxRetryAfter is the longest wait that a provider may ask for; a longer one fails the call at once. Default 2 min.
	MaxRetryAfter time.Duration
}

// DefaultRetryPolicy returns the policy that applies where nothing is set.
func DefaultRetryPolicy() RetryPolicy {
	return RetryPolicy{Attempts: 5, RateLimited: 20, FirstWait: 500 * time.Millisecond, MaxWait: 30 * time.Second, MaxRetryAfter: 2 * time.Minute}
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	d := DefaultRetryPolicy()
	return RetryPolicy{
		Attempts: positive(p.Attempts, d.Attempts), RateLimited: positive(p.RateLimited, d.RateLimited),
		FirstWait: positive(p.FirstWait, d.FirstWait), MaxWait: positive(p.MaxWait, d.MaxWait), MaxRetryAfter: positive(p.MaxRetryAfter, d.MaxRetryAfter),
	}
}

func positive[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// nobodyThere bounds how long an address is tried that nobody answers at: a server that is not there ends a run soon.
const nobodyThere = 9 * time.Second

// RetryNotice is told of each wait before it begins. It must be quick and safe for concurrent use.
type RetryNotice func(endpoint string, req Request, err *Error, attempt int, wait time.Duration)

// Retry repeats a request that failed for a passing reason (see [Error.Retryable]). It holds nothing while it waits: put
// the limiter inside it. The error of the last attempt is returned, with Attempts counting all of them. If the caller's
// deadline passes during a wait or a later attempt, it is the error of the last attempt that failed by itself, which then
// wraps the deadline's cause too: an endpoint that is down does not look like a caller in a hurry.
func Retry(p RetryPolicy) Middleware { return retrier{policy: p}.wrap }

// retrier is Retry with those that hear of waits; both may be nil.
type retrier struct {
	policy   RetryPolicy
	endpoint string
	notice   RetryNotice
	meter    *Meter
}

func (r retrier) wrap(next Client) Client {
	r.policy = r.policy.withDefaults()
	complete := FuncOf(next)
	return Func(func(ctx context.Context, req Request) (Response, error) { return r.complete(ctx, req, complete) })
}

func (r retrier) complete(ctx context.Context, req Request, next Func) (Response, error) {
	start := time.Now()
	since := start // when the latest wait began
	var sent, limited, failures int
	var failed *Error // the last one that was not the end of the caller's context
	var spent Spent   // by all attempts that failed
	wait := r.policy.FirstWait
	for {
		resp, err := next(ctx, req)
		if err == nil {
			resp.Attempts += sent
			resp.Elapsed = time.Since(start)
			if spent != (Spent{}) {
				resp.Failed = &spent
			}
			return resp, nil
		}
		e := asError(err)
		sent += e.Attempts
		spent = spent.Plus(e.Spent)
		if e.Kind != KindCancelled {
			failed = e
		}
		if e.Kind == KindRateLimit {
			limited++
		} else {
			failures++
		}
		pause := wait/2 + rand.N(wait)
		switch {
		case !e.Retryable(), ctx.Err() != nil, limited >= r.policy.RateLimited, failures >= r.policy.Attempts,
			e.Nobody() && time.Since(start)+pause > nobodyThere:
			last := final(ctx, e, failed, sent, spent)
			last.Since = since
			return Response{}, last
		case e.RetryAfter > r.policy.MaxRetryAfter:
			long := *e
			long.Message = fmt.Sprintf("%s (the provider asks to wait %s, longer than the %s allowed)", e.Message, e.RetryAfter.Round(time.Second), r.policy.MaxRetryAfter)
			return Response{}, final(ctx, &long, &long, sent, spent)
		}
		since = time.Now()
		if e.RetryAfter > 0 {
			// A little later than asked, and not all at the same moment.
			r.wait(ctx, req, e, sent, e.RetryAfter+rand.N(e.RetryAfter/10+50*time.Millisecond))
		} else {
			r.wait(ctx, req, e, sent, pause)
			wait = min(2*wait, r.policy.MaxWait)
		}
		if ctx.Err() != nil {
			return Response{}, final(ctx, e, failed, sent, spent)
		}
	}
}

func (r retrier) wait(ctx context.Context, req Request, e *Error, attempt int, d time.Duration) {
	r.meter.retrying(1)
	defer r.meter.retrying(-1)
	if r.notice != nil {
		r.notice(r.endpoint, req, e, attempt, d)
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// final is the error of a call whose last attempt ended with e, and whose last own failure was failed.
func final(ctx context.Context, e, failed *Error, sent int, spent Spent) *Error {
	last := *e
	switch {
	case ctx.Err() == nil:
	case failed != nil && pastDeadline(ctx):
		last = *failed
		if !errors.Is(failed, context.Cause(ctx)) { // the limiter's says so already
			last = *failed.outOfTime(ctx)
		}
	case e.Kind != KindCancelled:
		last = *contextError(ctx, "waiting to retry after: "+e.Message)
		last.Endpoint, last.Model = e.Endpoint, e.Model
	}
	last.Attempts, last.Spent = sent, spent
	return &last
}

// Timeout bounds one attempt by d, from the moment it is called: put it inside the limiter, so that queueing does not
// count. A result that arrives after the deadline is discarded even if it is good, since the attempt has been given up.
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
			e.Attempts, e.Spent = 1, Spent{resp.Usage, resp.Cost}
			if err != nil {
				was := asError(err)
				e.Endpoint, e.Model, e.Attempts, e.Spent = was.Endpoint, was.Model, was.Attempts, was.Spent
			}
			return Response{}, e
		})
	}
}
