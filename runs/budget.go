package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
)

// budget watches what a run or a conversation spends. It never interrupts a call: what is in flight when a bound is reached
// is paid for in part already. Nothing new is begun. Safe for concurrent use.
type budget struct {
	config.Budget
	at      string // its path in the config
	started time.Time
	spent   func() store.Spending
	// unkept says why a bound on dollars cannot be kept; nil for nobody who knows.
	unkept  func() *errBudget
	refused atomic.Pointer[errBudget] // why a call was refused
}

// errBudget says which bound is reached, or cannot be kept.
type errBudget struct{ path, why string }

func (e errBudget) Error() string { return e.path + " " + e.why }

// Budget marks the error for the simulation.
func (errBudget) Budget() bool { return true }

// reached returns the first bound that is reached, nil if none is. at is the path of the budget in a config.
func reached(b config.Budget, at string, s store.Spending, wall time.Duration) *errBudget {
	bound := func(name, value string) *errBudget {
		return &errBudget{at + "." + name, "of " + value + " is reached: raise it in the config and resume the run"}
	}
	switch {
	case b.MaxCost > 0 && s.Cost >= b.MaxCost:
		return bound("max_cost", strconv.FormatFloat(b.MaxCost, 'f', -1, 64)+" dollars")
	case b.MaxTokens > 0 && s.Tokens >= b.MaxTokens:
		return bound("max_tokens", strconv.FormatInt(b.MaxTokens, 10))
	case b.MaxWall > 0 && wall >= time.Duration(b.MaxWall):
		return bound("max_wall", time.Duration(b.MaxWall).String())
	}
	return nil
}

// exceeded returns the bound that is reached, nil if none is.
func (b *budget) exceeded() error {
	if b.unkept != nil {
		if why := b.unkept(); why != nil {
			return *why
		}
	}
	if b.Budget == (config.Budget{}) {
		return nil
	}
	if why := reached(b.Budget, b.at, b.spent(), time.Since(b.started)); why != nil {
		return *why
	}
	return nil
}

// wrap refuses calls once a bound is reached. The call that exceeds it is the last: what it costs is not known before it
// is answered.
func (b *budget) wrap(next llm.Client) llm.Client {
	complete := llm.FuncOf(next)
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if err := b.refuse(); err != nil {
			return llm.Response{}, err
		}
		return complete(ctx, req)
	})
}

// refuse is exceeded for a call, which is remembered as refused.
func (b *budget) refuse() error {
	err := b.exceeded()
	if err != nil {
		why := err.(errBudget)
		b.refused.Store(&why)
	}
	return err
}

// runBudget is what a run may spend, of which earlier executions have spent some.
func runBudget(b config.Budget, meter *llm.Meter, earlier store.Spending) *budget {
	return &budget{Budget: b, at: "limits", started: time.Now(), spent: func() store.Spending {
		t := meter.Total()
		return earlier.And(store.Spending{Tokens: t.PromptTokens + t.CompletionTokens, Cost: t.Cost})
	}}
}

// watchCost makes the budget end the run, at the path of its bound on dollars, once a model has answered at a cost that
// nobody knows.
func (b *budget) watchCost(path string, c *clients) {
	if path == "" {
		return
	}
	b.unkept = func() *errBudget {
		for _, name := range slices.Sorted(maps.Keys(c.models)) {
			if c.models[name].unpriced.Load() {
				return &errBudget{path, fmt.Sprintf("cannot be kept: model %s has given an answer at a cost that is not known, by its price or by what its provider bills\n"+
					"hint: bound max_tokens in its place, or name a model with a price under like of the model, then resume the run", name)}
			}
		}
		return nil
	}
}

// allowance is what one conversation may spend.
type allowance struct {
	*budget
	mu  sync.Mutex
	sum store.Spending
}

