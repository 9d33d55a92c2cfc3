package synthetic

import (
	"context"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	workflow "github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// verifier answers as PolicyGuide's verifier: it reads the task off the prompt, has the deterministic verifier judge it,
// and writes the record as a model would.
func (l *library) verifier(ctx context.Context, s synthetic.Input) (llm.Message, error) {
	p, err := l.policy(s.World)
	if err != nil {
		return llm.Message{}, err
	}
	wanted := wishes(s.Task)
	if s.Request.Tag.System == workflow.System { // of no task, but of an example
		in, err := taskOf(s)
		if err != nil {
			return llm.Message{}, err
		}
		if wanted, err = l.foreseen(s.World, p.workflow.Graph, in.Messages); err != nil {
			return llm.Message{}, err
		}
	}
	return judged(ctx, s, verify.Deterministic{Workflow: p.workflow, Wishes: wanted})
}

// Verifier is the scripted verifier of a workflow outside of any task, for a user who is going to want the wishes.
func Verifier(w *verify.Workflow, wishes []domains.ToolCall) llm.Client {
	return llm.Func(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		m, err := judged(ctx, synthetic.Input{Request: req}, verify.Deterministic{Workflow: w, Wishes: wishes})
		return llm.Response{Message: m, FinishReason: "stop"}, err
	})
}

// taskOf is what a verifier was asked.
func taskOf(s synthetic.Input) (verify.Input, error) {
	_, question, err := parts(s)
	if err != nil {
		return verify.Input{}, err
	}
	return verify.ReadTask(question)
}

func judged(ctx context.Context, s synthetic.Input, judge verify.Deterministic) (llm.Message, error) {
	in, err := taskOf(s)
	if err != nil {
		return llm.Message{}, err
	}
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
