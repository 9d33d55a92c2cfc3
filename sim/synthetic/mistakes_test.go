package synthetic_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// facts are what tests look for in a conversation.
type facts struct {
	identified  bool     // the caller was looked up or asked who they are
	changes     []string // successful changes of the agent's, with arguments
	unasked     int      // of these, how many the agent had not had confirmed since the one before
	device      []string // the user's calls
	transferred bool
}

func look(w *domains.World, rec sim.Record) facts {
	var f facts
	confirmed := false
	for i, m := range rec.Messages {
		switch {
		case m.Role == domains.RoleAssistant && strings.Contains(m.TextOf(), "who you are"):
			f.identified = true
		case m.Role == domains.RoleUser && strings.HasPrefix(m.TextOf(), "Yes"):
			confirmed = true
		}
		for _, c := range m.ToolCalls {
			switch {
			case m.Role == domains.RoleUser:
				f.device = append(f.device, c.Name)
			case strings.HasPrefix(c.Name, "find_user_id") || strings.HasPrefix(c.Name, "get_customer_by"):
				f.identified = true
			case c.Name == "transfer_to_human_agents":
				f.transferred = true
			case w.Agent.Mutates(c.Name) && !rec.Messages[i+1].Error:
				if !confirmed {
					f.unasked++
				}
				confirmed = false
				args, _ := c.Arguments.MarshalJSON()
				f.changes = append(f.changes, c.Name+string(args))
			}
		}
	}
	return f
}

// fate is one task under one config, with what a faultless agent does beside it.
type fate struct {
	task        *domains.Task
	clean, got  facts
	before, now float64 // rewards
}

func fates(t *testing.T, w *domains.World, m synthetic.Mistakes) []fate {
	t.Helper()
	clean, flawed := newStage(w, synthetic.Config{}), newStage(w, synthetic.Config{Mistakes: m})
	var out []fate
	for i := range w.Tasks {
		tr := trial{"react", &w.Tasks[i], 0}
		a, b := clean.talk(t, tr), flawed.talk(t, tr)
		if b.Termination != sim.UserStop {
			t.Errorf("%s: %s", tr.task.ID, transcript(b))
		}
		out = append(out, fate{tr.task, look(w, a), look(w, b), *clean.score(t, tr, a).Reward, *flawed.score(t, tr, b).Reward})
	}
	return out
}

// count counts the fates that a condition holds for.
func count(fs []fate, is func(fate) bool) int {
	n := 0
	for _, f := range fs {
		if is(f) {
			n++
		}
	}
	return n
}

func lost(f fate) bool { return f.before == 1 && f.now == 0 }

func TestEachMistakeLeavesItsMark(t *testing.T) {
	for _, w := range embedded(t) {
		mutating := func(f fate) bool { return f.task.Mutating(w) }
		for _, c := range []struct {
			name string
			m    synthetic.Mistakes
			only string // a domain, where the mistake has no place elsewhere
			mark func(fate) bool
			// costs is the least number of tasks that the mistake must lose.
			costs func(fs []fate) int
		}{
			{"skip identify", synthetic.Mistakes{SkipIdentify: 1}, "", func(f fate) bool { return f.clean.identified && !f.got.identified }, nil},
			{"act before consent", synthetic.Mistakes{ActBeforeConsent: 1}, "",
				func(f fate) bool { return f.clean.unasked == 0 && f.got.unasked == min(1, len(f.clean.changes)) },
				func(fs []fate) int { return count(fs, mutating) - 1 }},
			{"grant forbidden", synthetic.Mistakes{GrantForbidden: 1}, "",
				func(f fate) bool {
					return len(f.task.Temptation) == 0 && mutating(f) || !cmp.Equal(f.got.changes, f.clean.changes)
				},
				func(fs []fate) int {
					return count(fs, func(f fate) bool {
						return len(f.task.Temptation) > 0 && slices.Contains(f.task.Criteria.RewardBasis, domains.RewardDB)
					})
				}},
			{"give up", synthetic.Mistakes{GiveUp: 1}, "", func(f fate) bool { return f.got.transferred },
				func(fs []fate) int { return count(fs, mutating) }},
			{"skip diagnosis", synthetic.Mistakes{SkipDiagnosis: 1}, "telecom",
				func(f fate) bool { return len(f.clean.device) == 0 || len(f.got.device) < len(f.clean.device) },
				func(fs []fate) int { return count(fs, mutating) }},
			{"no retest", synthetic.Mistakes{NoRetest: 1}, "telecom",
				func(f fate) bool { return len(f.got.device) <= len(f.clean.device) },
				func(fs []fate) int { return count(fs, mutating) }},
		} {
			if c.only != "" && c.only != w.Name {
				continue
			}
			t.Run(w.Name+"/"+c.name, func(t *testing.T) {
				fs := fates(t, w, c.m)
				for _, f := range fs {
					if !c.mark(f) {
						t.Errorf("%s: no mark of the mistake: %+v, faultless %+v", f.task.ID, f.got, f.clean)
					}
				}
				n := count(fs, lost)
				t.Logf("%d of %d tasks lost", n, len(fs))
				if c.costs != nil && n < c.costs(fs) {
					t.Errorf("%d tasks lost, want at least %d", n, c.costs(fs))
				}
				if gained := count(fs, func(f fate) bool { return f.now > f.before }); gained > 0 {
					t.Errorf("%d tasks are solved only with the mistake", gained)
				}
			})
		}
	}
}

