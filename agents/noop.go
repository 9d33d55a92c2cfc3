package agents

import (
	"context"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// noopReply is all that the do-nothing agent ever says.
const noopReply = "I am sorry, but I cannot do anything for you."

// NewNoop makes the agent that never acts. What it scores is the floor of a data set: tasks that pay for leaving the
// database alone.
func NewNoop(s Setup) (sim.Participant, error) {
	if err := s.Params.Decode(&struct{}{}); err != nil {
		return nil, err
	}
	return sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) {
		return sim.Turn{Message: sim.Message{Role: domains.RoleAssistant, Content: domains.Text(noopReply)}}, nil
	}), nil
}
