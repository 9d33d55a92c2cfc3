package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// Options override parts of a config for one execution.
type Options struct {
	Out         string           // run directory; default results/<name>
	Resume      bool             // continue the run in Out, if there is one
	Fresh       bool             // move the run in Out aside and start anew
	Only        []string         // filters key=value[,value...] on domain, system, agent, task, trial
	Limit       int              // first so many tasks of each domain; 0 is all
	Trials      int              // instead of the config's; 0 keeps it
	Concurrency int              // likewise
	Data        string           // likewise
	BaseURL     string           // sends every model there
	Synthetic   bool             // replaces every model by its scripted twin
	Cassette    string           // MODE or MODE:PATH, instead of the config's
	Debug       bool             // log every model call
	Trace       *trace.Tracer    // nil for none
	Progress    Reporter         // nil for none
	Now         func() time.Time // nil is time.Now; for what is written down, not for limits
}

// Reporter shows progress. Update is called from one goroutine at a time, a few times a second and once more at the
// end, with Final set.
type Reporter interface{ Update(Progress) }

// Progress is the state of a running execution.
type Progress struct {
	Name      string
	Synthetic bool
	Planned   int // trials of this execution
	Done      int // of these, ended in any way
	Running   int
	Faults    int           // of the ended ones, void
	Pending   int           // stored, but the judge has not answered
	Waiting   int           // requests that wait for a free slot
	Pace      float64       // calls per second that endpoints which refused too many are held to, 0 if none
	Retrying  int           // calls that wait to be sent once more
	Oldest    time.Duration // for how long the oldest call is under way
	CallRate  float64       // calls answered per second, of late
	Replayed  int64         // calls that a recording answered
	WouldCost *float64      // what these cost when they were recorded, in dollars; nil if unknown
	Elapsed   time.Duration
	Tokens    *int64   // nil if unknown
	Cost      *float64 // dollars, nil if unknown
	LastFault string   // why the latest void trial ended
	Warnings  []string // what should be known before and during the run, see Job.Warnings
	Final     bool
}

// Summary is how an execution ended. Counts are of the whole plan on disk, earlier executions included.
type Summary struct {
	Dir          string                `json:"dir"`
	Name         string                `json:"name"`
	Synthetic    bool                  `json:"synthetic"`
	Planned      int                   `json:"planned"`
	Evaluable    int                   `json:"evaluable"`   // ended in a way that counts
	Pending      int                   `json:"pending"`     // of these, still without a reward
	NeedsJudge   int                   `json:"needs_judge"` // of the pending ones, those that wait because no judge is named
	Missing      int                   `json:"missing"`     // never ended
	Terminations map[sim.Reason]int    `json:"terminations"`
	Executed     int                   `json:"executed"` // conversations held by this execution
	Interrupted  bool                  `json:"interrupted"`
	Stopped      string                `json:"stopped,omitempty"`  // why trials were left out, if any were
	OverBudget   int                   `json:"over_budget"`        // void trials that reached limits.conversation, and would again
	Causes       []Cause               `json:"causes,omitempty"`   // of void attempts, earlier executions included
	Warnings     []string              `json:"warnings,omitempty"` // Job.Warnings, and records that cannot be read
	MovedTo      string                `json:"moved_to,omitempty"`
	Elapsed      time.Duration         `json:"elapsed"`
	Usage        map[string]llm.Totals `json:"usage"` // by role, of this execution
}

// Complete reports whether every planned trial ended in a way that counts.
func (s Summary) Complete() bool { return s.Evaluable == s.Planned }

// Coverage is the share of planned trials that are evaluable.
func (s Summary) Coverage() float64 {
	if s.Planned == 0 {
		return 0
	}
	return float64(s.Evaluable) / float64(s.Planned)
}

// Job is a config that is ready to run: data loaded, models checked, trials planned.
type Job struct {
	Config *Config                   // with the options applied
	Dir    string                    // of the run
	Plan   []Planned                 // of this execution
	Worlds map[string]*domains.World // by domain

	// Warnings are what the user should know before the run, though it can go on.
	Warnings []string

	options  Options
	models   map[string]Model // of the selected systems, the user and the judge
	identity Identity
	memo     agents.Cache
	attacks  attacks
	newAgent func(System, agents.Setup) (sim.Participant, error)
}

// Prepare checks everything that can be checked before anything is written or spent: options, models and their keys,
// data, tasks, agents and their parameters. Its errors are ErrConfig.
func Prepare(cfg *Config, o Options) (*Job, error) {
	return PrepareContext(context.Background(), cfg, o)
}

// PrepareContext is Prepare that gives up a long plan when ctx is done, with its error.
func PrepareContext(ctx context.Context, cfg *Config, o Options) (*Job, error) {
	j, err := prepare(ctx, cfg, o)
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, fmt.Errorf("planning: %w", err)
	case err != nil:
		return nil, configFault(err)
	}
	return j, nil
}

