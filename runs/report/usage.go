package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// Spender is a role of a system.
type Spender struct{ Domain, System, Role string }

// Spending sums the model calls of a role.
type Spending struct {
	Trials int // in which the role was asked
	store.RoleUsage
}

// spend adds the usage of one trial.
func (s *Source) spend(k sim.Key, usage []store.RoleUsage) {
	for _, u := range usage {
		at := Spender{k.Domain, k.System, u.Role}
		sum := s.Spent[at]
		if sum == nil {
			sum = &Spending{RoleUsage: store.RoleUsage{Role: u.Role}}
			s.Spent[at] = sum
		}
		sum.Trials++
		sum.Calls += u.Calls
		sum.Prompt += u.Prompt
		sum.Cached += u.Cached
		sum.Completion += u.Completion
		sum.UnknownTokens += u.UnknownTokens
		sum.UnknownCached += u.UnknownCached
		sum.UnknownCost += u.UnknownCost
		sum.Cost += u.Cost
		sum.Seconds += u.Seconds
	}
}

// Usage is the table of model calls, tokens and cost by role. A sum that misses a figure is marked, never shown as if
// it were whole; an unknown price is "?", never zero.
func Usage(sources []Source) Table {
	t := Table{Name: "calls", Title: "Model calls by role", Columns: []Column{{Key: "run", Title: "Run"}, {Key: "domain", Title: "Domain"},
		{Key: "system", Title: "System"}, {Key: "role", Title: "Role"}, {Key: "calls", Title: "Calls", Numeric: true},
		{Key: "trials", Title: "in trials", Numeric: true}, {Key: "calls_per_trial", Title: "Calls/trial", Numeric: true}, {Key: "prompt_tokens", Title: "Prompt tokens", Numeric: true},
		{Key: "cached_tokens", Title: "of these cached", Numeric: true}, {Key: "completion_tokens", Title: "Completion tokens", Numeric: true},
		{Key: "cost", Title: "Cost ($)", Numeric: true}}}
	t.of(sources)
	for _, s := range sources {
		for _, at := range s.spenders() {
			sum := s.Spent[at]
			cost := metrics.CostOf(sum.use(), sum.Trials)
			t.Rows = append(t.Rows, []Cell{Label(s.Name), Label(at.Domain), Label(at.System), Label(at.Role), Whole(sum.Calls),
				Whole(sum.Trials), sum.cell(cost.CallsPerTask, 1, 1), sum.tokens(sum.Prompt), sum.tokens(sum.Cached), sum.tokens(sum.Completion), sum.cell(cost.Dollars, 4, 1)})
		}
	}
	return t
}

// of names the runs that a table is of.
func (t *Table) of(sources []Source) {
	for _, s := range sources {
		t.Runs = append(t.Runs, s.Provenance)
		t.Synthetic = t.Synthetic || s.Synthetic
	}
}

func (s *Spending) tokens(n int64) Cell {
	if s.UnknownTokens > 0 {
		return Cell{Text: fmt.Sprintf("≥ %d", n), Why: fmt.Sprintf("%d calls came without usage", s.UnknownTokens)}
	}
	return Cell{Text: fmt.Sprint(n), Value: n}
}

// use is the spending as the statistics take it.
func (s *Spending) use() metrics.Use {
	return metrics.Use{Calls: s.Calls, Prompt: s.Prompt, Cached: s.Cached, Output: s.Completion, Dollars: s.Cost,
		UnknownTokens: s.UnknownTokens, UnknownCached: s.UnknownCached, UnknownDue: s.UnknownCost}
}

// cell is a cell of a figure of the spending, times a scale. One that exists and is unknown is "?", never a partial sum.
func (s *Spending) cell(e metrics.Estimate, digits int, scale float64) Cell {
	switch {
	case e.Defined:
		return Number(scale*e.Value, digits)
	case s.UnknownTokens+s.UnknownCached+s.UnknownCost > 0 && s.Calls > 0:
		return Unknown(e.Reason)
	}
	return Dash(e.Reason)
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
