package runs

import (
	"context"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// seatOf gives an agent what it may use in one trial.
func seatOf(w *domains.World, t *domains.Task, env *domains.Env, models func(string) *sim.Model, memo *agents.Cache, key sim.Key, runSeed int64, s System) agents.Setup {
	var m *sim.Model
	if s.Model != "" {
		m = models(s.Model)
	}
	return agents.Setup{World: w, Task: t, Model: m, Models: models, Cache: memo, Params: agents.Params(s.Params),
		Seed: sim.Stream(runSeed, key, agentRole).Uint64(), Read: readOnly(w, env)}
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

// refusing is the client of an agent that is made only to see whether it can be.
var refusing = llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "no call is allowed while an agent is being made"}
})
