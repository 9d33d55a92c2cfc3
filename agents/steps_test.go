package agents_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// TestRefusalsCostSteps has an agent insist on a call that a strict gate refuses: each refusal costs a step, the agent is told
// how many are left, and it is not asked once there is none. The apology that ends its turn comes on top.
func TestRefusalsCostSteps(t *testing.T) {
	for _, c := range []struct {
		steps, refusals int
		left            []int // as the agent sees them, in one turn
		taken           int
		end             sim.Reason
	}{
		{10, 3, []int{9, 8, 7}, 6, sim.UserStop},
		{10, 1, []int{9}, 4, sim.UserStop},
		{4, 10, []int{3, 2, 1}, 5, sim.MaxSteps},
		{2, 10, []int{1}, 3, sim.MaxSteps},
	} {
		w := world(t, domains.Options{})
		s, _ := setup(t, w, "add_task", answer(false, atAsk), answer(false, atAsk))
		s.Params = agents.Params(fmt.Sprintf(`{"gate":"strict","max_refusals":%d}`, c.refusals))
		overlay, err := agents.NewPolicyGuideOverlay(s)
		if err != nil {
			t.Fatal(err)
		}
		var left []int
		insists := sim.ParticipantFunc(func(_ context.Context, v sim.View) (sim.Turn, error) {
			left = append(left, v.StepsLeft)
			return sim.Turn{Message: asks(plants)}, nil
		})
		limits := sim.DefaultLimits()
		limits.MaxSteps = c.steps
		rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: limits,
			Agent: overlay(insists), User: lines(domains.RoleUser, text("Add it."))})
		if err != nil || rec.Fault != nil {
			t.Fatalf("error %v, fault %+v", err, rec.Fault)
		}
		if !slices.Equal(left, c.left) || rec.Steps != c.taken || rec.Termination != c.end || written(w, rec) != 0 {
			t.Errorf("of %d steps the agent saw %v left and took %d, %s; want %v, %d, %s", c.steps, left, rec.Steps, rec.Termination, c.left, c.taken, c.end)
		}
	}
}

// TestHybridOverlay holds a conversation with the hybrid verifier. Its model is asked what the user wants, what to do about a
// call that was refused, and about the call that is due; not while the request waits for a yes that code looks for.
func TestHybridOverlay(t *testing.T) {
	w := world(t, domains.Options{})
	wish := atConfirm
	wish.title = "Water plants"
	s, m := setup(t, w, "add_task", answer(false, wish), answer(false, wish), answer(false, atCreate))
	s.Params = agents.Params(`{"verifier":"hybrid","gate":"strict"}`)
	overlay, err := agents.NewPolicyGuideOverlay(s)
	if err != nil {
		t.Fatal(err)
	}
	agent := lines(domains.RoleAssistant, asks(look), text("I will add 'Water plants'. Do you agree?"), asks(plants), text("I will add 'Water plants'. Do you agree?"), asks(plants), text("Done."))
	user := lines(domains.RoleUser, text("Please put 'Water plants' on my list. I am user_1."), text("What for?"), text("Yes, please."))
	rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(), Agent: overlay(agent), User: user})
	if err != nil || rec.Fault != nil {
		t.Fatalf("error %v, fault %+v", err, rec.Fault)
	}
	if n := written(w, rec); n != 1 || len(m.requests) != 3 {
		t.Errorf("%d changes were made, the model was asked %d times", n, len(m.requests))
	}
	golden(t, "guide/hybrid.golden", transcript(t, rec))
}
