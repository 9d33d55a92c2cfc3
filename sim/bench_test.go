package sim_test

import (
	"context"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/sim"
)

// longGold is a task of the real retail data whose plan has many reads and several writes.
func longGold(tb testing.TB) (*domains.World, *domains.Task, sim.Record) {
	tb.Helper()
	w := domaintest.Real(tb, retail.Domain(), domains.Options{})
	task, ok := w.Task("30")
	if !ok {
		tb.Fatal("the retail data has no task 30")
	}
	writes := 0
	for _, a := range task.Criteria.Actions {
		if w.Agent.Mutates(a.Name) {
			writes++
		}
	}
	if writes < 2 || len(task.Criteria.Actions) < 8 {
		tb.Fatalf("task 30 has %d actions, %d of them writes: choose a longer one", len(task.Criteria.Actions), writes)
	}
	return w, task, goldTalk(tb, w, task)
}

// BenchmarkEvaluateENV is one full ENV evaluation of a recorded conversation on the real retail data: two fresh
// environments, strict replay, the gold plan, the comparison.
func BenchmarkEvaluateENV(b *testing.B) {
	w, task, rec := longGold(b)
	b.ReportAllocs()
	for b.Loop() {
		s, err := sim.ScoreRecord(context.Background(), w, task, rec, sim.ScoreOptions{Evaluation: sim.EvalEnv})
		if err != nil || *s.Reward != 1 {
			b.Fatalf("reward %v, error %v", s.Info.Reward, err)
		}
	}
}

// BenchmarkEvaluateAll is the evaluation that runs use, judged by recorded verdicts.
func BenchmarkEvaluateAll(b *testing.B) {
	w, task, rec := longGold(b)
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
	w, task, _ := longGold(b)
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
	w, task, _ := longGold(b)
	b.ReportAllocs()
	for b.Loop() {
		goldTalk(b, w, task)
	}
}

// BenchmarkOpen opens the environment of one trial on the real retail data.
func BenchmarkOpen(b *testing.B) {
	w, task, _ := longGold(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.New(task); err != nil {
			b.Fatal(err)
		}
	}
}
