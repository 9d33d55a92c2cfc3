package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/check"
	"github.com/tauguide/tauguide/sim"
)

// ResultsDir is the folder of runs that are given no other.
const ResultsDir = "results"

// Options override parts of a config for one execution.
type Options struct {
	Out         string   // run directory; default results/<name>
	Resume      bool     // continue the run in Out, if there is one
	Fresh       bool     // move the run in Out aside and start over
	Only        []string // filters key=value[,value...] on domain, system, agent, task, trial
	Limit       int      // first so many tasks of each domain; 0 is all
	Trials      int      // instead of the config's; 0 keeps it
	Concurrency int      // likewise
	Data        string   // likewise
	BaseURL     string   // sends every model there
	Synthetic   bool     // replaces every model by its scripted twin
	Begun       *Config  // as the run was begun that is resumed, if there is one: it has the instruction texts
	Cassette    string   // MODE or MODE:PATH, instead of the config's
}

// Plan is a config that is ready to run: data loaded, models checked, trials planned.
type Plan struct {
	Config   *Config // with the options applied
	Options  Options
	Dir      string                    // of the run
	Trials   []Planned                 // of this execution
	Worlds   map[string]*domains.World // by domain
	Models   map[string]Model          // of the selected systems, the user and the judge
	Attacks  Attacks
	Identity Identity
	// Workflows are those that the systems are guided by.
	Workflows []Workflow

	// Warnings are what the user should know before the run, though it can go on.
	Warnings []string

	// MakeAgent makes the agent of a system with its overlays around it. Tests replace it.
	MakeAgent func(System, agents.Setup) (sim.Participant, error)

	models map[string]Model // of all systems, as this execution would use them
	cache  agents.Cache
}

// Resolve checks everything that can be checked before anything is written or spent: options, models and their keys,
// data, tasks, agents and their parameters. It gives up a long plan when ctx is done; all other errors are domains.ErrUsage.
func Resolve(ctx context.Context, cfg *Config, o Options) (*Plan, error) {
	p, err := resolve(ctx, cfg, o)
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, fmt.Errorf("planning: %w", err)
	case err != nil:
		return nil, domains.Usage(err)
	}
	return p, nil
}

func resolve(ctx context.Context, cfg *Config, o Options) (*Plan, error) {
	if o.Resume && o.Fresh {
		return nil, fmt.Errorf("resume and fresh exclude each other\nhint: choose one")
	}
	only, err := parseFilter(o.Only)
	if err != nil {
		return nil, err
	}
	c := cfg.with(o)
	p := &Plan{Config: c, Dir: c.Dir(o), Options: o, MakeAgent: makeAgent}
	if c.Cassette, err = c.Cassette.With(o.Cassette); err != nil {
		return nil, err
	}
	if err := c.unsetAtOnce(o); err != nil {
		return nil, err
	}
	if err := c.completeTexts(o.Begun); err != nil {
		return nil, err
	}
	if p.Worlds, err = bareWorlds(c); err != nil {
		return nil, err
	}
	if p.Attacks, err = c.openAttacks(p.Worlds); err != nil {
		return nil, err
	}
	if p.Trials, err = makePlan(ctx, c, p.Worlds, only, o.Limit); err != nil {
		return nil, err
	}
	if err := p.checkAgents(); err != nil {
		return nil, err
	}
	p.models = c.effective(o, c.usedModels(c.Systems))
	if p.Models, err = c.complete(o, c.effective(o, c.usedModels(p.Selected()))); err != nil {
		return nil, err
	}
	if err := p.checkCassette(); err != nil {
		return nil, err
	}
	p.Identity = p.identify()
	if p.Warnings, err = p.unpriced(); err != nil {
		return nil, err
	}
	for _, w := range p.Workflows {
		if len(w.Edited) > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("the workflow of %s in %s was edited after it was published: %s", w.System, w.Domain, strings.Join(w.Edited, ", ")))
		}
	}
	p.Warnings = append(p.Warnings, p.unknownFields()...)
	if n := p.unjudged(); n > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d of %d trials need a judge for their reward, and none is named: name one under judge in the config; "+
			"it can also be added later and the run be resumed", n, len(p.Trials)))
	}
	return p, nil
}

