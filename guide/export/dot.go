package export

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// DOT writes the picture in Graphviz's language. guide/export/svg draws it.
func DOT(p Picture) string {
	return fmt.Sprintf("digraph %s {\n  label=%[1]s; labelloc=t; rankdir=TB; nodesep=0.3; ranksep=0.35;\n", quote(p.Title)) +
		"  node [fontname=\"Helvetica\", fontsize=10, style=filled, margin=\"0.12,0.06\"];\n" +
		"  edge [fontname=\"Helvetica\", fontsize=9, color=\"#5f6368\"];\n" +
		p.write(language{
			open: func(i int, group string) string {
				return fmt.Sprintf("subgraph \"cluster_%d\" {\n    label=%s; color=\"#c4c7cc\"; style=dashed; fontname=\"Helvetica\"; fontsize=10;", i, quote(group))
			},
			end:  "}",
			node: dotNode,
			edge: p.dotEdge,
		}) + "}\n"
}

func dotNode(n *guide.Node) string {
	s := styleOf(n.Type)
	rounded := ""
	if n.Type == guide.Entry || n.Type == guide.Exit {
		rounded = ", style=\"filled,rounded\""
	}
	return fmt.Sprintf("%s [label=%s, shape=%s, fillcolor=\"%s\", color=\"%s\"%s];", quote(n.ID), quote(label(n)...), s.shape, s.fill, s.ink, rounded)
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
