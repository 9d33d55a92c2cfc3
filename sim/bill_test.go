package sim_test

import (
	"testing"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

func TestBill(t *testing.T) {
	quarter := 0.25
	used := llm.Usage{PromptTokens: llm.Known(100), CompletionTokens: llm.Known(10)}
	priced := sim.ModelCall{Usage: used, Cost: &quarter}
	billed, unpriced, dear := priced, sim.ModelCall{Usage: used}, sim.ModelCall{Error: "context_window", Usage: used, Cost: &quarter}
	billed.Quirks = []string{llm.QuirkBilled}
	again, kept := priced, priced
	again.Transport.Failed = &llm.Spent{Usage: used, Cost: &quarter}
	kept.Transport.Replayed = true
	for _, c := range []struct {
		name  string
		calls []sim.ModelCall
		want  string
	}{
		{"priced", []sim.ModelCall{priced, priced}, "2 model calls, 200 tokens read, 20 written, $ 0.50"},
		{"billed", []sim.ModelCall{billed}, "1 model calls, 100 tokens read, 10 written, $ 0.25 (billed)"},
		{"unpriced", []sim.ModelCall{priced, unpriced}, "2 model calls, 200 tokens read, 20 written, $ ?"},
		{"failed for nothing", []sim.ModelCall{priced, {Error: "server"}}, "2 model calls, 100 tokens read, 10 written, $ 0.25; 1 of them failed"},
		{"failed dearly", []sim.ModelCall{priced, dear}, "2 model calls, 200 tokens read, 20 written, $ 0.50; 1 of them failed"},
		{"answered after a failure", []sim.ModelCall{again}, "1 model calls, 200 tokens read, 20 written, $ 0.50"},
		{"kept", []sim.ModelCall{kept}, "0 model calls, 0 tokens read, 0 written, $ 0.00; 1 answers were kept from an earlier attempt"},
	} {
		if got := sim.Bill(c.calls); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
