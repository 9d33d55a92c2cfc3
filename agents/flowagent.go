package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/agents/flow"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// The events of FlowAgent; docs/flowagent.md describes their data.
const (
	EventFlowReject sim.EventKind = "flow_reject" // a controller rejected a message
	EventFlowParse  sim.EventKind = "flow_parse"  // an answer of the text protocol had none of its forms
	EventFlowLimit  sim.EventKind = "flow_limit"  // the turn ended for too many calls
)

// The protocols of FlowAgent.
const (
	protocolNative = "native"
	protocolText   = "text"
)

// flowParams are the parameters of FlowAgent; docs/flowagent.md explains them.
type flowParams struct {
	controllerParams
	Protocol    string `json:"protocol"`
	Precontrol  bool   `json:"precontrol"`
	ActionLimit *int   `json:"action_limit"`
}

// controllerParams are those of the controllers alone.
type controllerParams struct {
	flow.Options
	Bundle        string `json:"bundle"`
	MaxRejections int    `json:"max_rejections"`
}

// flowActionLimit is how many calls in one turn the text protocol allows, as in the release.
const flowActionLimit = 5

// defaultControllers are those of the release, but that its shipped configuration leaves the dependency controller off
// and that it never stops rejecting.
func defaultControllers() controllerParams {
	return controllerParams{Options: flow.Options{Dependency: true, Duplicates: true, Threshold: 2}, MaxRejections: maxRefusals}
}

func (p controllerParams) check() error {
	return cmp.Or(atLeast("threshold", p.Threshold, 2), atLeast("max_rejections", p.MaxRejections, 1))
}

func readFlowParams(in Params) (flowParams, error) {
	p := flowParams{controllerParams: defaultControllers(), Protocol: protocolNative}
	if err := in.Decode(&p); err != nil {
		return p, err
	}
	if err := oneOf("protocol", p.Protocol, protocolNative, protocolText); err != nil {
		return p, err
	}
	if p.ActionLimit != nil {
		if p.Protocol == protocolNative {
			return p, errors.New("parameters: action_limit belongs to the text protocol\nhint: remove it, or add protocol: text")
		}
		if err := atLeast("action_limit", *p.ActionLimit, 0); err != nil {
			return p, err
		}
	}
	return p, p.check()
}

