package metrics

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Usage sums the model calls of one role over conversations. The counts of unknown figures say how many calls a sum misses.
type Usage struct {
	Calls         int     `json:"calls"`
	Prompt        int64   `json:"prompt"` // tokens
	Cached        int64   `json:"cached"` // of the prompt tokens
	Completion    int64   `json:"completion"`
	UnknownTokens int     `json:"unknown_tokens,omitempty"` // calls without prompt or completion tokens
	UnknownCached int     `json:"unknown_cached,omitempty"`
	UnknownCost   int     `json:"unknown_cost,omitempty"`
	Cost          float64 `json:"cost"`    // dollars
	Seconds       float64 `json:"seconds"` // with queueing and retries

	// Of all these, the calls that ended in an error, and what they and earlier attempts at the others cost.
	Failed           int     `json:"failed,omitempty"`
	FailedPrompt     int64   `json:"failed_prompt,omitempty"`
	FailedCompletion int64   `json:"failed_completion,omitempty"`
	FailedCost       float64 `json:"failed_cost,omitempty"`
	// Answers that are not what was asked for, and calls whose cost is what the provider billed.
	Refusals    int `json:"refusals,omitempty"` // by the model, or by its provider's filter
	CutOff      int `json:"cut_off,omitempty"`  // by the output limit
	CallsInText int `json:"calls_in_text,omitempty"`
	Billed      int `json:"billed,omitempty"`
}

// FailedDollars are what failed calls and attempts cost, unknown where they took tokens at a cost that nobody tells.
func (u Usage) FailedDollars() Estimate {
	if u.FailedCost == 0 && u.UnknownCost > 0 && u.FailedPrompt+u.FailedCompletion > 0 {
		return undefined("the cost of %d of %d calls is unknown", u.UnknownCost, u.Calls)
	}
	return of(u.FailedCost, 0, "the sum is not finite")
}

// Answers are the calls that did not end in an error.
func (u Usage) Answers() int { return u.Calls - u.Failed }

// Slip is a way in which answers are not what was asked for.
type Slip struct {
	What  string // of an answer
	Count int
	Cure  string
	Often bool // in more than 2 % of the answers
}

// Slips are those that the answers have, each with its cure.
func (u Usage) Slips() (out []Slip) {
	for _, s := range []Slip{
		{What: "cut off by the output limit", Count: u.CutOff, Cure: "raise max_tokens of the model, or lower its reasoning_effort"},
		{What: "refused or filtered", Count: u.Refusals, Cure: "read what was refused with `tauguide show`; a provider's filter has settings of its own"},
		{What: "given with a tool call left in the text, which nobody carries out", Count: u.CallsInText,
			Cure: "have the server turn them into calls: vLLM needs --enable-auto-tool-choice and the model's --tool-call-parser, llama.cpp --jinja"},
	} {
		if s.Count > 0 {
			s.Often = 50*s.Count > u.Answers()
			out = append(out, s)
		}
	}
	return out
}

// Add adds other usage.
func (u *Usage) Add(v Usage) {
	u.Calls += v.Calls
	u.Prompt += v.Prompt
	u.Cached += v.Cached
	u.Completion += v.Completion
	u.UnknownTokens += v.UnknownTokens
	u.UnknownCached += v.UnknownCached
	u.UnknownCost += v.UnknownCost
	u.Cost += v.Cost
	u.Seconds += v.Seconds
	u.Failed += v.Failed
	u.FailedPrompt += v.FailedPrompt
	u.FailedCompletion += v.FailedCompletion
	u.FailedCost += v.FailedCost
	u.Refusals += v.Refusals
	u.CutOff += v.CutOff
	u.CallsInText += v.CallsInText
	u.Billed += v.Billed
}

// Use is what the calls of a role took in so many conversations.
type Use struct {
	Usage
	Conversations int
}

