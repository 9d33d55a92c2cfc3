package runs

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/probe"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// Probe asks each model of a plan once in each of its roles for a tool call, and reports what is wrong. It writes nothing.
// What a model does is in the results, in the order of roles and names.
func Probe(ctx context.Context, p *config.Plan, tracer *trace.Tracer) ([]probe.Result, error) {
	all, err := dial(impatient(p.Models), p.Worlds, &llm.Meter{}, wiring{trace: tracer})
	if err != nil {
		return nil, err
	}
	defer all.close()
	asked := targets(p, all)
	results := make([]probe.Result, len(asked))
	var wg sync.WaitGroup
	for i, t := range asked {
		wg.Go(func() { results[i] = probe.Ask(ctx, t) })
	}
	wg.Wait()
	return results, ctx.Err()
}

// impatient are models as a probe asks them: soon it must be known whether there is an answer, even if a cold server loads
// a model first.
func impatient(models map[string]config.Model) map[string]config.Model {
	const longest = config.Duration(2 * time.Minute)
	out := map[string]config.Model{}
	for name, m := range models {
		if m.Timeout == 0 || m.Timeout > longest {
			m.Timeout = longest
		}
		m.Retry = config.Retry{Attempts: 2, RateLimited: 2, MaxRetryAfter: config.Duration(10 * time.Second)}
		out[name] = m
	}
	return out
}

// targets lists each model in each of its roles once.
func targets(p *config.Plan, all *clients) []probe.Target {
	var out []probe.Target
	add := func(role, name string, needsTools bool) {
		if name == "" || slices.ContainsFunc(out, func(t probe.Target) bool { return t.Role == role && t.Name == name }) {
			return
		}
		m := all.models[name]
		base := m.model.Request()
		if role != config.RoleJudge && (m.model.Seed == nil || *m.model.Seed) {
			base.Seed = &p.Config.Seed
		}
		out = append(out, probe.Target{Role: role, Name: name, Model: m.model.Model, NeedsTools: needsTools, Client: m, Request: base, Scripted: m.model.Synthetic})
	}
	for _, s := range p.Selected() {
		add(config.RoleAgent, s.Model, true)
	}
	add(config.RoleUser, p.Config.User.Model, usersCall(p))
	add(config.RoleJudge, p.Config.Judge.Model, false)
	for _, s := range p.Selected() {
		for _, h := range p.Config.Helpers(s) {
			role := h.Role
			if role == config.RoleGuide {
				role = "verifier"
			}
			add(role, h.Model, false)
		}
	}
	return out
}

// usersCall reports whether the simulated user has tools in some domain.
func usersCall(p *config.Plan) bool {
	for _, w := range p.Worlds {
		if !w.Options.Solo && len(w.User.Specs()) > 0 {
			return true
		}
	}
	return false
}
