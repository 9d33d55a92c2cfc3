package agents_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestGuideParameters wants each parameter that makes no sense to be refused, with what can be written in its place.
func TestGuideParameters(t *testing.T) {
	for params, want := range map[string]string{
		`{"verifier":"oracle"}`:  "choose one of llm, hybrid, deterministic",
		`{"gate":"open"}`:        "choose one of advisory, strict, monitor",
		`{"walk_check":"edges"}`: "choose one of exists, path",
		`{"stall":-1}`:           "stall is -1\nhint: give at least 0",
		`{"timeout":"soon"}`:     "write it like 90s or 3m",
		`{"timeout":"-1s"}`:      "write it like 90s or 3m",
		`{"max_refusals":0}`:     "max_refusals is 0\nhint: give at least 1",
		`{"walks":"path"}`:       `unknown parameter "walks"`,
		`{"stall":"5"}`:          "write a number within reason, without quotes",
		`{"bundle":"/nowhere"}`:  "workflow in /nowhere",
		// Whoever judges: the domain's own tools would not be guarded.
		`{"bundle":"../guide/bundles/retail"}`:            `workflow in ../guide/bundles/retail, for mock: `,
		`{"model":"other"}`:                               "no models to choose from",
		`{"verifier":"deterministic","model":"scripted"}`: "a deterministic verifier asks none",
	} {
		s, _ := setup(t, world(t, domains.Options{}), "add_task")
		s.Params = agents.Params(params)
		if _, err := agents.NewPolicyGuideOverlay(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", params, err, want)
		}
	}
	s, _ := setup(t, world(t, domains.Options{}), "add_task")
	s.Params = agents.Params(`{"verifier":"hybrid"}`)
	if _, err := agents.NewPolicyGuideRawOverlay(s); err == nil || !strings.Contains(err.Error(), "only a model can judge") {
		t.Errorf("without a workflow: error %v", err)
	}
	s.Models = func(string) *sim.Model { return nil }
	s.Params = agents.Params(`{"model":"other"}`)
	if _, err := agents.NewPolicyGuideOverlay(s); err == nil || !strings.Contains(err.Error(), `there is no model "other"`) {
		t.Errorf("unknown model: error %v", err)
	}
	s.Model, s.Params = nil, nil
	if _, err := agents.NewPolicyGuideOverlay(s); err == nil || !strings.Contains(err.Error(), "a verifier needs a model") {
		t.Errorf("no model: error %v", err)
	}
	s.Params = agents.Params(`{"verifier":"deterministic"}`)
	if _, err := agents.NewPolicyGuideOverlay(s); err != nil {
		t.Errorf("no model, and none needed: error %v", err)
	}
	s, _ = setup(t, world(t, domains.Options{}), "add_task")
	s.Params = agents.Params(`{"bundle":"/nowhere"}`)
	if _, err := agents.NewPolicyGuideSelf(s); err == nil || !strings.Contains(err.Error(), "workflow in /nowhere") {
		t.Errorf("self: error %v", err)
	}
}

type spent struct{}

func (spent) Error() string { return "the budget is spent" }
func (spent) Budget() bool  { return true }

// TestGuideStopsWithTheRun ends the conversation where the run may not spend more or is cancelled, in a firing as in a corrective
// one, and where the agent inside breaks; it does not go on without guidance then.
func TestGuideStopsWithTheRun(t *testing.T) {
	broken := errors.New("the agent broke")
	for _, c := range []struct {
		name    string
		answers int // that the verifier gives before the budget is spent
		cancel  bool
		agent   error
		asked   int
		want    string
	}{
		{"budget at once", 0, false, nil, 1, "the budget is spent"},
		{"budget when a call was refused", 1, false, nil, 2, "the budget is spent"},
		{"cancelled", 0, true, nil, 1, "context canceled"},
		{"the agent", 9, false, broken, 1, "the agent broke"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t, domains.Options{})
			s, _ := setup(t, w, "add_task")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			asked := 0
			s.Model.Client = llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
				if asked++; c.cancel {
					cancel()
					return llm.Response{}, ctx.Err()
				}
				if asked > c.answers {
					return llm.Response{}, spent{}
				}
				return llm.Response{Message: answer(false, atAsk)}, nil
			})
			s.Params = agents.Params(`{"gate":"strict"}`)
			overlay, err := agents.NewPolicyGuideOverlay(s)
			if err != nil {
				t.Fatal(err)
			}
			agent := sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) {
				return sim.Turn{Message: asks(plants)}, c.agent
			})
			turn, err := overlay(agent).Next(ctx, sim.View{Messages: []sim.Message{spoken(domains.RoleUser, "Add it.")}, Index: 1, StepsLeft: 9})
			if err == nil || !strings.Contains(err.Error(), c.want) || asked != c.asked || turn.Message.HasText() || len(turn.Message.ToolCalls) > 0 {
				t.Errorf("asked %d times, error %v, turn %+v", asked, err, turn.Message)
			}
		})
	}
}

// spoken is a message of the conversation.
func spoken(role domains.Role, words string) sim.Message {
	m, at := text(words), 0
	m.Role, m.TurnIdx = role, &at
	return m
}

// TestGuideInSoloMode fires at the beginning, once, and after a refusal.
func TestGuideInSoloMode(t *testing.T) {
	w := world(t, domains.Options{Solo: true})
	s, m := setup(t, w, "add_task", answer(false, atAsk), answer(false, atAsk), answer(false, atAsk))
	s.Params = agents.Params(`{"gate":"strict"}`)
	overlay, err := agents.NewPolicyGuideOverlay(s)
	if err != nil {
		t.Fatal(err)
	}
	agent := overlay(lines(domains.RoleAssistant, asks(look), asks(plants), asks(look)))
	for i, want := range []int{1, 2} {
		if _, err := agent.Next(context.Background(), sim.View{StepsLeft: 9}); err != nil || len(m.requests) != want {
			t.Errorf("turn %d: the verifier was asked %d times, error %v, want %d", i, len(m.requests), err, want)
		}
	}
}
