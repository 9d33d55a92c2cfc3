package tau2

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// messages reads a conversation; null is nil.
func (r *reader) messages() ([]domains.Message, error) {
	if r.Peek() == 'n' {
		return nil, r.Skip()
	}
	out := []domains.Message{}
	var open []domains.ToolCall // without a result so far
	err := r.List(func(int) error {
		m, named, err := r.message()
		switch {
		case m.Role != domains.RoleTool:
			open = m.ToolCalls
		case len(open) > 0:
			if !named {
				m.ID, m.Requestor = open[0].ID, open[0].Requestor
				r.deviations.add("tool messages without id", "taken as answers to the calls before them, in order")
			}
			open = open[1:]
		}
		out = append(out, m)
		return err
	})
	return out, err
}

// fileMessage is what of a message needs a second look.
type fileMessage struct {
	id, requestor *string
	failed        *bool
	turn          *int64
}

// message reads one message. Keys beyond our fields go to Extra. named says that it has an id.
func (r *reader) message() (m domains.Message, named bool, err error) {
	var f fileMessage
	err = r.Object(func(name string) (err error) {
		switch name {
		case "role":
			m.Role, err = role(r)
		case "content":
			err = optional(r, &m.Content, r.Text)
		case "tool_calls": // null is none; an empty list counts as a call, as in the reference
			m.ToolCalls, err = r.calls()
		case "id":
			err = optional(r, &f.id, r.Text)
		case "requestor":
			err = optional(r, &f.requestor, r.Word)
		case "error":
			err = optional(r, &f.failed, r.boolean)
		case "turn_idx":
			err = optional(r, &f.turn, r.whole)
		case "timestamp":
			m.Timestamp, err = r.textOrNull()
		default:
			err = r.extra(&m.Extra, participantFields, name, "a message")
		}
		return err
	})
	if err == nil && m.Role == "" {
		err = badRole("")
	}
	if err != nil {
		return m, false, err
	}
	if f.turn != nil {
		turn := int(*f.turn)
		m.TurnIdx = &turn
	}
	if m.Role == domains.RoleTool {
		m.ToolCalls = nil
		r.result(&m, f)
		return m, f.id != nil, nil
	}
	for i := range m.ToolCalls {
		if c := &m.ToolCalls[i]; c.Requestor == "" {
			c.Requestor = m.Side()
		}
	}
	if f.id != nil {
		r.deviations.add("ids of messages that are no tool results", "kept under extra")
		if m.Extra == nil {
			m.Extra = map[string]json.RawMessage{}
		}
		m.Extra["id"] = quoted(*f.id)
	}
	return m, f.id != nil, nil
}

func role(r *reader) (domains.Role, error) {
	var word *string
	if err := optional(r, &word, r.Word); err != nil || word == nil {
		return "", err
	}
	switch role := domains.Role(*word); role {
	case domains.RoleAssistant, domains.RoleUser, domains.RoleTool, domains.RoleSystem:
		return role, nil
	}
	return "", badRole(*word)
}

func badRole(word string) error {
	return fmt.Errorf("role %q: want assistant, user, tool or system", word)
}

// result fills in what only tool messages have.
func (r *reader) result(m *domains.Message, f fileMessage) {
	m.Requestor = domains.AgentSide
	if f.requestor != nil {
		m.Requestor = domains.Side(*f.requestor)
	}
	if f.id != nil {
		m.ID = *f.id
	}
	if f.failed != nil {
		m.Error = *f.failed
		return
	}
	r.deviations.add("tool messages without error flag", "taken as errors where they begin with Error:")
	m.Error = strings.HasPrefix(m.TextOf(), "Error:")
}

// calls reads tool calls; null is nil. Their requestor is empty where the file does not name it.
func (r *reader) calls() ([]domains.ToolCall, error) {
	if r.Peek() == 'n' {
		return nil, r.Skip()
	}
	out := []domains.ToolCall{}
	err := r.List(func(int) error {
		c, err := r.call()
		out = append(out, c)
		return err
	})
	return out, err
}

