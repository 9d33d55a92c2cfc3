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
	// Call is a proposed write, nil if none is proposed. Its arguments stand for grounded values that are not set.
	Call *domains.ToolCall
}

// grounded returns the grounded values with the proposed call's arguments below them.
func (r *Request) grounded() *value.Map {
	if r.Call == nil {
		return r.Grounded
	}
	out := &value.Map{}
	for k, v := range r.Call.ArgumentsMap().All() {
		out.Set(k, v)
	}
	for k, v := range r.Grounded.All() {
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
