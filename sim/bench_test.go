package sim_test

import (
	"context"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/sim"
)

// longGold is the task of a domain's real data whose plan has most writes, with the conversation that carries it out.
func longGold(tb testing.TB, d domains.Domain) (*domains.World, *domains.Task, sim.Record) {
	tb.Helper()
	w := domaintest.Real(tb, d, domains.Options{})
	var longest *domains.Task
	most := 0
	for i := range w.Tasks {
		writes := 0
		for _, a := range w.Tasks[i].Criteria.Actions {
			if w.Agent.Mutates(a.Name) || w.User.Mutates(a.Name) {
				writes++
			}
		}
		if writes > most {
			longest, most = &w.Tasks[i], writes
		}
	}
	if most < 2 {
		tb.Fatalf("no task of %s has two writes", d.Name)
	}
	return w, longest, goldTalk(tb, w, longest)
}

// BenchmarkEvaluateENV is one full ENV evaluation of a recorded conversation on the real data: two fresh environments,
// replay, the gold plan, the comparison, the assertions. The reference takes 0.56 s, 1.70 s and 0.037 s on retail, airline
// and telecom.
func BenchmarkEvaluateENV(b *testing.B) {
	for _, d := range []domains.Domain{retail.Domain(), airline.Domain(), telecom.Domain()} {
		b.Run(d.Name, func(b *testing.B) {
			w, task, rec := longGold(b, d)
			b.ReportAllocs()
			for b.Loop() {
				s, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{Evaluation: sim.EvalEnv})
				if err != nil || *s.Reward != 1 {
					b.Fatalf("task %s: reward %v, error %v", task.ID, s.Info.Reward, err)
				}
			}
		})
	}
}

// BenchmarkEvaluateAll is the evaluation that runs use, judged by recorded verdicts.
func BenchmarkEvaluateAll(b *testing.B) {
	w, task, rec := longGold(b, retail.Domain())
	var verdicts sim.Recorded
	for _, a := range task.Criteria.NLAssertions {
		verdicts = append(verdicts, sim.Verdict{Assertion: a, Met: true})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{Judge: verdicts}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvaluateDifferent is the evaluation of a conversation that did nothing, so that the difference is listed.
func BenchmarkEvaluateDifferent(b *testing.B) {
	w, task, _ := longGold(b, retail.Domain())
	rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: task, Agent: scripted(says("No.")), User: scripted(says("Hello."), says(stop))})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{Evaluation: sim.EvalEnv})
		if err != nil || len(s.Diff) == 0 {
			b.Fatalf("difference %v, error %v", s.Diff, err)
		}
	}
}

// BenchmarkConversation holds the gold plan as a conversation, without models.
func BenchmarkConversation(b *testing.B) {
	w, task, _ := longGold(b, retail.Domain())
	b.ReportAllocs()
	for b.Loop() {
		goldTalk(b, w, task)
	}
}

// BenchmarkOpen opens the environment of one trial on the real retail data.
func BenchmarkOpen(b *testing.B) {
	w, task, _ := longGold(b, retail.Domain())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.New(task); err != nil {
			b.Fatal(err)
		}
	}
}
