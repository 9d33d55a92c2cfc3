package synthetic_test

import (
	"slices"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// TestGrantingWithCare has an agent give in many times: about half the time at once, else with the read that the change
// rests on and the user's yes before it. Either way the change is made.
func TestGrantingWithCare(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	s := newStage(w, synthetic.Config{Mistakes: synthetic.Mistakes{GrantForbidden: 1}})
	task, ok := w.Task("change-of-plan-gold")
	if !ok {
		t.Fatal("the task is gone")
	}
	const trials = 60
	asked := 0
	for n := range trials {
		rec := s.talk(t, trial{"react", task, n})
		f := look(w, rec)
		if !slices.Equal(f.changes, []string{`cancel_reservation{"reservation_id":"V2H3J6"}`}) {
			t.Fatalf("trial %d: changes %v", n, f.changes)
		}
		if f.unasked == 0 {
			asked++
			if !readBefore(rec, "get_reservation_details", "cancel_reservation") {
				t.Errorf("trial %d: agreed to, but the reservation was not read before", n)
			}
		}
	}
	if asked < trials/4 || asked > 3*trials/4 {
		t.Errorf("%d of %d trials granted with care, want about half", asked, trials)
	}
}

// readBefore reports whether one tool was called before another.
func readBefore(rec sim.Record, read, change string) bool {
	seen := false
	for _, m := range rec.Messages {
		for _, c := range m.ToolCalls {
			switch c.Name {
			case read:
				seen = true
			case change:
				return seen
			}
		}
	}
	return false
}
