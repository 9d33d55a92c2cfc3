package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/sashabaranov/go-openai"
)

// TagHeader carries the [Tag] of a call as JSON to a synthetic endpoint, and to
// no other.
const TagHeader = "X-Tauguide-Trial"

// maxReply bounds how much of a reply is read: more than any model says,
// and little enough to be read from many endless ones at once.
const maxReply = 8 << 20

// maxRequest bounds a request, and with it a conversation: two million tokens, which only the largest windows hold.
const maxRequest = 8 << 20

// provider speaks to one endpoint through go-openai. go-openai builds the
// headers and decodes the answer; what its types cannot express goes through
// the seam: the provider is also the HTTPDoer under the client, replaces address
// and body on the way out and normalises the reply on the way in. An exchange in
// the request's context carries what passes beside the types. The request that
// go-openai sees is a placeholder, so its own checks of model names and
// parameters never apply.
type provider struct {
	endpoint Endpoint
	models   Models
	http     *http.Client
	api      *openai.Client
	address  *url.URL // of chat completions, query included
	secrets  Redactor

	warn func(string) // nil for nobody
	once sync.Once    // for the first refusal that no row of failures fits

	mu           sync.Mutex
	refusals     map[string]refusals   // by model
	warned       map[string]bool       // by model and parameter
	capabilities map[string]Capability // by model

	tools toolTexts
}

// exchange is one HTTP request and what came back.
type exchange struct {
	body      body
	auth      string
	tag       string
	raw       []byte
	requestID string
	location  string // of a redirect; see unfollowed
	answer    *answer

	sent   bool
	status int
	came   []byte // as it came, but for secrets
}

// body is an encoded request, with the places that Exchange.Common tells of.
type body struct {
	bytes  []byte
	common [][2]int
}

type exchangeKey struct{}

func newProvider(e Endpoint, m Models, rt http.RoundTripper) *provider {
	p := &provider{
		endpoint: e, models: m, refusals: map[string]refusals{}, warned: map[string]bool{}, capabilities: map[string]Capability{}, secrets: NewRedactor(e), address: e.address(),
		// The per-attempt deadline comes from the context.
		http: &http.Client{Transport: unfollowed{rt}},
	}
	config := openai.DefaultConfig(e.Key)
	config.HTTPClient = p
	p.api = openai.NewClientWithConfig(config)
	return p
}

// unfollowed takes redirects away from http.Client, which would turn a POST into
// a GET, send headers on, and fail for good measure on an address that it cannot
// read.
type unfollowed struct{ http.RoundTripper }

func (u unfollowed) RoundTrip(req *http.Request) (*http.Response, error) {
	reply, err := u.RoundTripper.RoundTrip(req)
	if x, ok := req.Context().Value(exchangeKey{}).(*exchange); ok && err == nil {
		x.location = reply.Header.Get("Location")
		reply.Header.Del("Location")
	}
	return reply, err
}

// Complete sends the request, once more for each parameter that the endpoint
// refuses by name.
func (p *provider) Complete(ctx context.Context, req Request) (Response, error) {
	start := time.Now()
	model := req.Model
	if model == "" {
		model = p.endpoint.Model
	}
	caps := p.capability(model)
	for attempt := 1; ; attempt++ {
		known := p.refused(model)
		body, dropped, err := encodeRequest(p.endpoint, model, req, caps, known, &p.tools)
		if err != nil {
			return Response{}, p.sign(&Error{Kind: KindBadRequest, Message: err.Error(), Err: err}, model, attempt-1)
		}
		if len(body.bytes) > maxRequest {
			return Response{}, p.sign(&Error{Kind: KindContextWindow, Message: fmt.Sprintf("the conversation has grown to a request of more than %d MB"+
				"\nhint: set max_tokens on the models, which bounds each answer", maxRequest>>20)}, model, attempt-1)
		}
		p.tell(model, dropped)
		resp, failure := p.attempt(ctx, body, req.Tag, caps.Auth)
		if failure != nil {
			if p.learn(model, refusedParam(failure, req), failure, body.bytes, known) {
				continue
			}
			failure.Cost, failure.Quirks = caps.Price.of(failure.Usage, failure.Cost, failure.Quirks)
			if failure.Unknown {
				p.once.Do(func() { p.report(failure) })
			}
			return Response{}, p.sign(failure, model, attempt)
		}
		resp.Cost, resp.Quirks = caps.Price.of(resp.Usage, resp.BilledCost, resp.Quirks)
		if len(req.Tools) > 0 {
			resp.CallInText = callInText(resp.Message.Text(), req.Tools)
		}
		resp.Message.Origin = p.endpoint.Origin(model)
		resp.Dropped, resp.Attempts = dropped, attempt
		resp.Elapsed = time.Since(start)
		return resp, nil
	}
}