func prepare(ctx context.Context, cfg *Config, o Options) (*Job, error) {
	if o.Resume && o.Fresh {
		return nil, fmt.Errorf("resume and fresh exclude each other: choose one")
	}
	if o.Limit < 0 || o.Trials < 0 || o.Concurrency < 0 {
		return nil, fmt.Errorf("limit, trials and concurrency must not be negative: leave them out for the config's")
	}
	only, err := parseFilter(o.Only)
	if err != nil {
		return nil, err
	}
	c := cfg.with(o)
	j := &Job{Config: c, Dir: o.Out, options: o, newAgent: newAgent}
	if j.Dir == "" {
		j.Dir = filepath.Join("results", c.Name)
	}
	if c.Cassette, err = c.Cassette.recorded(o.Cassette); err != nil {
		return nil, err
	}
	if err := c.unsetAtOnce(o); err != nil {
		return nil, err
	}
	if j.Worlds, j.attacks, err = attackedWorlds(c); err != nil {
		return nil, err
	}
	if j.Plan, err = makePlan(ctx, c, j.Worlds, only, o.Limit); err != nil {
		return nil, err
	}
	if err := j.checkAgents(); err != nil {
		return nil, err
	}
	all := c.effective(o, c.usedModels(c.Systems))
	if j.models, err = c.complete(o, c.effective(o, c.usedModels(j.selected()))); err != nil {
		return nil, err
	}
	if err := j.checkCassette(); err != nil {
		return nil, err
	}
	j.identity = identify(c, all, j.Worlds, j.attacks, &j.memo)
	if n := j.unjudged(); n > 0 {
		j.Warnings = append(j.Warnings, fmt.Sprintf("%d of %d trials need a judge for their reward, and none is named: name one under judge in the config; "+
			"it can also be added later and the run be resumed", n, len(j.Plan)))
	}
	return j, nil
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

// selected returns the systems that the plan has trials of.
func (j *Job) selected() []System {
	planned := map[string]bool{}
	for _, p := range j.Plan {
		planned[p.System] = true
	}
	return slices.DeleteFunc(slices.Clone(j.Config.Systems), func(s System) bool { return !planned[s.Name] })
}

// checkAgents makes every agent once, so that wrong parameters are found before anything starts.
func (j *Job) checkAgents() error {
	index := map[string]int{}
	for i, s := range j.Config.Systems {
		index[s.Name] = i
	}
	type pair struct{ system, domain string }
	done := map[pair]bool{}
	for _, p := range j.Plan {
		if done[pair{p.System, p.Domain}] {
			continue
		}
		done[pair{p.System, p.Domain}] = true
		i := index[p.System]
		w := j.Worlds[p.Domain]
		t, _ := w.Task(p.Task)
		env, err := w.New(t)
		if err != nil {
			continue // a broken task is the trial's matter
		}
		s := j.Config.Systems[i]
		models := func(name string) *sim.Model {
			if _, ok := j.Config.Models[name]; !ok {
				return nil
			}
			return &sim.Model{Name: name, Client: refusing}
		}
		seat := seatOf(w, t, env, models, &j.memo, p.Key, j.Config.Seed, s)
		if _, err := j.newAgent(s, seat); err != nil {
			return j.Config.source.positioned(fmt.Sprintf("systems[%d]", i), fmt.Errorf("system %s on domain %s: %w", s.Name, p.Domain, err))
		}
	}
	return nil
}

// Synthetic reports whether some model of the job is scripted.
func (j *Job) Synthetic() bool {
	for _, m := range j.models {
		if m.Synthetic {
			return true
		}
	}
	return false
}

// command is what to type to run the job again with another flag.
func (j *Job) command(flag string) string {
	o, words := j.options, []string{"tauguide", "run"}
	if j.Config.source != nil {
		words = append(words, shellWord(j.Config.source.file))
	} else {
		words = append(words, "CONFIG")
	}
	words = append(words, flag)
	add := func(name, value string) {
		if value != "" {
			words = append(words, name, shellWord(value))
		}
	}
	number := func(name string, n int) {
		if n > 0 {
			add(name, strconv.Itoa(n))
		}
	}
	add("--out", o.Out)
	add("--data", o.Data)
	add("--base-url", o.BaseURL)
	add("--cassette", o.Cassette)
	if o.Synthetic {
		words = append(words, "--synthetic")
	}
	for _, f := range o.Only {
		add("--only", f)
	}
	number("--limit", o.Limit)
	number("--trials", o.Trials)
	number("--concurrency", o.Concurrency)
	return strings.Join(words, " ")
}

func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
