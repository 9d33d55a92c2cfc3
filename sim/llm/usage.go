package llm

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Count is a number of tokens that may be unknown. The zero value is unknown,
// so a missing figure can never be taken for zero. In JSON it is a number or
// null.
type Count struct {
	N     int64
	Known bool
}

// Known returns a known count.
func Known(n int64) Count { return Count{N: n, Known: true} }

// String returns the number or "unknown".
func (c Count) String() string {
	if !c.Known {
		return "unknown"
	}
	return strconv.FormatInt(c.N, 10)
}

// MarshalJSON writes the number or null.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, c.N, 10), nil
}

// UnmarshalJSON reads an integer or null.
func (c *Count) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*c = Count{}
		return nil
	}
	var n int64
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("token count %s: want an integer or null", b)
	}
	*c = Known(n)
	return nil
}

// Usage counts the tokens of one answer in one convention for all providers:
// cached and cache-write tokens are part of the prompt, reasoning tokens are
// part of the completion.
type Usage struct {
	PromptTokens     Count `json:"prompt_tokens"`
	CachedTokens     Count `json:"cached_tokens"`
	CacheWriteTokens Count `json:"cache_write_tokens,omitzero"`
	CompletionTokens Count `json:"completion_tokens"`
	ReasoningTokens  Count `json:"reasoning_tokens"`
}

// Spent is what answers cost.
type Spent struct {
	Usage Usage    `json:"usage"`
	Cost  *float64 `json:"cost"` // dollars, nil if unknown
}

// Plus adds two sums, of which the zero value is nothing at all.
func (s Spent) Plus(o Spent) Spent {
	switch {
	case s == Spent{}:
		return o
	case o == Spent{}:
		return s
	}
	sum := Spent{Usage: s.Usage.plus(o.Usage)}
	if s.Cost != nil && o.Cost != nil {
		cost := *s.Cost + *o.Cost
		sum.Cost = &cost
	}
	return sum
}

// plus adds what is known.
func (u Usage) plus(o Usage) Usage {
	add := func(a, b Count) Count { return Count{a.N + b.N, a.Known || b.Known} }
	return Usage{add(u.PromptTokens, o.PromptTokens), add(u.CachedTokens, o.CachedTokens), add(u.CacheWriteTokens, o.CacheWriteTokens),
		add(u.CompletionTokens, o.CompletionTokens), add(u.ReasoningTokens, o.ReasoningTokens)}
}

// What no call takes: figures above, and negative ones, are not believed.
const (
	MostTokens  = 100_000_000
	MostDollars = 10_000
)

// readUsage reads the usage object of a reply in any provider's spelling and
// brings it to the convention of [Usage]. It returns the provider's own cost
// figure where there is one, and the quirks it met. Missing, null, fractional,
// negative and absurd counts are unknown.
func readUsage(raw string) (u Usage, billed *float64, quirks []string) {
	o := firstObject(raw)
	if o == nil {
		return Usage{}, nil, nil
	}
	r := usageReader{}
	var cacheRead, total Count
	prompt := r.first(o, "prompt_tokens")
	input := r.first(o, "input_tokens")
	u.CompletionTokens = r.first(o, "completion_tokens", "output_tokens")
	total = r.first(o, "total_tokens")
	in := firstObject(o.get("prompt_tokens_details"))
	if in == nil {
		in = firstObject(o.get("input_tokens_details"))
	}
	u.CachedTokens = r.first(in, "cached_tokens")
	cacheRead = r.first(o, "cache_read_input_tokens", "prompt_cache_hit_tokens")
	u.CacheWriteTokens = r.first(o, "cache_creation_input_tokens")
	if !u.CacheWriteTokens.Known {
		u.CacheWriteTokens = r.first(in, "cache_creation_tokens", "cache_write_tokens")
	}
	out := firstObject(o.get("completion_tokens_details"))
	if out == nil {
		out = firstObject(o.get("output_tokens_details"))
	}
	u.ReasoningTokens = r.first(out, "reasoning_tokens")
	if !u.ReasoningTokens.Known {
		u.ReasoningTokens = r.first(o, "reasoning_tokens")
	}
	if !u.CachedTokens.Known {
		u.CachedTokens = cacheRead
	}
	u.PromptTokens = prompt
	if !prompt.Known && input.Known {
		// Anthropic's own spelling counts cached input apart from the rest.
		u.PromptTokens = input
		if cacheRead.Known || u.CacheWriteTokens.Known {
			u.PromptTokens.N += cacheRead.N + u.CacheWriteTokens.N
			r.note("cached_outside_prompt")
		}
	}
	r.reconcile(&u, total)
	if s := scalar(o.get("cost")); s != "" {
		if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 && n <= MostDollars { // which NaN is not
			billed = &n
		} else {
			r.note("odd_cost")
		}
	}
	return u, billed, r.quirks
}

type usageReader struct{ quirks []string }

func (r *usageReader) note(q string) {
	for _, have := range r.quirks {
		if have == q {
			return
		}
	}
	r.quirks = append(r.quirks, q)
}

// first returns the first of the named fields that holds a whole number.
func (r *usageReader) first(o object, names ...string) Count {
	for _, name := range names {
		s := scalar(o.get(name))
		if s == "" {
			continue
		}
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 && n <= MostTokens {
			return Known(n)
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil && f >= 0 && f <= MostTokens && f == math.Trunc(f) {
			r.note("float_usage")
			return Known(int64(f))
		}
		r.note("odd_usage")
	}
	return Count{}
}

// reconcile makes the parts subsets of their wholes. A total that exceeds
// prompt plus completion tells which convention the provider follows: it
// counted the cache outside the prompt or the reasoning outside the completion.
func (r *usageReader) reconcile(u *Usage, total Count) {
	if u.PromptTokens == Known(0) && u.CompletionTokens.N == 0 {
		// No conversation has an empty prompt: the server does not count.
		*u = Usage{}
		r.note("zero_usage")
		return
	}
	if u.CachedTokens.N > u.PromptTokens.N && u.PromptTokens.Known {
		u.PromptTokens.N += u.CachedTokens.N + u.CacheWriteTokens.N
		r.note("cached_outside_prompt")
	}
	if !u.CompletionTokens.Known {
		return
	}
	gap := total.N - u.PromptTokens.N - u.CompletionTokens.N
	switch {
	case total.Known && u.PromptTokens.Known && gap > 0 && u.CachedTokens.N > 0 && gap == u.CachedTokens.N+u.CacheWriteTokens.N:
		u.PromptTokens.N += gap
		r.note("cached_outside_prompt")
	case total.Known && u.PromptTokens.Known && gap > 0 && (!u.ReasoningTokens.Known || u.ReasoningTokens.N == gap):
		u.CompletionTokens.N += gap
		u.ReasoningTokens = Known(gap)
		r.note("reasoning_outside_completion")
	case u.ReasoningTokens.N > u.CompletionTokens.N:
		u.CompletionTokens.N += u.ReasoningTokens.N
		r.note("reasoning_outside_completion")
	}
}