// Costs is what a role costs (paper, Table 14), each but the total with its interval over tasks. A figure that misses some
// call is undefined, never a partial sum: show it as unknown.
type Costs struct {
	CallsPerTask   Estimate // in a conversation
	TokensPerTask  Estimate // in a conversation, prompt and completion
	PromptPerCall  Estimate // tokens of an answered call
	CachedShare    Estimate // of the prompt tokens, 0 to 1
	OutputPerCall  Estimate // like PromptPerCall
	Dollars        Estimate // total
	DollarsPerTask Estimate // in a conversation
}

// CostOf summarises the use of a role in the conversations about each task: an Amount for a conversation or a call is the
// quotient of the sums over all, the share of cached tokens a Share; the dollars of all together are a sum.
func CostOf(tasks map[string]Use) Costs {
	u := Total(tasks).Usage
	quotient := func(estimate func(Parts, string) Estimate, sum, size func(Use) float64, why string) Estimate {
		parts := Parts{}
		for task, x := range tasks {
			parts.Add(task, sum(x), size(x))
		}
		return estimate(parts, why)
	}
	conversations := func(x Use) float64 { return float64(x.Conversations) }
	answers := func(x Use) float64 { return float64(x.Answers()) }
	prompt := func(x Use) float64 { return float64(x.Prompt) }
	c := Costs{
		CallsPerTask:   quotient(Amount, func(x Use) float64 { return float64(x.Calls) }, conversations, "no conversations"),
		TokensPerTask:  quotient(Amount, func(x Use) float64 { return float64(x.Prompt + x.Completion) }, conversations, "no conversations"),
		PromptPerCall:  quotient(Amount, func(x Use) float64 { return float64(x.Prompt - x.FailedPrompt) }, answers, "no calls"),
		CachedShare:    quotient(Share, func(x Use) float64 { return float64(x.Cached) }, prompt, "no prompt tokens"),
		OutputPerCall:  quotient(Amount, func(x Use) float64 { return float64(x.Completion - x.FailedCompletion) }, answers, "no calls"),
		Dollars:        of(u.Cost, 0, "the sum is not finite"),
		DollarsPerTask: quotient(Amount, func(x Use) float64 { return x.Cost }, conversations, "no conversations"),
	}
	unknown := func(n int, what string, of ...*Estimate) {
		if n > 0 {
			for _, e := range of {
				*e = undefined("%s", fmt.Sprintf(what, n, u.Calls))
				e.Interval.Reason = e.Reason
			}
		}
	}
	unknown(u.UnknownCached, "%d of %d calls came without a count of cached tokens", &c.CachedShare)
	unknown(u.UnknownTokens, "%d of %d calls came without counts of tokens", &c.PromptPerCall, &c.OutputPerCall, &c.CachedShare, &c.TokensPerTask)
	unknown(u.UnknownCost, "the cost of %d of %d calls is unknown", &c.Dollars, &c.DollarsPerTask)
	return c
}

// Total sums the use over tasks, in the order of their ids.
func Total(tasks map[string]Use) (sum Use) {
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		sum.Add(tasks[task].Usage)
		sum.Conversations += tasks[task].Conversations
	}
	return sum
}

// MeanSeconds is the mean wall clock of conversations. It has no interval: how many ran at once matters more than which.
func MeanSeconds(each []float64) Estimate {
	if len(each) == 0 {
		return undefined("no conversation ran to its end")
	}
	return of(stat.Mean(each, nil), len(each), "a time is not finite")
}

// TimesAs is the ratio of two estimates, such as a wall clock to that of ReAct.
func TimesAs(a, b Estimate) Estimate {
	switch {
	case !a.Defined:
		return Estimate{Reason: a.Reason}
	case !b.Defined:
		return Estimate{Reason: b.Reason}
	}
	return over(a.Value, b.Value, "what it is compared with is 0")
}

// over is the quotient of a sum, undefined for the given reason where n is 0.
func over(sum, n float64, why string) Estimate {
	return of(sum/n, 0, why)
}
