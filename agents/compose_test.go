package agents_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// TestStacks runs overlays on top of each other, named in a config as users name them, with scripted models over HTTP. Whatever
// the stack: no conversation breaks, no id of a call occurs twice in what the agent sees, what was refused is in no trajectory,
// and every step is accounted for.
func TestStacks(t *testing.T) {
	const config = `
note: stacks of overlays with scripted models
data: DATA
trials: 1
limits: {concurrency: 4}
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.4, act_before_consent: 0.5, wrong_order: 0.4, grant_forbidden: 0.6}, follows_guidance: 0.5}
user: {model: clumsy}
judge: {model: clumsy}
domains:
  - {name: airline, tasks: [change-of-plan-gold, basic-economy-other-day, certificate-for-regular, insured-and-ill]}
  - {name: retail, tasks: [cancel-processed-order, change-two-items-then-address, gift-card-too-small, cancel-one-return-one]}
  - {name: telecom, tasks: [contract-ended, allowance-used-up, pictures-abroad, two-unpaid-bills]}
systems:
  - {name: guide over guard, agent: react, model: clumsy, overlays: [policyguide, toolguard]}
  - {name: guard over guide, agent: react, model: clumsy, overlays: [toolguard, {policyguide: {verifier: deterministic, gate: strict}}]}
  - {name: both guards, agent: react, model: clumsy, overlays: [policyguard, toolguard]}
  - {name: guards in agents, agent: toolguard, model: clumsy, overlays: [policyguard, policyguard-raw]}
  - {name: twice the same, agent: flowagent, model: clumsy, overlays: [flowagent, policyguide, flowagent]}
  - {name: everything, agent: flowagent, model: clumsy, params: {protocol: text}, overlays: [{policyguide: {verifier: deterministic, gate: strict}}, policyguard, toolguard, flowagent]}
`
	r := flowRun(t, config, "embedded", 7)
	refused := map[string]map[sim.EventKind]int{}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		key := rec.Key.String()
		if rec.Fault != nil || !rec.Termination.Evaluable() {
			t.Errorf("%s: %s, fault %+v", key, rec.Termination, rec.Fault)
		}
		if refused[rec.System] == nil {
			refused[rec.System] = map[sim.EventKind]int{}
		}
		for _, e := range rec.Events {
			refused[rec.System][e.Kind]++
		}
		checkStack(t, key, rec)
	}
	for system, want := range map[string][]sim.EventKind{
		"guide over guard": {agents.EventFiring, agents.EventGuardBlock, agents.EventIntercept},
		"guard over guide": {agents.EventFiring, agents.EventIntercept},
		"both guards":      {agents.EventGuard, agents.EventGuardBlock},
		"guards in agents": {agents.EventGuard, agents.EventGuardBlock},
		"twice the same":   {agents.EventFlowReject, agents.EventFiring},
		"everything":       {agents.EventFlowReject, agents.EventGuardBlock, agents.EventFiring},
	} {
		t.Logf("synthetic: %s: %v", system, refused[system])
		for _, kind := range want {
			if refused[system][kind] == 0 {
				t.Errorf("%s: no event %s, so nothing was tested", system, kind)
			}
		}
	}
}

// checkStack checks what every record must hold, whatever wraps its agent.
func checkStack(t *testing.T, key string, rec sim.Record) {
	t.Helper()
	ids, public := map[string]bool{}, map[string]bool{}
	take := func(m sim.Message) {
		for _, c := range m.ToolCalls {
			if ids[c.ID] || c.ID == "" {
				t.Errorf("%s: id %q occurs twice", key, c.ID)
			}
			ids[c.ID] = true
		}
	}
	steps := -1 // the greeting is none
	if rec.Solo {
		steps = 0
	}
	for i, m := range rec.Messages {
		take(m)
		for _, c := range m.ToolCalls {
			public[c.ID] = true
		}
		if m.Role != domains.RoleTool || rec.Messages[i-1].Role != domains.RoleTool {
			steps++ // the results of a batch are one step
		}
	}
	for _, e := range rec.Events {
		if e.Kind != sim.EventPrivate {
			continue
		}
		open := []string{}
		for _, m := range e.Messages {
			take(m)
			for _, c := range m.ToolCalls {
				open = append(open, c.ID)
			}
			switch {
			case m.Role == domains.RoleTool && (len(open) == 0 || open[0] != m.ID || !m.Error || public[m.ID]):
				t.Errorf("%s: a private result of %s while %v wait for one", key, m.ID, open)
			case m.Role == domains.RoleTool:
				open = open[1:]
			case len(m.ToolCalls) > 0:
				steps++ // a refused message
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: %v have no result", key, open)
		}
	}
	if rec.Steps != steps {
		t.Errorf("%s: %d steps, %d messages, batches and refusals", key, rec.Steps, steps)
	}
}

// TestStackOrderShows: of two overlays that would both refuse a call, the inner one does, and the outer one never sees it. Once the inner
// one lets it pass, it is the outer one's turn.
func TestStackOrderShows(t *testing.T) {
	guide := agents.Params(`{"verifier":"deterministic","gate":"strict"}`)
	for _, c := range []struct {
		overlays []string // outermost first, as in a config
		want     []sim.EventKind
	}{
		{[]string{"policyguide", "flowagent"}, []sim.EventKind{agents.EventFlowReject, agents.EventIntercept}},
		{[]string{"flowagent", "policyguide"}, []sim.EventKind{agents.EventIntercept, agents.EventBlock}},
	} {
		t.Run(strings.Join(c.overlays, " over "), func(t *testing.T) {
			w := world(t, domains.Options{})
			s, _ := setup(t, w, "add_task")
			var overlays []agents.Overlay
			for _, name := range c.overlays {
				e, err := agents.FindOverlay(name)
				if err != nil {
					t.Fatal(err)
				}
				own := s
				if name == "policyguide" {
					own.Params = guide
				}
				o, err := e.New(own)
				if err != nil {
					t.Fatal(err)
				}
				overlays = append(overlays, o)
			}
			// Before the look-up both would refuse the change; after it, without a yes of the user, PolicyGuide alone.
			agent := agents.Stack(lines(domains.RoleAssistant, asks(plants), asks(look), asks(plants), text("Shall I?")), overlays...)
			rec, err := sim.Run(context.Background(), sim.Trial{World: w, Task: s.Task, Limits: sim.DefaultLimits(), Agent: agent,
				User: lines(domains.RoleUser, text("Please put 'Water plants' on my list. I am user_1."))})
			if err != nil || rec.Fault != nil {
				t.Fatalf("error %v, fault %+v", err, rec.Fault)
			}
			var got []sim.EventKind
			for _, e := range rec.Events {
				if slices.Contains([]sim.EventKind{agents.EventFlowReject, agents.EventIntercept, agents.EventBlock}, e.Kind) {
					got = append(got, e.Kind)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("refusals %v, want %v", got, c.want)
			}
			if n := written(w, rec); n != 0 {
				t.Errorf("%d changes were made", n)
			}
			checkStack(t, t.Name(), rec)
		})
	}
}
