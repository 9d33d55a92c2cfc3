package transcript

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// Walks is how a guide led through a workflow: each request of the conversation, and where it was after each event.
type Walks struct {
	Requests []Tracked
	Moments  []Moment
	Policy   []Sentence // that the nodes of the requests enforce
}

// Tracked is one request of a conversation with the nodes that it came to, in the order in which it did.
type Tracked struct {
	ID, Text, Intent string
	Nodes            []Node
}

// Moment is an event of a guide, with where every request is after it.
type Moment struct {
	Event   Event
	Firing  int // counted from 1; 0 for an event that is none
	Places  []Place
	Remarks []string // what was not taken as the verifier said it, or what the gate stopped
	Like    int      // the moment that is the same as this one and all in between, but for its event; -1 for none
}

// Place is where a request is.
type Place struct {
	Request int // among those of the conversation
	At      verify.Request
	Walk    []verify.Visit // the verifier's in this firing; nil if it did not traverse the request
	Refused []string       // nodes whose tool was called before it was due, or that a walk could not come to
}

// NodeState is what a node is to a request.
type NodeState string

// The states. A node that was looked at and not found satisfied is unmet; one that nobody came to has none.
const (
	Satisfied NodeState = "satisfied"
	Refused   NodeState = "refused"
	Unmet     NodeState = "unmet"
)

// states are the states of all nodes that the place says anything of.
func (p Place) states() map[string]NodeState {
	out := map[string]NodeState{}
	for _, v := range p.Walk {
		out[v.Node] = Unmet
	}
	out[p.At.Node] = Unmet
	if p.At.Status == verify.Done {
		out[p.At.Node] = Satisfied
	}
	for _, id := range p.At.Passed {
		out[id] = Satisfied
	}
	for _, id := range p.Refused {
		out[id] = Refused
	}
	delete(out, "")
	return out
}

// Node is a node that a request came to.
type Node struct {
	ID      string
	Of      *guide.Node // nil if the workflow is not at hand, or has no such node
	State   NodeState   // at the end
	Current bool        // the request rests here at the end
	Settled int         // number of the event since which it is in this state
	Visits  []Visit
	Policy  []int        // places in Walks.Policy
	Made    []Made       // calls that it authorized, with success
	Facts   []guide.Fact // what code makes of the parts of its check at the latest visit; see Conversation.Explain

	latest int // the moment of that visit
}

// Visit is a look at a node, or several in a row that came out the same way.
type Visit struct {
	First, Last int // among the visits of the node, counted from 1
	Event       Event
	Satisfied   bool
	Why         string
}

// Made is a call that was made.
type Made struct {
	Message int
	Call    Call
	Wrote   *Write // what it changed; nil if that is not known
}

// tracker follows the requests of a conversation.
type tracker struct {
	trial   Trial
	graph   *guide.Graph // nil if it is not at hand
	out     Walks
	at      []map[string]int // places of the nodes, by request
	refused [][]string       // nodes by request
	waiting []string         // tools that were refused and belong to no request yet
	state   verify.State
	said    string // of the latest moment, what tells it from others
}

// walksOf follows the guide's events.
func walksOf(t Trial, steps []Step) Walks {
	w := &tracker{trial: t}
	if t.Guides != nil {
		w.graph = t.Guides.Graph
	}
	for _, s := range steps {
		for _, e := range s.Events {
			w.event(e, t.Record.Events[e.Number])
		}
	}
	for i := range w.out.Requests {
		q := &w.out.Requests[i]
		for k := range q.Nodes {
			w.complete(i, k)
		}
	}
	return w.out
}

func (w *tracker) event(e Event, recorded sim.Event) {
	m := Moment{Event: e, Like: -1}
	var f firing
	var i interception
	switch {
	case e.Kind == agents.EventFiring && decode(recorded.Data, &f):
		m.Remarks = f.remarks()
	case (e.Kind == agents.EventIntercept || e.Kind == agents.EventBlock) && decode(recorded.Data, &i) && i.Mode != policyGuardMode:
		m.Remarks = e.Findings
		for _, r := range i.Refusals {
			w.waiting = append(w.waiting, r.Tool)
		}
	case e.Kind == agents.EventFailOpen && decode(recorded.Data, &f) && f.After.Firings > 0:
	default:
		return
	}
	if f.After.Firings > 0 {
		w.state, m.Firing = f.After, f.After.Firings
	}
	for _, q := range w.state.Requests {
		m.Places = append(m.Places, Place{Request: w.request(q), At: q})
	}
	for _, t := range f.Record.Traverse {
		if k := slices.IndexFunc(m.Places, func(p Place) bool { return p.At.ID == t.ID }); k >= 0 {
			m.Places[k].Walk = t.Walk
		}
	}
	w.refuse(m.Places, f.Rejected)
	for k := range m.Places {
		w.visit(&m.Places[k], e)
	}
	w.append(m)
}

// append adds a moment, and finds out whether anything has changed.
func (w *tracker) append(m Moment) {
	compared := slices.Clone(m.Places)
	for k := range compared {
		compared[k].At.Same = 0
	}
	said, err := json.Marshal([]any{compared, m.Remarks})
	if n := len(w.out.Moments); n > 0 && err == nil && string(said) == w.said && len(m.Remarks) == 0 {
		if m.Like = w.out.Moments[n-1].Like; m.Like < 0 {
			m.Like = n - 1
		}
	}
	w.said = string(said)
	w.out.Moments = append(w.out.Moments, m)
}

