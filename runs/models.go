package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/llm"
	"github.com/tauguide/tauguide/sim"
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
	if e, err := agents.Agent(s.Agent); err == nil && e.Models != nil {
		out = append(out, e.Models(agents.Params(s.Params))...)
	}
	for _, o := range s.Overlays {
		if e, err := agents.OverlayOf(o.Name); err == nil && e.Models != nil {
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
	if o.BaseURL == "" && !o.Synthetic {
		if err := c.source.needed(at+".base_url", otherwise); err != nil {
			out = append(out, err)
		}
		if err := c.source.needed(at+".key", otherwise); err != nil && !m.Synthetic {
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
	if !m.Synthetic && m.Key == "" && m.BaseURL == "" {
		return c.source.errorf(at, "%s has no key for %s: add key: $OPENAI_API_KEY, give it another base_url%s", at, llm.DefaultBaseURL, otherwise)
	}
	if err := m.Scripted().Check(); m.Synthetic && err != nil {
		return c.source.positioned(at, fmt.Errorf("%s: %w", at, err))
	}
	if c.Limits.MaxCost > 0 && !m.Synthetic {
		table, err := llm.LoadModels("models.yaml", configs.Models)
		if err != nil {
			return err
		}
		if p := table.For(m.BaseURL, m.Model).Price; p.Input == nil || p.Output == nil {
			return c.source.errorf("limits.max_cost", "limits.max_cost: the price of model %s is not known, so its cost cannot be bounded: use limits.max_tokens", m.Model)
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

// dial connects the models of an execution.
func dial(models map[string]Model, worlds map[string]*domains.World, b *budget) (*clients, error) {
	table, err := llm.LoadModels("models.yaml", configs.Models)
	if err != nil {
		return nil, err
	}
	c := &clients{meter: b.meter, transport: llm.NewTransport(), models: map[string]*client{}}
	c.dialer = &llm.Dialer{Models: table, Meter: b.meter, Transport: c.transport}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := models[name]
		one := &client{model: m}
		var inner llm.Client
		if m.Synthetic && m.BaseURL == "" {
			inner = b.meter.Wrap(synthetic.New(worlds, m.Scripted()))
		} else {
			if inner, err = c.dialer.Dial(m.endpoint(name)); err != nil {
				return nil, fmt.Errorf("model %s: %w", name, err)
			}
		}
		one.Client = llm.Chain(inner, b.wrap, one.watch)
		c.models[name] = one
	}
	return c, nil
}

func (m Model) endpoint(name string) llm.Endpoint {
	return llm.Endpoint{Name: name, BaseURL: m.BaseURL, Key: m.Key, Model: m.Model, Synthetic: m.Synthetic,
		Concurrency: m.Concurrency, RPS: m.RPS, Timeout: time.Duration(m.Timeout)}
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

// waiting counts the requests that wait for a free slot.
func (c *clients) waiting() int {
	n := 0
	for _, l := range c.dialer.Limiters() {
		n += l.Waiting
	}
	return n
}

// budget stops calls once a run has spent what it may.
type budget struct {
	meter     *llm.Meter
	spent     Spending // by earlier executions of the run
	maxCost   float64
	maxTokens int64
}

// Spending is what calls have cost.
type Spending struct {
	Tokens int64
	Cost   float64
}

// errBudget ends a conversation whose run may not spend any more.
type errBudget struct{ limit string }

func (e errBudget) Error() string {
	return e.limit + " is reached: raise it in the config and resume the run"
}

// Budget marks the error for the simulation.
func (errBudget) Budget() bool { return true }

// exceeded returns the limit that is reached, nil if none is.
func (b *budget) exceeded() error {
	if b.maxCost == 0 && b.maxTokens == 0 {
		return nil
	}
	t := b.meter.Total()
	cost, tokens := b.spent.Cost+t.Cost, b.spent.Tokens+t.PromptTokens+t.CompletionTokens
	switch {
	case b.maxCost > 0 && cost >= b.maxCost:
		return errBudget{fmt.Sprintf("limits.max_cost of %s dollars", strconv.FormatFloat(b.maxCost, 'f', -1, 64))}
	case b.maxTokens > 0 && tokens >= b.maxTokens:
		return errBudget{fmt.Sprintf("limits.max_tokens of %d", b.maxTokens)}
	}
	return nil
}

func (b *budget) wrap(next llm.Client) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if err := b.exceeded(); err != nil {
			return llm.Response{}, err
		}
		return next.Complete(ctx, req)
	})
}
