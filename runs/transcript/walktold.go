package transcript

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
)

// Mark is a sign that tells a state without colours.
func (s NodeState) Mark() string {
	return map[NodeState]string{Satisfied: "✓", Refused: "✗", Unmet: "○"}[s]
}

// States are the states of all nodes of a place's request in their order, a letter each: the first of the state or a dash,
// in upper case where the request rests.
func (w Walks) States(p Place) string {
	var b strings.Builder
	states := p.states()
	for _, n := range w.Requests[p.Request].Nodes {
		letter := (string(states[n.ID]) + "-")[:1]
		if p.At.Node == n.ID {
			letter = strings.ToUpper(letter)
		}
		b.WriteString(letter)
	}
	return b.String()
}

// mostListed is how many nodes of a walk, or of a request, are listed on a page: more are in the record.
const mostListed = 200

// Way is the way of a place's walk: the places of its nodes among those of the request.
func (w Walks) Way(p Place) string {
	at := map[string]int{}
	for i, n := range w.Requests[p.Request].Nodes {
		at[n.ID] = i
	}
	var way []string
	for _, v := range p.Walk[:min(len(p.Walk), mostListed)] {
		way = append(way, strconv.Itoa(at[v.Node]))
	}
	return strings.Join(way, " ")
}

// Reasoned are the nodes of the walk of which the verifier, or code, says why.
func (p Place) Reasoned() []verify.Visit {
	return slices.DeleteFunc(slices.Clone(p.Walk[:min(len(p.Walk), mostListed)]), func(v verify.Visit) bool { return v.Reasoning == "" })
}

// Times is how often the node was looked at.
func (n Node) Times() int {
	if len(n.Visits) == 0 {
		return 0
	}
	return n.Visits[len(n.Visits)-1].Last
}

// Told are the visits if there is more to say of them than how many there were.
func (n Node) Told() []Visit {
	if len(n.Visits) == 1 && n.Visits[0].Why == "" {
		return nil
	}
	return n.Visits
}

// Listed are the nodes of a request that a page lists.
func (q Tracked) Listed() []Node { return q.Nodes[:min(len(q.Nodes), mostListed)] }

// Visited is a node with what each of the listed requests that came to it made of it.
type Visited struct {
	ID     string
	Of     *guide.Node // nil if it is not at hand
	Policy []Reference
	Seen   []Enforcer
}

// Reference is a sentence of the policy by its place in Walks.Policy.
type Reference struct {
	At  int
	Ref string
}

// Nodes are the nodes of all listed requests, each once, in the order in which requests came to them.
func (w Walks) Nodes() (out []Visited) {
	at := map[string]int{}
	for r, q := range w.Listed() {
		for k, n := range q.Listed() {
			i, known := at[n.ID]
			if !known {
				i = len(out)
				v := Visited{ID: n.ID, Of: n.Of}
				for _, p := range n.Policy {
					v.Policy = append(v.Policy, Reference{p, w.Policy[p].Ref})
				}
				at[n.ID], out = i, append(out, v)
			}
			out[i].Seen = append(out[i].Seen, Enforcer{n, r, k})
		}
	}
	return out
}

// More is how many nodes a request has beyond those.
func (q Tracked) More() int { return len(q.Nodes) - len(q.Listed()) }

// Keep leaves of walks and rulings those of a stretch of the conversation, and what was true when it began: for a page with
// that stretch alone.
func (c *Conversation) Keep(stretch []Step) {
	if len(stretch) == 0 {
		return
	}
	first, last := stretch[0].first(), stretch[len(stretch)-1].last()
	c.Rulings, _ = within(c.Rulings, first, last, func(r Ruling) int { return r.Pos })
	var from int
	c.Walks.Moments, from = within(c.Walks.Moments, first, last, func(m Moment) int { return m.Event.Pos })
	out := c.Walks.Moments
	at := map[int]int{} // places on the page, by the moment that is told in full
	for i := range out {
		told := from + i
		if out[i].Like >= 0 {
			told = out[i].Like
		}
		if k, ok := at[told]; ok {
			out[i].Like = k
		} else {
			at[told], out[i].Like = i, -1
		}
	}
}

// Lines tell the walks in lines: each request with its nodes, and where each firing left it.
func (w Walks) Lines() (out []string) {
	add := func(format string, args ...any) {
		out = append(out, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	for i, q := range w.Requests {
		add("request %s %s", q.ID, parenthesized(q.Text))
		for _, n := range q.Nodes {
			rests := ""
			if n.Current {
				rests = ", rests here"
			}
			visits := ""
			if k := len(n.Visits); k > 0 {
				visits = fmt.Sprintf(", %d visit(s)", n.Visits[k-1].Last)
				if why := n.Visits[k-1].Why; why != "" && !n.Visits[k-1].Satisfied {
					visits += ": " + oneLine(why)
				}
			}
			add("  %s %s %s since event %d%s%s", n.State.Mark(), n.ID, n.State, n.Settled, rests, visits)
		}
		for _, m := range w.Moments {
			for _, p := range m.Places {
				if p.Request == i && p.Walk != nil {
					add("  firing %d before message %d: %s", m.Firing, m.Event.At, walked(p.Walk))
				}
			}
		}
	}
	for _, m := range w.Moments {
		for _, r := range m.Remarks {
			add("before message %d: %s", m.Event.At, r)
		}
	}
	return out
}

func parenthesized(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// first and last are the positions with which a step begins and ends.
func (s Step) first() int {
	if len(s.Events) > 0 {
		return s.Events[0].Pos
	}
	return s.Message.Pos
}

func (s Step) last() int {
	if s.Message != nil {
		return s.Message.Pos
	}
	return s.Events[len(s.Events)-1].Pos
}

// within are those of a list, which is in order of positions, that lie in a stretch, and the one before; from is the first.
func within[T any](list []T, first, last int, pos func(T) int) (out []T, from int) {
	after := func(p int) int { return sort.Search(len(list), func(i int) bool { return pos(list[i]) > p }) }
	from = max(0, after(first)-1)
	return slices.Clone(list[min(from, after(last)):after(last)]), from
}

// Told are the places of a moment that a page tells: of requests beyond those that are drawn only where they were walked.
func (m Moment) Told() []Place {
	return slices.DeleteFunc(slices.Clone(m.Places), func(p Place) bool { return p.Request >= mostPictures && p.Walk == nil })
}

// Listed are the requests whose nodes a page lists: a verifier that gives requests new names at every firing has many.
func (w Walks) Listed() []Tracked { return w.Requests[:min(len(w.Requests), 2*mostPictures)] }

// Known is what the verifier knows of the request: the branch, the record that it is about and those that it is not, the plan,
// and each value with where it comes from.
func (p Place) Known() (out []Argument) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, Argument{name, value})
		}
	}
	add("intent", p.At.Intent)
	add("target", p.At.Selection.Target)
	add("ruled out", strings.Join(p.At.Selection.RuledOut, ", "))
	add("plan", p.At.Plan)
	for _, v := range p.At.Grounded {
		source := ""
		if v.Source != "" {
			source = ", from " + v.Source
		}
		add(v.Arg, spaced(v.Value)+source)
	}
	return out
}
