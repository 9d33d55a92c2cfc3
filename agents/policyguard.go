package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// EventGuard is what a guard found about one call; docs/policyguard.md describes its data. A refused message is an
// EventBlock besides, an unanswered question an EventFailOpen.
const EventGuard sim.EventKind = "guard"

// policyGuardParams are the parameters of PolicyGuard; docs/policyguard.md explains them.
type policyGuardParams struct {
	Model       string `json:"model"`
	MaxBlocks   int    `json:"max_blocks"`
	Checklists  string `json:"checklists"`
	Timeout     string `json:"timeout"`
	MaxRefusals int    `json:"max_refusals"`
	Dialogue    bool   `json:"dialogue"` // false: the verifier sees no words of user and agent
	Policy      bool   `json:"policy"`   // false: it judges by the checklists alone

	timeout time.Duration
}

func readPolicyGuardParams(p Params, raw bool) (policyGuardParams, error) {
	out := policyGuardParams{MaxBlocks: 5, Timeout: "3m", MaxRefusals: maxRefusals, Dialogue: true, Policy: true}
	if err := p.Decode(&out); err != nil {
		return out, err
	}
	switch {
	case out.MaxBlocks < 1:
		return out, fmt.Errorf("parameters: max_blocks is %d: give at least 1", out.MaxBlocks)
	case out.MaxRefusals < 1:
		return out, fmt.Errorf("parameters: max_refusals is %d: give at least 1", out.MaxRefusals)
	case raw && out.Checklists != "":
		return out, fmt.Errorf("parameters: checklists is %s, but this variant judges by the policy alone: use policyguard", out.Checklists)
	case raw && !out.Policy:
		return out, errors.New("parameters: policy is false, but this variant judges by the policy alone: use policyguard")
	}
	var err error
	out.timeout, err = readTimeout(out.Timeout)
	return out, err
}

// NewPolicyGuard makes the plain agent with PolicyGuard around it (paper, section 4.1; spec/baselines.md, section 4).
func NewPolicyGuard(s Setup) (sim.Participant, error) { return newPolicyGuarded(s, false) }

// NewPolicyGuardRaw makes the variant whose verifier has the policy's text and no checklists.
func NewPolicyGuardRaw(s Setup) (sim.Participant, error) { return newPolicyGuarded(s, true) }

func newPolicyGuarded(s Setup, raw bool) (sim.Participant, error) {
	overlay, err := policyGuardOverlay(s, raw)
	return plainWith(s, overlay, err)
}

// NewPolicyGuardOverlay puts PolicyGuard around any agent.
func NewPolicyGuardOverlay(s Setup) (Overlay, error) { return policyGuardOverlay(s, false) }

// NewPolicyGuardRawOverlay puts the variant without checklists around any agent.
func NewPolicyGuardRawOverlay(s Setup) (Overlay, error) { return policyGuardOverlay(s, true) }

func policyGuardOverlay(s Setup, raw bool) (Overlay, error) {
	p, err := readPolicyGuardParams(s.Params, raw)
	if err != nil {
		return nil, err
	}
	prompts, err := Cached(s.Cache, policyGuardKey{s.World, p.Checklists, raw, p.without()}, func() (*checklist.Guard, error) {
		return newPrompts(s.World, p.Checklists, raw, p.without())
	})
	if err != nil {
		return nil, err
	}
	model, err := policyGuardModel(s, p.Model)
	if err != nil {
		return nil, err
	}
	ticket := ""
	if s.World.Options.Solo && s.Task.Ticket != nil {
		ticket = *s.Task.Ticket
	}
	return func(inner sim.Participant) sim.Participant {
		g := &policyGuard{world: s.World, prompts: prompts, model: model, params: p, ticket: ticket, blocks: map[string]int{}}
		g.screened = screened{inner: inner, look: g.look, ids: refusals{prefix: "guarded_"}, max: p.MaxRefusals}
		return g
	}, nil
}

type policyGuardKey struct {
	world      *domains.World
	checklists string
	raw        bool
	left       checklist.Without
}

func (p policyGuardParams) without() checklist.Without {
	return checklist.Without{Dialogue: !p.Dialogue, Policy: !p.Policy}
}

func newPrompts(w *domains.World, dir string, raw bool, left checklist.Without) (*checklist.Guard, error) {
	if raw {
		return checklist.NewGuardWithout(w, nil, left)
	}
	set, err := checklist.For(w, dir)
	if err != nil {
		return nil, err
	}
	return checklist.NewGuardWithout(w, set, left)
}

// policyGuardModel is the verifier's model: at temperature 0 and without a seed, as in the release.
func policyGuardModel(s Setup, name string) (*sim.Model, error) {
	model := s.Model
	if name != "" {
		if s.Models == nil {
			return nil, fmt.Errorf("parameters: model is %q, but there are no models to choose from here: leave it out", name)
		}
		if model = s.Models(name); model == nil {
			return nil, fmt.Errorf("parameters: there is no model %q: add it under models", name)
		}
	}
	if model == nil {
		return nil, fmt.Errorf("a guard needs a model: add model to its parameters or to the system")
	}
	model = model.With(checklist.Role)
	zero := 0.0
	model.Base.Temperature, model.Base.Seed = &zero, nil
	return model, nil
}

// policyGuard is PolicyGuard around an agent, for one conversation.
type policyGuard struct {
	screened
	world   *domains.World
	prompts *checklist.Guard
	model   *sim.Model
	params  policyGuardParams
	ticket  string
	blocks  map[string]int // by tool, since the last PASS. The release counts by task, so its trials share the count
}

