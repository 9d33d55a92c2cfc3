package trials

import (
	"fmt"

	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
)

// Spending sums what attempts cost, and counts what the sums miss.
type Spending struct {
	store.Spending
	attempts, unpriced, uncounted, billed int64
}

// Add adds an attempt.
func (s *Spending) Add(e store.Entry) {
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

// String says what it came to, and what of it is not known.
func (s *Spending) String() string {
	out := "no cost known"
	switch {
	case s.attempts == 0:
		return "nothing yet"
	case s.unpriced == 0:
		out = transcript.Dollars(s.Cost)
	case s.unpriced < s.attempts || s.Cost > 0:
		out = fmt.Sprintf("at least %s; the cost of %s of %s attempts is not wholly known", transcript.Dollars(s.Cost), transcript.Grouped(s.unpriced), transcript.Grouped(s.attempts))
	}
	if s.billed > 0 {
		out += " as billed by the provider"
	}
	out += ", " + transcript.Grouped(s.Tokens) + " tokens"
	if s.uncounted > 0 {
		out += fmt.Sprintf(" (those of %s attempts not wholly known)", transcript.Grouped(s.uncounted))
	}
	return out
}
