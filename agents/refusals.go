package agents

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// maxRefusals is how many messages an overlay refuses within one turn before the agent gives up and the user hears
// resigned: the default of max_refusals. The released guards have no such end: an agent that insists goes on until its
// steps are used up.
const maxRefusals = 10

// resigned is what the user hears from an agent that cannot be brought to let go of a refused call.
const resigned = "I am sorry, but I cannot do that for you. Is there anything else that I can help you with?"

// guarded is an agent whose messages must pass an inspection before they reach the environment. A refused message costs
// a step, and only the agent sees it again, with an error result for each call: it never enters environment or
// trajectory.
type guarded struct {
	inner sim.Participant
	// inspect returns an error text for each call of a message that it refuses, nil for one that may pass. Events and
	// model calls it adds to the turn. An error ends the conversation.
	inspect func(ctx context.Context, v sim.View, m sim.Message, out *sim.Turn) (refused []string, err error)
	// after is called once the agent has been shown a refused message; nil does nothing.
	after  func(ctx context.Context, index int, out *sim.Turn) error
	max    int    // refused messages within one turn before the agent gives up
	prefix string // of the ids of refused calls: it tells readers who refused
	ids    int    // given so far
}

// Next lets the agent speak until a message passes.
func (g *guarded) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	return g.speak(ctx, v, sim.Turn{})
}

// speak is Next for a turn that holds something already.
func (g *guarded) speak(ctx context.Context, v sim.View, out sim.Turn) (sim.Turn, error) {
	for n := 1; ; n++ {
		turn, err := g.inner.Next(ctx, later(v, out))
		carry(&out, turn)
		if err != nil {
			return out, err
		}
		var refused []string
		if len(turn.Message.ToolCalls) > 0 {
			if refused, err = g.inspect(ctx, later(v, out), turn.Message, &out); err != nil {
				return out, err
			}
		}
		if refused == nil {
			out.Message, out.Stop = turn.Message, turn.Stop
			return out, nil
		}
		out.Steps++
		out.Private = append(out.Private, g.show(later(v, out).Messages, turn.Message, refused)...)
		if g.after != nil {
			if err := g.after(ctx, v.Index, &out); err != nil {
				return out, err
			}
		}
		if n >= g.max || v.StepsLeft-out.Steps <= 0 {
			out.Message = sim.Message{Role: domains.RoleAssistant, Content: domains.Text(resigned)}
			return out, nil
		}
	}
}

// Fingerprint passes on what the agent below is told, for a run's identity.
func (g *guarded) Fingerprint() string { return fingerprint(g.inner) }

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

// show is a refused message as the agent sees it again, each call answered by its error text. The calls get ids that
// nothing in the agent's view has, whatever other overlay is in the stack.
func (g *guarded) show(view []sim.Message, m sim.Message, texts []string) []sim.Message {
	m.Role, m.TurnIdx = domains.RoleAssistant, nil
	m.ToolCalls = slices.Clone(m.ToolCalls)
	out := make([]sim.Message, 1, 1+len(m.ToolCalls))
	for i := range m.ToolCalls {
		m.ToolCalls[i].ID, m.ToolCalls[i].Requestor = g.id(view), sim.AgentSide
		out = append(out, domains.ResultMessage(m.ToolCalls[i], domains.ToolResult{Content: texts[i], Error: true}))
	}
	out[0] = m
	return out
}

func (g *guarded) id(view []sim.Message) string {
	for {
		g.ids++
		id := g.prefix + strconv.Itoa(g.ids)
		if !slices.ContainsFunc(view, func(m sim.Message) bool {
			return slices.ContainsFunc(m.ToolCalls, func(c sim.ToolCall) bool { return c.ID == id })
		}) {
			return id
		}
	}
}

// refusals are the error texts of a refused message: those given, by index, and for the other calls that they were
// refused along with them.
func refusals(calls []sim.ToolCall, texts map[int]string) []string {
	out := make([]string, len(calls))
	for i, c := range calls {
		text, ok := texts[i]
		if !ok {
			text = fmt.Sprintf("Error: %s was not executed, because another call of the same message was refused.", c.Name)
		}
		out[i] = text
	}
	return out
}

// event is an event of the agent's side.
func event(kind sim.EventKind, index int, text string, data map[string]any) sim.Event {
	return sim.Event{Kind: kind, Side: sim.AgentSide, Index: index, Text: text, Data: data}
}

// eventOf is an event about a message that the agent proposed.
func eventOf(m sim.Message, kind sim.EventKind, index int, text string, data map[string]any) sim.Event {
	m.Role = domains.RoleAssistant
	e := event(kind, index, text, data)
	e.Messages = []sim.Message{m}
	return e
}

// public is the conversation in a view, without the private messages of this side.
func public(view []sim.Message) []sim.Message {
	return slices.DeleteFunc(slices.Clone(view), private)
}

// private reports whether a message of a view is not part of the conversation: only what is has a place in it.
func private(m sim.Message) bool {
	return m.TurnIdx == nil || m.Role == domains.RoleDeveloper || m.Role == domains.RoleSystem
}
