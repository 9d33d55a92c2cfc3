package tau2

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

// Strictness says how exactly a record must replay to be scored.
type Strictness string

// The levels. Lenient counts differences and repairs a damaged pairing of calls and results; Writes wants every result
// of a mutating call, every id and the pairing to be right; Full runs the reads again as well.
const (
	Lenient Strictness = "lenient"
	Writes  Strictness = "writes"
	Full    Strictness = "full"
)

// Verify replays a record and returns the first thing in it that is not as its own calls make it: a result, compared as
// JSON values where both are JSON, an id, or the order of calls and results. At level Full the results of reads and of
// calls of unknown tools are compared too. Unlike scoring, it looks at every record, however it ended.
func Verify(w *domains.World, t *domains.Task, r sim.Record, level Strictness) error {
	if level == Lenient || level == "" {
		return nil
	}
	msgs := withoutOpenCalls(r.Messages, r.Termination)
	env, err := w.New(t)
	if err != nil {
		return err
	}
	if _, err := env.Replay(msgs, true); err != nil {
		return err
	}
	if env, err = w.New(t); err != nil {
		return err
	}
	var open []domains.ToolCall
	for i, m := range msgs {
		if m.Role != domains.RoleTool {
			open = m.ToolCalls
			continue
		}
		c := open[0] // Replay saw that calls and results pair up
		open = open[1:]
		if level == Writes && !mutates(w, c.Name) {
			continue
		}
		got := env.Call(c.Requestor, c)
		switch {
		case m.Content == nil:
			return fmt.Errorf("message %d: the recorded result of %s is null", i, c.Name)
		case !domains.SameContent(got.Content, *m.Content):
			return &domains.DriftError{Drift: domains.Drift{Index: i, Call: c, Got: got.Content, Recorded: *m.Content}}
		case got.Error != m.Error:
			return fmt.Errorf("message %d: the result of %s is marked error %t, and is %t when run again", i, c.Name, m.Error, got.Error)
		}
	}
	return nil
}

// strictStop says where a strict replay in the reference stops in a record as it is exported: at the first write that the
// reference answers otherwise, be it that the recorded text is of another version, or that the file cannot have the call
// as the model made it. "" if nowhere, or where the reference does not replay, since the ending has no reward.
func strictStop(w *domains.World, r sim.Record) string {
	if w == nil || r.Termination != sim.UserStop && r.Termination != sim.AgentStop {
		return ""
	}
	t, ok := w.Task(r.Task)
	if !ok {
		return ""
	}
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k, c := range m.ToolCalls {
			read := domains.ToolCall{ID: c.ID, Name: c.Name, Requestor: c.Requestor}
			args, err := value.ParseString(writtenArguments(c).JSON())
			if err != nil {
				return fmt.Sprintf("message %d: the arguments of %s cannot be read: %v", i, c.Name, err)
			}
			read.Give(args)
			m.ToolCalls[k] = read
		}
	}
	err := Verify(w, t, r, Writes)
	if err == nil {
		return ""
	}
	why, _, _ := strings.Cut(err.Error(), "\nhint: ")
	return why
}

// mutates looks a name up as replay does: the agent's tools first, whoever calls.
func mutates(w *domains.World, name string) bool {
	if _, ok := w.Agent.Tool(name); ok {
		return w.Agent.Mutates(name)
	}
	return w.User.Mutates(name)
}
