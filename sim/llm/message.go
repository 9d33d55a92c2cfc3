package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// roles are the speakers that a request may hold.
var roles = []Role{System, Developer, User, Assistant, ToolRole}

// ReadMessage reads a message of any role as requests hold it. What is accepted of a model's calls is accepted here: a
// number for an id, an object for the text of arguments. The error names the field.
func ReadMessage(raw json.RawMessage) (Message, error) {
	if !json.Valid(raw) {
		return Message{}, errors.New("it is not JSON")
	}
	o, ok := objectOf(string(raw))
	if !ok {
		return Message{}, errors.New("it is not an object\nhint: write each message as an object with role and content")
	}
	out := Message{Role: Role(scalar(o.get("role"))), ToolCallID: scalar(o.get("tool_call_id")), Name: textOf(o.get("name")),
		Extra: o.without("role", "content", "tool_calls", "tool_call_id", "name")}
	if !slices.Contains(roles, out.Role) {
		return out, fmt.Errorf("role: there is no role %q\nhint: use system, developer, user, assistant or tool", out.Role)
	}
	var err error
	if out.Content, err = readText(o.get("content")); err != nil {
		return out, err
	}
	var a answer
	calls, why := a.readCalls(o.get("tool_calls"))
	if why != "" {
		return out, fmt.Errorf("%s\nhint: write them as a list of {id, type, function: {name, arguments}}", why)
	}
	for i, c := range calls {
		out.ToolCalls = append(out.ToolCalls, ToolCall{ID: c.id, Name: c.name, Arguments: c.arguments, Extra: a.callExtra[i]})
	}
	return out, nil
}

// readText accepts a text, null, nothing, or a list of parts, whose texts are joined.
func readText(raw string) (*string, error) {
	switch {
	case raw == "" || raw == "null":
		return nil, nil
	case raw[0] == '"':
		text := textOf(raw)
		return &text, nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal([]byte(raw), &parts); err != nil {
		return nil, errors.New("content: want a text, null or a list of text parts")
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type != "text" {
			return nil, fmt.Errorf("content: a part of type %q cannot be read here\nhint: send text", p.Type)
		}
		b.WriteString(p.Text)
	}
	joined := b.String()
	return &joined, nil
}