func (r *reader) call() (c domains.ToolCall, err error) {
	var name *string
	err = r.Object(func(member string) (err error) {
		switch member {
		case "id":
			c.ID, err = r.textOrNull()
		case "name":
			err = optional(r, &name, r.Word)
		case "requestor":
			var side *string
			if err = optional(r, &side, r.Word); side != nil {
				c.Requestor = domains.Side(*side)
			}
		case "arguments":
			err = r.arguments(&c)
		default:
			err = r.extra(&c.Provider, nil, member, "a call")
		}
		return err
	})
	switch {
	case err != nil:
		return c, err
	case name == nil:
		return c, errors.New("the call has no name")
	case c.Arguments.IsNull() && c.Reason == "":
		r.deviations.add("calls without arguments", "read as having none")
		c.Arguments = value.OfMap(nil)
	}
	c.Name = *name
	return c, nil
}

// malformed and malformedWhy are the members of the arguments that, in a file, replace arguments that were not a
// JSON object.
const (
	malformed    = "malformed_arguments"
	malformedWhy = "malformed_reason"
)

// arguments reads the arguments of a call. What is not an object, or cannot be represented, makes the call malformed, as
// it is in a live run.
func (r *reader) arguments(c *domains.ToolCall) error {
	raw, err := r.Raw()
	if err != nil {
		return err
	}
	args, err := value.Parse(raw)
	m, ok := args.Map()
	if err == nil && !ok {
		err = errors.New("arguments must be an object")
	}
	if err != nil {
		r.deviations.add("calls whose arguments are no usable object", "kept as malformed; such a call reaches no tool")
		c.Malformed, c.Reason, c.Arguments = string(raw), err.Error(), value.Value{}
		return nil
	}
	text, isText := textMember(m, malformed)
	reason, isReason := textMember(m, malformedWhy)
	if isText && isReason && m.Len() == 2 {
		c.Malformed, c.Reason = text, reason
		return nil
	}
	c.Give(args)
	return nil
}

func textMember(m *value.Map, name string) (string, bool) {
	v, _ := m.Get(name)
	return v.Text()
}

// messageJSON is a message in the reference's form.
func messageJSON(m domains.Message) (json.RawMessage, error) {
	fields := participantFields
	if m.Role == domains.RoleTool {
		fields = toolFields
	}
	o := newObject(fields, m.Extra)
	o.set("role", m.Role)
	o.set("content", m.Content)
	o.set("turn_idx", m.TurnIdx)
	if m.Timestamp != "" {
		o.set("timestamp", localTime(m.Timestamp))
	}
	if m.Role == domains.RoleTool {
		o.set("id", m.ID)
		o.set("requestor", m.Requestor)
		o.set("error", m.Error)
		return o.json()
	}
	var calls []json.RawMessage
	if m.IsToolCall() {
		calls = []json.RawMessage{}
	}
	for _, c := range m.ToolCalls {
		raw, err := callJSON(c)
		if err != nil {
			return nil, err
		}
		calls = append(calls, raw)
	}
	o.set("tool_calls", calls)
	return o.json()
}

// callJSON is a call. Malformed arguments, which the format cannot represent, become an object that says what they
// were: no tool takes it, so replaying it changes nothing, as the call itself did.
func callJSON(c domains.ToolCall) (json.RawMessage, error) {
	o := newObject(callFields, c.Provider)
	o.set("id", c.ID)
	o.set("name", c.Name)
	o.set("arguments", writtenArguments(c))
	o.set("requestor", c.Requestor)
	return o.json()
}

// writtenArguments are the arguments of a call as a file has them.
func writtenArguments(c domains.ToolCall) value.Value {
	switch {
	case c.Malformed != "" || c.Reason != "":
		return value.OfMap(value.MapOf(value.Pair{Key: malformed, Value: value.OfString(c.Malformed)},
			value.Pair{Key: malformedWhy, Value: value.OfString(c.Reason)}))
	case c.Arguments.IsNull():
		return value.OfMap(nil)
	}
	return c.Arguments
}
