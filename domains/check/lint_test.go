package check_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/check"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
)

// TestLints checks one task or policy at a time in the mock domain.
func TestLints(t *testing.T) {
	const scenario = `"user_scenario":{"instructions":"Your number is 42."}`
	const wrong = `{"name":"update_task_status","arguments":{"task_id":"task_1","status":"completed"}}`
	tempted := func(plan, temptation string) string {
		return `"evaluation_criteria":{"actions":[` + plan + `],"reward_basis":["DB"]},"temptation":[` + temptation + `]`
	}
	told := func(task, figure string) string {
		return strings.Replace(task, `"reward_basis":["DB"]`, `"communicate_info":["`+figure+`"],"reward_basis":["DB","COMMUNICATE"]`, 1)
	}
	good := `{"name":"create_task","action_id":"1","arguments":{"user_id":"user_1","title":"t"}}`
	for _, tt := range []struct{ name, task, policy, kind, field, why string }{
		{"nothing wrong", `"annotations":["a"],"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"]}`, "Use create_task.", "", "", ""},
		{"tool that nobody has", `"evaluation_criteria":{"actions":[` + good + `,{"name":"create_tusk","action_id":"2","arguments":{}}],"reward_basis":["DB"]}`, "",
			"unknown_tool", "evaluation_criteria.actions[1].name", `assistant has no tool "create_tusk" (nobody has it)`},
		{"tool of the other side", `"evaluation_criteria":{"actions":[{"name":"create_task","requestor":"user","action_id":"1","arguments":{}}],"reward_basis":["ACTION"]}`, "",
			"unknown_tool", "evaluation_criteria.actions[0].name", "it is the agent's"},
		{"argument too many", `"evaluation_criteria":{"actions":[` + strings.Replace(good, `"title"`, `"colour":"red","title"`, 1) + `],"reward_basis":["ACTION"]}`, "",
			"unknown_argument", "evaluation_criteria.actions[0].arguments.colour", "takes no such argument"},
		{"argument too few", `"evaluation_criteria":{"actions":[` + strings.Replace(good, `"title":"t"`, `"description":"d"`, 1) + `],"reward_basis":["ACTION"]}`, "",
			"unknown_argument", "evaluation_criteria.actions[0].arguments", "needs the argument title"},
		{"compared and absent", `"evaluation_criteria":{"actions":[` + strings.Replace(good, `"action_id"`, `"compare_args":["description"],"action_id"`, 1) + `],"reward_basis":["ACTION"]}`, "",
			"unknown_argument", "evaluation_criteria.actions[0].compare_args", "description is compared"},
		{"needle with a comma", `"evaluation_criteria":{"actions":[` + good + `],"communicate_info":["12","1,000"],"reward_basis":["DB","COMMUNICATE"]}`, "",
			"needle", "evaluation_criteria.communicate_info[1]", "no conversation can get a reward"},
		{"needle with a comma that does not count", `"evaluation_criteria":{"actions":[` + good + `],"communicate_info":["1,000"],"reward_basis":["DB"]}`, "",
			"needle", "evaluation_criteria.communicate_info[0]", "COMMUNICATE is not counted"},
		{"empty needle", `"evaluation_criteria":{"actions":[` + good + `],"communicate_info":[""],"reward_basis":["DB"]}`, "", "needle", "evaluation_criteria.communicate_info[0]", "always met"},
		{"blank needle", `"evaluation_criteria":{"actions":[` + good + `],"communicate_info":[" "],"reward_basis":["DB"]}`, "", "needle", "evaluation_criteria.communicate_info[0]", "white space"},
		{"no assertions to judge", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB","NL_ASSERTION"]}`, "", "auto_pass", "evaluation_criteria.nl_assertions", "NL_ASSERTION is counted"},
		{"nothing to tell", `"evaluation_criteria":{"actions":[` + good + `]}`, "", "auto_pass", "evaluation_criteria.communicate_info", "COMMUNICATE is counted"},
		{"null actions", `"evaluation_criteria":{"nl_assertions":["x"],"reward_basis":["DB","NL_ASSERTION"]}`, "", "auto_pass", "evaluation_criteria.actions", "actions are null"},
		{"no basis", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":[]}`, "", "auto_pass", "evaluation_criteria.reward_basis", "no component is counted"},
		{"nothing to do", `"evaluation_criteria":{"actions":[],"reward_basis":["DB"]}`, "", "idle_pass", "evaluation_criteria", "does nothing gets the reward 1"},
		{"only reads", `"evaluation_criteria":{"actions":[{"name":"get_users","action_id":"1","arguments":{}}],"reward_basis":["DB"]}`, "", "idle_pass", "evaluation_criteria", "does nothing"},
		{"misspelt criterion", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"],"comunicate_info":["12"]}`, "", "unknown_field", "evaluation_criteria.comunicate_info", `did you mean "communicate_info"?`},
		{"field of a fork", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"],"action_sets":[]}`, "", "unknown_field", "evaluation_criteria.action_sets", "use one of actions, "},
		{"misspelt in an action", `"evaluation_criteria":{"actions":[` + good + `,` + strings.Replace(good, `"action_id"`, `"compare_arg":["title"],"action_id"`, 1) + `],"reward_basis":["DB"]}`, "", "unknown_field", "evaluation_criteria.actions[1].compare_arg", `"compare_args"`},
		{"misspelt in an assertion", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"],"env_assertions":[{"env_type":"assistant","func_name":"assert_number_of_tasks","arguments":{"user_id":"user_1","expected_number":1},"assert_vale":false}]}`, "", "unknown_field", "evaluation_criteria.env_assertions[0].assert_vale", `"assert_value"`},
		{"misspelt in the initial state", `"initial_state":{"initialization_action":[]},"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"]}`, "", "unknown_field", "initial_state.initialization_action", `"initialization_actions"`},
		{"misspelt in the task", `"intial_state":{},"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"]}`, "", "unknown_field", "intial_state", `"initial_state"`},
		{"no criteria", `"ticket":"x"`, "", "idle_pass", "evaluation_criteria", "there are none"},
		{"tool of the user's in the policy", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"]}`, "Ask check_notifications first.", "policy_tool", "policy", "1 of the user's tools"},
		{"tool of nobody's in the policy", `"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"]}`, "Then call drop_task(id), or create_task(x).", "policy_tool", "policy", "neither side has: drop_task"},
		{"tool that the user does not have", `"user_tools":["fly"],"evaluation_criteria":{"actions":[` + good + `],"reward_basis":["DB"]}`, "", "user_tool", "user_tools[0]", `no tool "fly"`},
		{"temptation that fails", tempted(good, `{"name":"update_task_status","arguments":{"task_id":"task_9","status":"completed"}}`), "", "temptation", "temptation[0]", "update_task_status fails: Error: "},
		{"temptation that is right", tempted(good, good), "", "temptation", "temptation[0]", "is a step of the gold plan"},
		{"temptation without effect", tempted(good, `{"name":"update_task_status","arguments":{"task_id":"task_1","status":"pending"}}`), "", "temptation", "temptation[0]", "changes nothing"},
		{"temptation that nothing notices", strings.Replace(tempted(good, wrong), `["DB"]`, `["ACTION"]`, 1), "", "temptation", "temptation[0]", "in place of the gold plan gets the reward"},
		{"needless change", tempted(good+`,{"name":"update_task_status","arguments":{"task_id":"task_1","status":"pending"}}`, wrong), "", "needless_action", "evaluation_criteria.actions[1]", "can be left out"},
		{"figure of one digit", told(tempted(good, wrong), "7"), "", "figure", "evaluation_criteria.communicate_info[0]", "almost any message"},
		{"figure of two spellings", told(tempted(good, wrong), "12.50"), "", "figure", "evaluation_criteria.communicate_info[0]", "without its last 0"},
		{"figure that the customer names", told(tempted(good, wrong), "42"), "", "figure", "evaluation_criteria.communicate_info[0]", "named by the customer"},
		{"temptation that is one", told(tempted(good, wrong), "43"), "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := *domaintest.Real(t, mock.Domain(), domains.Options{})
			w.Policy = tt.policy
			if tt.kind == "policy_tool" && strings.Contains(tt.policy, "check_notifications") {
				w.Policy = strings.Replace(tt.policy, "check_notifications", w.User.Tools[0].Spec.Name, 1)
			}
			tasks, err := domains.ParseTasks([]byte(`[{"id":"x",` + scenario + `,` + tt.task + `}]`))
			if err != nil {
				t.Fatal(err)
			}
			w.Tasks, w.Splits = tasks, nil
			lints := check.World(&w).Lints
			if tt.kind == "" {
				if len(lints) > 0 {
					t.Errorf("found %+v", lints)
				}
				return
			}
			for _, l := range lints {
				if string(l.Kind) == tt.kind && l.Field == tt.field && strings.Contains(l.Why, tt.why) && (l.Task == "x") == (tt.kind != "policy_tool") {
					return
				}
			}
			t.Errorf("found %+v, want %s at %s: %s", lints, tt.kind, tt.field, tt.why)
		})
	}
}

// TestRealLints pins what the reference's data holds.
func TestRealLints(t *testing.T) {
	for _, tt := range []struct {
		domain domains.Domain
		want   map[check.LintKind]int
	}{
		{retail.Domain(), map[check.LintKind]int{check.LintAutoPass: 72, check.LintIdle: 6}},
		{airline.Domain(), map[check.LintKind]int{check.LintAutoPass: 44, check.LintIdle: 23}},
		{telecom.Domain(), map[check.LintKind]int{check.LintPolicy: 1}},
	} {
		got := map[check.LintKind]int{}
		for _, l := range check.World(domaintest.Real(t, tt.domain, domains.Options{})).Lints {
			got[l.Kind]++
		}
		for _, k := range []check.LintKind{check.LintTool, check.LintArgument, check.LintNeedle, check.LintAutoPass, check.LintIdle, check.LintPolicy, check.LintUserTool} {
			if got[k] != tt.want[k] {
				t.Errorf("%s: %d of %s, want %d", tt.domain.Name, got[k], k, tt.want[k])
			}
		}
	}
}
