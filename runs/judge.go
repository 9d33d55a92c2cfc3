package runs

import (
	"slices"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/llm"
	"github.com/tauguide/tauguide/sim"
)

// Judges makes judges with one model of the config, for scoring records again. name is the model's; empty means the
// config's own judge. The result makes a judge for a record; it is safe for concurrent use.
func (c *Config) Judges(name string, worlds map[string]*domains.World, o Options) (func(sim.Record) sim.Judge, error) {
	if name == "" {
		name = c.Judge.Model
	}
	if _, ok := c.Models[name]; !ok {
		return nil, configFault(c.source.errorf("models", "no model %q under models: add the judge there, or name another", name))
	}
	models, err := c.complete(o, c.effective(o, []string{name}))
	if err != nil {
		return nil, err
	}
	b := &runBudget{Budget: c.Limits.Budget, meter: &llm.Meter{}, started: time.Now()}
	all, err := dial(models, worlds, b.meter, wiring{trace: o.Trace})
	if err != nil {
		return nil, err
	}
	return func(r sim.Record) sim.Judge {
		p := Planned{Key: r.Key, Seed: r.Seed}
		m := all.model(name, judgeRole, c.Seed, p, r.Attempt)
		m.Client = b.wrap(m.Client)
		return sim.ModelJudge{Model: m}
	}, nil
}

// judged reports whether the reward of a trial needs a judge.
func (j *Job) judged(k sim.Key) bool {
	w, ok := j.Worlds[k.Domain]
	if !ok {
		return false
	}
	t, ok := w.Task(k.Task)
	return ok && t.Criteria != nil && len(t.Criteria.NLAssertions) > 0 && slices.Contains(t.Criteria.RewardBasis, domains.RewardNL)
}

// unjudged counts the job's trials that need a judge when none is named.
func (j *Job) unjudged() int {
	if j.Config.Judge.Model != "" {
		return 0
	}
	n := 0
	for _, p := range j.Plan {
		if j.judged(p.Key) {
			n++
		}
	}
	return n
}
