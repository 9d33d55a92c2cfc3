package trace

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Parse reads a conversation that is written down in short, as in documents and tests of rubrics and guard tables: one line
// for each text or call.
//
//	agent: Is there anything else?
//	user: No, thank you.
//	user(consent): Yes.
//	agent> get_details_by_id id=L1 => {"line_id": "L1", "status": "Active"}
//	agent> resume_line customer_id=C1 line_id=L1 =>! Error: Line must be suspended to resume
//	user> toggle_data => Mobile Data is now ON.
//
// A word in brackets is the tag of a scripted user. Arguments are name=text or name:=JSON, or all of them one
// JSON object. =>! is a result that is an error; a call without an arrow has no result. A line that ends in a backslash
// goes on in the next. Empty lines and lines that begin with # count for nothing. A text is one message, a call with its result two.
//
// Errors name the line.
func Parse(text string) ([]domains.Message, error) {
	var out []domains.Message
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		at, line := i+1, strings.TrimSpace(lines[i])
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + strings.TrimSpace(lines[i])
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		msgs, err := parseLine(line, len(out))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
		out = append(out, msgs...)
	}
	return out, nil
}

func parseLine(line string, n int) ([]domains.Message, error) {
	end := strings.IndexAny(line, ":>")
	if end < 0 {
		return nil, fmt.Errorf("%q is neither a text nor a call\nhint: begin it with agent: user: agent> or user>", line)
	}
	who, tag, _ := strings.Cut(strings.TrimSuffix(line[:end], ")"), "(")
	role, side := domains.RoleAssistant, domains.AgentSide
	switch who {
	case "agent":
	case "user":
		role, side = domains.RoleUser, domains.UserSide
	default:
		return nil, fmt.Errorf("%q speaks\nhint: write agent or user", who)
	}
	rest := strings.TrimSpace(line[end+1:])
	if line[end] == '>' {
		return parseCall(rest, role, side, n)
	}
	m := domains.Message{Role: role, Content: &rest}
	if tag != "" {
		raw, err := json.Marshal(tag)
		if err != nil {
			return nil, err
		}
		m.Provider = map[string]json.RawMessage{"act": raw}
	}
	return []domains.Message{m}, nil
}

func parseCall(s string, role domains.Role, side domains.Side, n int) ([]domains.Message, error) {
	head, result, answered := strings.Cut(s, "=>")
	name, rest, _ := strings.Cut(strings.TrimSpace(head), " ")
	if name == "" {
		return nil, fmt.Errorf("%q names no tool", s)
	}
	args, err := parseArgs(strings.TrimSpace(rest))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := domains.ToolCall{ID: fmt.Sprint("c", n), Name: name, Arguments: args, Requestor: side}
	out := []domains.Message{{Role: role, ToolCalls: []domains.ToolCall{c}}}
	if answered {
		result, failed := strings.CutPrefix(result, "!")
		out = append(out, domains.ResultMessage(c, domains.ToolResult{Content: strings.TrimSpace(result), Error: failed}))
	}
	return out, nil
}

func parseArgs(s string) (value.Value, error) {
	if strings.HasPrefix(s, "{") {
		v, err := value.ParseString(s)
		if err != nil {
			return value.Value{}, fmt.Errorf("arguments: %w", err)
		}
		return v, nil
	}
	m := &value.Map{}
	for _, word := range strings.Fields(s) {
		key, text, ok := strings.Cut(word, "=")
		key, coded := strings.CutSuffix(key, ":")
		if !ok || key == "" {
			return value.Value{}, fmt.Errorf("argument %q has no name\nhint: write name=text or name:=JSON", word)
		}
		v := value.OfString(text)
		if coded {
			var err error
			if v, err = value.ParseString(text); err != nil {
				return value.Value{}, fmt.Errorf("argument %q: %w", word, err)
			}
		}
		m.Set(key, v)
	}
	return value.OfMap(m), nil
}
