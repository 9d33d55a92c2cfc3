package checks_test

import (
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
)

func BenchmarkZZAirline(b *testing.B) {
	w := domaintest.Real(b, airline.Domain(), domains.Options{})
	c, db := checkerFor(b, w), content(w)
	for _, id := range []string{"14", "18"} {
		task, _ := w.Task(id)
		a := newFlightAgent(b, w, db, c, task, airCaller(db, task.Criteria.Actions...), briefOf(task), "")
		a.readAll()
		act := writesOf(w, task)[len(writesOf(w, task))-1]
		a.prepare(act.Name, act.Arguments, "because")
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				if ok, why := a.due(act.Name, act.Arguments); !ok { b.Fatal(why) }
			}
		})
	}
}
