package llm

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what a header can make of a duration, far above any cap.
const longestWait = 365 * 24 * time.Hour

// retryAfter reads how long the provider asks to wait: retry-after-ms,
// Retry-After as seconds, as a Go duration or as an HTTP date, and failing
// those the reset time of an x-ratelimit-* budget that is used up. 0 means that
// it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		return waitOf(v, now)
	}
	var wait time.Duration
	for _, what := range []string{"Requests", "Tokens"} {
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining-"+what)) == "0" {
			wait = max(wait, waitOf(strings.TrimSpace(h.Get("X-Ratelimit-Reset-"+what)), now))
		}
	}
	return wait
}

func waitOf(v string, now time.Time) time.Duration {
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(s)
	}
	if d, err := time.ParseDuration(v); err == nil {
		return clampWait(d)
	}
	if t, err := http.ParseTime(v); err == nil {
		return clampWait(t.Sub(now))
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return clampWait(t.Sub(now))
	}
	return 0
}

func seconds(s float64) time.Duration {
	if math.IsNaN(s) || s <= 0 {
		return 0
	}
	if s >= longestWait.Seconds() {
		return longestWait
	}
	return time.Duration(s * float64(time.Second))
}

func clampWait(d time.Duration) time.Duration { return min(max(d, 0), longestWait) }
