package llm

import (
	"fmt"
	"time"
)

// Price is what a model costs in dollars per million tokens. Nil is unknown.
type Price struct {
	Input, Cached, CacheWrite, Output *float64
	// UpToPrompt bounds the prompt for which the price holds, in tokens; the
	// cost of longer prompts is unknown.
	UpToPrompt *int64
	Date       string // when it was read, YYYY-MM-DD
	Source     string // where it was read
}

// Cost computes the dollars of one answer, or nil where a needed price or count
// is unknown. Cached tokens that the provider does not report are charged as
// ordinary input, so the figure is then an upper bound. Reasoning is part of
// the completion and charged as output.
func (p Price) Cost(u Usage) *float64 {
	if p.Input == nil || p.Output == nil || !u.PromptTokens.Known || !u.CompletionTokens.Known {
		return nil
	}
	if p.UpToPrompt != nil && u.PromptTokens.N > *p.UpToPrompt {
		return nil
	}
	cost := 0.0
	plain := u.PromptTokens.N
	for _, part := range []struct {
		tokens Count
		price  *float64
	}{{u.CachedTokens, p.Cached}, {u.CacheWriteTokens, p.CacheWrite}} {
		if part.tokens.N == 0 {
			continue
		}
		if part.price == nil {
			return nil
		}
		cost += float64(part.tokens.N) * *part.price
		plain -= part.tokens.N
	}
	cost += float64(max(plain, 0))**p.Input + float64(u.CompletionTokens.N)**p.Output
	cost /= 1e6
	return &cost
}

// of is the cost of an answer and its quirks: by the price, and where that does not tell it what the provider billed.
func (p Price) of(u Usage, billed *float64, quirks []string) (*float64, []string) {
	if cost := p.Cost(u); cost != nil || billed == nil {
		return cost, quirks
	}
	return billed, append(quirks, QuirkBilled)
}

// check returns the first key with a bad value and what is wrong with it.
func (p Price) check() (key, why string) {
	for _, f := range []struct {
		key   string
		value *float64
	}{{"input", p.Input}, {"cached", p.Cached}, {"cache_write", p.CacheWrite}, {"output", p.Output}} {
		if f.value != nil && !(*f.value >= 0 && *f.value <= 1e6) {
			return f.key, fmt.Sprintf("%v is no price\nhint: give dollars per million tokens, or null if unknown", *f.value)
		}
	}
	if p.UpToPrompt != nil && *p.UpToPrompt < 1 {
		return "up_to_prompt", fmt.Sprintf("%d is no number of tokens\nhint: leave it out if the price holds for any prompt", *p.UpToPrompt)
	}
	if _, err := time.Parse(time.DateOnly, p.Date); err != nil {
		return "as_of", fmt.Sprintf("%q is no date\nhint: say when the price was read, as 2026-11-30", p.Date)
	}
	if p.Source == "" {
		return "source", "there is none\nhint: say where the price was read"
	}
	return "", ""
}
