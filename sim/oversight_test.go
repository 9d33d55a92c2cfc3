package sim_test

import (
	"testing"

	"github.com/tauguide/tauguide/sim"
)

// TestOversight counts firings by what became of them: each once, whatever several things are to be said of it.
func TestOversight(t *testing.T) {
	rec := sim.Record{Events: []sim.Event{
		{Kind: sim.EventFiring, Data: map[string]any{"coerced": []string{"a", "b"}, "rejected": []string{"c"}}},
		{Kind: sim.EventFiring, Data: map[string]any{"reask": "no JSON"}},
		{Kind: sim.EventFailOpen, Text: "no JSON again", Data: map[string]any{"reask": "no JSON"}},
		{Kind: sim.EventFailOpen, Text: "timed out"},
		{Kind: sim.EventGuard}, {Kind: sim.EventPrivate, Data: map[string]any{"reask": "of something else"}},
	}}
	want := sim.Oversight{Firings: 5, Failed: 2, Reasked: 2, Coerced: 1, Rejected: 1, Cause: "no JSON again"}
	if got := rec.Oversight(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	const line = "failed open in 4 of 10 firings (40.0 %), asked again in 4, answers read by their meaning 2, not taken over whole 2"
	if got := want.Plus(want).String(); got != line {
		t.Errorf("%q, want %q", got, line)
	}
	for _, c := range []struct {
		failed, of int
		want       bool
	}{{0, 0, false}, {0, 10, false}, {1, 50, false}, {2, 99, true}, {1, 1, true}} {
		if got := (sim.Oversight{Firings: c.of, Failed: c.failed}).Unreliable(); got != c.want {
			t.Errorf("%d failures of %d: unreliable %v", c.failed, c.of, got)
		}
	}
}
