package llm

import "strings"

// callMarkup are the notations in which models write tool calls, which servers turn into calls if their parser fits.
var callMarkup = []string{"<tool_call>", "<|tool_call", "<tool_calls>", "[TOOL_CALLS]", "<function=", "<function_call", "<|python_tag|>", "<|action_start|>",
	"<invoke", "functools[", "<minimax:tool_call", "<|channel|>commentary", "<|recipient|>", "<｜tool"}

// CallMarkup names the notation of a tool call in a text, "" for none.
func CallMarkup(text string) string {
	for _, m := range callMarkup {
		if strings.Contains(text, m) {
			return m
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
