package domains

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Drift is a recorded result that re-executing its call does not give.
type Drift struct {
	Index    int // of the tool message in the trajectory
	Call     ToolCall
	Got      string
	Recorded string
}

// DriftError is the failure of a strict replay: the first drift.
type DriftError struct{ Drift Drift }

// Error names the call and both results.
func (e *DriftError) Error() string {
	return fmt.Sprintf("message %d: %s returned %s, recorded was %s\nhint: score leniently if the difference is known to be harmless",
		e.Drift.Index, e.Drift.Call.Name, clip(e.Drift.Got), clip(e.Drift.Recorded))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "..."
	}
	return s
}

// Rerun is a recorded call of a mutating tool that was run again.
type Rerun struct {
	Message, Place int // of the call: its message, and its place among the calls of it
	Result         int // the message with the recorded result
	Call           ToolCall
	Drift          *Drift // nil if the result is as recorded
}

// Replay brings the environment to the state that a recorded conversation left: every recorded call of a mutating tool
// is run again by its recorded requestor, results are compared as JSON values where both are JSON
// (docs/reference/domains.md#replay). A strict replay stops with a *DriftError at the first difference, a lenient
// one collects them. Calls without their results, or the other way round, are errors in both.
func (e *Env) Replay(msgs []Message, strict bool) ([]Drift, error) {
	var drifts []Drift
	for r, err := range e.Reruns(msgs) {
		switch {
		case err != nil:
			return drifts, err
		case r.Drift == nil:
		case strict:
			return drifts, &DriftError{*r.Drift}
		default:
			drifts = append(drifts, *r.Drift)
		}
	}
	return drifts, e.Sync()
}

// Reruns is a lenient Replay call by call, each yielded once it has run. An error ends it.
func (e *Env) Reruns(msgs []Message) iter.Seq2[Rerun, error] {
	return func(yield func(Rerun, error) bool) {
		steps, err := pair(msgs)
		if err != nil {
			yield(Rerun{}, err)
			return
		}
		if e.solo {
			for i, m := range msgs {
				if m.Role == RoleUser {
					yield(Rerun{}, Refuse("message %d: User messages are not allowed in solo mode", i))
					return
				}
			}
		}
		for _, r := range steps {
			if !e.mutates(r.Call.Name) {
				continue
			}
			res, failure := e.call(r.Call.Requestor, r.Call)
			rec := msgs[r.Result].Content
			if rec == nil {
				yield(r, fmt.Errorf("message %d: the recorded result of %s is null", r.Result, r.Call.Name))
				return
			}
			if !SameContent(res.Content, *rec) && !sameRefusal(failure, *rec) {
				r.Drift = &Drift{Index: r.Result, Call: r.Call, Got: res.Content, Recorded: *rec}
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// mutates looks a name up on both sides, the agent's first, whoever makes the call.
func (e *Env) mutates(name string) bool {
	if _, ok := e.world.Agent.Tool(name); ok {
		return e.world.Agent.Mutates(name)
	}
	return e.world.User.Mutates(name)
}

// pair matches calls with the tool messages that must follow them, in order and by id.
func pair(msgs []Message) ([]Rerun, error) {
	var steps []Rerun
	for i := 0; i < len(msgs); i++ {
		m, at := msgs[i], i
		if m.Role == RoleTool {
			return nil, Refuse("message %d: Tool message not expected. Tool messages should always follow a tool call.", i)
		}
		for k, c := range m.ToolCalls {
			i++
			switch {
			case i >= len(msgs):
				return nil, Refusal("Tool message expected. Got None.")
			case msgs[i].Role != RoleTool:
				return nil, Refuse("message %d: Tool message expected. Got a message of role %s", i, msgs[i].Role)
			case msgs[i].ID != c.ID:
				return nil, Refuse("message %d: Tool call id mismatch. Got %s and %s", i, c.ID, msgs[i].ID)
			}
			steps = append(steps, Rerun{Message: at, Place: k, Result: i, Call: c})
		}
	}
	return steps, nil
}

// validationText is how the reference words that arguments make no valid record; what follows is its library's, of any
// version.
var validationText = regexp.MustCompile(`^Error: \d+ validation errors? for (\w+)\n`)

// sameRefusal reports whether a call failed now and when it was recorded because its arguments make no valid record of
// the same model, in the words of another version of the reference's library or of ours before we had them.
func sameRefusal(failure error, recorded string) bool {
	var invalid *record.InvalidError
	if !errors.As(failure, &invalid) {
		return false
	}
	m := validationText.FindStringSubmatch(recorded)
	return m != nil && invalid.Model == m[1] || strings.HasSuffix(recorded, invalid.Error())
}

// SameContent compares two results as the reference does: as JSON values where both are JSON, so that spacing, key
// order and 1 against 1.0 do not matter, else as texts.
func SameContent(a, b string) bool {
	if a == b {
		return true
	}
	x, err := value.ParseString(a)
	if err != nil {
		return false
	}
	y, err := value.ParseString(b)
	return err == nil && value.Equal(x, y)
}
