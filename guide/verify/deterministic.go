package verify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

// Deterministic judges by code alone (docs/reference/guide.md#checks). A mutating call that the agent proposes or has
// made opens a request; before that there is only the part of the workflow that all requests share.
//
// Verify depends on its input alone. It is safe for concurrent use.
type Deterministic struct {
	Workflow *Workflow
	// Wishes are mutating calls that the user is known to want, in order: a scripted verifier's foreknowledge. The
	// first that has not been made counts as a request.
	Wishes []domains.ToolCall
}

const (
	startID    = "start"    // the request that stands for the shared part of the workflow
	transferID = "transfer" // the request that an untimely transfer opens
	// patience is how many firings in a row a request that nobody proposes any more is kept without progress.
	patience = 3
)

// callRequest is a mutating call that stands for a request.
type callRequest struct {
	id    string
	call  domains.ToolCall
	since int
	at    int  // index of the message that made the call with success, -1 if there is none
	fresh bool // proposed just now
}

// Verify walks every request and returns the record that a model would.
func (v *Deterministic) Verify(_ context.Context, in Input) (Answer, error) {
	checker, err := v.Workflow.Checker()
	if err != nil {
		return Answer{}, err
	}
	var rec Record
	open := 0
	for _, p := range v.requests(checker, in) {
		t, intent, ok := v.traverse(checker, in, p)
		if !ok {
			continue
		}
		rec.Reconcile.Intents = append(rec.Reconcile.Intents, Intent{ID: p.id, Request: describe(p), Intent: intent})
		rec.Traverse = append(rec.Traverse, t)
		if t.Status == Open {
			open++
		}
	}
	v.untimely(checker, in, &rec)
	if open == 0 && len(rec.Traverse) == 0 || open == 0 && !rec.Transfer {
		v.start(checker, in, &rec)
	}
	return Answer{Record: rec}, nil
}

func describe(p callRequest) string {
	key, _ := unnumbered(p.id)
	tool, target, _ := strings.Cut(key, ":")
	if target == "" {
		return tool
	}
	return tool + " for " + target
}

// requests lists the requests that the conversation, the state and the wishes give, those on record first.
func (v *Deterministic) requests(c *guide.Checker, in Input) []callRequest {
	var out []callRequest
	add := func(p callRequest) {
		if slices.ContainsFunc(in.State.Requests, func(q Request) bool { return q.ID == p.id && q.Status == Done }) {
			return
		}
		if i := slices.IndexFunc(out, func(o callRequest) bool { return o.id == p.id }); i >= 0 {
			out[i] = p
			return
		}
		out = append(out, p)
	}
	for _, q := range in.State.Requests {
		tool, _, ok := strings.Cut(q.ID, ":")
		if q.Status != Open || !ok || q.Same >= patience {
			continue
		}
		call := domains.ToolCall{Name: tool, Arguments: value.OfMap(q.Grounded.Map()), Requestor: domains.AgentSide}
		p := requestFor(c, in.Trace, call, in.Trace.Len())
		p.id, p.since = q.ID, opened(c, in.Trace, q.ID)
		p.at = success(c, in.Trace, q.ID, p.since)
		add(p)
	}
	for _, made := range in.Trace.Calls {
		if made.Done && made.Turn >= in.Trace.Turn()-1 && v.mutates(made.Name) {
			p := requestFor(c, in.Trace, made.ToolCall(), made.Index)
			if made.OK {
				p.at = made.Index
			}
			p.fresh = !made.OK
			add(p)
		}
	}
	for _, r := range in.Refused {
		if v.mutates(r.Call.Name) {
			p := requestFor(c, in.Trace, r.Call, in.Trace.Len())
			p.fresh = true
			add(p)
		}
	}
	if w, ok := v.wish(in); ok && !slices.ContainsFunc(out, func(p callRequest) bool { return p.at < 0 && p.fresh }) {
		p := requestFor(c, in.Trace, w, in.Trace.Len())
		idle := slices.ContainsFunc(in.State.Requests, func(q Request) bool { return q.ID == p.id && q.Same >= patience })
		if !idle {
			add(p)
		}
	}
	return out
}

func (v *Deterministic) mutates(tool string) bool { return v.Workflow.World.Agent.Mutates(tool) }

