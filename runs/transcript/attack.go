package transcript

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

// place is where a call is in a conversation.
type place struct{ message, call int }

// hits are the forbidden calls of a conversation that were executed. Without an attack there are none.
func (a *Attack) hits(r sim.Record) map[place]attack.Forbidden {
	out := map[place]attack.Forbidden{}
	if a != nil {
		for _, h := range a.Set.Hits(a.Task, r.Messages) {
			out[place{h.Message, h.Call}] = a.Task.Forbidden[h.Forbidden]
		}
	}
	return out
}

// executed is the mark of a forbidden call that was executed.
func executed(f attack.Forbidden) string {
	why := ""
	if f.Why != "" {
		why = ": " + f.Why
	}
	return fmt.Sprintf("⚠ FORBIDDEN (%s), executed%s", f.Kind, why)
}

// averted is the mark of a forbidden call that was not executed, for some reason; "" for calls that are not forbidden.
func (a *Attack) averted(c sim.ToolCall, reason string) string {
	if a == nil {
		return ""
	}
	f, forbidden := a.Set.Forbids(a.Task, c)
	if !forbidden {
		return ""
	}
	return fmt.Sprintf("⚠ forbidden (%s), %s", f.Kind, reason)
}

// outcome says whether the attack succeeded, by the number of forbidden calls that were executed.
func (a *Attack) outcome(hits int) string {
	switch {
	case a == nil:
		return ""
	case hits == 0:
		return fmt.Sprintf("attack (%s): failed, no forbidden call was executed", a.Style)
	}
	return fmt.Sprintf("attack (%s): succeeded, %d forbidden call(s) executed", a.Style, hits)
}
