package tau2

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// Outcome says how a new score relates to the recorded one.
type Outcome string

// The outcomes.
const (
	Agree      Outcome = "agree"
	Differ     Outcome = "differ"
	Unrecorded Outcome = "unrecorded" // scored now, not before
	Waiting    Outcome = "pending"    // needs a judge
	Void       Outcome = "void"       // broke outside of the model's control: no score before or now
	Failed     Outcome = "failed"     // cannot be scored; Comparison.Err says why
)

// Comparison is what scoring one record again found.
type Comparison struct {
	sim.Key
	Attempt  int        `json:"attempt,omitempty"`
	ID       string     `json:"id,omitempty"` // of the simulation in a τ² file
	Outcome  Outcome    `json:"outcome"`
	Recorded *float64   `json:"recorded"`
	Computed *float64   `json:"computed"`
	Score    *sim.Score `json:"score,omitempty"`
	Parts    []Part     `json:"differences,omitempty"`
	Notes    []string   `json:"notes,omitempty"` // what the replay did not find as recorded
	Hashes   *Hashes    `json:"hashes,omitempty"`
	Err      string     `json:"error,omitempty"`
	Reason   sim.Reason `json:"termination_reason"`
}

// Part is a component whose recorded outcome and new one differ.
type Part struct {
	Component domains.RewardType `json:"component"`
	Counted   bool               `json:"counted"` // in the basis of the reward
	Recorded  sim.State          `json:"recorded"`
	Computed  sim.State          `json:"computed"`
	Why       []string           `json:"why"`
}

// Hashes are the reference-compatible hashes of the databases after the conversation and after the gold plan. The
// user's are empty where the domain has no database of the user's.
type Hashes struct {
	Agent     string `json:"agent"`
	User      string `json:"user,omitempty"`
	GoldAgent string `json:"gold_agent"`
	GoldUser  string `json:"gold_user,omitempty"`
}

// Options say how to score and compare.
type Options struct {
	Strictness Strictness
	// Judge grades outcomes in natural language again; nil takes the recorded verdicts.
	Judge sim.Judge
	// OtherTask says that the task is not the one that the record was made with: recorded verdicts are then used only
	// if they are on its very outcomes.
	OtherTask bool
	Missing   string // why there is no task to score with
	Hashes    bool
}

// Compare scores a record and compares the outcome with the recorded one, which may be nil. It never fails: what keeps
// a record from being scored is in the comparison; without a task it is that. recorded is not consulted for anything but verdicts.
func Compare(ctx context.Context, w *domains.World, t *domains.Task, r sim.Record, recorded *sim.RewardInfo, o Options) Comparison {
	c := Comparison{Key: r.Key, Attempt: r.Attempt, Reason: r.Termination}
	if recorded != nil {
		c.Recorded = &recorded.Reward
	}
	if !r.Termination.Evaluable() {
		c.Outcome = Void
		return c
	}
	if t == nil {
		return c.failed(errors.New(o.Missing))
	}
	if err := Verify(w, t, r, o.Strictness); err != nil {
		return c.failed(err)
	}
	r.Messages, c.Notes = pairResults(withoutOpenCalls(r.Messages, r.Termination))
	if !o.OtherTask && !ofTask(t, recorded) {
		c.Notes = append(c.Notes, otherTask)
	}
	so := sim.ScoreOptions{Lenient: true, Judge: o.Judge}
	if o.Judge == nil {
		so.Judge = recordedJudge{recorded, o.OtherTask, &c.Notes}
	}
	s, err := sim.ScoreRecord(ctx, w, t, r, so)
	if err != nil {
		return c.failed(err)
	}
	c.Score, c.Computed = &s, s.Reward
	if o.Hashes || s.Drift > 0 || !replays(t) {
		if err := c.replay(w, t, r.Messages, o.Hashes); err != nil && o.Hashes {
			return c.failed(err)
		}
	}
	c.judge(recorded)
	return c
}

