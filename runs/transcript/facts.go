package transcript

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/runs/store"
)

// Facts are those of a record in the order in which one asks for them. What its attempt spent is in one of the entries.
func (t Trial) Facts(attempts []store.Entry) []Argument {
	r := t.Record
	out := []Argument{{"domain", r.Domain}, {"system", r.System},
		{"ended", fmt.Sprintf("%s after %d steps, %d failed calls", r.Termination, r.Steps, r.ToolErrors)}}
	for _, e := range attempts {
		if e.Attempt == r.Attempt {
			out = append(out, Argument{"spent", fmt.Sprintf("%s, %s tokens, %s", Cost(e.Cost), Tokens(e.Tokens), Seconds(e.Seconds))})
		}
	}
	out = append(out, Argument{"attempt", fmt.Sprintf("%d, seed %d", r.Attempt, r.Seed)})
	if r.Times.Started != "" {
		out = append(out, Argument{"ran", r.Times.Started + " to " + r.Times.Finished})
	}
	for _, w := range t.Workflows {
		out = append(out, Argument{"workflow", w.Workflow.String()})
	}
	if r.Solo {
		out = append(out, Argument{"mode", "solo: without a user"})
	}
	return out
}

// Brief is what the user of the task was told; nothing of a task that is not at hand.
func (t Trial) Brief() (out []Argument) {
	if t.Task == nil {
		return nil
	}
	in := t.Task.UserScenario.Instructions
	for _, part := range []struct {
		name string
		text *string
	}{{"persona", t.Task.UserScenario.Persona}, {"brief", &in.Plain}, {"reason for the call", &in.ReasonForCall}, {"known", in.KnownInfo},
		{"not known", in.UnknownInfo}, {"instructions", &in.TaskInstructions}, {"ticket", t.Task.Ticket}} {
		if part.text != nil && strings.TrimSpace(*part.text) != "" {
			out = append(out, Argument{part.name, *part.text})
		}
	}
	return out
}
