// Package synthetic holds the scripted verifier: it answers the guide's real protocol, in the contract's JSON, without
// a model. What it knows of the conversation it reads off the prompt; like the other scripts of sim/synthetic it also
// knows the task's gold plan. It shows that the machinery works, and says nothing of any real model.
package synthetic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// Scripts returns the scripts of the guide's roles, for synthetic.Config. Each call returns scripts that compile the
// workflows of the worlds they meet once, at the first need.
func Scripts() map[string]synthetic.Script {
	v := &verifier{}
	return map[string]synthetic.Script{verify.Role: v.answer}
}

// verifier keeps the setups of the worlds that it has met.
type verifier struct{ setups sync.Map }

func (v *verifier) setup(w *domains.World) (*verify.Setup, error) {
	once, _ := v.setups.LoadOrStore(w, sync.OnceValues(func() (*verify.Setup, error) { return verify.Load(w, "") }))
	load, ok := once.(func() (*verify.Setup, error))
	if !ok {
		return nil, errors.New("the workflow of this world is not at hand")
	}
	return load()
}

// answer reads the task off the prompt, has the deterministic verifier judge it, and writes the record as a model would.
func (v *verifier) answer(ctx context.Context, s synthetic.Scene) (llm.Message, error) {
	if len(s.Request.Messages) < 2 {
		return llm.Message{}, errors.New("the prompt of a verifier has a static part and a conversation: send both")
	}
	in, err := verify.ReadTask(s.Request.Messages[1].Text())
	if err != nil {
		return llm.Message{}, err
	}
	setup, err := v.setup(s.World)
	if err != nil {
		return llm.Message{}, err
	}
	judge := verify.Deterministic{Setup: setup, Wishes: wishes(s.Task)}
	out, err := judge.Verify(ctx, in)
	if err != nil {
		return llm.Message{}, err
	}
	block, err := out.Record.Text()
	if err != nil {
		return llm.Message{}, err
	}
	return synthetic.Say(reasoning(out.Record) + "\n\n" + block), nil
}

// wishes are the agent's calls of the gold plan: what the user is going to want.
func wishes(t *domains.Task) []domains.ToolCall {
	if t.Criteria == nil {
		return nil
	}
	var out []domains.ToolCall
	for _, a := range t.Criteria.Actions {
		if c := a.Call(); c.Requestor == domains.AgentSide {
			out = append(out, c)
		}
	}
	return out
}

func reasoning(r verify.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "There are %d requests.", len(r.Traverse))
	for _, t := range r.Traverse {
		fmt.Fprintf(&b, "\n%s:", t.ID)
		for _, visit := range t.Walk {
			verdict := "not met"
			if visit.Satisfied {
				verdict = "met"
			}
			fmt.Fprintf(&b, " %s %s.", visit.Node, verdict)
		}
	}
	return b.String()
}
