package telecom_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
)

// longest returns the base task with the longest gold plan.
func longest(w *domains.World) *domains.Task {
	best := &w.Tasks[0]
	for i := range w.Tasks {
		if len(w.Tasks[i].Criteria.Actions) > len(best.Criteria.Actions) {
			best = &w.Tasks[i]
		}
	}
	return best
}

// recorded runs the mutating part of a task's gold plan over and over, until there are n calls, and returns the
// conversation.
func recorded(tb testing.TB, w *domains.World, t *domains.Task, n int) []domains.Message {
	tb.Helper()
	e, err := w.New(t)
	if err != nil {
		tb.Fatal(err)
	}
	var msgs []domains.Message
	for i := 0; len(msgs) < 2*n; i++ {
		a := t.Criteria.Actions[i%len(t.Criteria.Actions)]
		if !w.Agent.Mutates(a.Name) && !w.User.Mutates(a.Name) {
			continue
		}
		c := a.Call()
		c.ID = "c"
		role := domains.RoleAssistant
		if c.Requestor == domains.UserSide {
			role = domains.RoleUser
		}
		msgs = append(msgs, domains.Message{Role: role, ToolCalls: []domains.ToolCall{c}}, domains.ResultMessage(c, e.Call(c.Requestor, c)))
	}
	return msgs
}

func BenchmarkFresh(b *testing.B) {
	w := domaintest.Real(b, telecom.Domain(), domains.Options{})
	for b.Loop() {
		w.Fresh()
	}
}

func BenchmarkOpen(b *testing.B) {
	w := domaintest.Real(b, telecom.Domain(), domains.Options{})
	task := longest(w)
	for b.Loop() {
		if _, err := w.New(task); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSync(b *testing.B) {
	w := domaintest.Real(b, telecom.Domain(), domains.Options{})
	e, err := w.New(longest(w))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := e.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEvaluate does what an evaluation of the end state does: replay of 20 writes, assertions, gold plan,
// comparison.
func BenchmarkEvaluate(b *testing.B) {
	w := domaintest.Real(b, telecom.Domain(), domains.Options{})
	task := longest(w)
	msgs := recorded(b, w, task, 20)
	b.ReportAllocs()
	for b.Loop() {
		e, err := w.New(task)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Replay(msgs, true); err != nil {
			b.Fatal(err)
		}
		for _, a := range task.Criteria.EnvAssertions {
			if _, err := e.Check(a); err != nil {
				b.Fatal(err)
			}
		}
		g, err := w.NewGold(task)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range task.Criteria.Actions {
			if _, err := g.Gold(a); err != nil {
				b.Fatal(err)
			}
		}
		g.Diff(e)
	}
}

func BenchmarkHash(b *testing.B) {
	w := domaintest.Real(b, telecom.Domain(), domains.Options{})
	agent, user := w.Fresh()
	b.Run("agent", func(b *testing.B) {
		for b.Loop() {
			agent.Hash()
		}
	})
	b.Run("user", func(b *testing.B) {
		for b.Loop() {
			user.Hash()
		}
	})
}
