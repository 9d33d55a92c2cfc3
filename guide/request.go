package guide

import (
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Request is one thing that the user wants, as the walk sees it.
type Request struct {
	ID        string
	Intent    string   // label of a classifier branch; "" while it is not known
	Target    string   // id of the record that it is about, "" while it is not known
	Selection []string // candidates that were ruled out
	Grounded  *value.Map
	// Since is the index of the message from which on a successful call counts as carrying this request out; earlier
	// calls of the same tool belong to other requests.
	Since int
	// Call is a proposed write, nil if none is proposed. Its arguments take the place of grounded values of the same
	// name: what would be executed is what is checked.
	Call *domains.ToolCall
}

// grounded returns the grounded values with the proposed call's arguments over them.
func (r *Request) grounded() *value.Map {
	if r.Call == nil {
		return r.Grounded
	}
	out := &value.Map{}
	for k, v := range r.Grounded.All() {
		out.Set(k, v)
	}
	for k, v := range r.Call.ArgumentsMap().All() {
		out.Set(k, v)
	}
	return out
}

// Open makes the request that a proposed write stands for: every intent whose part of the graph authorizes the tool,
// with the target that the vocabulary finds in the arguments. There are several where more than one intent leads to
// the tool, none where no node authorizes it.
func (c *Checker) Open(call domains.ToolCall, since int) []Request {
	var out []Request
	target := c.target(call.Name, call.ArgumentsMap())
	for _, intent := range c.graph.IntentsOf(call.Name) {
		out = append(out, Request{ID: call.Name + ":" + target, Intent: intent, Target: target, Since: since, Call: &call})
	}
	return out
}

func (c *Checker) target(tool string, args *value.Map) string {
	v, ok := args.Get(c.vocabulary.Targets[tool])
	if !ok {
		return ""
	}
	return v.Str()
}

// targetKind is the argument that holds the request's target: that of the proposed call, or else the one that all
// tools of the intent share; "" if it cannot be told.
func (c *Checker) targetKind(r *Request) string {
	if r.Call != nil {
		return c.vocabulary.Targets[r.Call.Name]
	}
	return c.kinds[r.Intent]
}

// targetKinds finds for each intent the argument that all the tools which it authorizes have as their target.
func targetKinds(g *Graph, targets map[string]string) map[string]string {
	out := map[string]string{}
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		if n.Type != Authorization || seen[n.Tool()] {
			continue
		}
		seen[n.Tool()] = true
		for _, intent := range g.IntentsOf(n.Tool()) {
			kind := targets[n.Tool()]
			if old, ok := out[intent]; ok && old != kind {
				kind = ""
			}
			out[intent] = kind
		}
	}
	return out
}
