package tau2

import (
	"github.com/tauguide/tauguide/domains"
)

// Over returns the world with the tasks that a result brought in place of the data's tasks of the same ids: they are
// what its conversations were about. It serves a nil head, of a run that was held here, by returning the world.
func (h *Header) Over(w *domains.World) *domains.World {
	if h == nil {
		return w
	}
	var tasks []domains.Task
	for _, t := range h.Tasks {
		if t.Task != nil {
			tasks = append(tasks, *t.Task)
		}
	}
	return w.WithTasks(tasks)
}

// Brought returns the task of that id that a result brought; it is false for a nil head, and for a task that cannot be
// read.
func (h *Header) Brought(id string) (*domains.Task, bool) {
	if h == nil {
		return nil, false
	}
	t, ok := h.Task(id)
	if !ok || t.Task == nil {
		return nil, false
	}
	return t.Task, true
}
