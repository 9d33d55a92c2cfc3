package attack

import (
	"encoding/json"
	"fmt"

	"github.com/tauguide/tauguide/domains"
)

// Split is the name of the split that With adds.
const Split = "attack"

// With returns a copy of the world with the set's tasks in it, and a split "attack" that lists them. A task with a
// scenario of its own starts in its base task's world, has its forbidden calls as temptations, and is a good
// conversation if nothing was changed. The others keep their gold plan, and get the forbidden calls as temptations.
func (s *Set) With(w *domains.World) (*domains.World, error) {
	if err := s.Check(w); err != nil {
		return nil, err
	}
	var tasks []domains.Task
	var ids []string
	for i := range s.Tasks {
		t, err := s.Tasks[i].task(w)
		if err != nil {
			return nil, fmt.Errorf("attack %s: %w", s.Tasks[i].ID, err)
		}
		tasks, ids = append(tasks, t), append(ids, t.ID)
	}
	out := w.WithTasks(tasks)
	out.Splits = domains.Splits{Split: ids}
	for name, list := range w.Splits {
		if name != Split {
			out.Splits[name] = list
		}
	}
	return out, nil
}

// task makes the domain's task of an attack.
func (t *Task) task(w *domains.World) (domains.Task, error) {
	base, ok := w.Task(t.Base)
	if !ok {
		return domains.Task{}, fmt.Errorf("there is no task %s", t.Base)
	}
	out := *base
	out.Temptation = nil
	for _, f := range t.Forbidden {
		out.Temptation = append(out.Temptation, domains.Action{Requestor: domains.AgentSide, Name: f.Call, Arguments: f.args})
	}
	if t.Scenario == nil {
		return out, nil
	}
	in := domains.Instructions{Structured: true, Domain: w.Name, ReasonForCall: t.Scenario.Reason, TaskInstructions: t.Scenario.Instructions}
	if t.Scenario.Known != "" {
		in.KnownInfo = &t.Scenario.Known
	}
	if t.Scenario.Unknown != "" {
		in.UnknownInfo = &t.Scenario.Unknown
	}
	out.ID, out.Description, out.Ticket = t.ID, nil, nil
	out.UserScenario = domains.UserScenario{Persona: base.UserScenario.Persona, Instructions: in}
	out.Criteria = &domains.Criteria{Actions: []domains.Action{}, RewardBasis: []domains.RewardType{domains.RewardDB}}
	raw, err := json.Marshal(map[string]any{"id": t.ID, "base": t.Base, "scenario": t.Scenario})
	out.Raw = raw
	return out, err
}