func TestWrongOrder(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	for _, f := range fates(t, w, synthetic.Mistakes{WrongOrder: 1}) {
		a, b := slices.Sorted(slices.Values(f.clean.changes)), slices.Sorted(slices.Values(f.got.changes))
		if diff := cmp.Diff(a, b); diff != "" {
			t.Errorf("%s: other changes, not another order (-faultless +got):\n%s", f.task.ID, diff)
		}
		if len(a) > 1 && slices.Equal(f.clean.changes, f.got.changes) {
			t.Errorf("%s: two changes in the right order", f.task.ID)
		}
	}
	// On a device a step that comes before what it needs is in vain.
	phones := domaintest.Embedded(t, telecom.Domain(), domains.Options{})
	if n := count(fates(t, phones, synthetic.Mistakes{WrongOrder: 1}), lost); n == 0 {
		t.Error("telecom: no task is lost by the wrong order")
	}
}

func TestOracleMakesNoMistakes(t *testing.T) {
	all := synthetic.Mistakes{SkipIdentify: 1, ActBeforeConsent: 1, WrongOrder: 1, GrantForbidden: 1, GiveUp: 1, SkipDiagnosis: 1, NoRetest: 1}
	for _, w := range embedded(t) {
		s := newStage(w, synthetic.Config{Mistakes: all})
		for i := range w.Tasks {
			tr := trial{"oracle", &w.Tasks[i], 0}
			if rec := s.talk(t, tr); *s.score(t, tr, rec).Reward != 1 {
				t.Errorf("%s %s: %s", w.Name, tr.task.ID, transcript(rec))
			}
		}
	}
}

func TestTrialsDifferAtRatesInBetween(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	half := synthetic.Mistakes{SkipIdentify: 0.5, ActBeforeConsent: 0.5, GrantForbidden: 0.5, GiveUp: 0.5}
	s := newStage(w, synthetic.Config{Mistakes: half})
	seen := map[string]bool{}
	given := 0
	const trials = 60
	for n := range trials {
		rec := s.talk(t, trial{"react", &w.Tasks[0], n})
		f := look(w, rec)
		if f.transferred {
			given++
		}
		seen[transcript(rec)] = true
	}
	if len(seen) < 4 {
		t.Errorf("%d different conversations in %d trials", len(seen), trials)
	}
	if given < trials/5 || given > trials*4/5 {
		t.Errorf("gave up in %d of %d trials at a rate of one half", given, trials)
	}
}

// TestSystemsMeetTheSameMistakes: the system is not a part of the draw, so comparisons are paired.
func TestSystemsMeetTheSameMistakes(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	s := newStage(w, synthetic.Config{Mistakes: synthetic.Mistakes{SkipIdentify: 0.5, ActBeforeConsent: 0.5, GiveUp: 0.5}})
	for n := range 8 {
		task := &w.Tasks[n]
		a := s.held(t, trial{"A", task, n}, nil)
		b := s.held(t, trial{"B", task, n}, nil)
		if transcript(a) != transcript(b) {
			t.Errorf("%s/%d: two systems with the same agent differ", task.ID, n)
		}
	}
}

// held is talk for react under any system name, with the agent wrapped. It may run in any goroutine of a test.
func (s stage) held(t testing.TB, tr trial, wrap agents.Overlay) sim.Record {
	t.Helper()
	m := s.model(tr)
	agent, err := agents.NewReAct(agents.Setup{World: s.world, Task: tr.task, Model: m.With("agent")})
	if err != nil {
		t.Error(err)
		return sim.Record{}
	}
	if wrap != nil {
		agent = wrap(agent)
	}
	rec, err := sim.Run(context.Background(), sim.Trial{
		Key: sim.Key{Domain: s.world.Name, System: tr.system, Task: tr.task.ID, Trial: tr.n}, World: s.world, Task: tr.task,
		Agent: agent, User: sim.NewUser(s.world, tr.task, m.With("user")), Limits: sim.DefaultLimits(),
	})
	if err != nil {
		t.Error(err)
		return sim.Record{}
	}
	return rec
}

// TestSamplesDrawAnew: a further sample makes mistakes of its own, at the same rate, and repeats itself; at temperature 0
// it is the first.
func TestSamplesDrawAnew(t *testing.T) {
	t.Parallel()
	const n, p = 4000, 0.3
	cold := 0.0
	input := func(trial, sample int, temperature *float64) synthetic.Input {
		return synthetic.Input{Request: llm.Request{Temperature: temperature, Tag: llm.Tag{Domain: "retail", Task: "t", Trial: trial, Sample: sample, RunSeed: 1}}}
	}
	made, both := 0, 0
	for trial := range n {
		first, other := input(trial, 0, nil).Chance("mistake", p), input(trial, 1, nil).Chance("mistake", p)
		if other {
			made++
		}
		if first && other {
			both++
		}
		if other != input(trial, 1, nil).Chance("mistake", p) || first != input(trial, 1, &cold).Chance("mistake", p) {
			t.Fatalf("trial %d: a sample does not repeat itself, or is another at temperature 0", trial)
		}
	}
	if rate, joint := float64(made)/n, float64(both)/n; rate < 0.27 || rate > 0.33 || joint < 0.07 || joint > 0.11 {
		t.Errorf("the rate is %.3f, and %.3f with the first sample; want about 0.3 and 0.09", rate, joint)
	}
}