// requestFor makes the request that a call at that index stands for. Repeated changes of the same record are requests of
// their own, numbered from the second.
func requestFor(c *guide.Checker, t *guide.Trace, call domains.ToolCall, index int) callRequest {
	key, n, since := keyOf(c, call), 1, 0
	for _, made := range t.CallsOf(call.Name) {
		if made.OK && made.Index < index && keyOf(c, made.ToolCall()) == key {
			n, since = n+1, made.Index+1
		}
	}
	return callRequest{id: numbered(key, n), call: call, since: since, at: -1}
}

func numbered(key string, n int) string {
	if n == 1 {
		return key
	}
	return key + "#" + strconv.Itoa(n)
}

func keyOf(c *guide.Checker, call domains.ToolCall) string {
	if open := c.Open(call, 0); len(open) > 0 {
		return open[0].ID
	}
	return call.Name + ":"
}

// unnumbered undoes numbered. Ids of records may have a number sign too, as their first character.
func unnumbered(id string) (key string, n int) {
	if at := strings.LastIndexByte(id, '#'); at > 0 && id[at-1] != ':' {
		if n, err := strconv.Atoi(id[at+1:]); err == nil {
			return id[:at], n
		}
	}
	return id, 1
}

// opened is the index from which on calls count for a request: behind the success of the one before it.
func opened(c *guide.Checker, t *guide.Trace, id string) int {
	key, n := unnumbered(id)
	tool, _, _ := strings.Cut(key, ":")
	since := 0
	for _, made := range t.CallsOf(tool) {
		if made.OK && n > 1 && keyOf(c, made.ToolCall()) == key {
			n, since = n-1, made.Index+1
		}
	}
	return since
}

func success(c *guide.Checker, t *guide.Trace, id string, since int) int {
	key, _ := unnumbered(id)
	tool, _, _ := strings.Cut(key, ":")
	for _, made := range t.CallsOf(tool) {
		if made.OK && made.Index >= since && keyOf(c, made.ToolCall()) == key {
			return made.Index
		}
	}
	return -1
}

// wish is the first wish that has not been made.
func (v *Deterministic) wish(in Input) (domains.ToolCall, bool) {
	used := map[*guide.Call]bool{}
	for _, w := range v.Wishes {
		if !v.mutates(w.Name) {
			continue
		}
		made := false
		for _, c := range in.Trace.CallsOf(w.Name) {
			if c.OK && !used[c] && c.Is(w) {
				used[c], made = true, true
				break
			}
		}
		if !made {
			return w, true
		}
	}
	return domains.ToolCall{}, false
}

// traverse walks one request. ok is false where there is nothing to say about it: its call was made without having been
// due.
func (v *Deterministic) traverse(c *guide.Checker, in Input, p callRequest) (t Traversal, intent string, ok bool) {
	at, known := c.Authorize(in.Trace, p.call, p.since)
	t = Traversal{ID: p.id, Status: Open, Selection: Selection{Target: targetOf(c, p.call)}, Grounded: grounded(p.call)}
	if !known {
		if p.at >= 0 {
			return t, "", false
		}
		t.Node, t.Remediation = v.Workflow.Graph.Entry, unknownTool(p.call.Name)
		return t, "", true
	}
	if p.at >= 0 && !passes(v.Workflow.Graph, at, p.call.Name) {
		before, _ := c.Authorize(guide.NewTrace(in.Messages[:p.at]...), p.call, p.since)
		if before.Authorizes != p.call.Name {
			return t, "", false
		}
		at = v.settled(before)
	}
	v.fill(&t, at, p)
	return t, at.Intent, true
}

func unknownTool(tool string) string {
	return fmt.Sprintf("The policy has no procedure that leads to %s. Do not call it; tell the user that this is not possible.", tool)
}

// fill writes a position into a traversal.
func (v *Deterministic) fill(t *Traversal, at guide.Position, p callRequest) {
	for _, s := range at.Walk {
		t.Walk = append(t.Walk, Visit{Node: s.Node, Satisfied: s.Satisfied, Reasoning: s.Note})
	}
	t.Node = at.Node
	if at.Done {
		t.Status = Done
		return
	}
	n, ok := v.Workflow.Graph.Node(at.Node)
	if !ok {
		return
	}
	t.Remediation = fillTarget(n.Remediation, t.Selection.Target)
	switch {
	case at.Authorizes != "":
		tool := at.Authorizes
		t.Authorize = &tool
		t.Remediation = strings.TrimSpace(t.Remediation + "\nThe call is due now, exactly like this: " + written(p.call))
	case p.fresh && t.Remediation != "":
		t.Remediation = p.call.Name + " is not due yet. " + t.Remediation
	}
}