// NewFlowAgent makes FlowAgent: an agent with the policy and the procedure in its prompt, and two controllers that look at its
// calls (docs/reference/baselines.md).
func NewFlowAgent(s Setup) (sim.Participant, error) {
	p, err := readFlowParams(s.Params)
	if err != nil {
		return nil, err
	}
	procedure, err := loadProcedure(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	c := flow.NewControllers(procedure, p.Options)
	limits := warner{c, p.Precontrol}
	var actor sim.Participant
	if p.Protocol == protocolText {
		if s.World.Options.Solo {
			return nil, errors.New("flowagent: the text protocol has no solo variant\nhint: use protocol: native")
		}
		text := &flowText{warner: limits, model: s.Model, procedure: procedure, limit: flowActionLimit}
		if p.ActionLimit != nil {
			text.limit = *p.ActionLimit
		}
		actor = text
	} else {
		plain, err := newReAct(s)
		if err != nil {
			return nil, err
		}
		plain.system += "\n" + procedure.Native()
		actor = &flowNative{limits, plain}
	}
	return control(actor, c, procedure, p.MaxRejections), nil
}

// NewFlowOverlay puts FlowAgent's controllers around any agent.
func NewFlowOverlay(s Setup) (Overlay, error) {
	p := defaultControllers()
	if err := s.Params.Decode(&p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	procedure, err := loadProcedure(s, p.Bundle)
	if err != nil {
		return nil, err
	}
	return func(inner sim.Participant) sim.Participant {
		return control(inner, flow.NewControllers(procedure, p.Options), procedure, p.MaxRejections)
	}, nil
}

// loadProcedure compiles a procedure, once for all trials that share a cache.
func loadProcedure(s Setup, bundle string) (*flow.Procedure, error) {
	return Cached(s.Cache, [3]any{"procedure", s.World, bundle}, func() (*flow.Procedure, error) { return flow.Load(s.World, bundle) })
}

// controlled is an agent whose calls must pass the controllers.
type controlled struct {
	guarded
	workflow Workflow
}

func control(inner sim.Participant, c *flow.Controllers, p *flow.Procedure, most int) sim.Participant {
	inspect := func(_ context.Context, v sim.View, m sim.Message, turn *sim.Turn) ([]string, error) {
		c.Hear(v.Messages)
		r := c.Look(m.ToolCalls)
		if r == nil {
			return nil, nil
		}
		tool := m.ToolCalls[r.Call].Name
		data := map[string]any{"controller": r.Controller, "tool": tool, "reason": r.Reason}
		if r.Missing != "" {
			data["missing"] = r.Missing
		}
		turn.Events = append(turn.Events, eventOf(m, EventFlowReject, v.Index, tool+": "+r.Reason, data))
		return refusals(m.ToolCalls, map[int]string{r.Call: fmt.Sprintf("Error: %s was not executed: %s.", tool, r.Reason)}), nil
	}
	return &controlled{guarded{inner: inner, inspect: inspect, prefix: "flow_", max: most}, workflowFrom(p.Hash, p.Origin)}
}

// Fingerprint is a hash of the procedure, whose preconditions no prompt shows.
func (c *controlled) Fingerprint() string {
	return strings.TrimSpace(c.workflow.SHA256 + " " + c.guarded.Fingerprint())
}

// warner tells an agent beforehand what the controllers would reject, if it is to.
type warner struct {
	controllers *flow.Controllers
	warns       bool
}

func (w warner) state(v sim.View) string {
	if !w.warns {
		return ""
	}
	w.controllers.Hear(v.Messages)
	return w.controllers.State()
}

// flowNative is the tool-calling agent with the procedure in its prompt.
type flowNative struct {
	warner
	plain *react
}

// Next asks the model, with a warning at the end of the prompt if there is one.
func (f *flowNative) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	asking := *f.plain
	if state := f.state(v); state != "" {
		asking.system += "\n" + tagged("state", state)
	}
	return asking.Next(ctx, v)
}

// flowText is the agent of the text protocol: one message for each decision.
type flowText struct {
	warner
	model     *sim.Model
	procedure *flow.Procedure
	limit     int
	calls     int // so far
}

// waiting is what the user hears where the released agent says nothing: after too many calls in one turn.
const waiting = "I am still looking into this. Is there anything that you would like to add?"

// Next asks the model for one decision. An answer that cannot be read comes back as an empty turn: the conversation asks for it
// again, and counts the third as the agent's error, just as the release gives up after three.
func (f *flowText) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	if f.limit > 0 && callsInTurn(v.Messages) > f.limit {
		e := event(EventFlowLimit, v.Index, fmt.Sprintf("more than %d calls in one turn", f.limit), nil)
		return sim.Turn{Message: sim.Message{Role: domains.RoleAssistant, Content: domains.Text(waiting)}, Events: []sim.Event{e}}, nil
	}
	prompt := f.procedure.Prompt(flow.History(v.Messages), f.state(v))
	m, call, err := f.model.Ask(ctx, v.Index, []llm.Message{{Role: llm.User, Content: &prompt}}, nil, "")
	turn := sim.Turn{Calls: []sim.ModelCall{call}}
	if err != nil {
		return turn, err
	}
	reply, err := flow.Parse(m.TextOf())
	if err != nil {
		turn.Events = []sim.Event{event(EventFlowParse, v.Index, err.Error(), map[string]any{"raw": m.TextOf()})}
		return turn, nil
	}
	turn.Message, err = f.message(reply, m)
	return turn, err
}

// message makes the turn's message of a reply; the thought stays with the agent.
func (f *flowText) message(r flow.Reply, from sim.Message) (sim.Message, error) {
	out := sim.Message{Role: domains.RoleAssistant, Provider: maps.Clone(from.Provider)}
	if r.Thought != "" {
		raw, err := json.Marshal(r.Thought)
		if err != nil {
			return out, fmt.Errorf("flowagent: thought: %w", err)
		}
		if out.Provider == nil {
			out.Provider = map[string]json.RawMessage{}
		}
		out.Provider["thought"] = raw
	}
	if r.Action == "" {
		out.Content = &r.Response
		return out, nil
	}
	f.calls++
	out.ToolCalls = []sim.ToolCall{{ID: fmt.Sprintf("act_%d", f.calls), Name: r.Action, Arguments: r.Input, Requestor: sim.AgentSide}}
	return out, nil
}

// callsInTurn counts the agent's calls since somebody last said something.
func callsInTurn(view []sim.Message) int {
	n := 0
	for _, m := range slices.Backward(public(view)) {
		if m.HasText() && m.Role != domains.RoleTool {
			break
		}
		n += len(m.ToolCalls)
	}
	return n
}
