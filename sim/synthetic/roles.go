package synthetic

import (
	"context"

	"github.com/tauguide/tauguide/sim/llm"
)

// Agent is the scripted agent, for scripts that speak for it in another protocol. The scene's request must hold the
// conversation as a tool-calling agent sees it.
func Agent(ctx context.Context, s Input) (llm.Message, error) { return agentScript(ctx, s) }
