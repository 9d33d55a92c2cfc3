package guide

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Format writes a file in the format that ParseFile reads. Reading it back gives the same file, apart from line
// numbers.
func Format(f *File) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "id: %s\ntitle: %s\n", word(f.ID), word(f.Title))
	if len(f.Intents) > 0 {
		b.WriteString("intents:\n")
		for _, in := range f.Intents {
			fmt.Fprintf(&b, "  %s: %s\n", word(in.Label), word(in.Target))
		}
	}
	fmt.Fprintf(&b, "entry: %s\nexits: %s\nnodes:\n", word(f.Entry), words(f.Exits))
	for i, n := range f.Nodes {
		if i > 0 {
			b.WriteString("\n")
		}
		formatNode(&b, n)
	}
	return []byte(b.String())
}

// FormatNode writes a node as Format does.
func FormatNode(n *Node) string {
	var b strings.Builder
	formatNode(&b, n)
	return b.String()
}

func formatNode(b *strings.Builder, n *Node) {
	fmt.Fprintf(b, "  - id: %s\n", word(n.Local))
	put := func(key, text string) {
		if text != "" {
			fmt.Fprintf(b, "    %s: %s\n", key, word(text))
		}
	}
	put("type", string(n.Type))
	put("actor", string(n.Actor))
	put("action", n.Action)
	switch {
	case len(n.Tools) == 1:
		put("tool", n.Tools[0])
	case len(n.Tools) > 1:
		fmt.Fprintf(b, "    tools: %s\n", words(n.Tools))
	}
	put("only_if", n.OnlyIf)
	put("subflow", n.Subflow)
	put("expect", n.Expect)
	put("satisfied_when", n.SatisfiedWhen)
	put("remediation", n.Remediation)
	put("check", n.Check)
	if e := n.Event; e != nil {
		switch {
		case e.Pattern != "":
			fmt.Fprintf(b, "    event: {%s: %s}\n", e.Kind, word(e.Pattern))
		case len(e.Tools) > 0:
			fmt.Fprintf(b, "    event: {%s: %s}\n", e.Kind, words(e.Tools))
		default:
			put("event", string(e.Kind))
		}
	}
	if len(n.Policy) > 0 {
		fmt.Fprintf(b, "    policy: %s\n", words(n.Policy))
	}
	if len(n.Edges) == 0 {
		return
	}
	b.WriteString("    edges:\n")
	for _, e := range n.Edges {
		fmt.Fprintf(b, "      - {to: %s, when: %s", word(e.To), word(e.When))
		if e.Describe != "" {
			fmt.Fprintf(b, ", describe: %s", word(e.Describe))
		}
		if e.Check != "" {
			fmt.Fprintf(b, ", check: %s", word(e.Check))
		}
		b.WriteString("}\n")
	}
}

// word writes a text plainly where that cannot be mistaken for anything else, and as a JSON string otherwise.
func word(s string) string {
	if idPattern.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, s) {
		return s
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func words(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = word(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}
