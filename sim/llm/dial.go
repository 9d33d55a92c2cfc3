package llm

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Defaults of an [Endpoint].
const (
	DefaultBaseURL     = "https://api.openai.com/v1"
	DefaultConcurrency = 64
	// DefaultTimeout bounds one attempt. Models that reason at length need
	// minutes; no answer at all must not hang a run for ever.
	DefaultTimeout = 10 * time.Minute
)

// Endpoint is one model behind one address. It prints and logs without its key
// and header values.
type Endpoint struct {
	Name    string // shown in errors and meters; need not be unique
	BaseURL string // up to and without /chat/completions, a query after it; DefaultBaseURL if empty
	Key     string // no Authorization header is sent without it
	Model   string // used where a request names none
	// Like is the model whose capabilities and price apply, where the endpoint
	// calls it by a name of its own (a deployment); the model's name if empty.
	Like string
	// Server names the software behind an address that does not tell it, such
	// as vllm, as rows of the table of models know it.
	Server string
	// Synthetic marks a scripted server that may see the tag of each call.
	Synthetic bool
	// Concurrency bounds the requests in flight, RPS their starts per second,
	// TPM their tokens per minute (0 is unbounded).
	Concurrency int
	RPS         float64
	TPM         float64
	Timeout     time.Duration // of one attempt, from its start on the wire
	Headers     map[string]string
	Retry       RetryPolicy
}

// Origin identifies the endpoint in [Message.Origin].
func (e Endpoint) Origin(model string) string { return e.Name + "/" + model }

// String describes the endpoint without its secrets.
func (e Endpoint) String() string {
	key := "no key"
	if e.Key != "" {
		key = "key " + mask
	}
	return fmt.Sprintf("endpoint %q (%s, model %s, %s)", e.Name, safeURL(e.BaseURL), e.Model, key)
}

// GoString is String, so that no verb prints the key.
func (e Endpoint) GoString() string { return e.String() }

// MarshalText is String, so that no encoder writes the key.
func (e Endpoint) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// safeURL is an address without user and query, either of which may be secret.
func safeURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "unreadable address"
	}
	if u.User != nil {
		u.User = url.User("redacted")
	}
	if u.RawQuery != "" {
		u.RawQuery = "redacted"
	}
	return u.String()
}

// address is where requests go, for an endpoint with its defaults.
func (e Endpoint) address() *url.URL {
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		panic("llm: an address that was checked cannot be read") // without the address, which may hold secrets
	}
	return u.JoinPath("chat", "completions")
}

// withDefaults fills in what is not set and checks the rest.
func (e Endpoint) withDefaults() (Endpoint, error) {
	if e.BaseURL == "" {
		e.BaseURL = DefaultBaseURL
	}
	u, err := url.Parse(e.BaseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return e, fmt.Errorf("endpoint %q: base_url %q is not an http or https address\nhint: write it like %s", e.Name, safeURL(e.BaseURL), DefaultBaseURL)
	}
	bare := func(path string) string {
		return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(path, "/"), "/chat/completions"), "/")
	}
	u.Path, u.RawPath, u.Fragment, u.RawFragment = bare(u.Path), bare(u.RawPath), "", ""
	e.BaseURL = u.String()
	if strings.ContainsAny(e.Key, "\r\n") {
		return e, fmt.Errorf("endpoint %q: key holds a line break\nhint: remove it", e.Name)
	}
	e.Key = strings.TrimSpace(e.Key)
	if e.Concurrency < 0 || e.RPS < 0 || e.TPM < 0 || e.Timeout < 0 {
		return e, fmt.Errorf("endpoint %q: concurrency, rps, tpm and timeout must not be negative\nhint: use 0 for the default", e.Name)
	}
	if e.Concurrency == 0 {
		e.Concurrency = DefaultConcurrency
	}
	if e.Timeout == 0 {
		e.Timeout = DefaultTimeout
	}
	e.Headers = maps.Clone(e.Headers)
	return e, nil
}

// Dialer connects endpoints that share a transport, a meter and, where they
// reach the same model with the same key, a limiter. Safe for concurrent use
// after its fields are set.
type Dialer struct {
	Models Models
	Meter  *Meter
	// Inside is placed between the meter and the retries, for example a
	// recorder: what it answers is metered, and costs no slot and no retry.
	Inside []Middleware
	// Transport is NewTransport if nil.
	Transport http.RoundTripper
	// Notice, if set, is told of each wait before another attempt.
	Notice RetryNotice
	// Warn, if set, hears once for each model and parameter that the parameter
	// was asked for and is not sent. It must be safe for concurrent use.
	Warn func(text string)

	mu       sync.Mutex
	limiters map[string]*Limiter
}

// Dial returns a client for the endpoint. From the outside in it is
//
//	meter → Inside → retry → limiter → timeout → provider
//
// so that a call is metered once, a wait between attempts holds no slot, and
// the time of an attempt starts when it has one.
func (d *Dialer) Dial(e Endpoint) (Client, error) { return d.DialInside(e) }

// DialInside is Dial with middleware for this endpoint alone, behind Inside.
func (d *Dialer) DialInside(e Endpoint, inside ...Middleware) (Client, error) {
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
	m = append(append(m, d.Inside...), inside...)
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
	return encodeRequest(e, model, req, m.of(e, model), refusals{})
}

// writeBuffer is what most requests fit into, so that each goes out at once. It
// is held by every connection.
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
