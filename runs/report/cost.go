package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim"
)

// Spender is a role of a system.
type Spender struct{ Domain, System, Role string }

// Spending is what the model calls of a role took, by task; conversations are those in which the role was asked.
type Spending struct {
	Scripted bool // no real model answers, so that nothing has a price
	Tasks    map[string]metrics.Use
}

// spend adds the usage of one trial.
func (s *Source) spend(c *config.Config, k sim.Key, usage []store.RoleUsage) {
	for _, u := range usage {
		at := Spender{k.Domain, k.System, u.Role}
		if s.Spent[at] == nil {
			s.Spent[at] = &Spending{scripted(c, k.System, u.Role), map[string]metrics.Use{}}
		}
		x := s.Spent[at].Tasks[k.Task]
		x.Add(u.Usage)
		x.Conversations++
		s.Spent[at].Tasks[k.Task] = x
	}
}

// scripted reports whether scripted models alone can have played a role of a system.
func scripted(c *config.Config, system, role string) bool {
	real := func(name string) bool { m, ok := c.Models[name]; return ok && !m.Synthetic }
	switch at := slices.IndexFunc(c.Systems, func(s config.System) bool { return s.Name == system }); {
	case role == "user":
		return !real(c.User.Model)
	case role == "judge":
		return !real(c.Judge.Model)
	case role == "agent" && at >= 0:
		return !real(c.Systems[at].Model)
	}
	return !slices.ContainsFunc(slices.Collect(maps.Keys(c.Models)), real) // a guide may ask any
}

// cell is a cell of a figure of the spending. One that exists and is unknown is "?", never a partial sum; of scripted
// models there is none.
func (s roleRow) cell(c Cell) Cell {
	switch {
	case c.Value != nil:
	case s.spent.Scripted:
		c.Text, c.Why = "–", "scripted models have no price"
	case s.UnknownTokens+s.UnknownCached+s.UnknownCost > 0 && s.Calls > 0:
		c.Text = "?"
	}
	return c
}

// tokens is a cell of a sum of tokens, marked where it misses some calls.
func (s roleRow) tokens(n int64) Cell {
	if s.UnknownTokens > 0 {
		return Cell{Text: fmt.Sprintf("≥ %d", n), Why: fmt.Sprintf("%d calls came without usage", s.UnknownTokens)}
	}
	return Cell{Text: fmt.Sprint(n), Value: n}
}

// roleRow is a role of a system on a domain, with all that it used.
type roleRow struct {
	row
	role  string
	spent *Spending
	metrics.Use
}

// roleRows are the roles of all rows.
func roleRows(in Input) (rows []roleRow) {
	for i := range in.Sources {
		for _, r := range in.Sources[i].rows() {
			rows = append(rows, r.roles()...)
		}
	}
	return rows
}

// callsByRole is the table of model calls, tokens and cost. A sum that misses a figure is marked, never shown as if it
// were whole; an unknown price is "?", never zero.
func callsByRole(in Input, t *Table) error {
	rows, n := roleRows(in), remarks{in: in}
	each := func(decimals int, of func(metrics.Costs) metrics.Estimate) func(roleRow) Cell {
		return func(r roleRow) Cell {
			c := r.cell(estimate(of(metrics.CostOf(r.spent.Tasks)), decimals))
			if c.Value != nil {
				n.undefined(r.row, c) // of the interval alone
			}
			return c
		}
	}
	cols := append(lift(whose(true, false), func(r roleRow) row { return r.row }), []column[roleRow]{
		{"role", "Role", words, "", func(r roleRow) Cell { return Label(r.role) }},
		{"calls", "Calls|all|Calls", 0, "", func(r roleRow) Cell { return Whole(r.Calls) }},
		{"trials", "Calls|in trials|in trials", 0, "", func(r roleRow) Cell { return Whole(r.Conversations) }},
		{"calls_per_trial", "Calls|per trial|Calls/trial", 1, "", each(1, func(c metrics.Costs) metrics.Estimate { return c.CallsPerTask })},
		{"prompt_tokens", "Tokens|prompt|Prompt tokens", 0, "", func(r roleRow) Cell { return r.tokens(r.Prompt) }},
		{"cached_tokens", "Tokens|cached|of these cached", 0, "", func(r roleRow) Cell { return r.tokens(r.Cached) }},
		{"completion_tokens", "Tokens|completion|Completion tokens", 0, "", func(r roleRow) Cell { return r.tokens(r.Completion) }},
		{"tokens_per_trial", "Tokens|per trial|Tokens/trial", 0, "", each(0, func(c metrics.Costs) metrics.Estimate { return c.TokensPerTask })},
		{"cost", "Cost ($)|all|Cost ($)", 4, "", func(r roleRow) Cell { return r.cell(estimate(metrics.CostOf(r.spent.Tasks).Dollars, 4)) }},
		{"cost_per_trial", "Cost ($)|per trial|Cost ($)/trial", 4, "", each(4, func(c metrics.Costs) metrics.Estimate { return c.DollarsPerTask })},
	}...)
	fill(t, cols, rows, nil)
	t.Notes = append(t.Notes, n.lines()...)
	t.billed(rows, len(in.Sources) > 1)
	return nil
}

