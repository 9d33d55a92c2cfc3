// Package domains holds the plain data of the field (messages, tool calls, tasks) and what a domain is: a World of
// data, tools and tasks loaded once, and an Env, the private state of one trial, that is only ever built from a task.
//
// How a domain declares its tools and records is the business of the packages below: value (dynamic values), record
// (typed records and databases) and toolkit (one declaration per tool).
package domains

import (
	"encoding/json"
	"fmt"
	"strings"

	strict "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains/value"
)

// Role says who a message is from.
type Role string

// The roles of a conversation. Developer messages are guidance to one side; they never enter a trajectory.
const (
	RoleSystem    Role = "system"
	RoleDeveloper Role = "developer"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Side is one of the two parties that own tools; its values are the requestors of the wire format.
type Side string

// The two sides.
const (
	AgentSide Side = "assistant"
	UserSide  Side = "user"
)

// Greeting is what the agent is taken to have said before the user's first turn (docs/reference/tau2.md#protocol).
const Greeting = "Hi! How can I help you today?"

// Message is one entry of a conversation (docs/reference/tau2.md#messages). Fields that a role does not use are zero.
type Message struct {
	Role      Role       `json:"role"`
	Content   *string    `json:"content"`
	ToolCalls []ToolCall `json:"tool_calls,omitzero"` // an empty, non-nil list counts as a tool call, as in the reference

	ID        string `json:"id,omitempty"`        // tool: id of the call that it answers
	Requestor Side   `json:"requestor,omitempty"` // tool: who made the call
	Error     bool   `json:"error,omitempty"`     // tool: the call failed

	TurnIdx   *int   `json:"turn_idx,omitempty"`
	Timestamp string `json:"timestamp,omitempty"` // RFC 3339; no comparison of records looks at it

	// Provider holds fields of the model's answer that must go back to the same role as they came (reasoning texts,
	// thought signatures). The other side never sees them.
	Provider map[string]json.RawMessage `json:"provider,omitempty"`

	// Extra holds what the file of another program says of the message beyond these fields. Nothing here reads it.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// ToolCall is one call that a model asks for.
type ToolCall struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Arguments value.Value `json:"arguments"` // an object, or null where Malformed is set
	Requestor Side        `json:"requestor"`

	// Exact is the text of Arguments where JSON loses a part of them (value.Value.Lossy). Set it with Give.
	Exact string `json:"exact_arguments,omitempty"`

	// Malformed is the argument text of a call whose arguments are not a JSON object. Such a call fails without
	// reaching a tool, live and in replay.
	Malformed string `json:"malformed_arguments,omitempty"`
	// Reason says why Malformed is not usable, for the model and for readers.
	Reason string `json:"malformed_reason,omitempty"`

	Provider map[string]json.RawMessage `json:"provider,omitempty"`
}

// ToolResult is what a call gives back. A failing tool is a result, not a Go error.
type ToolResult struct {
	Content string
	Error   bool
}

// Text builds the content of a message.
func Text(s string) *string { return &s }

// TextOf returns the content, "" for null.
func (m Message) TextOf() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// HasText reports whether the message says anything but white space.
func (m Message) HasText() bool { return strings.TrimSpace(m.TextOf()) != "" }

// IsToolCall reports whether the message asks for calls; an empty list counts (docs/reference/tau2.md#messages).
func (m Message) IsToolCall() bool { return m.ToolCalls != nil }

// Side returns whose message it is: the speaker's, or for a tool message the requestor's.
func (m Message) Side() Side {
	switch m.Role {
	case RoleUser:
		return UserSide
	case RoleTool:
		if m.Requestor == UserSide {
			return UserSide
		}
	}
	return AgentSide
}

// ArgumentsMap returns the arguments; nil for a malformed call.
func (c ToolCall) ArgumentsMap() *value.Map {
	m, _ := c.Arguments.Map()
	return m
}

// Give sets the arguments.
func (c *ToolCall) Give(args value.Value) {
	c.Arguments, c.Exact = args, ""
	if args.Lossy() {
		c.Exact = args.JSON()
	}
}

// ResultMessage makes the tool message that answers a call.
func ResultMessage(c ToolCall, r ToolResult) Message {
	return Message{Role: RoleTool, ID: c.ID, Requestor: c.Requestor, Content: &r.Content, Error: r.Error}
}

// UnmarshalJSON reads a message; a tool call that names no requestor is the speaker's.
func (m *Message) UnmarshalJSON(text []byte) error {
	type plain Message
	if err := json.Unmarshal(text, (*plain)(m)); err != nil {
		return err
	}
	return m.complete()
}

// UnmarshalJSONFrom is UnmarshalJSON for the faster reader, without a second look at the text.
func (m *Message) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	type plain Message
	if err := strict.UnmarshalDecode(d, (*plain)(m)); err != nil {
		return err
	}
	return m.complete()
}

// complete fills in what follows from the rest: requestors, and arguments of which the text is exact.
func (m *Message) complete() (err error) {
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		if c.Requestor == "" {
			c.Requestor = m.Side()
		}
		if c.Exact != "" {
			if c.Arguments, err = value.ParseString(c.Exact); err != nil {
				return fmt.Errorf("tool_calls[%d].exact_arguments: %w", i, err)
			}
		}
	}
	if m.Role == RoleTool && m.Requestor == "" {
		m.Requestor = AgentSide
	}
	return nil
}
