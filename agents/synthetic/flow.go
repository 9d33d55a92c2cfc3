package synthetic

import (
	"context"
	"errors"
	"fmt"

	"github.com/tauguide/tauguide/agents/flow"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// eitherProtocol answers a request of the text protocol in that protocol, any other as it is.
func eitherProtocol(ctx context.Context, s synthetic.Input) (llm.Message, error) {
	msgs := s.Request.Messages
	if len(msgs) != 1 || msgs[0].Role != llm.User || !flow.IsPrompt(msgs[0].Text()) {
		return synthetic.Agent(ctx, s)
	}
	view, err := flow.ReadHistory(msgs[0].Text())
	if err != nil {
		return llm.Message{}, err
	}
	s.Request.Messages = sim.Wire("", view, sim.AgentSide)
	m, err := synthetic.Agent(ctx, s)
	if err != nil {
		return llm.Message{}, err
	}
	reply, err := flowReply(m)
	if err != nil {
		return llm.Message{}, err
	}
	return synthetic.Say(reply.Text()), nil
}

func flowReply(m llm.Message) (flow.Reply, error) {
	if len(m.ToolCalls) == 0 {
		return flow.Reply{Thought: "The user is to hear this.", Response: m.Text()}, nil
	}
	if len(m.ToolCalls) > 1 {
		return flow.Reply{}, errors.New("the text protocol takes one call at a time")
	}
	c := m.ToolCalls[0]
	input, err := value.ParseString(c.Arguments)
	if err != nil {
		return flow.Reply{}, fmt.Errorf("arguments of %s: %w", c.Name, err)
	}
	return flow.Reply{Thought: "The next step is " + c.Name + ".", Action: c.Name, Input: input}, nil
}
