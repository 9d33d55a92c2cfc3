package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tauguide/tauguide/domains"
)

// Evaluation selects which components a score is made of (docs/reference/tau2.md#combining).
type Evaluation string

// The evaluations of the reference. EvalAll, the zero value's meaning, is what its runner uses.
const (
	EvalAll         Evaluation = "all"
	EvalEnv         Evaluation = "env"
	EvalAction      Evaluation = "action"
	EvalCommunicate Evaluation = "communicate"
	EvalNL          Evaluation = "nl_assertions"
	EvalAllNL       Evaluation = "all_with_nl_assertions"
	EvalAllIgnore   Evaluation = "all_ignore_basis"
	EvalAllNLIgnore Evaluation = "all_with_nl_assertions_ignore_basis"
)

// ScoreOptions say how to score.
type ScoreOptions struct {
	Evaluation Evaluation
	// Judge grades outcomes in natural language; without one, a task that needs it stays pending.
	Judge Judge
	// Lenient counts replay differences instead of failing on the first one. Scoring what other programs recorded is
	// always lenient; our own records replay exactly.
	Lenient bool
}

// ScoreRecord computes the reward of a record. It is a pure function of its arguments, but for the judge; a judge that
// fails leaves Score.Pending set and is not an error. The error means that the record cannot be scored at all: its calls
// and results do not pair up, a strict replay differs (*domains.DriftError), or the task is broken.
func ScoreRecord(ctx context.Context, w *domains.World, t *domains.Task, r Record, o ScoreOptions) (Score, error) {
	s := Score{Version: ScoreVersion, Key: r.Key, Attempt: r.Attempt}
	e := &evaluation{world: w, task: t, record: r, options: o}
	if o.Evaluation == "" {
		e.options.Evaluation = EvalAll
	}
	if !r.Termination.Completed() {
		s.Info.Info = note("Simulation terminated prematurely. Termination reason: " + string(r.Termination))
		s.Reward = &s.Info.Reward
		e.diagnose(&s)
		return s, nil
	}
	if t.Criteria == nil {
		s.Info.Reward, s.Info.Info = 1, note("No evaluation criteria")
		s.Reward = &s.Info.Reward
		return s, nil
	}
	if err := e.run(ctx, &s); err != nil {
		return Score{}, fmt.Errorf("score %s/%s/%s/%d: %w", r.Domain, r.System, r.Task, r.Trial, err)
	}
	return s, nil
}

func note(text string) map[string]any { return map[string]any{"note": text} }

// evaluation is the work on one record.
type evaluation struct {
	world   *domains.World
	task    *domains.Task
	record  Record
	options ScoreOptions
}

// part is the result of one evaluator.
type part struct {
	reward    float64
	breakdown map[domains.RewardType]float64
	note      map[string]any
}

// run evaluates what the options ask for and combines it.
func (e *evaluation) run(ctx context.Context, s *Score) error {
	ri := &s.Info
	ri.RewardBasis = []domains.RewardType{domains.RewardDB}
	var p part
	var err error
	switch kind := e.options.Evaluation; kind {
	case EvalEnv:
		if p, err = e.env(s); p.note == nil {
			ri.RewardBasis = e.task.Criteria.RewardBasis
		}
	case EvalAction:
		p = e.action(s)
	case EvalCommunicate:
		p = e.communicate(s)
	case EvalNL:
		p = e.nl(ctx, s)
	case EvalAll, EvalAllNL, EvalAllIgnore, EvalAllNLIgnore:
		return e.combine(ctx, s)
	default:
		return fmt.Errorf("unknown evaluation %q\nhint: choose one of all, env, action, communicate or nl_assertions", kind)
	}
	if err != nil || s.Pending != "" {
		return err
	}
	ri.Reward, ri.RewardBreakdown, ri.Info, s.Reward = p.reward, p.breakdown, p.note, &ri.Reward
	return nil
}

