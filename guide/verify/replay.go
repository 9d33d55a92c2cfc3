package verify

import (
	"context"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

// Verdict is what a session says of a call of the agent that it would have had to decide about.
type Verdict string

// The verdicts. A call that is not due passes all the same where the gate is not armed, or only watches.
const (
	Due         Verdict = "due"
	Intercepted Verdict = "intercepted"
	Passed      Verdict = "passed"
)

// Change is a mutating call or a transfer of a recorded conversation, with what the session says of it.
type Change struct {
	Message   int         `json:"message"` // in the conversation, from 0
	Place     int         `json:"call"`    // in the message, from 0
	Tool      string      `json:"tool"`
	Arguments value.Value `json:"arguments"` // null where they are malformed
	Verdict   Verdict     `json:"verdict"`
	Why       string      `json:"why,omitempty"` // it is not due
	// Repeated: the firing that an interception brings about finds it due, so that the same call would pass then.
	Repeated bool `json:"due_when_repeated,omitempty"`
}

// Replayed is what a session makes of a recorded conversation.
type Replayed struct {
	Changes []Change        `json:"changes"`
	Events  []sim.Event     `json:"events"` // as records have them; an index is that of a message
	Calls   []sim.ModelCall `json:"calls,omitempty"`
}

// Count is how many changes have a verdict.
func (r Replayed) Count(v Verdict) (n int) {
	for _, c := range r.Changes {
		if c.Verdict == v {
			n++
		}
	}
	return n
}

// Replay has a new session read a recorded conversation. The agent has said and done all that stands there: what is
// intercepted is noted, the agent's guide corrected, and the conversation goes on as it was. The error ends the replay.
func (s *Session) Replay(ctx context.Context, msgs []domains.Message) (Replayed, error) {
	var out sim.Turn
	changes := []Change{}
	due := s.Hear()
	fire := func(i int) error {
		if !due {
			return nil
		}
		due = false
		return s.Fire(ctx, i, &out)
	}
	done := func(err error) (Replayed, error) { return Replayed{changes, out.Events, out.Calls}, err }
	for i, m := range msgs {
		if m.Role == domains.RoleSystem || m.Role == domains.RoleDeveloper || !sim.Visible(m, sim.AgentSide) {
			continue
		}
		if m.Role == domains.RoleAssistant {
			if err := fire(i); err != nil {
				return done(err)
			}
			d := s.Inspect(i, m, &out)
			found := s.changes(i, m, d)
			changes = append(changes, found...)
			if d.Intercepts() {
				if err := s.Correct(ctx, i, &out); err != nil {
					return done(err)
				}
				s.repeat(m, d, changes[len(changes)-len(found):])
			}
		}
		due = s.Hear(m) || due
	}
	return done(fire(len(msgs)))
}

func (s *Session) changes(i int, m domains.Message, d Decision) (out []Change) {
	for k, c := range m.ToolCalls {
		if c.Name != TransferTool && !s.rules.Mutates(c.Name) {
			continue
		}
		change := Change{Message: i, Place: k, Tool: c.Name, Arguments: c.Arguments, Verdict: Due}
		for _, r := range d.Refusals {
			if r.At == k {
				change.Verdict, change.Why = Passed, r.Reason
				if r.Held {
					change.Verdict = Intercepted
				}
			}
		}
		out = append(out, change)
	}
	return out
}

// repeat notes which of the intercepted calls of a message the gate would let through now.
func (s *Session) repeat(m domains.Message, before Decision, changes []Change) {
	now := s.gate.Look(s.state, m.ToolCalls)
	for i := range changes {
		refused := func(r Refusal) bool { return r.At == changes[i].Place }
		changes[i].Repeated = slices.ContainsFunc(before.Held(), refused) && !slices.ContainsFunc(now.Refusals, refused)
	}
}
