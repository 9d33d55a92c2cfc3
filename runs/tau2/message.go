package tau2

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// fileMessage is a message as a file has it.
type fileMessage struct {
	Role      string                    `json:"role"`
	Content   *string                   `json:"content"`
	ToolCalls []fileCall                `json:"tool_calls"` // null is none; an empty list counts as a call, as in the reference
	ID        *string                   `json:"id"`
	Requestor *string                   `json:"requestor"`
	Error     *bool                     `json:"error"`
	TurnIdx   *int                      `json:"turn_idx"`
	Timestamp string                    `json:"timestamp"`
	Rest      map[string]jsontext.Value `json:",embed"`
}

// fileCall is a tool call as a file has it.
type fileCall struct {
	ID        string                    `json:"id"`
	Name      *string                   `json:"name"`
	Arguments jsontext.Value            `json:"arguments"`
	Requestor string                    `json:"requestor"`
	Rest      map[string]jsontext.Value `json:",embed"`
}

// messages reads a conversation.
func (r *reader) messages(list []fileMessage) ([]domains.Message, error) {
	out := make([]domains.Message, len(list))
	var open []domains.ToolCall // without a result so far
	for i, f := range list {
		m, err := r.message(f, fmt.Sprintf("/messages/%d", i))
		if err != nil {
			return nil, err
		}
		switch {
		case m.Role != domains.RoleTool:
			open = m.ToolCalls
		case len(open) > 0:
			if f.ID == nil {
				m.ID, m.Requestor = open[0].ID, open[0].Requestor
				r.deviations.add("tool messages without id", "taken as answers to the calls before them, in order")
			}
			open = open[1:]
		}
		out[i] = m
	}
	return out, nil
}

// message reads one message. Keys beyond our fields go to Extra. at is its place within the simulation.
func (r *reader) message(f fileMessage, at string) (domains.Message, error) {
	m := domains.Message{Role: domains.Role(f.Role), Content: f.Content, TurnIdx: f.TurnIdx, Timestamp: f.Timestamp}
	switch m.Role {
	case domains.RoleAssistant, domains.RoleUser, domains.RoleTool, domains.RoleSystem:
	default:
		return m, r.failAt(at+"/role", fmt.Errorf("role %q: want assistant, user, tool or system", f.Role))
	}
	if err := r.extra(&m.Extra, participantFields, f.Rest, "a message"); err != nil {
		return m, err
	}
	if m.Role == domains.RoleTool {
		r.result(&m, f)
		return m, nil
	}
	if f.ToolCalls != nil {
		m.ToolCalls = make([]domains.ToolCall, len(f.ToolCalls))
	}
	for i, c := range f.ToolCalls {
		var err error
		if m.ToolCalls[i], err = r.call(c, m.Side()); err != nil {
			return m, r.failAt(fmt.Sprintf("%s/tool_calls/%d", at, i), err)
		}
	}
	if f.ID != nil {
		r.deviations.add("ids of messages that are no tool results", "kept under extra")
		if m.Extra == nil {
			m.Extra = map[string]json.RawMessage{}
		}
		m.Extra["id"] = quoted(*f.ID)
	}
	return m, nil
}

// result fills in what only tool messages have.
func (r *reader) result(m *domains.Message, f fileMessage) {
	m.Requestor = domains.AgentSide
	if f.Requestor != nil {
		m.Requestor = domains.Side(*f.Requestor)
	}
	if f.ID != nil {
		m.ID = *f.ID
	}
	if f.Error != nil {
		m.Error = *f.Error
		return
	}
	r.deviations.add("tool messages without error flag", "taken as errors where they begin with Error:")
	m.Error = strings.HasPrefix(m.TextOf(), "Error:")
}

// call reads a call of a side.
func (r *reader) call(f fileCall, side domains.Side) (domains.ToolCall, error) {
	c := domains.ToolCall{ID: f.ID, Requestor: side}
	if f.Requestor != "" {
		c.Requestor = domains.Side(f.Requestor)
	}
	if f.Name == nil {
		return c, errors.New("the call has no name")
	}
	c.Name = *f.Name
	if f.Arguments == nil {
		r.deviations.add("calls without arguments", "read as having none")
		c.Arguments = value.OfMap(nil)
	} else if !arguments(&c, f.Arguments) {
		r.deviations.add("calls whose arguments are no usable object", "kept as malformed; such a call reaches no tool")
	}
	return c, r.extra(&c.Provider, nil, f.Rest, "a call")
}

// malformed and malformedWhy are the members of the arguments that, in a file, replace arguments that were not a
// JSON object.
const (
	malformed    = "malformed_arguments"
	malformedWhy = "malformed_reason"
)

// arguments reads the arguments of a call. What is not an object, or cannot be represented, makes the call malformed, as
// it is in a live run; false says so.
func arguments(c *domains.ToolCall, v jsontext.Value) bool {
	args, err := value.Parse(v)
	m, ok := args.Map()
	if err == nil && !ok {
		err = errors.New("arguments must be an object")
	}
	if err != nil {
		c.Malformed, c.Reason = string(v), err.Error()
		return false
	}
	text, isText := textMember(m, malformed)
	reason, isReason := textMember(m, malformedWhy)
	if isText && isReason && m.Len() == 2 {
		c.Malformed, c.Reason = text, reason
		return true
	}
	c.Arguments = args
	return true
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
	args := c.Arguments
	switch {
	case c.Malformed != "" || c.Reason != "":
		args = value.OfMap(value.MapOf(value.Pair{Key: malformed, Value: value.OfString(c.Malformed)},
			value.Pair{Key: malformedWhy, Value: value.OfString(c.Reason)}))
	case args.IsNull():
		args = value.OfMap(nil)
	}
	o.set("arguments", args)
	o.set("requestor", c.Requestor)
	return o.json()
}
