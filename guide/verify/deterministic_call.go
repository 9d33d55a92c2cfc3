package verify

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
)

// transferDue reports whether the procedure of some kind of request ends in a transfer now, or the wishes do.
func (v *Deterministic) transferDue(c *guide.Checker, in Input) bool {
	if _, open := v.wish(in); !open && slices.ContainsFunc(v.Wishes, func(w domains.ToolCall) bool { return w.Name == TransferTool }) {
		return true
	}
	cl := v.Workflow.Graph.Classifier()
	if cl == nil {
		return false
	}
	for _, e := range cl.Edges {
		if e.When != transferID && v.branchLeads(c, in.Trace, e.When) {
			return true
		}
	}
	return false
}

// branchLeads reports whether a kind of request rests at the transfer.
func (v *Deterministic) branchLeads(c *guide.Checker, t *guide.Trace, intent string) bool {
	at := c.Walk(t, guide.Request{ID: intent, Intent: intent})
	n, ok := v.Workflow.Graph.Node(at.Node)
	return ok && n.Type == guide.ToolCall && slices.Contains(n.Tools, TransferTool)
}

// Call decides a proposed call at once: a mutating one by the checks before and at its authorization, a transfer by
// whether some procedure has come to it. The first transfer without one is held back.
func (v *Deterministic) Call(in Input, call domains.ToolCall) (ok, known bool, why string) {
	c, err := v.Workflow.Checker()
	if err != nil {
		return false, true, "the workflow's checks cannot be used: " + err.Error()
	}
	if call.Name == TransferTool {
		if v.transferDue(c, in) || in.State.Held > 0 && v.branchLeads(c, in.Trace, transferID) {
			return true, true, ""
		}
		return false, true, ""
	}
	p := requestFor(c, in.Trace, call, in.Trace.Len())
	at, some := c.Authorize(in.Trace, call, p.since)
	switch {
	case spent(in.Trace, call):
		return false, true, "this very call has succeeded already, and the user has agreed to nothing since"
	case !some:
		return false, true, unknownTool(call.Name)
	case at.Authorizes == call.Name:
		return true, true, ""
	}
	if s := at.Unmet(); at.Done && s != nil {
		return false, true, s.Node + ": " + s.Note
	}
	if n, found := v.Workflow.Graph.Node(at.Node); found {
		why = fmt.Sprintf("%s is not met: %s", at.Node, fillTarget(n.SatisfiedWhen, targetOf(c, call)))
	}
	return false, true, why
}

// spent reports whether the same call has succeeded before, without an agreement of the user after it.
func spent(t *guide.Trace, call domains.ToolCall) bool {
	last := -1
	for _, made := range t.CallsOf(call.Name) {
		if made.OK && made.Is(call) {
			last = made.Index
		}
	}
	return last >= 0 && !slices.ContainsFunc(t.User, func(s guide.Said) bool { return s.Index > last && s.Affirms() })
}
