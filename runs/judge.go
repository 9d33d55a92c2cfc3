package runs

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
)

// Judges ask one model of a config to grade records again. They are safe for concurrent use.
type Judges struct {
	name    string
	seed    int64
	budget  *runBudget
	clients *clients
}

// Judges connects to a model of the config, for scoring records again. name is the model's; empty means the config's own
// judge. Of the options, those that say whom to ask play a part, and the cassette, whose folder is below Out if neither
// they nor the config name one. warn, which may be nil, hears what should be known.
func (c *Config) Judges(name string, worlds map[string]*domains.World, o Options, warn func(text string)) (*Judges, error) {
	if name == "" {
		name = c.Judge.Model
	}
	if _, ok := c.Models[name]; !ok {
		return nil, configFault(c.source.errorf("models", "no model %q under models: add the judge there, or name another", name))
	}
	with := *c
	var err error
	if with.Cassette, err = c.Cassette.recorded(o.Cassette); err != nil {
		return nil, configFault(err)
	}
	models, err := with.complete(o, with.effective(o, []string{name}))
	if err != nil {
		return nil, err
	}
	if warn == nil {
		warn = func(string) {}
	}
	around := wiring{trace: o.Trace, replays: with.replays(), warn: warn}
	if around.cassette, err = with.judgeCassette(o.Out, newRedactor(models), warn); err != nil {
		return nil, configFault(err)
	}
	j := &Judges{name: name, seed: c.Seed, budget: &runBudget{Budget: c.Limits.Budget, meter: &llm.Meter{}, started: time.Now()}}
	j.clients, err = dial(models, worlds, j.budget.meter, around)
	return j, err
}

// judgeCassette opens the recordings of a judge; nil without any.
func (c *Config) judgeCassette(dir string, hide redactor, warn func(string)) (*cassette.Cassette, error) {
	mode, folder := cassette.Mode(c.Cassette.Mode), c.Cassette.Path
	if mode == cassette.Off || mode == "" {
		return nil, nil
	}
	if err := c.source.needed("cassette.path", ""); err != nil {
		return nil, err
	}
	if folder == "" && dir == "" {
		return nil, fmt.Errorf("cassette: %s needs a folder, since only runs have one of their own: name it under cassette.path, or with --cassette %[1]s:FOLDER", mode)
	}
	if folder == "" {
		folder = filepath.Join(dir, cassetteName)
	}
	return cassette.Open(folder, mode, cassette.Options{Hide: hide.redact, Failed: func(err error) {
		warn("answer used but not recorded: " + err.Error())
	}})
}

// Of returns the judge of a record.
func (j *Judges) Of(r sim.Record) sim.Judge {
	m := j.clients.model(j.name, judgeRole, j.seed, Planned{Key: r.Key, Seed: r.Seed}, r.Attempt)
	m.Client = j.budget.wrap(m.Client)
	return sim.ModelJudge{Model: m}
}

// Usage sums up what the judges were asked so far.
func (j *Judges) Usage() llm.Totals { return j.budget.meter.Total() }

// ForRun returns the config as it grades a run again: with the run's seed, by which recordings are found, and with the
// run's cassette if it has none itself.
func (c *Config) ForRun(m Manifest) *Config {
	out := *c
	if m.Config == nil {
		return &out
	}
	out.Seed = m.Config.Seed
	if cassette.Mode(c.Cassette.Mode) == cassette.Off && m.Config.Cassette.Mode != "" {
		out.Cassette = m.Config.Cassette
	}
	return &out
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
