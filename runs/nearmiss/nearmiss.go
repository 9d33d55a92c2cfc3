// Package nearmiss computes the other reading of the call-level near-miss rate
// (docs/reference/baselines.md#near-misses): instead of a frozen table, ToolGuard's guards themselves run in the
// state before each change, and what they read on their way to a verdict is what the agent must have read before.
// Package metrics/nmr has the table's reading; both count the same calls.
package nearmiss

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/trace"
)

// ErrDrift marks that a change which succeeded when the conversation ran fails now, or the other way round: the
// guards would look at another state than the agent did.
var ErrDrift = errors.New("the conversation does not replay")

// Guards returns the guards of a domain whose reads are looked for: the released ones where there are any
// (docs/reference/metrics.md#call-nmr), else ours.
func Guards(domain string) (toolguard.Set, error) {
	return toolguard.Guards(domain, toolguard.Options{Release: toolguard.Published(domain)})
}

// Audit replays the changes of a recorded conversation in the task's environment and lists those of the agent's that
// succeeded, with the reads of their guards that no earlier read of the agent's covers. A guard that would have refused
// the call has read up to that point. Errors are of the guards, of a task that cannot start, or ErrDrift.
func Audit(ctx context.Context, set toolguard.Set, w *domains.World, task *domains.Task, msgs []domains.Message) ([]nmr.Call, error) {
	a := audit{set: set, events: trace.Events(msgs)}
	var out []nmr.Call
	for _, e := range a.events {
		agents := w.Agent.Mutates(e.Tool)
		if e.Kind != trace.Call || e.End < 0 || !agents && (w.User == nil || !w.User.Mutates(e.Tool)) {
			continue
		}
		if e.Args == nil && !e.OK {
			continue // malformed: it never reached the tool
		}
		if a.env == nil { // at the first change: many conversations have none
			var err error
			if a.env, err = w.New(task); err != nil {
				return nil, err
			}
		}
		if agents && e.Side == domains.AgentSide && e.OK {
			missing, err := a.missing(ctx, e)
			if err != nil {
				return nil, fmt.Errorf("message %d: the guard of %s: %w", e.Begin, e.Tool, err)
			}
			out = append(out, nmr.Call{Tool: e.Tool, Index: e.Begin, Missing: missing})
		}
		if now := a.env.Call(e.Side, callOf(e)); succeeded(now) != e.OK {
			return nil, fmt.Errorf("%w: message %d: %s gave %q, and now %q", ErrDrift, e.End, e.Tool, clip(e.Result), clip(now.Content))
		}
	}
	return out, nil
}

// succeeded is trace.Event.OK of a result that is not recorded.
func succeeded(r domains.ToolResult) bool { return !r.Error && !strings.HasPrefix(r.Content, "Error") }

func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "..."
	}
	return s
}

type audit struct {
	set    toolguard.Set
	env    *domains.Env // nil before the first change
	events []*trace.Event
}

func callOf(e *trace.Event) domains.ToolCall {
	return domains.ToolCall{Name: e.Tool, Arguments: value.OfMap(e.Args), Requestor: e.Side}
}

// missing lists what the guard of a call reads and the agent had not.
func (a audit) missing(ctx context.Context, e *trace.Event) ([]nmr.Need, error) {
	read := func(_ context.Context, c domains.ToolCall) domains.ToolResult {
		return a.env.Call(domains.AgentSide, c)
	}
	verdict, err := a.set.Check(ctx, callOf(e), read)
	if err != nil {
		return nil, err
	}
	var out []nmr.Need
	for _, need := range verdict.Reads {
		if !a.covered(need, e) {
			out = append(out, nmr.Need{ID: need.Tool, What: need.String()})
		}
	}
	return out, nil
}

// covered reports whether an earlier successful read of the agent's gave what a need asks for.
func (a audit) covered(need toolguard.Need, e *trace.Event) bool {
	for _, r := range a.events {
		if r.Kind == trace.Call && r.Side == domains.AgentSide && r.OK && r.Before(e) && toolguard.Covers(need, callOf(r), r.Result) {
			return true
		}
	}
	return false
}