// Fingerprint is a hash of what the verifier is told beside the conversation; runs keep it in their identity.
func (g *policyGuard) Fingerprint() string {
	return strings.TrimSpace(g.prompts.Hash() + " " + g.screened.Fingerprint())
}

// look has each mutating call of a message judged, up to the first that is blocked. A call that cannot be carried out
// anyway is left to the environment, which says why.
func (g *policyGuard) look(ctx context.Context, v sim.View, m sim.Message, out *sim.Turn) ([]string, error) {
	for i, c := range m.ToolCalls {
		if !g.world.Agent.Mutates(c.Name) || c.Malformed != "" || c.Reason != "" {
			continue
		}
		why, asked, err := g.judge(ctx, v, m, c, out)
		if err != nil {
			return nil, err
		}
		if why != "" {
			out.Events = append(out.Events, g.blockEvent(v.Index, m, c, why, asked))
			return refuse(m, i, why), nil
		}
	}
	return nil, nil
}

// refuse words a refused message: the reason for the call at that place, and for the others that they were not reached.
func refuse(m sim.Message, at int, why string) []string {
	texts := make([]string, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		texts[i] = fmt.Sprintf("Error: %s was not executed, because another call of the same message was refused.", c.Name)
	}
	texts[at] = fmt.Sprintf("Error: %s was not executed. %s", m.ToolCalls[at].Name, why)
	return texts
}

// judge says why a call must not be made, "" if it may. asked is false where that is clear without the verifier.
func (g *policyGuard) judge(ctx context.Context, v sim.View, m sim.Message, c sim.ToolCall, out *sim.Turn) (why string, asked bool, err error) {
	if g.blocks[c.Name] >= g.params.MaxBlocks {
		return g.exhausted(c.Name), false, nil
	}
	verdict, data, err := g.ask(ctx, v, m, c, out)
	if err != nil {
		if verify.Ends(ctx, err) {
			return "", true, err
		}
		out.Events = append(out.Events, sim.Event{Kind: EventFailOpen, Side: sim.AgentSide, Index: v.Index,
			Text: c.Name + ": " + err.Error(), Data: map[string]any{"tool": c.Name}})
		return "", true, nil
	}
	if verdict.Pass {
		g.blocks[c.Name] = 0
	} else {
		g.blocks[c.Name]++
	}
	data["blocks"] = g.blocks[c.Name]
	word := "BLOCK"
	if verdict.Pass {
		word = "PASS"
	}
	out.Events = append(out.Events, sim.Event{Kind: EventGuard, Side: sim.AgentSide, Index: v.Index, Text: c.Name + ": " + word, Data: data})
	return verdict.Message, true, nil
}

func (g *policyGuard) exhausted(tool string) string {
	advice := "Do not call it again. Tell the user what cannot be done, and carry on with what else is open"
	if _, ok := g.world.Agent.Tool(verify.TransferTool); ok {
		advice += "; if the request cannot be dealt with otherwise, hand the user over with " + verify.TransferTool
	}
	return fmt.Sprintf("It was blocked %d times in this conversation, so that no further attempt is looked at. %s.", g.blocks[tool], advice)
}

// ask puts the question to the verifier. The static part comes first and never changes, so that providers can cache it.
func (g *policyGuard) ask(ctx context.Context, v sim.View, m sim.Message, c sim.ToolCall, out *sim.Turn) (checklist.Verdict, map[string]any, error) {
	prefix, ok := g.prompts.Prefix(c.Name)
	if !ok {
		return checklist.Verdict{}, nil, fmt.Errorf("the guard has no prompt for %s", c.Name)
	}
	m.Role = domains.RoleAssistant
	text, err := checklist.Case{Call: c, Messages: append(public(v.Messages), m), Ticket: g.ticket, Silent: !g.params.Dialogue}.Text()
	if err != nil {
		return checklist.Verdict{}, nil, err
	}
	asking := ctx
	if g.params.timeout > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeoutCause(ctx, g.params.timeout, fmt.Errorf("the guard has not answered within %s", g.params.timeout))
		defer cancel()
	}
	msgs := []llm.Message{{Role: llm.System, Content: &prefix}, {Role: llm.User, Content: &text}}
	answer, call, err := g.model.Ask(asking, v.Index, msgs, nil, "")
	if err != nil {
		if why := context.Cause(asking); why != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w (%w)", why, err)
		}
		return checklist.Verdict{}, nil, err
	}
	out.Calls = append(out.Calls, call)
	verdict := checklist.ReadVerdict(answer.TextOf())
	data := map[string]any{"tool": c.Name, "pass": verdict.Pass, "by": verdict.By, "raw": answer.TextOf(), "call": call.Ordinal}
	if len(verdict.Items) > 0 {
		data["items"] = verdict.Items
	}
	if verdict.Message != "" {
		data["message"] = verdict.Message
	}
	return verdict, data, nil
}

// blockEvent has the data of a held message that all gates write, with the count of blocks.
func (g *policyGuard) blockEvent(index int, m sim.Message, c sim.ToolCall, why string, asked bool) sim.Event {
	m.Role = domains.RoleAssistant
	return sim.Event{Kind: EventBlock, Side: sim.AgentSide, Index: index, Text: c.Name + ": " + why, Messages: []sim.Message{m},
		Data: map[string]any{"mode": "policyguard", "blocks": g.blocks[c.Name], "asked": asked,
			"refusals": []map[string]any{{"tool": c.Name, "reason": why, "held": true}}}}
}
