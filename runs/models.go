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

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/trace"
	"github.com/tauguide/tauguide/sim/synthetic"
)

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
	model config.Model
	// dead says why no further conversation should be started with this model: its endpoint refuses the key or the
	// bill, or is not there. It is empty while all is well.
	dead     atomic.Pointer[string]
	answered atomic.Pointer[time.Time] // when the endpoint did last, not a recording
	unpriced atomic.Bool               // it was asked, at a cost that is not known
	refused  atomic.Int32              // calls that it did not let in, while it has answered none
	let      *atomic.Bool              // in, by address and key: a call to any model
}

// fewRefusals are how many calls may be forbidden before a key is taken for a wrong one: a moderation layer forbids single
// conversations.
const fewRefusals = 3

// wiring is what surrounds the models. All of it may be absent.
type wiring struct {
	cassette *cassette.Cassette
	replays  bool // the cassette alone answers
	trace    *trace.Tracer
	log      *callLog
	warn     func(text string)
}

// dial connects the models of an execution. From the outside in, a call passes
//
//	watch → trace → log → meter → cassette → retry → limiter → timeout → provider
func dial(models map[string]config.Model, worlds map[string]*domains.World, meter *llm.Meter, w wiring) (*clients, error) {
	table, err := configs.ModelTable()
	if err != nil {
		return nil, err
	}
	c := &clients{meter: meter, transport: llm.NewTransport(), models: map[string]*client{}}
	let := map[[2]string]*atomic.Bool{}
	c.dialer = &llm.Dialer{Models: table, Meter: meter, Transport: c.transport, Notice: w.log.retried(), Warn: w.warn}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		m := models[name]
		e := m.Endpoint(name)
		if door := [2]string{e.BaseURL, e.Key}; let[door] == nil {
			let[door] = new(atomic.Bool)
		}
		one := &client{model: m, let: let[[2]string{e.BaseURL, e.Key}]}
		recorded := func(next llm.Client) llm.Client { return next }
		if w.cassette != nil {
			recorded = w.cassette.Wrap(m.Recorded(name, table))
		}
		var inner llm.Client
		switch {
		case w.replays:
			inner = llm.Chain(config.Refusing, meter.Wrap, recorded)
		case m.Synthetic && m.BaseURL == "":
			inner = llm.Chain(synthetic.New(worlds, m.Scripted()), meter.Wrap, recorded)
		default:
			if inner, err = c.dialer.Dial(e, recorded); err != nil {
				return nil, fmt.Errorf("model %s: %w", name, err)
			}
		}
		one.Client = llm.Chain(inner, one.watch, w.trace.Wrap(e), w.log.wrap(name))
		c.models[name] = one
	}
	return c, nil
}

// watch notices when an endpoint refuses for good, or is gone: nobody is there after all attempts of a call, and no other call
// was answered since the last wait began. One that has ever answered has no wrong key.
func (c *client) watch(next llm.Client) llm.Client {
	complete := llm.FuncOf(next)
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		resp, err := complete(ctx, req)
		var e *llm.Error
		switch {
		case err == nil:
			c.bill(resp.Replayed, resp.Cost)
		case errors.As(err, &e):
			c.bill(e.Replayed || e.Spent == llm.Spent{}, e.Cost)
		}
		switch {
		case err == nil && !resp.Replayed:
			now := time.Now()
			c.answered.Store(&now)
			c.let.Store(true)
		case !errors.As(err, &e):
		case e.Nobody() && (c.answered.Load() == nil || c.answered.Load().Before(e.Since)):
			text := e.Error()
			c.dead.CompareAndSwap(nil, &text)
		case e.Kind == llm.KindQuota, e.Kind == llm.KindAuth && c.shut(e):
			text := e.Error()
			c.dead.CompareAndSwap(nil, &text)
		}
		return resp, err
	})
}

// shut tells whether a model that refuses a call lets in none. A refusal in words that no row of failures knows says nothing
// of a key that opens another model at the address.
func (c *client) shut(e *llm.Error) bool {
	return c.answered.Load() == nil && !(e.Unknown && c.let.Load()) && (e.Status == http.StatusUnauthorized || c.refused.Add(1) >= fewRefusals)
}

// bill notices calls at a cost that is not known.
func (c *client) bill(free bool, cost *float64) {
	if !free && cost == nil && !c.model.Synthetic {
		c.unpriced.Store(true)
	}
}

// unpriced reports whether what was spent is not known, since a model was asked at a cost that nobody tells.
func (c *clients) unpriced() bool {
	for _, m := range c.models {
		if m.unpriced.Load() {
			return true
		}
	}
	return false
}

// model returns a model for one role of one trial; nil for no name. The judge gets no seed, as in the reference.
func (c *clients) model(name, role string, runSeed int64, p config.Planned, attempt int) *sim.Model {
	if name == "" {
		return nil
	}
	m := c.models[name]
	base := m.model.Request()
	if role != config.RoleJudge && (m.model.Seed == nil || *m.model.Seed) {
		seed := p.Seed
		base.Seed = &seed
	}
	return &sim.Model{Client: m.Client, Name: name, Base: base, Tag: llm.Tag{Domain: p.Domain, System: p.System, Task: p.Task,
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