// Dir is the run directory of an execution.
func (c *Config) Dir(o Options) string { return cmp.Or(o.Out, filepath.Join(ResultsDir, c.Name)) }

// unknownFields warns of planned tasks that say something where nothing reads it.
func (p *Plan) unknownFields() (out []string) {
	seen, tasks, first := map[sim.Key]bool{}, map[string]int{}, map[string]check.Lint{}
	for _, t := range p.Trials {
		id := sim.Key{Domain: t.Domain, Task: t.Task}
		if seen[id] {
			continue
		}
		seen[id] = true
		task, _ := p.Worlds[t.Domain].Task(t.Task)
		if found := check.UnknownFields(task); len(found) > 0 {
			if tasks[t.Domain]++; tasks[t.Domain] == 1 {
				first[t.Domain] = found[0]
			}
		}
	}
	for _, domain := range slices.Sorted(maps.Keys(first)) {
		f := first[domain]
		out = append(out, fmt.Sprintf("%d of the tasks of %s have fields that nothing reads, the first being %s of %s (%s): tauguide domains check lists them",
			tasks[domain], domain, f.Field, f.Task, f.Why))
	}
	return out
}

// with applies options to a copy of the config.
func (c *Config) with(o Options) *Config {
	out := *c
	if o.Data != "" {
		out.Data, out.dataFlag = o.Data, true
		if c.source != nil {
			s := *c.source
			s.unset, s.raw = maps.Clone(s.unset), maps.Clone(s.raw)
			delete(s.unset, "data")
			delete(s.raw, "data")
			out.source = &s
		}
	}
	if o.Trials > 0 {
		out.Trials = o.Trials
	}
	if o.Concurrency > 0 {
		out.Limits.Concurrency = o.Concurrency
	}
	return &out
}

// Selected returns the systems that the plan has trials of.
func (p *Plan) Selected() []System {
	planned := map[string]bool{}
	for _, t := range p.Trials {
		planned[t.System] = true
	}
	return slices.DeleteFunc(slices.Clone(p.Config.Systems), func(s System) bool { return !planned[s.Name] })
}

// checkAgents makes every agent once, so that wrong parameters are found before anything starts.
func (p *Plan) checkAgents() error {
	type pair struct{ system, domain string }
	done := map[pair]bool{}
	for _, t := range p.Trials {
		if done[pair{t.System, t.Domain}] {
			continue
		}
		done[pair{t.System, t.Domain}] = true
		w := p.Worlds[t.Domain]
		task, _ := w.Task(t.Task)
		env, err := w.New(task)
		if err != nil {
			continue // a broken task is the trial's matter
		}
		models := func(name string) *sim.Model {
			if _, ok := p.Config.Models[name]; !ok {
				return nil
			}
			return &sim.Model{Name: name, Client: Refusing}
		}
		if _, err := p.NewAgent(t.Key, task, env, models); err != nil {
			i := slices.IndexFunc(p.Config.Systems, func(s System) bool { return s.Name == t.System })
			return p.Config.source.positioned(fmt.Sprintf("systems[%d]", i), fmt.Errorf("system %s on domain %s: %w", t.System, t.Domain, err))
		}
	}
	return nil
}

// Synthetic reports whether some model of the plan is scripted.
func (p *Plan) Synthetic() bool { return p.asks(func(m Model) bool { return m.Synthetic }) }

// Scripted reports whether all models of the plan are scripted.
func (p *Plan) Scripted() bool { return !p.asks(func(m Model) bool { return !m.Synthetic }) }

// asks reports whether the plan has such a model.
func (p *Plan) asks(such func(Model) bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(p.Models)), such)
}
