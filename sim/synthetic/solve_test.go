package synthetic_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// unsolved are the tasks of the reference's data that a faultless script cannot solve.
var unsolved = map[string]map[string]string{
	"retail": {"105": "the plan's only change fails for want of balance, and an outcome expects it to be made"},
	"mock": {
		"update_task_with_history_and_env_assertions": "there is no gold plan, only an assertion",
		"update_task_with_user_tools":                 "an assertion wants a step of the user's that the gold plan leaves out",
	},
}

// TestWithoutMistakesEveryTaskIsSolved lets react and oracle hold one conversation on every task.
func TestWithoutMistakesEveryTaskIsSolved(t *testing.T) {
	for _, d := range catalogue() {
		t.Run(d.Name+"/embedded", func(t *testing.T) {
			solveAll(t, domaintest.Embedded(t, d, domains.Options{}), nil)
		})
		t.Run(d.Name+"/real", func(t *testing.T) {
			solveAll(t, domaintest.Real(t, d, domains.Options{}), unsolved[d.Name])
		})
	}
}

func solveAll(t *testing.T, w *domains.World, except map[string]string) {
	t.Helper()
	if len(w.Tasks) == 0 {
		t.Fatal("the domain has no tasks")
	}
	s := newStage(w, synthetic.Config{})
	for _, system := range []string{"react", "oracle"} {
		solved, longest := 0, 0
		for i := range w.Tasks {
			tr := trial{system, &w.Tasks[i], 0}
			rec := s.talk(t, tr)
			longest = max(longest, rec.Steps)
			if rec.Termination != sim.UserStop || rec.Steps > 120 {
				t.Errorf("%s on %s ends with %s after %d steps\n%s", system, tr.task.ID, rec.Termination, rec.Steps, transcript(rec))
			}
			won := *s.score(t, tr, rec).Reward == 1
			_, cannot := except[tr.task.ID]
			if won == cannot {
				t.Errorf("%s on %s: solved %v, want %v\n%s", system, tr.task.ID, won, !cannot, transcript(rec))
			}
			if won {
				solved++
			}
		}
		t.Logf("%s solves %d of %d tasks, longest conversation %d steps", system, solved, len(w.Tasks), longest)
	}
}

// TestNoopFloor holds the do-nothing agent to what the criteria say: it scores where the plan changes nothing and
// nothing has to be told, called or judged.
func TestNoopFloor(t *testing.T) {
	for _, d := range catalogue() {
		t.Run(d.Name+"/embedded", func(t *testing.T) { noopFloor(t, domaintest.Embedded(t, d, domains.Options{})) })
		t.Run(d.Name+"/real", func(t *testing.T) { noopFloor(t, domaintest.Real(t, d, domains.Options{})) })
	}
}

func noopFloor(t *testing.T, w *domains.World) {
	t.Helper()
	s := newStage(w, synthetic.Config{})
	won := 0
	for i := range w.Tasks {
		tr := trial{"noop", &w.Tasks[i], 0}
		rec := s.talk(t, tr)
		if rec.Termination != sim.UserStop || rec.Steps > 10 {
			t.Errorf("%s: %s after %d steps", tr.task.ID, rec.Termination, rec.Steps)
		}
		want, scorable := idle(t, w, tr.task)
		if !scorable {
			continue
		}
		got := *s.score(t, tr, rec).Reward == 1
		if got != want {
			t.Errorf("%s: noop scores %v, want %v", tr.task.ID, got, want)
		}
		if got {
			won++
		}
	}
	t.Logf("noop scores on %d of %d tasks", won, len(w.Tasks))
}

// idle says whether doing nothing fulfils a task's counted criteria. A task with an assertion that fails outright,
// instead of being false, cannot be scored at all.
func idle(t *testing.T, w *domains.World, task *domains.Task) (fulfils, scorable bool) {
	t.Helper()
	c := task.Criteria
	counts := func(b domains.RewardType) bool { return slices.Contains(c.RewardBasis, b) }
	start, err := domaintest.Started(w, task)
	if err != nil {
		t.Fatal(err)
	}
	end, err := domaintest.Started(w, task)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range c.Actions {
		_, _ = end.Gold(a) // as in scoring
	}
	same := len(end.Diff(start)) == 0
	hold := true
	for _, a := range c.EnvAssertions {
		ok, err := start.Check(a)
		if err != nil {
			return false, false
		}
		hold = hold && ok
	}
	return (!counts(domains.RewardDB) || same || (c.Actions == nil && c.EnvAssertions == nil)) &&
		(!counts(domains.RewardEnv) || hold) &&
		(!counts(domains.RewardCommunicate) || len(c.CommunicateInfo) == 0) &&
		(!counts(domains.RewardNL) || len(c.NLAssertions) == 0) &&
		(!counts(domains.RewardAction) || len(c.Actions) == 0), true
}

// TestSolo lets the agent work tickets without a user: every turn a call, done at the end.
func TestSolo(t *testing.T) {
	for _, d := range []domains.Domain{mock.Domain(), telecom.Domain()} {
		w := domaintest.Embedded(t, d, domains.Options{Solo: true})
		s := newStage(w, synthetic.Config{})
		tickets := 0
		for i := range w.Tasks {
			task := &w.Tasks[i]
			if task.Ticket == nil || !task.Mutating(w) {
				continue
			}
			tickets++
			tr := trial{"react", task, 0}
			rec := s.talk(t, tr)
			if rec.Termination != sim.AgentStop {
				t.Errorf("%s %s: %s", d.Name, task.ID, transcript(rec))
				continue
			}
			// What a talk has to bring about in words does not count alone; the state does.
			sc := s.score(t, tr, rec)
			for _, c := range sc.Components {
				if c.State == sim.Fail && c.Counted && c.Type != domains.RewardCommunicate && c.Type != domains.RewardNL {
					t.Errorf("%s %s: %s: %s\n%s", d.Name, task.ID, c.Type, c.Why, transcript(rec))
				}
			}
		}
		if tickets == 0 {
			t.Errorf("%s has no ticket with a change", d.Name)
		}
		t.Logf("%s: %d tickets", d.Name, tickets)
	}
}

// TestUnsolvedListIsTrue keeps the exceptions above from outliving their reasons.
func TestUnsolvedListIsTrue(t *testing.T) {
	for _, d := range catalogue() {
		w := domaintest.Real(t, d, domains.Options{})
		var missing []string
		for id := range unsolved[d.Name] {
			if _, ok := w.Task(id); !ok {
				missing = append(missing, id)
			}
		}
		if diff := cmp.Diff([]string(nil), missing); diff != "" {
			t.Errorf("%s: exceptions for tasks that do not exist: %s", d.Name, diff)
		}
	}
}