func fillTarget(text, target string) string {
	if target == "" {
		target = "the record in question"
	}
	return strings.ReplaceAll(text, "{target}", target)
}

func written(c domains.ToolCall) string {
	return c.Name + " " + value.OfMap(c.ArgumentsMap()).JSON()
}

func grounded(c domains.ToolCall) Grounded {
	var out Grounded
	for k, x := range c.ArgumentsMap().All() {
		out = append(out, GroundedValue{Arg: k, Value: x, Source: "the call"})
	}
	return out
}

func targetOf(c *guide.Checker, call domains.ToolCall) string {
	if open := c.Open(call, 0); len(open) > 0 {
		return open[0].Target
	}
	return ""
}

// passes reports whether a walk went beyond an authorization of the tool.
func passes(g *guide.Graph, p guide.Position, tool string) bool {
	return slices.ContainsFunc(p.Walk, func(s guide.Step) bool { return s.Satisfied && authorizes(g, s.Node, tool) })
}

// authorizes reports whether a node is an authorization of the tool.
func authorizes(g *guide.Graph, node, tool string) bool {
	n, ok := g.Node(node)
	return ok && n.Type == guide.Authorization && n.Tool() == tool
}

// settled is the position of a request whose call was due and has succeeded, where the change itself made conditions
// before it untrue: an order that was cancelled is no longer pending. It goes from the authorization on to the exit, or
// to the first decision.
func (v *Deterministic) settled(p guide.Position) guide.Position {
	p.Walk = slices.Clone(p.Walk)
	p.Walk[len(p.Walk)-1].Satisfied = true
	p.Authorizes = ""
	for seen := map[string]bool{}; !seen[p.Node]; {
		seen[p.Node] = true
		n, ok := v.Workflow.Graph.Node(p.Node)
		if !ok || n.Next() == "" {
			p.Done = ok && n.Type == guide.Exit
			break
		}
		p.Node = n.Next()
		p.Walk = append(p.Walk, guide.Step{Node: p.Node, Satisfied: true, Decided: true})
	}
	return p
}

// start is the part of the workflow before kinds of request are told apart.
func (v *Deterministic) start(c *guide.Checker, in Input, rec *Record) {
	at := c.Walk(in.Trace, guide.Request{ID: startID})
	if at.Done || at.Node == "" {
		return
	}
	t := Traversal{ID: startID, Status: Open}
	v.fill(&t, at, callRequest{})
	if cl := v.Workflow.Graph.Classifier(); cl != nil && !v.Workflow.Graph.Reachable(v.Workflow.Graph.Entry, cl.ID)[at.Node] {
		t.Remediation = "" // what the user wants is not for code to tell
	}
	t.Authorize = nil
	rec.Reconcile.Intents = append(rec.Reconcile.Intents, Intent{ID: startID, Request: "what the user calls about"})
	rec.Traverse = append(rec.Traverse, t)
}

// untimely answers a transfer that was intercepted.
func (v *Deterministic) untimely(c *guide.Checker, in Input, rec *Record) {
	if !slices.ContainsFunc(in.Refused, func(r Refusal) bool { return r.Call.Name == TransferTool }) {
		return
	}
	if v.transferDue(c, in) || in.State.Held > 1 && v.branchLeads(c, in.Trace, transferID) {
		rec.Transfer = true
		return
	}
	at := c.Walk(in.Trace, guide.Request{ID: transferID, Intent: transferID})
	t := Traversal{ID: transferID, Status: Open}
	v.fill(&t, at, callRequest{})
	t.Authorize, t.Status = nil, Open
	t.Remediation = "Do not pass the user on yet: a transfer is only for what cannot be handled within the policy. Carry on with what can be done; refuse what the policy forbids."
	if at.Done {
		t.Walk, t.Node = nil, ""
	}
	rec.Reconcile.Intents = append(rec.Reconcile.Intents, Intent{ID: transferID, Request: "passing the user on", Intent: transferID})
	rec.Traverse = append(rec.Traverse, t)
}
