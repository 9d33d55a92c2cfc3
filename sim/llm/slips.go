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

// cutOff tells whether a finish reason is that of the output limit, in any provider's word.
func cutOff(finish string) bool {
	switch strings.ToLower(finish) {
	case "length", "max_tokens", "max_output_tokens", "model_length":
		return true
	}
	return false
}
