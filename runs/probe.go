package runs

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/probe"
)

// The roles of models beside those of agent, user and judge, as a probe tells them apart.
const (
	verifierRole = "verifier"
	guardRole    = "guard"
)

// Probe asks each model of a config once in each of its roles for a tool call, and reports what is wrong. It writes
// nothing. The error is of the config; what a model does is in the results, in the order of roles and names.
func Probe(ctx context.Context, cfg *Config, o Options) ([]probe.Result, error) {
	j, err := PrepareContext(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	all, err := dial(patient(j.models), j.Worlds, &llm.Meter{}, wiring{trace: o.Trace,
		retry: llm.RetryPolicy{Attempts: 2, RateLimited: 2, MaxRetryAfter: 10 * time.Second}})
	if err != nil {
		return nil, err
	}
	defer all.close()
	targets := j.targets(all)
	results := make([]probe.Result, len(targets))
	var wg sync.WaitGroup
	for i, t := range targets {
		wg.Go(func() { results[i] = probe.Ask(ctx, t) })
	}
	wg.Wait()
	return results, ctx.Err()
}

// patient are models as a probe asks them: soon it must be known whether there is an answer, even if a cold server loads
// a model first.
func patient(models map[string]Model) map[string]Model {
	const longest = 2 * time.Minute
	out := map[string]Model{}
	for name, m := range models {
		if m.Timeout == 0 || time.Duration(m.Timeout) > longest {
			m.Timeout = Duration(longest)
		}
		out[name] = m
	}
	return out
}

// targets lists each model in each of its roles once.
func (j *Job) targets(all *clients) []probe.Target {
	var out []probe.Target
	add := func(role, name string, needsTools bool) {
		if name == "" || slices.ContainsFunc(out, func(t probe.Target) bool { return t.Role == role && t.Name == name }) {
			return
		}
		m := all.models[name]
		base := m.model.request()
		if role != judgeRole && (m.model.Seed == nil || *m.model.Seed) {
			base.Seed = &j.Config.Seed
		}
		out = append(out, probe.Target{Role: role, Name: name, Model: m.model.Model, NeedsTools: needsTools, Client: m, Request: base, Scripted: m.model.Synthetic})
	}
	for _, s := range j.selected() {
		add(agentRole, s.Model, true)
	}
	add(userRole, j.Config.User.Model, j.usersCall())
	add(judgeRole, j.Config.Judge.Model, false)
	for _, s := range j.selected() {
		for _, e := range j.Config.helpers(s) {
			for _, name := range e.models {
				add(e.role, name, false)
			}
		}
	}
	return out
}

// usersCall reports whether the simulated user has tools in some domain.
func (j *Job) usersCall() bool {
	for _, w := range j.Worlds {
		if !w.Options.Solo && len(w.User.Specs()) > 0 {
			return true
		}
	}
	return false
}

// helper is a part of a system that asks models of its own.
type helper struct {
	role   string
	models []string
}

// helpers are the agent's and the overlays' own models.
func (c *Config) helpers(s System) (out []helper) {
	add := func(name string, models []string) {
		role := guardRole
		if strings.HasPrefix(name, "policyguide") {
			role = verifierRole
		}
		out = append(out, helper{role, models})
	}
	if e, err := agents.FindAgent(s.Agent); err == nil && e.Models != nil {
		add(s.Agent, e.Models(agents.Params(s.Params)))
	}
	for _, o := range s.Overlays {
		if e, err := agents.FindOverlay(o.Name); err == nil && e.Models != nil {
			add(o.Name, e.Models(agents.Params(o.Params)))
		}
	}
	return out
}
