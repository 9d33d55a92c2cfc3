package runs

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// Judges ask one model of a config to grade records again. They are safe for concurrent use.
type Judges struct {
	name    string
	prompt  string // in the place of the program's own
	seed    int64
	meter   *llm.Meter
	budget  *budget
	clients *clients

	Hide llm.Redactor // masks the secrets of the judge's endpoint
}

// NewJudges connects to a model of the config, for scoring records again. name is the model's; empty means the config's own
// judge. Of the options, those that say whom to ask play a part, and the cassette, whose folder is below Out if neither
// they nor the config name one. warn, which may be nil, hears what should be known.
func NewJudges(c *config.Config, name string, worlds map[string]*domains.World, o config.Options, tracer *trace.Tracer, warn func(text string)) (*Judges, error) {
	if name == "" {
		name = c.Judge.Model
	}
	c, models, err := c.OneModel(name, o)
	if err != nil {
		return nil, err
	}
	folder, err := c.CassetteFolder(o.Out)
	if err != nil {
		return nil, domains.Usage(err)
	}
	if warn == nil {
		warn = func(string) {}
	}
	around := wiring{trace: tracer, replays: c.Replays(), warn: warn}
	around.cassette, err = openCassette(c, folder, cassette.Options{Hide: config.Secrets(models).Redact, Failed: func(err error) {
		warn("answer used but not recorded: " + err.Error())
	}})
	if err != nil {
		return nil, domains.Usage(err)
	}
	j := &Judges{name: name, prompt: c.Prompts.Judge.Text, seed: c.Seed, meter: &llm.Meter{}, Hide: config.Secrets(models)}
	j.budget = runBudget(c.Limits.Budget, j.meter, store.Spending{})
	if j.clients, err = dial(models, worlds, j.meter, around); err != nil {
		return nil, err
	}
	j.budget.watchCost(c.CostBound(), j.clients)
	return j, nil
}

// Of returns the judge of a record.
func (j *Judges) Of(r sim.Record) sim.Judge {
	m := j.clients.model(j.name, config.RoleJudge, j.seed, config.Planned{Key: r.Key, Seed: r.Seed}, r.Attempt)
	m.Client = j.budget.wrap(m.Client)
	return sim.ModelJudge{Model: m, Prompt: j.prompt}
}

// Usage sums up what the judges were asked so far.
func (j *Judges) Usage() llm.Totals { return j.meter.Total() }

// ForRun returns the config as it grades a run again: with the run's seed, by which recordings are found, and with the
// run's cassette and text for the judge if it has none itself.
func ForRun(c *config.Config, m store.Manifest) *config.Config {
	out := *c
	if m.Config == nil {
		return &out
	}
	out.Seed = m.Config.Seed
	if c.Prompts.Judge.File == "" {
		out.Prompts.Judge = m.Config.Prompts.Judge
	}
	if cassette.Mode(c.Cassette.Mode) == cassette.Off && m.Config.Cassette.Mode != "" {
		out.Cassette = m.Config.Cassette
	}
	return &out
}
