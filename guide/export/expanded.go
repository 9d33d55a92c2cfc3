package export

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
	"github.com/tauguide/tauguide/guide"
)

// Others is the id and the name of the box for the branches that are not drawn, from which no edge leads on.
const Others = "other requests"

// Expanded is the composed graph of a bundle as the paper draws it: the way to the classifier, the branches without a subflow,
// and those that are named. A name is a branch of the classifier, or the path of an anchor, whose nodes are drawn then; other
// subflows are a box each, and all other branches one box together.
func Expanded(b *guide.Bundle, g *guide.Graph, names []string) (Picture, error) {
	open, err := expand(g, names)
	if err != nil {
		return Picture{}, err
	}
	p := Folded(g, func(anchor string) bool { return open[anchor] })
	p.Title += "; expanded: " + strings.Join(names, ", ")
	p.bundle = b
	for _, n := range p.Nodes {
		if n.Type == guide.Anchor {
			n.Subflow = p.subflow(n.ID)
		}
	}
	return p, p.gather(g.Entry)
}

// expand returns the paths of the anchors that are to be open.
func expand(g *guide.Graph, names []string) (map[string]bool, error) {
	known, branches, open := map[string]bool{}, map[string]string{}, map[string]bool{}
	for _, n := range g.Nodes {
		for _, path := range paths(n.ID) {
			known[path] = true
		}
	}
	if c := g.Classifier(); c != nil {
		for _, e := range c.Edges {
			if under := paths(e.To); len(under) > 0 {
				branches[e.When] = under[0]
			}
		}
	}
	for _, name := range names {
		path := cmp.Or(branches[name], name)
		if !known[path] {
			all := slices.Concat(slices.Sorted(maps.Keys(branches)), slices.Sorted(maps.Keys(known)))
			return nil, fmt.Errorf("the workflow of %s has no branch and no subflow %q\nhint: %s", g.Domain, name, yamlfile.Suggest(name, all))
		}
		for _, path := range append(paths(path), path) {
			open[path] = true
		}
	}
	return open, nil
}

// paths are those of the anchors above a node, the outermost first.
func paths(id string) (out []string) {
	for i, c := range id {
		if c == '.' {
			out = append(out, id[:i])
		}
	}
	return out
}

// subflow is the file that the anchor at a path stands for.
func (p Picture) subflow(path string) string {
	name, f := "", p.bundle.Main
	for local := range strings.SplitSeq(path, ".") {
		n, _ := f.Node(local)
		name = n.Subflow
		f, _ = p.bundle.Subflow(name)
	}
	return name
}

// gather puts the classifier's branches into boxes, and what only they lead to, into one box, if there are several. It refuses
// to put an open anchor there.
func (p *Picture) gather(entry string) error {
	at, boxed := map[string]*guide.Node{}, map[string]bool{}
	for _, n := range p.Nodes {
		at[n.ID] = n
	}
	var labels []string
	if c := at[p.Classifier]; c != nil {
		for _, e := range c.Edges {
			if at[e.To].Type == guide.Anchor && len(paths(e.To)) == 0 {
				boxed[e.To], labels = true, append(labels, e.When)
			}
		}
	}
	if len(boxed) < 2 {
		return nil
	}
	kept := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if kept[id] || boxed[id] {
			return
		}
		kept[id] = true
		for _, e := range at[id].Edges {
			visit(e.To)
		}
	}
	visit(entry)
	for _, n := range p.Nodes {
		if under := paths(n.ID); len(under) > 0 && !kept[n.ID] {
			return fmt.Errorf("only branches that are not expanded lead to %s\nhint: expand one of them, too: %s", under[0], strings.Join(labels, ", "))
		}
	}
	var nodes []*guide.Node
	for _, n := range p.Nodes {
		if !kept[n.ID] {
			continue
		}
		var edges []guide.Edge
		for _, e := range n.Edges {
			if !kept[e.To] {
				if e.To = Others; n.ID == p.Classifier {
					e.When = ""
				}
			}
			if !slices.ContainsFunc(edges, func(o guide.Edge) bool { return o.To == e.To && o.When == e.When }) {
				edges = append(edges, e)
			}
		}
		n.Edges, nodes = edges, append(nodes, n)
		if n.ID == p.Classifier {
			nodes = append(nodes, &guide.Node{ID: Others, Local: Others, Type: guide.Anchor, Action: strings.Join(labels, ", ")})
		}
	}
	p.Nodes = nodes
	return nil
}
