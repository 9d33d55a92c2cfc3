package store

import "github.com/tauguide/tauguide/sim/llm"

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
	if e.Usage == nil && e.Tokens != nil {
		s.Tokens = *e.Tokens
	}
	if e.Usage == nil && e.Cost != nil {
		s.Cost = *e.Cost
	}
	for _, u := range e.Usage {
		s.Tokens += u.Prompt + u.Completion
		s.Cost += u.Cost
	}
	return s
}

// Paid is what an attempt has cost: recorded answers cost nothing. The entries of older programs do not tell them from
// others, and count in full.
func (e Entry) Paid() (s Spending) {
	if e.Usage == nil {
		return e.Spent()
	}
	for _, u := range e.Usage {
		s = s.And(u.Paid())
	}
	return s
}

// SpentBy sums what the attempts of a run have cost.
func SpentBy(entries map[Ref]Entry) (s Spending) {
	for _, e := range entries {
		s = s.And(e.Paid())
	}
	return s
}
