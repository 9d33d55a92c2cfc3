package guide

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
)

// Position is how far a request has come in the graph.
type Position struct {
	Request    string // id of the request
	Intent     string
	Node       string // where the walk rests
	Done       bool   // Node is an exit
	Walk       []Step // every node that was looked at, in order; the last one is Node
	Authorizes string // the mutating tool that is enabled by resting here, "" if none is
	// Missed is set by Authorize where the walk is done and the call is still not authorized: the step at which the
	// walk left the ways to the tool, or the authorization that the call was made under.
	Missed *Step
}

// Step is one node on the walk.
type Step struct {
	Node      string
	Satisfied bool
	Decided   bool   // by code; false where there was nothing to decide by
	Branch    string // label of the branch that was followed
	Note      string // why it is not satisfied, where there is more to say than that
}

// Unmet returns the step at which the walk rests. If the request is done it is the step that a proposed call missed,
// nil where none was proposed.
func (p *Position) Unmet() *Step {
	if p.Done || len(p.Walk) == 0 {
		return p.Missed
	}
	return &p.Walk[len(p.Walk)-1]
}

// Walk finds where a request stands: it follows the graph from its entry past every satisfied node and rests at the
// first that is not (docs/reference/guide.md#checks).
//
//   - A node is decided by its check, else by its event; a tool_call has the success of its tool as an event. A node
//     with neither counts as satisfied.
//   - The classifier follows the request's intent. Another decision follows its first branch whose check holds. If
//     none does, the branches without a check remain: a single one is followed; among several the one that authorizes
//     the proposed write, else the walk rests at the decision.
//   - An authorization is satisfied once its call has succeeded for this request, and, where the call is about another
//     kind of record than the request, the verifying node after it is too. Before that the walk rests there, and the
//     tool is enabled; for a proposed call only if it is of that tool and the node's check holds for it.
//
// Walk is a pure function of its arguments.
func (c *Checker) Walk(t *Trace, r Request) Position {
	w := &walker{scope: c.bind(t, &r), memo: map[int]*way{}}
	p := Position{Request: r.ID, Intent: r.Intent}
	start, ok := c.graph.at[c.graph.Entry]
	if !ok {
		return p
	}
	for way := w.from(start); way != nil; way = way.next {
		p.Walk = append(p.Walk, way.step)
		p.Node, p.Done, p.Authorizes = way.step.Node, way.done, way.authorizes
	}
	return p
}

// Authorize walks every request that a proposed write can stand for, and returns the first position that authorizes
// it, or else the one that came furthest in the order of the graph. A walk that came to an exit without the call says
// nothing of what is missing for it, so it is returned only where all of them did. Unmet of a position that does not
// authorize the call is always a step. ok is false where no node authorizes the tool at all.
func (c *Checker) Authorize(t *Trace, call domains.ToolCall, since int) (p Position, ok bool) {
	aside := false // p is done without the call
	for _, r := range c.Open(call, since) {
		q := c.Walk(t, r)
		if q.Authorizes == call.Name {
			return q, true
		}
		made := c.miss(&q, call.Name)
		past := q.Done && !made
		if !ok || aside && !past || aside == past && len(q.Walk) > len(p.Walk) {
			p, ok, aside = q, true, past
		}
	}
	return p, ok
}

// miss fills in what a done walk missed. It reports whether the walk went beyond an authorization of the tool: then the
// call counts as made.
func (c *Checker) miss(p *Position, tool string) bool {
	if !p.Done {
		return false
	}
	leads := c.graph.leadsTo(tool)
	for _, s := range p.Walk {
		i, ok := c.graph.at[s.Node]
		if !ok || !leads[i] {
			continue
		}
		p.Missed = &Step{Node: s.Node, Decided: s.Decided, Branch: s.Branch}
		if n := c.graph.Nodes[i]; n.Type == Authorization && n.Tool() == tool {
			p.Missed.Note = "the request counts as done already: " + tool + " has succeeded for it"
			return true
		}
	}
	if p.Missed != nil {
		p.Missed.Note = fmt.Sprintf("the branch %q does not lead to %s; the procedure ends at %s without it", p.Missed.Branch, tool, p.Node)
	}
	return false
}

// way is the rest of a walk from one node on.
type way struct {
	step       Step
	next       *way
	done       bool
	authorizes string
}

// end returns the last node of the walk.
func (w *way) end() *way {
	for w.next != nil {
		w = w.next
	}
	return w
}

type walker struct {
	*scope
	memo map[int]*way // by node; nil while the node is on the present way
}

func (w *walker) from(i int) *way {
	if known, ok := w.memo[i]; ok {
		if known == nil {
			return &way{step: Step{Node: w.graph.Nodes[i].ID, Decided: true, Note: "the way leads back here and nothing has changed"}}
		}
		return known
	}
	w.memo[i] = nil
	found := w.look(w.graph.Nodes[i])
	w.memo[i] = found
	return found
}

