package airline_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
)

// The benchmarks run on the reference's data: 300 flights of 30 dates, 500 users, 2000 reservations.

func BenchmarkOpen(b *testing.B) {
	w := domaintest.Real(b, airline.Domain(), domains.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.New(&w.Tasks[0]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHashAfterWrite is one write in a new trial and the hash after it, against the hash of an untouched trial.
func BenchmarkHashAfterWrite(b *testing.B) {
	w := domaintest.Real(b, airline.Domain(), domains.Options{})
	agent, _ := w.Fresh()
	agent.Hash()
	id := firstReservation(b, agent)
	args := value.OfMap(value.MapOf(value.Pair{Key: "reservation_id", Value: value.OfString(id)}))
	cancel := domains.ToolCall{Name: "cancel_reservation", Arguments: args}
	b.Run("untouched", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			db, _ := w.Fresh()
			db.Hash()
		}
	})
	b.Run("after a write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e, err := w.New(&w.Tasks[0])
			if err != nil {
				b.Fatal(err)
			}
			if res := e.Call(domains.AgentSide, cancel); res.Error {
				b.Fatal(res.Content)
			}
			e.Hash(domains.AgentSide)
		}
	})
}

func firstReservation(b *testing.B, db domains.Database) string {
	b.Helper()
	own, ok := db.(*airline.DB)
	if !ok {
		b.Fatalf("database of type %T", db)
	}
	for id := range own.Reservations.All() {
		return id
	}
	b.Fatal("no reservation in the data")
	return ""
}

// BenchmarkGold replays the gold plan of every task, one op for all tasks, without and with a hash at each end.
func BenchmarkGold(b *testing.B) {
	w := domaintest.Real(b, airline.Domain(), domains.Options{})
	for _, tt := range []struct {
		name   string
		hashed bool
	}{{"calls", false}, {"calls and final hashes", true}} {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range w.Tasks {
					replayGold(b, w, &w.Tasks[i], tt.hashed)
				}
			}
		})
	}
}

func replayGold(b *testing.B, w *domains.World, task *domains.Task, hashed bool) {
	b.Helper()
	e, err := w.NewGold(task)
	if err != nil {
		b.Fatal(err)
	}
	for _, a := range task.Criteria.Actions {
		if _, err := e.Gold(a); err != nil {
			b.Fatalf("task %s, %s: %v", task.ID, a.Name, err)
		}
	}
	if hashed {
		e.Hash(domains.AgentSide)
	}
}

func BenchmarkSearchOneStop(b *testing.B) {
	w := domaintest.Real(b, airline.Domain(), domains.Options{})
	e, err := w.New(&w.Tasks[0])
	if err != nil {
		b.Fatal(err)
	}
	args, err := value.ParseString(`{"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if res := e.Call(domains.AgentSide, domains.ToolCall{Name: "search_onestop_flight", Arguments: args}); res.Error {
			b.Fatal(res.Content)
		}
	}
}

// BenchmarkLoad is what a process pays once.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		domaintest.Real(b, airline.Domain(), domains.Options{})
	}
}
