// Package synthetic holds the scripts of all roles that agents and overlays ask models for, beside the agent, user and
// judge of sim/synthetic: verifier, guard, author, attacker. Each answers the role's real protocol from what it reads off
// the prompt and what it knows of the task. They show that the machinery works, and say nothing of any real model.
package synthetic

import (
	"slices"
	"sync"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/agents/checklist/author"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/attack"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// Scripts returns the scripts by role, for synthetic.Config.
func Scripts() map[string]synthetic.Script {
	l := &library{worlds: map[*domains.World]policy{}}
	return map[string]synthetic.Script{
		"agent":         eitherProtocol,
		verify.Role:     l.verifier,
		checklist.Role:  l.guard,
		author.Role:     writeChecklists,
		attack.Analyser: analyse,
		attack.Planner:  devise,
		attack.Advisor:  advise,
	}
}

// library keeps the policies of the worlds that the scripts have met.
type library struct {
	mu     sync.Mutex
	worlds map[*domains.World]policy
}

// policy is what a domain's built-in files say.
type policy struct {
	workflow   *verify.Workflow
	checklists *checklist.Set // nil for a domain without
}

func (l *library) policy(w *domains.World) (policy, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.worlds[w]; ok {
		return p, nil
	}
	var p policy
	var err error
	if p.workflow, err = verify.Load(w, ""); err == nil && slices.Contains(checklist.Shipped(), w.Name) {
		p.checklists, err = checklist.LoadShipped(w.Name)
	}
	if err == nil {
		l.worlds[w] = p
	}
	return p, err
}
