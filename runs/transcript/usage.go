package transcript

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Grouped writes a whole number with commas.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Dollars writes a sum.
func Dollars(v float64) string {
	digits := 2
	if v > 0 && v < 1 {
		digits = 4
	}
	return "$" + strconv.FormatFloat(v, 'f', digits, 64)
}

// Cost is a sum of dollars, or a question mark.
func Cost(c *float64) string {
	if c == nil {
		return "?"
	}
	return Dollars(*c)
}

// Tokens is a number of tokens, or a question mark.
func Tokens(n *int64) string {
	if n == nil {
		return "?"
	}
	return Grouped(*n)
}

// Counted is a number that an endpoint told, or a question mark.
func Counted(c llm.Count) string {
	if !c.Known {
		return "?"
	}
	return Grouped(c.N)
}

// Seconds writes a span of time.
func Seconds(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " s"
	}
	return strconv.FormatFloat(v, 'f', 2, 64) + " s"
}

// CallLine is a model call, or the sum of a role's.
type CallLine struct {
	Role, Model, Calls               string
	Prompt, Cached, Completion, Cost string
	Tries, Seconds, Finish, Note     string
	To                               string // page of the call; "" where there is none
}

// LineOf describes one model call.
func LineOf(a Asked, to string) CallLine {
	return CallLine{Role: a.Name(), Model: a.Model, Prompt: Counted(a.Usage.PromptTokens), Cached: Counted(a.Usage.CachedTokens),
		Completion: Counted(a.Usage.CompletionTokens), Cost: billed(a.ModelCall), Tries: strconv.Itoa(a.Transport.Attempts),
		Seconds: Seconds(a.Transport.Elapsed), Finish: a.Finish, Note: strings.Join(a.Notes, "; "), To: to}
}

// billed is the cost of a call, and who says so.
func billed(c sim.ModelCall) string {
	if c.Billed() {
		return Cost(c.Cost) + " (billed)"
	}
	return Cost(c.Cost)
}

// SumLines describes what the calls of each role came to.
func SumLines(calls []sim.ModelCall) (out []CallLine) {
	tries := map[string]int{}
	for _, c := range calls {
		tries[c.Role] += c.Transport.Attempts
	}
	for _, u := range store.AddUsage(nil, calls) {
		out = append(out, CallLine{Role: u.Role, Calls: strconv.Itoa(u.Calls), Prompt: lacking(Grouped(u.Prompt), u.UnknownTokens, u.Calls),
			Cached: lacking(Grouped(u.Cached), u.UnknownCached, u.Calls), Completion: lacking(Grouped(u.Completion), u.UnknownTokens, u.Calls),
			Cost: lacking(Dollars(u.Cost), u.UnknownCost, u.Calls), Tries: strconv.Itoa(tries[u.Role]), Seconds: Seconds(u.Seconds), Note: strings.Join(slips(u.Usage), "; ")})
	}
	return out
}

// slips says what of a role's calls were not answers as they were asked for.
func slips(u metrics.Usage) (notes []string) {
	if u.Failed > 0 {
		notes = append(notes, fmt.Sprintf("%d failed", u.Failed))
	}
	if n := u.FailedPrompt + u.FailedCompletion; n > 0 {
		notes = append(notes, Grouped(n)+" tokens of what failed")
	}
	for _, s := range u.Slips() {
		notes = append(notes, fmt.Sprintf("%d %s", s.Count, s.What))
	}
	if u.Billed > 0 {
		notes = append(notes, "cost as billed")
	}
	return notes
}

// lacking marks a sum that misses some of its parts, or all.
func lacking(sum string, missing, of int) string {
	switch missing {
	case 0:
		return sum
	case of:
		return "?"
	}
	return fmt.Sprintf("≥ %s (%d of %d not known)", sum, missing, of)
}
