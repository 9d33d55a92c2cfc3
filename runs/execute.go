package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Execute runs a plan to its end and returns how that went. The summary is valid together with an error, as far as the
// run came; it is nil if nothing was begun. Cancelling ctx gives up the conversations that are running, keeps all that are
// finished, and is not an error: Summary.Interrupted says so.
func Execute(ctx context.Context, p *config.Plan, o Options) (_ *Summary, err error) {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	w, err := store.Begin(p, now())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	x := &execution{plan: p, options: o, writer: w, now: now, meter: &llm.Meter{}, started: time.Now(),
		log: slog.New(slog.NewJSONHandler(w.Log, o.logOptions())), examples: map[string]string{}}
	around, err := x.wiring()
	if err != nil {
		return nil, err
	}
	if x.clients, err = dial(p.Models, p.Worlds, x.meter, around); err != nil {
		return nil, err
	}
	defer x.clients.close()
	x.budget.watchCost(p.Config.CostBound(), x.clients)
	work := x.work()
	x.progress = Progress{Name: p.Config.Name, Scripted: p.Scripted(), Planned: len(work), Warnings: x.warnings()}
	x.log.Info("run started", "name", p.Config.Name, "identity", p.Identity.Hash(), "planned", len(w.Plan), "to_do", len(work),
		"concurrency", p.Config.Limits.Concurrency, "pid", os.Getpid())
	for _, text := range x.progress.Warnings {
		x.log.Warn("warning", "text", text)
	}
	stopReporting := x.report()
	err = x.run(ctx, work)
	stopReporting()
	s := x.summary()
	s.Interrupted, s.MovedTo = ctx.Err() != nil, w.MovedTo
	x.log.Info("run ended", "evaluable", s.Evaluable, "pending", s.Pending, "missing", s.Missing, "executed", s.Executed,
		"interrupted", s.Interrupted, "stopped", s.Stopped, "error", errorText(err), "seconds", s.Elapsed.Seconds())
	return s, err
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// execution is one process's work on a run.
type execution struct {
	plan    *config.Plan
	options Options
	writer  *store.Writer
	clients *clients
	meter   *llm.Meter
	budget  *budget
	log     *slog.Logger
	now     func() time.Time
	started time.Time

	mu       sync.Mutex
	progress Progress
	executed int
	stopped  []string
	calls    rateMeter         // used by the one who reports
	examples map[string]string // a fault of each cause, of this execution
}

// item is one piece of work: a conversation to run, or a stored one to score.
type item struct {
	config.Planned
	attempt int
	stored  *store.Entry // to score; nil to run
}

// warnings are those of the plan, and the records that count as missing.
func (x *execution) warnings() []string {
	out := slices.Clone(x.plan.Warnings)
	for _, err := range x.writer.Damaged {
		cause, _, _ := strings.Cut(err.Error(), "\nhint: ")
		out = append(out, cause+"; the file is kept, and the trial counts as missing")
	}
	for _, err := range x.writer.Notes {
		cause, _, _ := strings.Cut(err.Error(), "\nhint: ")
		out = append(out, cause)
	}
	if x.plan.Config.Limits.MaxCost > 0 && !x.plan.Config.Replays() {
		if n := store.Unpriced(x.writer.Entries()); n > 0 {
			out = append(out, fmt.Sprintf("limits.max_cost does not count %d earlier calls: their cost is not known", n))
		}
	}
	return out
}

// work is the plan minus what is finished.
func (x *execution) work() []item {
	entries := x.writer.Entries()
	counting := store.Latest(entries)
	next := map[sim.Key]int{}
	for ref := range entries {
		next[ref.Key] = max(next[ref.Key], ref.Attempt+1)
	}
	var out []item
	for _, p := range x.plan.Trials {
		e, ran := counting[p.Key]
		switch {
		case ran && capped(x.plan, e):
		case !ran || !e.Termination.Evaluable():
			out = append(out, item{Planned: p, attempt: x.writer.FreeAttempt(p.Key, next[p.Key])})
		case e.Pending != "":
			out = append(out, item{Planned: p, attempt: e.Attempt, stored: &e})
		}
	}
	return out
}

// run does the work on at most limits.concurrency goroutines, all of which end before it returns. The error is of the
// store; what goes wrong in a trial is in its record.
func (x *execution) run(ctx context.Context, work []item) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(x.plan.Config.Limits.Concurrency)
	for _, it := range work {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			if why := x.hopeless(it); why != "" {
				x.skip(why)
				return nil
			}
			return x.do(ctx, it)
		})
	}
	return g.Wait()
}

