package llm

import "time"

// testEpoch is the "now" of parsers under test.
var testEpoch = time.Date(2026, 10, 21, 7, 27, 0, 0, time.UTC)

// The parsers behind the seam, for fuzzing without a server.
var (
	Classify   = classify
	RetryAfter = retryAfter
	ReadUsage  = readUsage
	Glob       = glob
)

// ReadAnswer normalises a reply body and returns the narrow JSON for go-openai.
func ReadAnswer(status int, body []byte) (wire []byte, callExtras int, e *Error) {
	a, e := readAnswer(status, nil, body, testEpoch)
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
