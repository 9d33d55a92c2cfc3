package export

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Mermaid writes the picture as a Mermaid flowchart, which many Markdown viewers show.
func Mermaid(p Picture) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%%%% %s\nflowchart TD\n", strings.ReplaceAll(p.Title, "\n", " "))
	ids := map[string]string{}
	for i, n := range p.Nodes {
		ids[n.ID] = fmt.Sprintf("n%d", i) // flat ids may be words that Mermaid reserves
	}
	open := ""
	count := 0
	for _, n := range p.Nodes {
		if g := group(n); g != open {
			if open != "" {
				b.WriteString("  end\n")
			}
			if g != "" {
				fmt.Fprintf(&b, "  subgraph g%d [\"%s\"]\n", count, mermaidText(g))
				count++
			}
			open = g
		}
		indent := "  "
		if open != "" {
			indent = "    "
		}
		s := styleOf(n.Type)
		lines := label(n)
		for i, l := range lines {
			lines[i] = mermaidText(l)
		}
		fmt.Fprintf(&b, "%s%s%s\"%s\"%s:::%s\n", indent, ids[n.ID], s.before, strings.Join(lines, "<br/>"), s.after, class(n.Type))
	}
	if open != "" {
		b.WriteString("  end\n")
	}
	for _, n := range p.Nodes {
		arrow := "-->"
		if n.ID == p.Classifier {
			arrow = "-.->"
		}
		for _, e := range n.Edges {
			text := ""
			if l := edgeLabel(n, e); l != "" {
				text = `|"` + mermaidText(l) + `"|`
			}
			to, ok := ids[e.To]
			if !ok {
				continue
			}
			fmt.Fprintf(&b, "  %s %s%s %s\n", ids[n.ID], arrow, text, to)
		}
	}
	for _, t := range guide.Types() {
		s := styleOf(t)
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:#202124\n", class(t), s.fill, s.ink)
	}
	return b.String()
}

// class is a CSS class for the type; Mermaid reserves the word subgraph's relatives, so all get a prefix.
func class(t guide.Type) string { return "t_" + string(t) }

// mermaidText escapes what ends a quoted label early.
func mermaidText(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(s)
}
