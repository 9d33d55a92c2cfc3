// Package sim runs one conversation between an agent, a simulated user and an environment, and scores it. The turn
// protocol is the reference's (docs/reference/tau2.md#protocol); what it leaves to chance or to a crash is decided
// here and listed in docs/decisions.
//
// Agents and users are both a Participant. Nothing in this package knows how an agent thinks.
package sim

import (
	"context"

	"github.com/tauguide/tauguide/domains"
)

// The message types of the field are those of package domains.
type (
	Message    = domains.Message
	ToolCall   = domains.ToolCall
	ToolResult = domains.ToolResult
	Side       = domains.Side
)

// The two sides of a conversation.
const (
	AgentSide = domains.AgentSide
	UserSide  = domains.UserSide
)

// Participant takes one party's turns. A Participant serves one conversation, from one goroutine. An error ends the
// conversation; what a model got wrong is not an error but a Turn.
type Participant interface {
	Next(ctx context.Context, v View) (Turn, error)
}

// ParticipantFunc makes a function a Participant.
type ParticipantFunc func(ctx context.Context, v View) (Turn, error)

// Next calls f.
func (f ParticipantFunc) Next(ctx context.Context, v View) (Turn, error) { return f(ctx, v) }

// View is what one side may see when it is its turn.
type View struct {
	// Messages is the conversation from this side: no tool traffic of the other, its own private messages in place.
	// It is not to be written to.
	Messages []Message
	Index    int // length of the whole trajectory so far; the next message gets this index
	// StepsLeft is how many steps remain before the conversation is cut off.
	StepsLeft int
}

// Turn is what a Participant does with its turn.
type Turn struct {
	Message Message
	// Private messages go into this side's later views, before Message; neither the other side nor the scored
	// trajectory ever holds them.
	Private []Message
	Events  []Event
	Calls   []ModelCall
	Steps   int  // steps that this turn cost beyond the usual one, e.g. one for each refused proposal
	Stop    bool // this side ends the conversation with this message
}

// Event is something that happened beside the conversation, for readers and for metrics.
type Event struct {
	Kind  EventKind `json:"kind"`
	Side  Side      `json:"side,omitempty"`
	Index int       `json:"index"` // of the trajectory message before which it happened
	Text  string    `json:"text,omitempty"`
	// Messages are private messages of that side, if the event delivered any.
	Messages []Message `json:"messages,omitempty"`
	// Data holds what an overlay wants to keep, as plain JSON.
	Data map[string]any `json:"data,omitempty"`
}

// EventKind names a kind of event; overlays add their own.
type EventKind string

// The kinds that this package writes.
const (
	EventPrivate     EventKind = "private"      // private messages entered a side's view
	EventEmptyAnswer EventKind = "empty_answer" // an answer without text and calls was asked for again
	EventCutOff      EventKind = "cut_off"      // a user's answer that the output limit cut off was asked for again
	EventCallID      EventKind = "call_id"      // a call's id was missing or taken, and was replaced
)

// Reason is why a conversation ended.
type Reason string

// The reasons; docs/results.md says what each means for the numbers.
const (
	UserStop      Reason = "user_stop"
	AgentStop     Reason = "agent_stop"
	MaxSteps      Reason = "max_steps"
	TooManyErrors Reason = "too_many_errors"
	AgentError    Reason = "agent_error"
	UserError     Reason = "user_error"
	Timeout       Reason = "timeout" // its time was up although the models did answer; see Infra
	ContextWindow Reason = "context_window_exceeded"
	// Infra is a fault of an endpoint or of this program, also one that lasted until the conversation's time was up:
	// a call was being repeated after failures, or the model called had never answered in the conversation.
	Infra Reason = "infrastructure_error"
	// UserFault is a fault of the simulated user's model: its context was full, it was moderated, its replies could not be
	// read, or it gave no whole answer when asked again. Trial.CountUserFaults has such conversations end as the
	// reference's do.
	UserFault Reason = "user_fault"
	Budget    Reason = "budget"
	Cancelled Reason = "cancelled"
)

// Evaluable reports whether a conversation that ended so counts in the numbers. The others never really ran; they are
// counted beside the numbers and run again on resume.
func (r Reason) Evaluable() bool {
	return r != Infra && r != UserFault && r != Budget && r != Cancelled && r != ""
}

// Completed reports whether a party ended the conversation, so that its outcome can be judged.
func (r Reason) Completed() bool { return r == UserStop || r == AgentStop }
