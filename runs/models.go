package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/trace"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// The roles that models play.
const (
	agentRole = "agent"
	userRole  = "user"
	judgeRole = "judge"
)

// usedModels returns the names of the models that these systems, the user and the judge need.
func (c *Config) usedModels(systems []System) []string {
	names := map[string]bool{c.User.Model: true}
	if c.Judge.Model != "" {
		names[c.Judge.Model] = true
	}
	for _, s := range systems {
		for _, name := range c.modelsOf(s) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// modelsOf names the models that a system's agent and overlays use.
func (c *Config) modelsOf(s System) []string {
	var out []string
	if s.Model != "" {
		out = append(out, s.Model)
	}
	if e, err := agents.FindAgent(s.Agent); err == nil && e.Models != nil {
		out = append(out, e.Models(agents.Params(s.Params))...)
	}
	for _, o := range s.Overlays {
		if e, err := agents.FindOverlay(o.Name); err == nil && e.Models != nil {
			out = append(out, e.Models(agents.Params(o.Params))...)
		}
	}
	return out
}

// effective returns the models as this execution uses them.
func (c *Config) effective(o Options, names []string) map[string]Model {
	out := map[string]Model{}
	for _, name := range names {
		m := c.Models[name]
		if o.Synthetic {
			m = m.twin()
			m.BaseURL = ""
		}
		if o.BaseURL != "" {
			m.BaseURL = o.BaseURL
		}
		if m.Concurrency == 0 {
			m.Concurrency = c.Limits.Concurrency
		}
		out[name] = m
	}
	return out
}

// complete checks that every model has the address and the key that it needs. A key that is not needed is dropped.
func (c *Config) complete(o Options, models map[string]Model) (map[string]Model, error) {
	out := map[string]Model{}
	var complaints []error
	for name, m := range models {
		unset := c.unset(name, m, o)
		complaints = append(complaints, unset...)
		if len(unset) > 0 {
			continue
		}
		if err := c.completeModel(name, &m); err != nil {
			complaints = append(complaints, err)
		}
		out[name] = m
	}
	if len(complaints) == 0 {
		complaints = c.undialable(o, out)
	}
	return out, joined(complaints)
}

// undialable says what is wrong with the addresses of models. Dialling opens no connection.
func (c *Config) undialable(o Options, models map[string]Model) []error {
	var out []error
	var d llm.Dialer
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m, at := models[name], join("models", name)
		if m.Synthetic && m.BaseURL == "" {
			continue
		}
		_, err := d.Dial(m.endpoint(name))
		switch {
		case err == nil:
		case o.BaseURL != "":
			return []error{fmt.Errorf("--base-url: %w", err)}
		case m.BaseURL != "":
			out = append(out, c.source.positioned(at+".base_url", fmt.Errorf("%s: %w", at, err)))
		default:
			out = append(out, c.source.positioned(at, fmt.Errorf("%s: %w", at, err)))
		}
	}
	return out
}

// What else than exporting a variable helps.
const (
	otherwise = ", or run with --synthetic"
	noData    = ", or give the folder with --data"
)

// unset names the variables that are not set and that a model needs as it is used now.
func (c *Config) unset(name string, m Model, o Options) (out []error) {
	at := join("models", name)
	if err := c.source.needed(at+".model", otherwise); err != nil && !o.Synthetic && !m.Synthetic {
		out = append(out, err)
	}
	if o.BaseURL == "" && !o.Synthetic {
		if err := c.source.needed(at+".base_url", otherwise); err != nil {
			out = append(out, err)
		}
		if err := c.source.needed(at+".key", otherwise); err != nil && !m.Synthetic && !c.replays() {
			out = append(out, err)
		}
	}
	return out
}

// unsetAtOnce reports the variables that models need together with that of the data, which is looked at long before them.
// Which systems a filter leaves is not known without data; then only the models that all of them need are looked at.
func (c *Config) unsetAtOnce(o Options) error {
	err := c.source.needed("data", noData)
	if err == nil || c.Data == embedded {
		return nil
	}
	systems := c.Systems
	if len(o.Only) > 0 {
		systems = nil
	}
	complaints := []error{err}
	for name, m := range c.effective(o, c.usedModels(systems)) {
		complaints = append(complaints, c.unset(name, m, o)...)
	}
	return joined(complaints)
}

func (c *Config) completeModel(name string, m *Model) error {
	at := join("models", name)
	if c.source.needed(at+".key", "") != nil {
		m.Key = "" // not needed here, see unset
	}
	if !m.Synthetic && m.Key == "" && m.BaseURL == "" && !c.replays() {
		return c.source.errorf(at, "%s has no key for %s: add key: $OPENAI_API_KEY, give it another base_url%s", at, llm.DefaultBaseURL, otherwise)
	}
	if err := m.Scripted().Check(); m.Synthetic && err != nil {
		return c.source.positioned(at, fmt.Errorf("%s: %w", at, err))
	}
	if at := c.costBound(); at != "" && !m.Synthetic {
		table, err := configs.ModelTable()
		if err != nil {
			return err
		}
		if p := table.Of(m.endpoint("")).Price; p.Input == nil || p.Output == nil {
			return c.source.errorf(at, "%s: the price of model %s is not known, so its cost cannot be bounded: use max_tokens in its place", at, m.Model)
		}
	}
	return nil
}

// request is what every request to the model has in common, but for the seed.
func (m Model) request() llm.Request {
	return llm.Request{Model: m.Model, Temperature: m.Temperature, TopP: m.TopP, MaxTokens: m.MaxTokens,
		ReasoningEffort: m.ReasoningEffort, Extra: m.Extra}
}

// clients are the models of an execution, one client for each name in the config, shared by all trials.
type clients struct {
	meter     *llm.Meter
	dialer    *llm.Dialer
	transport *http.Transport
	models    map[string]*client
}

// close frees the connections that are kept for later calls.
func (c *clients) close() { c.transport.CloseIdleConnections() }

type client struct {
	llm.Client
	model Model
	// dead says why no further conversation should be started with this model: its endpoint refuses the key or the
	// bill. It is empty while all is well.
	dead atomic.Pointer[string]
}

// wiring is what stands around the models. All of it may be absent.
type wiring struct {
	cassette *cassette.Cassette
	replays  bool // the cassette alone answers
	trace    *trace.Tracer
	log      *callLog
	warn     func(text string)
	retry    llm.RetryPolicy
}

// dial connects the models of an execution. From the outside in, a call passes
//
//	watch → trace → log → meter → cassette → retry → limiter → timeout → provider
func dial(models map[string]Model, worlds map[string]*domains.World, meter *llm.Meter, w wiring) (*clients, error) {
	table, err := configs.ModelTable()
	if err != nil {
		return nil, err
	}
	c := &clients{meter: meter, transport: llm.NewTransport(), models: map[string]*client{}}
	c.dialer = &llm.Dialer{Models: table, Meter: meter, Transport: c.transport, Notice: w.log.retried(), Warn: w.warn}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := models[name]
		one := &client{model: m}
		recorded := func(next llm.Client) llm.Client { return next }
		if w.cassette != nil {
			recorded = w.cassette.Wrap(m.voice(name, table))
		}
		e := m.endpoint(name)
		e.Retry = w.retry
		var inner llm.Client
		switch {
		case w.replays:
			inner = llm.Chain(refusing, meter.Wrap, recorded)
		case m.Synthetic && m.BaseURL == "":
			inner = llm.Chain(synthetic.New(worlds, m.Scripted()), meter.Wrap, recorded)
		default:
			if inner, err = c.dialer.DialInside(e, recorded); err != nil {
				return nil, fmt.Errorf("model %s: %w", name, err)
			}
		}
		one.Client = llm.Chain(inner, one.watch, w.trace.Wrap(e), w.log.wrap(name))
		c.models[name] = one
	}
	return c, nil
}

