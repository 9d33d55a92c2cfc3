package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// TransferTool passes the user on to a person, by the same name in every domain.
const TransferTool = "transfer_to_human_agents"

// State is what code knows of a conversation. It is a plain value: Apply makes a new one and leaves the old alone.
type State struct {
	Requests []Request `json:"requests"` // in the order in which they came up; settled ones stay
	Transfer bool      `json:"transfer"` // nothing that is open can be advanced: the transfer tool is enabled, and stays so
	Summary  string    `json:"summary,omitempty"`
	Firings  int       `json:"firings"`
	Held     int       `json:"transfers_held,omitempty"` // transfers that were intercepted so far
}

// Request is one thing that the user wants, and where it is in the workflow.
type Request struct {
	ID          string    `json:"id"`
	Request     string    `json:"request,omitempty"`
	Intent      string    `json:"intent,omitempty"`
	Node        string    `json:"node,omitempty"` // "" without a graph
	Status      Status    `json:"status"`
	Authorize   string    `json:"authorize_tool,omitempty"`
	Selection   Selection `json:"selection,omitzero"`
	Grounded    Grounded  `json:"grounded_values,omitempty"`
	Remediation string    `json:"remediation,omitempty"`
	Plan        string    `json:"plan,omitempty"`
	Since       int       `json:"since"`            // index of the message from which on calls count for it
	Passed      []string  `json:"passed,omitempty"` // nodes that were found satisfied
	Same        int       `json:"same,omitempty"`   // firings in a row with this node and remediation
}

// WalkCheck says how much of a walk must be right.
type WalkCheck string

// The walk checks: Exists asks only that nodes exist, as the paper does; Path also that each is reachable from the one
// before.
const (
	Exists WalkCheck = "exists"
	Path   WalkCheck = "path"
)

// Rules decide what of a record is taken over.
type Rules struct {
	Graph   *guide.Graph // nil where the raw policy takes its place: requests then have no node
	Mutates func(tool string) bool
	Walk    WalkCheck
	Strict  bool // an authorization must be this node's tool
	Stall   int  // firings in a row without progress before transfer is set; 0 never
}

// Facts is what Apply must know of the conversation.
type Facts struct {
	Since     int                               // index from which on calls count for requests that come up now
	Succeeded func(tool string, since int) bool // the agent's call of the tool succeeded at that index or later
	Spent     func(g Grant, since int) bool     // a call that the grant covers did; nil where grants are not spent
}

// Rejection is something in a record that was not taken over.
type Rejection struct {
	Request string `json:"request,omitempty"`
	Node    string `json:"node,omitempty"`
	Why     string `json:"why"`
	Gap     bool   `json:"gap,omitempty"` // a walk cannot be followed from here on
}

func (r Rejection) String() string {
	if r.Request == "" {
		return r.Why
	}
	return r.Request + ": " + r.Why
}

// Apply takes over what holds of a record (docs/reference/guide.md#state) and says what did not. The record is
// one that was parsed; on a failed firing the state stays what it is, see Disarmed.
func (r Rules) Apply(s State, rec Record, now Facts) (State, []Rejection) {
	a := applying{rules: r, now: now, record: rec}
	next := State{Transfer: s.Transfer || rec.Transfer, Summary: rec.Summary, Firings: s.Firings + 1, Held: s.Held}
	roster := a.roster()
	// Settled requests stay; open ones stay if the roster still has them.
	for _, old := range s.Requests {
		entry, listed := find(roster, old.ID)
		switch {
		case old.Status == Done:
			next.Requests = append(next.Requests, old)
		case listed:
			next.Requests = append(next.Requests, a.advance(old, entry, passedBefore(s, r.Graph), false))
		}
	}
	for _, entry := range roster {
		if !slices.ContainsFunc(s.Requests, func(old Request) bool { return old.ID == entry.ID }) {
			fresh := Request{ID: entry.ID, Status: Open, Since: now.Since}
			if r.Graph != nil {
				fresh.Node = r.Graph.Entry
			}
			next.Requests = append(next.Requests, a.advance(fresh, entry, passedBefore(s, r.Graph), true))
		}
	}
	next.Requests = a.merge(next.Requests)
	next.Transfer = next.Transfer || slices.ContainsFunc(next.Requests, r.transfers)
	return next, a.rejected
}

