package sim

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/sim/llm"
)

// WasCutOff tells whether the output limit ended the answer. Older records say so by the finish reason alone.
func (c ModelCall) WasCutOff() bool { return c.CutOff || llm.CutOff(c.Finish) }

// Refused tells whether the model refused, or its provider's filter ended the answer.
func (c ModelCall) Refused() bool { return c.Refusal != "" || llm.Filtered(c.Finish) }

// Billed tells whether the cost is what the provider billed, since no price is known.
func (c ModelCall) Billed() bool { return slices.Contains(c.Quirks, llm.QuirkBilled) }

// Remarks say, one thing each, what a reader of a conversation should know about the call.
func (c ModelCall) Remarks() (out []string) {
	say := func(ok bool, format string, args ...any) {
		if ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(c.Error != "", "failed: %s", c.Error)
	say(c.Refusal != "", "refusal: %s", c.Refusal)
	say(llm.Filtered(c.Finish), "the provider's filter ended the answer (%s)", c.Finish)
	say(c.WasCutOff(), "the output limit cut the answer off")
	say(c.CallInText != "", "a call was left in the text (%s), which nobody carries out", c.CallInText)
	if f := c.Transport.Failed; f != nil {
		say(true, "failed attempts took %d tokens", f.Usage.PromptTokens.N+f.Usage.CompletionTokens.N)
	}
	return out
}

// Spent is what the call cost, attempts that failed included.
func (c ModelCall) Spent() llm.Spent {
	s := llm.Spent{Usage: c.Usage, Cost: c.Cost}
	if c.Transport.Failed != nil {
		s = s.Plus(*c.Transport.Failed)
	}
	return s
}

// Bill tells in a line what calls came to; what is not known is a question mark.
func Bill(calls []ModelCall) string {
	var asked, failed, kept int
	var read, written int64
	cost, known, how := 0.0, true, ""
	for _, c := range calls {
		if c.Transport.Replayed {
			kept++
			continue
		}
		asked++
		s := c.Spent()
		if c.Error != "" {
			failed++
		}
		read, written = read+s.Usage.PromptTokens.N, written+s.Usage.CompletionTokens.N
		switch {
		case s.Cost != nil:
			cost += *s.Cost
		case c.Error == "" || s != (llm.Spent{}): // most failures cost nothing
			known = false
		}
		if c.Billed() {
			how = " (billed)"
		}
	}
	dollars := "?"
	if known {
		dollars = fmt.Sprintf("%.2f%s", cost, how)
	}
	text := fmt.Sprintf("%d model calls, %d tokens read, %d written, $ %s", asked, read, written, dollars)
	if failed > 0 {
		text += fmt.Sprintf("; %d of them failed", failed)
	}
	if kept > 0 {
		text += fmt.Sprintf("; %d answers were kept from an earlier attempt", kept)
	}
	return text
}
