package config

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// NewAgent makes the agent of a trial with its overlays around it. The key names domain and system; models gives the
// clients of models by name, nil for an unknown one.
func (p *Plan) NewAgent(k sim.Key, t *domains.Task, env *domains.Env, models func(string) *sim.Model) (sim.Participant, error) {
	s, w := p.Config.System(k.System), p.Worlds[k.Domain]
	seat := agents.Setup{World: w, Task: t, Models: models, Cache: &p.cache, Params: agents.Params(s.Params),
		Seed: sim.Stream(p.Config.Seed, k, RoleAgent).Uint64(), Read: readOnly(w, env)}
	seat.Instructions = cmp.Or(s.Prompt.Text, p.Config.Prompts.Agent.Text)
	if s.Model != "" {
		seat.Model = models(s.Model)
	}
	return p.MakeAgent(s, seat)
}

// makeAgent makes the agent of a system with its overlays around it.
func makeAgent(s System, seat agents.Setup) (sim.Participant, error) {
	entry, err := agents.FindAgent(s.Agent)
	if err != nil {
		return nil, err
	}
	if !entry.Instructed {
		seat.Instructions = ""
	}
	speaker, err := entry.New(seat)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", s.Agent, err)
	}
	overlays := make([]agents.Overlay, len(s.Overlays))
	for i, o := range s.Overlays {
		entry, err := agents.FindOverlay(o.Name)
		if err != nil {
			return nil, err
		}
		seat.Params = agents.Params(o.Params)
		if overlays[i], err = entry.New(seat); err != nil {
			return nil, fmt.Errorf("overlay %s: %w", o.Name, err)
		}
	}
	return agents.Stack(speaker, overlays...), nil
}

// readOnly lets an agent look things up in its trial's world without a trace in the conversation.
func readOnly(w *domains.World, env *domains.Env) func(context.Context, sim.ToolCall) sim.ToolResult {
	return func(_ context.Context, c sim.ToolCall) sim.ToolResult {
		if w.Agent.Mutates(c.Name) || w.Options.Solo && w.User.Mutates(c.Name) {
			return sim.ToolResult{Content: "Error: " + c.Name + " changes the world: only reading is allowed here", Error: true}
		}
		return env.Call(sim.AgentSide, c)
	}
}

// Refusing is the client of an agent that is made only to see whether it can be.
var Refusing = llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "no call is allowed while an agent is being made"}
})
