package compare

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
)

// Trace is a conversation that kept to the policy.
type Trace struct {
	Name     string
	Messages []domains.Message
}

// Gold is how many changes of the traces have a way through a graph: one on which each tool node is matched by a call that
// the trace makes before the change. Changes are matched in order, and what is read between two of them in any, since the
// order in which a procedure happens to look binds nobody.
type Gold struct {
	Source    string    `json:"source"`
	Writes    int       `json:"writes"`
	Reachable Pair[int] `json:"reachable"`
}

// write is a change that a trace makes, with what the agent did before it.
type write struct {
	trace  *Trace
	before []*guide.Call // successful calls of the agent, in order
	call   *guide.Call
}

// writes lists the changes in traces: successful calls of the agent for which mutates holds.
func writes(traces []Trace, mutates func(tool string) bool) []write {
	var out []write
	for i := range traces {
		var made []*guide.Call
		for _, c := range guide.NewTrace(traces[i].Messages...).Calls {
			if !c.OK {
				continue
			}
			if mutates(c.Name) {
				out = append(out, write{&traces[i], slices.Clip(made), c})
			}
			made = append(made, c)
		}
	}
	return out
}

// gold looks for a way to each change in both graphs. Changes of a tool that go wrong in the same way are one difference.
func (c *comparison) gold(found []write) {
	c.Gold = &Gold{Source: c.Source, Writes: len(found)}
	var gaps tally
	for _, w := range found {
		at := pair(c.side, func(s *side) way { return s.way(w) })
		c.Gold.Reachable.A += count(at.A.open)
		c.Gold.Reachable.B += count(at.B.open)
		if at.A.open && at.B.open {
			continue
		}
		what := "neither has a way to " + w.call.Name
		if at.A.open || at.B.open {
			what = fmt.Sprintf("only %s has a way to %s", which(at.A.open), w.call.Name)
		}
		gaps.add(what, w.trace.Name, Pair[[]string]{at.A.nodes, at.B.nodes})
	}
	c.tell("gold writes", gaps)
}

// way says whether a change can be reached, and by which authorizations; or else at which tool nodes the ways to it end.
type way struct {
	open  bool
	nodes []string
}

func (s *side) way(w write) way {
	come, passed := s.follow(w.before)
	var sites []string
	leads := map[string]bool{}
	for _, x := range s.sites {
		if x.tool != w.call.Name {
			continue
		}
		leads[x.Node] = true
		if come[x.Node] {
			sites = append(sites, x.Node)
		}
	}
	if len(sites) > 0 {
		return way{true, sites}
	}
	var stops []string
	for _, n := range s.graph.Nodes {
		if come[n.ID] && !passed[n.ID] && slices.ContainsFunc(s.sites, func(x *site) bool {
			return leads[x.Node] && s.graph.Reachable(n.ID)[x.Node]
		}) {
			stops = append(stops, n.ID)
		}
	}
	return way{false, stops}
}

// place is where a way is: at a node, and how many of the calls came before the last change on the way was made.
type place struct {
	node  string
	since int
}

// follow goes through the graph as far as calls allow: which nodes it comes to, and which it can pass. For each place it
// keeps the least number of calls that the way to it needs; fewer are never worse for what follows.
func (s *side) follow(calls []*guide.Call) (come, passed map[string]bool) {
	come, passed = map[string]bool{}, map[string]bool{}
	least := map[place]int{{s.graph.Entry, 0}: 0}
	for todo := []place{{s.graph.Entry, 0}}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		n, ok := s.graph.Node(at.node)
		if !ok {
			continue
		}
		come[n.ID] = true
		since, need, ok := pass(n, calls, at.since, least[at])
		if !ok {
			continue
		}
		passed[n.ID] = true
		for _, id := range s.graph.Next(n.ID) {
			next := place{id, since}
			if known, ok := least[next]; !ok || need < known {
				least[next] = need
				todo = append(todo, next)
			}
		}
	}
	return come, passed
}

// pass is the state after a node: since and need as in follow. ok is false where no call matches the node.
func pass(n *guide.Node, calls []*guide.Call, since, need int) (int, int, bool) {
	from := since
	switch {
	case n.Type == guide.Authorization:
		from = need
	case n.Type != guide.ToolCall || n.OnlyIf != "":
		return since, need, true
	}
	k := slices.IndexFunc(calls[from:], func(c *guide.Call) bool { return slices.Contains(n.Tools, c.Name) })
	if k < 0 {
		return 0, 0, false
	}
	made := from + k + 1
	if n.Type == guide.Authorization {
		return made, made, true
	}
	return since, max(need, made), true
}
