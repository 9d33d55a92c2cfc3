package guide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// maxNodes bounds a composed graph: files that use each other twice over grow exponentially.
const maxNodes = 50_000

// Compose inlines every anchor and returns the flat graph (docs/reference/guide.md#bundles). The error is a Findings
// that names what keeps the files from being put together: a cycle of files, an unknown subflow or edge target, a
// file without a usable entry. Everything else that may be wrong is left to Validate.
func Compose(b *Bundle) (*Graph, error) {
	c := &composer{bundle: b, files: map[string]*File{}, nodes: map[*File]map[string]*Node{}, done: map[*File]bool{}}
	for _, f := range b.Files() {
		c.nodes[f] = map[string]*Node{}
		for _, n := range f.Nodes {
			if c.nodes[f][n.ID] == nil {
				c.nodes[f][n.ID] = n
			}
		}
	}
	for _, f := range b.Subflows {
		c.files[f.Name()] = f
	}
	if b.Main == nil {
		return nil, Findings{{Code: "file-missing", Severity: Error, File: mainFile, Text: "the bundle has no main file", Mend: "add main.yaml"}}
	}
	c.cycle(b.Main, nil)
	if len(c.found) == 0 {
		c.expand(&instance{file: b.Main, resolved: map[string]string{}})
	}
	if err := c.found.err(); err != nil {
		return nil, err
	}
	g := &Graph{Domain: b.Domain, Title: b.Main.Title, Nodes: c.flat, Intents: b.Main.Intents}
	g.Entry = b.Main.Entry
	g.index()
	return g, nil
}

type composer struct {
	bundle *Bundle
	files  map[string]*File
	nodes  map[*File]map[string]*Node
	done   map[*File]bool // files from which no circle was found
	flat   []*Node
	found  Findings
}

// instance is one use of a file.
type instance struct {
	file     *File
	prefix   string // "" for main, else the path of anchors and a dot
	after    string // flat id to which the file's exits lead
	resolved map[string]string
	under    map[string]*instance // by local id of the anchor
}

func (c *composer) fail(f *File, n *Node, line int, code, text, mend string) {
	bad := Finding{Code: code, Severity: Error, File: f.Path, Line: line, Text: text, Mend: mend}
	if n != nil {
		bad.Node = n.ID
	}
	c.found = append(c.found, bad)
}

// cycle walks the files that f uses, depth first, and reports the first way back.
func (c *composer) cycle(f *File, way []*File) {
	if i := slices.Index(way, f); i >= 0 {
		var names []string
		for _, w := range append(way[i:len(way):len(way)], f) {
			names = append(names, w.Name())
		}
		c.fail(f, nil, f.Line["id"], "subflow-cycle", "subflows use each other in a circle: "+strings.Join(names, " → "), "break the circle")
		return
	}
	if c.done[f] {
		return
	}
	defer func() { c.done[f] = true }()
	seen := map[string]bool{}
	for _, n := range f.Nodes {
		if n.Type != Anchor || seen[n.Subflow] || len(c.found) > 0 {
			continue
		}
		seen[n.Subflow] = true
		if sub, ok := c.files[n.Subflow]; ok {
			c.cycle(sub, append(way, f))
		} else {
			c.fail(f, n, n.line("subflow"), "unknown-subflow", fmt.Sprintf("there is no subflow %q", n.Subflow), yamlfile.Suggest(n.Subflow, sortedKeys(c.files)))
		}
	}
}

// expand appends the instance's nodes to the flat graph, anchors replaced in place.
func (c *composer) expand(in *instance) {
	for _, n := range in.file.Nodes {
		if len(c.found) > 0 {
			return
		}
		if len(c.flat) > maxNodes {
			c.fail(in.file, nil, 0, "too-large", fmt.Sprintf("the composed graph has more than %d nodes", maxNodes), "use subflows less often within each other")
			return
		}
		switch {
		case n.Type == Anchor:
			if sub := c.sub(in, n); sub != nil {
				c.expand(sub)
			}
		case in.prefix != "" && (n.Type == Entry || n.Type == Exit):
			// spliced away
		default:
			c.flat = append(c.flat, c.place(in, n))
		}
	}
}

func (c *composer) place(in *instance, n *Node) *Node {
	flat := *n
	flat.ID = in.prefix + n.ID
	flat.Edges = make([]Edge, len(n.Edges))
	for i, e := range n.Edges {
		flat.Edges[i] = e
		flat.Edges[i].To = c.resolve(in, n, e)
	}
	return &flat
}

// sub returns the use of a file that an anchor stands for.
func (c *composer) sub(in *instance, anchor *Node) *instance {
	if s, ok := in.under[anchor.ID]; ok {
		return s
	}
	if len(anchor.Edges) != 1 {
		c.fail(in.file, anchor, anchor.line("edges"), "edge-arity", fmt.Sprintf("the subflow has %d edges", len(anchor.Edges)), "give it exactly one edge, when: satisfied")
		return nil
	}
	s := &instance{file: c.files[anchor.Subflow], prefix: in.prefix + anchor.ID + ".", resolved: map[string]string{}}
	if in.under == nil {
		in.under = map[string]*instance{}
	}
	in.under[anchor.ID] = s
	s.after = c.resolve(in, anchor, anchor.Edges[0])
	return s
}

const pendingMark = "\x00" // in resolved: the target is being looked for

// resolve returns the flat id to which an edge leads: past anchors into their first node, out of exits to what
// follows the anchor.
func (c *composer) resolve(in *instance, from *Node, e Edge) string {
	if id, ok := in.resolved[e.To]; ok {
		if id == pendingMark {
			c.fail(in.file, from, e.Line, "empty-loop", fmt.Sprintf("the way to %q runs in a circle of subflows without nodes", e.To), "put a node into one of them")
			return ""
		}
		return id
	}
	n := c.nodes[in.file][e.To]
	if n == nil {
		c.fail(in.file, from, e.Line, "unknown-target", fmt.Sprintf("the edge leads to %q, which is not in this file", e.To), yamlfile.Suggest(e.To, sortedKeys(c.nodes[in.file])))
		return ""
	}
	in.resolved[e.To] = pendingMark
	id := in.prefix + n.ID
	switch {
	case n.Type == Exit && in.prefix != "":
		id = in.after
	case n.Type == Anchor:
		id = ""
		if sub := c.sub(in, n); sub != nil {
			id = c.first(sub)
		}
	case n.Type == Entry && in.prefix != "":
		id = c.first(in)
	}
	in.resolved[e.To] = id
	return id
}

// first returns the flat id of the node with which a file begins.
func (c *composer) first(in *instance) string {
	f := in.file
	entry := c.nodes[f][f.Entry]
	if entry == nil || entry.Type != Entry || len(entry.Edges) != 1 {
		c.fail(f, nil, f.Line["entry"], "bad-entry", fmt.Sprintf("entry %q is no entry node with exactly one edge", f.Entry), "name the file's entry node")
		return ""
	}
	return c.resolve(in, entry, entry.Edges[0])
}
