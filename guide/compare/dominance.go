package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/guide"
)

// Dominance is what must come before each authorization, independent of names and words: the read tools, and how often
// the user must have said something, that every way from the entry to it passes.
type Dominance struct {
	// Precision is the part of what A asks for that B asks for too, Recall the part of what B asks for that A does; 1
	// where nothing is asked for.
	Precision float64      `json:"precision"`
	Recall    float64      `json:"recall"`
	Matches   []Dominators `json:"authorizations"`
}

// Dominators is an authorization of A with the one of B that is most like it; one of the two is nil where the other
// workflow authorizes the tool in fewer places.
type Dominators struct {
	Tool string `json:"tool"`
	Pair[*site]
}

// site is a place at which a mutating tool is due.
type site struct {
	Node    string   `json:"node"`
	Intents []string `json:"intents"` // that lead there
	// Before is what every way to it passes: the reads by their tools, then the first time that the user answers and
	// confirms, sorted; and then each further time, numbered, for nothing but words tells these apart.
	Before []string `json:"before"`

	tool  string
	nodes map[string][]string // by member of Before, its number left off
}

// What a user says is one of these. A confirmation comes after everything that is read, so it can be about that.
const (
	answer       = "an answer of the user"
	confirmation = "a confirmation by the user"
)

// sitesOf finds the authorizations that the entry reaches. A call that is needed only sometimes is no condition.
func sitesOf(g *guide.Graph) []*site {
	idom, reached := g.Dominators(), g.FromEntry()
	var out []*site
	for i, n := range g.Nodes {
		if n.Type != guide.Authorization || !reached[i] {
			continue
		}
		s := &site{Node: n.ID, Intents: leading(g, n.ID), tool: n.Tool(), nodes: map[string][]string{}}
		read := false
		for j := idom[i]; j >= 0; j = idom[j] {
			switch m := g.Nodes[j]; {
			case m.Type == guide.ToolCall && m.OnlyIf == "":
				read = true
				tools := strings.Join(slices.Sorted(slices.Values(m.Tools)), " or ")
				s.nodes[tools] = append(s.nodes[tools], m.ID)
			case m.Type == guide.UserInput:
				kind := confirmation
				if read {
					kind = answer
				}
				s.nodes[kind] = append(s.nodes[kind], m.ID)
			}
		}
		s.Before = sortedKeys(s.nodes)
		for _, kind := range []string{answer, confirmation} {
			for n := 2; n <= len(s.nodes[kind]); n++ {
				s.Before = append(s.Before, fmt.Sprintf("%s (%d)", kind, n))
			}
		}
		out = append(out, s)
	}
	return out
}

// leading lists the classifier's branches from which a node can be reached without passing it again.
func leading(g *guide.Graph, id string) []string {
	out := []string{}
	if c := g.Classifier(); c != nil {
		for _, e := range c.Edges {
			if g.Reachable(e.To, c.ID)[id] {
				out = append(out, e.When)
			}
		}
	}
	return out
}

// dominance matches the authorizations of each tool, those of equal intents first and then the most alike, and counts what
// stands before them.
func (c *comparison) dominance() {
	a, b := slices.Clone(c.side.A.sites), slices.Clone(c.side.B.sites)
	d := &c.Before
	d.Matches = []Dominators{}
	for {
		var best Pair[*site]
		most := [2]float64{-1, -1}
		for _, x := range a {
			for _, y := range b {
				like := [2]float64{jaccard(x.Intents, y.Intents), jaccard(x.Before, y.Before)}
				if x.tool == y.tool && slices.Compare(like[:], most[:]) > 0 {
					best, most = Pair[*site]{x, y}, like
				}
			}
		}
		if best.A == nil {
			break
		}
		d.Matches = append(d.Matches, Dominators{best.A.tool, best})
		a = slices.DeleteFunc(a, func(s *site) bool { return s == best.A })
		b = slices.DeleteFunc(b, func(s *site) bool { return s == best.B })
	}
	for _, s := range a {
		d.Matches = append(d.Matches, Dominators{s.tool, Pair[*site]{A: s}})
	}
	for _, s := range b {
		d.Matches = append(d.Matches, Dominators{s.tool, Pair[*site]{B: s}})
	}
	slices.SortStableFunc(d.Matches, func(x, y Dominators) int { return strings.Compare(x.Tool, y.Tool) })
	var both, inA, inB int
	for _, m := range d.Matches {
		shared := common(m.A.before(), m.B.before())
		both, inA, inB = both+shared, inA+len(m.A.before()), inB+len(m.B.before())
		c.tellOf(m)
	}
	d.Precision, d.Recall = share(both, inA), share(both, inB)
}

// tellOf adds a difference for each thing that only one of two authorizations asks for, or one for a place that the other
// workflow does not have although it authorizes the tool.
func (c *comparison) tellOf(m Dominators) {
	if m.A == nil || m.B == nil {
		at := Pair[[]string]{m.A.all(), m.B.all()}
		if s := c.Surface.Authorized; !slices.Contains(s.A, m.Tool) || !slices.Contains(s.B, m.Tool) {
			return // the write surface says so
		}
		c.differ("dominators", fmt.Sprintf("only %s has this place for %s", onlyIn(at), m.Tool), at)
		return
	}
	for _, name := range unique(slices.Concat(m.A.Before, m.B.Before)) {
		inA, inB := slices.Contains(m.A.Before, name), slices.Contains(m.B.Before, name)
		if inA && inB {
			continue
		}
		kind, _, _ := strings.Cut(name, " (")
		c.differ("dominators", fmt.Sprintf("only %s asks for %s before %s", which(inA), name, m.Tool),
			Pair[[]string]{append([]string{m.A.Node}, m.A.nodes[kind]...), append([]string{m.B.Node}, m.B.nodes[kind]...)})
	}
}

func (s *site) before() []string {
	if s == nil {
		return nil
	}
	return s.Before
}

// all is the authorization itself and then what stands before it.
func (s *site) all() []string {
	if s == nil {
		return nil
	}
	out := []string{s.Node}
	for _, kind := range sortedKeys(s.nodes) {
		out = append(out, s.nodes[kind]...)
	}
	return out
}

func common(a, b []string) (n int) {
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// jaccard is the common part of two sets, 1 if both are empty.
func jaccard(a, b []string) float64 {
	n := common(a, b)
	return share(n, len(a)+len(b)-n)
}

// share is 1 where there is nothing to have a part of.
func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}
