package llm

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
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
	// Echo is one of the Echo constants and Roles may be RolesAlternate, in place of what the table says.
	Echo, Roles string
	// Synthetic marks a scripted server that may see the tag of each call.
	Synthetic bool
	// Concurrency bounds the requests in flight, RPS their starts per second,
	// TPM their tokens per minute (0 is unbounded).
	Concurrency int
	RPS         float64
	TPM         float64
	Timeout     time.Duration // of one attempt, from its start on the wire
	Headers     map[string]string
	Hidden      []string // further secrets to mask, such as credentials in fields that requests add
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
	if u.Path == "" {
		u.Path = "/" // joined to nothing, a path would be relative
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
	for name, value := range e.Headers {
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return e, fmt.Errorf("endpoint %q: headers: %q cannot be the name of a header\nhint: use letters, digits and hyphens", e.Name, name)
		case !httpguts.ValidHeaderFieldValue(value):
			return e, fmt.Errorf("endpoint %q: headers.%s: the value holds a line break or another control character\nhint: remove it", e.Name, name)
		}
	}
	e.Headers = maps.Clone(e.Headers)
	return e, nil
}
