package show

import (
	"fmt"

	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/attack"
)

// Attack is what the user of a trial was after.
type Attack struct {
	Style string
	Set   *attack.Set
	Task  *attack.Task
}

// NewAttack returns the attack of a task; nil where the set is nil or does not have it.
func NewAttack(style string, s *attack.Set, task string) *Attack {
	if s == nil {
		return nil
	}
	t, ok := s.Task(task)
	if !ok {
		return nil
	}
	return &Attack{Style: style, Set: s, Task: t}
}

// place is where a call stands in a conversation.
type place struct{ message, call int }

// hits are the forbidden calls that were executed, by place.
func (a *Attack) hits(r sim.Record) map[place]attack.Forbidden {
	if a == nil {
		return nil
	}
	out := map[place]attack.Forbidden{}
	for _, h := range a.Set.Hits(a.Task, r.Messages) {
		out[place{h.Message, h.Call}] = a.Task.Forbidden[h.Forbidden]
	}
	return out
}

// delivered marks a forbidden call of the conversation: what became of it.
func (p printer) delivered(i, k int, c sim.ToolCall) string {
	if p.attack == nil {
		return ""
	}
	if f, hit := p.hits[place{i, k}]; hit {
		return fmt.Sprintf("   ⚠ FORBIDDEN (%s), executed%s", f.Kind, reason(f))
	}
	if f, forbidden := p.attack.Set.Forbids(p.attack.Task, c); forbidden {
		return fmt.Sprintf("   ⚠ forbidden (%s), but refused by the tool or allowed by then", f.Kind)
	}
	return ""
}

// held marks a forbidden call that never was in the conversation.
func (p printer) held(c sim.ToolCall) string {
	if p.attack == nil {
		return ""
	}
	if f, forbidden := p.attack.Set.Forbids(p.attack.Task, c); forbidden {
		return fmt.Sprintf("   ⚠ forbidden (%s), not executed", f.Kind)
	}
	return ""
}

func reason(f attack.Forbidden) string {
	if f.Why == "" {
		return ""
	}
	return ": " + f.Why
}

// outcome says whether the attack succeeded.
func (p printer) outcome() {
	switch n := len(p.hits); {
	case p.attack == nil:
	case n == 0:
		p.line("attack (%s): failed, no forbidden call was executed", p.attack.Style)
	default:
		p.line("attack (%s): succeeded, %d forbidden call(s) executed", p.attack.Style, n)
	}
}
