package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
)

// Mutations is what checks say about changes whose conversation lacks one event: a text of one of the two, or a turn of
// calls with its results. Only workflows with checks decide that.
type Mutations struct {
	Writes Pair[*Withheld] `json:"writes"` // nil for a workflow without checks
	Both   int             `json:"both"`   // mutants that both withhold
}

// Withheld counts what one workflow does.
type Withheld struct {
	Authorized int `json:"authorized"` // changes whose whole conversation authorizes them
	Mutants    int `json:"mutants"`    // these conversations, each without one of its events
	Withheld   int `json:"withheld"`   // mutants in which the change is not authorized
}

func (c *comparison) mutations(found []write) {
	const measure = "mutations"
	m := &Mutations{Writes: pair(c.side, func(s *side) *Withheld {
		if s.check == nil {
			return nil
		}
		return &Withheld{}
	})}
	for _, w := range []struct {
		name string
		*Withheld
	}{{"A", m.Writes.A}, {"B", m.Writes.B}} {
		if w.Withheld == nil {
			c.lacks(measure+" in "+w.name, "not decidable without checks")
		}
	}
	if m.Writes.A == nil && m.Writes.B == nil {
		return
	}
	c.Mutations = m
	var gaps tally
	for _, w := range found {
		m.mutate(w, c.side, &gaps)
	}
	c.tell(measure, gaps)
}

// mutate leaves out one event after the other of what comes before a change, and notes where the workflows disagree.
func (m *Mutations) mutate(w write, sides Pair[*side], gaps *tally) {
	msgs := w.trace.Messages[:w.call.Index]
	whole := pair(sides, func(s *side) *verdict { return s.ask(msgs, w.call) })
	m.Writes.A.whole(whole.A)
	m.Writes.B.whole(whole.B)
	for i := range msgs {
		event := EventOf(msgs[i])
		if event == "" {
			continue
		}
		rest := Without(msgs, i)
		v := Pair[*verdict]{sides.A.askAgain(whole.A, rest, w.call), sides.B.askAgain(whole.B, rest, w.call)}
		m.Writes.A.mutant(v.A)
		m.Writes.B.mutant(v.B)
		switch {
		case v.A == nil || v.B == nil:
		case v.A.due != v.B.due:
			gaps.add(fmt.Sprintf("only %s withholds %s without %s", which(!v.A.due), w.call.Name, event), w.trace.Name,
				Pair[[]string]{[]string{v.A.node}, []string{v.B.node}})
		case !v.A.due:
			m.Both++
		}
	}
}

func (w *Withheld) whole(v *verdict) {
	if w != nil && v.due {
		w.Authorized++
	}
}

func (w *Withheld) mutant(v *verdict) {
	if w == nil || v == nil {
		return
	}
	w.Mutants++
	if !v.due {
		w.Withheld++
	}
}

// verdict is what a workflow says about a change, and where: at the authorization, or where the walk rests.
type verdict struct {
	due  bool
	node string
}

// ask is nil for a workflow without checks.
func (s *side) ask(msgs []domains.Message, call *guide.Call) *verdict {
	if s.check == nil {
		return nil
	}
	p, ok := s.check.Authorize(guide.NewTrace(msgs...), call.ToolCall(), 0)
	switch {
	case !ok:
		return &verdict{}
	case p.Authorizes == call.Name:
		return &verdict{true, p.Node}
	}
	return &verdict{false, p.Unmet().Node}
}

// askAgain asks about a mutant. It is nil where the whole conversation does not authorize the change.
func (s *side) askAgain(whole *verdict, msgs []domains.Message, call *guide.Call) *verdict {
	if whole == nil || !whole.due {
		return nil
	}
	return s.ask(msgs, call)
}

// EventOf names what a message brings about; "" for what the agent does not see, and for results, which belong to their
// calls.
func EventOf(m domains.Message) string {
	var tools []string
	for _, c := range m.ToolCalls {
		tools = append(tools, c.Name)
	}
	switch {
	case m.Role == domains.RoleAssistant && len(tools) > 0:
		return "the call of " + strings.Join(tools, " and ")
	case len(tools) > 0 || !m.HasText():
		return ""
	case m.Role == domains.RoleAssistant:
		return "a text of the agent"
	case m.Role == domains.RoleUser:
		return "a text of the user"
	}
	return ""
}

// Without leaves a message out, with the results of its calls.
func Without(msgs []domains.Message, i int) []domains.Message {
	out := slices.Clone(msgs[:i])
	waiting := map[string]bool{}
	for _, c := range msgs[i].ToolCalls {
		waiting[c.ID] = true
	}
	for _, m := range msgs[i+1:] {
		if m.Role == domains.RoleTool && waiting[m.ID] {
			delete(waiting, m.ID)
			continue
		}
		out = append(out, m)
	}
	return out
}
