package agents_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// TestReplay: a conversation that was guarded live by a gate that only watches is read from its file with the same
// firings, guidance and refusals.
func TestReplay(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	model, _ := scripted(t, w)
	workflow, err := verify.Load(w, "")
	if err != nil {
		t.Fatal(err)
	}
	firings, refused := 0, 0
	for i := range w.Tasks {
		task := &w.Tasks[i]
		s := agents.Setup{World: w, Task: task, Model: model(task.ID, "agent")}
		react, err := agents.NewReAct(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Params = agents.Params(`{"verifier":"deterministic","gate":"monitor"}`)
		overlay, err := agents.NewPolicyGuideOverlay(s)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := sim.Run(context.Background(), sim.Trial{Key: sim.Key{Domain: w.Name, Task: task.ID}, World: w, Task: task,
			Limits: sim.DefaultLimits(), Agent: overlay(react), User: sim.NewUser(w, task, model(task.ID, "user"))})
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := workflow.Verifier(verify.ByCode, nil, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := verify.NewSession(verifier, workflow.Rules(false), verify.Monitor, false).Replay(context.Background(), rec.Messages)
		if err != nil {
			t.Fatal(err)
		}
		var live []sim.Event
		for _, e := range rec.Events {
			switch e.Kind {
			case agents.EventFiring:
				firings++
			case agents.EventGuidance:
			case agents.EventIntercept:
				refused++
				e.Messages = nil // an id is given, and the time told, once the message stands
			default:
				continue
			}
			live = append(live, e)
		}
		var replayed []sim.Event
		for _, e := range got.Events {
			if e.Index < len(rec.Messages) { // after the last message nobody listened
				e.Messages = nil
				replayed = append(replayed, e)
			}
		}
		if diff := cmp.Diff(plain(t, live), plain(t, replayed)); diff != "" {
			t.Errorf("%s (-live +replayed):\n%s", task.ID, diff)
		}
		if n := got.Count(verify.Passed); n+got.Count(verify.Due) != len(got.Changes) {
			t.Errorf("%s: a gate that only watches has intercepted: %+v", task.ID, got.Changes)
		}
	}
	if firings < 20 || refused == 0 {
		t.Errorf("%d firings and %d refused messages: too few to tell", firings, refused)
	}
}

func plain(t *testing.T, events []sim.Event) (out any) {
	t.Helper()
	text, err := json.Marshal(events)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
