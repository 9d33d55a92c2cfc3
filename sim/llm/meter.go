package llm

import (
	"container/list"
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Totals sums the calls of one role. Token sums cover the calls whose figure is
// known; the Unknown fields count those that are missing from the sums.
type Totals struct {
	Calls    int64 `json:"calls"`                      // requests by the caller, failed ones included
	Failed   int64 `json:"failed"`                     // of these, how many ended in an error
	Unknown  int64 `json:"unknown_failures,omitempty"` // of the failed, refusals that no row of the table of failures fits
	Attempts int64 `json:"attempts"`                   // HTTP requests, retries included

	PromptTokens     int64 `json:"prompt_tokens"`
	CachedTokens     int64 `json:"cached_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	ReasoningTokens  int64 `json:"reasoning_tokens"`

	UnknownPrompt     int64 `json:"unknown_prompt"`
	UnknownCached     int64 `json:"unknown_cached"`
	UnknownCompletion int64 `json:"unknown_completion"`
	UnknownReasoning  int64 `json:"unknown_reasoning"`

	// Cost is the dollars of the calls whose cost is known, UnknownCost how
	// many answers are missing from it, Billed of how many calls it is what the
	// provider billed. Attempts that failed are in all sums.
	Cost        float64 `json:"cost"`
	UnknownCost int64   `json:"unknown_cost"`
	Billed      int64   `json:"billed,omitempty"`

	// Replayed counts the calls that a recording answered. They cost nothing
	// and are in no other sum; what they cost when they were recorded is
	// WouldTokens, prompts and answers, and WouldCost in dollars, as far as known.
	Replayed     int64   `json:"replayed,omitempty"`
	WouldTokens  int64   `json:"would_tokens,omitempty"`
	WouldCost    float64 `json:"would_cost,omitempty"`
	WouldUnknown int64   `json:"would_unknown,omitempty"` // answers whose cost is missing from WouldCost

	Latency time.Duration `json:"latency"` // of the answering attempts

	pico, wouldPico int64 // costs in 1e-12 dollars, so that sums do not depend on order
}

// KnownCost returns the dollars, or nil if the cost of any answer is unknown.
func (t Totals) KnownCost() *float64 {
	if t.UnknownCost > 0 {
		return nil
	}
	c := t.Cost
	return &c
}

// Plus adds two totals.
func (t Totals) Plus(o Totals) Totals {
	t.Calls += o.Calls
	t.Failed += o.Failed
	t.Unknown += o.Unknown
	t.Attempts += o.Attempts
	t.PromptTokens += o.PromptTokens
	t.CachedTokens += o.CachedTokens
	t.CompletionTokens += o.CompletionTokens
	t.ReasoningTokens += o.ReasoningTokens
	t.UnknownPrompt += o.UnknownPrompt
	t.UnknownCached += o.UnknownCached
	t.UnknownCompletion += o.UnknownCompletion
	t.UnknownReasoning += o.UnknownReasoning
	t.UnknownCost += o.UnknownCost
	t.Billed += o.Billed
	t.Latency += o.Latency
	t.Replayed += o.Replayed
	t.WouldTokens += o.WouldTokens
	t.WouldUnknown += o.WouldUnknown
	t.wouldPico += o.wouldPico
	t.WouldCost = float64(t.wouldPico) / 1e12
	t.pico += o.pico
	t.Cost = float64(t.pico) / 1e12
	return t
}

// NoRole is the role under which calls without one are metered.
const NoRole = "other"

// Meter counts calls, tokens and dollars by [Tag.Role], and knows which calls are
// under way. The zero value is ready; it is safe for concurrent use.
type Meter struct {
	mu      sync.Mutex
	roles   map[string]Totals
	calls   list.List // of time.Time: the beginnings of the calls under way, in order
	waiting int
}

// Ongoing says what is under way: how many calls wait to be sent once more, and
// when the oldest call began, zero without one.
func (m *Meter) Ongoing() (retrying int, oldest time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.calls.Front(); e != nil {
		oldest = e.Value.(time.Time)
	}
	return m.waiting, oldest
}

// retrying counts a call in or out of those that wait to be sent once more. A
// nil meter counts nothing.
func (m *Meter) retrying(n int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting += n
}

// begin counts a call in; end counts it out.
func (m *Meter) begin() (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.calls.PushBack(time.Now())
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls.Remove(e)
	}
}

// Wrap is the meter as a [Middleware]; it belongs outside of [Retry].
func (m *Meter) Wrap(next Client) Client {
	complete := FuncOf(next)
	return Func(func(ctx context.Context, req Request) (Response, error) {
		defer m.begin()()
		resp, err := complete(ctx, req)
		if err != nil {
			m.add(req.Tag.Role, failedTotals(asError(err)))
		} else {
			m.add(req.Tag.Role, answerTotals(resp))
		}
		return resp, err
	})
}

func answerTotals(r Response) Totals {
	t := usageTotals(r.Usage, r.Cost)
	if r.Failed != nil {
		t = t.Plus(usageTotals(r.Failed.Usage, r.Failed.Cost))
	}
	if r.Replayed {
		return t.replayed()
	}
	t.Calls, t.Attempts, t.Latency = 1, int64(r.Attempts), r.Latency
	t.countBilled(r.Quirks)
	return t
}

// failedTotals counts what a failed call cost, if the endpoint reported it. A
// failure without figures is not an unknown answer: most failures cost nothing.
func failedTotals(e *Error) Totals {
	var t Totals
	if e.Spent != (Spent{}) {
		t = usageTotals(e.Usage, e.Cost)
	}
	if e.Replayed {
		return t.replayed()
	}
	t.Calls, t.Failed, t.Attempts = 1, 1, int64(e.Attempts)
	t.countBilled(e.Quirks)
	if e.Unknown {
		t.Unknown = 1
	}
	return t
}

// replayed makes what a call cost into what it would have cost.
func (t Totals) replayed() Totals {
	return Totals{Replayed: 1, WouldTokens: t.PromptTokens + t.CompletionTokens, WouldUnknown: t.UnknownCost, wouldPico: t.pico}
}

func (t *Totals) countBilled(quirks []string) {
	if slices.Contains(quirks, QuirkBilled) {
		t.Billed = 1
	}
}

// usageTotals leaves the dollars to [Totals.Plus], through which all sums are made.
func usageTotals(u Usage, cost *float64) Totals {
	var t Totals
	for _, f := range []struct {
		from         Count
		sum, unknown *int64
	}{
		{u.PromptTokens, &t.PromptTokens, &t.UnknownPrompt},
		{u.CachedTokens, &t.CachedTokens, &t.UnknownCached},
		{u.CompletionTokens, &t.CompletionTokens, &t.UnknownCompletion},
		{u.ReasoningTokens, &t.ReasoningTokens, &t.UnknownReasoning},
	} {
		if f.from.Known {
			*f.sum = f.from.N
		} else {
			*f.unknown = 1
		}
	}
	if cost == nil {
		t.UnknownCost = 1
		return t
	}
	t.pico = int64(math.Round(*cost * 1e12))
	return t
}

func (m *Meter) add(role string, t Totals) {
	if role == "" {
		role = NoRole
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.roles == nil {
		m.roles = map[string]Totals{}
	}
	m.roles[role] = m.roles[role].Plus(t)
}

// Snapshot returns the totals by role as they are now.
func (m *Meter) Snapshot() map[string]Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]Totals, len(m.roles))
	for role, t := range m.roles {
		out[role] = t
	}
	return out
}

// Total returns the sum over all roles.
func (m *Meter) Total() Totals {
	var sum Totals
	for _, t := range m.Snapshot() {
		sum = sum.Plus(t)
	}
	return sum
}
