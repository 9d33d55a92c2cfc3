package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// spending sums what attempts cost, and counts what the sums miss.
type spending struct {
	store.Spending
	attempts, unpriced, uncounted, billed int64
}

func (s *spending) add(e store.Entry) {
	s.attempts++
	s.Spending = s.And(e.Spent())
	for _, u := range e.Usage {
		s.billed += int64(u.Billed)
	}
	if e.Cost == nil {
		s.unpriced++
	}
	if e.Tokens == nil {
		s.uncounted++
	}
}

func (s *spending) String() string {
	out := "no cost known"
	switch {
	case s.attempts == 0:
		return "nothing yet"
	case s.unpriced == 0:
		out = dollars(s.Cost)
	case s.unpriced < s.attempts || s.Cost > 0:
		out = fmt.Sprintf("at least %s; the cost of %s of %s attempts is not wholly known", dollars(s.Cost), grouped(s.unpriced), grouped(s.attempts))
	}
	if s.billed > 0 {
		out += " as billed by the provider"
	}
	out += ", " + grouped(s.Tokens) + " tokens"
	if s.uncounted > 0 {
		out += fmt.Sprintf(" (those of %s attempts not wholly known)", grouped(s.uncounted))
	}
	return out
}

// usageLine is a model call, or the sum of a role's.
type usageLine struct {
	Role, Model, Calls               string
	Prompt, Cached, Completion, Cost string
	Tries, Seconds, At, Finish, Note string
}

// lineOf describes one model call.
func lineOf(c sim.ModelCall) usageLine {
	l := usageLine{Role: c.Role, Model: c.Model, Prompt: counted(c.Usage.PromptTokens), Cached: counted(c.Usage.CachedTokens),
		Completion: counted(c.Usage.CompletionTokens), Cost: billed(c), Tries: strconv.Itoa(c.Transport.Attempts), Seconds: seconds(c.Transport.Elapsed),
		At: strconv.Itoa(c.Index), Finish: c.Finish}
	notes := c.Remarks()
	if c.Transport.Replayed {
		notes = append(notes, "from a recording")
	}
	if c.Transport.Served != "" && c.Transport.Served != c.Model {
		notes = append(notes, "served by "+c.Transport.Served)
	}
	if len(c.Dropped) > 0 {
		notes = append(notes, "dropped "+strings.Join(c.Dropped, ", "))
	}
	if len(c.Quirks) > 0 {
		notes = append(notes, strings.Join(c.Quirks, ", "))
	}
	l.Note = strings.Join(notes, "; ")
	return l
}

// billed is the cost of a call, and who says so.
func billed(c sim.ModelCall) string {
	if c.Billed() {
		return cost(c.Cost) + " (billed)"
	}
	return cost(c.Cost)
}

// slips says what of a role's calls were not answers as they were asked for.
func slips(u metrics.Usage) string {
	var notes []string
	if u.Failed > 0 {
		notes = append(notes, fmt.Sprintf("%d failed", u.Failed))
	}
	if n := u.FailedPrompt + u.FailedCompletion; n > 0 {
		notes = append(notes, grouped(n)+" tokens of what failed")
	}
	for _, s := range u.Slips() {
		notes = append(notes, fmt.Sprintf("%d %s", s.Count, s.What))
	}
	if u.Billed > 0 {
		notes = append(notes, "cost as billed")
	}
	return strings.Join(notes, "; ")
}

// usageOf sums the model calls of a conversation and its grading by role, and lists them.
func usageOf(t transcript.Trial) (sums, calls, judging []usageLine) {
	all := t.Record.Calls
	for _, c := range t.Record.Calls {
		calls = append(calls, lineOf(c))
	}
	if t.Score != nil {
		all = slices.Concat(all, t.Score.JudgeCalls)
		for _, c := range t.Score.JudgeCalls {
			judging = append(judging, lineOf(c))
		}
	}
	tries := map[string]int{}
	for _, c := range all {
		tries[c.Role] += c.Transport.Attempts
	}
	for _, u := range store.AddUsage(nil, all) {
		sums = append(sums, usageLine{Role: u.Role, Calls: strconv.Itoa(u.Calls), Prompt: lacking(grouped(u.Prompt), u.UnknownTokens, u.Calls),
			Cached: lacking(grouped(u.Cached), u.UnknownCached, u.Calls), Completion: lacking(grouped(u.Completion), u.UnknownTokens, u.Calls),
			Cost: lacking(dollars(u.Cost), u.UnknownCost, u.Calls), Tries: strconv.Itoa(tries[u.Role]), Seconds: seconds(u.Seconds), Note: slips(u.Usage)})
	}
	return sums, calls, judging
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
