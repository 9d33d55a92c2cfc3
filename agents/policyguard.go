package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// EventGuard is what a guard found about one call; docs/policyguard.md describes its data. A refused message is an
// EventBlock besides, an unanswered question an EventFailOpen.
const EventGuard = sim.EventGuard

// policyGuardParams are the parameters of PolicyGuard; docs/policyguard.md explains them.
type policyGuardParams struct {
	verifierParams
	MaxBlocks  int    `json:"max_blocks"`
	Checklists string `json:"checklists"`
	Dialogue   bool   `json:"dialogue"` // false: the verifier sees no words of user and agent
	Policy     bool   `json:"policy"`   // false: it judges by the checklists alone
}

func readPolicyGuardParams(p Params, raw bool) (policyGuardParams, error) {
	out := policyGuardParams{verifierParams: defaultVerifier(), MaxBlocks: 5, Dialogue: true, Policy: true}
	if err := p.Decode(&out); err != nil {
		return out, err
	}
	if err := cmp.Or(atLeast("max_blocks", out.MaxBlocks, 1), out.check()); err != nil {
		return out, err
	}
	switch {
	case raw && out.Checklists != "":
		return out, fmt.Errorf("parameters: checklists is %s, but this variant judges by the policy alone\nhint: use policyguard", out.Checklists)
	case raw && !out.Policy:
		return out, errors.New("parameters: policy is false, but this variant judges by the policy alone\nhint: use policyguard")
	}
	return out, nil
}

// NewPolicyGuardOverlay puts PolicyGuard around any agent (paper, section 4.1; docs/reference/baselines.md).
func NewPolicyGuardOverlay(s Setup) (Overlay, error) { return policyGuardOverlay(s, false) }

// NewPolicyGuardRawOverlay is the variant whose verifier has the policy's text and no checklists.
func NewPolicyGuardRawOverlay(s Setup) (Overlay, error) { return policyGuardOverlay(s, true) }

func policyGuardOverlay(s Setup, raw bool) (Overlay, error) {
	p, err := readPolicyGuardParams(s.Params, raw)
	if err != nil {
		return nil, err
	}
	left := checklist.Without{Dialogue: !p.Dialogue, Policy: !p.Policy}
	prompts, err := Cached(s.Cache, [5]any{"checklists", s.World, p.Checklists, raw, left}, func() (*checklist.Guard, error) {
		if raw {
			return checklist.NewGuard(s.World, nil, left)
		}
		set, err := checklist.For(s.World, p.Checklists)
		if err != nil {
			return nil, err
		}
		return checklist.NewGuard(s.World, set, left)
	})
	if err != nil {
		return nil, err
	}
	model, err := s.verifierModel(p.Model, checklist.Role)
	if err != nil {
		return nil, err
	}
	model.Base.Seed = nil // as in the release
	ticket := ""
	if s.World.Options.Solo && s.Task.Ticket != nil {
		ticket = *s.Task.Ticket
	}
	return func(inner sim.Participant) sim.Participant {
		g := &policyGuard{world: s.World, prompts: prompts, model: model, params: p, ticket: ticket, blocks: map[string]int{}}
		g.guarded = guarded{inner: inner, inspect: g.inspectCalls, prefix: "guarded_", max: p.MaxRefusals}
		return g
	}, nil
}

// policyGuard is PolicyGuard around an agent, for one conversation.
type policyGuard struct {
	guarded
	world   *domains.World
	prompts *checklist.Guard
	model   *sim.Model
	params  policyGuardParams
	ticket  string
	blocks  map[string]int // by tool, since the last PASS. The release counts by task, so its trials share the count
}

// Fingerprint is a hash of what the verifier is told beside the conversation; runs keep it in their identity.
func (g *policyGuard) Fingerprint() string {
	return strings.TrimSpace(g.prompts.Hash() + " " + g.guarded.Fingerprint())
}

// inspectCalls has each mutating call of a message judged, up to the first that is blocked. A call that cannot be carried out
// anyway is left to the environment, which says why.
func (g *policyGuard) inspectCalls(ctx context.Context, v sim.View, m sim.Message, out *sim.Turn) ([]string, error) {
	for i, c := range m.ToolCalls {
		if !g.world.Agent.Mutates(c.Name) || c.Malformed != "" || c.Reason != "" {
			continue
		}
		why, asked, err := g.judge(ctx, v, m, c, out)
		if err != nil {
			return nil, err
		}
		if why != "" {
			out.Events = append(out.Events, eventOf(m, EventBlock, v.Index, c.Name+": "+why,
				map[string]any{"mode": "policyguard", "blocks": g.blocks[c.Name], "asked": asked,
					"refusals": []map[string]any{{"tool": c.Name, "reason": why, "held": true}}}))
			return refusals(m.ToolCalls, map[int]string{i: fmt.Sprintf("Error: %s was not executed. %s", c.Name, why)}), nil
		}
	}
	return nil, nil
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
		out.Events = append(out.Events, event(EventFailOpen, v.Index, c.Name+": "+err.Error(), data))
		return "", true, nil
	}
	word := "BLOCK"
	g.blocks[c.Name]++
	if verdict.Pass {
		word, g.blocks[c.Name] = "PASS", 0
	}
	data["blocks"] = g.blocks[c.Name]
	out.Events = append(out.Events, event(EventGuard, v.Index, c.Name+": "+word, data))
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
	data := map[string]any{"tool": c.Name}
	prefix, ok := g.prompts.Prefix(c.Name)
	if !ok {
		return checklist.Verdict{}, data, fmt.Errorf("the guard has no prompt for %s", c.Name)
	}
	m.Role = domains.RoleAssistant
	text, err := checklist.Case{Call: c, Messages: append(public(v.Messages), m), Ticket: g.ticket, Silent: !g.params.Dialogue}.Text()
	if err != nil {
		return checklist.Verdict{}, data, err
	}
	asking := ctx
	if g.params.timeout > 0 {
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeoutCause(ctx, g.params.timeout, fmt.Errorf("the guard has not answered within %s", g.params.timeout))
		defer cancel()
	}
	msgs := []llm.Message{{Role: llm.System, Content: &prefix}, {Role: llm.User, Content: &text}}
	var raw string
	calls, err := g.model.Put(asking, sim.Question{Index: v.Index, Messages: msgs,
		Use: func(answer string) error { raw = answer; return nil },
		Again: func(why error) (string, error) {
			data["reask"] = why.Error()
			return fmt.Sprintf("That cannot be used: %v. Answer again in the same form, but shorter.", why), nil
		},
	})
	out.Calls = append(out.Calls, calls...)
	if err != nil {
		if why := context.Cause(asking); why != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", why, err)
		}
		return checklist.Verdict{}, data, err
	}
	verdict := checklist.ReadVerdict(raw)
	data["pass"], data["by"], data["raw"], data["call"] = verdict.Pass, verdict.By, raw, calls[len(calls)-1].Ordinal
	if len(verdict.Items) > 0 {
		data["items"] = verdict.Items
	}
	if verdict.Message != "" {
		data["message"] = verdict.Message
	}
	return verdict, data, nil
}
