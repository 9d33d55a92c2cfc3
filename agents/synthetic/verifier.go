package synthetic

import (
	"context"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// verifier answers as PolicyGuide's verifier: it reads the task off the prompt, has the deterministic verifier judge it,
// and writes the record as a model would.
func (l *library) verifier(ctx context.Context, s synthetic.Input) (llm.Message, error) {
	_, question, err := parts(s)
	if err != nil {
		return llm.Message{}, err
	}
	in, err := verify.ReadTask(question)
	if err != nil {
		return llm.Message{}, err
	}
	p, err := l.policy(s.World)
	if err != nil {
		return llm.Message{}, err
	}
	judge := verify.Deterministic{Workflow: p.workflow, Wishes: wishes(s.Task)}
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