// capability looks a model up once: the table does not change.
func (p *provider) capability(model string) Capability {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.capabilities[model]
	if !ok {
		c = p.models.of(p.endpoint, model)
		p.capabilities[model] = c
	}
	return c
}

// rooms are for bodies while they are written.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// encodeRequest writes the body for what is known of model and endpoint.
func encodeRequest(ep Endpoint, model string, req Request, caps Capability, known refusals, tools *toolTexts) (body, []string, error) {
	if known.tokenField != "" {
		caps.TokenField = known.tokenField
	}
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	e := encoder{caps: caps, origin: ep.Origin(model), refused: known.parameters, declared: tools}
	e.buf = (*room)[:0]
	if known.noDeveloper {
		e.caps.SystemRole, e.caps.Developer = System, false
		e.dropped = []string{developerRole}
	}
	if err := e.encode(model, req); err != nil {
		return body{}, nil, err
	}
	*room = e.buf
	out := body{bytes.Clone(validUTF8(e.buf)), e.common}
	if len(out.bytes) != len(e.buf) { // nothing is where it was
		out.common = nil
	}
	return out, e.dropped, nil
}

func (p *provider) sign(e *Error, model string, attempts int) *Error {
	e.Endpoint, e.Model, e.Attempts = p.endpoint.Name, model, attempts
	return e
}

// attempt makes one HTTP request.
func (p *provider) attempt(ctx context.Context, body body, tag Tag, auth string) (_ Response, failure *Error) {
	x := &exchange{body: body, auth: auth}
	defer func() { x.tell(ctx, tag, failure) }()
	if p.endpoint.Synthetic {
		x.tag = encodeTag(tag)
	}
	start := time.Now()
	out, err := p.api.CreateChatCompletion(context.WithValue(ctx, exchangeKey{}, x), openai.ChatCompletionRequest{Model: "placeholder"})
	if err != nil {
		return Response{}, p.secrets.failure(p.failure(ctx, err))
	}
	a, choice := x.answer, out.Choices[0]
	m := Message{Role: Assistant, Extra: a.extra}
	if text := choice.Message.Content; !a.nullContent {
		m.Content = &text
	}
	for i, c := range choice.Message.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments, Extra: a.callExtra[i],
		})
	}
	resp := Response{
		Message: m, Refusal: a.refusal, FinishReason: string(choice.FinishReason), CutOff: CutOff(string(choice.FinishReason)), Usage: a.usage, BilledCost: a.billed,
		Model: out.Model, RequestID: x.requestID, Latency: time.Since(start), Quirks: a.quirks, Raw: x.raw,
	}
	if resp.RequestID == "" {
		resp.RequestID = out.ID
	}
	if strings.TrimSpace(m.Text()) != "" || len(m.ToolCalls) > 0 {
		return resp, nil
	}
	e := &Error{Status: http.StatusOK, Spent: Spent{a.usage, a.billed}, Quirks: a.quirks, RequestID: resp.RequestID, Body: excerpt(x.raw)}
	switch {
	case resp.CutOff:
		e.Kind, e.Code = KindContextWindow, "length"
		e.Message = "the output limit was spent before any visible text, on reasoning or because the window is full"
	case resp.Refusal == "" && Filtered(resp.FinishReason):
		e.Kind, e.Code, e.Message = KindContentFilter, resp.FinishReason, "the provider's filter left nothing of the answer"
	default:
		return resp, nil
	}
	return Response{}, e
}

