package verify

import (
	"context"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/sim"
)

// The events of a session, beside sim.EventFiring and sim.EventFailOpen. docs/policyguide.md describes their data.
const (
	EventGuidance  sim.EventKind = "guidance"  // what the agent was told
	EventIntercept sim.EventKind = "intercept" // a message of the agent was held back, or would have been
	EventBlock     sim.EventKind = "block"     // another one in the same turn, without a new firing
)

// Session is PolicyGuide along one conversation: it takes in what the agent sees, asks the verifier, keeps the state and
// decides about the agent's calls. Whether the agent's messages are held back is up to who uses it.
type Session struct {
	verifier Verifier
	rules    Rules
	gate     *Gate
	solo     bool

	msgs        []domains.Message // the conversation, without private messages
	trace       *guide.Trace
	calls       map[string]domains.ToolCall // of the agent, by id
	fired       int                         // length of msgs at the latest firing
	begun       bool
	intercepted bool      // in this turn of the user
	corrects    []Refusal // calls that a corrective firing is due for
	transferred bool
	state       State
}

// NewSession begins a conversation. In a solo conversation nobody has to speak for the first firing.
func NewSession(v Verifier, rules Rules, gate Mode, solo bool) *Session {
	s := &Session{verifier: v, rules: rules, solo: solo, trace: guide.NewTrace(), calls: map[string]domains.ToolCall{}}
	s.rules.Strict = gate == Strict
	s.gate = &Gate{Mode: gate, Mutates: rules.Mutates}
	if j, ok := v.(Judge); ok {
		s.gate.Judge = func(c domains.ToolCall) (bool, bool, string) { return j.Call(s.input(0, nil), c) }
	}
	return s
}

// Hear takes in messages that the agent sees, and reports whether it is time to fire: the user has spoken, or a solo
// conversation begins.
func (s *Session) Hear(msgs ...domains.Message) (fire bool) {
	fire = s.solo && !s.begun
	s.begun = true
	for _, m := range msgs {
		s.msgs = append(s.msgs, m)
		s.trace.Add(m)
		switch m.Role {
		case domains.RoleUser:
			fire = fire || m.HasText()
		case domains.RoleAssistant:
			for _, c := range m.ToolCalls {
				s.calls[c.ID] = c
			}
		case domains.RoleTool:
			s.succeeded(m)
		}
	}
	if fire {
		s.gate.Turn()
		s.intercepted = false
	}
	return fire
}

// succeeded spends the authorization of a call that went through, and notes a transfer.
func (s *Session) succeeded(m domains.Message) {
	c, ok := s.calls[m.ID]
	if !ok || m.Error {
		return
	}
	if c.Name == TransferTool {
		s.transferred = true
	}
	if s.gate.Mode != Strict {
		return
	}
	for _, grant := range s.state.Enabled() {
		if grant.Covers(c) {
			s.state = s.state.Spend(grant.Request)
			return
		}
	}
}

func (s *Session) input(index int, refused []Refusal) Input {
	return Input{Messages: s.msgs, Trace: s.trace, State: s.state, Refused: refused, Index: index}
}

// Fire asks the verifier and delivers its guidance before the message at index. The error ends the conversation; whatever
// else goes wrong opens the gate for this turn.
func (s *Session) Fire(ctx context.Context, index int, out *sim.Turn) error {
	return s.fire(ctx, index, nil, out)
}

