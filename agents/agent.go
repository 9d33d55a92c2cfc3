// Package agents holds the systems under test: agents, which take the agent's turns in a conversation, and overlays,
// which wrap any agent to guide or guard it. The registry is the list at the end of this file; docs/adding-an-agent.md
// walks through adding one.
package agents

import (
	"context"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
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

// Entry is a registered agent.
type Entry struct {
	Name    string
	Summary string
	// Model says whether the agent needs a model.
	Model bool
	New   Factory
	// Models names further models that its parameters ask for; nil if they cannot.
	Models func(Params) []string
}

// OverlayEntry is a registered overlay.
type OverlayEntry struct {
	Name    string
	Summary string
	New     OverlayFactory
	// Models names the models that its parameters ask for; nil if they cannot.
	Models func(Params) []string
}

// All returns the registered agents.
func All() []Entry {
	return []Entry{
		{Name: "react", Summary: "the plain tool-calling agent: policy in the prompt, nothing else", Model: true, New: NewReAct},
		{Name: "oracle", Summary: "react that is told the task's gold plan: an upper bound, and a test of the simulated user", Model: true, New: NewOracle},
		{Name: "noop", Summary: "never calls a tool: the floor that a do-nothing agent reaches", New: NewNoop},
		{Name: "policyguide", Summary: "react with PolicyGuide around it: a verifier that tracks the workflow, guides and gates", Model: true, New: NewPolicyGuide, Models: verifierModel},
		{Name: "policyguide-raw", Summary: "the same with the policy's text in place of the workflow", Model: true, New: NewPolicyGuideRaw, Models: verifierModel},
		{Name: "policyguide-self", Summary: "react with the workflow in its own prompt and nobody to watch it", Model: true, New: NewPolicyGuideSelf},
		{Name: "policyguard", Summary: "react with PolicyGuard around it: a verifier that passes or blocks each mutating call, by checklist and policy", Model: true, New: NewPolicyGuard, Models: verifierModel},
		{Name: "policyguard-raw", Summary: "the same with the policy's text and no checklist", Model: true, New: NewPolicyGuardRaw, Models: verifierModel},
		{Name: "flowagent", Summary: "FlowAgent: policy and procedure in the prompt, calls controlled for order and repetition", Model: true, New: NewFlowAgent},
		{Name: "toolguard", Summary: "react with ToolGuard around it: guards in plain code that see arguments and hidden reads, no dialogue", Model: true, New: NewToolGuard},
	}
}

// Overlays returns the registered overlays.
func Overlays() []OverlayEntry {
	return []OverlayEntry{
		{Name: "policyguide", Summary: "PolicyGuide around any agent", New: NewPolicyGuideOverlay, Models: verifierModel},
		{Name: "policyguard", Summary: "PolicyGuard around any agent", New: NewPolicyGuardOverlay, Models: verifierModel},
		{Name: "policyguard-raw", Summary: "the same with the policy's text and no checklist", New: NewPolicyGuardRawOverlay, Models: verifierModel},
		{Name: "flowagent", Summary: "FlowAgent's controllers around any agent, without its prompt", New: NewFlowOverlay},
		{Name: "toolguard", Summary: "ToolGuard around any agent", New: NewToolGuardOverlay},
	}
}

// FindAgent returns the agent of that name.
func FindAgent(name string) (Entry, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf("unknown agent %q: choose one of %s", name, strings.Join(names, ", "))
}

// FindOverlay returns the overlay of that name.
func FindOverlay(name string) (OverlayEntry, error) {
	var names []string
	for _, e := range Overlays() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return OverlayEntry{}, fmt.Errorf("unknown overlay %q: choose one of %s", name, strings.Join(names, ", "))
}

// plainWith puts an overlay around the plain agent of a setup whose parameters are the overlay's.
func plainWith(s Setup, o Overlay, err error) (sim.Participant, error) {
	if err != nil {
		return nil, err
	}
	s.Params = nil
	inner, err := NewReAct(s)
	if err != nil {
		return nil, err
	}
	return o(inner), nil
}

// Stack puts overlays around an agent, the first outermost.
func Stack(s sim.Participant, overlays ...Overlay) sim.Participant {
	for i := len(overlays) - 1; i >= 0; i-- {
		s = overlays[i](s)
	}
	return s
}
