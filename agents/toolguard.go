package agents

import (
	"context"
	"fmt"
	"time"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/sim"
)

// The events that ToolGuard writes, one for each call that a guard looked at. docs/toolguard.md describes their data.
const (
	EventGuardBlock sim.EventKind = "toolguard_block"
	EventGuardPass  sim.EventKind = "toolguard_pass"
)

// toolGuardParams are the parameters of ToolGuard; docs/toolguard.md explains them.
type toolGuardParams struct {
	Release     bool   `json:"release"`
	History     bool   `json:"history"`
	Now         string `json:"now"`
	MaxRefusals int    `json:"max_refusals"`
}

// NewToolGuardOverlay puts ToolGuard around any agent: guards in plain code, one for each mutating tool, that see the
// arguments of a call and what read-only tools answer (paper, section 4.4; docs/reference/baselines.md#toolguard).
func NewToolGuardOverlay(s Setup) (Overlay, error) {
	set, p, err := readGuards(s.World.Name, s.Params)
	if err != nil {
		return nil, err
	}
	if s.Read == nil {
		return nil, fmt.Errorf("toolguard: the guards of %s read the database, which cannot be read from here", s.World.Name)
	}
	g := toolGuard{set: set, read: s.Read, mutates: s.World.Agent.Mutates}
	return func(inner sim.Participant) sim.Participant {
		return &guarded{inner: inner, inspect: g.inspectCalls, prefix: "guarded_", max: p.MaxRefusals}
	}, nil
}

// Guards are the rules by which ToolGuard goes in a domain, with these parameters.
func Guards(domain string, p Params) ([]toolguard.Rule, error) {
	set, _, err := readGuards(domain, p)
	return set.Rules(), err
}

func readGuards(domain string, in Params) (set toolguard.Set, p toolGuardParams, err error) {
	p.MaxRefusals = maxRefusals
	if err := in.Decode(&p); err != nil {
		return set, p, err
	}
	if err := atLeast("max_refusals", p.MaxRefusals, 1); err != nil {
		return set, p, err
	}
	o := toolguard.Options{Release: p.Release, History: p.History}
	if p.Now != "" {
		if o.Now, err = time.Parse("2006-01-02T15:04:05", p.Now); err != nil {
			return set, p, fmt.Errorf("parameters: now: %q is no moment\nhint: write it like 2024-05-15T15:00:00, without a zone", p.Now)
		}
	}
	if set, err = toolguard.Guards(domain, o); err != nil {
		err = fmt.Errorf("toolguard: %w", err)
	}
	return set, p, err
}

// toolGuard checks the calls of a message.
type toolGuard struct {
	set     toolguard.Set
	read    toolguard.Reader
	mutates func(tool string) bool
}

// inspectCalls checks every call of a message against the state before the first of them.
func (g toolGuard) inspectCalls(ctx context.Context, v sim.View, m sim.Message, out *sim.Turn) ([]string, error) {
	set := g.set.Hearing(public(v.Messages))
	blocked := map[int]string{}
	for i, c := range m.ToolCalls {
		if !g.mutates(c.Name) {
			continue
		}
		verdict, err := set.Check(ctx, c, g.read)
		if err != nil {
			return nil, err
		}
		out.Events = append(out.Events, guardEvent(v.Index, m, c, verdict))
		if verdict.Blocked() {
			blocked[i] = "Error: " + verdict.Message
		}
	}
	if len(blocked) == 0 {
		return nil, nil
	}
	return refusals(m.ToolCalls, blocked), nil
}

func guardEvent(index int, m sim.Message, c sim.ToolCall, verdict toolguard.Verdict) sim.Event {
	data := map[string]any{"tool": c.Name, "hidden_reads": len(verdict.Reads)}
	if !verdict.Blocked() {
		return event(EventGuardPass, index, c.Name, data)
	}
	data["rule"], data["message"], data["reads"] = verdict.Rule, verdict.Message, verdict.Reads
	if len(verdict.Requirements) > 0 {
		data["requirements"] = verdict.Requirements
	}
	m.ToolCalls = []sim.ToolCall{c}
	return eventOf(m, EventGuardBlock, index, c.Name+": "+verdict.Message, data)
}
