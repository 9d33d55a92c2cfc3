package faultserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"
)

// Chaos answers like another handler, but spoils a share of the replies: rate limits, server errors, pages of a proxy,
// errors under status 200, garbage, answers that are cut off, that come late, or that never come. Which request is
// spoilt how follows from the seed, from what the request says, and from how often it was asked before: not from the
// order in which requests arrive. Safe for concurrent use.
type Chaos struct {
	Next http.Handler
	// Share of the replies that are spoilt, 0 to 1.
	Share float64
	Seed  uint64
	// Header names a request header that tells calls apart whose bodies are the same.
	Header string
	// Late is how long a late answer takes, RetryAfter what rate limits ask for.
	Late, RetryAfter time.Duration

	mu     sync.Mutex
	asked  map[[sha256.Size]byte]uint64
	counts map[string]int
}

// The kinds of faults, each as likely as the others.
const (
	faultLimit   = "429"
	faultServer  = "500"
	faultGateway = "502 page"
	faultInside  = "error under 200"
	faultGarbage = "garbage"
	faultEmpty   = "nothing"
	faultCut     = "cut off"
	faultLate    = "late"
	faultSilent  = "silence"
)

func faults() []string {
	return []string{faultLimit, faultServer, faultGateway, faultInside, faultGarbage, faultEmpty, faultCut, faultLate, faultSilent}
}

// Counts says how many replies were spoilt in each way; "ok" counts the others.
func (c *Chaos) Counts() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]int, len(c.counts))
	for k, n := range c.counts {
		out[k] = n
	}
	return out
}

// ServeHTTP answers or spoils one request.
func (c *Chaos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client gave up while sending
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch c.draw(body, r.Header.Get(c.Header)) {
	case faultLimit:
		send(w, Error(http.StatusTooManyRequests, "requests", "rate_limit_exceeded", "", "slow down").
			With("Retry-After-Ms", strconv.FormatInt(c.RetryAfter.Milliseconds(), 10)))
	case faultServer:
		send(w, Error(http.StatusInternalServerError, "server_error", "", "", "something broke"))
	case faultGateway:
		send(w, Status(http.StatusBadGateway, "<html><body>502 Bad Gateway</body></html>").With("Content-Type", "text/html"))
	case faultInside:
		send(w, Raw(`{"error":{"code":502,"message":"provider returned error"}}`))
	case faultGarbage:
		send(w, Raw(`{"choices":[{"message":{"role":"assi`))
	case faultEmpty:
		send(w, Raw(""))
	case faultCut:
		c.cut(w, r)
	case faultLate:
		select {
		case <-time.After(c.Late):
			c.Next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	case faultSilent:
		<-r.Context().Done()
	default:
		c.Next.ServeHTTP(w, r)
	}
}

// draw decides what becomes of a request.
func (c *Chaos) draw(body []byte, header string) string {
	id := sha256.Sum256(fmt.Appendf(nil, "%q %s", header, body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked, c.counts = map[[sha256.Size]byte]uint64{}, map[string]int{}
	}
	n := c.asked[id]
	c.asked[id]++
	rng := rand.New(rand.NewPCG(c.Seed^binary.LittleEndian.Uint64(id[:]), n))
	kind := "ok"
	if rng.Float64() < c.Share {
		all := faults()
		kind = all[rng.IntN(len(all))]
	}
	c.counts[kind]++
	return kind
}

// cut sends half of the true answer and breaks the connection.
func (c *Chaos) cut(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	c.Next.ServeHTTP(rec, r)
	body := rec.Body.String()
	send(w, Reply{Status: rec.Code, Body: body, CutAfter: max(1, len(body)/2)})
}
