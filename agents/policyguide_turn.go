package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// The events that PolicyGuide writes. docs/policyguide.md describes their data.
const (
	EventGuidance  sim.EventKind = "guidance" // what the agent was told
	EventFiring                  = sim.EventFiring
	EventIntercept sim.EventKind = "intercept" // a message of the agent was held back, or would have been
	EventBlock     sim.EventKind = "block"     // another one in the same turn, without a new firing
	EventFailOpen                = sim.EventFailOpen
)

// policyGuide is PolicyGuide around an agent, for one conversation.
type policyGuide struct {
	guarded
	verifier verify.Verifier
	rules    verify.Rules
	gate     *verify.Gate
	workflow *verify.Workflow
	raw      bool
	solo     bool

	msgs        []domains.Message // the conversation, without private messages
	trace       *guide.Trace
	calls       map[string]domains.ToolCall // of the agent, by id
	seen        int                         // messages of the view that were looked at
	fired       int                         // length of msgs at the latest firing
	begun       bool
	intercepted bool             // in this turn of the user
	corrects    []verify.Refusal // calls that a corrective firing is due for
	transferred bool
	state       verify.State
}

func newPolicyGuide(inner sim.Participant, v verify.Verifier, rules verify.Rules, p guideParams, workflow *verify.Workflow, raw, solo bool) *policyGuide {
	g := &policyGuide{verifier: v, rules: rules, workflow: workflow, raw: raw, solo: solo,
		trace: guide.NewTrace(), calls: map[string]domains.ToolCall{}}
	g.guarded = guarded{inner: inner, inspect: g.inspectCalls, after: g.correct, prefix: "refused_", max: p.MaxRefusals}
	g.gate = &verify.Gate{Mode: p.Gate, Mutates: rules.Mutates}
	if j, ok := v.(verify.Judge); ok {
		g.gate.Judge = func(c domains.ToolCall) (bool, bool, string) { return j.Call(g.input(0, nil), c) }
	}
	return g
}

// Fingerprint is a hash of what the guide itself is told; runs keep it in their identity.
func (g *policyGuide) Fingerprint() string {
	sum := sha256.Sum256([]byte(g.workflow.Hash + g.workflow.Files + g.workflow.Prefix(g.raw)))
	return strings.TrimSpace(hex.EncodeToString(sum[:]) + " " + g.guarded.Fingerprint())
}

// Next fires the verifier if the user has spoken, lets the agent answer with the guidance before it, and holds the
// answer back where the gate says so.
func (g *policyGuide) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	var out sim.Turn
	if g.listen(v.Messages) {
		g.gate.Turn()
		g.intercepted = false
		if err := g.fire(ctx, v.Index, nil, &out); err != nil {
			return out, err
		}
	}
	return g.speak(ctx, v, out)
}

// listen takes up what is new in the view, and reports whether it is time to fire: the user has spoken, or a solo
// conversation begins.
func (g *policyGuide) listen(view []sim.Message) (fire bool) {
	fire = g.solo && !g.begun
	g.begun = true
	for _, m := range view[min(g.seen, len(view)):] {
		if private(m) {
			continue
		}
		g.msgs = append(g.msgs, m)
		g.trace.Add(m)
		switch m.Role {
		case domains.RoleUser:
			fire = fire || m.HasText()
		case domains.RoleAssistant:
			for _, c := range m.ToolCalls {
				g.calls[c.ID] = c
			}
		case domains.RoleTool:
			g.succeeded(m)
		}
	}
	g.seen = len(view)
	return fire
}

// succeeded spends the authorization of a call that went through, and notes a transfer.
func (g *policyGuide) succeeded(m sim.Message) {
	c, ok := g.calls[m.ID]
	if !ok || m.Error {
		return
	}
	if c.Name == verify.TransferTool {
		g.transferred = true
	}
	if g.gate.Mode != verify.Strict {
		return
	}
	for _, grant := range g.state.Enabled() {
		if grant.Covers(c) {
			g.state = g.state.Spend(grant.Request)
			return
		}
	}
}

func (g *policyGuide) input(index int, refused []verify.Refusal) verify.Input {
	return verify.Input{Messages: g.msgs, Trace: g.trace, State: g.state, Refused: refused, Index: index}
}

