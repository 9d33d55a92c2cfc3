package flow

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// The tags of history lines. [GUIDE] is ours, for what a guard around the agent tells it.
const (
	userTag   = "[USER] "
	botTag    = "[BOT] "
	systemTag = "[SYSTEM] "
	guideTag  = "[GUIDE] "
	callMark  = "<call> " // begins a [BOT] line that is a call: name, then arguments
	textMark  = "<text> " // stands before a text that would look like a call
	further   = "    "    // begins every further line of a text, so that no text can pass for another entry
)

// History writes a view of the agent's as lines of the prompt.
func History(view []domains.Message) (string, error) {
	var b strings.Builder
	entry := func(tag, text string) {
		b.WriteString(tag + strings.ReplaceAll(text, "\n", "\n"+further) + "\n")
	}
	for i, m := range view {
		switch m.Role {
		case domains.RoleUser:
			entry(userTag, m.TextOf())
		case domains.RoleTool:
			entry(systemTag, m.TextOf())
		case domains.RoleSystem, domains.RoleDeveloper:
			entry(guideTag, m.TextOf())
		case domains.RoleAssistant:
			if m.HasText() {
				entry(botTag, plain(m.TextOf()))
			}
			for _, c := range m.ToolCalls {
				line, err := callLine(c)
				if err != nil {
					return "", fmt.Errorf("history, message %d: %w", i, err)
				}
				entry(botTag, line)
			}
		}
	}
	return b.String(), nil
}

func plain(text string) string {
	if strings.HasPrefix(text, callMark) || strings.HasPrefix(text, textMark) {
		return textMark + text
	}
	return text
}

func callLine(c domains.ToolCall) (string, error) {
	if c.Reason != "" {
		return callMark + c.Name + " " + c.Malformed, nil
	}
	args, err := c.Arguments.MarshalJSON()
	if err != nil {
		return "", err
	}
	return callMark + c.Name + " " + string(args), nil
}

// ReadHistory undoes History from a whole prompt, for scripted models: calls get ids by their order, and each [SYSTEM]
// line answers the oldest call without a result. Lists of calls come back as one message each.
func ReadHistory(prompt string) ([]domains.Message, error) {
	_, rest, ok := strings.Cut(prompt, "\n<"+historyMark+">\n")
	if ok && strings.HasPrefix(rest, "</"+historyMark+">") {
		return nil, nil
	}
	at := strings.LastIndex(rest, "\n</"+historyMark+">")
	if !ok || at < 0 {
		return nil, fmt.Errorf("the prompt has no part <%s>", historyMark)
	}
	var out []domains.Message
	r := reader{out: &out}
	for n, line := range strings.Split(rest[:at], "\n") {
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("history, line %d: %w", n+1, err)
		}
	}
	return out, r.file()
}

// reader gathers the lines of an entry.
type reader struct {
	out  *[]domains.Message
	tag  string
	text []string
	open []domains.ToolCall // calls without a result
	n    int
}

func (r *reader) line(line string) error {
	if rest, ok := strings.CutPrefix(line, further); ok && r.tag != "" {
		r.text = append(r.text, rest)
		return nil
	}
	for _, tag := range []string{userTag, botTag, systemTag, guideTag} {
		if rest, ok := strings.CutPrefix(line, tag); ok {
			err := r.file()
			r.tag, r.text = tag, []string{rest}
			return err
		}
	}
	return fmt.Errorf("%q begins with no tag", line)
}

// file ends an entry.
func (r *reader) file() error {
	if r.tag == "" {
		return nil
	}
	text := strings.Join(r.text, "\n")
	m := domains.Message{Content: &text}
	switch r.tag {
	case userTag:
		m.Role = domains.RoleUser
	case guideTag:
		m.Role = domains.RoleDeveloper
	case systemTag:
		if len(r.open) == 0 {
			return fmt.Errorf("a result without a call")
		}
		m.Role, m.ID, m.Requestor = domains.RoleTool, r.open[0].ID, domains.AgentSide
		r.open = r.open[1:]
	case botTag:
		m.Role = domains.RoleAssistant
		if call, ok := strings.CutPrefix(text, callMark); ok {
			return r.call(call)
		}
		said := strings.TrimPrefix(text, textMark)
		m.Content = &said
	}
	*r.out = append(*r.out, m)
	return nil
}

func (r *reader) call(text string) error {
	name, args, ok := strings.Cut(text, " ")
	if !ok {
		return fmt.Errorf("a call without arguments: %q", text)
	}
	r.n++
	c := domains.ToolCall{ID: fmt.Sprintf("h%d", r.n), Name: name, Requestor: domains.AgentSide}
	v, err := value.ParseString(args)
	if err != nil || v.Kind() != value.Object {
		c.Malformed, c.Reason = args, "no JSON object"
	} else {
		c.Arguments = v
	}
	r.open = append(r.open, c)
	*r.out = append(*r.out, domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}})
	return nil
}
