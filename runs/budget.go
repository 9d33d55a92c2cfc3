package runs

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
)

// reached returns the first bound that is reached, nil if none is. at is the path of the budget in a config.
func reached(b config.Budget, at string, s store.Spending, wall time.Duration) *errBudget {
	switch {
	case b.MaxCost > 0 && s.Cost >= b.MaxCost:
		return &errBudget{at, "max_cost", strconv.FormatFloat(b.MaxCost, 'f', -1, 64) + " dollars"}
	case b.MaxTokens > 0 && s.Tokens >= b.MaxTokens:
		return &errBudget{at, "max_tokens", strconv.FormatInt(b.MaxTokens, 10)}
	case b.MaxWall > 0 && wall >= time.Duration(b.MaxWall):
		return &errBudget{at, "max_wall", time.Duration(b.MaxWall).String()}
	}
	return nil
}

// errBudget says which bound is reached.
type errBudget struct{ at, bound, value string }

func (e errBudget) Error() string {
	return fmt.Sprintf("%s of %s is reached: raise it in the config and resume the run", e.path(), e.value)
}

// path is the bound's in a config.
func (e errBudget) path() string { return e.at + "." + e.bound }

// Budget marks the error for the simulation.
func (errBudget) Budget() bool { return true }

// runBudget watches what a run spends. It never interrupts a conversation: what is in flight when a bound is reached is
// paid for in part already, and is finished, scored and stored. Nothing new is begun.
type runBudget struct {
	config.Budget
	meter   *llm.Meter
	earlier store.Spending // by executions before this one
	started time.Time
}

// exceeded returns the bound that is reached, nil if none is.
func (b *runBudget) exceeded() error {
	if b.Budget == (config.Budget{}) {
		return nil
	}
	t := b.meter.Total()
	spent := store.Spending{Tokens: b.earlier.Tokens + t.PromptTokens + t.CompletionTokens, Cost: b.earlier.Cost + t.Cost}
	if why := reached(b.Budget, "limits", spent, time.Since(b.started)); why != nil {
		return *why
	}
	return nil
}

// wrap refuses calls once a bound is reached.
func (b *runBudget) wrap(next llm.Client) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if err := b.exceeded(); err != nil {
			return llm.Response{}, err
		}
		return next.Complete(ctx, req)
	})
}

// allowance is what one conversation may spend. Safe for concurrent use.
type allowance struct {
	config.Budget
	started time.Time

	mu      sync.Mutex
	spent   store.Spending
	refused *errBudget // a call, for this bound
}

// allow returns the allowance of a conversation that begins now, and its context, which ends with the time it may take.
func allow(ctx context.Context, b config.Budget) (*allowance, context.Context, context.CancelFunc) {
	a := &allowance{Budget: b, started: time.Now()}
	if b.MaxWall == 0 {
		return a, ctx, func() {}
	}
	late := reached(config.Budget{MaxWall: b.MaxWall}, config.ConversationBudget, store.Spending{}, time.Duration(b.MaxWall))
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(b.MaxWall), *late)
	return a, ctx, cancel
}

// wrap refuses calls once the allowance is used up. The call that exceeds it is the last: what it costs is not known
// before it is answered. Recorded answers count as others do: else the same conversation would end in another place when
// it is replayed, and one that goes on from its recordings might cost its budget once more.
func (a *allowance) wrap(next llm.Client) llm.Client {
	if a.Budget == (config.Budget{}) {
		return next
	}
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		if err := a.exceeded(); err != nil {
			return llm.Response{}, err
		}
		resp, err := next.Complete(ctx, req)
		if err == nil {
			a.mu.Lock()
			a.spent = a.spent.Plus(resp.Usage, resp.Cost)
			a.mu.Unlock()
		}
		return resp, err
	})
}

func (a *allowance) exceeded() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	why := reached(a.Budget, config.ConversationBudget, a.spent, time.Since(a.started))
	if why == nil {
		return nil
	}
	a.refused = why
	return *why
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
			left[k] = left[k].Plus(a.Usage, a.Cost)
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

// settle makes the record of a conversation that its budget ended say so, under the bound's path as the kind of its
// fault. The simulation sees only that a context was over: if its time was, that is the endpoint's doing where a call
// was being repeated after failures, or where none was ever answered.
func (a *allowance) settle(ctx context.Context, r *sim.Record) {
	late, ok := context.Cause(ctx).(errBudget)
	switch {
	case r.Fault == nil:
		return
	case r.Termination == sim.Budget && a.refused != nil:
		r.Fault.Kind = a.refused.path()
	case r.Termination != sim.Cancelled || !ok:
	case r.Fault.Kind != string(llm.KindCancelled) && r.Fault.Kind != "speaker":
		r.Termination = sim.Infra
	case len(r.Calls) == 0:
		r.Termination, r.Fault.Kind = sim.Infra, string(llm.KindTimeout)
	default:
		r.Termination, r.Fault.Kind, r.Fault.Text = sim.Budget, late.path(), late.Error()
	}
}

// slack is by how much a conversation may end before its time on another clock, in seconds.
const slack = 0.05

// capped reports whether an attempt reached a budget of its own that would end the next one in the same way: the bound
// is no higher than what the attempt had spent. Running such a trial again would only spend the same once more.
func capped(p *config.Plan, e store.Entry) bool {
	if e.Termination != sim.Budget {
		return false
	}
	b, spent := p.Config.Limits.Conversation, e.Spent()
	switch e.Fault {
	case config.ConversationBudget + ".max_cost":
		return b.MaxCost > 0 && spent.Cost >= b.MaxCost
	case config.ConversationBudget + ".max_tokens":
		return b.MaxTokens > 0 && spent.Tokens >= b.MaxTokens
	case config.ConversationBudget + ".max_wall":
		return b.MaxWall > 0 && e.Seconds+slack >= time.Duration(b.MaxWall).Seconds()
	}
	return false
}