func (m Model) endpoint(name string) llm.Endpoint {
	e := llm.Endpoint{Name: name, BaseURL: m.BaseURL, Key: m.Key, Model: m.Model, Like: m.Like, Server: m.Server, Synthetic: m.Synthetic,
		Concurrency: m.Concurrency, RPS: m.RPS, TPM: m.Limits.TPM, Timeout: time.Duration(m.Timeout)}
	if rps := m.Limits.RPM / 60; rps > 0 && (e.RPS == 0 || rps < e.RPS) {
		e.RPS = rps
	}
	return e
}

// watch notices when an endpoint refuses for good.
func (c *client) watch(next llm.Client) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		resp, err := next.Complete(ctx, req)
		var e *llm.Error
		if errors.As(err, &e) && (e.Kind == llm.KindAuth || e.Kind == llm.KindQuota) {
			text := e.Error()
			c.dead.CompareAndSwap(nil, &text)
		}
		return resp, err
	})
}

// model returns a model for one role of one trial; nil for no name. The judge gets no seed, as in the reference.
func (c *clients) model(name, role string, runSeed int64, p Planned, attempt int) *sim.Model {
	if name == "" {
		return nil
	}
	m := c.models[name]
	base := m.model.request()
	if role != judgeRole && (m.model.Seed == nil || *m.model.Seed) {
		seed := p.Seed
		base.Seed = &seed
	}
	return &sim.Model{Client: m, Name: name, Base: base, Tag: llm.Tag{Domain: p.Domain, System: p.System, Task: p.Task,
		Trial: p.Trial, Attempt: attempt, Role: role, RunSeed: runSeed}}
}

// queues sums up what the limiters hold back: the requests that wait for a free slot, and the pace in requests per second
// of those that an endpoint's refusals have slowed down, 0 if none have.
func (c *clients) queues() (waiting int, pace float64) {
	for _, l := range c.dialer.Limiters() {
		waiting += l.Waiting
		if l.Waiting > 0 {
			pace += l.Rate
		}
	}
	return waiting, pace
}