// combine runs all evaluators and multiplies those in the basis.
func (e *evaluation) combine(ctx context.Context, s *Score) error {
	kind, basis := e.options.Evaluation, e.task.Criteria.RewardBasis
	ignore := kind == EvalAllIgnore || kind == EvalAllNLIgnore
	withNL := kind == EvalAllNL || kind == EvalAllNLIgnore || (!ignore && slices.Contains(basis, domains.RewardNL))
	env, err := e.env(s)
	if err != nil {
		return err
	}
	action, communicate := e.action(s), e.communicate(s)
	nl := part{reward: 1}
	if withNL {
		nl = e.nl(ctx, s)
	}
	ri := &s.Info
	ri.RewardBasis = basis
	if ignore {
		ri.RewardBasis = []domains.RewardType{domains.RewardDB, domains.RewardEnv, domains.RewardAction, domains.RewardCommunicate}
		if withNL {
			ri.RewardBasis = slices.Insert(ri.RewardBasis, 3, domains.RewardNL)
		}
	}
	ri.Reward, ri.RewardBreakdown = 1, map[domains.RewardType]float64{}
	for _, x := range []struct {
		part
		types []domains.RewardType
	}{
		{env, []domains.RewardType{domains.RewardDB, domains.RewardEnv}},
		{action, []domains.RewardType{domains.RewardAction}},
		{nl, []domains.RewardType{domains.RewardNL}},
		{communicate, []domains.RewardType{domains.RewardCommunicate}},
	} {
		if ignore || slices.ContainsFunc(x.types, func(t domains.RewardType) bool { return slices.Contains(basis, t) }) {
			ri.Reward *= x.reward
			maps.Copy(ri.RewardBreakdown, x.breakdown)
		}
	}
	ri.Info = map[string]any{"env": env.note, "action": action.note, "nl": nl.note, "communicate": communicate.note}
	s.Components = e.components(s)
	if s.Pending == "" || ri.Reward == 0 {
		// A reward that is zero already does not wait for a judge.
		s.Reward = &ri.Reward
	}
	return nil
}

// diagnose looks at the components of a conversation that ended early, for readers: none of it counts.
func (e *evaluation) diagnose(s *Score) {
	if e.task.Criteria == nil {
		return
	}
	e.options.Lenient = true
	d := Score{}
	if _, err := e.env(&d); err != nil {
		d.Info.DBCheck = nil
	}
	e.action(&d)
	e.communicate(&d)
	s.Diff, s.Drift = d.Diff, d.Drift
	s.Components = e.components(&d)
	for i := range s.Components {
		s.Components[i].Counted = false
		if s.Components[i].Type == domains.RewardNL {
			s.Components[i] = Component{Type: domains.RewardNL, State: NA, Why: "not judged: the conversation ended early"}
		}
	}
}

// components reads the tri-state components off a score.
func (e *evaluation) components(s *Score) []Component {
	c, ri := e.task.Criteria, s.Info
	counted := func(t domains.RewardType) bool { return slices.Contains(c.RewardBasis, t) }
	var out []Component
	add := func(t domains.RewardType, applies, ok bool, why string) {
		state := Fail
		switch {
		case !applies:
			state, why = NA, "no criteria"
		case ok:
			state, why = Pass, ""
		}
		out = append(out, Component{Type: t, State: state, Counted: counted(t), Why: why})
	}
	db := ri.DBCheck
	add(domains.RewardDB, db != nil && (c.Actions != nil || c.EnvAssertions != nil), db != nil && db.Match,
		fmt.Sprintf("%d differences from the gold end state", len(s.Diff)))
	met := countMet(ri.EnvAssertions, func(x EnvCheck) bool { return x.Met })
	add(domains.RewardEnv, len(ri.EnvAssertions) > 0, met == len(ri.EnvAssertions), fmt.Sprintf("%d of %d assertions hold", met, len(ri.EnvAssertions)))
	met = countMet(ri.ActionChecks, func(x ActionCheck) bool { return x.Match })
	add(domains.RewardAction, len(ri.ActionChecks) > 0, met == len(ri.ActionChecks), fmt.Sprintf("%d of %d gold actions matched", met, len(ri.ActionChecks)))
	met = countMet(ri.NLAssertions, func(x Verdict) bool { return x.Met })
	add(domains.RewardNL, len(ri.NLAssertions) > 0, met == len(ri.NLAssertions), fmt.Sprintf("%d of %d expected outcomes", met, len(ri.NLAssertions)))
	switch nl := &out[len(out)-1]; {
	case s.Pending != "":
		nl.State, nl.Why = Pending, s.Pending
	case ri.NLAssertions == nil && len(c.NLAssertions) > 0:
		nl.Why = "not in the reward basis, so not judged"
	}
	met = countMet(ri.CommunicateChecks, func(x CommunicateCheck) bool { return x.Met })
	add(domains.RewardCommunicate, len(ri.CommunicateChecks) > 0, met == len(ri.CommunicateChecks),
		fmt.Sprintf("%d of %d facts told", met, len(ri.CommunicateChecks)))
	return out
}

func countMet[T any](list []T, met func(T) bool) int {
	n := 0
	for _, x := range list {
		if met(x) {
			n++
		}
	}
	return n
}
