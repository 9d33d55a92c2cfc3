package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/llm"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/sim"
)

// FromRun reads what the tables need of a run: the outcome of every planned trial, and the spending by role. A trial
// without a record is void.
func FromRun(r *runs.Run) (Source, error) {
	m := r.Manifest()
	s := Source{Name: m.Name, Synthetic: m.Synthetic, Identity: short(m.Identity), Models: models(m.Config), Spent: map[Spender]*Spending{}}
	entries := map[sim.Key]runs.Entry{}
	for _, e := range r.Index() {
		entries[e.Key] = e
	}
	for _, p := range r.Plan() {
		o := metrics.Outcome{Domain: p.Domain, System: p.System, Task: p.Task, Trial: p.Trial, Mut: p.Mut, State: metrics.Void}
		if e, ok := entries[p.Key]; ok {
			o.State = state(e)
		}
		s.Outcomes = append(s.Outcomes, o)
	}
	scores, err := r.Scores()
	if err != nil {
		return s, err
	}
	for rec, err := range r.Records() {
		if err != nil {
			return s, err
		}
		s.spend(rec.Key, rec.Calls)
		s.spend(rec.Key, scores[runs.Ref{Key: rec.Key, Attempt: rec.Attempt}].JudgeCalls)
	}
	return s, nil
}

func state(e runs.Entry) metrics.State {
	switch {
	case !e.Termination.Evaluable():
		return metrics.Void
	case e.Reward == nil:
		return metrics.Pending
	case sim.Success(*e.Reward):
		return metrics.Success
	}
	return metrics.Failure
}

func short(hash string) string {
	if len(hash) > 12 {
		return hash[:12]
	}
	return hash
}

// models says which model played which role.
func models(c *runs.Config) string {
	if c == nil {
		return "models unknown"
	}
	var systems []string
	for _, s := range c.Systems {
		name := s.Model
		if name == "" {
			name = "no model"
		}
		systems = append(systems, s.Name+": "+name)
	}
	out := strings.Join(systems, ", ") + "; user: " + c.User.Model
	if c.Judge.Model != "" {
		out += "; judge: " + c.Judge.Model
	}
	return out
}

// Spender is a role of a system.
type Spender struct{ Domain, System, Role string }

// Spending sums the model calls of a role.
type Spending struct {
	Calls, Trials              int
	Prompt, Cached, Completion int64
	UnknownTokens, UnknownCost int // calls that the sums miss
	Cost                       float64
	last                       sim.Key // records come one by one, so a new key is a new trial
}

func (s *Source) spend(k sim.Key, calls []sim.ModelCall) {
	for _, c := range calls {
		at := Spender{k.Domain, k.System, c.Role}
		sum := s.Spent[at]
		if sum == nil {
			sum = &Spending{last: sim.Key{Trial: -1}}
			s.Spent[at] = sum
		}
		if sum.last != k {
			sum.Trials++
			sum.last = k
		}
		sum.add(c.Usage, c.Cost)
	}
}

func (s *Spending) add(u llm.Usage, cost *float64) {
	s.Calls++
	s.Prompt += u.PromptTokens.N
	s.Cached += u.CachedTokens.N
	s.Completion += u.CompletionTokens.N
	if !u.PromptTokens.Known || !u.CompletionTokens.Known {
		s.UnknownTokens++
	}
	if cost == nil {
		s.UnknownCost++
		return
	}
	s.Cost += *cost
}

// Usage is the table of model calls, tokens and cost by role. A sum that misses a figure is marked, never shown as if
// it were whole; an unknown price is "?", never zero.
func Usage(sources []Source) Table {
	t := Table{Title: "Model calls by role", Columns: []Column{{Key: "run", Title: "Run"}, {Key: "domain", Title: "Domain"},
		{Key: "system", Title: "System"}, {Key: "role", Title: "Role"}, {Key: "calls", Title: "Calls", Numeric: true},
		{Key: "trials", Title: "in trials", Numeric: true}, {Key: "calls_per_trial", Title: "Calls/trial", Numeric: true}, {Key: "prompt_tokens", Title: "Prompt tokens", Numeric: true},
		{Key: "cached_tokens", Title: "of these cached", Numeric: true}, {Key: "completion_tokens", Title: "Completion tokens", Numeric: true},
		{Key: "cost", Title: "Cost ($)", Numeric: true}}}
	for _, s := range sources {
		t.Synthetic = t.Synthetic || s.Synthetic
		for _, at := range s.spenders() {
			sum := s.Spent[at]
			cost := Cell{Text: "?", Why: fmt.Sprintf("the cost of %d calls is unknown", sum.UnknownCost)}
			if sum.UnknownCost == 0 {
				cost = Cell{Text: fmt.Sprintf("%.4f", sum.Cost), Value: sum.Cost}
			}
			t.Rows = append(t.Rows, []Cell{Label(s.Name), Label(at.Domain), Label(at.System), Label(at.Role), Whole(sum.Calls),
				Whole(sum.Trials), {Text: fmt.Sprintf("%.1f", float64(sum.Calls)/float64(sum.Trials)), Value: float64(sum.Calls) / float64(sum.Trials)},
				sum.tokens(sum.Prompt), sum.tokens(sum.Cached), sum.tokens(sum.Completion), cost})
		}
	}
	return t
}

func (s *Spending) tokens(n int64) Cell {
	if s.UnknownTokens > 0 {
		return Cell{Text: fmt.Sprintf("≥ %d", n), Why: fmt.Sprintf("%d calls came without usage", s.UnknownTokens)}
	}
	return Cell{Text: fmt.Sprint(n), Value: n}
}

// spenders lists the roles in the order of the outcomes' domains and systems.
func (s *Source) spenders() []Spender {
	groups, _ := metrics.ByGroup(s.Outcomes)
	var out []Spender
	for _, g := range groups {
		var roles []string
		for at := range s.Spent {
			if at.Domain == g.Domain && at.System == g.System {
				roles = append(roles, at.Role)
			}
		}
		slices.Sort(roles)
		for _, r := range roles {
			out = append(out, Spender{g.Domain, g.System, r})
		}
	}
	return out
}

// Write writes several tables; as JSON they are one array.
func Write(w io.Writer, f Format, tables ...Table) error {
	if f == JSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(tables)
	}
	for i, t := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := t.Write(w, f); err != nil {
			return err
		}
	}
	return nil
}
