package checks_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

func TestAirlineCatalog(t *testing.T) {
	c, err := guide.ShippedCatalog("airline")
	if err != nil {
		t.Fatal(err)
	}
	sections, classes := map[string]int{}, map[guide.Class]int{}
	for _, r := range c.Rows {
		sections[r.ID[:1]]++
		classes[r.Class]++
	}
	if d := cmp.Diff(map[string]int{"G": 5, "B": 13, "M": 13, "C": 5, "R": 7}, sections); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[guide.Class]int{guide.ArgumentLevel: 14, guide.ProcessLevel: 27, guide.WorkflowLevel: 2}, classes); d != "" {
		t.Error(d)
	}
}

func TestAirlineDecidable(t *testing.T) {
	g := checkerFor(t, domaintest.Embedded(t, airline.Domain(), domains.Options{})).Graph()
	decidable, evaluated := g.Share()
	t.Logf("%d of %d evaluated nodes are decidable", decidable, evaluated)
	if 5*decidable < 4*evaluated {
		t.Errorf("%d of %d evaluated nodes are decidable, want 80 %%", decidable, evaluated)
	}
}

// airlineMisses are gold changes that the policy does not allow to the user that the task describes
// (docs/faithfulness.md).
func airlineMisses() map[string]string {
	return map[string]string{
		"39 cancel_reservation MSJ4OA": "cancel.may_cancel", // insured, but no covered reason
	}
}

func airlineWorlds(t *testing.T) map[string]func(testing.TB) *domains.World {
	return map[string]func(testing.TB) *domains.World{
		"tau2":     func(t testing.TB) *domains.World { return domaintest.Real(t, airline.Domain(), domains.Options{}) },
		"embedded": func(t testing.TB) *domains.World { return domaintest.Embedded(t, airline.Domain(), domains.Options{}) },
	}
}

// Every change of a gold plan is due once a compliant conversation has led up to it, and its request is done after it.
func TestAirlineGold(t *testing.T) {
	for name, open := range airlineWorlds(t) {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			c, db := checkerFor(t, w), content(w)
			writes, due := 0, 0
			misses := map[string]string{}
			for i := range w.Tasks {
				task := &w.Tasks[i]
				if len(writesOf(w, task)) == 0 {
					continue
				}
				a := newFlightAgent(t, w, db, c, task, airCaller(db, task.Criteria.Actions...), briefOf(task), "")
				for _, act := range task.Criteria.Actions {
					if !a.mutates(act) {
						a.call(act.Name, act.Arguments)
						continue
					}
					writes++
					a.prepare(act.Name, act.Arguments, task.UserScenario.Instructions.ReasonForCall)
					key := strings.TrimSpace(task.ID + " " + act.Name + " " + airArg(act.Arguments, "reservation_id"))
					ok, why := a.due(act.Name, act.Arguments)
					if ok {
						due++
					} else {
						misses[key] = why
					}
					if res := a.call(act.Name, act.Arguments); res.Error {
						t.Fatalf("%s: %s", key, res.Content)
					}
					if _, why := a.due(act.Name, act.Arguments); ok && why != "the request counts as done already" {
						t.Errorf("%s: made, but the request rests at %s", key, why)
					}
				}
			}
			t.Logf("%d of %d gold changes are authorized", due, writes)
			if writes == 0 {
				t.Fatal("no task changes anything")
			}
			for key, why := range misses {
				if want, argued := airlineMisses()[key]; !argued || !strings.HasPrefix(why, want+":") {
					t.Errorf("withheld: %s: %s", key, why)
				}
			}
			if name == "tau2" && len(misses) < len(airlineMisses()) {
				t.Errorf("authorized though it is argued that it must not be: want %v, got %v", airlineMisses(), misses)
			}
		})
	}
}

// The first change of every gold plan is withheld if any part of what leads up to it is left out.
func TestAirlineGoldWithoutAStep(t *testing.T) {
	for name, open := range airlineWorlds(t) {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			c, db := checkerFor(t, w), content(w)
			n := 0
			for i := range w.Tasks {
				task := &w.Tasks[i]
				writes := writesOf(w, task)
				if len(writes) == 0 {
					continue
				}
				for _, skip := range []airStep{airStepIdentify, airStepProfile, airStepReads, airStepSummary, airStepConsent} {
					a := newFlightAgent(t, w, db, c, task, airCaller(db, task.Criteria.Actions...), briefOf(task), skip)
					a.prepare(writes[0].Name, writes[0].Arguments, task.UserScenario.Instructions.ReasonForCall)
					ok, why := a.due(writes[0].Name, writes[0].Arguments)
					node, _, _ := strings.Cut(why, ":")
					if ok || !airRestsRightly(skip, node) {
						t.Errorf("task %s, %s without %s: authorized %v, rests at %s", task.ID, writes[0].Name, skip, ok, why)
					}
					n++
				}
			}
			t.Logf("%d conversations without a step", n)
		})
	}
}

// airRestsRightly reports whether a walk that rests at a node says what is missing where a step was left out. A gate before
// the step may stop it too: task 39's cancellation is not allowed at all, and without reads much is unknown.
func airRestsRightly(skip airStep, node string) bool {
	switch skip {
	case airStepIdentify:
		return node == "identify.ask_user_id" || node == "identify.load_profile"
	case airStepProfile:
		return node == "identify.load_profile"
	case airStepReads:
		return strings.HasSuffix(node, "reservation.load") || node == "book.search_flights" || node == "compensation.look_up"
	case airStepSummary:
		return strings.HasSuffix(node, "agree.summarize")
	case airStepConsent:
		return strings.HasSuffix(node, "agree.confirm")
	}
	return false
}

func airArg(args value.Value, key string) string {
	m, _ := args.Map()
	v, _ := m.Get(key)
	s, _ := v.Text()
	return s
}
