package llm

import (
	"regexp"
	"slices"
	"strings"
)

// callMarkup are the notations in which models write tool calls, which servers turn into calls if their parser fits.
var callMarkup = []string{"<tool_call>", "<|tool_call", "<tool_calls>", "<tool_use>", "[TOOL_CALLS]", "<function=", "<function_call", "<|python_tag|>",
	"<|action_start|>", "<invoke", "functools[", "<minimax:tool_call", "<|channel|>commentary", "<|recipient|>", "<｜tool", "<｜DSML｜", "```tool_code", "Action Input:"}

// CallMarkup names the notation of a tool call in a text, "" for none.
func CallMarkup(text string) string {
	for _, m := range callMarkup {
		if strings.Contains(text, m) {
			return m
		}
	}
	return ""
}

// namedCall matches a call that is JSON, or reads like a function's, and begins a text or a line of it.
var namedCall = regexp.MustCompile(`(?m)^\s*(?:\[\s*)?(?:\{[^}]{0,80}?"(?:name|function|tool|tool_name|action)"\s*:\s*"([^"]+)"|([A-Za-z_]\w*)\((?:\)|\w+\s*=|\{))`)

// callInText is CallMarkup, or the beginning of a call in plain words of one of these tools.
func callInText(text string, tools []Tool) string {
	if m := CallMarkup(text); m != "" {
		return m
	}
	for _, found := range namedCall.FindAllStringSubmatch(text, -1) {
		if slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == found[1]+found[2] }) {
			return strings.TrimSpace(found[0])
		}
	}
	return ""
}

// CutOff tells whether a finish reason is that of the output limit, in any provider's word.
func CutOff(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return true
	}
	return false
}

// Filtered tells whether a finish reason is that of a moderation layer, in any provider's word. It ends an answer anywhere.
func Filtered(finish string) bool {
	switch strings.ToLower(finish) {
	case "content_filter", "content_filtered", "safety", "recitation", "prohibited_content", "blocklist", "spii", "refusal":
		return true
	}
	return false
}
