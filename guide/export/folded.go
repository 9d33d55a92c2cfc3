package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Folded is the composed graph with what is below an anchor as one box, unless the anchor's path is open. A box has the
// path as its id. An anchor within one that is not open is not open either.
func Folded(g *guide.Graph, open func(anchor string) bool) Picture {
	p := Whole(g)
	shown := map[string]*guide.Node{} // by id or, of boxes, path
	p.Nodes = nil
	for _, n := range g.Nodes {
		id := Shown(n.ID, open)
		if shown[id] == nil {
			stand := *n
			if id != n.ID {
				stand = guide.Node{ID: id, Local: id[strings.LastIndexByte(id, '.')+1:], Type: guide.Anchor}
			}
			stand.Edges = nil
			shown[id] = &stand
			p.Nodes = append(p.Nodes, &stand)
		}
		stand := shown[id]
		for _, e := range n.Edges {
			e.To = Shown(e.To, open)
			if e.To != id && !slices.ContainsFunc(stand.Edges, func(o guide.Edge) bool { return o.To == e.To && (id != n.ID || o.When == e.When) }) {
				stand.Edges = append(stand.Edges, e)
			}
		}
	}
	return p
}

// Shown is the id of the box in which a node is shown: its own, or the path of the first anchor on its way that is not open.
func Shown(id string, open func(anchor string) bool) string {
	for i, c := range id {
		if c == '.' && !open(id[:i]) {
			return id[:i]
		}
	}
	return id
}

// many is how many branches of a node are drawn side by side.
const many = 3

// Narrow writes the picture in Graphviz's language for a narrow page: labels are short, and the branches of a node with
// many of them that were not walked are set one below the other, beside the walk. Shapes and colours are for whoever draws.
func Narrow(p Picture, walked func(id string) bool) string {
	at := map[string]*guide.Node{}
	for _, n := range p.Nodes {
		at[n.ID] = n
	}
	above := map[string]string{} // of the next branch that is set aside, by node
	return "digraph {\n  nodesep=0.12; ranksep=0.22;\n  node [shape=box, fontname=\"Helvetica\", fontsize=11, margin=\"0.26,0.03\", height=0.25];\n" +
		"  edge [fontname=\"Helvetica\", fontsize=9, arrowhead=none];\n" + p.write(language{
		open: func(i int, group string) string {
			return fmt.Sprintf("subgraph \"cluster_%d\" {\n    label=%s; margin=5; fontname=\"Helvetica\"; fontsize=9;", i, quote(group))
		},
		end:  "}",
		node: func(n *guide.Node) string { return quote(n.ID) + " [label=" + quote(Lines(n)...) + "];" },
		edge: func(n *guide.Node, e guide.Edge) string {
			out := quote(n.ID) + " -> " + quote(e.To)
			if l := edgeLabel(n, e); l != "" && l != e.To {
				out += " [label=" + quote(l) + "]"
			}
			switch {
			case walked(n.ID) && walked(e.To):
				out += " [weight=8]" // straight down
			case len(n.Edges) > many && !walked(e.To):
				if last := above[n.ID]; last != "" {
					out += ";\n  " + quote(last) + " -> " + quote(e.To) + " [style=invis]"
				}
				above[n.ID] = lastOf(at, e.To)
			}
			return out + ";"
		},
	}) + "}\n"
}

// lastOf is the end of the chain of nodes that a node begins, short of a box.
func lastOf(at map[string]*guide.Node, id string) string {
	for range at {
		n := at[id]
		if n == nil || n.Type == guide.Anchor || len(n.Edges) != 1 || at[n.Edges[0].To] == nil || len(at[n.Edges[0].To].Edges) > 1 {
			break
		}
		id = n.Edges[0].To
	}
	return id
}

// Lines are what a node says in a narrow picture: its name and, if it calls tools, the first of them.
func Lines(n *guide.Node) []string {
	lines := []string{n.Local}
	switch {
	case n.Type == guide.Anchor:
		lines[0] = "▸ " + n.Local
	case len(n.Tools) == 1:
		lines = append(lines, n.Tools[0])
	case len(n.Tools) > 1:
		lines = append(lines, fmt.Sprintf("%s +%d", n.Tools[0], len(n.Tools)-1))
	}
	return lines
}
