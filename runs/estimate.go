package runs

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// Estimate guesses what is left of a plan will use. like is the folder of an earlier run whose means count for the systems
// and domains that it has; empty for none.
func Estimate(p *config.Plan, like string) (*config.Estimate, error) {
	finished, err := finished(p)
	if err != nil {
		return nil, err
	}
	var left config.Remaining
	for _, t := range p.Trials {
		e, ran := finished[t.Key]
		switch {
		case !ran:
			left.Trials = append(left.Trials, t)
		case e.Pending != "" && p.Config.Judge.Model != "" && p.NeedsJudge(t.Key):
			left.Gradings++
		}
	}
	if like != "" {
		if left.Like, err = averages(like); err != nil {
			return nil, fmt.Errorf("like: %w", domains.Usage(err))
		}
	}
	return p.Estimate(left)
}

// finished are the trials that a resume would not run.
func finished(p *config.Plan) (map[sim.Key]store.Entry, error) {
	if !p.Options.Resume {
		return nil, nil
	}
	r, err := store.Open(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[sim.Key]store.Entry{}
	for _, e := range r.Index() {
		if e.Termination.Evaluable() || capped(p, e) {
			out[e.Key] = e
		}
	}
	return out, nil
}

// averages are the means of a run's evaluable trials.
func averages(dir string) (*config.Averages, error) {
	r, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	type part struct{ domain, system string }
	means, counts := map[part]config.RoleUse{}, map[part]float64{}
	for _, e := range r.Index() {
		if !e.Termination.Evaluable() {
			continue
		}
		k := part{e.Domain, e.System}
		counts[k]++
		if means[k] == nil {
			means[k] = config.RoleUse{}
		}
		for _, u := range e.Usage {
			sum := means[k][u.Role]
			sum.Calls += float64(u.Calls)
			sum.Prompt += float64(u.Prompt)
			sum.Cached += float64(u.Cached)
			sum.Completion += float64(u.Completion)
			means[k][u.Role] = sum
		}
	}
	for k, roles := range means {
		n := counts[k]
		for role, u := range roles {
			roles[role] = config.Use{Calls: u.Calls / n, Prompt: u.Prompt / n, Cached: u.Cached / n, Completion: u.Completion / n}
		}
	}
	name := "the conversations of " + dir
	if r.Manifest().Synthetic {
		name += " (synthetic: scripted models, which say nothing of real ones)"
	}
	return &config.Averages{Name: name, Use: func(domain, system string) config.RoleUse { return means[part{domain, system}] }}, nil
}
