// Package compare measures how alike two workflows of one policy are in what they let an agent do, by other means than
// their words: which tools they authorize, which requirements they name, what must come before each change, and what they
// do with conversations that kept to the policy (docs/workflow-commands.md#comparing). No model is involved, except in Judge.
//
// The first workflow, A, is the one in question. The second, B, is the reference: what B asks for and A does not is a gap,
// the other way round it is a restriction.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

// Basis is what two workflows are compared on. Parts that are zero are not looked at.
type Basis struct {
	World   *domains.World // of their domain: says which tools mutate, and what checks mean
	Catalog *guide.Catalog
	Source  string // where the traces are from, for people
	Traces  []Trace
}

// Pair is a figure of A and of B.
type Pair[T any] struct {
	A T `json:"a"`
	B T `json:"b"`
}

func pair[T any](s Pair[*side], of func(*side) T) Pair[T] { return Pair[T]{of(s.A), of(s.B)} }

// Report is a comparison. What could not be measured is nil and named in Missing.
type Report struct {
	Name        Pair[string] `json:"name"`
	Types       []Count      `json:"types"` // nodes of each type
	Nodes       Pair[int]    `json:"nodes"` // of the composed graph
	Surface     Surface      `json:"write_surface"`
	Rows        []Count      `json:"requirements"` // rows of the catalog that nodes name, by class
	Before      Dominance    `json:"dominators"`
	Gold        *Gold        `json:"gold_writes"`
	Mutations   *Mutations   `json:"mutations"`
	Judged      *Judged      `json:"judge"` // nil unless Judge was asked
	Missing     []string     `json:"not_measured"`
	Differences []Difference `json:"differences"`
}

// Count is a number of things of a kind.
type Count struct {
	Kind string `json:"kind"`
	Of   int    `json:"of,omitempty"` // how many there could be; 0 if that is not known
	Pair[int]
}

// Difference is one thing in which the workflows differ, with the nodes of both that have to do with it.
type Difference struct {
	Measure string `json:"measure"`
	What    string `json:"what"`
	Pair[[]string]
}

// Surface is what workflows let an agent change.
type Surface struct {
	// Mutating is the domain's mutating tools; without a domain, those that either workflow authorizes.
	Mutating   []string       `json:"mutating"`
	Authorized Pair[[]string] `json:"authorized"` // tools with an authorization that the entry reaches
	Intents    Pair[[]Intent] `json:"intents"`
}

// Intent is a kind of request with the tools that it leads to.
type Intent struct {
	Label string   `json:"label"`
	Tools []string `json:"tools"`
}

// side is one of the two workflows.
type side struct {
	graph *guide.Graph
	check *guide.Checker // nil where it has no checks, or these mean nothing without a domain
	sites []*site
}

type comparison struct {
	Basis
	*Report
	side Pair[*side]
}

// Compare measures. The error is of a bundle that does not compose, or whose checks do not compile.
func Compare(a, b *guide.Bundle, names Pair[string], basis Basis) (*Report, error) {
	c := &comparison{Basis: basis, Report: &Report{Name: names, Missing: []string{}, Differences: []Difference{}}}
	var err error
	if c.side.A, err = open(a, basis.World); err != nil {
		return nil, fmt.Errorf("%s: %w", names.A, err)
	}
	if c.side.B, err = open(b, basis.World); err != nil {
		return nil, fmt.Errorf("%s: %w", names.B, err)
	}
	c.types()
	c.surface()
	c.requirements()
	c.dominance()
	if c.World == nil {
		c.lacks("gold writes, mutations", "the tools of the domain are not known")
		return c.Report, nil
	}
	if basis.Source == "" {
		c.lacks("gold writes, mutations", "there are no conversations that keep to the policy")
		return c.Report, nil
	}
	found := writes(c.Traces, c.World.Agent.Mutates)
	c.gold(found)
	c.mutations(found)
	return c.Report, nil
}

func open(b *guide.Bundle, w *domains.World) (*side, error) {
	g, err := guide.Compose(b)
	if err != nil {
		return nil, err
	}
	s := &side{graph: g, sites: sitesOf(g)}
	if w != nil && hasChecks(g) {
		s.check, err = audit.NewChecker(w, b)
	}
	return s, err
}

func hasChecks(g *guide.Graph) bool {
	return slices.ContainsFunc(g.Nodes, func(n *guide.Node) bool {
		return n.Check != "" || slices.ContainsFunc(n.Edges, func(e guide.Edge) bool { return e.Check != "" })
	})
}

func (c *comparison) lacks(measure, why string) {
	c.Missing = append(c.Missing, measure+": "+why)
}

func (c *comparison) differ(measure, what string, nodes Pair[[]string]) {
	c.Differences = append(c.Differences, Difference{measure, what, Pair[[]string]{unique(nodes.A), unique(nodes.B)}})
}

// tally collects what differs in many traces.
type tally struct {
	order []string
	found map[string]*seen
}

// seen is one thing that differs: how often, where first, and the nodes that have to do with it.
type seen struct {
	times int
	first string
	nodes Pair[[]string]
}

