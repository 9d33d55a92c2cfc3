package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// RoleUsage sums the model calls of one role in one trial.
type RoleUsage struct {
	Role string `json:"role"`
	metrics.Usage
	// Of all these, what recordings answered: it was paid for when it was recorded, by this run or by another.
	Replayed       int     `json:"replayed,omitempty"` // calls
	ReplayedTokens int64   `json:"replayed_tokens,omitempty"`
	ReplayedCost   float64 `json:"replayed_cost,omitempty"`
}

// Paid is what the endpoints were asked for.
func (u RoleUsage) Paid() Spending {
	s := u.spent()
	return Spending{Tokens: s.Tokens - u.ReplayedTokens, Cost: max(0, s.Cost-u.ReplayedCost)}
}

// AddUsage returns a new slice, sorted by role, with calls added: copies of an entry share the old one.
func AddUsage(old []RoleUsage, calls []sim.ModelCall) []RoleUsage {
	out := append([]RoleUsage{}, old...) // never nil, which is how the entries of older programs are known
	for _, c := range calls {
		i := slices.IndexFunc(out, func(u RoleUsage) bool { return u.Role == c.Role })
		if i < 0 {
			i = len(out)
			out = append(out, RoleUsage{Role: c.Role})
		}
		out[i].Count(c)
	}
	slices.SortFunc(out, func(a, b RoleUsage) int { return cmp.Compare(a.Role, b.Role) })
	return out
}

// Count adds a call. A failure of which no cost is known is taken to have cost nothing, as most do.
func (u *RoleUsage) Count(c sim.ModelCall) {
	u.Calls++
	u.Seconds += c.Transport.Elapsed
	before := u.spent()
	count(&u.Billed, c.Billed())
	count(&u.Refusals, c.Refused())
	count(&u.CutOff, c.WasCutOff())
	count(&u.CallsInText, c.CallInText != "")
	if own := (llm.Spent{Usage: c.Usage, Cost: c.Cost}); c.Error != "" {
		u.Failed++
		u.fail(own)
	} else {
		u.add(own)
	}
	if c.Transport.Failed != nil {
		u.fail(*c.Transport.Failed)
	}
	if c.Transport.Replayed {
		u.Replayed++
		u.ReplayedTokens += u.spent().Tokens - before.Tokens
		u.ReplayedCost += u.spent().Cost - before.Cost
	}
}

func (u RoleUsage) spent() Spending { return Spending{Tokens: u.Prompt + u.Completion, Cost: u.Cost} }

func count(n *int, yes bool) {
	if yes {
		*n++
	}
}

// fail adds what a failure cost.
func (u *RoleUsage) fail(s llm.Spent) {
	if s == (llm.Spent{}) {
		return
	}
	u.FailedPrompt += s.Usage.PromptTokens.N
	u.FailedCompletion += s.Usage.CompletionTokens.N
	if s.Cost != nil {
		u.FailedCost += *s.Cost
	}
	u.add(s)
}

// add adds what a part of a call cost.
func (u *RoleUsage) add(s llm.Spent) {
	u.Prompt += s.Usage.PromptTokens.N
	u.Cached += s.Usage.CachedTokens.N
	u.Completion += s.Usage.CompletionTokens.N
	count(&u.UnknownTokens, !s.Usage.PromptTokens.Known || !s.Usage.CompletionTokens.Known)
	count(&u.UnknownCached, !s.Usage.CachedTokens.Known)
	count(&u.UnknownCost, s.Cost == nil)
	if s.Cost != nil {
		u.Cost += *s.Cost
	}
}

// Spending is what calls have cost.
type Spending struct {
	Tokens int64
	Cost   float64
}

// Plus adds the figures of one call; what is unknown adds nothing.
func (s Spending) Plus(c llm.Spent) Spending {
	s.Tokens += c.Usage.PromptTokens.N + c.Usage.CompletionTokens.N
	if c.Cost != nil {
		s.Cost += *c.Cost
	}
	return s
}

// And adds two sums.
func (s Spending) And(o Spending) Spending {
	return Spending{Tokens: s.Tokens + o.Tokens, Cost: s.Cost + o.Cost}
}

// Spent is what the answers of an attempt cost, whether they were paid for then or before, as far as that is known.
func (e Entry) Spent() (s Spending) {
	for _, u := range e.Usage {
		s = s.And(u.spent())
	}
	return s
}

// Unpriced counts the calls of real models whose cost is not known.
func Unpriced(entries map[Ref]Entry) (n int) {
	for _, e := range entries {
		for _, u := range e.Usage {
			if !e.Synthetic {
				n += u.UnknownCost
			}
		}
	}
	return n
}

// PaidFor sums what the attempts of a run have cost: recorded answers cost nothing.
func PaidFor(entries iter.Seq[Entry]) (s Spending) {
	for e := range entries {
		for _, u := range e.Usage {
			s = s.And(u.Paid())
		}
	}
	return s
}
