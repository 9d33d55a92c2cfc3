package store

import (
	"cmp"
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
	return Spending{Tokens: u.Prompt + u.Completion - u.ReplayedTokens, Cost: max(0, u.Cost-u.ReplayedCost)}
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

// Count adds a call.
func (u *RoleUsage) Count(c sim.ModelCall) {
	u.Calls++
	u.Prompt += c.Usage.PromptTokens.N
	u.Cached += c.Usage.CachedTokens.N
	u.Completion += c.Usage.CompletionTokens.N
	u.Seconds += c.Transport.Elapsed
	if !c.Usage.PromptTokens.Known || !c.Usage.CompletionTokens.Known {
		u.UnknownTokens++
	}
	if !c.Usage.CachedTokens.Known {
		u.UnknownCached++
	}
	if c.Transport.Replayed {
		u.Replayed++
		played := Spending{}.Plus(c.Usage, c.Cost)
		u.ReplayedTokens += played.Tokens
		u.ReplayedCost += played.Cost
	}
	if c.Cost == nil {
		u.UnknownCost++
		return
	}
	u.Cost += *c.Cost
}

// Spending is what calls have cost.
type Spending struct {
	Tokens int64
	Cost   float64
}

// Plus adds the figures of one answer; what is unknown adds nothing.
func (s Spending) Plus(u llm.Usage, cost *float64) Spending {
	s.Tokens += u.PromptTokens.N + u.CompletionTokens.N
	if cost != nil {
		s.Cost += *cost
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
		s = s.And(Spending{Tokens: u.Prompt + u.Completion, Cost: u.Cost})
	}
	return s
}

// PaidFor sums what the attempts of a run have cost: recorded answers cost nothing.
func PaidFor(entries map[Ref]Entry) (s Spending) {
	for _, e := range entries {
		for _, u := range e.Usage {
			s = s.And(u.Paid())
		}
	}
	return s
}
