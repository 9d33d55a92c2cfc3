package llm

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Dialer connects endpoints that share a transport, a meter and, where they
// reach the same model with the same key, a limiter. Safe for concurrent use
// after its fields are set.
type Dialer struct {
	Models Models
	Meter  *Meter
	// Transport is NewTransport if nil.
	Transport http.RoundTripper
	// Notice, if set, is told of each wait before another attempt.
	Notice RetryNotice
	// Warn, if set, hears once for each model and parameter that the parameter was asked for and is not sent, and once for
	// each endpoint of a refusal that nothing is known of. It must be safe for concurrent use.
	Warn func(text string)

	mu       sync.Mutex
	limiters map[string]*Limiter
}

// Dial returns a client for the endpoint. From the outside in it is
//
//	meter → inside → retry → limiter → timeout → provider
//
// so that a call is metered once, a wait between attempts holds no slot, and
// the time of an attempt starts when it has one. What is given as inside, such
// as a recorder, answers without a slot and a retry.
func (d *Dialer) Dial(e Endpoint, inside ...Middleware) (Client, error) {
	e, err := e.withDefaults()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Transport == nil {
		d.Transport = NewTransport()
	}
	l, err := d.limiter(e)
	if err != nil {
		return nil, err
	}
	var m []Middleware
	if d.Meter != nil {
		m = append(m, d.Meter.Wrap)
	}
	m = append(m, inside...)
	m = append(m, retrier{policy: e.Retry, endpoint: e.Name, notice: d.Notice, meter: d.Meter}.wrap, l.Wrap, Timeout(e.Timeout))
	p := newProvider(e, d.Models, d.Transport)
	p.warn = d.Warn
	return Chain(p, m...), nil
}

// limiter returns the one limiter of the endpoint's address, key and model.
func (d *Dialer) limiter(e Endpoint) (*Limiter, error) {
	id := strings.Join([]string{e.BaseURL, e.Key, e.Model}, "\n")
	limits := Limits{Concurrency: e.Concurrency, RPS: e.RPS, TPM: e.TPM}
	if l := d.limiters[id]; l != nil {
		if l.limits != limits {
			return nil, fmt.Errorf("endpoint %q: another endpoint reaches the same model with concurrency %d, rps %g and tpm %g\nhint: set them alike",
				e.Name, l.limits.Concurrency, l.limits.RPS, l.limits.TPM)
		}
		return l, nil
	}
	if d.limiters == nil {
		d.limiters = map[string]*Limiter{}
	}
	l := NewLimiter(limits)
	d.limiters[id] = l
	return l, nil
}

// Limiters describes the state of all limiters, in a fixed order, for a status
// line.
func (d *Dialer) Limiters() []LimiterState {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []LimiterState
	for _, id := range slices.Sorted(maps.Keys(d.limiters)) {
		s := d.limiters[id].State()
		parts := strings.Split(id, "\n")
		s.BaseURL, s.Model = safeURL(parts[0]), parts[2]
		out = append(out, s)
	}
	return out
}

// Dial connects one endpoint by itself, without a meter.
func Dial(e Endpoint, m Models) (Client, error) {
	d := Dialer{Models: m}
	return d.Dial(e)
}

// EncodeRequest returns the body that the endpoint would be sent for req, and
// the parameters left out. Equal requests give equal bytes, so the body can
// identify a call. It does not know what an endpoint has refused at run time.
func EncodeRequest(e Endpoint, m Models, req Request) (body []byte, dropped []string, err error) {
	model := req.Model
	if model == "" {
		model = e.Model
	}
	b, dropped, err := encodeRequest(e, model, req, m.of(e, model), refusals{}, nil)
	return b.bytes, dropped, err
}

// writeBuffer is what most requests fit into, so that each goes out at once. It
// is allocated by every connection.
const writeBuffer = 32 << 10

// NewTransport returns an HTTP transport that keeps enough idle connections for
// thousands of concurrent calls to one host: each that is closed in a lull is one
// to open, with its handshake, a moment later.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   8192,
		WriteBufferSize:       writeBuffer,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}