// modelsOf names the models that take part in a system's trials.
func (x *execution) modelsOf(system string) []string {
	c := x.plan.Config
	return append(c.ModelsOf(c.System(system)), c.User.Model)
}

// hopeless says why a conversation should not even be started.
func (x *execution) hopeless(it item) string {
	if it.stored != nil {
		return "" // a score may cost nothing; see judge
	}
	if err := x.budget.exceeded(); err != nil {
		return err.Error()
	}
	for _, name := range x.modelsOf(it.System) {
		if name == "" {
			continue
		}
		if why := x.clients.models[name].dead.Load(); why != nil {
			return *why
		}
	}
	return ""
}

func (x *execution) skip(why string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.Contains(x.stopped, why) {
		x.stopped = append(x.stopped, why)
		x.log.Error("no further trials of this kind are started", "why", why)
	}
}

// do runs and stores a conversation, and then scores it.
func (x *execution) do(ctx context.Context, it item) error {
	cancelled := false // its trial is as good as not begun
	x.count(func(p *Progress) { p.Running++ })
	defer func() {
		x.count(func(p *Progress) {
			p.Running--
			if !cancelled {
				p.Done++
			}
		})
	}()
	if it.stored != nil {
		rec, err := x.writer.Record(*it.stored)
		if err != nil {
			x.log.Error("record unreadable", "key", it.Key.String(), "error", err.Error())
			x.count(func(p *Progress) { p.Pending++ })
			return nil
		}
		return x.score(ctx, rec, *it.stored, x.budget.exceeded())
	}
	spanned, end := x.options.Trace.Trial(ctx, llm.Tag{Domain: it.Domain, System: it.System, Task: it.Task, Trial: it.Trial, Attempt: it.attempt})
	kept, spanned := x.keep(spanned)
	rec, err := x.converse(spanned, it)
	end(string(rec.Termination), faultText(rec))
	if cancelled = err != nil || rec.Termination == sim.Cancelled; err != nil {
		return nil // before it began
	}
	e, err := x.writer.AddRecord(rec, kept)
	if err != nil {
		return err
	}
	if hits, ok := x.plan.Attacks.Hits(rec); ok {
		e.Attack = &store.Attacked{Hits: hits}
	}
	x.ended(rec)
	if !rec.Termination.Evaluable() {
		return x.writer.AddUnscored(e)
	}
	return x.score(ctx, rec, e, nil)
}

// keep returns a ledger, and a context whose requests it keeps; nil if the config does not want them.
func (x *execution) keep(ctx context.Context) (*store.Ledger, context.Context) {
	if !x.plan.Config.KeepRequests {
		return nil, ctx
	}
	l := x.writer.NewLedger()
	return l, llm.WithExchanges(ctx, l.Add)
}

// converse runs one conversation. Whatever goes wrong is in the record; the error means that there was none.
func (x *execution) converse(ctx context.Context, it item) (rec sim.Record, err error) {
	started := x.now()
	void := func(kind, text string) sim.Record {
		end := x.now()
		return sim.Record{Version: sim.RecordVersion, Key: it.Key, Attempt: it.attempt, Seed: it.Seed, Synthetic: x.synthetic(it.System),
			Termination: sim.Infra, Fault: &sim.Fault{Kind: kind, Text: text}, Messages: []sim.Message{},
			Times: sim.Times{Started: started.UTC().Format(time.RFC3339Nano), Finished: end.UTC().Format(time.RFC3339Nano),
				Seconds: end.Sub(started).Seconds()}}
	}
	defer func() {
		if p := recover(); p != nil {
			rec, err = void("panic", fmt.Sprintf("%v\n%s", p, debug.Stack())), nil
		}
	}()
	p := x.plan
	w := p.Worlds[it.Domain]
	task, ok := w.Task(it.Task)
	if !ok {
		return void("task", "the data has no task "+it.Task), nil
	}
	env, err := w.New(task)
	if err != nil {
		return void("task", err.Error()), nil
	}
	parent := ctx
	allowed, ctx, cancel := allow(ctx, p.Config.Limits.Conversation)
	defer cancel()
	model := func(name, role string) *sim.Model {
		m := x.clients.model(name, role, p.Config.Seed, it.Planned, it.attempt)
		if m != nil {
			m.Client = allowed.wrap(m.Client)
		}
		return m
	}
	models := func(name string) *sim.Model {
		if x.clients.models[name] == nil {
			return nil
		}
		return model(name, config.RoleAgent)
	}
	agent, err := p.NewAgent(it.Key, task, env, models)
	if err != nil {
		return void("speaker", err.Error()), nil
	}
	t := sim.Trial{Key: it.Key, Attempt: it.attempt, Seed: it.Seed, Synthetic: x.synthetic(it.System), World: w, Task: task, Env: env,
		Agent: agent, CountUserFaults: p.Config.User.CountsFaults(), Limits: sim.Limits{MaxSteps: p.Config.Limits.MaxSteps, MaxErrors: p.Config.Limits.MaxErrors,
			Timeout: time.Duration(p.Config.Limits.Timeout)}}
	if !w.Options.Solo {
		if t.User, err = p.Attacks.User(w, task, model(p.Config.User.Model, config.RoleUser)); err != nil {
			return void("speaker", err.Error()), nil
		}
	}
	if rec, err = sim.Run(ctx, t); err == nil && parent.Err() == nil {
		allowed.settle(ctx, &rec)
	}
	return rec, err
}

