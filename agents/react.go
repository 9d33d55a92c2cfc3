package agents

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

var (
	//go:embed prompts/agent.md
	agentInstructions string
	//go:embed prompts/oracle.md
	oracleInstructions string
	//go:embed prompts/solo.md
	soloInstructions string
)

// doneTool ends a solo conversation; it never reaches the environment (docs/reference/tau2.md#participants).
var doneTool = domains.ToolSpec{
	Name:        "done",
	Description: "Call this alone, once nothing on the ticket is left to do.",
	Parameters:  []byte(`{"properties":{},"title":"parameters","type":"object"}`),
}

// soloStop is the text that a solo agent's call of done becomes.
const soloStop = "###STOP###"

// react is the plain agent: a prompt with the policy, the tools, native tool calls.
type react struct {
	setup     Setup
	system    string
	tools     []domains.ToolSpec
	choice    string
	workflows []Workflow // in the prompt
}

// NewReAct makes the plain agent (paper, section 4.1; docs/reference/tau2.md#participants). It takes no parameters.
func NewReAct(s Setup) (sim.Participant, error) {
	if err := s.Params.Decode(&struct{}{}); err != nil {
		return nil, err
	}
	return newReAct(s)
}

// newReAct makes the plain agent whatever the parameters are: they may be those of what is built on it.
func newReAct(s Setup) (*react, error) {
	if !s.World.Options.Solo {
		return &react{setup: s, tools: s.World.AgentTools(), system: s.prompt(agentInstructions, "")}, nil
	}
	if s.Task.Ticket == nil {
		return nil, fmt.Errorf("task %s has no ticket, so it cannot run solo", s.Task.ID)
	}
	return &react{setup: s, tools: append(s.World.AgentTools(), doneTool), choice: "required",
		system: s.prompt(soloInstructions, *s.Task.Ticket)}, nil
}

// NewOracle makes the agent that is told the gold plan.
func NewOracle(s Setup) (sim.Participant, error) {
	if err := s.Params.Decode(&struct{}{}); err != nil {
		return nil, err
	}
	if s.World.Options.Solo {
		return nil, fmt.Errorf("oracle has no solo variant\nhint: use react for solo runs")
	}
	steps := tagged("resolution_steps", goldPlan(s.Task))
	return &react{setup: s, tools: s.World.AgentTools(), system: prompt(oracleInstructions, s.World.Policy, steps)}, nil
}

func tagged(tag, text string) string { return "<" + tag + ">\n" + text + "\n</" + tag + ">" }

// prompt is the system prompt of the plain agent, by its own instructions or by those that are given; solo agents have a
// ticket.
func (s Setup) prompt(own, ticket string) string {
	instructions := own
	if s.Instructions != "" {
		whole, ok := sim.FillIn(s.Instructions, sim.AgentMark, strings.TrimSpace(own), sim.PolicyMark, s.World.Policy, sim.TicketMark, ticket)
		if ok {
			return whole
		}
		instructions = s.Instructions
	}
	if s.World.Options.Solo {
		return prompt(instructions, s.World.Policy, tagged("ticket", ticket))
	}
	return prompt(instructions, s.World.Policy, "")
}

func prompt(instructions, policy, more string) string {
	out := tagged("instructions", strings.TrimSpace(instructions)) + "\n" + tagged("policy", policy)
	if more != "" {
		out += "\n" + more
	}
	return out
}

// goldPlan words the gold actions as steps.
func goldPlan(t *domains.Task) string {
	if t.Criteria == nil || len(t.Criteria.Actions) == 0 {
		return "This request leads to no action: nothing may be changed."
	}
	lines := make([]string, len(t.Criteria.Actions))
	for i, a := range t.Criteria.Actions {
		do := "Call"
		if a.Requestor == domains.UserSide {
			do = "Have the user call"
		}
		lines[i] = fmt.Sprintf("[Step %d] %s %s.", i+1, do, functional(a))
	}
	return strings.Join(lines, "\n")
}

// functional prints a call as name(k=v, ...).
func functional(a domains.Action) string {
	var args []string
	m, _ := a.Arguments.Map()
	for k, v := range m.All() {
		args = append(args, k+"="+v.Str())
	}
	return a.Name + "(" + strings.Join(args, ", ") + ")"
}

// Next asks the model for the agent's next message.
func (r *react) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	return r.sample(ctx, v, sim.Sampling{})
}

// sample draws one of the messages that could be the next.
func (r *react) sample(ctx context.Context, v sim.View, s sim.Sampling) (sim.Turn, error) {
	m, call, err := r.setup.Model.AskWith(ctx, s, v.Index, sim.Wire(r.system, v.Messages, sim.AgentSide), r.tools, r.choice)
	turn := sim.Turn{Message: m, Calls: []sim.ModelCall{call}}
	if r.setup.World.Options.Solo {
		for _, c := range m.ToolCalls {
			if c.Name == doneTool.Name {
				turn.Message.ToolCalls, turn.Message.Content, turn.Stop = nil, domains.Text(soloStop), true
			}
		}
	}
	return turn, err
}
