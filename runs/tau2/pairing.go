package tau2

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// pairResults makes calls and results pair up, so that a record with a damaged pairing can be replayed leniently:
// results are matched with calls by id within a batch, otherwise by order; a result that is missing or null is taken as
// empty, and one that answers nothing is left out. The notes say what was done. msgs is not written to.
func pairResults(msgs []domains.Message) (out []domains.Message, notes []string) {
	for i := 0; i < len(msgs); i++ {
		m := msgs[i]
		if m.Role == domains.RoleTool {
			notes = append(notes, fmt.Sprintf("message %d: a result (id %q) that answers no call was left out", i, m.ID))
			continue
		}
		out = append(out, m)
		end := i + 1
		for end < len(msgs) && end-i <= len(m.ToolCalls) && msgs[end].Role == domains.RoleTool {
			end++
		}
		left := slices.Clone(msgs[i+1 : end])
		for k, c := range m.ToolCalls {
			result, note := takeResult(c, m.ToolCalls[k+1:], &left)
			out = append(out, result)
			for _, n := range note {
				notes = append(notes, fmt.Sprintf("message %d: %s", i, n))
			}
		}
		i = end - 1
	}
	return out, notes
}

// takeResult takes the result of a call out of those that are left: the one of its id, otherwise the first that no
// later call claims.
func takeResult(c domains.ToolCall, later []domains.ToolCall, left *[]domains.Message) (r domains.Message, notes []string) {
	name := fmt.Sprintf("%s (id %q)", c.Name, c.ID)
	i := slices.IndexFunc(*left, func(m domains.Message) bool { return m.ID == c.ID })
	if i > 0 {
		notes = append(notes, fmt.Sprintf("the result of call %s is out of order; it was matched by id", name))
	}
	if i < 0 {
		i = slices.IndexFunc(*left, func(m domains.Message) bool {
			return !slices.ContainsFunc(later, func(c domains.ToolCall) bool { return c.ID == m.ID })
		})
	}
	if i < 0 {
		note := fmt.Sprintf("call %s has no result; it was run, and its result not compared", name)
		return domains.ResultMessage(c, domains.ToolResult{}), []string{note}
	}
	r = (*left)[i]
	*left = slices.Delete(*left, i, i+1)
	if r.ID != c.ID {
		notes = append(notes, fmt.Sprintf("the result of call %s has the id %q; it was matched by order", name, r.ID))
		r.ID = c.ID
	}
	if r.Content == nil {
		notes = append(notes, fmt.Sprintf("the result of call %s is null; it was taken as empty", name))
		r.Content = domains.Text("")
	}
	return r, notes
}

// withoutOpenCalls cuts off a last message of calls that were never run, where the ending allows for one: only an error
// of a side, or a fault, comes between calls and their results (docs/reference/tau2.md#protocol).
func withoutOpenCalls(msgs []domains.Message, r sim.Reason) []domains.Message {
	n := len(msgs)
	if n == 0 || len(msgs[n-1].ToolCalls) == 0 || r.Evaluable() && r != sim.AgentError && r != sim.UserError {
		return msgs
	}
	return msgs[:n-1]
}