// Gaps says where a record's walks cannot be followed, for the verifier to hear; nil where they can.
func (r Rules) Gaps(s State, rec Record, now Facts) error {
	var list []string
	_, rejected := r.Apply(s, rec, now)
	for _, x := range rejected {
		if x.Gap {
			list = append(list, x.String())
		}
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("these walks have gaps: %s; name each node that was judged, in order", strings.Join(list, "; "))
}

// Disarmed is the state after a firing that failed: nothing is lost, nothing is authorized.
func (s State) Disarmed() State {
	s.Requests = slices.Clone(s.Requests)
	for i := range s.Requests {
		s.Requests[i].Authorize = ""
	}
	s.Firings++
	return s
}

type applying struct {
	rules    Rules
	now      Facts
	record   Record
	rejected []Rejection
}

func (a *applying) reject(request, node, format string, args ...any) {
	a.rejected = append(a.rejected, Rejection{Request: request, Node: node, Why: fmt.Sprintf(format, args...)})
}

func (a *applying) gap(request, node, format string, args ...any) {
	a.rejected = append(a.rejected, Rejection{request, node, fmt.Sprintf(format, args...), true})
}

// roster is the record's list of requests, each id once. A record that traverses requests and lists none means those.
func (a *applying) roster() []Intent {
	list := a.record.Reconcile.Intents
	if len(list) == 0 {
		for _, t := range a.record.Traverse {
			list = append(list, Intent{ID: t.ID})
		}
	}
	var out []Intent
	for _, e := range list {
		if _, twice := find(out, e.ID); !twice && e.ID != "" {
			out = append(out, e)
		}
	}
	for _, t := range a.record.Traverse {
		if _, ok := find(out, t.ID); !ok {
			a.reject(t.ID, t.Node, "it is traversed but not on the roster")
		}
	}
	return out
}

func find(list []Intent, id string) (Intent, bool) {
	for _, e := range list {
		if e.ID == id {
			return e, true
		}
	}
	return Intent{}, false
}

// advance takes over what the record says of one request. From a walk that cannot be, nothing is authorized; one with a
// gap is no sign that the conversation stands still.
func (a *applying) advance(q Request, entry Intent, passedBefore []string, fresh bool) Request {
	was := q
	q.Authorize = ""
	q.Request, q.Intent = cmp.Or(entry.Request, q.Request), cmp.Or(entry.Intent, q.Intent)
	i := slices.IndexFunc(a.record.Traverse, func(t Traversal) bool { return t.ID == q.ID })
	if i < 0 {
		if !fresh {
			a.reject(q.ID, q.Node, "the record does not traverse it")
		}
		return q
	}
	t := a.record.Traverse[i]
	q.Plan, q.Selection, q.Grounded, q.Remediation = cmp.Or(t.Plan, q.Plan), t.Selection, t.Grounded, strings.TrimSpace(t.Remediation)
	whole := true
	switch {
	case a.rules.Graph != nil:
		whole = a.move(&q, t, passedBefore)
	case t.Status == Done:
		q.Status = Done
	}
	if q.Status == Done {
		q.Remediation = ""
		return q
	}
	q.Same = a.counted(was, q)
	switch {
	case whole:
		q.Authorize = a.authorized(q, t)
	case a.rejected[len(a.rejected)-1].Gap:
		q.Same--
	}
	return q
}

func (a *applying) counted(was, q Request) int {
	if was.Node == q.Node && was.Remediation == q.Remediation && q.Remediation != "" {
		return was.Same + 1
	}
	return 1
}

// authorized is the tool that the record opens for a request, "" where it may not.
func (a *applying) authorized(q Request, t Traversal) string {
	if t.Authorize == nil || *t.Authorize == "" || *t.Authorize == "null" || *t.Authorize == TransferTool {
		return ""
	}
	tool := *t.Authorize
	switch {
	case !a.rules.Mutates(tool):
		a.reject(q.ID, q.Node, "%q is no mutating tool of the agent", tool)
	case a.rules.Strict && a.rules.Graph != nil && !authorizes(a.rules.Graph, q.Node, tool):
		a.reject(q.ID, q.Node, "node %s does not authorize %s", q.Node, tool)
	case a.rules.Strict && a.now.Spent != nil && a.now.Spent(Grant{Tool: tool, Values: q.Grounded.Map()}, q.Since):
		a.reject(q.ID, q.Node, "%s has been called for it already", tool)
	default:
		return tool
	}
	return ""
}

// merge makes one of open requests with the same intent and target: the one that came further.
func (a *applying) merge(list []Request) []Request {
	var out []Request
	for _, q := range list {
		i := slices.IndexFunc(out, func(p Request) bool {
			return p.Status == Open && q.Status == Open && p.Intent != "" && p.Intent == q.Intent &&
				p.Selection.Target != "" && p.Selection.Target == q.Selection.Target
		})
		switch {
		case i < 0:
			out = append(out, q)
		case a.further(q, out[i]):
			a.reject(out[i].ID, out[i].Node, "it is the same request as %s, which came further", q.ID)
			out[i] = q
		default:
			a.reject(q.ID, q.Node, "it is the same request as %s", out[i].ID)
		}
	}
	return out
}

// further reports whether a request came further than another one of the same kind: the workflow leads from the other's
// node to its own.
func (a *applying) further(q, other Request) bool {
	g := a.rules.Graph
	return g != nil && g.Reachable(other.Node)[q.Node] && !g.Reachable(q.Node)[other.Node]
}

// transfers reports whether a request makes for a transfer: its remediation is one, or it has not moved for too long.
func (r Rules) transfers(q Request) bool {
	stalled := r.Stall > 0 && q.Same > r.Stall
	return q.Status == Open && q.Remediation != "" && (stalled || tellsToTransfer(q.Remediation))
}

// Grant is one enabled tool.
type Grant struct {
	Tool    string
	Request string
	Values  *value.Map // arguments that are known; a strict gate demands them
}

// Line sums the state up for readers.
func (s State) Line() string {
	var parts []string
	for _, q := range s.Requests {
		part := q.ID + " " + string(q.Status)
		if q.Node != "" {
			part += " at " + q.Node
		}
		if q.Authorize != "" {
			part += ", " + q.Authorize + " enabled"
		}
		parts = append(parts, part)
	}
	if s.Transfer {
		parts = append(parts, "transfer enabled")
	}
	if parts == nil {
		return "no request"
	}
	return strings.Join(parts, "; ")
}

// Enabled lists what the open requests enable, in their order.
func (s State) Enabled() []Grant {
	var out []Grant
	for _, q := range s.Requests {
		if q.Status == Open && q.Authorize != "" {
			out = append(out, Grant{Tool: q.Authorize, Request: q.ID, Values: q.Grounded.Map()})
		}
	}
	return out
}

// Spend takes back the authorization of a request after its call has succeeded.
func (s State) Spend(request string) State {
	s.Requests = slices.Clone(s.Requests)
	for i := range s.Requests {
		if s.Requests[i].ID == request {
			s.Requests[i].Authorize = ""
		}
	}
	return s
}

// Covers reports whether a call is the one granted: the tool, and every known argument.
func (g Grant) Covers(c domains.ToolCall) bool {
	if g.Tool != c.Name {
		return false
	}
	args := c.ArgumentsMap()
	for name, want := range g.Values.All() {
		if got, ok := args.Get(name); ok && !value.Equal(got, want) {
			return false
		}
	}
	return true
}
