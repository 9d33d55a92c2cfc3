package guide

import (
	"slices"

	"gonum.org/v1/gonum/graph/flow"
	"gonum.org/v1/gonum/graph/simple"
)

// Graph is a domain's workflow as one flat graph. It is immutable.
type Graph struct {
	Domain  string
	Title   string
	Entry   string
	Intents []Intent
	Nodes   []*Node // in the order of the files, anchors replaced in place

	at         map[string]int
	succ, pred [][]int
	classifier int // index, -1 if there is none
}

// NewGraph makes a graph of flat nodes, as Compose does; edges to unknown ids are left out of the adjacency.
func NewGraph(domain, entry string, intents []Intent, nodes []*Node) *Graph {
	g := &Graph{Domain: domain, Entry: entry, Intents: intents, Nodes: nodes}
	g.index()
	return g
}

func (g *Graph) index() {
	g.at = make(map[string]int, len(g.Nodes))
	for i, n := range g.Nodes {
		if _, twice := g.at[n.ID]; !twice {
			g.at[n.ID] = i
		}
	}
	g.succ, g.pred = make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	for i, n := range g.Nodes {
		for _, e := range n.Edges {
			j, ok := g.at[e.To]
			if !ok || slices.Contains(g.succ[i], j) {
				continue
			}
			g.succ[i] = append(g.succ[i], j)
			g.pred[j] = append(g.pred[j], i)
		}
	}
	g.classifier = -1
	var own []*Node
	for _, n := range g.Nodes {
		if n.File == mainFile {
			own = append(own, n)
		}
	}
	if n := classifier(own); n != nil {
		g.classifier = g.at[n.ID]
	}
}

// classifier picks among the nodes of a main file the decision that tells kinds of request apart: classify, or else
// the one with the most branches; of equals the first. It is nil if there is no decision.
func classifier(nodes []*Node) *Node {
	var best *Node
	for _, n := range nodes {
		switch {
		case n.Type != Decision:
		case n.ID == "classify":
			return n
		case best == nil || len(n.Edges) > len(best.Edges):
			best = n
		}
	}
	return best
}

// Classifier is the file's decision that tells kinds of request apart, as Graph.Classifier; nil in subflows.
func (f *File) Classifier() *Node {
	if f.Path != mainFile {
		return nil
	}
	return classifier(f.Nodes)
}

// Node returns the node of that flat id.
func (g *Graph) Node(id string) (*Node, bool) {
	i, ok := g.at[id]
	if !ok {
		return nil, false
	}
	return g.Nodes[i], true
}

// Classifier is the decision that tells kinds of request apart: main.yaml's node classify, or else its decision with
// the most branches; nil if it has none.
func (g *Graph) Classifier() *Node {
	if g.classifier < 0 {
		return nil
	}
	return g.Nodes[g.classifier]
}

// Next returns the ids to which edges of the node lead, each once, in the order of its edges.
func (g *Graph) Next(id string) []string {
	i, ok := g.at[id]
	if !ok {
		return nil
	}
	out := make([]string, len(g.succ[i]))
	for k, j := range g.succ[i] {
		out[k] = g.Nodes[j].ID
	}
	return out
}

// Reachable returns the set of ids that can be reached from one, itself included, without passing through any of the
// blocked ones.
func (g *Graph) Reachable(from string, blocked ...string) map[string]bool {
	out := map[string]bool{}
	start, ok := g.at[from]
	if !ok {
		return out
	}
	var stop []int
	for _, id := range blocked {
		if i, ok := g.at[id]; ok {
			stop = append(stop, i)
		}
	}
	seen := g.closure(g.succ, []int{start}, stop)
	for i, s := range seen {
		if s {
			out[g.Nodes[i].ID] = true
		}
	}
	return out
}

func (g *Graph) closure(side [][]int, start, blocked []int) []bool {
	seen := make([]bool, len(g.Nodes))
	var todo []int
	visit := func(i int) {
		if !seen[i] && !slices.Contains(blocked, i) {
			seen[i] = true
			todo = append(todo, i)
		}
	}
	for _, i := range start {
		visit(i)
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range side[i] {
			visit(j)
		}
	}
	return seen
}

// ReachesExit tells for each node, by position in Nodes, whether some exit can be reached from it.
func (g *Graph) ReachesExit() []bool {
	var exits []int
	for i, n := range g.Nodes {
		if n.Type == Exit {
			exits = append(exits, i)
		}
	}
	return g.closure(g.pred, exits, nil)
}

// FromEntry tells for each node, by position in Nodes, whether the entry reaches it.
func (g *Graph) FromEntry() []bool {
	if i, ok := g.at[g.Entry]; ok {
		return g.closure(g.succ, []int{i}, nil)
	}
	return make([]bool, len(g.Nodes))
}

// IntentsOf returns the labels of the classifier branches from which an authorization of the tool can be reached
// without passing the classifier again, in the order of the branches. Without a classifier it is the empty label, if
// the tool has an authorization at all.
func (g *Graph) IntentsOf(tool string) []string {
	leads := g.leadsTo(tool)
	if !slices.Contains(leads, true) {
		return nil
	}
	if g.classifier < 0 {
		return []string{""}
	}
	var out []string
	for _, e := range g.Nodes[g.classifier].Edges {
		if i, ok := g.at[e.To]; ok && leads[i] {
			out = append(out, e.When)
		}
	}
	return out
}

// leadsTo tells for each node whether an authorization of the tool can be reached from it without passing the
// classifier.
func (g *Graph) leadsTo(tool string) []bool {
	var sites, blocked []int
	for i, n := range g.Nodes {
		if n.Type == Authorization && slices.Contains(n.Tools, tool) {
			sites = append(sites, i)
		}
	}
	if g.classifier >= 0 {
		blocked = []int{g.classifier}
	}
	return g.closure(g.pred, sites, blocked)
}

// Dominators returns for each node, by position in Nodes, the position of its immediate dominator: the last node
// through which every way from the entry must pass; -1 for the entry and for what it does not reach.
func (g *Graph) Dominators() []int {
	root, ok := g.at[g.Entry]
	if !ok {
		return none(len(g.Nodes))
	}
	return dominators(g.succ, root)
}

// PostDominators returns for each node, by position in Nodes, the position of its immediate post-dominator: the first
// node through which every way to an exit must pass; -1 if there is none short of the end.
func (g *Graph) PostDominators() []int {
	end := len(g.Nodes)
	back := make([][]int, end+1)
	copy(back, g.pred)
	for i, n := range g.Nodes {
		if n.Type == Exit || len(g.succ[i]) == 0 {
			back[end] = append(back[end], i)
		}
	}
	idom := dominators(back, end)[:end]
	for i, d := range idom {
		if d == end {
			idom[i] = -1
		}
	}
	return idom
}

func dominators(succ [][]int, root int) []int {
	d := simple.NewDirectedGraph()
	for i := range succ {
		d.AddNode(simple.Node(i))
	}
	for i, next := range succ {
		for _, j := range next {
			if i != j {
				d.SetEdge(simple.Edge{F: simple.Node(i), T: simple.Node(j)})
			}
		}
	}
	tree := flow.Dominators(simple.Node(root), d)
	out := none(len(succ))
	for i := range succ {
		if n := tree.DominatorOf(int64(i)); n != nil && i != root {
			out[i] = int(n.ID())
		}
	}
	return out
}

func none(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = -1
	}
	return out
}
