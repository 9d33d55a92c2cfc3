package report

import (
	"fmt"

	"github.com/tauguide/tauguide/metrics"
)

// passColumns are Pass^k for all tasks and the two slices.
func passColumns(k int, paper func(r row, k int, s metrics.Slice) *float64) []metric {
	var out []metric
	for _, s := range []metrics.Slice{metrics.All, metrics.PV, metrics.Mut} {
		out = append(out, metric{Column{fmt.Sprintf("pass^%d_%s", k, s), fmt.Sprintf("Pass^%d %s", k, s), true}, 3,
			func(r row) Cell { return slicePass(r.own, s, k) },
			func(r row) *float64 { return paper(r, k, s) }})
	}
	return out
}

// slicePass is Pass^k of a slice.
func slicePass(all []metrics.Outcome, s metrics.Slice, k int) Cell {
	part := metrics.Select(all, s)
	if len(part) == 0 {
		return Dash(fmt.Sprintf("no %s tasks", s))
	}
	c := estimate(metrics.PassHat(part, k))
	if c.Why != "" && s != metrics.All {
		c.Why = fmt.Sprintf("%s: %s", s, c.Why)
	}
	return c
}

// mainTable is Table 1.
func mainTable(in Input) Table {
	cols := append(passColumns(1, in.paper1), passColumns(paperTrials, in.paper1)...)
	return in.layoutOf(Table{Number: 1, Name: "main", Title: "Pass^1 and Pass^4"}, mainFrame(), cols)
}

// ablations is Table 2.
func ablations(in Input) Table {
	kinds := []Kind{ReAct, PolicyGuideSelf, PolicyGuideRaw, PolicyGuide}
	f := frame{config: "table2", domains: paperDomains(), splits: test(), kinds: kinds, only: among(kinds...)}
	return in.layoutOf(Table{Number: 2, Name: "ablations", Title: "What of PolicyGuide it takes, Pass^4"}, f, passColumns(paperTrials, in.paper2))
}

// controllers is Table 3.
func controllers(in Input) Table {
	kinds := []Kind{ReAct, PolicyGuard, FlowAgent, PolicyGuide}
	f := frame{config: "table3", domains: []string{"telecom"}, splits: test(), kinds: kinds,
		scope: map[Kind]string{FlowAgent: "telecom"}, only: among(kinds...)}
	control := map[Kind]string{ReAct: "the agent alone", PolicyGuard: "checks single actions", FlowAgent: "workflow in the agent, control of its calls",
		PolicyGuide: "a verifier outside with the graph"}
	cols := []metric{
		{Column{Key: "control", Title: "Control at run time"}, 0, func(r row) Cell { return Label(control[r.system.Kind]) }, nil},
		{Column{"pass^4", "Pass^4", true}, 3, func(r row) Cell { return slicePass(r.own, metrics.All, paperTrials) }, in.paper3},
	}
	return in.layoutOf(Table{Number: 3, Name: "controllers", Title: "Workflow controllers, Pass^4"}, f, cols)
}

// agentFamilies is Table 4.
func agentFamilies(in Input) Table {
	kinds := []Kind{ReAct, PolicyGuard, PolicyGuide}
	f := frame{config: "table4", domains: []string{"airline"}, splits: base(), kinds: kinds, families: families[:], only: among(kinds...), closed: true}
	return in.layoutOf(Table{Number: 4, Name: "models", Title: "One workflow, agents of several families, Pass^4"}, f, passColumns(paperTrials, in.paper4))
}

// guardAblations is our own: what of PolicyGuard it takes. The paper has two of its rows on airline, in Table 1.
func guardAblations(in Input) Table {
	kinds := []Kind{ReAct, PolicyGuardRawCalls, PolicyGuardRaw, PolicyGuardChecklist, PolicyGuard}
	f := frame{config: "policyguard", domains: []string{"airline"}, splits: base(), kinds: kinds, only: among(kinds...)}
	told := map[Kind]string{ReAct: "no guard", PolicyGuardRawCalls: "policy, calls without words", PolicyGuardRaw: "policy, conversation",
		PolicyGuardChecklist: "checklist, conversation", PolicyGuard: "policy, checklist, conversation"}
	cols := append([]metric{{Column{Key: "told", Title: "What the guard is told"}, 0, func(r row) Cell { return Label(told[r.system.Kind]) }, nil}},
		passColumns(paperTrials, in.paper1)...)
	return in.layoutOf(Table{Name: "guard-ablations", Title: "What of PolicyGuard it takes, Pass^4"}, f, cols)
}

// among makes the filter of a table that shows these kinds and no others.
func among(kinds ...Kind) func(Kind) bool {
	return func(k Kind) bool {
		for _, x := range kinds {
			if x == k {
				return true
			}
		}
		return false
	}
}
