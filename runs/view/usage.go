package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// spending sums what attempts cost, and counts what the sums miss.
type spending struct {
	attempts, unpriced, uncounted int64
	dollars                       float64
	tokens                        int64
}

func (s *spending) add(e *store.Entry) {
	s.attempts++
	if e.Cost == nil {
		s.unpriced++
	}
	if e.Tokens == nil {
		s.uncounted++
	}
	for _, u := range e.Usage {
		s.dollars += u.Cost
		s.tokens += u.Prompt + u.Completion
	}
	if e.Usage == nil { // of an older program
		if e.Cost != nil {
			s.dollars += *e.Cost
		}
		if e.Tokens != nil {
			s.tokens += *e.Tokens
		}
	}
}

func (s *spending) String() string {
	out := "no cost known"
	switch {
	case s.attempts == 0:
		return "nothing yet"
	case s.unpriced == 0:
		out = dollars(s.dollars)
	case s.unpriced < s.attempts || s.dollars > 0:
		out = fmt.Sprintf("at least %s; the cost of %s of %s attempts is not wholly known", dollars(s.dollars), grouped(s.unpriced), grouped(s.attempts))
	}
	out += ", " + grouped(s.tokens) + " tokens"
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
		Completion: counted(c.Usage.CompletionTokens), Cost: cost(c.Cost), Tries: strconv.Itoa(c.Transport.Attempts), Seconds: seconds(c.Transport.Elapsed),
		At: strconv.Itoa(c.Index), Finish: c.Finish}
	var notes []string
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

// usageOf sums the model calls of a conversation and its grading by role, and lists them.
func usageOf(t show.Trial) (sums, calls, judging []usageLine) {
	type sum struct {
		n, tries                               int
		prompt, cached, completion             llm.Count
		cost, seconds                          float64
		unpriced, uncounted, unread, unfetched int
	}
	by := map[string]*sum{}
	all := t.Record.Calls
	if t.Score != nil {
		all = slices.Concat(all, t.Score.JudgeCalls)
		for _, c := range t.Score.JudgeCalls {
			judging = append(judging, lineOf(c))
		}
	}
	add := func(to *llm.Count, c llm.Count, missing *int) {
		to.N += c.N
		if !c.Known {
			*missing++
		}
	}
	for _, c := range all {
		s := by[c.Role]
		if s == nil {
			s = &sum{}
			by[c.Role] = s
		}
		s.n++
		s.tries += c.Transport.Attempts
		s.seconds += c.Transport.Elapsed
		add(&s.prompt, c.Usage.PromptTokens, &s.uncounted)
		add(&s.completion, c.Usage.CompletionTokens, &s.unread)
		add(&s.cached, c.Usage.CachedTokens, &s.unfetched)
		if c.Cost == nil {
			s.unpriced++
		} else {
			s.cost += *c.Cost
		}
	}
	for role, s := range by {
		sums = append(sums, usageLine{Role: role, Calls: strconv.Itoa(s.n), Prompt: lacking(grouped(s.prompt.N), s.uncounted, s.n),
			Cached: lacking(grouped(s.cached.N), s.unfetched, s.n), Completion: lacking(grouped(s.completion.N), s.unread, s.n),
			Cost: lacking(dollars(s.cost), s.unpriced, s.n), Tries: strconv.Itoa(s.tries), Seconds: seconds(s.seconds)})
	}
	slices.SortFunc(sums, func(a, b usageLine) int { return cmp.Compare(a.Role, b.Role) })
	for _, c := range t.Record.Calls {
		calls = append(calls, lineOf(c))
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
