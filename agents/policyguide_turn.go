package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// The events that PolicyGuide writes. docs/policyguide.md describes their data.
const (
	EventGuidance  = verify.EventGuidance
	EventFiring    = sim.EventFiring
	EventIntercept = verify.EventIntercept
	EventBlock     = verify.EventBlock
	EventFailOpen  = sim.EventFailOpen
)

// policyGuide is PolicyGuide around an agent, for one conversation.
type policyGuide struct {
	guarded
	session  *verify.Session
	gate     verify.Mode
	workflow *verify.Workflow
	raw      bool
	seen     int // messages of the view that were looked at
}

func newPolicyGuide(inner sim.Participant, session *verify.Session, p guideParams, workflow *verify.Workflow, raw bool) *policyGuide {
	g := &policyGuide{session: session, gate: p.Gate, workflow: workflow, raw: raw}
	g.guarded = guarded{inner: inner, inspect: g.inspectCalls, after: session.Correct, prefix: "refused_", max: p.MaxRefusals}
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
	news := public(v.Messages[min(g.seen, len(v.Messages)):])
	g.seen = len(v.Messages)
	if g.session.Hear(news...) {
		if err := g.session.Fire(ctx, v.Index, &out); err != nil {
			return out, err
		}
	}
	return g.speak(ctx, v, out)
}

// inspectCalls says of the calls of a message that is held back why they were.
func (g *policyGuide) inspectCalls(_ context.Context, v sim.View, m sim.Message, out *sim.Turn) ([]string, error) {
	held := g.session.Inspect(v.Index, m, out).Held()
	if held == nil {
		return nil, nil
	}
	texts := map[int]string{}
	for _, r := range held {
		texts[r.At] = fmt.Sprintf("Error: %s was not executed: %s.", r.Call.Name, r.Reason)
		if g.gate == verify.Advisory && r.Call.Name != verify.TransferTool {
			texts[r.At] += " If it is right all the same, make the call again at once: it will pass."
		}
	}
	return refusals(m.ToolCalls, texts), nil
}
