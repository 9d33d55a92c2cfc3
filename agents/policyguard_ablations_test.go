package agents_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// TestPolicyGuardAblations holds a conversation and reads what the verifier was told: each variant lacks its part, and has
// the others.
func TestPolicyGuardAblations(t *testing.T) {
	const policy, rules, list, dialogue = "<policy>", "<general_rules>", "<checklist>", "<conversation>"
	hello := text("Please put 'Water plants' on my list. I am user_1.")
	for _, c := range []struct {
		name, params string
		raw          bool
		lacks        []string
	}{
		{"whole", `{}`, false, []string{"<calls>"}},
		{"raw", `{}`, true, []string{list, rules, "<calls>"}},
		{"raw without the dialogue", `{"dialogue":false}`, true, []string{list, rules, dialogue}},
		{"without the dialogue", `{"dialogue":false}`, false, []string{dialogue}},
		{"without the policy", `{"policy":false}`, false, []string{policy, "<calls>"}},
		{"without both", `{"policy":false,"dialogue":false}`, false, []string{policy, dialogue}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, m := setup(t, w, "add_task", passes)
			s.Params = agents.Params(c.params)
			make := agents.NewPolicyGuardOverlay
			if c.raw {
				make = agents.NewPolicyGuardRawOverlay
			}
			overlay, err := make(s)
			if err != nil {
				t.Fatal(err)
			}
			proposal := asks(plants)
			proposal.Content = domains.Text("I am adding it now.")
			agent := overlay(lines(domains.RoleAssistant, asks(look), text("Shall I add 'Water plants'?"), proposal, text("Done.")))
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(),
				Agent: agent, User: lines(domains.RoleUser, hello, text("Yes, gladly"))})
			if err != nil || rec.Fault != nil || len(m.requests) != 1 || written(w, rec) != 1 {
				t.Fatalf("error %v, fault %+v, %d questions, %d changes", err, rec.Fault, len(m.requests), written(w, rec))
			}
			static, told := m.requests[0].Messages[0].Text(), m.requests[0].Messages[1].Text()
			for _, mark := range []string{policy, rules, list, dialogue, "<calls>"} {
				if want := !slices.Contains(c.lacks, mark); strings.Contains(static+told, "\n"+mark+"\n") != want {
					t.Errorf("%s in the prompt: %v, want %v", mark, !want, want)
				}
			}
			for _, line := range strings.Split(strings.TrimSpace(w.Policy), "\n") {
				if in := strings.Contains(static+told, line); len(line) > 40 && in == slices.Contains(c.lacks, policy) {
					t.Errorf("line of the policy in the prompt: %v: %q", in, line)
				}
			}
			for _, words := range []string{"Hi! How can I help you today?", *hello.Content, "Shall I add 'Water plants'?", "Yes, gladly", "I am adding it now."} {
				if in := strings.Contains(told, words); in == slices.Contains(c.lacks, dialogue) {
					t.Errorf("%q in the prompt: %v", words, in)
				}
			}
			if strings.Contains(static, "user's word") == slices.Contains(c.lacks, dialogue) || strings.Contains(static, "policy below decides") == slices.Contains(c.lacks, policy) {
				t.Errorf("the rules of judging are of another variant:\n%s", static)
			}
			if !strings.Contains(told, `"get_users"`) || strings.Count(told, `"create_task"`) < 2 || !strings.Contains(told, "Robin") && !strings.Contains(told, "user_1") {
				t.Errorf("calls or results are missing:\n%s", told)
			}
			read, err := checklist.ReadCase(told)
			if err != nil || read.Silent != slices.Contains(c.lacks, dialogue) || read.Call.Name != "create_task" {
				t.Errorf("read back: %+v, %v", read, err)
			}
			golden(t, "guard/prompt_"+strings.ReplaceAll(c.name, " ", "_")+".golden", static+"\n=====\n"+told)
		})
	}
	if _, err := checklist.NewGuard(world(t, domains.Options{}), nil, checklist.Without{Policy: true}); err == nil || !strings.Contains(err.Error(), "nothing to judge by") {
		t.Errorf("a guard without anything: %v", err)
	}
}
