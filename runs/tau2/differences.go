package tau2

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// Basis writes a reward basis like DB+COMMUNICATE; "none" for no basis.
func Basis(basis []domains.RewardType) string {
	if len(basis) == 0 {
		return "none"
	}
	words := make([]string, len(basis))
	for i, b := range basis {
		words[i] = string(b)
	}
	return strings.Join(words, "+")
}

// check is one thing that a component looked at.
type check struct {
	what string
	met  bool
}

// checks lists what a recorded outcome says of a component.
func checks(ri *sim.RewardInfo, t domains.RewardType) []check {
	var out []check
	switch t {
	case domains.RewardDB:
		if ri.DBCheck != nil {
			out = append(out, check{"database", ri.DBCheck.Match})
		}
	case domains.RewardEnv:
		for _, a := range ri.EnvAssertions {
			out = append(out, check{fmt.Sprintf("assertion %s(%s) = %t", a.Assertion.FuncName, argumentsText(a.Assertion.Arguments), a.Assertion.Want), a.Met})
		}
	case domains.RewardAction:
		for _, a := range ri.ActionChecks {
			out = append(out, check{fmt.Sprintf("action %s(%s)", a.Action.Name, argumentsText(a.Action.Arguments)), a.Match})
		}
	case domains.RewardNL:
		for _, v := range ri.NLAssertions {
			out = append(out, check{fmt.Sprintf("judged: %s", v.Assertion), v.Met})
		}
	case domains.RewardCommunicate:
		for _, v := range ri.CommunicateChecks {
			out = append(out, check{fmt.Sprintf("told the user: %q", v.Info), v.Met})
		}
	}
	return out
}

func argumentsText(args any) string {
	b, err := encode(args)
	if err != nil {
		return "?"
	}
	return clip(strings.Trim(string(b), "{}"))
}

// stateOf is the tri-state outcome of checks.
func stateOf(list []check) sim.State {
	switch {
	case len(list) == 0:
		return sim.NA
	case slices.ContainsFunc(list, func(c check) bool { return !c.met }):
		return sim.Fail
	}
	return sim.Pass
}

// States are the components of a recorded outcome as people should read them: what was not looked at, or had nothing to
// look at, is n.a. A task that expects no actions and asserts nothing has a database check that says nothing.
func States(ri *sim.RewardInfo) []sim.Component {
	var out []sim.Component
	for _, t := range components() {
		c := sim.Component{Type: t, State: stateOf(checks(ri, t)), Counted: slices.Contains(ri.RewardBasis, t)}
		if t == domains.RewardDB && c.Counted {
			if _, in := ri.RewardBreakdown[t]; !in {
				c.State, c.Why = sim.NA, "no criteria"
			}
		}
		out = append(out, c)
	}
	return out
}

func components() []domains.RewardType {
	return []domains.RewardType{domains.RewardDB, domains.RewardEnv, domains.RewardAction, domains.RewardNL, domains.RewardCommunicate}
}

// parts lists the components whose recorded outcome is not that of the new score.
func parts(recorded *sim.RewardInfo, s *sim.Score) []Part {
	var out []Part
	for _, t := range components() {
		was, now := checks(recorded, t), checks(&s.Info, t)
		a, b := stateOf(was), stateOf(now)
		i := slices.IndexFunc(s.Components, func(c sim.Component) bool { return c.Type == t })
		counted := slices.Contains(recorded.RewardBasis, t)
		if i >= 0 {
			counted = counted || s.Components[i].Counted
			if s.Components[i].State == sim.Pending {
				b = sim.Pending
			}
		}
		if a == b && sameChecks(was, now) || a == sim.NA && b == sim.NA {
			continue
		}
		if (a == sim.NA || b == sim.NA) && !counted {
			continue // one of the two did not look
		}
		out = append(out, Part{Component: t, Counted: counted, Recorded: a, Computed: b, Why: why(t, was, now, s)})
	}
	return out
}

func sameChecks(a, b []check) bool {
	return slices.EqualFunc(a, b, func(x, y check) bool { return x.met == y.met })
}

// mostChanges bounds the database differences that are told; all of them are in the score.
const mostChanges = 12

func why(t domains.RewardType, was, now []check, s *sim.Score) []string {
	var out []string
	if t == domains.RewardDB {
		for i, c := range s.Diff {
			if i == mostChanges {
				out = append(out, fmt.Sprintf("and %d more", len(s.Diff)-i))
				break
			}
			out = append(out, fmt.Sprintf("%s: wanted %s, got %s", c.Path, clip(c.Want), clip(c.Got)))
		}
		if len(s.Diff) == 0 {
			out = append(out, "the end state is now that of the gold plan")
		}
		return out
	}
	if len(was) != len(now) {
		out = append(out, fmt.Sprintf("%d checks recorded, %d now", len(was), len(now)))
	}
	for i, c := range now {
		switch {
		case i < len(was) && was[i].met == c.met:
		case c.met:
			out = append(out, c.what+": met now")
		default:
			out = append(out, c.what+": not met now")
		}
	}
	if s.Pending != "" && t == domains.RewardNL {
		out = append(out, s.Pending)
	}
	return out
}
