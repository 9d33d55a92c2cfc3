package audit

import (
	"slices"

	"github.com/tauguide/tauguide/domains"
)

// Path is the conversation that completes a task's gold plan, whether the plan changes anything or not: what Gold puts to
// a workflow, without a workflow. The calls of both sides ran in the task's real environment.
type Path struct {
	Task     *domains.Task
	Messages []domains.Message // none where the plan holds no action
	// Err says why the plan cannot be completed; Messages is then what was held of the conversation.
	Err error
}

// Paths completes the gold plans of tasks of a domain. The error means that the domain has no driver.
func Paths(w *domains.World, tasks []*domains.Task) ([]Path, error) {
	drive, err := driverOf(w.Name)
	if err != nil {
		return nil, err
	}
	out := make([]Path, len(tasks))
	db := content(w)
	for i, task := range tasks {
		out[i].Task = task
		if task.Criteria == nil || len(task.Criteria.Actions) == 0 {
			continue
		}
		d, err := newDesk(w, nil, task, db, &Added{})
		if err != nil {
			out[i].Err = err
			continue
		}
		d.complete(drive.open(d))
		out[i].Messages, out[i].Err = slices.Clip(d.msgs), d.err
	}
	return out, nil
}

// complete holds the conversation around the plan's actions.
func (d *desk) complete(s script) {
	s.begin()
	for _, a := range d.plan() {
		if !d.changes(a) {
			s.follow(a)
			continue
		}
		call := a.Call()
		s.prepare(call)
		d.do(call.Name, call.Arguments)
		s.settle(call)
	}
}
