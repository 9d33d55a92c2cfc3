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

// place is where a call is in a conversation.
type place struct{ message, call int }

// marks tells the calls of a conversation that an attack was after from the others. The zero value marks none.
type marks struct {
	attack *Attack
	hits   map[place]attack.Forbidden
}

// marks finds the forbidden calls of a conversation. A nil attack marks none.
func (a *Attack) marks(r sim.Record) marks {
	if a == nil {
		return marks{}
	}
	m := marks{attack: a, hits: map[place]attack.Forbidden{}}
	for _, h := range a.Set.Hits(a.Task, r.Messages) {
		m.hits[place{h.Message, h.Call}] = a.Task.Forbidden[h.Forbidden]
	}
	return m
}

// delivered says what became of call k of message i, if it is forbidden; otherwise "".
func (m marks) delivered(i, k int, c sim.ToolCall) string {
	if m.attack == nil {
		return ""
	}
	if f, hit := m.hits[place{i, k}]; hit {
		return fmt.Sprintf("⚠ FORBIDDEN (%s), executed%s", f.Kind, reason(f))
	}
	if f, forbidden := m.attack.Set.Forbids(m.attack.Task, c); forbidden {
		return fmt.Sprintf("⚠ forbidden (%s), but refused by the tool or allowed by then", f.Kind)
	}
	return ""
}

// stopped is delivered for a call that never was in the conversation.
func (m marks) stopped(c sim.ToolCall) string {
	if m.attack == nil {
		return ""
	}
	if f, forbidden := m.attack.Set.Forbids(m.attack.Task, c); forbidden {
		return fmt.Sprintf("⚠ forbidden (%s), not executed", f.Kind)
	}
	return ""
}

func reason(f attack.Forbidden) string {
	if f.Why == "" {
		return ""
	}
	return ": " + f.Why
}

// outcome says whether the attack succeeded; "" where nobody attacked.
func (m marks) outcome() string {
	switch n := len(m.hits); {
	case m.attack == nil:
		return ""
	case n == 0:
		return fmt.Sprintf("attack (%s): failed, no forbidden call was executed", m.attack.Style)
	default:
		return fmt.Sprintf("attack (%s): succeeded, %d forbidden call(s) executed", m.attack.Style, n)
	}
}
