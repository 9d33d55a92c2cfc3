package domains

import (
	"errors"
	"fmt"
	"regexp"

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

// Replay brings the environment to the state that a recorded conversation left: every recorded call of a mutating tool
// is run again by its recorded requestor, results are compared as JSON values where both are JSON
// (docs/reference/domains.md#replay). A strict replay stops with a *DriftError at the first difference, a lenient
// one collects them. Calls without their results, or the other way round, are errors in both.
func (e *Env) Replay(msgs []Message, strict bool) ([]Drift, error) {
	steps, err := pair(msgs)
	if err != nil {
		return nil, err
	}
	if e.solo {
		for i, m := range msgs {
			if m.Role == RoleUser {
				return nil, Refuse("message %d: User messages are not allowed in solo mode", i)
			}
		}
	}
	var drifts []Drift
	for _, s := range steps {
		if !e.mutates(s.call.Name) {
			continue
		}
		res, failure := e.call(s.call.Requestor, s.call)
		rec := msgs[s.result].Content
		if rec == nil {
			return drifts, fmt.Errorf("message %d: the recorded result of %s is null", s.result, s.call.Name)
		}
		if SameContent(res.Content, *rec) || sameRefusal(failure, *rec) {
			continue
		}
		d := Drift{Index: s.result, Call: s.call, Got: res.Content, Recorded: *rec}
		if strict {
			return drifts, &DriftError{d}
		}
		drifts = append(drifts, d)
	}
	return drifts, e.Sync()
}

// mutates looks a name up on both sides, the agent's first, whoever makes the call.
func (e *Env) mutates(name string) bool {
	if _, ok := e.world.Agent.Tool(name); ok {
		return e.world.Agent.Mutates(name)
	}
	return e.world.User.Mutates(name)
}

// step is a call and the index of the message with its result.
type step struct {
	call   ToolCall
	result int
}

// pair matches calls with the tool messages that must follow them, in order and by id.
func pair(msgs []Message) ([]step, error) {
	var steps []step
	for i := 0; i < len(msgs); i++ {
		m := msgs[i]
		if m.Role == RoleTool {
			return nil, Refuse("message %d: Tool message not expected. Tool messages should always follow a tool call.", i)
		}
		for _, c := range m.ToolCalls {
			i++
			switch {
			case i >= len(msgs):
				return nil, Refusal("Tool message expected. Got None.")
			case msgs[i].Role != RoleTool:
				return nil, Refuse("message %d: Tool message expected. Got a message of role %s", i, msgs[i].Role)
			case msgs[i].ID != c.ID:
				return nil, Refuse("message %d: Tool call id mismatch. Got %s and %s", i, c.ID, msgs[i].ID)
			}
			steps = append(steps, step{c, i})
		}
	}
	return steps, nil
}

// validationText is how the reference words that arguments make no valid record; the library's wording follows.
var validationText = regexp.MustCompile(`^Error: \d+ validation errors? for (\w+)\n`)

// sameRefusal reports whether a call failed now and when the reference recorded it because its arguments make no valid
// record of the same model. Only the wording differs then (docs/decisions/003-error-texts.md).
func sameRefusal(failure error, recorded string) bool {
	var invalid *record.InvalidError
	m := validationText.FindStringSubmatch(recorded)
	return m != nil && errors.As(failure, &invalid) && invalid.Model == m[1]
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