// billed notes whose dollars are what providers billed.
func (t *Table) billed(rows []roleRow, several bool) {
	var of []string
	for _, r := range rows {
		if r.Billed > 0 {
			of = append(of, r.role+" of "+r.place(several))
		}
	}
	if len(of) > 0 {
		t.Notes = append(t.Notes, "the dollars of "+strings.Join(of, ", ")+" are what the provider billed, since no price tells them")
	}
}

// answersByRole is the table of how calls ended, beside their cost.
func answersByRole(in Input, t *Table) error {
	rows := roleRows(in)
	count := func(key, title string, n func(metrics.Usage) int) column[roleRow] {
		return column[roleRow]{key, title, 0, "", func(r roleRow) Cell { return Whole(n(r.Usage)) }}
	}
	fill(t, append(lift(whose(true, false), func(r roleRow) row { return r.row }),
		column[roleRow]{"role", "Role", words, "", func(r roleRow) Cell { return Label(r.role) }},
		count("answers", "Answers", metrics.Usage.Answers),
		count("refusals", "refused or filtered", func(u metrics.Usage) int { return u.Refusals }),
		count("cut_off", "cut off", func(u metrics.Usage) int { return u.CutOff }),
		count("calls_in_text", "call in text", func(u metrics.Usage) int { return u.CallsInText }),
		count("failed", "Failed|calls|Failed calls", func(u metrics.Usage) int { return u.Failed }),
		column[roleRow]{"failed_tokens", "Failed|tokens|failed: tokens", 0, "", func(r roleRow) Cell { return Whole(int(r.FailedPrompt + r.FailedCompletion)) }},
		column[roleRow]{"failed_cost", "Failed|cost ($)|failed: cost ($)", 4, "", func(r roleRow) Cell {
			return r.cell(estimate(r.FailedDollars(), 4))
		}},
	), rows, nil)
	for _, r := range rows {
		for _, s := range r.Slips() {
			if s.Often {
				t.Notes = append(t.Notes, fmt.Sprintf("warning: more than 2 %% of the answers of the %s of %s were %s: %s", r.role, r.place(len(in.Sources) > 1), s.What, s.Cure))
			}
		}
	}
	return nil
}

// roles lists what the roles of a row spent, by name.
func (r row) roles() []roleRow {
	var out []roleRow
	for at, sum := range r.source.Spent {
		if at.Domain == r.domain && at.System == r.system.Name {
			out = append(out, roleRow{r, at.Role, sum, metrics.Total(sum.Tasks)})
		}
	}
	slices.SortFunc(out, func(a, b roleRow) int { return cmp.Compare(a.role, b.role) })
	return out
}

// guide is what the guide or guard of a row spent, the parts that assist an agent; false if it has none that asks a model.
func (r row) guide() (roleRow, bool) {
	for _, role := range []string{"guide", "guard"} {
		if sum := r.source.Spent[Spender{r.domain, r.system.Name, role}]; sum != nil {
			return roleRow{r, role, sum, metrics.Total(sum.Tasks)}, true
		}
	}
	return roleRow{}, false
}

