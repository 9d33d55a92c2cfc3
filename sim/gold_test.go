package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/sim"
)

// goldTalk holds a conversation in which the agent carries out the task's gold plan, a call at a time.
func goldTalk(tb testing.TB, w *domains.World, task *domains.Task) sim.Record {
	tb.Helper()
	agent, user := []sim.Turn{}, []sim.Turn{says("Hello.")}
	speaker := domains.AgentSide
	hand := func(to sim.Side) {
		switch {
		case to == speaker:
		case to == domains.UserSide:
			agent = append(agent, says("Please do this."))
		default:
			user = append(user, says("Done."))
		}
		speaker = to
	}
	for _, a := range task.Criteria.Actions {
		hand(a.Requestor)
		if a.Requestor == domains.UserSide {
			user = append(user, calls(a.Call()))
		} else {
			agent = append(agent, calls(a.Call()))
		}
	}
	hand(domains.AgentSide)
	rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Domain: w.Name, Task: task.ID}, World: w, Task: task,
		Agent: scripted(append(agent, says("All done."))...), User: scripted(append(user, says(stop))...), Limits: sim.DefaultLimits()})
	if err != nil {
		tb.Fatal(err)
	}
	ended(tb, rec, sim.UserStop)
	return rec
}

// TestGoldTalksOfRealRetail: every gold plan of the reference's retail data, run as a conversation, reaches the gold
// end state, its failing actions included.
func TestGoldTalksOfRealRetail(t *testing.T) {
	w := domaintest.Real(t, retail.Domain(), domains.Options{})
	n := 0
	for i := range w.Tasks {
		task := &w.Tasks[i]
		s := score(t, w, task, goldTalk(t, w, task), func(o *sim.ScoreOptions) { o.Evaluation = sim.EvalEnv })
		if s.Reward == nil || *s.Reward != 1 || !s.Info.DBCheck.Match {
			t.Errorf("task %s: %v", task.ID, s.Diff)
		}
		n++
	}
	if n != 114 {
		t.Errorf("%d tasks, want 114", n)
	}
}

// TestGoldReadsLeaveNoTrace: scoring passes over the reads of a gold plan; the whole plan leads to the same state, in
// every domain, on the reference's data and on our own.
func TestGoldReadsLeaveNoTrace(t *testing.T) {
	for _, d := range all.Domains() {
		t.Run(d.Name, func(t *testing.T) {
			t.Run("embedded", func(t *testing.T) { goldWithoutReads(t, domaintest.Embedded(t, d, domains.Options{})) })
			t.Run("real", func(t *testing.T) { goldWithoutReads(t, domaintest.Real(t, d, domains.Options{})) })
		})
	}
}

func goldWithoutReads(t *testing.T, w *domains.World) {
	t.Helper()
	skipped := 0
	for i := range w.Tasks {
		task := &w.Tasks[i]
		if task.Criteria == nil {
			continue
		}
		whole, err := domaintest.Started(w, task)
		if err != nil {
			t.Fatal(err)
		}
		short, err := domaintest.Started(w, task)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range task.Criteria.Actions {
			_, _ = whole.Gold(a)
			kit := w.Agent
			if a.Requestor == sim.UserSide {
				kit = w.User
			}
			if tool, ok := kit.Tool(a.Name); ok && tool.Kind == domains.Read {
				skipped++
				continue
			}
			_, _ = short.Gold(a)
		}
		if diff := whole.Diff(short); len(diff) > 0 {
			t.Errorf("task %s: %v", task.ID, diff)
		}
	}
	if skipped == 0 && (w.Name == "airline" || w.Name == "retail") {
		t.Error("no plan has reads: the test says nothing")
	}
}

// TestEvaluationsAreNamed: an unknown name is refused with the choice.
func TestEvaluationsAreNamed(t *testing.T) {
	_, err := sim.ScoreRecord(context.Background(), mockWorld(t), criteria(t, `"actions":[]`), talk(t, "x"), sim.ScoreOptions{Evaluation: "everything"})
	if err == nil || !strings.Contains(err.Error(), `unknown evaluation "everything"`) || !strings.Contains(err.Error(), "mock/s/t/0") {
		t.Errorf("error %v", err)
	}
}

func TestEnvAssertions(t *testing.T) {
	w := mockWorld(t)
	assert := func(status, more string) string {
		return `{"env_type":"assistant","func_name":"assert_task_status","arguments":{"task_id":"task_1","expected_status":"` + status + `"}` + more + `}`
	}
	rec := talk(t, "done", finishCall)
	for _, c := range []struct {
		name   string
		list   string
		reward float64 // -1 if it cannot be scored
		state  sim.State
	}{
		{"holds", assert("completed", ""), 1, sim.Pass},
		{"does not hold", assert("pending", ""), 0, sim.Fail},
		{"holds as a negation", assert("pending", `,"assert_value":false`), 1, sim.Pass},
		{"all are evaluated", assert("pending", "") + "," + assert("completed", ""), 0, sim.Fail},
		{"none", "", 1, sim.NA},
		{"no such function", `{"env_type":"assistant","func_name":"gone","arguments":{}}`, -1, ""},
		{"no boolean", `{"env_type":"assistant","func_name":"get_users","arguments":{}}`, -1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := criteria(t, `"env_assertions":[`+c.list+`],"reward_basis":["ENV_ASSERTION"]`)
			s, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{})
			if (err != nil) != (c.reward < 0) {
				t.Fatalf("error %v", err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), "env_assertions[0]") {
					t.Errorf("error %v does not name the assertion", err)
				}
				return
			}
			rewarded(t, s, c.reward)
			if len(s.Info.EnvAssertions) != len(task.Criteria.EnvAssertions) || s.Components[1].State != c.state {
				t.Errorf("%d checks, state %s", len(s.Info.EnvAssertions), s.Components[1].State)
			}
		})
	}
}
