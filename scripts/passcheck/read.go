package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// changing are the agent's tools that change something, of the four domains.
var changing = []string{
	"book_reservation", "cancel_reservation", "send_certificate",
	"update_reservation_baggages", "update_reservation_flights", "update_reservation_passengers",
	"cancel_pending_order", "exchange_delivered_order_items", "modify_pending_order_address", "modify_pending_order_items",
	"modify_pending_order_payment", "modify_user_address", "return_delivered_order_items",
	"disable_roaming", "enable_roaming", "refuel_data", "resume_line", "send_payment_request", "suspend_line",
	"create_task", "update_task_status",
}

// task is what matters of a task: its gold actions.
type task struct {
	ID       string `json:"id"`
	Criteria *struct {
		Actions []struct {
			Name      string `json:"name"`
			Requestor string `json:"requestor"` // absent is the assistant
		} `json:"actions"`
	} `json:"evaluation_criteria"`
}

func (t task) mutates() bool {
	if t.Criteria == nil {
		return false
	}
	for _, a := range t.Criteria.Actions {
		if a.Requestor != "user" && slices.Contains(changing, a.Name) {
			return true
		}
	}
	return false
}

// reward is what a simulation was scored.
type reward struct {
	Reward *float64 `json:"reward"`
}

// simulation is what matters of one.
type simulation struct {
	TaskID string  `json:"task_id"`
	Reason string  `json:"termination_reason"`
	Reward *reward `json:"reward_info"`

	// Of a simulation that is wrapped with its task.
	Task *task `json:"task"`
	Run  struct {
		Reason string `json:"termination_reason"`
	} `json:"run_info"`

	mut bool
}

// read reads a result file, or a bare list of simulations.
func read(name string, other map[string]task) ([]simulation, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var file struct {
		Tasks       []task       `json:"tasks"`
		Simulations []simulation `json:"simulations"`
	}
	if err := json.Unmarshal(text, &file.Simulations); err != nil {
		file.Simulations = nil
		if err := json.Unmarshal(text, &file); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(file.Simulations) == 0 {
		return nil, fmt.Errorf("%s: no simulations", name)
	}
	tasks := map[string]task{}
	for _, t := range file.Tasks {
		tasks[t.ID] = t
	}
	for i := range file.Simulations {
		s := &file.Simulations[i]
		if s.Reason == "" {
			s.Reason = s.Run.Reason
		}
		t, ok := tasks[s.TaskID]
		switch {
		case s.Task != nil:
			t = *s.Task
		case !ok:
			t, ok = other[s.TaskID]
			if !ok {
				return nil, fmt.Errorf("%s: no task %q\nhint: give a file of tasks with -tasks", name, s.TaskID)
			}
		}
		s.mut = t.mutates()
	}
	return file.Simulations, nil
}