// conversations counts the conversations of a row that have a record, by task.
func (r row) conversations() (n int, by map[string]int) {
	by = map[string]int{}
	for _, t := range r.source.Trials {
		if t.Domain == r.domain && t.System == r.system.Name {
			n++
			by[t.Task]++
		}
	}
	return n, by
}

// ofAll is what the role used in all conversations of its row, those included in which it was not asked.
func (r roleRow) ofAll() map[string]metrics.Use {
	_, by := r.conversations()
	out := map[string]metrics.Use{}
	for task, n := range by {
		out[task] = metrics.Use{Usage: r.spent.Tasks[task].Usage, Conversations: n}
	}
	return out
}

// guideCost is Table 14.
func guideCost(in Input, t *Table) error {
	s := others("table17", test, PolicyGuide)
	s.only = []Kind{PolicyGuide, PolicyGuideRaw, PolicyGuard, PolicyGuardRaw, PolicyGuardRawCalls, PolicyGuardChecklist, ToolGuard}
	cell := func(value func(roleRow) Cell) func(row) Cell {
		return func(r row) Cell {
			if g, ok := r.guide(); ok {
				return value(g)
			}
			return Dash("its guide asks no model")
		}
	}
	cost := func(key, title string, digits int, paper string, value func(metrics.Costs) Cell) column[row] {
		return column[row]{key, title, digits, "table14.$domain.$kind." + paper,
			cell(func(g roleRow) Cell { return g.cell(value(metrics.CostOf(g.ofAll()))) })}
	}
	cols := []column[row]{
		{"role", "Role", words, "", cell(func(g roleRow) Cell { return Label(g.role) })},
		{"conversations", "Conversations", 0, "", func(r row) Cell { n, _ := r.conversations(); return Whole(n) }},
		cost("calls_per_task", "Calls/task", 2, "calls_per_task", func(c metrics.Costs) Cell { return estimate(c.CallsPerTask, 2) }),
		cost("prompt_per_call", "Prompt tok/call", 0, "prompt_per_call", func(c metrics.Costs) Cell { return estimate(c.PromptPerCall, 0) }),
		cost("cached_percent", "Cached %", 1, "cached", func(c metrics.Costs) Cell { return percent(c.CachedShare) }),
		cost("output_per_call", "Output tok/call", 0, "output_per_call", func(c metrics.Costs) Cell { return estimate(c.OutputPerCall, 0) }),
		cost("dollars", "Total $", 2, "dollars", func(c metrics.Costs) Cell { return estimate(c.Dollars, 2) }),
		cost("dollars_per_task", "$/task", 2, "dollars_per_task", func(c metrics.Costs) Cell { return estimate(c.DollarsPerTask, 2) }),
	}
	notes := []string{"a task is one conversation: totals of all trials, divided by their number; agent, user and judge are not in it (table calls has them)"}
	if in.Published {
		notes = append(notes, "the paper's totals are of one conversation for each task")
	}
	guides := slices.DeleteFunc(roleRows(in), func(r roleRow) bool { return r.role != "guide" && r.role != "guard" })
	t.billed(guides, len(in.Sources) > 1)
	return bySystem(s, cols, notes...)(in, t)
}

// seconds is the mean wall clock of a system's conversations.
func seconds(r row) Cell {
	e := r.meanSeconds(r.system.Name)
	if e.Defined && e.Value < 1 {
		return estimate(e, 3)
	}
	return estimate(e, 1)
}

// meanSeconds is the mean wall clock of the evaluable conversations of a system of the row's run on its domain.
func (r row) meanSeconds(system string) metrics.Estimate {
	var each []float64
	for _, t := range r.source.Trials {
		if t.Domain == r.domain && t.System == system && t.State != metrics.Void {
			each = append(each, t.Seconds)
		}
	}
	return metrics.MeanSeconds(each)
}

// timesReAct is the wall clock of a system over that of the same run's ReAct.
func timesReAct(r row) Cell {
	for _, s := range r.source.Systems {
		if s.is(ReAct) && (s.Model == r.system.Model || r.system.Model == "") {
			return estimate(metrics.TimesAs(r.meanSeconds(r.system.Name), r.meanSeconds(s.Name)), 2)
		}
	}
	return Dash(fmt.Sprintf("run %s has no ReAct with the same model on %s", r.source.Name, r.domain))
}
