package agents_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/sim"
)

// wordsAlone writes the to-do desk's workflow into a folder as a model writes one, without checks, but for those given by
// node.
func wordsAlone(t *testing.T, checks map[string]string) string {
	t.Helper()
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "flow")
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			n.Check, n.Event = checks[n.ID], nil
			for i := range n.Edges {
				n.Edges[i].Check = ""
			}
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, guide.Format(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPolicyGuideOfUnknownDomain guards a domain of which the program has neither workflow, nor vocabulary, nor catalog:
// one of a user's own Go code.
func TestPolicyGuideOfUnknownDomain(t *testing.T) {
	chores := *world(t, domains.Options{})
	chores.Name = "chores"
	bundle, err := json.Marshal(wordsAlone(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	s, m := setup(t, &chores, "add_task", answer(false, atAsk), answer(false, atCreate))
	s.Params = agents.Params(`{"gate": "strict", "bundle": ` + string(bundle) + `}`)
	overlay, err := agents.NewPolicyGuideOverlay(s)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := sim.Run(context.Background(), sim.Trial{World: &chores, Task: s.Task, Limits: sim.DefaultLimits(),
		Agent: overlay(lines(domains.RoleAssistant, text("Your id?"), asks(plants), text("Done."))),
		User:  lines(domains.RoleUser, text("Please put 'Water plants' on my list."), text("user_1"))})
	if err != nil || rec.Fault != nil || len(m.requests) != 2 || written(&chores, rec) != 1 {
		t.Errorf("error %v, fault %+v, %d requests, %d changes", err, rec.Fault, len(m.requests), written(&chores, rec))
	}

	s, m = setup(t, &chores, "add_task", says("Hello!"))
	s.Params = agents.Params(`{"bundle": ` + string(bundle) + `}`)
	speak(t, agents.NewPolicyGuideSelf, s, sim.Message{Role: domains.RoleUser, Content: domains.Text("Hi")})
	if system := m.requests[0].Messages[0].Text(); !strings.Contains(system, "### add.authorize_create\n") {
		t.Errorf("the workflow is not in the prompt:\n%s", system)
	}
}

// TestPolicyGuideByGenericChecks guards such a domain by code alone: by checks over its tools' results and what was said.
// The change passes once the user has agreed to it, and not before.
func TestPolicyGuideByGenericChecks(t *testing.T) {
	chores := *world(t, domains.Options{})
	chores.Name = "chores"
	bundle, err := json.Marshal(wordsAlone(t, map[string]string{
		"look_up":          `result("get_users").exists(u, stated(u.user_id))`,
		"summarize":        `summarised(request.grounded_values)`,
		"confirm":          `agreed(request.grounded_values)`,
		"authorize_create": `stated(call.args.user_id) && call.args.title != ""`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]int{"Yes, please.": 1, "No, not that.": 0} {
		s, m := setup(t, &chores, "add_task")
		s.Params = agents.Params(`{"verifier": "deterministic", "gate": "strict", "bundle": ` + string(bundle) + `}`)
		overlay, err := agents.NewPolicyGuideOverlay(s)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := sim.Run(context.Background(), sim.Trial{World: &chores, Task: s.Task, Limits: sim.DefaultLimits(),
			Agent: overlay(lines(domains.RoleAssistant, text("Your id?"), asks("get_users{}"), asks(plants), text("Water plants for user_1: shall I?"), asks(plants), text("Well then."))),
			User:  lines(domains.RoleUser, text("Please put 'Water plants' on my list."), text("user_1"), text(said))})
		if err != nil || rec.Fault != nil || len(m.requests) != 0 || written(&chores, rec) != want {
			t.Errorf("%s: error %v, fault %+v, %d requests, %d changes", said, err, rec.Fault, len(m.requests), written(&chores, rec))
		}
	}
}
