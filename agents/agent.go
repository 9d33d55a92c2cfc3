// Package agents holds the systems under test: agents, which take the agent's turns in a conversation, and overlays,
// which wrap any agent to guide or guard it. The registry is the list at the end of this file; docs/adding-an-agent.md
// walks through adding one.
package agents

import (
	"context"
	"fmt"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/sim"
)

// Setup is everything that an agent or overlay of one trial may use.
type Setup struct {
	World *domains.World
	Task  *domains.Task
	// Model is the agent's model in the role agent; nil for an agent that needs none.
	Model *sim.Model
	// Models returns a model of the config by name, in the role of the agent; nil if there is none of that name, or no
	// function where a setup has no config.
	Models func(name string) *sim.Model
	// Cache keeps what the trials of a run share; nil keeps nothing.
	Cache *Cache
	// Instructions are given in the place of the agent's own, with placeholders or without (sim.FillIn).
	Instructions string
	// Params are the system's own parameters from the config.
	Params Params
	// Seed drives whatever chance the agent itself uses. It leaves the system out, so that all systems meet the same.
	Seed uint64
	// Read runs a read-only tool without a trace in the conversation. A mutating tool is refused.
	Read func(ctx context.Context, c sim.ToolCall) sim.ToolResult
}

// Factory makes the agent of one trial.
type Factory func(Setup) (sim.Participant, error)

// Overlay wraps an agent. Overlays stack in the order of the config: the first is the outermost.
type Overlay func(sim.Participant) sim.Participant

// OverlayFactory makes the overlay of one trial.
type OverlayFactory func(Setup) (Overlay, error)

// Entry is a registered agent or overlay. F is Factory or OverlayFactory.
type Entry[F any] struct {
	Name    string
	Summary string
	// Model says whether the agent needs a model.
	Model bool
	// Instructed says whether it can be given other instructions than its own.
	Instructed bool
	New        F
	// Models names the models that its parameters ask for; nil if they cannot.
	Models func(Params) []string
}

// All returns the registered agents.
func All() []Entry[Factory] {
	return []Entry[Factory]{
		{Name: "react", Summary: "the plain tool-calling agent: policy in the prompt, nothing else", Model: true, Instructed: true, New: NewReAct},
		{Name: "oracle", Summary: "react that is told the task's gold plan: an upper bound, and a test of the simulated user", Model: true, New: NewOracle},
		{Name: "noop", Summary: "never calls a tool: the floor that a do-nothing agent reaches", New: NewNoop},
		{Name: "policyguide", Summary: "react with PolicyGuide around it: a verifier that tracks the workflow, guides and gates", Model: true, Instructed: true, New: Around(NewPolicyGuideOverlay), Models: verifierModel},
		{Name: "policyguide-raw", Summary: "the same with the policy's text in place of the workflow", Model: true, Instructed: true, New: Around(NewPolicyGuideRawOverlay), Models: verifierModel},
		{Name: "policyguide-self", Summary: "react with the workflow in its own prompt and nobody to watch it", Model: true, Instructed: true, New: NewPolicyGuideSelf},
		{Name: "policyguard", Summary: "react with PolicyGuard around it: a verifier that passes or blocks each mutating call, by checklist and policy", Model: true, Instructed: true, New: Around(NewPolicyGuardOverlay), Models: verifierModel},
		{Name: "policyguard-raw", Summary: "the same with the policy's text and no checklist", Model: true, Instructed: true, New: Around(NewPolicyGuardRawOverlay), Models: verifierModel},
		{Name: "flowagent", Summary: "FlowAgent: policy and procedure in the prompt, calls controlled for order and repetition", Model: true, New: NewFlowAgent},
		{Name: "toolguard", Summary: "react with ToolGuard around it: guards in plain code that see arguments and hidden reads, no dialogue", Model: true, Instructed: true, New: Around(NewToolGuardOverlay)},
	}
}

// Overlays returns the registered overlays.
func Overlays() []Entry[OverlayFactory] {
	return []Entry[OverlayFactory]{
		{Name: "policyguide", Summary: "PolicyGuide around any agent", New: NewPolicyGuideOverlay, Models: verifierModel},
		{Name: "policyguard", Summary: "PolicyGuard around any agent", New: NewPolicyGuardOverlay, Models: verifierModel},
		{Name: "policyguard-raw", Summary: "the same with the policy's text and no checklist", New: NewPolicyGuardRawOverlay, Models: verifierModel},
		{Name: "flowagent", Summary: "FlowAgent's controllers around any agent, without its prompt", New: NewFlowOverlay},
		{Name: "toolguard", Summary: "ToolGuard around any agent", New: NewToolGuardOverlay},
	}
}

// FindAgent returns the agent of that name.
func FindAgent(name string) (Entry[Factory], error) { return find("agent", name, All()) }

// FindOverlay returns the overlay of that name.
func FindOverlay(name string) (Entry[OverlayFactory], error) {
	return find("overlay", name, Overlays())
}

func find[F any](what, name string, entries []Entry[F]) (Entry[F], error) {
	var names []string
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry[F]{}, fmt.Errorf("unknown %s %q\nhint: %s", what, name, yamlfile.Suggest(name, names))
}

// Around makes the plain agent with an overlay around it; its parameters are the overlay's.
func Around(factory OverlayFactory) Factory {
	return func(s Setup) (sim.Participant, error) {
		overlay, err := factory(s)
		if err != nil {
			return nil, err
		}
		inner, err := newReAct(s)
		if err != nil {
			return nil, err
		}
		return overlay(inner), nil
	}
}

// Stack puts overlays around an agent, the first outermost.
func Stack(s sim.Participant, overlays ...Overlay) sim.Participant {
	for i := len(overlays) - 1; i >= 0; i-- {
		s = overlays[i](s)
	}
	return s
}