func (s *Session) fire(ctx context.Context, index int, refused []Refusal, out *sim.Turn) error {
	if s.transferred {
		return nil
	}
	before := s.state
	facts := Facts{Since: s.fired, Succeeded: s.hasSucceeded, Spent: s.hasSpent}
	in := s.input(index, refused)
	in.Check = func(rec Record) error { return s.rules.Gaps(before, rec, facts) }
	answer, err := s.verifier.Verify(ctx, in)
	out.Calls = append(out.Calls, answer.Calls...)
	s.fired = len(s.msgs)
	if err != nil {
		if Ends(ctx, err) {
			return err
		}
		s.state = before.Disarmed()
		s.gate.Fired(false)
		out.Events = append(out.Events, event(sim.EventFailOpen, index, err.Error(), firingData(answer, before, s.state, nil)))
		return nil
	}
	var rejected []Rejection
	s.state, rejected = s.rules.Apply(before, answer.Record, facts)
	s.gate.Fired(true)
	out.Events = append(out.Events, event(sim.EventFiring, index, s.state.Line(), firingData(answer, before, s.state, rejected)))
	if text := s.state.Guidance(); text != "" {
		m := sim.Message{Role: domains.RoleDeveloper, Content: &text}
		out.Private = append(out.Private, m)
		out.Events = append(out.Events, event(EventGuidance, index, text, nil))
	}
	return nil
}

func (s *Session) hasSucceeded(tool string, since int) bool {
	return slices.ContainsFunc(s.trace.CallsOf(tool), func(c *guide.Call) bool { return c.OK && c.Index >= since })
}

func (s *Session) hasSpent(grant Grant, since int) bool {
	return slices.ContainsFunc(s.trace.CallsOf(grant.Tool), func(c *guide.Call) bool {
		return c.OK && c.Index >= since && grant.Covers(domains.ToolCall{Name: c.Name, Arguments: value.OfMap(c.Args)})
	})
}

// Inspect asks the gate about the calls of a message that the agent wants to send at index. Within one turn of the user a
// strict gate fires once; further refusals only say no.
func (s *Session) Inspect(index int, m domains.Message, out *sim.Turn) Decision {
	d := s.gate.Look(s.state, m.ToolCalls)
	if len(d.Refusals) == 0 {
		return d
	}
	kind := EventIntercept
	if d.Intercepts() && s.intercepted && !d.Transfer {
		kind = EventBlock
	}
	out.Events = append(out.Events, s.interceptEvent(kind, index, m, d))
	if !d.Intercepts() {
		return d
	}
	s.intercepted, s.corrects = true, nil
	if kind == EventIntercept {
		s.corrects = d.Held()
	}
	if d.Transfer {
		s.state.Held++
	}
	return d
}

// Correct fires again after an intercepted message: the agent hears what to do instead.
func (s *Session) Correct(ctx context.Context, index int, out *sim.Turn) error {
	if s.corrects == nil {
		return nil
	}
	return s.fire(ctx, index, s.corrects, out)
}

// firingData is what a record keeps of a firing. Times are with the model calls, by their ordinals.
func firingData(a Answer, before, after State, rejected []Rejection) map[string]any {
	data := map[string]any{"before": before, "after": after}
	if len(a.Record.Traverse) > 0 {
		data["record"] = a.Record
	}
	if a.Raw != "" {
		data["raw"] = a.Raw
	}
	if a.Reask != "" {
		data["reask"] = a.Reask
	}
	if len(a.Record.Coerced) > 0 {
		data["coerced"] = a.Record.Coerced
	}
	if len(rejected) > 0 {
		data["rejected"] = rejected
	}
	if len(a.Calls) > 0 {
		ordinals := make([]int, len(a.Calls))
		for i, c := range a.Calls {
			ordinals[i] = c.Ordinal
		}
		data["calls"] = ordinals
	}
	return data
}

func (s *Session) interceptEvent(kind sim.EventKind, index int, m domains.Message, d Decision) sim.Event {
	var list []map[string]any
	for _, r := range d.Refusals {
		list = append(list, map[string]any{"tool": r.Call.Name, "reason": r.Reason, "held": r.Held})
	}
	first := d.Refusals[0]
	e := event(kind, index, first.Call.Name+": "+first.Reason, map[string]any{"mode": s.gate.Mode, "refusals": list})
	m.Role = domains.RoleAssistant
	e.Messages = []sim.Message{m}
	return e
}

func event(kind sim.EventKind, index int, text string, data map[string]any) sim.Event {
	return sim.Event{Kind: kind, Side: sim.AgentSide, Index: index, Text: text, Data: data}
}