// request finds a request of the state among those of the conversation.
func (w *tracker) request(q verify.Request) int {
	i := slices.IndexFunc(w.out.Requests, func(t Tracked) bool { return t.ID == q.ID })
	if i < 0 {
		i = len(w.out.Requests)
		w.out.Requests, w.refused, w.at = append(w.out.Requests, Tracked{ID: q.ID}), append(w.refused, nil), append(w.at, map[string]int{})
	}
	t := &w.out.Requests[i]
	t.Text, t.Intent = cmp.Or(q.Request, t.Text), cmp.Or(q.Intent, t.Intent)
	return i
}

// refuse notes at which nodes requests were refused: those whose tool was called although the way there was not gone yet,
// and those to which the verifier's walk could not come. A node that is passed is refused no more.
func (w *tracker) refuse(places []Place, rejected []verify.Rejection) {
	note := func(p Place, node string) {
		if !slices.Contains(w.refused[p.Request], node) {
			w.refused[p.Request] = append(w.refused[p.Request], node)
		}
	}
	for _, r := range rejected {
		for _, p := range places {
			if p.At.ID == r.Request && r.Node != "" {
				note(p, r.Node)
			}
		}
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(tool string) bool {
		found := false
		for _, p := range places {
			for _, node := range w.ahead(p, tool) {
				note(p, node)
				found = true
			}
		}
		return found
	})
	for k, p := range places {
		w.refused[p.Request] = slices.DeleteFunc(w.refused[p.Request], func(node string) bool { return slices.Contains(p.At.Passed, node) })
		places[k].Refused = slices.Clone(w.refused[p.Request])
	}
}

// ahead are the nodes for a tool that lie before an open request, short of the next classification.
func (w *tracker) ahead(p Place, tool string) (out []string) {
	if w.graph == nil || p.At.Status != verify.Open {
		return nil
	}
	var blocked []string
	if c := w.graph.Classifier(); c != nil {
		blocked = []string{c.ID}
	}
	within := w.graph.Reachable(p.At.Node, blocked...)
	for _, n := range w.graph.Nodes {
		if within[n.ID] && (n.Type == guide.Authorization || tool == verify.TransferTool) && slices.Contains(n.Tools, tool) {
			out = append(out, n.ID)
		}
	}
	return out
}

// visit takes a moment's visits and states into the nodes of the request.
func (w *tracker) visit(p *Place, e Event) {
	look := func(v verify.Visit) {
		n := w.node(p.Request, v.Node)
		n.latest = len(w.out.Moments)
		if k := len(n.Visits); k > 0 {
			last := &n.Visits[k-1]
			if last.Satisfied == v.Satisfied && last.Why == v.Reasoning {
				last.Last++
				return
			}
			n.Visits = append(n.Visits, Visit{last.Last + 1, last.Last + 1, e, v.Satisfied, v.Reasoning})
			return
		}
		n.Visits = []Visit{{1, 1, e, v.Satisfied, v.Reasoning}}
	}
	for _, v := range p.Walk {
		look(v)
	}
	for _, id := range append(append(slices.Clone(p.At.Passed), p.Refused...), p.At.Node) {
		if id != "" {
			w.node(p.Request, id)
		}
	}
	states, nodes := p.states(), w.out.Requests[p.Request].Nodes
	for k := range nodes {
		n := &nodes[k]
		if current := p.At.Node == n.ID; states[n.ID] != n.State || current != n.Current || n.Settled < 0 {
			n.State, n.Current, n.Settled = states[n.ID], current, e.Number
		}
	}
}

// node is a node of a request, added if it is new.
func (w *tracker) node(request int, id string) *Node {
	q := &w.out.Requests[request]
	i, known := w.at[request][id]
	if !known {
		i = len(q.Nodes)
		n := Node{ID: id, Settled: -1}
		if w.graph != nil {
			n.Of, _ = w.graph.Node(id)
		}
		q.Nodes, w.at[request][id] = append(q.Nodes, n), i
	}
	return &q.Nodes[i]
}

// complete adds what else is known of a node at the end.
func (w *tracker) complete(request, at int) {
	n := &w.out.Requests[request].Nodes[at]
	if n.Of == nil {
		return
	}
	for _, ref := range n.Of.Policy {
		k := slices.IndexFunc(w.out.Policy, func(s Sentence) bool { return s.Ref == ref })
		if k < 0 {
			k = len(w.out.Policy)
			w.out.Policy = append(w.out.Policy, w.trial.Guides.sentence(ref))
		}
		n.Policy = append(n.Policy, k)
	}
	if n.Of.Type == guide.Authorization && n.State == Satisfied {
		n.Made = w.made(request, n.Of.Tool())
	}
	for _, k := range n.Policy {
		s := &w.out.Policy[k]
		s.Nodes = append(s.Nodes, Enforcer{*n, request, at})
	}
}

// made are the calls of a tool that succeeded for a request, by the values that it was authorized with.
func (w *tracker) made(request int, tool string) (out []Made) {
	var grant verify.Grant
	since := 0
	for _, m := range w.out.Moments {
		for _, p := range m.Places {
			if p.Request == request {
				grant, since = verify.Grant{Tool: tool, Values: p.At.Grounded.Map()}, p.At.Since
			}
		}
	}
	failed := map[string]bool{}
	for _, m := range w.trial.Record.Messages {
		if m.Role == domains.RoleTool && m.Error {
			failed[m.ID] = true
		}
	}
	for i, m := range w.trial.Record.Messages {
		for _, c := range m.ToolCalls {
			if m.Role == domains.RoleAssistant && i >= since && grant.Covers(c) && !failed[c.ID] {
				out = append(out, Made{Message: i, Call: callOf(c, "")})
			}
		}
	}
	return out
}