// allow returns the allowance of a conversation that begins now, and its context, which ends with the time it may take.
func allow(ctx context.Context, b config.Budget) (*allowance, context.Context, context.CancelFunc) {
	a := &allowance{budget: &budget{Budget: b, at: config.ConversationBudget, started: time.Now()}}
	a.spent = func() store.Spending {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.sum
	}
	if b.MaxWall == 0 {
		return a, ctx, func() {}
	}
	late := reached(config.Budget{MaxWall: b.MaxWall}, a.at, store.Spending{}, time.Duration(b.MaxWall))
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(b.MaxWall), *late)
	return a, ctx, cancel
}

// wrap counts what calls cost, and refuses calls once the allowance is used up. Recorded answers count as others do: else
// the same conversation would end in another place when it is replayed, and one that goes on from its recordings might
// cost its budget once more.
func (a *allowance) wrap(next llm.Client) llm.Client {
	complete := llm.FuncOf(next)
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if err := a.refuse(); err != nil {
			return llm.Response{}, err
		}
		resp, err := complete(ctx, req)
		parts := []llm.Spent{{Usage: resp.Usage, Cost: resp.Cost}}
		if resp.Failed != nil {
			parts = append(parts, *resp.Failed)
		}
		var e *llm.Error
		if errors.As(err, &e) {
			parts = append(parts, e.Spent)
		}
		a.mu.Lock()
		for _, p := range parts {
			a.sum = a.sum.Plus(p)
		}
		a.mu.Unlock()
		return resp, err
	})
}

// settle makes the record of a conversation that its budget ended say so, under the bound's path as the kind of its
// fault. The simulation sees only that a context was over: if its time was, that is the endpoint's doing where a call
// was being repeated after failures, or where none was ever answered.
func (a *allowance) settle(ctx context.Context, r *sim.Record) {
	late, ok := context.Cause(ctx).(errBudget)
	refused := a.refused.Load()
	switch {
	case r.Fault == nil:
		return
	case r.Termination == sim.Budget && refused != nil:
		r.Fault.Kind = refused.path
	case r.Termination != sim.Cancelled || !ok:
	case r.Fault.Kind != string(llm.KindCancelled) && r.Fault.Kind != "speaker":
		r.Termination = sim.Infra
	case !slices.ContainsFunc(r.Calls, func(c sim.ModelCall) bool { return c.Error == "" }):
		r.Termination, r.Fault.Kind = sim.Infra, string(llm.KindTimeout)
	default:
		r.Termination, r.Fault.Kind, r.Fault.Text = sim.Budget, late.path, late.Error()
	}
}

// slack is by how much a conversation may end before its time on another clock.
const slack = 50 * time.Millisecond

// capped reports whether an attempt reached a budget of its own that would end the next one in the same way: the bound
// is no higher than what the attempt had spent. Running such a trial again would only spend the same once more.
func capped(p *config.Plan, e store.Entry) bool {
	took := time.Duration(e.Seconds*float64(time.Second)) + slack
	return e.Termination == sim.Budget && reached(p.Config.Limits.Conversation, "", e.Spent(), took) != nil
}

// unrecorded is what the run has paid for without a record to show for it: the answers of conversations that were in
// flight when a process was killed. They are on the tapes, and are played when the conversations run again.
func (x *execution) unrecorded(tapes *cassette.Cassette, run string) (sum store.Spending, err error) {
	type part struct {
		sim.Key
		role string
	}
	left := map[part]store.Spending{}
	for _, p := range x.writer.Plan {
		paid, err := tapes.Paid(llm.Tag{Domain: p.Domain, System: p.System, Task: p.Task, Trial: p.Trial, RunSeed: x.plan.Config.Seed}, run)
		if err != nil {
			return sum, err
		}
		for _, a := range paid {
			k := part{p.Key, a.Role}
			left[k] = left[k].Plus(a.Spent)
		}
	}
	for _, e := range x.writer.Entries() {
		for _, u := range e.Usage {
			k, paid := part{e.Key, u.Role}, u.Paid()
			left[k] = store.Spending{Tokens: left[k].Tokens - paid.Tokens, Cost: left[k].Cost - paid.Cost}
		}
	}
	for _, s := range left {
		sum = sum.And(store.Spending{Tokens: max(0, s.Tokens), Cost: max(0, s.Cost)})
	}
	return sum, nil
}
