package author

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/compare"
)

// trials are the changes that conversations which keep to the policy make, on which checks are tried.
type trials struct {
	source    Source
	structure *guide.Checker // the workflow without checks
	writes    []*trial
	traces    int
}

// trial is a change, with the conversation before it.
type trial struct {
	name   string // of the conversation
	before []domains.Message
	trace  *guide.Trace // of what was before
	call   domains.ToolCall
	after  [2]*guide.Trace // up to the call's result, and to the end
}

func newTrials(src Source, b *guide.Bundle, traces []compare.Trace) (*trials, error) {
	t := &trials{source: src, traces: len(traces)}
	var err error
	if t.structure, err = t.checker(b); err != nil {
		return nil, err
	}
	for _, x := range traces {
		for _, c := range guide.NewTrace(x.Messages...).Calls {
			if c.OK && src.Inventory.Agent.Mutates(c.Name) {
				before, done := x.Messages[:c.Index], c.Index+1+len(x.Messages[c.Index].ToolCalls) // results follow their calls
				t.writes = append(t.writes, &trial{x.Name, before, guide.NewTrace(before...), c.ToolCall(),
					[2]*guide.Trace{guide.NewTrace(x.Messages[:done]...), guide.NewTrace(x.Messages...)}})
			}
		}
	}
	return t, nil
}

func (t *trials) checker(b *guide.Bundle) (*guide.Checker, error) {
	g, err := guide.Compose(b)
	if err != nil {
		return nil, err
	}
	return guide.NewChecker(g, t.source.Inventory, t.source.Vocabulary)
}

// site is a node of a file.
type site struct{ file, node string }

func siteOf(n *guide.Node) site { return site{n.File, n.Local} }

// faults finds checks that do harm: those that withhold a change of a conversation that keeps to the
// policy, and those that hold although a call is missing for which the workflow without checks would wait.
func (t *trials) faults(b *guide.Bundle) (map[site]string, error) {
	c, err := t.checker(b)
	if err != nil {
		return nil, err
	}
	out := map[site]string{}
	say := func(n *guide.Node, reason string) { out[siteOf(n)] = cmp.Or(out[siteOf(n)], reason) }
	for _, w := range t.writes {
		p, _ := c.Authorize(w.trace, w.call, 0)
		if p.Authorizes != w.call.Name {
			if n, why := t.blame(c, w, p); n != nil {
				say(n, why)
			}
			continue
		}
		for _, s := range p.Walk {
			n, ok := c.Graph().Node(s.Node)
			if ok && n.Type == guide.ToolCall && n.OnlyIf == "" && decidedByCode(n) && t.leaks(c, w, n, p.Intent) {
				say(n, fmt.Sprintf("it holds for %s in %s although %s was never called", w.call.Name, w.name, strings.Join(n.Tools, " or ")))
			}
		}
	}
	return out, nil
}

// blame finds the check that withholds a change: that of the node at which the request rests, or else, where without checks
// the change would be due, that of the last decision before it.
func (t *trials) blame(c *guide.Checker, w *trial, p guide.Position) (*guide.Node, string) {
	what := fmt.Sprintf("it withholds %s in %s, which keeps to the policy", w.call.Name, w.name)
	free, _ := t.structure.Authorize(w.trace, w.call, 0)
	for i, s := range slices.Backward(p.Walk) {
		n, ok := c.Graph().Node(s.Node)
		switch {
		case !ok || !decidedByCode(n):
		case i == len(p.Walk)-1 && s.Note != "":
			return n, what + ": " + s.Note
		case i == len(p.Walk)-1:
			return n, what
		case n.Type == guide.Decision && free.Authorizes == w.call.Name:
			return n, fmt.Sprintf("%s: it takes the branch %s", what, s.Branch)
		}
	}
	return nil, ""
}

// verifying is the node behind the authorization at which a request rests, nil if no check decides it.
func verifying(g *guide.Graph, p guide.Position) *guide.Node {
	rests, ok := g.Node(p.Node)
	if !ok {
		return nil
	}
	if n, ok := g.Node(rests.Next()); ok && n.Type != guide.Decision && decidedByCode(n) {
		return n
	}
	return nil
}

// seen reports whether a node's condition holds once the change is made, or at the end of the conversation.
func (w *trial) seen(c *guide.Checker, n *guide.Node, intent string) bool {
	return slices.ContainsFunc(w.after[:], func(t *guide.Trace) bool {
		return c.Judge(t, w.request(c, intent), n).Holds
	})
}

// request is the change as a request of that intent.
func (w *trial) request(c *guide.Checker, intent string) guide.Request {
	open := c.Open(w.call, 0)
	return open[slices.IndexFunc(open, func(r guide.Request) bool { return r.Intent == intent })]
}

// leaks reports whether the check of a node holds without the calls of its tools, although the workflow without checks then
// withholds the change. Earlier changes are left out too: their results may show what the node's tool does.
func (t *trials) leaks(c *guide.Checker, w *trial, n *guide.Node, intent string) bool {
	trace := guide.NewTrace(uncalled(w.before, func(tool string) bool {
		return slices.Contains(n.Tools, tool) || t.source.Inventory.Agent.Mutates(tool)
	})...)
	free, _ := t.structure.Authorize(trace, w.call, 0)
	return c.Judge(trace, w.request(c, intent), n).Holds && free.Authorizes != w.call.Name
}

// uncalled is a conversation without the calls of some tools, and their results.
func uncalled(msgs []domains.Message, without func(tool string) bool) []domains.Message {
	gone := map[string]bool{} // by id
	var out []domains.Message
	for _, m := range msgs {
		if m.Role == domains.RoleTool && gone[m.ID] {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(m.ToolCalls), func(c domains.ToolCall) bool {
			gone[c.ID] = without(c.Name)
			return gone[c.ID]
		})
		if len(m.ToolCalls) > 0 && len(kept) == 0 {
			continue
		}
		m.ToolCalls = kept
		out = append(out, m)
	}
	return out
}
