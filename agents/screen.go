package agents

import (
	"context"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// resigned is what the user hears from an agent that cannot be brought to let go of a refused call.
const resigned = "I am sorry, but I cannot do that for you. Is there anything else that I can help you with?"

// maxRefusals is how many messages in a row a guard refuses before the agent's turn ends with resigned. The released
// guards have no such end: an agent that insists would go on until its steps are used up.
const maxRefusals = 10

// screen looks at a message with calls before it reaches the environment. It returns an error text for each of the
// calls to refuse the message, nil to let it pass; events and model calls it adds to the turn. An error ends the
// conversation.
type screen func(ctx context.Context, v sim.View, m sim.Message, out *sim.Turn) (refused []string, err error)

// screened is an agent whose messages with calls must pass a screen. A refused message costs a step, and only the
// agent sees it again, with an error result for each call: neither environment nor trajectory ever holds it.
type screened struct {
	inner sim.Participant
	look  screen
	ids   refusals
	max   int // refused messages in one turn before the agent gives up
}

// Next lets the agent speak until a message passes the screen.
func (s *screened) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	var out sim.Turn
	for n := 1; ; n++ {
		turn, err := s.inner.Next(ctx, later(v, out))
		carry(&out, turn)
		if err != nil {
			return out, err
		}
		var refused []string
		if len(turn.Message.ToolCalls) > 0 {
			if refused, err = s.look(ctx, later(v, out), turn.Message, &out); err != nil {
				return out, err
			}
		}
		if refused == nil {
			out.Message, out.Stop = turn.Message, turn.Stop
			return out, nil
		}
		out.Steps++
		out.Private = append(out.Private, s.ids.show(later(v, out).Messages, turn.Message, refused)...)
		if n >= s.max || v.StepsLeft-out.Steps <= 0 {
			out.Message = sim.Message{Role: domains.RoleAssistant, Content: domains.Text(resigned)}
			return out, nil
		}
	}
}

// Fingerprint passes on what the agent below is told, for a run's identity.
func (s *screened) Fingerprint() string { return fingerprint(s.inner) }

func fingerprint(s sim.Participant) string {
	if f, ok := s.(interface{ Fingerprint() string }); ok {
		return f.Fingerprint()
	}
	return ""
}

// later is a view after what the turn has brought so far.
func later(v sim.View, sofar sim.Turn) sim.View {
	v.Messages = append(slices.Clip(v.Messages), sofar.Private...)
	v.StepsLeft = max(0, v.StepsLeft-sofar.Steps)
	return v
}

// carry adds all of an inner agent's turn but its message to the turn of what wraps it.
func carry(out *sim.Turn, inner sim.Turn) {
	out.Private, out.Events = append(out.Private, inner.Private...), append(out.Events, inner.Events...)
	out.Calls, out.Steps = append(out.Calls, inner.Calls...), out.Steps+inner.Steps
}

// refusals words refused messages for the agent's eyes. The prefix tells readers who refused.
type refusals struct {
	prefix string
	n      int // proposals so far
}

// show is a refused message as the agent sees it again, its calls under ids that nothing in the agent's view has, whatever
// else of its kind is in the stack, each answered by its error text.
func (r *refusals) show(view []sim.Message, m sim.Message, texts []string) []sim.Message {
	m.Role, m.TurnIdx = domains.RoleAssistant, nil
	m.ToolCalls = slices.Clone(m.ToolCalls)
	out := make([]sim.Message, 1, 1+len(m.ToolCalls))
	for i := range m.ToolCalls {
		m.ToolCalls[i].ID, m.ToolCalls[i].Requestor = r.next(view), sim.AgentSide
		out = append(out, domains.ResultMessage(m.ToolCalls[i], domains.ToolResult{Content: texts[i], Error: true}))
	}
	out[0] = m
	return out
}

// next is a new id.
func (r *refusals) next(view []sim.Message) string {
	for {
		r.n++
		id := r.prefix + strconv.Itoa(r.n)
		if !slices.ContainsFunc(view, func(m sim.Message) bool {
			return slices.ContainsFunc(m.ToolCalls, func(c sim.ToolCall) bool { return c.ID == id })
		}) {
			return id
		}
	}
}

// public is the conversation in a view, without the private messages of this side.
func public(view []sim.Message) []sim.Message {
	return slices.DeleteFunc(slices.Clone(view), private)
}

// private reports whether a message of a view is not part of the conversation: only what is has a place in it.
func private(m sim.Message) bool {
	return m.TurnIdx == nil || m.Role == domains.RoleDeveloper || m.Role == domains.RoleSystem
}
