package export

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Mermaid writes the picture as a Mermaid flowchart, which many Markdown viewers show.
func Mermaid(p Picture) string {
	ids := map[string]string{}
	for i, n := range p.Nodes {
		ids[n.ID] = fmt.Sprintf("n%d", i) // flat ids may be words that Mermaid reserves
	}
	out := fmt.Sprintf("%%%% %s\nflowchart TD\n", strings.ReplaceAll(p.Title, "\n", " ")) + p.write(language{
		open: func(i int, group string) string { return fmt.Sprintf("subgraph g%d [\"%s\"]", i, mermaidText(group)) },
		end:  "end",
		node: func(n *guide.Node) string {
			s := StyleOf(n.Type)
			lines := Label(n)
			for i, l := range lines {
				lines[i] = mermaidText(l)
			}
			return fmt.Sprintf("%s%s\"%s\"%s:::%s", ids[n.ID], s.before, strings.Join(lines, "<br/>"), s.after, class(n.Type))
		},
		edge: func(n *guide.Node, e guide.Edge) string {
			arrow := "-->"
			if n.ID == p.Classifier {
				arrow = "-.->"
			}
			if l := edgeLabel(n, e); l != "" {
				arrow += `|"` + mermaidText(l) + `"|`
			}
			return fmt.Sprintf("%s %s %s", ids[n.ID], arrow, ids[e.To])
		},
	})
	for _, t := range guide.Types() {
		s := StyleOf(t)
		out += fmt.Sprintf("  classDef %s fill:%s,stroke:%s,color:#202124\n", class(t), s.Fill, s.Ink)
	}
	return out
}

// class is a CSS class for the type; Mermaid reserves the word subgraph's relatives, so all get a prefix.
func class(t guide.Type) string { return "t_" + string(t) }

// mermaidText escapes what ends a quoted label early.
func mermaidText(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(s)
}
