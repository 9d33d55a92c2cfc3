package config

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim"
)

// Planned is one trial of a plan, a line of plan.jsonl.
type Planned struct {
	sim.Key
	Seed int64 `json:"seed"` // sent to providers
	Mut  bool  `json:"mut"`  // a task whose gold plan changes something; the others are PV tasks

	// Of an imported trial: whether nothing says what its task wants, so that it is neither Mut nor PV, and what of the task
	// is not as it was recorded.
	Unclassified bool   `json:"unclassified,omitempty"`
	Note         string `json:"note,omitempty"`
}

// The bounds of one run: a plan is kept in memory, at about 200 bytes a conversation.
const (
	maxTrials  = 100_000 // as the config's schema says
	maxPlanned = 10_000_000
)

// Worlds opens the data of all domains of a config, with the attacks of its user among the tasks.
func Worlds(c *Config) (map[string]*domains.World, error) {
	worlds, err := bareWorlds(c)
	if err == nil {
		_, err = c.openAttacks(worlds)
	}
	return worlds, err
}

// bareWorlds opens the data alone.
func bareWorlds(c *Config) (map[string]*domains.World, error) {
	data := domains.Embedded()
	if c.Data != embedded {
		if err := c.source.needed("data", noData); err != nil {
			return nil, err
		}
		var err error
		if data, err = domains.Folder(filepath.FromSlash(c.Data)); err != nil {
			if c.dataFlag {
				return nil, fmt.Errorf("--data: %w", err)
			}
			return nil, c.source.positioned("data", err)
		}
	}
	out := map[string]*domains.World{}
	for i, d := range c.Domains {
		at := fmt.Sprintf("domains[%d]", i)
		domain, err := all.Domain(d.Name)
		if err != nil {
			return nil, c.source.positioned(at, err)
		}
		w, err := domain.Open(data, domains.Options{Policy: d.PolicyType, Solo: d.Solo, Split: d.Split})
		if err != nil {
			return nil, c.source.positioned(at, fmt.Errorf("domain %s: %w", d.Name, err))
		}
		if c.Prompts.User.Text != "" {
			w = w.WithGuidelines(c.Prompts.User.Text)
		}
		out[d.Name] = w
	}
	return out, nil
}

// Domain is the config's entry of a domain; nil if there is none.
func (c *Config) Domain(name string) *Domain {
	if i := slices.IndexFunc(c.Domains, func(d Domain) bool { return d.Name == name }); i >= 0 {
		return &c.Domains[i]
	}
	return nil
}

// BareWorld opens the data of one domain, without attacks, for a config that was stored: env resolves the variables in
// the data's path.
func (c *Config) BareWorld(domain string, env func(string) string) (*domains.World, error) {
	one := *c
	one.Domains = []Domain{*c.Domain(domain)}
	one.source = newSource("manifest.json")
	data := map[string]any{"data": c.Data}
	one.source.expand(data, "", "data", env)
	one.Data = fmt.Sprint(data["data"])
	if err := one.source.needed("data", ""); err != nil { // unlike for a run, no flag helps here
		return nil, err
	}
	worlds, err := bareWorlds(&one)
	return worlds[domain], err
}

// selectTasks picks a domain's tasks in the order of docs/reference/tau2.md#tasks: split, then ids, then what the
// setting allows. The order is that of the task file.
func selectTasks(c *Config, i int, w *domains.World) ([]*domains.Task, error) {
	d, at := c.Domains[i], fmt.Sprintf("domains[%d]", i)
	tasks, err := w.Select(d.Split)
	if err != nil {
		return nil, c.source.positioned(at+".split", err)
	}
	if len(d.Tasks) > 0 {
		byID := map[string]bool{}
		for _, t := range tasks {
			byID[t.ID] = true
		}
		for k, id := range d.Tasks {
			if !byID[id] {
				path := fmt.Sprintf("%s.tasks[%d]", at, k)
				return nil, c.source.errorf(path, "%s: split %s of %s has no task %q\nhint: %s", path, d.Split, d.Name, id, suggestOf(id, byID))
			}
		}
		tasks = slices.DeleteFunc(tasks, func(t *domains.Task) bool { return !slices.Contains(d.Tasks, t.ID) })
	}
	if d.Solo {
		tasks = slices.DeleteFunc(tasks, func(t *domains.Task) bool { return !soloTask(t) })
	}
	if len(tasks) == 0 {
		return nil, c.source.errorf(at, "%s: no task of split %s of %s can be run so", at, d.Split, d.Name)
	}
	return tasks, nil
}

// soloTask reports whether a task can be done without a user: it has a ticket and something to do, and its history,
// if any, is calls and results alone (docs/reference/tau2.md#participants).
func soloTask(t *domains.Task) bool {
	if t.Ticket == nil || t.Criteria == nil || len(t.Criteria.Actions) == 0 {
		return false
	}
	if t.InitialState == nil {
		return true
	}
	return !slices.ContainsFunc(t.InitialState.History, func(m domains.Message) bool {
		return m.Role != domains.RoleTool && !m.IsToolCall()
	})
}

