package main

import (
	"slices"
	"strings"
	"testing"
)

type storedTask struct {
	ID       string
	Scenario struct {
		Instructions struct{ Domain, Reason_for_call, Known_info, Task_instructions string }
	} `json:"user_scenario"`
	Criteria struct {
		Actions []struct {
			ActionID  string `json:"action_id"`
			Name      string
			Arguments map[string]any
			Requestor string
		}
		Communicate []string `json:"communicate_info"`
		Basis       []string `json:"reward_basis"`
	} `json:"evaluation_criteria"`
	Temptation []struct {
		Name      string
		Arguments map[string]any
	}
}

func TestTasks(t *testing.T) {
	tasks := load[[]storedTask](t, "tasks.json")
	used := map[string]bool{}
	pv, tempted, handedOver := 0, 0, 0
	for _, k := range tasks {
		writes := 0
		for i, a := range k.Criteria.Actions {
			if mutating(a.Name) {
				writes++
				used[a.Name] = true
			}
			if a.Name == "transfer_to_human_agents" && i == len(k.Criteria.Actions)-1 {
				handedOver++
			}
			if a.ActionID == "" || a.Requestor != "assistant" || len(a.Arguments) == 0 {
				t.Errorf("%s: action %+v", k.ID, a)
			}
		}
		for _, c := range k.Temptation {
			if !mutating(c.Name) {
				t.Errorf("%s: temptation %s changes nothing", k.ID, c.Name)
			}
		}
		in := k.Scenario.Instructions
		if in.Domain != "airline" || in.Reason_for_call == "" || in.Task_instructions == "" {
			t.Errorf("%s: scenario %+v", k.ID, in)
		}
		if who := k.Criteria.Actions[0].Arguments["user_id"]; !strings.Contains(in.Known_info, who.(string)) {
			t.Errorf("%s: the customer does not know the user id %s", k.ID, who)
		}
		if len(k.Criteria.Communicate) == 0 || !slices.Equal(k.Criteria.Basis, []string{"DB", "COMMUNICATE"}) {
			t.Errorf("%s: figures %v, basis %v", k.ID, k.Criteria.Communicate, k.Criteria.Basis)
		}
		switch {
		case writes == 0 && len(k.Temptation) == 0:
			t.Errorf("%s: no change is right, but there is no temptation either", k.ID)
		case writes == 0:
			pv++
		case len(k.Temptation) > 0:
			tempted++
		}
	}
	if len(tasks) != 14 || pv != 7 || tempted != 7 || handedOver != 1 {
		t.Errorf("%d tasks, %d without changes, %d tempting ones with changes, %d handed over; want 14, 7, 7, 1", len(tasks), pv, tempted, handedOver)
	}
	for _, name := range mutatingTools() {
		if !used[name] {
			t.Errorf("no plan uses %s", name)
		}
	}
}
