package transcript

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// Explain fills in what code makes of the checks of all nodes that requests came to, each at its latest visit: whoever judged
// there, this is what there was to be seen.
func (c *Conversation) Explain() {
	if c.Guides == nil || c.Guides.checker == nil {
		return
	}
	checker, err := c.Guides.checker()
	if err != nil {
		return // the run had the same checks, and would not have begun
	}
	traces := map[int]*guide.Trace{}
	for i := range c.Walks.Requests {
		nodes := c.Walks.Requests[i].Nodes
		for k := range nodes[:min(len(nodes), mostListed)] {
			n := &nodes[k]
			if n.Of == nil || len(n.Visits) == 0 {
				continue
			}
			m := c.Walks.Moments[n.latest]
			for _, p := range m.Places {
				if p.Request == i {
					n.Facts = checker.Facts(c.trace(traces, m.Event.At), asked(p.At, n.Of), n.Of)
				}
			}
		}
	}
}

// asked is a request as checks see it.
func asked(q verify.Request, n *guide.Node) guide.Request {
	r := guide.Request{ID: q.ID, Intent: q.Intent, Target: q.Selection.Target, Selection: q.Selection.RuledOut, Grounded: q.Grounded.Map(), Since: q.Since}
	if n.Type == guide.Authorization {
		r.Call = &domains.ToolCall{Name: n.Tool(), Arguments: value.OfMap(r.Grounded), Requestor: domains.AgentSide}
	}
	return r
}

// trace is what the agent had seen of the conversation before a message.
func (c *Conversation) trace(known map[int]*guide.Trace, before int) *guide.Trace {
	if known[before] == nil {
		t := guide.NewTrace()
		for _, m := range c.Record.Messages[:min(before, len(c.Record.Messages))] {
			if m.Role != domains.RoleSystem && m.Role != domains.RoleDeveloper && sim.Visible(m, sim.AgentSide) {
				t.Add(m)
			}
		}
		known[before] = t
	}
	return known[before]
}
