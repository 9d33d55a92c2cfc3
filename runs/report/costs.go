package report

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/metrics"
)

// guides are the roles that stand beside an agent.
func guides() []string { return []string{"guide", "guard"} }

// guiding sums what the guide or guard of a row spent; nil if it has none, with the role's name.
func (r row) guiding() (*Spending, string) {
	for _, role := range guides() {
		if sum := r.source.Spent[Spender{r.domain, r.system.Name, role}]; sum != nil {
			return sum, role
		}
	}
	return nil, ""
}

// held counts the conversations of a row that have a record.
func (r row) held() int {
	n := 0
	for _, t := range r.source.Trials {
		if t.Domain == r.domain && t.System == r.system.Name {
			n++
		}
	}
	return n
}

// guideUsage is Table 14.
func guideUsage(in Input) Table {
	f := frame{config: "table17", domains: paperDomains(), splits: test(), kinds: []Kind{PolicyGuide},
		only: func(k Kind) bool {
			return slices.Contains([]Kind{PolicyGuide, PolicyGuideRaw, PolicyGuard, PolicyGuardRaw, PolicyGuardRawCalls, PolicyGuardChecklist, ToolGuard}, k)
		}}
	of := func(digits int, scale float64, pick func(metrics.Costs) metrics.Estimate) func(row) Cell {
		return func(r row) Cell {
			sum, _ := r.guiding()
			if sum == nil {
				return Dash("its guide asks no model")
			}
			return sum.cell(pick(metrics.CostOf(sum.use(), r.held())), digits, scale)
		}
	}
	at := func(i int) func(row) *float64 { return func(r row) *float64 { return in.paper14(r, i) } }
	cols := []metric{
		{Column{Key: "role", Title: "Role"}, 0, func(r row) Cell {
			if _, role := r.guiding(); role != "" {
				return Label(role)
			}
			return Dash("its guide asks no model")
		}, nil},
		{Column{"conversations", "Conversations", true}, 0, func(r row) Cell { return Whole(r.held()) }, nil},
		{Column{"calls_per_task", "Calls/task", true}, 2, of(2, 1, func(c metrics.Costs) metrics.Estimate { return c.CallsPerTask }), at(0)},
		{Column{"prompt_per_call", "Prompt tok/call", true}, 0, of(0, 1, func(c metrics.Costs) metrics.Estimate { return c.PromptPerCall }), at(1)},
		{Column{"cached_percent", "Cached %", true}, 1, of(1, 100, func(c metrics.Costs) metrics.Estimate { return c.CachedShare }), at(2)},
		{Column{"output_per_call", "Output tok/call", true}, 0, of(0, 1, func(c metrics.Costs) metrics.Estimate { return c.OutputPerCall }), at(3)},
		{Column{"dollars", "Total $", true}, 2, of(2, 1, func(c metrics.Costs) metrics.Estimate { return c.Dollars }), at(4)},
		{Column{"dollars_per_task", "$/task", true}, 2, of(2, 1, func(c metrics.Costs) metrics.Estimate { return c.DollarsPerTask }), at(5)},
	}
	t := in.layoutOf(Table{Number: 14, Name: "guide", Title: "Model use of guides and guards"}, f, cols)
	t.Notes = append(t.Notes, "a task is one conversation: totals of all trials, divided by their number; agent, user and judge are not in it (table calls has them)")
	if in.Published {
		t.Notes = append(t.Notes, "the paper's totals are of one conversation for each task")
	}
	return t
}

// wallClock is Table 15.
func wallClock(in Input) Table {
	f := frame{config: "table17", domains: paperDomains(), splits: test(), kinds: []Kind{ReAct, PolicyGuide}}
	cols := []metric{
		{Column{"seconds_per_task", "s/task", true}, 1, func(r row) Cell { return seconds(r.source, r.domain, r.system.Name) }, func(r row) *float64 { return in.paper15(r, false) }},
		{Column{"ratio", "/ ReAct", true}, 2, ratio, func(r row) *float64 { return in.paper15(r, true) }},
	}
	t := in.layoutOf(Table{Number: 15, Name: "time", Title: "Wall clock of a conversation"}, f, cols)
	t.Notes = append(t.Notes, "mean over the conversations that ran to an evaluable end, waiting for models and tools included; how many ran at once matters")
	return t
}

// seconds is the mean wall clock of a system's conversations.
func seconds(s *Source, domain, system string) Cell {
	e := meanSeconds(s, domain, system)
	switch {
	case !e.Defined:
		return Dash(e.Reason)
	case e.Value < 1:
		return Number(e.Value, 3)
	}
	return Number(e.Value, 1)
}

func meanSeconds(s *Source, domain, system string) metrics.Estimate {
	var each []float64
	for _, t := range s.Trials {
		if t.Domain == domain && t.System == system && t.State != metrics.Void {
			each = append(each, t.Seconds)
		}
	}
	return metrics.MeanSeconds(each)
}

// ratio is the wall clock of a system over that of the same run's ReAct.
func ratio(r row) Cell {
	for _, s := range r.source.Systems {
		if !s.stands(ReAct) || s.Model != r.system.Model && r.system.Model != "" {
			continue
		}
		e := metrics.TimesAs(meanSeconds(r.source, r.domain, r.system.Name), meanSeconds(r.source, r.domain, s.Name))
		if !e.Defined {
			return Dash(e.Reason)
		}
		return Number(e.Value, 2)
	}
	return Dash(fmt.Sprintf("run %s has no ReAct with the same model on %s", r.source.Name, r.domain))
}
