package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// line is one message of a conversation as prompts show it: one JSON object per line, so that no text of a message can
// be taken for a part of the prompt.
type line struct {
	Index  int             `json:"i"`
	Role   string          `json:"role"` // user, agent, tool, refused
	Text   *string         `json:"text,omitempty"`
	Calls  []lineCall      `json:"calls,omitempty"`
	ID     string          `json:"id,omitempty"`
	OK     *bool           `json:"ok,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Why    string          `json:"why,omitempty"`
}

type lineCall struct {
	ID        string      `json:"id,omitempty"`
	Name      string      `json:"name"`
	Arguments value.Value `json:"arguments"`
}

const (
	roleUser    = "user"
	roleAgent   = "agent"
	roleTool    = "tool"
	roleRefused = "refused"
)

// WriteConversation writes the conversation as the agent saw it, and the calls that were just refused, as JSON WriteConversation.
func WriteConversation(msgs []domains.Message, refused []Refusal) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, m := range msgs {
		if err := enc.Encode(toLine(i, m)); err != nil {
			return "", fmt.Errorf("conversation, message %d: %w", i, err)
		}
	}
	for _, r := range refused {
		l := line{Index: len(msgs), Role: roleRefused, Why: r.Reason, Calls: []lineCall{{ID: r.Call.ID, Name: r.Call.Name, Arguments: r.Call.Arguments}}}
		if err := enc.Encode(l); err != nil {
			return "", fmt.Errorf("conversation, refused call of %s: %w", r.Call.Name, err)
		}
	}
	return b.String(), nil
}

func toLine(i int, m domains.Message) line {
	l := line{Index: i, Role: roleAgent, Text: m.Content}
	switch m.Role {
	case domains.RoleUser:
		l.Role = roleUser
	case domains.RoleTool:
		ok := !m.Error
		l.Role, l.ID, l.OK, l.Text = roleTool, m.ID, &ok, nil
		l.Result = result(m.TextOf())
		return l
	}
	for _, c := range m.ToolCalls {
		l.Calls = append(l.Calls, lineCall{c.ID, c.Name, c.Arguments})
	}
	return l
}

// result is the text of a tool as JSON: as it is where it is an object or a list, else as a string.
func result(text string) json.RawMessage {
	if t := strings.TrimSpace(text); t != "" && (t[0] == '{' || t[0] == '[') {
		var b bytes.Buffer
		if json.Compact(&b, []byte(t)) == nil {
			return b.Bytes()
		}
	}
	raw, err := value.OfString(text).MarshalJSON()
	if err != nil {
		return json.RawMessage(`""`)
	}
	return raw
}

// ReadConversation undoes Lines.
func ReadConversation(text string) (msgs []domains.Message, refused []Refusal, err error) {
	in := bufio.NewScanner(strings.NewReader(text))
	in.Buffer(nil, 64<<20)
	for n := 1; in.Scan(); n++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, nil, fmt.Errorf("conversation, line %d: %w", n, err)
		}
		if l.Role == roleRefused {
			for _, c := range l.calls() {
				refused = append(refused, Refusal{Call: c, Reason: l.Why, Held: true})
			}
			continue
		}
		m, err := l.message()
		if err != nil {
			return nil, nil, fmt.Errorf("conversation, line %d: %w", n, err)
		}
		msgs = append(msgs, m)
	}
	return msgs, refused, in.Err()
}

func (l line) calls() []domains.ToolCall {
	var out []domains.ToolCall
	for _, c := range l.Calls {
		out = append(out, domains.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments, Requestor: domains.AgentSide})
	}
	return out
}

func (l line) message() (domains.Message, error) {
	switch l.Role {
	case roleUser:
		return domains.Message{Role: domains.RoleUser, Content: l.Text}, nil
	case roleAgent:
		return domains.Message{Role: domains.RoleAssistant, Content: l.Text, ToolCalls: l.calls()}, nil
	case roleTool:
		content := string(l.Result)
		if strings.HasPrefix(content, `"`) {
			if err := json.Unmarshal(l.Result, &content); err != nil {
				return domains.Message{}, err
			}
		}
		return domains.Message{Role: domains.RoleTool, ID: l.ID, Requestor: domains.AgentSide, Content: &content, Error: l.OK != nil && !*l.OK}, nil
	}
	return domains.Message{}, fmt.Errorf("there is no role %q", l.Role)
}