// fire asks the verifier and delivers its guidance. The error ends the conversation; whatever else goes wrong opens
// the gate for this turn.
func (g *policyGuide) fire(ctx context.Context, index int, refused []verify.Refusal, out *sim.Turn) error {
	if g.transferred {
		return nil
	}
	before := g.state
	facts := verify.Facts{Since: g.fired, Succeeded: g.hasSucceeded, Spent: g.hasSpent}
	in := g.input(index, refused)
	in.Check = func(rec verify.Record) error { return g.rules.Gaps(before, rec, facts) }
	answer, err := g.verifier.Verify(ctx, in)
	out.Calls = append(out.Calls, answer.Calls...)
	g.fired = len(g.msgs)
	if err != nil {
		if verify.Ends(ctx, err) {
			return err
		}
		g.state = before.Disarmed()
		g.gate.Fired(false)
		out.Events = append(out.Events, event(EventFailOpen, index, err.Error(), firingData(answer, before, g.state, nil)))
		return nil
	}
	var rejected []verify.Rejection
	g.state, rejected = g.rules.Apply(before, answer.Record, facts)
	g.gate.Fired(true)
	out.Events = append(out.Events, event(EventFiring, index, g.state.Line(), firingData(answer, before, g.state, rejected)))
	if text := g.state.Guidance(); text != "" {
		m := sim.Message{Role: domains.RoleDeveloper, Content: &text}
		out.Private = append(out.Private, m)
		out.Events = append(out.Events, event(EventGuidance, index, text, nil))
	}
	return nil
}

func (g *policyGuide) hasSucceeded(tool string, since int) bool {
	return slices.ContainsFunc(g.trace.CallsOf(tool), func(c *guide.Call) bool { return c.OK && c.Index >= since })
}

func (g *policyGuide) hasSpent(grant verify.Grant, since int) bool {
	return slices.ContainsFunc(g.trace.CallsOf(grant.Tool), func(c *guide.Call) bool {
		return c.OK && c.Index >= since && grant.Covers(domains.ToolCall{Name: c.Name, Arguments: value.OfMap(c.Args)})
	})
}

// firingData is what a record keeps of a firing. Times are with the model calls, by their ordinals.
func firingData(a verify.Answer, before, after verify.State, rejected []verify.Rejection) map[string]any {
	data := map[string]any{"before": before, "after": after}
	if len(a.Record.Traverse) > 0 {
		data["record"] = a.Record
	}
	if a.Raw != "" {
		data["raw"] = a.Raw
	}
	if a.Reask != "" {
		data["reask"] = a.Reask
	}
	if len(a.Record.Coerced) > 0 {
		data["coerced"] = a.Record.Coerced
	}
	if len(rejected) > 0 {
		data["rejected"] = rejected
	}
	if len(a.Calls) > 0 {
		ordinals := make([]int, len(a.Calls))
		for i, c := range a.Calls {
			ordinals[i] = c.Ordinal
		}
		data["calls"] = ordinals
	}
	return data
}

// inspectCalls asks the gate about the calls of a message. Within one turn of the user a strict gate fires once; further
// refusals only say no.
func (g *policyGuide) inspectCalls(_ context.Context, v sim.View, m sim.Message, out *sim.Turn) ([]string, error) {
	d := g.gate.Look(g.state, m.ToolCalls)
	if len(d.Refusals) == 0 {
		return nil, nil
	}
	kind := EventIntercept
	if d.Intercepts() && g.intercepted && !d.Transfer {
		kind = EventBlock
	}
	out.Events = append(out.Events, g.interceptEvent(kind, v.Index, m, d))
	if !d.Intercepts() {
		return nil, nil
	}
	g.intercepted, g.corrects = true, nil
	if kind == EventIntercept {
		g.corrects = held(d)
	}
	if d.Transfer {
		g.state.Held++
	}
	texts := map[int]string{}
	for i, c := range m.ToolCalls {
		for _, r := range held(d) {
			if _, told := texts[i]; !told && r.Call.ID == c.ID && r.Call.Name == c.Name {
				texts[i] = fmt.Sprintf("Error: %s was not executed: %s.", c.Name, r.Reason)
				if g.gate.Mode == verify.Advisory && c.Name != verify.TransferTool {
					texts[i] += " If it is right all the same, make the call again at once: it will pass."
				}
			}
		}
	}
	return refusals(m.ToolCalls, texts), nil
}

// correct fires again after an intercepted message: the agent hears what to do instead.
func (g *policyGuide) correct(ctx context.Context, index int, out *sim.Turn) error {
	if g.corrects == nil {
		return nil
	}
	return g.fire(ctx, index, g.corrects, out)
}

func held(d verify.Decision) []verify.Refusal {
	return slices.DeleteFunc(slices.Clone(d.Refusals), func(r verify.Refusal) bool { return !r.Held })
}

func (g *policyGuide) interceptEvent(kind sim.EventKind, index int, m sim.Message, d verify.Decision) sim.Event {
	var list []map[string]any
	for _, r := range d.Refusals {
		list = append(list, map[string]any{"tool": r.Call.Name, "reason": r.Reason, "held": r.Held})
	}
	first := d.Refusals[0]
	return eventOf(m, kind, index, first.Call.Name+": "+first.Reason, map[string]any{"mode": g.gate.Mode, "refusals": list})
}
