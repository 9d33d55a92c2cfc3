package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
)

// Picture is what to draw: nodes with their edges, and the anchors that group them.
type Picture struct {
	Title      string
	Nodes      []*guide.Node
	Classifier string // id of the decision whose edges are dashed, "" if there is none
}

// Whole is the composed graph of a domain.
func Whole(g *guide.Graph) Picture {
	p := Picture{Title: title(g.Domain, g.Title), Nodes: g.Nodes}
	if c := g.Classifier(); c != nil {
		p.Classifier = c.ID
	}
	return p
}

// OneFile is a single file of a bundle with its anchors as nodes; name is a subflow's, or main.
func OneFile(b *guide.Bundle, name string) (Picture, error) {
	i := slices.IndexFunc(b.Files(), func(f *guide.File) bool { return f.Name() == name })
	if i < 0 {
		var names []string
		for _, f := range b.Files() {
			names = append(names, f.Name())
		}
		return Picture{}, fmt.Errorf("bundle %s has no subflow %q\nhint: %s", b.Domain, name, yamlfile.Suggest(name, names))
	}
	f := b.Files()[i]
	p := Picture{Title: title(b.Domain, f.Title), Nodes: f.Nodes}
	if c := f.Classifier(); c != nil {
		p.Classifier = c.ID
	}
	return p, nil
}

func title(domain, title string) string {
	if title == "" {
		return domain
	}
	return domain + ": " + title
}

// language is how the parts of a picture are written, one line each.
type language struct {
	open func(i int, group string) string // of nodes under one anchor
	end  string                           // of a group
	node func(*guide.Node) string
	edge func(*guide.Node, guide.Edge) string
}

// write writes the nodes, grouped by their anchors, and then the edges.
func (p Picture) write(l language) string {
	var b strings.Builder
	open, count, indent := "", 0, "  "
	turn := func(group string) {
		if open != "" {
			b.WriteString("  " + l.end + "\n")
		}
		open, indent = group, "  "
		if group != "" {
			b.WriteString("  " + l.open(count, group) + "\n")
			count, indent = count+1, "    "
		}
	}
	for _, n := range p.Nodes {
		if g := group(n); g != open {
			turn(g)
		}
		b.WriteString(indent + l.node(n) + "\n")
	}
	turn("")
	for _, n := range p.Nodes {
		for _, e := range n.Edges {
			b.WriteString("  " + l.edge(n, e) + "\n")
		}
	}
	return b.String()
}

// group returns the first anchor on the path of a flat id, "" for nodes of the main file.
func group(n *guide.Node) string {
	if i := strings.IndexByte(n.ID, '.'); i >= 0 {
		return n.ID[:i]
	}
	return ""
}

// style is how a type of node looks.
type style struct {
	shape     string // of Graphviz
	before    string // Mermaid's brackets
	after     string
	fill, ink string
}

func styleOf(t guide.Type) style {
	switch t {
	case guide.Entry, guide.Exit:
		return style{"box", "([", "])", "#e8eaed", "#5f6368"}
	case guide.AgentAction:
		return style{"box", "[", "]", "#dbe9fb", "#2b5fa8"}
	case guide.UserInput:
		return style{"box", "[", "]", "#fdf0cf", "#a07412"}
	case guide.ToolCall:
		return style{"box", "[[", "]]", "#dcf2e3", "#2c7a4b"}
	case guide.Authorization:
		return style{"trapezium", "[/", "\\]", "#fadcd9", "#b3362b"}
	case guide.Decision:
		return style{"diamond", "{", "}", "#ebe1f7", "#6b43a1"}
	case guide.Anchor:
		return style{"box3d", "[[", "]]", "#ffffff", "#5f6368"}
	}
	return style{"box", "[", "]", "#ffffff", "#000000"}
}

// label is what a node shows: its local name, what it is, and its tools or file.
func label(n *guide.Node) []string {
	lines := []string{n.Local}
	switch n.Type {
	case guide.Entry, guide.Exit, guide.Decision:
	case guide.ToolCall, guide.Authorization:
		lines = append(lines, string(n.Type)+":", strings.Join(n.Tools, " | "))
	case guide.Anchor:
		lines = append(lines, "subflow: "+n.Subflow)
	default:
		lines = append(lines, string(n.Type))
	}
	return lines
}

// edgeLabel is empty on the edges that everything but a decision has.
func edgeLabel(n *guide.Node, e guide.Edge) string {
	if n.Type != guide.Decision {
		return ""
	}
	return e.When
}
