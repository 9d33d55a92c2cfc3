package export

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Prompt writes the workflow for a model: first the topology, one line per node, then one block per node with what it
// asks for. Checks and events are not shown, for they are how code decides and a model judges by the words; nor are the
// catalog's ids, which say nothing to a model.
func Prompt(g *guide.Graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Workflow of %s\n\n", title(g.Domain, g.Title))
	fmt.Fprintf(&b, "Requests start at `%s`.", g.Entry)
	if c := g.Classifier(); c != nil {
		fmt.Fprintf(&b, " Kinds of request are told apart at `%s`.", c.ID)
	}
	b.WriteString("\n\n## Topology\n\n")
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "- `%s` (%s)", n.ID, n.Type)
		switch {
		case n.Type == guide.Exit:
			b.WriteString(": end\n")
			continue
		case n.Type == guide.Decision:
			b.WriteString("\n")
			for _, e := range n.Edges {
				fmt.Fprintf(&b, "  - %s → `%s`\n", e.When, e.To)
			}
			continue
		}
		for _, e := range n.Edges {
			fmt.Fprintf(&b, " → `%s`", e.To)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## Nodes\n")
	for _, n := range g.Nodes {
		if n.Type.Evaluated() {
			block(&b, n)
		}
	}
	return b.String()
}

func block(b *strings.Builder, n *guide.Node) {
	fmt.Fprintf(b, "\n### %s\n\n", n.ID)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "- %s: %s\n", name, oneLine(text))
		}
	}
	line("type", string(n.Type))
	line("actor", string(n.Actor))
	switch n.Type {
	case guide.ToolCall:
		line("tool", strings.Join(n.Tools, " or "))
	case guide.Authorization:
		line("enables", n.Tool())
	}
	line("action", n.Action)
	line("expect", n.Expect)
	line("satisfied when", n.SatisfiedWhen)
	line("remediation", n.Remediation)
	if n.Type == guide.Decision {
		b.WriteString("- branches:\n")
		for _, e := range n.Edges {
			fmt.Fprintf(b, "  - %s → `%s`", e.When, e.To)
			if e.Describe != "" {
				fmt.Fprintf(b, ": %s", oneLine(e.Describe))
			}
			b.WriteString("\n")
		}
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