// synthetic reports whether a scripted model takes part in a system's trials or grades them.
func (x *execution) synthetic(system string) bool {
	names := append(x.modelsOf(system), x.plan.Config.Judge.Model)
	return slices.ContainsFunc(names, func(name string) bool { return x.plan.Models[name].Synthetic })
}

// ended counts and logs a conversation that is stored.
func (x *execution) ended(r sim.Record) {
	attrs := []any{"key", r.Key.String(), "attempt", r.Attempt, "reason", r.Termination, "seconds", r.Times.Seconds, "steps", r.Steps}
	if f := r.Fault; f != nil {
		attrs = append(attrs, "fault", f.Kind, "side", f.Side, "request_id", f.RequestID, "text", f.Text)
	}
	if r.Termination.Evaluable() {
		x.log.Info("trial ended", attrs...)
	} else {
		x.log.Warn("trial void", attrs...)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.executed++
	if !r.Termination.Evaluable() {
		if r.Termination != sim.Cancelled { // who interrupts knows
			x.progress.Faults++
		}
		if r.Fault != nil {
			text, _, _ := strings.Cut(r.Fault.Text, "\nhint: ")
			text = strings.Join(strings.Fields(text), " ") // its first line alone may tell nothing
			x.examples[r.Fault.Kind] = text
			if r.Termination != sim.Cancelled {
				x.progress.LastFault = text
			}
		}
	}
}

// score scores a stored record. A judge that fails leaves it pending, as does one that may not be asked because of broke.
func (x *execution) score(ctx context.Context, rec sim.Record, e store.Entry, broke error) error {
	kept, keeping := x.keep(ctx)
	s := x.grade(keeping, rec, broke)
	if s.Pending != "" {
		if s.Reward == nil {
			x.count(func(p *Progress) { p.Pending++ })
		}
		if ctx.Err() != nil {
			return x.writer.AddUnscored(e) // the judge was not asked to the end: that says nothing worth keeping
		}
		x.log.Warn("score pending", "key", rec.Key.String(), "attempt", rec.Attempt, "why", s.Pending)
	}
	return x.writer.AddScore(e, s, kept)
}

// grade computes a score; one that cannot be computed is pending, with the reason.
func (x *execution) grade(ctx context.Context, rec sim.Record, broke error) (s sim.Score) {
	pending := func(why string) sim.Score {
		return sim.Score{Version: sim.ScoreVersion, Key: rec.Key, Attempt: rec.Attempt, Pending: why}
	}
	defer func() {
		if p := recover(); p != nil {
			x.log.Error("scoring panicked", "key", rec.Key.String(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			s = pending(fmt.Sprintf("scoring failed: panic: %v", p))
		}
	}()
	p := x.plan
	w := p.Worlds[rec.Domain]
	task, ok := w.Task(rec.Task)
	if !ok {
		return pending("scoring failed: the data has no task " + rec.Task)
	}
	var o sim.ScoreOptions
	planned := config.Planned{Key: rec.Key, Seed: rec.Seed}
	if m := x.clients.model(p.Config.Judge.Model, config.RoleJudge, p.Config.Seed, planned, rec.Attempt); m != nil {
		if why := x.clients.models[m.Name].dead.Load(); why != nil && broke == nil {
			broke = errors.New(*why)
		}
		if broke != nil {
			m.Client = llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
				x.skip(broke.Error())
				return llm.Response{}, broke
			})
		}
		o.Judge = sim.ModelJudge{Model: m, Prompt: p.Config.Prompts.Judge.Text}
	}
	s, err := sim.ScoreRecord(ctx, w, task, rec, o)
	if err != nil {
		return pending("scoring failed: " + err.Error())
	}
	return s
}
