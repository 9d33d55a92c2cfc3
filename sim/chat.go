package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// Chat is a conversation that another program has recorded. Calls have ids that no other call has.
type Chat struct {
	Name     string // the file, with its number where the file has several
	Messages []Message
}

// AgentCalls are the agent's calls, in order.
func (c Chat) AgentCalls() (out []ToolCall) {
	for _, m := range c.Messages {
		if m.Role == domains.RoleAssistant {
			out = append(out, m.ToolCalls...)
		}
	}
	return out
}

// ParseChats reads conversations in the form of chat completions (docs/workflow-commands.md#guarding-a-recorded-conversation): a
// list of messages, or an object with them under messages, one or several after each other. The error names the file, the
// message, counted from 0, and the field.
func ParseChats(file string, text []byte) ([]Chat, error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	var out []Chat
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			at := d.InputOffset()
			if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
				at = wrong.Offset
			}
			line := 1 + bytes.Count(text[:min(at, int64(len(text)))], []byte("\n"))
			return nil, fmt.Errorf("%s: line %d: it is not JSON: %w", file, line, err)
		}
		c := Chat{Name: fmt.Sprintf("%s#%d", file, len(out)+1)}
		var err error
		if c.Messages, err = parseChat(raw); err != nil {
			if len(out) > 0 || d.More() {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: it is empty\nhint: write a list of messages, each with role and content", file)
	}
	if len(out) == 1 {
		out[0].Name = file
	}
	return out, nil
}

func parseChat(raw json.RawMessage) ([]Message, error) {
	list := raw
	if raw[0] == '{' {
		var in struct{ Role, Messages json.RawMessage }
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		if list = in.Messages; list == nil && in.Role != nil {
			return nil, errors.New("it is a message and no conversation\nhint: put the messages of a conversation into one list")
		}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil || items == nil {
		return nil, errors.New("there is no list of messages\nhint: write a list of messages, or an object that has it under messages")
	}
	r := chatReader{ids: map[string]bool{}}
	for i, item := range items {
		in, err := llm.ReadMessage(item)
		if err == nil {
			err = r.add(i, in)
		}
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if !slices.ContainsFunc(r.out, func(m Message) bool { return m.Role == domains.RoleUser || m.Role == domains.RoleAssistant }) {
		return nil, errors.New("nobody says anything\nhint: the messages of user and assistant make the conversation")
	}
	return r.out, nil
}

type chatReader struct {
	out     []Message
	ids     map[string]bool
	waiting []waiting // calls without a result so far
}

// waiting is a call with the id that the file gives it.
type waiting struct {
	id string
	at string
	ToolCall
}

func (r *chatReader) add(i int, in llm.Message) error {
	if old, ok := in.Extra["function_call"]; ok && string(old) != "null" {
		return errors.New("function_call: it is read under tool_calls alone\nhint: write tool_calls: [{id, type, function: {name, arguments}}]")
	}
	m, _ := fromWire(in, false)
	m.Role, m.TurnIdx, m.Provider = domains.Role(in.Role), &i, nil
	if in.Role != llm.Assistant { // nobody else thinks aloud
		m.Content = in.Content
	}
	if in.Role == llm.ToolRole {
		return r.result(m, in)
	}
	if len(r.waiting) > 0 {
		c := r.waiting[0]
		return fmt.Errorf("%s: the call of %s has no result before this message\nhint: add a tool message with tool_call_id %q", c.at, c.Name, c.id)
	}
	if m.ToolCalls != nil && m.Role != domains.RoleAssistant && m.Role != domains.RoleUser {
		return fmt.Errorf("tool_calls: a message of the role %s makes no calls", m.Role)
	}
	for k := range m.ToolCalls {
		c := &m.ToolCalls[k]
		at := fmt.Sprintf("messages[%d].tool_calls[%d]", i, k)
		if c.Name == "" {
			return fmt.Errorf("tool_calls[%d]: the call names no tool\nhint: write {id, type, function: {name, arguments}}", k)
		}
		id := c.ID
		for n := k; c.ID == "" || r.ids[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%d_%d", i, n)
		}
		r.ids[c.ID] = true
		c.Requestor, c.Provider = m.Side(), nil
		r.waiting = append(r.waiting, waiting{id, at, *c})
	}
	r.out = append(r.out, m)
	return nil
}

// result files a result with the oldest call of its id that waits for one.
func (r *chatReader) result(m Message, in llm.Message) error {
	at := slices.IndexFunc(r.waiting, func(c waiting) bool { return c.id == in.ToolCallID })
	if at < 0 {
		return fmt.Errorf("tool_call_id: no call before it has the id %q and waits for a result\nhint: repeat the id of the call that it is the result of", in.ToolCallID)
	}
	c := r.waiting[at]
	r.waiting = slices.Delete(r.waiting, at, at+1)
	res := domains.ResultMessage(c.ToolCall, ToolResult{Content: m.TextOf(), Error: failed(in)})
	res.TurnIdx = m.TurnIdx
	r.out = append(r.out, res)
	return nil
}

// failed reports whether a result is that of a failed call: the message says so in error, or otherwise its text begins
// with Error, in capitals or not, or is an object that has an error.
func failed(in llm.Message) bool {
	var said bool
	if json.Unmarshal(in.Extra["error"], &said) == nil {
		return said
	}
	text := strings.TrimSpace(in.Text())
	if v, err := value.ParseString(text); err == nil {
		m, _ := v.Map()
		e, _ := m.Get("error")
		return e.Truthy()
	}
	return strings.HasPrefix(strings.ToLower(text), "error")
}

// WriteChat writes a conversation in the form of chat completions.
func WriteChat(msgs []Message) ([]byte, error) {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	type message struct {
		Role    domains.Role `json:"role"`
		Content *string      `json:"content"`
		Calls   []call       `json:"tool_calls,omitempty"`
		ID      string       `json:"tool_call_id,omitempty"`
		Error   *bool        `json:"error,omitempty"`
	}
	out := make([]message, len(msgs))
	for i, m := range msgs {
		out[i] = message{Role: m.Role, Content: m.Content, ID: m.ID}
		if m.Role == domains.RoleTool && m.Error != failed(llm.Message{Content: m.Content}) {
			out[i].Error = &m.Error
		}
		for _, c := range m.ToolCalls {
			args := c.Malformed
			if c.Reason == "" {
				args = c.Arguments.JSON()
			}
			out[i].Calls = append(out[i].Calls, call{c.ID, "function", function{c.Name, args}})
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{"messages": out})
	return b.Bytes(), err
}
