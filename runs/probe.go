package runs

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/probe"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// Probe asks each model of a plan, in each of its roles, the questions that the run will ask it, and reports what is wrong
// with the answers. It writes nothing. What a model does is in the results, in the order of roles and names.
func Probe(ctx context.Context, p *config.Plan, tracer *trace.Tracer) ([]probe.Result, error) {
	all, err := dial(impatient(p.Models), p.Worlds, &llm.Meter{}, wiring{trace: tracer})
	if err != nil {
		return nil, err
	}
	defer all.close()
	asked := targets(ctx, p, all)
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

// targets lists each model in each of its roles once, with what it is asked there.
func targets(ctx context.Context, p *config.Plan, all *clients) []probe.Target {
	stage := newRehearsal(p)
	var questions map[roleModel][]question
	if slices.ContainsFunc(slices.Collect(maps.Values(p.Models)), func(m config.Model) bool { return !m.Synthetic }) {
		questions = stage.questions(ctx)
	}
	var out []probe.Target
	for _, q := range askedRoles(p, questions) {
		m := all.models[q.model]
		t := probe.Target{Role: q.role, Name: q.model, Model: m.model.Model, NeedsTools: q.role == config.RoleAgent || q.role == config.RoleUser && usersCall(p),
			Client: m, Request: m.model.Request(), Scripted: m.model.Synthetic}
		if m.model.Seed == nil || *m.model.Seed {
			t.Request.Seed = &p.Config.Seed
		}
		if q.role == config.RoleGuide {
			t.Role = "verifier"
		}
		for _, c := range questions[q] {
			t.Shapes = append(t.Shapes, stage.shape(q, c))
		}
		out = append(out, t)
	}
	return out
}

// askedRoles are the models of a plan in their roles, agents first.
func askedRoles(p *config.Plan, questions map[roleModel][]question) (out []roleModel) {
	add := func(role, model string) {
		if q := (roleModel{role, model}); model != "" && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	for _, s := range p.Selected() {
		add(config.RoleAgent, s.Model)
	}
	add(config.RoleUser, p.Config.User.Model)
	add(config.RoleJudge, p.Config.Judge.Model)
	for _, s := range p.Selected() {
		for _, h := range p.Config.Helpers(s) {
			add(h.Role, h.Model)
			if own := (roleModel{h.Role, s.Model}); h.Model == "" && questions[own] != nil {
				add(own.role, own.model)
			}
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
