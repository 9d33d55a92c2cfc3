package llm

import (
	"net/http"
	"time"
)

// TestEpoch is the "now" of parsers under test.
var TestEpoch = time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC)

// The parsers behind the seam, for fuzzing without a server.
var (
	Classify   = Models{}.classify
	RetryAfter = retryAfter
	ReadUsage  = readUsage
	Glob       = glob
)

// ReadAnswer normalises a reply body and returns the narrow JSON for go-openai.
func ReadAnswer(status int, body []byte) (wire []byte, callExtras int, e *Error) {
	a, e := Models{}.readAnswer(status, nil, body, TestEpoch)
	if e != nil {
		return nil, 0, e
	}
	return a.wire, len(a.callExtra), nil
}

// AppendString writes a JSON string as request bodies do.
func AppendString(s string) []byte { return appendString(nil, s) }

// RetryWith is Retry for somebody who listens.
func RetryWith(p RetryPolicy, notice RetryNotice) Middleware {
	return retrier{policy: p, notice: notice}.wrap
}

// RetryMetered is Retry with the default policy and a meter.
func RetryMetered(m *Meter) Middleware { return retrier{meter: m}.wrap }

// Classify is what the table makes of a failed reply.
func (m Models) Classify(status int, h http.Header, body []byte, now time.Time) *Error {
	return m.classify(status, h, body, now)
}

// ReadAnswer is what the table makes of a reply that is said to be good, nil if it is.
func (m Models) ReadAnswer(status int, body []byte) *Error {
	_, e := m.readAnswer(status, nil, body, TestEpoch)
	return e
}
