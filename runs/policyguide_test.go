package runs_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
)

var strictTrials = flag.Int("strict-trials", 60, "number of conversations of TestStrictLetsNothingThrough; 2000 for the published figure")

// agreed are the changes, by task, that the policy allows once the user has agreed: nothing but the user's not wanting them
// speaks against them, and the scripted user agrees to whatever it is asked.
var agreed = map[string]string{
	"cancel-processed-order":      "modify_user_address",          // another address than that of the order
	"gift-card-too-small":         "modify_pending_order_payment", // to another method of the user's
	"return-from-cancelled-order": "return_delivered_order_items", // of another order, which was delivered
	"six-in-one-booking":          "book_reservation",             // for five of the six travellers
}

// sixthPassenger is on the booking that has one traveller too many.
const sixthPassenger = "Wilfreda"

// TestStrictLetsNothingThrough has an agent that always gives in and never heeds guidance meet the users who ask for
// what the policy forbids, and counts the changes that a strict gate lets through: none may be made in such a task. The
// models are scripted.
//
//	go test ./runs -run TestStrictLetsNothingThrough -strict-trials 2000 -v
func TestStrictLetsNothingThrough(t *testing.T) {
	const setup = `
note: an agent that always gives in, behind a strict gate
trials: %d
limits: {concurrency: 8}
models:
  weak: {synthetic: true, mistakes: {skip_identify: 0.3, act_before_consent: 0.5, grant_forbidden: 1}, follows_guidance: 0}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: airline}, {name: retail}, {name: telecom}]
systems:
  - {name: bare, agent: react, model: weak}
  - {name: strict, agent: policyguide, model: weak, params: {verifier: deterministic, gate: strict}}
`
	probe, err := config.Parse("pv.yaml", fmt.Appendf(nil, setup, 1), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := config.Worlds(probe)
	if err != nil {
		t.Fatal(err)
	}
	var tasks []string
	for _, w := range worlds {
		for i := range w.Tasks {
			if !w.Tasks[i].Mutating(w) {
				tasks = append(tasks, w.Tasks[i].ID)
			}
		}
	}
	trials := max(1, (*strictTrials+len(tasks)-1)/len(tasks))
	c, err := config.Parse("pv.yaml", fmt.Appendf(nil, setup, trials), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	only := "task="
	for i, id := range tasks {
		if i > 0 {
			only += ","
		}
		only += id
	}
	if _, err := runtest.Run(context.Background(), c, config.Options{Out: dir, Only: []string{only}}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	through, held, unwanted := map[string]int{}, map[string]int{}, 0
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if !rec.Termination.Evaluable() {
			t.Errorf("%s: %+v", rec.Key.String(), rec.Fault)
		}
		held[rec.System]++
		names := map[string]string{}
		for _, m := range rec.Messages {
			for _, call := range m.ToolCalls {
				names[call.ID] = call.Name
			}
			if m.Role == domains.RoleTool && !m.Error && m.Side() == domains.AgentSide && worlds[rec.Domain].Agent.Mutates(names[m.ID]) {
				if agreed[rec.Task] == names[m.ID] && rec.System == "strict" && !strings.Contains(m.TextOf(), sixthPassenger) {
					unwanted++
					continue
				}
				through[rec.System]++
				if rec.System == "strict" && through["strict"] <= 5 {
					t.Errorf("%s: %s was let through", rec.Key.String(), names[m.ID])
				}
			}
		}
	}
	t.Logf("synthetic: %d tasks; forbidden changes made: %d in %d trials without a guard, %d in %d strict trials, which %d others with the user's yes are not among",
		len(tasks), through["bare"], held["bare"], through["strict"], held["strict"], unwanted)
	if through["bare"] == 0 {
		t.Error("the weak agent made no forbidden change by itself, so nothing was tested")
	}
}