// failure classifies what the seam or the transport returned.
func (p *provider) failure(ctx context.Context, err error) *Error {
	if ctx.Err() != nil {
		return contextError(ctx, "waiting for the reply")
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var at *url.Error
	if errors.As(err, &at) {
		at.URL = safeURL(at.URL)
	}
	return &Error{Kind: KindNetwork, Message: err.Error(), Err: p.secrets.cause(err)}
}

// Do is the seam under go-openai. It returns either a reply that go-openai's
// types can decode or an *Error.
func (p *provider) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("llm: request without an exchange")
	}
	// go-openai would put the path behind a query.
	address := *p.address
	req.URL, req.Host = &address, address.Host
	req.Body = io.NopCloser(bytes.NewReader(x.body.bytes))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body.bytes)), nil }
	req.ContentLength = int64(len(x.body.bytes))
	req.Header.Set("User-Agent", "tauguide")
	if x.auth == AuthAPIKey {
		req.Header.Del("Authorization")
		if p.endpoint.Key != "" {
			req.Header.Set("Api-Key", p.endpoint.Key)
		}
	}
	for key, value := range p.endpoint.Headers {
		req.Header.Set(key, value)
	}
	if x.tag != "" {
		req.Header.Set(TagHeader, x.tag)
	} else {
		req.Header.Del(TagHeader)
	}
	x.sent = true
	reply, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	x.status = reply.StatusCode
	if reply.StatusCode == http.StatusSwitchingProtocols {
		// What follows is the bare connection, which no deadline closes.
		return nil, &Error{Kind: KindMalformed, Status: reply.StatusCode, Message: "the endpoint switched to another protocol, which was not asked for"}
	}
	if x.location != "" {
		reply.Header.Set("Location", x.location)
	}
	raw, err := readReply(reply)
	ok = reply.StatusCode >= 200 && reply.StatusCode < 300
	if len(raw) > maxReply { // before anything is made of it, which costs its size again
		x.came = p.secrets.strictly(raw[:keptReply+1])
		if ok {
			return nil, &Error{Kind: KindMalformed, Status: reply.StatusCode, Body: excerpt(raw), RequestID: p.secrets.strict(requestID(reply.Header)),
				Message: fmt.Sprintf("the reply is larger than %d MB", maxReply>>20)}
		}
		raw, err = raw[:4*maxErrorBody], nil
	}
	if ok {
		raw = p.secrets.Redact(raw)
	} else {
		raw = p.secrets.strictly(raw)
	}
	if x.came == nil {
		x.came = raw
	}
	raw = validUTF8(raw)
	x.requestID = p.secrets.strict(requestID(reply.Header))
	if failure := p.receive(x, reply, raw, err); failure != nil {
		failure.RequestID = x.requestID
		return nil, failure
	}
	reply.Body = io.NopCloser(bytes.NewReader(x.answer.wire))
	reply.ContentLength = int64(len(x.answer.wire))
	return reply, nil
}

// firstRoom bounds what a reply is given for its announced length alone.
const firstRoom = 64 << 10

// readReply reads a body, of one that is too long a little more than allowed.
func readReply(reply *http.Response) ([]byte, error) {
	var b bytes.Buffer
	if n := reply.ContentLength; n > 0 {
		b.Grow(int(min(n, firstRoom)) + bytes.MinRead) // with room to find the end
	}
	_, err := b.ReadFrom(io.LimitReader(reply.Body, maxReply+1))
	return b.Bytes(), err
}

// receive turns the bytes of a reply into the answer of the exchange.
func (p *provider) receive(x *exchange, reply *http.Response, raw []byte, readErr error) *Error {
	now := time.Now()
	if reply.StatusCode < 200 || reply.StatusCode >= 300 {
		return p.models.classify(reply.StatusCode, reply.Header, raw, now)
	}
	a, failure := p.models.readAnswer(reply.StatusCode, reply.Header, raw, now)
	if readErr != nil {
		// The connection broke: whatever arrived is not a whole answer, even
		// if it happens to parse.
		failure = &Error{Kind: KindMalformed, Status: reply.StatusCode, Body: excerpt(raw), ContentType: reply.Header.Get("Content-Type"),
			Message: "the reply is cut off: " + readErr.Error(), Err: p.secrets.cause(readErr)}
	}
	if failure != nil {
		return failure
	}
	p.secrets.answer(a)
	x.answer, x.raw = a, json.RawMessage(a.raw)
	return nil
}

// encodeTag writes the tag as a header value: JSON in plain ASCII.
func encodeTag(t Tag) string {
	var b strings.Builder
	for _, r := range string(mustJSON(t)) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String()
}

// ReadTag reads the tag from the headers of a request to a synthetic endpoint.
// Without the header the tag is zero and ok false.
func ReadTag(h http.Header) (t Tag, ok bool, err error) {
	v := h.Get(TagHeader)
	if v == "" {
		return Tag{}, false, nil
	}
	if err := json.Unmarshal([]byte(v), &t); err != nil {
		return Tag{}, false, fmt.Errorf("header %s: %w\nhint: send the tag as one JSON object", TagHeader, err)
	}
	return t, true, nil
}
