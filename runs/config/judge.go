package config

import (
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

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