func (t *tally) add(what, trace string, nodes Pair[[]string]) {
	s, ok := t.found[what]
	if !ok {
		if t.found == nil {
			t.found = map[string]*seen{}
		}
		s = &seen{first: trace}
		t.found[what] = s
		t.order = append(t.order, what)
	}
	s.times++
	s.nodes.A, s.nodes.B = append(s.nodes.A, nodes.A...), append(s.nodes.B, nodes.B...)
}

func (c *comparison) tell(measure string, t tally) {
	for _, what := range t.order {
		s := t.found[what]
		c.differ(measure, fmt.Sprintf("%s (%d, first in %s)", what, s.times, s.first), s.nodes)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// which names A if a holds, else B.
func which(a bool) string {
	if a {
		return "A"
	}
	return "B"
}

// unique keeps the first of equal names; the result is never nil.
func unique(names []string) []string {
	out := []string{}
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// types counts nodes. Where one workflow has more of a type, the nodes are named whose ids the other does not have.
func (c *comparison) types() {
	c.Nodes = pair(c.side, func(s *side) int { return len(s.graph.Nodes) })
	for _, t := range guide.Types() {
		ids := pair(c.side, func(s *side) (out []string) {
			for _, node := range s.graph.Nodes {
				if node.Type == t {
					out = append(out, node.ID)
				}
			}
			return out
		})
		n := Pair[int]{len(ids.A), len(ids.B)}
		if n.A+n.B > 0 { // the composed graph has no anchors
			c.Types = append(c.Types, Count{Kind: string(t), Pair: n})
		}
		if n.A != n.B {
			c.differ("nodes", fmt.Sprintf("%d and %d of type %s", n.A, n.B, t), Pair[[]string]{without(ids.A, ids.B), without(ids.B, ids.A)})
		}
	}
}

func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

func (c *comparison) surface() {
	s := &c.Surface
	s.Authorized = pair(c.side, (*side).tools)
	s.Intents = pair(c.side, (*side).intents)
	s.Mutating = unique(slices.Concat(s.Authorized.A, s.Authorized.B))
	slices.Sort(s.Mutating)
	if c.World != nil {
		s.Mutating = []string{}
		for _, t := range c.World.Agent.Specs() {
			if c.World.Agent.Mutates(t.Name) {
				s.Mutating = append(s.Mutating, t.Name)
			}
		}
	}
	for _, tool := range unique(slices.Concat(s.Authorized.A, s.Authorized.B)) {
		nodes := pair(c.side, func(s *side) []string { return s.authorizing(tool) })
		if len(nodes.A) == 0 || len(nodes.B) == 0 {
			c.differ("write surface", fmt.Sprintf("only %s authorizes %s", onlyIn(nodes), tool), nodes)
		}
	}
	var labels []string
	for _, in := range slices.Concat(s.Intents.A, s.Intents.B) {
		labels = append(labels, in.Label)
	}
	for _, label := range unique(labels) {
		c.intent(label)
	}
}

// onlyIn names the workflow that alone has nodes.
func onlyIn(nodes Pair[[]string]) string { return which(len(nodes.A) > 0) }

// intent tells of a label that one workflow lacks, or that leads to other tools there.
func (c *comparison) intent(label string) {
	leads := pair(c.side, func(s *side) []string { return s.target(label) })
	tools := pair(c.side, func(s *side) []string { return s.toolsOf(label) })
	switch {
	case len(leads.A) == 0 || len(leads.B) == 0:
		c.differ("intents", fmt.Sprintf("only %s has the intent %s", onlyIn(leads), label), leads)
	case !slices.Equal(tools.A, tools.B):
		c.differ("intents", fmt.Sprintf("the intent %s leads to %s in A, to %s in B", label, list(tools.A), list(tools.B)), leads)
	}
}

func (c *comparison) requirements() {
	if c.Catalog == nil {
		c.lacks("requirements", "there is no catalog of the domain")
		return
	}
	by := pair(c.side, func(s *side) map[string][]string { return s.graph.Enforcers() })
	counts := map[guide.Class]*Count{}
	for _, class := range []guide.Class{guide.ArgumentLevel, guide.ProcessLevel, guide.WorkflowLevel} {
		counts[class] = &Count{Kind: string(class)}
	}
	for _, s := range []struct {
		name string
		by   map[string][]string
	}{{"A", by.A}, {"B", by.B}} {
		if len(s.by) == 0 {
			c.lacks("requirements in "+s.name, "no node names a row of the catalog")
		}
	}
	for _, r := range c.Catalog.Rows {
		n := counts[r.Class]
		n.Of++
		n.A += min(1, len(by.A[r.ID]))
		n.B += min(1, len(by.B[r.ID]))
		nodes := Pair[[]string]{by.A[r.ID], by.B[r.ID]}
		if (len(nodes.A) == 0) != (len(nodes.B) == 0) && len(by.A) > 0 && len(by.B) > 0 {
			c.differ("requirements", fmt.Sprintf("only %s has nodes that name row %s (%s)", onlyIn(nodes), r.ID, r.Text), nodes)
		}
	}
	for _, n := range counts {
		if n.Of > 0 {
			c.Rows = append(c.Rows, *n)
		}
	}
	slices.SortFunc(c.Rows, func(x, y Count) int { return cmp.Compare(x.Kind, y.Kind) })
}
