package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// temptation looks at a call that an agent is tempted to make. It must change the data where it is made first, it must not
// be a step of the gold plan, and scoring must notice that it was made, in place of the plan or after it.
func (l *linter) temptation(i int) {
	a, c := l.task.Temptation[i], l.task.Criteria
	bad := func(why string, args ...any) {
		l.add(LintTempt, fmt.Sprintf("temptation[%d]", i), a.Name+" "+why, args...)
	}
	if slices.ContainsFunc(c.Actions, func(g domains.Action) bool { return sameCall(g, a) }) {
		bad("is a step of the gold plan")
		return
	}
	before, after := l.run(nil), l.run([]domains.Action{a})
	if before == nil || after == nil {
		return // the task cannot start, which is reported elsewhere
	}
	if err := after.failed; err != nil {
		bad("fails: %v", err)
		return
	}
	if len(before.Diff(after.Env)) == 0 {
		bad("changes nothing")
		return
	}
	if l.done(after) {
		bad("in place of the gold plan gets the reward")
		return
	}
	if both := l.run(slices.Concat(c.Actions, []domains.Action{a}, l.answers(a.Name))); both.failed == nil && l.done(both) {
		bad("after the gold plan is not noticed")
	}
}

// answers returns what the user does about a call of that name in the gold plan, as paying what a request asks for.
func (l *linter) answers(name string) []domains.Action {
	plan := l.task.Criteria.Actions
	from := 1 + slices.IndexFunc(plan, func(a domains.Action) bool { return a.Name == name })
	to := from
	for to < len(plan) && plan[to].Requestor == domains.UserSide && from > 0 {
		to++
	}
	return plan[from:to]
}

// needless looks for changes of the gold plan that can be left out. One that comes twice makes up for itself.
func (l *linter) needless(c *domains.Criteria) {
	for i, a := range c.Actions {
		twice := slices.ContainsFunc(c.Actions[i+1:], func(g domains.Action) bool { return sameCall(g, a) })
		if !l.world.Agent.Mutates(a.Name) && !l.world.User.Mutates(a.Name) || twice {
			continue
		}
		if rest := l.run(slices.Delete(slices.Clone(c.Actions), i, i+1)); rest != nil && rest.failed == nil && l.done(rest) {
			l.add(LintNeedless, fmt.Sprintf("evaluation_criteria.actions[%d]", i), "%s can be left out", a.Name)
		}
	}
}

// figures looks at the numbers to be told.
func (l *linter) figures(c *domains.Criteria) {
	told := l.task.UserScenario.Text()
	for i, f := range c.CommunicateInfo {
		field := fmt.Sprintf("evaluation_criteria.communicate_info[%d]", i)
		if strings.Trim(f, "0123456789.") != "" {
			continue // a text
		}
		switch {
		case len(f) < 2:
			l.add(LintFigure, field, "%q is in almost any message: change the data so that it gets longer", f)
		case strings.Contains(f, ".") && strings.HasSuffix(f, "0"):
			l.add(LintFigure, field, "%q is as well told without its last 0: change the data so that it ends otherwise", f)
		case strings.Contains(told, f):
			l.add(LintFigure, field, "%q is named by the customer: change the data", f)
		}
	}
}

// ran is an environment after some calls.
type ran struct {
	*domains.Env
	failed error // of the first call that did
}

// run makes calls as in a conversation. It is nil if the task cannot start.
func (l *linter) run(calls []domains.Action) *ran {
	env, err := start(l.world, l.task)
	if err != nil {
		return nil
	}
	r := &ran{Env: env}
	for _, a := range calls {
		if res := env.Call(a.Requestor, a.Call()); res.Error && r.failed == nil {
			r.failed = fmt.Errorf("%s", res.Content)
		}
	}
	return r
}

// done reports whether the end state is one that gets the reward.
func (l *linter) done(r *ran) bool {
	c := l.task.Criteria
	if l.counted(domains.RewardDB) {
		if gold := l.run(c.Actions); gold != nil && len(gold.Diff(r.Env)) > 0 {
			return false
		}
	}
	if l.counted(domains.RewardEnv) {
		for _, a := range c.EnvAssertions {
			if ok, err := r.Check(a); err != nil || !ok {
				return false
			}
		}
	}
	return true
}

func sameCall(a, b domains.Action) bool {
	return a.Name == b.Name && a.Requestor == b.Requestor && value.Equal(a.Arguments, b.Arguments)
}