// agents are the agents of the systems, by their names.
func (c *Config) agents() map[string]string {
	out := map[string]string{}
	for _, s := range c.Systems {
		out[s.Name] = s.Agent
	}
	return out
}

// makePlan lays out all trials: trial by trial, so that a run that is stopped early has whole passes, and within one
// all systems on a task side by side, so that they finish alike. The limit counts the tasks that the filter leaves.
func makePlan(ctx context.Context, c *Config, worlds map[string]*domains.World, only filter, limit int) ([]Planned, error) {
	agentOf := c.agents()
	var pass []Planned // one trial of everything
	for i, d := range c.Domains {
		tasks, err := selectTasks(c, i, worlds[d.Name])
		if err != nil {
			return nil, err
		}
		for _, t := range tasks {
			mut := t.Mutating(worlds[d.Name])
			for _, s := range c.Systems {
				if !s.on(d.Name) {
					continue
				}
				pass = append(pass, Planned{Key: sim.Key{Domain: d.Name, System: s.Name, Task: t.ID}, Mut: mut})
			}
		}
	}
	pass, err := only.apply(pass, agentOf, "agent", "domain", "system", "task")
	if err != nil {
		return nil, err
	}
	pass = firstTasks(pass, limit)
	if c.Trials > maxTrials || len(pass)*c.Trials > maxPlanned {
		return nil, fmt.Errorf("%w: %d trials of each of %d tasks and systems are too many for one run: at most %d trials, and %d conversations in all",
			domains.ErrUsage, c.Trials, len(pass), maxTrials, maxPlanned)
	}
	out := make([]Planned, 0, len(pass)*c.Trials)
	for trial, seed := range TrialSeeds(c.Seed, c.Trials) {
		if len(out) > maxTrials && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, p := range pass {
			p.Trial, p.Seed = trial, seed
			out = append(out, p)
		}
	}
	return only.apply(out, agentOf, "trial")
}

// firstTasks keeps the trials of the first so many tasks of each domain; 0 keeps all.
func firstTasks(plan []Planned, limit int) []Planned {
	if limit == 0 {
		return plan
	}
	type task struct{ domain, id string }
	kept, count := map[task]bool{}, map[string]int{}
	return slices.DeleteFunc(plan, func(p Planned) bool {
		t := task{p.Domain, p.Task}
		if !kept[t] && count[p.Domain] < limit {
			kept[t] = true
			count[p.Domain]++
		}
		return !kept[t]
	})
}

// ParseKey finds the trial of a plan that a text names: by its key domain/system/task/trial, in which names may hold
// slashes, or by a part of one that no other key has. Whole parts between slashes go before others.
func ParseKey(text string, plan []Planned) (sim.Key, error) {
	known := make(map[string]sim.Key, len(plan))
	for _, p := range plan {
		known[p.Key.String()] = p.Key
	}
	if k, ok := known[text]; ok {
		return k, nil
	}
	names := slices.Sorted(maps.Keys(known))
	for _, fits := range []func(string) bool{
		func(name string) bool { return strings.Contains("/"+name+"/", "/"+text+"/") },
		func(name string) bool { return strings.Contains(strings.ToLower(name), strings.ToLower(text)) },
	} {
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !fits(name) })
		switch {
		case len(found) == 1:
			return known[found[0]], nil
		case len(found) > mostNamed:
			return sim.Key{}, fmt.Errorf("key %q is part of %d trials\nhint: say more of domain/system/task/trial, as in %s", text, len(found), found[0])
		case len(found) > 1:
			return sim.Key{}, fmt.Errorf("key %q is part of %d trials\nhint: name one of %s", text, len(found), strings.Join(found, ", "))
		}
	}
	if near := yamlfile.Nearest(text, names); near != "" {
		return sim.Key{}, fmt.Errorf("key %q names no trial\nhint: did you mean %q?", text, near)
	}
	return sim.Key{}, fmt.Errorf("key %q names no trial\nhint: write it as domain/system/task/trial, or a part of that; without a key the trials are listed", text)
}

// mostNamed is how many names a hint lists.
const mostNamed = 12

// NeedsJudge reports whether the reward of a trial needs a judge.
func (p *Plan) NeedsJudge(k sim.Key) bool {
	w, ok := p.Worlds[k.Domain]
	if !ok {
		return false
	}
	t, ok := w.Task(k.Task)
	return ok && t.Criteria != nil && len(t.Criteria.NLAssertions) > 0 && slices.Contains(t.Criteria.RewardBasis, domains.RewardNL)
}

// unjudged counts the job's trials that need a judge when none is named.
func (p *Plan) unjudged() int {
	if p.Config.Judge.Model != "" {
		return 0
	}
	n := 0
	for _, t := range p.Trials {
		if p.NeedsJudge(t.Key) {
			n++
		}
	}
	return n
}
