package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

func reward(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// judged is the result of an evaluator with one component.
func judged(t domains.RewardType, ok bool, note map[string]any) part {
	return part{reward: reward(ok), breakdown: map[domains.RewardType]float64{t: reward(ok)}, note: note}
}

// env replays the conversation and the gold plan and compares the two end states; then the assertions run on the
// conversation's (docs/reference/tau2.md#environment).
func (e *evaluation) env(s *Score) (part, error) {
	c := e.task.Criteria
	if c.Actions == nil && c.EnvAssertions == nil {
		s.Info.DBCheck = &DBCheck{Match: true, Reward: 1}
		return part{reward: 1, note: note("No expected actions or env assertions")}, nil
	}
	got, err := e.world.New(e.task)
	if err != nil {
		return part{}, err
	}
	drifts, err := got.Replay(e.record.Messages, !e.options.Lenient)
	if err != nil {
		return part{}, err
	}
	s.Drift = len(drifts)
	want, err := e.world.Goal(e.task, func() (*domains.Env, error) { return Gold(e.world, e.task, false) })
	if err != nil {
		return part{}, err
	}
	s.Diff = want.Diff(got)
	s.Info.DBCheck = &DBCheck{Match: len(s.Diff) == 0, Reward: reward(len(s.Diff) == 0)}
	all := 1.0
	s.Info.EnvAssertions = []EnvCheck{}
	for i, a := range c.EnvAssertions {
		met, err := got.Check(a)
		if err != nil {
			return part{}, fmt.Errorf("env_assertions[%d] %s: %w", i, a.Func, err)
		}
		all *= reward(met)
		s.Info.EnvAssertions = append(s.Info.EnvAssertions, EnvCheck{Assertion: shown(a), Met: met, Reward: reward(met)})
	}
	p := part{reward: 1, breakdown: map[domains.RewardType]float64{}}
	for t, r := range map[domains.RewardType]float64{domains.RewardDB: s.Info.DBCheck.Reward, domains.RewardEnv: all} {
		if slices.Contains(c.RewardBasis, t) {
			p.reward *= r
			p.breakdown[t] = r
		}
	}
	return p, nil
}

// Gold is the end state that the reference path of a task leads to, which must have criteria; actions that fail are
// passed over. Scores leave out the sync after each action, as the reference does: in telecom a payment is never made then.
func Gold(w *domains.World, t *domains.Task, synced bool) (*domains.Env, error) {
	env, err := w.NewGold(t)
	if err != nil {
		return nil, err
	}
	if s := t.InitialState; s != nil {
		if _, err := env.Replay(s.History, true); err != nil {
			return nil, fmt.Errorf("message_history: %w", err)
		}
	}
	for _, a := range t.Criteria.Actions {
		if reads(w, a) {
			continue // leaves no trace, and would take half of the time of scoring
		}
		if synced {
			_ = env.Call(a.Requestor, a.Call())
			continue
		}
		_ = env.Apply(a) // a failing gold action is the task's fault; "domains check" lists it
	}
	return env, nil
}

// reads reports whether an action only looks something up.
func reads(w *domains.World, a domains.Action) bool {
	kit := w.Agent
	if a.Requestor == domains.UserSide {
		kit = w.User
	}
	t, ok := kit.Tool(a.Name)
	return ok && t.Kind == domains.Read
}

func shown(a domains.EnvAssertion) Assertion {
	out := Assertion{EnvType: a.Side, FuncName: a.Func, Arguments: a.Arguments, Want: a.Want}
	if a.Message != "" {
		out.Message = &a.Message
	}
	return out
}

// action asks for each gold action whether any call matches it (docs/reference/tau2.md#action).
func (e *evaluation) action(s *Score) part {
	c := e.task.Criteria
	if len(c.Actions) == 0 {
		return judged(domains.RewardAction, true, note("No actions to evaluate"))
	}
	var calls []ToolCall
	for _, m := range e.record.Messages {
		calls = append(calls, m.ToolCalls...)
	}
	all := true
	for _, a := range c.Actions {
		met := slices.ContainsFunc(calls, func(call ToolCall) bool { return Matches(a, call) })
		all = all && met
		s.Info.ActionChecks = append(s.Info.ActionChecks, ActionCheck{Action: a, Match: met, Reward: reward(met), ToolType: e.kind(a.Name)})
	}
	return judged(domains.RewardAction, all, nil)
}

func (e *evaluation) kind(tool string) *domains.Kind {
	for _, k := range []*domains.Kit{e.world.User, e.world.Agent} {
		if t, ok := k.Tool(tool); ok {
			return &t.Kind
		}
	}
	return nil
}

// Matches is the reference's comparison of a call with a gold action: same name, and equal arguments as far as
// compare_args names them, or, where that is null, as far as the call gives them. A call with malformed arguments never
// reached a tool and matches nothing; the reference has no such calls.
func Matches(a domains.Action, c ToolCall) bool {
	if a.Name != c.Name || c.Malformed != "" || c.Reason != "" {
		return false
	}
	want, _ := a.Arguments.Map()
	got := c.ArgumentsMap()
	var compared []string
	for k := range got.All() {
		compared = append(compared, k)
	}
	if a.CompareArgs != nil {
		compared = *a.CompareArgs
	}
	for _, k := range compared {
		x, xok := want.Get(k)
		y, yok := got.Get(k)
		if xok != yok || (xok && !value.Equal(x, y)) {
			return false
		}
	}
	return true
}

// communicate looks for each fact in what the agent said (docs/reference/tau2.md#communicate).
func (e *evaluation) communicate(s *Score) part {
	c := e.task.Criteria
	if len(c.CommunicateInfo) == 0 {
		return judged(domains.RewardCommunicate, true, note("No communicate_info to evaluate"))
	}
	all := true
	for _, info := range c.CommunicateInfo {
		check := CommunicateCheck{Info: info, Justification: "not found in what the agent said: " + info}
		for _, m := range e.record.Messages {
			if m.Role != domains.RoleAssistant || !m.HasText() {
				continue
			}
			if strings.Contains(strings.ReplaceAll(value.Lower(m.TextOf()), ",", ""), value.Lower(info)) {
				check.Met, check.Justification = true, "said by the agent: "+m.TextOf()
				break
			}
		}
		all = all && check.Met
		s.Info.CommunicateChecks = append(s.Info.CommunicateChecks, check)
	}
	return judged(domains.RewardCommunicate, all, nil)
}

// nl lets the judge grade the expected outcomes (docs/reference/tau2.md#judge). Without an answer the score is pending.
func (e *evaluation) nl(ctx context.Context, s *Score) part {
	c := e.task.Criteria
	s.Info.NLAssertions = []Verdict{}
	if len(c.NLAssertions) == 0 {
		return judged(domains.RewardNL, true, note("No nl_assertions to evaluate"))
	}
	if e.options.Judge == nil {
		s.Pending = "no judge is configured: name one under judge"
		return part{reward: 1}
	}
	verdicts, calls, err := e.options.Judge.Grade(ctx, e.record.Messages, c.NLAssertions)
	s.JudgeCalls = sent(calls)
	if err != nil {
		s.Pending = "judge: " + err.Error()
		return part{reward: 1}
	}
	s.Info.NLAssertions = verdicts
	all := countMet(verdicts, func(v Verdict) bool { return v.Met }) == len(verdicts)
	return judged(domains.RewardNL, all, nil)
}
