package export

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// DOT writes the picture in Graphviz's language. guide/export/svg draws it.
func DOT(p Picture) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n", quote(p.Title))
	fmt.Fprintf(&b, "  label=%s; labelloc=t; rankdir=TB; nodesep=0.3; ranksep=0.35;\n", quote(p.Title))
	b.WriteString("  node [fontname=\"Helvetica\", fontsize=10, style=filled, margin=\"0.12,0.06\"];\n")
	b.WriteString("  edge [fontname=\"Helvetica\", fontsize=9, color=\"#5f6368\"];\n")
	open := ""
	count := 0
	for _, n := range p.Nodes {
		if g := group(n); g != open {
			if open != "" {
				b.WriteString("  }\n")
			}
			if g != "" {
				fmt.Fprintf(&b, "  subgraph \"cluster_%d\" {\n    label=%s; color=\"#c4c7cc\"; style=dashed; fontname=\"Helvetica\"; fontsize=10;\n", count, quote(g))
				count++
			}
			open = g
		}
		indent := "  "
		if open != "" {
			indent = "    "
		}
		s := styleOf(n.Type)
		rounded := ""
		if n.Type == guide.Entry || n.Type == guide.Exit {
			rounded = ", style=\"filled,rounded\""
		}
		fmt.Fprintf(&b, "%s%s [label=%s, shape=%s, fillcolor=\"%s\", color=\"%s\"%s];\n", indent, quote(n.ID), quoteLines(label(n)), s.shape, s.fill, s.ink, rounded)
	}
	if open != "" {
		b.WriteString("  }\n")
	}
	for _, n := range p.Nodes {
		for _, e := range n.Edges {
			var attrs []string
			if l := edgeLabel(n, e); l != "" {
				attrs = append(attrs, "label="+quote(l))
			}
			if n.ID == p.Classifier {
				attrs = append(attrs, "style=dashed")
			}
			fmt.Fprintf(&b, "  %s -> %s", quote(n.ID), quote(e.To))
			if len(attrs) > 0 {
				fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
			}
			b.WriteString(";\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func quote(s string) string { return quoteLines([]string{s}) }

// quoteLines makes a DOT string of lines, centred one below the other.
func quoteLines(lines []string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ")
	for i, l := range lines {
		lines[i] = r.Replace(l)
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
