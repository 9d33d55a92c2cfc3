package sim

import (
	"fmt"

	"github.com/tauguide/tauguide/sim/llm"
)

// Bill tells in a line what calls came to; what is not known is a question mark.
func Bill(calls []ModelCall) string {
	var prompt, completion llm.Count
	cost, known, kept := 0.0, true, 0
	for _, c := range calls {
		if c.Transport.Replayed {
			kept++
			continue
		}
		prompt.N, completion.N = prompt.N+c.Usage.PromptTokens.N, completion.N+c.Usage.CompletionTokens.N
		if c.Cost == nil {
			known = false
			continue
		}
		cost += *c.Cost
	}
	dollars := "?"
	if known {
		dollars = fmt.Sprintf("%.2f", cost)
	}
	text := fmt.Sprintf("%d model calls, %d tokens read, %d written, $ %s", len(calls)-kept, prompt.N, completion.N, dollars)
	if kept > 0 {
		text += fmt.Sprintf("; %d answers were kept from an earlier attempt", kept)
	}
	return text
}
