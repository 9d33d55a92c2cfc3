package telecom_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/telecom"
)

// refused matches results that report a failure without being errors.
var refused = regexp.MustCompile(`^(Failed|Error|already|No active VPN|You do not have|No payment request|Cannot|\[\])|was already`)

// TestPlansInEveryVariant follows each plan of the embedded tasks as a conversation would, in all four variants of the
// domain: something is wrong at the start if the plan repairs anything, no step is refused, and nothing is wrong at the end.
func TestPlansInEveryVariant(t *testing.T) {
	for _, o := range []domains.Options{{}, {Policy: domains.PolicyWorkflow}, {Solo: true}, {Policy: domains.PolicyWorkflow, Solo: true}} {
		w := domaintest.Embedded(t, telecom.Domain(), o)
		for i := range w.Tasks {
			k := &w.Tasks[i]
			e, err := w.New(k)
			if err != nil {
				t.Fatal(err)
			}
			repairs := slices.ContainsFunc(k.Criteria.Actions, func(a domains.Action) bool { return w.Agent.Mutates(a.Name) || w.User.Mutates(a.Name) })
			if wrong := failing(t, e, k); repairs != (len(wrong) > 0) {
				t.Errorf("%+v: %s: the plan repairs something: %t; at the start these fail: %v", o, k.ID, repairs, wrong)
			}
			for _, a := range k.Criteria.Actions {
				side := a.Requestor
				if o.Solo {
					side = domains.AgentSide
				}
				if res := e.Call(side, a.Call()); res.Error || refused.MatchString(res.Content) {
					t.Errorf("%+v: %s: %s: %s", o, a.ID, a.Name, res.Content)
				}
			}
			if wrong := failing(t, e, k); len(wrong) > 0 {
				t.Errorf("%+v: %s: after the plan these fail: %v", o, k.ID, wrong)
			}
		}
	}
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

// TestDatabaseBasis replays the tasks that are judged by the database as the evaluator does, without syncs: that state
// must be the one of a compliant conversation, even if the customer restarts a phone that is in order.
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
		e.Call(domains.UserSide, domains.ToolCall{Name: "reboot_device", Requestor: domains.UserSide})
		if diff := gold.Diff(e); len(diff) > 0 {
			t.Errorf("%s: %v", k.ID, diff)
		}
	}
	if n != 2 {
		t.Errorf("%d tasks judged by the database, want 2", n)
	}
}
