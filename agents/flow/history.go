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
	textMark  = "<text> " // precedes a text that would look like a call
	further   = "    "    // begins every further line of a text, so that no text can pass for another entry
)

// History writes a view of the agent's as lines of the prompt.
func History(view []domains.Message) string {
	var b strings.Builder
	entry := func(tag, text string) {
		b.WriteString(tag + strings.ReplaceAll(text, "\n", "\n"+further) + "\n")
	}
	for _, m := range view {
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
				entry(botTag, callLine(c))
			}
		}
	}
	return b.String()
}

func plain(text string) string {
	if strings.HasPrefix(text, callMark) || strings.HasPrefix(text, textMark) {
		return textMark + text
	}
	return text
}

func callLine(c domains.ToolCall) string {
	if c.Reason != "" {
		return callMark + c.Name + " " + c.Malformed
	}
	return callMark + c.Name + " " + c.Arguments.JSON()
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
	var entries []string
	for _, line := range strings.Split(rest[:at], "\n") {
		if more, ok := strings.CutPrefix(line, further); ok && len(entries) > 0 {
			entries[len(entries)-1] += "\n" + more
		} else {
			entries = append(entries, line)
		}
	}
	var out []domains.Message
	var open []string // ids of calls without a result
	calls := 0
	for n, entry := range entries {
		tag, text, _ := strings.Cut(entry, "] ")
		m := domains.Message{Content: &text}
		switch tag + "] " {
		case userTag:
			m.Role = domains.RoleUser
		case guideTag:
			m.Role = domains.RoleDeveloper
		case systemTag:
			if len(open) == 0 {
				return nil, fmt.Errorf("history, entry %d: a result without a call", n+1)
			}
			m.Role, m.ID, m.Requestor = domains.RoleTool, open[0], domains.AgentSide
			open = open[1:]
		case botTag:
			m.Role = domains.RoleAssistant
			call, ok := strings.CutPrefix(text, callMark)
			if !ok {
				text = strings.TrimPrefix(text, textMark)
				break
			}
			calls++
			c, err := readCall(fmt.Sprintf("h%d", calls), call)
			if err != nil {
				return nil, fmt.Errorf("history, entry %d: %w", n+1, err)
			}
			open = append(open, c.ID)
			m.Content, m.ToolCalls = nil, []domains.ToolCall{c}
		default:
			return nil, fmt.Errorf("history, entry %d: %q begins with no tag", n+1, entry)
		}
		out = append(out, m)
	}
	return out, nil
}

func readCall(id, text string) (domains.ToolCall, error) {
	name, args, ok := strings.Cut(text, " ")
	if !ok {
		return domains.ToolCall{}, fmt.Errorf("a call without arguments: %q", text)
	}
	c := domains.ToolCall{ID: id, Name: name, Requestor: domains.AgentSide}
	v, err := value.ParseString(args)
	if err != nil || v.Kind() != value.Object {
		c.Malformed, c.Reason = args, "no JSON object"
	} else {
		c.Give(v)
	}
	return c, nil
}
