package retail_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/value"
)

// benchWorld is the reference's data with the first task of most writing gold actions.
func benchWorld(b *testing.B) (*domains.World, *domains.Task) {
	b.Helper()
	w := domaintest.Real(b, retail.Domain(), domains.Options{})
	var task *domains.Task
	most := 0
	for i := range w.Tasks {
		writes := 0
		for _, a := range w.Tasks[i].Criteria.Actions {
			if w.Agent.Mutates(a.Name) {
				writes++
			}
		}
		if writes > most {
			task, most = &w.Tasks[i], writes
		}
	}
	if task == nil {
		b.Fatal("no task writes")
	}
	agent, _ := w.Fresh()
	agent.Hash() // the base's cached text is made once per process
	return w, task
}

func opened(b *testing.B, w *domains.World, t *domains.Task) *domains.Env {
	b.Helper()
	e, err := w.New(t)
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// write changes one user of the database.
func write(b *testing.B, w *domains.World, e *domains.Env) {
	b.Helper()
	for _, t := range w.Tasks {
		for _, a := range t.Criteria.Actions {
			if a.Name == "modify_user_address" {
				if _, err := e.Gold(a); err != nil {
					b.Fatal(err)
				}
				return
			}
		}
	}
	b.Fatal("no gold action changes an address")
}

func BenchmarkLoad(b *testing.B) {
	domaintest.Shared(b)
	b.ReportAllocs()
	for b.Loop() {
		domaintest.Real(b, retail.Domain(), domains.Options{})
	}
}

func BenchmarkOpenTrial(b *testing.B) {
	w, task := benchWorld(b)
	b.ReportAllocs()
	for b.Loop() {
		opened(b, w, task)
	}
}

func BenchmarkPristineHash(b *testing.B) {
	w, task := benchWorld(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := opened(b, w, task).Hash(domains.AgentSide); !ok {
			b.Fatal("no hash")
		}
	}
}

func BenchmarkHashAfterWrite(b *testing.B) {
	w, task := benchWorld(b)
	e := opened(b, w, task)
	write(b, w, e)
	b.ReportAllocs()
	for b.Loop() {
		e.Hash(domains.AgentSide)
	}
}

// BenchmarkWrite is a trial's first write of a record, which copies it.
func BenchmarkWrite(b *testing.B) {
	w, task := benchWorld(b)
	b.ReportAllocs()
	for b.Loop() {
		write(b, w, opened(b, w, task))
	}
}

// BenchmarkGoldReplay is what scoring does for the gold side of a task: open, run the plan, hash.
func BenchmarkGoldReplay(b *testing.B) {
	w, task := benchWorld(b)
	b.ReportAllocs()
	for b.Loop() {
		e, err := w.NewGold(task)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range task.Criteria.Actions {
			_, _ = e.Gold(a) // a failure is part of the plan
		}
		e.Hash(domains.AgentSide)
	}
}

// BenchmarkReplay is what scoring does for the side of a trial: open, replay the recorded calls and compare, hash.
func BenchmarkReplay(b *testing.B) {
	w, task := benchWorld(b)
	live := opened(b, w, task)
	var msgs []domains.Message
	for _, a := range task.Criteria.Actions {
		c := a.Call()
		msgs = append(msgs, domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}},
			domains.ResultMessage(c, live.Call(domains.AgentSide, c)))
	}
	b.ReportAllocs()
	for b.Loop() {
		e := opened(b, w, task)
		if _, err := e.Replay(msgs, true); err != nil {
			b.Fatal(err)
		}
		e.Hash(domains.AgentSide)
	}
}

// BenchmarkNaiveHash is what the hash would cost without the cached text of the base, for comparison.
func BenchmarkNaiveHash(b *testing.B) {
	w, task := benchWorld(b)
	agent, _ := opened(b, w, task).Databases()
	b.ReportAllocs()
	for b.Loop() {
		value.AppendDump(nil, agent.Value(), value.Sorted)
	}
}
