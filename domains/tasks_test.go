package domains_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
)

// brief is the user's part of a task, which every task has.
const brief = `"user_scenario": {"persona": null, "instructions": "Ask."}`

func parseTasks(t *testing.T, text string) []domains.Task {
	t.Helper()
	tasks, err := domains.ParseTasks([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

func TestParseTasksForms(t *testing.T) {
	const one, two = `{"id": "a", ` + brief + `}`, `{"id": "b", ` + brief + `}`
	for _, tt := range []struct {
		name, text string
		ids        []string
	}{
		{"list", `[` + one + `, ` + two + `]`, []string{"a", "b"}},
		{"empty list", ` [ ] `, nil},
		{"object with the list", `{"version": {"tasks": 1}, "tasks": [` + one + `], "more": [[]]}`, []string{"a"}},
		{"byte-order mark", "\ufeff[" + one + "]", []string{"a"}},
		{"CRLF", "[\r\n" + one + ",\r\n" + two + "\r\n]\r\n", []string{"a", "b"}},
		{"unknown fields", `[{"id": "a", "annotations": {"x": [1e5, null]}, "Extra": 1, ` + brief + `}]`, []string{"a"}},
		{"repeated key", `[{"id": "z", "id": "a", ` + brief + `}]`, []string{"a"}},
		{"ids of any form", `[{"id": " ", ` + brief + `}, {"id": "é/1", ` + brief + `}]`, []string{" ", "é/1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ids []string
			for _, task := range parseTasks(t, tt.text) {
				ids = append(ids, task.ID)
			}
			if diff := cmp.Diff(tt.ids, ids); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseTasksErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", ``, `line 1: unexpected end of JSON input`},
		{"no list", `5`, `line 1: want a list of tasks`},
		{"object without tasks", "{\n\"task\": []}", `line 1: want a list of tasks, or an object with the list under tasks`},
		{"tasks of another type", "{\n\n\"tasks\": {}}", `line 1: want a list of tasks`},
		{"cut", "[\n{\"id\": \"a\"},\n", `line 3: unexpected end of JSON input`},
		{"cut object", `{"tasks": []`, `line 1: unexpected end of JSON input`},
		{"something behind", "[]\n\nx", `line 3: invalid character 'x' after top-level value`},
		{"two lists", "[]\n[]", `line 2: invalid character '[' after top-level value`},
		{"something behind the object", `{"tasks": []} {}`, `line 1: invalid character '{' after top-level value`},
		{"comma missing", "[{\"id\": \"a\"}\n{\"id\": \"b\"}]", `line 2: invalid character '{' after array element`},
		{"bad literal deep inside", "[\n{\"id\": \"a\",\n\n \"ticket\": nul}\n]", `line 4: invalid character '}' in literal null (expecting 'l')`},
		{"bad literal after CRLF", "[\r\n{\"id\": \"a\",\r\n \"ticket\": nul}\r\n]", `line 3: invalid character '}' in literal null (expecting 'l')`},
		{"wrong type", "[\n{\"id\": \"a\"},\n{\"id\": \"b\",\n \"ticket\": 5}]", `line 3: task 1 (id "b"): ticket: want a text, got: number`},
		{"wrong type far down", `[{"id": "a", "evaluation_criteria": {"actions": [{"name": 5}]}}]`,
			`line 1: task 0 (id "a"): evaluation_criteria.actions.name: want a text, got: number`},
		{"wrong truth", `[{"id": "a", "evaluation_criteria": {"env_assertions": [{"func_name": "f", "assert_value": "no"}]}}]`,
			`evaluation_criteria.env_assertions.assert_value: want true or false, got: string`},
		{"wrong list", `[{"id": "a", "user_tools": "all"}]`, `user_tools: want a list, got: string`},
		{"wrong object", `[{"id": "a", "initial_state": []}]`, `initial_state: want an object, got: array`},
		{"wrong number", `[{"id": "a", "initial_state": {"message_history": [{"role": "user", "turn_idx": "1"}]}}]`,
			`turn_idx: want a whole number, got: string`},
		{"no task", `[5]`, `line 1: task 0 (id ""): the task or a part of it: want an object, got: number`},
		{"no action", `[{"id": "a", "evaluation_criteria": {"actions": [5]}}]`, `want an object, got: number`},
		{"no id", "[\n{}]", "line 2: task 0 has no id\nhint: give it a text that no other task has"},
		{"null", `[null]`, `task 0 has no id`},
		{"id of another type", `[{"id": 5}]`, `task 0 (id ""): id: want a text, got: number`},
		{"repeated id", "[{\"id\": \"a\"},\n\n{\"id\": \"a\"}]", "line 3: task id \"a\" is already that of the task on line 1\nhint: rename one"},
		{"no reward basis", `[{"id": "a", "evaluation_criteria": {"reward_basis": null}}]`, "evaluation_criteria.reward_basis is null\nhint: leave the key out"},
		{"unknown reward", `[{"id": "a", "evaluation_criteria": {"reward_basis": ["DB", "db"]}}]`, `evaluation_criteria.reward_basis: unknown component "db"`},
		{"unknown requestor", `[{"id": "a", "evaluation_criteria": {"actions": [{"action_id": "a1", "name": "f", "requestor": "agent"}]}}]`,
			`action "a1" (f): requestor must be "assistant" or "user", not "agent"`},
		{"arguments that are no object", `[{"id": "a", "evaluation_criteria": {"actions": [{"action_id": "a1", "name": "f", "arguments": [1]}]}}]`,
			`action "a1" (f): arguments must be an object, not [1]`},
		{"brief without a reason", `[{"id": "a", "user_scenario": {"instructions": {"domain": "d", "task_instructions": "t"}}}]`,
			`user_scenario.instructions.reason_for_call is missing`},
		{"first of several gaps", `[{"id": "a", "user_scenario": {"instructions": {}}}]`, `user_scenario.instructions.domain is missing`},
		{"brief of another type", `[{"id": "a", "user_scenario": {"instructions": ["x"]}}]`, `user_scenario.instructions: want a text, or an object, not ["x"]`},
		{"no brief", `[{"id": "a", "user_scenario": {"instructions": null}}]`, `user_scenario.instructions: want a text, or an object, not null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks, err := domains.ParseTasks([]byte(tt.text))
			if err == nil {
				t.Fatalf("read as %d tasks, want an error", len(tasks))
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf(" got %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestTaskDefaults(t *testing.T) {
	tasks := parseTasks(t, `[{"id": "a", `+brief+`}, {"id": "b", `+brief+`, "evaluation_criteria": {
		"actions": [{"action_id": "x", "name": "f", "arguments": {"n": 25.0}}, {"name": "g", "requestor": "user", "compare_args": []}],
		"env_assertions": [{"env_type": "user", "func_name": "f", "arguments": {}}, {"func_name": "f", "assert_value": false}],
		"communicate_info": []}}, {"id": "c", `+brief+`, "evaluation_criteria": {"reward_basis": []}, "user_tools": []}]`)
	if a := tasks[0]; a.Criteria != nil || a.InitialState != nil || a.UserTools != nil || a.Ticket != nil || a.Description != nil {
		t.Errorf("an absent part is there: %+v", a)
	}
	c := tasks[1].Criteria
	if diff := cmp.Diff([]domains.RewardType{domains.RewardDB, domains.RewardCommunicate}, c.RewardBasis); diff != "" {
		t.Errorf("default basis (-want +got):\n%s", diff)
	}
	if c.Actions[0].Requestor != domains.AgentSide || c.Actions[0].CompareArgs != nil || c.Actions[0].Arguments.Repr() != `{'n': 25.0}` {
		t.Errorf("first action: %+v", c.Actions[0])
	}
	if c.Actions[1].Requestor != domains.UserSide || c.Actions[1].CompareArgs == nil || len(*c.Actions[1].CompareArgs) != 0 {
		t.Errorf("second action: %+v", c.Actions[1])
	}
	if !c.EnvAssertions[0].Want || c.EnvAssertions[1].Want || c.EnvAssertions[0].Side != domains.UserSide {
		t.Errorf("assertions: %+v", c.EnvAssertions)
	}
	if c.CommunicateInfo == nil || c.NLAssertions != nil {
		t.Errorf("an empty list and none are not kept apart: %#v, %#v", c.CommunicateInfo, c.NLAssertions)
	}
	if b := tasks[2].Criteria.RewardBasis; b == nil || len(b) != 0 || tasks[2].UserTools == nil {
		t.Errorf("an empty basis is read as %#v", b)
	}
	if raw := string(tasks[0].Raw); raw != `{"id": "a", `+brief+`}` {
		t.Errorf("raw task: %s", raw)
	}
}

func TestScenarioText(t *testing.T) {
	for _, tt := range []struct{ name, scenario, want string }{
		{"plain", `{"persona": null, "instructions": "hello\nworld"}`, "Instructions:\n\thello\n\tworld"},
		{"persona", `{"persona": "Old.\nDeaf.", "instructions": "Go."}`, "Persona:\n\tOld.\n\tDeaf.\nInstructions:\n\tGo."},
		{"empty persona", `{"persona": "", "instructions": "Go."}`, "Persona:\n\nInstructions:\n\tGo."},
		{"structured", `{"instructions": {"domain": "retail", "reason_for_call": "You want\nmoney.", "known_info": null, "task_instructions": "Be brief."}}`,
			"Instructions:\n\tDomain: retail\n\tReason for call:\n\t\tYou want\n\t\tmoney.\n\tTask instructions:\n\t\tBe brief."},
		{"structured in full", `{"instructions": {"domain": "d", "reason_for_call": "r", "known_info": "k", "unknown_info": "u", "task_instructions": "t"}}`,
			"Instructions:\n\tDomain: d\n\tReason for call:\n\t\tr\n\tKnown info:\n\t\tk\n\tUnknown info:\n\t\tu\n\tTask instructions:\n\t\tt"},
		{"empty is not null", `{"instructions": {"domain": "d", "reason_for_call": "r", "known_info": "", "unknown_info": null, "task_instructions": "t"}}`,
			"Instructions:\n\tDomain: d\n\tReason for call:\n\t\tr\n\tKnown info:\n\n\tTask instructions:\n\t\tt"},
		{"blank lines stay bare", `{"instructions": "a\n\n  \nb\n"}`, "Instructions:\n\ta\n\n  \n\tb\n"},
		{"other line ends", `{"instructions": "a\r\nb\rc\u2028d\u0085e\u000bf"}`, "Instructions:\n\ta\r\n\tb\r\tc\u2028\td\u0085\te\v\tf"},
		{"separators are white space", `{"instructions": "a\u001c\u001f\u001d b\u001e"}`, "Instructions:\n\ta\x1c\x1f\x1d\t b\x1e"},
		{"own indentation", `{"instructions": "\ta\n  b"}`, "Instructions:\n\t\ta\n\t  b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks := parseTasks(t, `[{"id": "a", "user_scenario": `+tt.scenario+`}]`)
			if diff := cmp.Diff(tt.want, tasks[0].UserScenario.Text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParseTasks holds that no file panics, and that what is accepted has unique ids and a text for the user.
func FuzzParseTasks(f *testing.F) {
	f.Add([]byte(`[{"id": "a", ` + brief + `}]`))
	f.Add([]byte(`{"tasks": [{"id": "a", "evaluation_criteria": {"actions": [{"name": "f", "arguments": {"x": 1}}]}}], "x": 1}`))
	f.Add([]byte("\ufeff[{\"id\": \"a\"},\r\n{\"id\": \"a\"}]"))
	f.Add([]byte(`[{"id": "a", "initial_state": {"message_history": [{"role": "tool"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		tasks, err := domains.ParseTasks(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("error without a line: %v", err)
			}
			return
		}
		seen := map[string]bool{}
		for _, task := range tasks {
			if task.ID == "" || seen[task.ID] {
				t.Errorf("id %q is empty or taken", task.ID)
			}
			seen[task.ID] = true
			if !strings.Contains(task.UserScenario.Text(), "Instructions:") {
				t.Errorf("scenario %q", task.UserScenario.Text())
			}
		}
	})
}
