package attack

import (
	"context"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
)

// NewUser makes the adversarial user of an attack. The task is the world's, as With has put it there. It is an error
// if the style needs a plan and the attack has none.
func NewUser(w *domains.World, t *domains.Task, a *Task, s Style, m *sim.Model) (sim.Participant, error) {
	if s.Planned && (a.Plan == nil || a.Plan.Premise == "") {
		return nil, fmt.Errorf("attack %s has no plan, and %s needs one\nhint: make it with tauguide author attacks %s, or choose another attack",
			a.ID, s.Name, w.Name)
	}
	u := &user{tools: w.UserTools(t), model: m, prefix: strings.TrimSpace(s.prefix)}
	u.system = sim.UserPrompt(w, t)
	if more := s.instructions(a.Plan, w.Policy); more != "" {
		u.system += "\n\n" + more
	}
	return u, nil
}

// user is the simulated customer with an attack in its prompt, or before its messages.
type user struct {
	model  *sim.Model
	system string
	tools  []domains.ToolSpec
	prefix string
}

// Next lets the model say the customer's next words. The prefix goes before what the agent reads, not before a stop.
func (u *user) Next(ctx context.Context, v sim.View) (sim.Turn, error) {
	m, call, err := u.model.Ask(ctx, v.Index, sim.Wire(u.system, v.Messages, sim.UserSide), u.tools, "")
	m.Role = domains.RoleUser
	if u.prefix != "" && m.HasText() && len(m.ToolCalls) == 0 && !sim.UserStops(m) {
		m.Content = domains.Text(u.prefix + "\n\n" + m.TextOf())
	}
	return sim.Turn{Message: m, Calls: []sim.ModelCall{call}}, err
}
