package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
)

// The tests of this file hold the data set against the domain's real tools,
// with which the generator shares nothing.

func TestReplayOnTools(t *testing.T) {
	for _, o := range []domains.Options{{}, {Policy: domains.PolicyWorkflow}, {Solo: true}, {Policy: domains.PolicyWorkflow, Solo: true}} {
		w := domaintest.Embedded(t, telecom.Domain(), o)
		if len(w.Tasks) == 0 {
			t.Fatal("no tasks")
		}
		for i := range w.Tasks {
			k := &w.Tasks[i]
			t.Run(k.ID, func(t *testing.T) { replay(t, w, k) })
		}
	}
}

func replay(t *testing.T, w *domains.World, k *domains.Task) {
	e, err := w.New(k)
	if err != nil {
		t.Fatal(err)
	}
	repairs := slices.ContainsFunc(k.Criteria.Actions, func(a domains.Action) bool { return w.Agent.Mutates(a.Name) || w.User.Mutates(a.Name) })
	if unmet := failing(t, e, k); repairs != (len(unmet) > 0) {
		t.Errorf("the plan repairs something: %t; at the start these fail: %v", repairs, unmet)
	}
	for _, a := range k.Criteria.Actions {
		side := a.Requestor
		if w.Options.Solo {
			side = domains.AgentSide
		}
		res := e.Call(side, a.Call())
		if res.Error || refusal(res.Content) {
			t.Errorf("%s: %s: %s", a.ID, a.Name, res.Content)
		}
	}
	if unmet := failing(t, e, k); len(unmet) > 0 {
		t.Errorf("after the plan these fail: %v", unmet)
	}
}

// refusal tells results that report a failure without being errors.
func refusal(content string) bool {
	for _, s := range []string{"Failed", "Error", "already", "No active VPN", "You do not have", "No payment request", "Cannot", "[]"} {
		if strings.HasPrefix(content, s) || s == "already" && strings.Contains(content, "was already") {
			return true
		}
	}
	return false
}

func failing(t *testing.T, e *domains.Env, k *domains.Task) []string {
	t.Helper()
	var out []string
	for _, a := range k.Criteria.EnvAssertions {
		ok, err := e.Check(a)
		if err != nil {
			t.Fatalf("%s: %v", a.Func, err)
		}
		if !ok {
			out = append(out, a.Func)
		}
	}
	return out
}

// TestTemptationsOnTools makes each temptation on the real tools: it works and changes something.
func TestTemptationsOnTools(t *testing.T) {
	w := domaintest.Embedded(t, telecom.Domain(), domains.Options{})
	n := 0
	for i := range w.Tasks {
		k := &w.Tasks[i]
		for _, a := range k.Temptation {
			n++
			start, err := w.New(k)
			if err != nil {
				t.Fatal(err)
			}
			e, err := w.New(k)
			if err != nil {
				t.Fatal(err)
			}
			res := e.Call(a.Requestor, a.Call())
			if res.Error || len(start.Diff(e)) == 0 {
				t.Errorf("%s: %s: %s", k.ID, a.Name, res.Content)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d temptations, want at least 10", n)
	}
}

// TestDatabaseBasis replays the tasks that are judged by the database as the evaluator does, without syncs: that
// state must be the one of a compliant conversation.
func TestDatabaseBasis(t *testing.T) {
	w := domaintest.Embedded(t, telecom.Domain(), domains.Options{})
	n := 0
	for i := range w.Tasks {
		k := &w.Tasks[i]
		if !slices.Contains(k.Criteria.RewardBasis, domains.RewardDB) {
			continue
		}
		n++
		gold, err := w.NewGold(k)
		if err != nil {
			t.Fatal(err)
		}
		e, err := w.New(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range k.Criteria.Actions {
			if _, err := gold.Gold(a); err != nil {
				t.Errorf("%s: %v", a.ID, err)
			}
			e.Call(a.Requestor, a.Call())
		}
		// A restart of a phone that is in order must not cost the reward.
		e.Call(domains.UserSide, domains.ToolCall{Name: "reboot_device", Requestor: domains.UserSide})
		if diff := gold.Diff(e); len(diff) > 0 {
			t.Errorf("%s: %v", k.ID, diff)
		}
	}
	if n != 2 {
		t.Errorf("%d tasks judged by the database, want 2", n)
	}
}