func (w *walker) look(n *Node) *way {
	here := &way{step: Step{Node: n.ID, Satisfied: true, Decided: true}}
	rest := func(note string) *way {
		here.step.Satisfied, here.step.Note = false, note
		return here
	}
	switch n.Type {
	case Exit:
		here.done = true
		return here
	case Entry:
	case Authorization:
		if !w.carriedOut(n) {
			return w.atAuthorization(n, here)
		}
	case Decision:
		return w.decide(n, here)
	default:
		v := w.judge(n)
		here.step.Decided = v.Decided
		if !v.Holds {
			return rest(v.Note)
		}
	}
	if len(n.Edges) == 0 {
		return rest("the node has no edge")
	}
	return w.follow(here, n.Edges[0])
}

func (w *walker) follow(here *way, e Edge) *way {
	i, ok := w.graph.at[e.To]
	if !ok {
		here.step.Satisfied, here.step.Note = false, fmt.Sprintf("the edge leads to %q, which does not exist", e.To)
		return here
	}
	here.next = w.from(i)
	return here
}

// carriedOut reports whether an authorization's call has succeeded for this request. Where the call is about another
// kind of record than the request, as a bill on the way to a line, code cannot tell which success is meant; then the
// node that verifies the call must agree.
func (w *walker) carriedOut(n *Node) bool {
	tool := n.Tool()
	if !w.succeeded(tool) {
		return false
	}
	kind := w.vocabulary.Targets[tool]
	proposed := w.req.Call != nil && w.req.Call.Name == tool
	if proposed || kind == "" || w.req.Target == "" || kind == w.targetKind(w.req) {
		return true
	}
	verify, ok := w.graph.Node(n.Next())
	return !ok || verify.Type != AgentAction || w.judge(verify).Holds
}

// atAuthorization is resting at an authorization whose call is still to come.
func (w *walker) atAuthorization(n *Node, here *way) *way {
	here.step.Satisfied = false
	if w.req.Call == nil {
		here.authorizes = n.Tool()
		return here
	}
	if w.req.Call.Name != n.Tool() {
		here.step.Note = fmt.Sprintf("%s is due here, not %s", n.Tool(), w.req.Call.Name)
		return here
	}
	v := Verdict{Holds: true}
	if n.Check != "" {
		v = w.eval(n.Check, n.Tool())
	}
	if v.Holds {
		here.authorizes = n.Tool()
		return here
	}
	here.step.Note = cmp.Or(v.Note, "the arguments of the call do not pass the node's check")
	return here
}

func (w *walker) decide(n *Node, here *way) *way {
	rest := func(note string) *way {
		here.step.Satisfied, here.step.Note = false, note
		return here
	}
	take := func(e Edge) *way {
		here.step.Branch = e.When
		return w.follow(here, e)
	}
	if n == w.graph.Classifier() {
		i := slices.IndexFunc(n.Edges, func(e Edge) bool { return e.When == w.req.Intent })
		switch {
		case i >= 0:
			return take(n.Edges[i])
		case w.req.Intent != "":
			return rest(fmt.Sprintf("there is no branch for %q", w.req.Intent))
		}
	}
	if n.Check != "" || n.Event != nil {
		if v := w.judge(n); !v.Holds {
			return rest(v.Note)
		}
	}
	var open []Edge
	note := "no branch's check holds"
	for _, e := range n.Edges {
		if e.Check == "" {
			open = append(open, e)
			continue
		}
		v := w.eval(e.Check, "")
		if v.Holds {
			return take(e)
		}
		if v.Note != "" {
			note += "; " + e.When + ": " + v.Note
		}
	}
	if len(open) == 1 {
		return take(open[0])
	}
	if len(open) > 1 {
		here.step.Decided = false
		note = "which branch to take is not for code to say"
		if e, ok := w.towards(open); ok {
			return take(e)
		}
	}
	return rest(note)
}

// towards picks among branches that code cannot decide the one on which the proposed write is authorized, or else the
// first from which its authorization can be reached, so that the walk names what is missing there.
func (w *walker) towards(open []Edge) (Edge, bool) {
	if w.req.Call == nil {
		return Edge{}, false
	}
	leads := w.graph.leadsTo(w.req.Call.Name)
	first := -1
	for k, e := range open {
		i, ok := w.graph.at[e.To]
		if !ok || !leads[i] {
			continue
		}
		if w.from(i).end().authorizes == w.req.Call.Name {
			return e, true
		}
		if first < 0 {
			first = k
		}
	}
	if first < 0 {
		return Edge{}, false
	}
	return open[first], true
}
