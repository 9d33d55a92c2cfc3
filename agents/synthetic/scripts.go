// Package synthetic holds the scripts of all roles that agents and overlays ask models for, beside the agent, user and
// judge of sim/synthetic: verifier, guard, authors, reader, attacker. Each answers the role's real protocol from what it reads off
// the prompt and what it knows of the task. They show that the machinery works, and say nothing of any real model.
package synthetic

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/agents/checklist/author"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	workflow "github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/attack"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// Scripts returns the scripts by role, for synthetic.Config.
func Scripts() map[string]synthetic.Script { return (&library{}).scripts() }

// Reference is a workflow that a scripted author hands out in place of the domain's built-in one.
type Reference struct {
	Load  func() (*guide.Bundle, error)
	World *domains.World // that it is for: says of what kind tools are
	// Folder is that of the workflow, with examples in it if it has any; nil for a built-in one.
	Folder fs.FS
}

// Repeating returns the scripts with an author that hands out the reference.
func Repeating(r Reference) map[string]synthetic.Script { return (&library{reference: &r}).scripts() }

func (l *library) scripts() map[string]synthetic.Script {
	return map[string]synthetic.Script{
		"agent":         eitherProtocol,
		verify.Role:     l.verifier,
		checklist.Role:  l.guard,
		author.Role:     writeChecklists,
		workflow.Role:   l.writeWorkflow,
		compare.Role:    readWorkflow,
		attack.Analyser: analyse,
		attack.Planner:  devise,
		attack.Advisor:  advise,
	}
}

// parts are the two messages of a prompt: what never changes, and the case at hand.
func parts(s synthetic.Input) (static, question string, err error) {
	if len(s.Request.Messages) < 2 {
		return "", "", fmt.Errorf("the prompt of role %s lacks its second message, the case at hand", s.Request.Tag.Role)
	}
	return s.Request.Messages[0].Text(), s.Request.Messages[1].Text(), nil
}

// library keeps the policies of the worlds that the scripts have met, and the workflows that they hand out.
type library struct {
	cache, drafts agents.Cache
	reference     *Reference // nil for the built-in workflows
}

// policy is what a domain's built-in files say.
type policy struct {
	workflow   *verify.Workflow
	checklists *checklist.Set // nil for a domain without
}

// workflow is the one that is repeated, with all that only code reads.
func (l *library) workflow(w *domains.World) (*verify.Workflow, error) {
	if l.reference == nil {
		return verify.Load(w, "")
	}
	b, err := l.reference.Load()
	if err != nil {
		return nil, err
	}
	return verify.OfBundle(l.reference.World, b)
}

func (l *library) policy(w *domains.World) (policy, error) {
	return agents.Cached(&l.cache, w, func() (p policy, err error) {
		if p.workflow, err = l.workflow(w); err == nil && slices.Contains(checklist.Shipped(), w.Name) {
			p.checklists, err = checklist.LoadShipped(w.Name)
		}
		return p, err
	})
}
