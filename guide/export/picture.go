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

	bundle *guide.Bundle // of a picture whose groups are nested and told with their subflows; nil of Others
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
	var open []string
	count := 0
	line := func(text string) { b.WriteString(strings.Repeat("  ", len(open)+1) + text + "\n") }
	turn := func(groups []string) {
		for len(open) > 0 && !(len(open) <= len(groups) && open[len(open)-1] == groups[len(open)-1]) {
			open = open[:len(open)-1]
			line(l.end)
		}
		for _, g := range groups[len(open):] {
			line(l.open(count, p.groupName(g)))
			open, count = append(open, g), count+1
		}
	}
	for _, n := range p.Nodes {
		turn(p.groups(n))
		line(l.node(n))
	}
	turn(nil)
	for _, n := range p.Nodes {
		for _, e := range n.Edges {
			line(l.edge(n, e))
		}
	}
	return b.String()
}

// groups are the paths of the anchors within which a node is drawn, the outermost first: of pictures that are not nested the
// first alone.
func (p Picture) groups(n *guide.Node) []string {
	out := paths(n.ID)
	if p.bundle == nil {
		return out[:min(1, len(out))]
	}
	return out
}

func (p Picture) groupName(path string) string {
	if p.bundle == nil {
		return path
	}
	return path + ": subflow " + p.subflow(path)
}

// Style is how a type of node looks.
type Style struct {
	Shape     string // of Graphviz
	before    string // Mermaid's brackets
	after     string
	Fill, Ink string // colours, such as #dbe9fb
}

// StyleOf is how nodes of a type look.
func StyleOf(t guide.Type) Style {
	switch t {
	case guide.Entry, guide.Exit:
		return Style{"box", "([", "])", "#e8eaed", "#5f6368"}
	case guide.AgentAction:
		return Style{"box", "[", "]", "#dbe9fb", "#2b5fa8"}
	case guide.UserInput:
		return Style{"box", "[", "]", "#fdf0cf", "#a07412"}
	case guide.ToolCall:
		return Style{"box", "[[", "]]", "#dcf2e3", "#2c7a4b"}
	case guide.Authorization:
		return Style{"trapezium", "[/", "\\]", "#fadcd9", "#b3362b"}
	case guide.Decision:
		return Style{"diamond", "{", "}", "#ebe1f7", "#6b43a1"}
	case guide.Anchor:
		return Style{"box3d", "[[", "]]", "#ffffff", "#5f6368"}
	}
	return Style{"box", "[", "]", "#ffffff", "#000000"}
}

// wide is how many letters a line in a box should have at most.
const wide = 30

// Label is what a node shows: its local name, what it is, and its tools or file.
func Label(n *guide.Node) []string {
	lines := []string{n.Local}
	switch {
	case n.ID == Others:
		line := ""
		for word := range strings.FieldsSeq(n.Action) {
			if line != "" && len(line)+len(word) > wide {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		lines = append(lines, line)
	case n.Type == guide.Entry, n.Type == guide.Exit, n.Type == guide.Decision:
	case n.Type == guide.ToolCall, n.Type == guide.Authorization:
		lines = append(lines, string(n.Type)+":", strings.Join(n.Tools, " | "))
	case n.Type == guide.Anchor:
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
