package flow

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// The controllers, as events name them.
const (
	Dependency = "dependency"
	Duplicates = "duplicates"
)

// Rejection is why a message with calls is held back.
type Rejection struct {
	Controller string
	Call       int    // index of the call that was rejected
	Reason     string // for the agent
	Missing    string // dependency: the API to call first, "" for an unknown call
}

// Options choose the controllers.
type Options struct {
	Dependency bool `json:"dependency"`
	Duplicates bool `json:"duplicates"`
	// Threshold is how many equal actions in a row the duplicates controller rejects, the one at hand included; released: 2.
	Threshold int `json:"threshold"`
}

// Controllers look at the calls of one conversation before they are made: dependency first, then duplicates; the first
// rejection counts (docs/reference/baselines.md#controllers). They are used from one goroutine.
//
// As released, an API is activated when its call passes the dependency controller: before it is executed and before the
// duplicates controller looks, whatever its arguments are and whatever comes of it. It is never reset, so a second
// request inherits what the first has activated. All preconditions must be active, and an unknown name is rejected. A
// call is a duplicate if the agent's actions before it were the same, by name and arguments; a text is an action, and so
// is a rejected call.
//
// The released agent makes one call at a time. Here several calls of one message are looked at as if they were made one after
// the other. If one is rejected, none is made; the message then leaves neither activations nor actions behind. A
// message that repeats all calls of the one before it is a duplicate too.
type Controllers struct {
	procedure *Procedure
	opts      Options
	active    map[string]bool
	acts      []string // the agent's actions so far, "" for a text
	heard     int      // messages of the view that were taken up
}

// NewControllers starts a conversation.
func NewControllers(s *Procedure, o Options) *Controllers {
	return &Controllers{procedure: s, opts: o, active: map[string]bool{}}
}

// Hear takes up what is new in the agent's view: its texts and the calls that were made. What other guards have held back
// is no action, since it was not made.
func (c *Controllers) Hear(view []domains.Message) {
	for _, m := range view[min(c.heard, len(view)):] {
		if m.Role != domains.RoleAssistant || m.TurnIdx == nil {
			continue
		}
		if len(m.ToolCalls) == 0 {
			c.acts = append(c.acts, "")
		}
		for _, call := range m.ToolCalls {
			c.active[call.Name] = true
			c.acts = append(c.acts, action(call))
		}
	}
	c.heard = len(view)
}

// Look decides about the calls of a message that the agent proposes; nil lets them pass.
func (c *Controllers) Look(calls []domains.ToolCall) *Rejection {
	active, acts := maps.Clone(c.active), len(c.acts)
	r := c.look(calls)
	if r == nil || len(calls) > 1 {
		c.acts = c.acts[:acts] // what is made will be heard
	}
	if r != nil && len(calls) > 1 {
		c.active = active
	}
	return r
}

func (c *Controllers) look(calls []domains.ToolCall) *Rejection {
	for i, call := range calls {
		c.acts = append(c.acts, action(call))
		if missing, why := c.blocked(call.Name); c.opts.Dependency && why != "" {
			return &Rejection{Controller: Dependency, Call: i, Reason: why, Missing: missing}
		}
		c.active[call.Name] = true
		if c.repeats(1) {
			return &Rejection{Controller: Duplicates, Call: i, Reason: fmt.Sprintf(
				"%s was called with the same arguments right before, which is too often: do something else", call.Name)}
		}
	}
	if n := len(calls); n > 1 && c.repeats(n) {
		return &Rejection{Controller: Duplicates, Reason: "the same calls were made right before, which is too often: do something else"}
	}
	return nil
}

// blocked says why the dependency controller would reject an API now, "" if it would not.
func (c *Controllers) blocked(name string) (missing, why string) {
	before, known := c.procedure.before[name]
	if !known {
		return "", fmt.Sprintf("there is no API %s in the procedure: use one of those that are listed", name)
	}
	for _, p := range before {
		if !c.active[p] {
			return p, fmt.Sprintf("its precondition %s has not been called yet: call %s before %s", p, p, name)
		}
	}
	return "", ""
}

// repeats reports whether the latest n actions are repeated at the end as often as the threshold says.
func (c *Controllers) repeats(n int) bool {
	if !c.opts.Duplicates || len(c.acts) < n*c.opts.Threshold {
		return false
	}
	last := c.acts[len(c.acts)-n:]
	for k := range c.opts.Threshold {
		end := len(c.acts) - k*n
		if !slices.Equal(c.acts[end-n:end], last) {
			return false
		}
	}
	return true
}

// Blocked lists the APIs that the dependency controller would reject now, in the order of the procedure.
func (c *Controllers) Blocked() []string {
	var out []string
	for _, a := range c.procedure.Document.APIs {
		if _, why := c.blocked(a.Name); c.opts.Dependency && why != "" {
			out = append(out, a.Name)
		}
	}
	return out
}

// Repeated reports that the agent's latest action is a call which the duplicates controller would reject if it came again.
func (c *Controllers) Repeated() bool {
	if !c.opts.Duplicates || len(c.acts) < c.opts.Threshold-1 || len(c.acts) == 0 || c.acts[len(c.acts)-1] == "" {
		return false
	}
	last := c.acts[len(c.acts)-1]
	return !slices.ContainsFunc(c.acts[len(c.acts)-c.opts.Threshold+1:], func(a string) bool { return a != last })
}

// action is a call as a text: equal for calls of one tool whose arguments are equal, whatever the order of their members.
func action(c domains.ToolCall) string {
	if c.Reason != "" {
		return c.Name + " " + c.Malformed
	}
	return c.Name + " " + string(value.AppendDump(nil, c.Arguments, value.Sorted))
}