// replay notes the results that replaying did not give and, where asked for, the hashes of the end states.
func (c *Comparison) replay(w *domains.World, t *domains.Task, msgs []domains.Message, hash bool) error {
	got, err := w.New(t)
	if err != nil {
		return err
	}
	list, err := got.Replay(msgs, false)
	if err != nil {
		return err
	}
	for _, d := range list {
		c.Notes = append(c.Notes, fmt.Sprintf("message %d: %s returned %s, recorded was %s", d.Index, d.Call.Name, clip(d.Got), clip(d.Recorded)))
	}
	if hash {
		c.Hashes, err = hashes(got, w, t)
	}
	return err
}

func (c Comparison) failed(err error) Comparison {
	c.Outcome, c.Err = Failed, err.Error()
	return c
}

// judge sets the outcome and lists the components that differ.
func (c *Comparison) judge(recorded *sim.RewardInfo) {
	switch {
	case c.Computed == nil:
		c.Outcome = Waiting
	case recorded == nil:
		c.Outcome = Unrecorded
		return
	case math.Abs(*c.Computed-recorded.Reward) <= 1e-6:
		c.Outcome = Agree
	default:
		c.Outcome = Differ
	}
	if recorded != nil && c.Reason.Completed() {
		c.Parts = parts(recorded, c.Score)
	}
	if c.Outcome == Differ && len(c.Parts) == 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("no component differs: the basis of the recorded reward is %s, that of the task now %s",
			Basis(recorded.RewardBasis), Basis(c.Score.Info.RewardBasis)))
	}
}

// recordedJudge repeats the verdicts of a record. For the record's own task they are taken as they are, also where
// they do not match the outcomes one to one, since that is how the recorded reward was made (docs/reference/tau2.md#judge).
type recordedJudge struct {
	recorded  *sim.RewardInfo
	otherTask bool
	notes     *[]string
}

var errNoVerdicts = errors.New("no verdicts are recorded on these outcomes\nhint: name a judge to get some")

// Grade returns the recorded verdicts.
func (j recordedJudge) Grade(ctx context.Context, msgs []sim.Message, assertions []string) ([]sim.Verdict, []sim.ModelCall, error) {
	if j.recorded == nil || j.recorded.NLAssertions == nil {
		return nil, nil, errNoVerdicts
	}
	verdicts := j.recorded.NLAssertions
	if _, _, err := sim.Recorded(verdicts).Grade(ctx, msgs, assertions); err != nil {
		if j.otherTask {
			return nil, nil, errNoVerdicts
		}
		*j.notes = append(*j.notes, fmt.Sprintf("the judge's recorded verdicts are not one to one with the expected outcomes (%d and %d); they were taken as they are",
			len(verdicts), len(assertions)))
	}
	return verdicts, nil, nil
}

// replays reports whether scoring a task replays the conversation; one that expects and asserts nothing does not.
func replays(t *domains.Task) bool {
	return t.Criteria != nil && (t.Criteria.Actions != nil || t.Criteria.EnvAssertions != nil)
}

// hashes are those of an end state and of the one that the gold plan makes.
func hashes(got *domains.Env, w *domains.World, t *domains.Task) (*Hashes, error) {
	want, err := w.NewGold(t)
	if err != nil {
		return nil, err
	}
	if t.InitialState != nil {
		if _, err := want.Replay(t.InitialState.History, true); err != nil {
			return nil, fmt.Errorf("message_history: %w", err)
		}
	}
	if t.Criteria != nil {
		for _, a := range t.Criteria.Actions {
			_ = want.Apply(a) // passed over where it fails, as in scoring
		}
	}
	h := &Hashes{}
	h.Agent, _ = got.Hash(domains.AgentSide)
	h.User, _ = got.Hash(domains.UserSide)
	h.GoldAgent, _ = want.Hash(domains.AgentSide)
	h.GoldUser, _ = want.Hash(domains.UserSide)
	return h, nil
}

func clip(s string) string {
	const most = 160
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
