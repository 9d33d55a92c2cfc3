package sim

import (
	"context"
	_ "embed"

	"github.com/tauguide/tauguide/domains"
)

// Our own instructions for the simulated user; a τ² data folder brings the reference's.
var (
	//go:embed guidelines/user.md
	plainGuidelines string
	//go:embed guidelines/user_tools.md
	toolGuidelines string
)

// user is the simulated customer: a model that is told the scenario and plays it.
type user struct {
	model  *Model
	system string
	tools  []domains.ToolSpec
}

// NewUser makes the simulated user of a task (docs/reference/tau2.md#participants).
func NewUser(w *domains.World, t *domains.Task, m *Model) Participant {
	tools := w.UserTools(t)
	return &user{model: m, tools: tools, system: UserPrompt(w, t)}
}

// UserPrompt is the system prompt of the simulated user: the guidelines, then the scenario, or the text that is given for
// it with both filled in.
func UserPrompt(w *domains.World, t *domains.Task) string {
	guide := w.Guidelines.Plain
	if guide == "" {
		guide = plainGuidelines
	}
	if len(w.UserTools(t)) > 0 {
		guide = w.Guidelines.WithTools
		if guide == "" {
			guide = toolGuidelines
		}
	}
	if given := w.Guidelines.Given; given != "" {
		whole, ok := FillIn(given, GuidelinesMark, guide, ScenarioMark, t.UserScenario.Text())
		if ok {
			return whole
		}
		guide = given
	}
	return guide + "\n\n<scenario>\n" + t.UserScenario.Text() + "\n</scenario>"
}

// Next lets the model say the customer's next words.
func (u *user) Next(ctx context.Context, v View) (Turn, error) {
	m, call, err := u.model.Ask(ctx, v.Index, Wire(u.system, v.Messages, UserSide), u.tools, "")
	m.Role = domains.RoleUser
	return Turn{Message: m, Calls: []ModelCall{call}}, err
}
