package verify

import (
	"fmt"
	"slices"
)

// align gives a record the ids, labels, nodes and tools that the state, its own roster and the workflow have, where it spells
// them with other punctuation or case, as long as one alone fits.
func (w *Workflow) align(rec *Record, s State, raw bool) {
	r := reading{}
	fit := func(at string, name *string, known, taken []string) {
		if *name == "" || slices.Contains(known, *name) {
			return
		}
		same := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return bare(k) != bare(*name) || slices.Contains(taken, k) })
		if len(same) == 1 {
			r.note(at, "%s is read as %s", *name, same[0])
			*name = same[0]
		}
	}
	var known, roster, traversed []string
	for _, q := range s.Requests {
		known = append(known, q.ID)
	}
	for _, e := range rec.Reconcile.Intents {
		roster = append(roster, e.ID)
	}
	for _, t := range rec.Traverse {
		traversed = append(traversed, t.ID)
	}
	nodes, labels, tools := w.names(raw)
	for i := range rec.Reconcile.Intents {
		e, at := &rec.Reconcile.Intents[i], fmt.Sprintf("/reconcile/intents/%d", i)
		fit(at+"/id", &e.ID, known, roster)
		fit(at+"/intent", &e.Intent, labels, nil)
		known = append(known, e.ID)
	}
	if len(roster) > 0 {
		known = known[len(s.Requests):]
	}
	for i := range rec.Traverse {
		t, at := &rec.Traverse[i], fmt.Sprintf("/traverse/%d", i)
		fit(at+"/id", &t.ID, known, traversed)
		fit(at+"/node", &t.Node, nodes, nil)
		for k := range t.Walk {
			fit(fmt.Sprintf("%s/walk/%d/node", at, k), &t.Walk[k].Node, nodes, nil)
		}
		if t.Authorize != nil {
			fit(at+"/authorize_tool", t.Authorize, tools, nil)
		}
	}
	rec.Coerced = append(rec.Coerced, r.notes...)
}

// names lists the nodes, the labels of intents and the agent's tools; without the workflow only the tools are known.
func (w *Workflow) names(raw bool) (nodes, labels, tools []string) {
	for _, s := range w.World.Agent.Specs() {
		tools = append(tools, s.Name)
	}
	if raw {
		return nil, nil, tools
	}
	for _, n := range w.Graph.Nodes {
		nodes = append(nodes, n.ID)
	}
	if c := w.Graph.Classifier(); c != nil {
		for _, e := range c.Edges {
			labels = append(labels, e.When)
		}
	}
	return nodes, labels, tools
}
