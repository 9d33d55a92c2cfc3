// Package policytest makes short conversations for tests of policies.
package policytest

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/policy"
)

// Trace makes a conversation of lines: "user: TEXT", "agent: TEXT", or "TOOL ARGUMENTS => RESULT" for a call of the
// agent's, with both as JSON; a result that is not JSON is a text.
func Trace(t testing.TB, lines ...string) *guide.Trace {
	t.Helper()
	out := guide.NewTrace()
	for _, line := range lines {
		if text, ok := strings.CutPrefix(line, "user: "); ok {
			out.Add(domains.Message{Role: domains.RoleUser, Content: &text})
			continue
		}
		if text, ok := strings.CutPrefix(line, "agent: "); ok {
			out.Add(domains.Message{Role: domains.RoleAssistant, Content: &text})
			continue
		}
		head, result, ok := strings.Cut(line, " => ")
		tool, args, also := strings.Cut(head, " ")
		if !ok || !also {
			t.Fatalf("no line of a conversation: %s", line)
		}
		c := domains.ToolCall{ID: "c", Name: tool, Arguments: parse(t, args), Requestor: domains.AgentSide}
		out.Add(domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, domains.ToolResult{Content: result}))
	}
	return out
}

// Record reads a JSON object.
func Record(t testing.TB, text string) policy.Record {
	t.Helper()
	return policy.Arguments(parse(t, text))
}

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
