package export

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// DOT writes the picture in Graphviz's language.
func DOT(p Picture) string {
	return p.dot("nodesep=0.3; ranksep=0.35;", "margin=\"0.12,0.06\"", "", func(n *guide.Node) string { return StyleOf(n.Type).Shape })
}

// Plan writes the picture in Graphviz's language for whoever has it laid out and draws it: without its title, and so that little
// room is taken. A trapezium is a box there that is wider than its text needs.
func Plan(p Picture) string {
	p.Title = ""
	return p.dot("nodesep=0.25; ranksep=0.28;", "margin=\"0.1,0.05\", height=0.3", ", arrowsize=0.6", func(n *guide.Node) string {
		if shape := StyleOf(n.Type).Shape; shape != "trapezium" {
			return shape
		}
		return "box, margin=\"0.25,0.05\""
	})
}

// dot writes the picture with the distances of the graph, further attributes of nodes and edges, and the shapes.
func (p Picture) dot(distances, nodes, edges string, shape func(*guide.Node) string) string {
	return fmt.Sprintf("digraph %s {\n  label=%[1]s; labelloc=t; rankdir=TB; %s\n", quote(p.Title), distances) +
		"  node [fontname=\"Helvetica\", fontsize=10, style=filled, " + nodes + "];\n" +
		"  edge [fontname=\"Helvetica\", fontsize=9, color=\"#5f6368\"" + edges + "];\n" +
		p.write(language{
			open: func(i int, group string) string {
				return fmt.Sprintf("subgraph \"cluster_%d\" {\n    label=%s; color=\"#c4c7cc\"; style=dashed; fontname=\"Helvetica\"; fontsize=10;", i, quote(group))
			},
			end: "}",
			node: func(n *guide.Node) string {
				s, extra := StyleOf(n.Type), ""
				at := shape(n)
				switch {
				case n.ID == Others:
					at, extra = "box", ", style=\"filled,dotted\""
				case n.Type == guide.Entry, n.Type == guide.Exit:
					extra = ", style=\"filled,rounded\""
				}
				return fmt.Sprintf("%s [label=%s, shape=%s, fillcolor=\"%s\", color=\"%s\"%s];", quote(n.ID), quote(Label(n)...), at, s.Fill, s.Ink, extra)
			},
			edge: p.dotEdge,
		}) + "}\n"
}

func (p Picture) dotEdge(n *guide.Node, e guide.Edge) string {
	var attrs []string
	if l := edgeLabel(n, e); l != "" {
		attrs = append(attrs, "label="+quote(l))
	}
	if n.ID == p.Classifier {
		attrs = append(attrs, "style=dashed")
	}
	out := quote(n.ID) + " -> " + quote(e.To)
	if len(attrs) > 0 {
		out += " [" + strings.Join(attrs, ", ") + "]"
	}
	return out + ";"
}

// quote makes a DOT string of lines, centred one below the other.
func quote(lines ...string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ")
	for i, l := range lines {
		lines[i] = r.Replace(l)
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
