package tau2

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// mend makes calls and results pair up, so that a record with a damaged pairing can be replayed leniently: results are
// matched with calls by id within a batch, else by order; a result that is missing or null is taken as empty, and one
// that answers nothing is left out. The notes say what was done. msgs is not written to.
func mend(msgs []domains.Message) (out []domains.Message, notes []string) {
	for i := 0; i < len(msgs); i++ {
		m := msgs[i]
		if m.Role == domains.RoleTool {
			notes = append(notes, fmt.Sprintf("message %d: a result (id %q) that answers no call was left out", i, m.ID))
			continue
		}
		out = append(out, m)
		if len(m.ToolCalls) == 0 {
			continue
		}
		end := i + 1
		for end < len(msgs) && end-i <= len(m.ToolCalls) && msgs[end].Role == domains.RoleTool {
			end++
		}
		results, said := match(m.ToolCalls, msgs[i+1:end], i)
		out, notes = append(out, results...), append(notes, said...)
		i = end - 1
	}
	return out, notes
}

// match gives each call of message at its result. There are at most as many results as calls.
func match(calls []domains.ToolCall, results []domains.Message, at int) (out []domains.Message, notes []string) {
	left := slices.Clone(results)
	inOrder := len(results) == len(calls)
	for k, c := range calls {
		if inOrder && left[k].ID == c.ID {
			continue
		}
		inOrder = false
		break
	}
	for k, c := range calls {
		r := domains.ResultMessage(c, domains.ToolResult{})
		pick := -1
		switch {
		case inOrder:
			pick = 0
		default:
			pick = slices.IndexFunc(left, func(m domains.Message) bool { return m.ID == c.ID })
			if pick < 0 {
				pick = slices.IndexFunc(left, func(m domains.Message) bool {
					return !slices.ContainsFunc(calls[k+1:], func(later domains.ToolCall) bool { return later.ID == m.ID })
				})
			}
		}
		if pick < 0 {
			notes = append(notes, fmt.Sprintf("message %d: call %s has no result; it was run, and its result not compared", at, describeCall(c)))
			out = append(out, r)
			continue
		}
		r = left[pick]
		left = slices.Delete(left, pick, pick+1)
		switch {
		case r.ID != c.ID:
			notes = append(notes, fmt.Sprintf("message %d: the result of call %s carries the id %q; it was matched by order", at, describeCall(c), r.ID))
			r.ID = c.ID
		case !inOrder && pick > 0:
			notes = append(notes, fmt.Sprintf("message %d: the result of call %s stands out of order; it was matched by id", at, describeCall(c)))
		}
		if r.Content == nil {
			notes = append(notes, fmt.Sprintf("message %d: the result of call %s is null; it was taken as empty", at, describeCall(c)))
			r.Content = domains.Text("")
		}
		out = append(out, r)
	}
	return out, notes
}

// settled cuts off a last message of calls that were never run, where the ending allows for one: only an error of a
// side, or a fault, comes between calls and their results (spec/core.md, section 3).
func settled(msgs []domains.Message, r sim.Reason) []domains.Message {
	n := len(msgs)
	if n == 0 || len(msgs[n-1].ToolCalls) == 0 || r.Evaluable() && r != sim.AgentError && r != sim.UserError {
		return msgs
	}
	return msgs[:n-1]
}
