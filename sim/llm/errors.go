package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// Kind classifies an error by what a caller can do about it.
type Kind string

// The kinds of errors.
const (
	KindRateLimit     Kind = "rate_limit"     // too many requests: wait
	KindQuota         Kind = "quota"          // credit or plan exhausted: pay
	KindAuth          Kind = "auth"           // key missing, wrong or not allowed
	KindBadRequest    Kind = "bad_request"    // the request itself is refused
	KindContextWindow Kind = "context_window" // conversation or answer too long
	KindContentFilter Kind = "content_filter" // refused by a moderation layer
	KindTemplate      Kind = "template"       // the model's chat template refuses the history
	KindServer        Kind = "server"         // the endpoint failed
	KindMalformed     Kind = "malformed"      // the reply cannot be read
	KindTimeout       Kind = "timeout"        // one attempt took too long
	KindNetwork       Kind = "network"        // no reply at all
	KindCancelled     Kind = "cancelled"      // the caller's context ended
	KindCassette      Kind = "cassette"       // a recording lacks the answer or has another one
)

// hints say what to do next, by kind.
var hints = map[Kind]string{
	KindRateLimit:     "lower the endpoint's concurrency or set its rps",
	KindQuota:         "add credit or raise the plan's limit, then resume the run",
	KindAuth:          "check the endpoint's key and its access to the model",
	KindBadRequest:    "check the endpoint's model name and parameters",
	KindContextWindow: "use a model, or start the server, with a larger context window",
	KindContentFilter: "look at the provider's filter settings",
	KindTemplate:      "set on the model echo: never (nothing the model said beside its text goes back) or roles: alternate (user and assistant by turns)",
	KindServer:        "try again later or check the endpoint's status page",
	KindMalformed:     "check that base_url points to a chat-completions endpoint",
	KindTimeout:       "raise the endpoint's timeout",
	KindNetwork:       "check base_url and the network",
	KindCancelled:     "",
	KindCassette:      "record again, or replay what was recorded with the same setup",
}

// Error is the one error type of this package. Callers find it with errors.As
// and decide by Kind.
type Error struct {
	Kind Kind
	// Status is the effective HTTP status: that of the reply, or the code
	// that an error body inside a 200 reply stands for. 0 without a reply.
	Status  int
	Code    string // the provider's code, or its type where it has no code
	Message string // the provider's words, never empty
	Param   string // the request field that the provider objects to
	Unknown bool   // a refusal that no row of the table of failures fits
	// RetryAfter is how long the provider asks to wait; 0 if it does not say.
	RetryAfter  time.Duration
	RequestID   string
	ContentType string
	Body        string // first 2 KB of the reply, keys redacted
	Endpoint    string // name of the endpoint
	Model       string
	Attempts    int      // HTTP requests spent
	Spent                // by the failed answers, all attempts together, if reported
	Quirks      []string // as in [Response]
	Replayed    bool     // as in [Response]
	Err         error    // cause, if any
	// Since is when the wait before the last attempt began; the call itself if there was one attempt alone.
	Since time.Time
}

// Error names endpoint, model, kind, status and the provider's words, and ends
// with a hint.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Endpoint != "" {
		fmt.Fprintf(&b, "endpoint %q: ", e.Endpoint)
	}
	if e.Model != "" {
		fmt.Fprintf(&b, "model %s: ", e.Model)
	}
	b.WriteString(string(e.Kind))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (status %d", e.Status)
		if e.Code != "" {
			fmt.Fprintf(&b, ", %s", e.Code)
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, ": %s", e.Message)
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	if h := e.hint(); h != "" && !strings.Contains(e.Message, "\nhint: ") {
		fmt.Fprintf(&b, "\nhint: %s", h)
	}
	return b.String()
}

// hint says what to do next.
func (e *Error) hint() string {
	switch {
	case e.CutOff():
		return "raise max_tokens or lower reasoning_effort"
	case e.Nobody():
		return "start the server, or check base_url"
	}
	return hints[e.Kind]
}

// CutOff tells whether the output limit was spent before any visible text.
func (e *Error) CutOff() bool { return e.Kind == KindContextWindow && e.Code == "length" }

// Nobody tells whether there is nobody at the endpoint's address: no host of that name, no way to it, nothing that listens.
func (e *Error) Nobody() bool {
	var dns *net.DNSError
	return e.Kind == KindNetwork && (errors.Is(e.Err, syscall.ECONNREFUSED) || errors.Is(e.Err, syscall.EHOSTUNREACH) ||
		errors.Is(e.Err, syscall.ENETUNREACH) || errors.As(e.Err, &dns) && dns.IsNotFound)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable tells whether the same request may succeed later. What the model or
// the request did wrong is not retryable; neither is an exhausted quota.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimit, KindMalformed, KindTimeout, KindNetwork:
		return true
	case KindServer:
		return e.Status != http.StatusNotImplemented && e.Status != http.StatusHTTPVersionNotSupported
	}
	return false
}

// errAttempt marks the end of one attempt. It deliberately does not wrap
// context.DeadlineExceeded, so that a caller can tell its own deadline from
// that of an attempt.
var errAttempt = errors.New("attempt timed out")

// asError returns the *Error within err, or makes one: a context error becomes
// cancelled, anything else a network error.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindCancelled, Message: err.Error(), Err: err}
	}
	return &Error{Kind: KindNetwork, Message: err.Error(), Err: err}
}

// outOfTime is the error of a request that could not be repeated any more
// because the caller's deadline passed: what went wrong last, with the deadline
// as a further cause. A caller that gave up gets a cancelled error instead.
func (e *Error) outOfTime(ctx context.Context) *Error {
	late, cause := *e, context.Cause(ctx)
	late.Message = fmt.Sprintf("%s (given up: %v)", e.Message, cause)
	late.Err = errors.Join(cause, e.Err)
	return &late
}

// pastDeadline tells whether ctx ended by a deadline rather than by the caller's
// own decision.
func pastDeadline(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// contextError reports the end of ctx: a timeout if one attempt ran out of
// time, else a cancellation with the caller's cause.
func contextError(ctx context.Context, doing string) *Error {
	cause := context.Cause(ctx)
	if errors.Is(cause, errAttempt) {
		return &Error{Kind: KindTimeout, Message: cause.Error() + " while " + doing, Err: cause}
	}
	return &Error{Kind: KindCancelled, Message: fmt.Sprintf("%v while %s", cause, doing), Err: cause}
}
