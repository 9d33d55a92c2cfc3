package domains_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/domains/value"
)

func mockWorld(t testing.TB, o domains.Options) *domains.World {
	return domaintest.Embedded(t, mock.Domain(), o)
}

func TestSelect(t *testing.T) {
	w, err := mock.Domain().Open(mockFolder(t, map[string]string{"split_tasks.json": `{"base": ["a", "b"], "one": ["a"], "none": []}`}), domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for split, want := range map[string]string{"": "b a", "base": "b a", "one": "a", "none": ""} {
		tasks, err := w.Select(split)
		var ids []string
		for _, task := range tasks {
			ids = append(ids, task.ID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want {
			t.Errorf("split %q: %q, %v; want %q, in the order of the task file", split, got, err, want)
		}
	}
	if _, err := w.Select("test"); err == nil || err.Error() != "domain mock has no split \"test\"\nhint: choose one of base, none, one" {
		t.Errorf("unknown split: %v", err)
	}
	if task, ok := w.Task("a"); !ok || task != &w.Tasks[1] {
		t.Error("task a is not found")
	}
	if _, ok := w.Task("gone"); ok {
		t.Error("a task that is not there is found")
	}
}

// TestSelectAcrossFiles has tasks in the files of their splits, and says which file is missing where one is.
func TestSelectAcrossFiles(t *testing.T) {
	content := map[string]string{
		"split_tasks.json": `{"base": ["a", "b"], "small": ["s1", "s2"], "full": ["s1", "b", "f", "a"], "lost": ["a", "s1", "x"], "torn": ["a", "y"]}`,
		"tasks_small.json": `[{"id": "s2", ` + brief + `}, {"id": "unlisted", ` + brief + `}, {"id": "s1", ` + brief + `}]`,
		"tasks_full.json":  `{"tasks": [{"id": "f", "ticket": "full", ` + brief + `}, {"id": "a", "ticket": "full", ` + brief + `}, {"id": "s1", ` + brief + `}]}`,
		"tasks_torn.json":  `[{"id": "z", ` + brief + `}]`,
	}
	const at = "tau2/domains/mock/"
	gap := func(split string, lists, gone int, first string) string {
		return fmt.Sprintf("domain mock: split %s lists %d tasks, and %d of them (%q first) are not in the task files\n"+
			"hint: put them into tasks_%s.json and open the data for this split, or choose a split that is complete: base", split, lists, gone, first, split)
	}
	for _, tt := range []struct {
		name, open, split, want, all, read, fails string
	}{
		{"in tasks.json", "base", "base", "b a", "b a", "", ""},
		{"no split", "", "", "b a", "b a", "", ""},
		{"in a file of its own", "small", "small", "s2 s1", "s2 s1 b a", "tasks_small.json", ""},
		{"in both, in the order of its own file", "full", "full", "f a s1 b", "f a s1 b", "tasks_full.json", ""},
		{"another one than was opened", "small", "base", "b a", "s2 s1 b a", "tasks_small.json", ""},
		{"no file", "lost", "lost", "", "b a", "", gap("lost", 3, 2, "s1")},
		{"not in the file", "torn", "torn", "", "b a", "tasks_torn.json", gap("torn", 2, 1, "y")},
		{"not asked for", "base", "small", "", "b a", "", gap("small", 2, 2, "s1")},
		{"every split", domains.EverySplit, "full", "b a f s1", "b a f s1 s2", "tasks_full.json tasks_small.json tasks_torn.json", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := mock.Domain().Open(mockFolder(t, content), domains.Options{Split: tt.open})
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := w.Select(tt.split)
			var got, all, read []string
			for _, task := range tasks {
				got = append(got, task.ID)
			}
			for _, task := range w.Tasks {
				all = append(all, task.ID)
			}
			for _, s := range w.Sources {
				if name := strings.TrimPrefix(s.Path, at); strings.HasPrefix(name, "tasks_") {
					read = append(read, name)
				}
			}
			if diff := cmp.Diff([]string{tt.want, tt.all, tt.read}, []string{strings.Join(got, " "), strings.Join(all, " "), strings.Join(read, " ")}); diff != "" {
				t.Errorf("tasks of the split, of the world, and task files (-want +got):\n%s", diff)
			}
			if said := message(err); said != tt.fails {
				t.Errorf("error %q, want %q", said, tt.fails)
			}
		})
	}
	w, err := mock.Domain().Open(mockFolder(t, content), domains.Options{Split: "full"})
	if err != nil {
		t.Fatal(err)
	}
	if task, ok := w.Task("a"); !ok || task.Ticket == nil || *task.Ticket != "full" {
		t.Error("a task of the split is not the one of the split's file")
	}
	content["tasks_small.json"] = `[{}]`
	if _, err := mock.Domain().Open(mockFolder(t, content), domains.Options{Split: "small"}); !strings.HasPrefix(message(err), at+"tasks_small.json: line 1: task 0 has no id") {
		t.Errorf("broken file of a split: %v", err)
	}
}

// TestGoalsOfACopy wants a copy of a world to keep nothing in the world that it was made of.
func TestGoalsOfACopy(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	copied := w.WithTasks(nil)
	made := 0
	for _, in := range []*domains.World{copied, copied, w} {
		if _, err := in.Goal(&w.Tasks[0], func() (*domains.Env, error) { made++; return nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	if made != 2 {
		t.Errorf("the goal was made %d times, want once in each", made)
	}
}

func TestWithTasks(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	first, count := w.Tasks[0].ID, len(w.Tasks)
	tasks := parseTasks(t, `[{"id": "new", `+brief+`}, {"id": "`+first+`", "ticket": "mine", `+brief+`}]`)
	got := w.WithTasks(tasks)
	if len(got.Tasks) != count+1 || got.Tasks[count].ID != "new" || got.Tasks[0].Ticket == nil || *got.Tasks[0].Ticket != "mine" {
		t.Errorf("%d tasks, the first is %+v", len(got.Tasks), got.Tasks[0])
	}
	if len(w.Tasks) != count || w.Tasks[0].Ticket != nil && *w.Tasks[0].Ticket == "mine" {
		t.Error("the world itself was changed")
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func names(specs []domains.ToolSpec) string {
	var out []string
	for _, s := range specs {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func TestOfferedTools(t *testing.T) {
	const agents, users = "create_task get_users update_task_status transfer_to_human_agents", "check_notifications dismiss_notification"
	w, solo := mockWorld(t, domains.Options{}), mockWorld(t, domains.Options{Solo: true})
	if got := names(w.AgentTools()); got != agents {
		t.Errorf("agent: %s", got)
	}
	if got := names(solo.AgentTools()); got != agents+" "+users {
		t.Errorf("agent alone: %s", got)
	}
	list := func(l ...string) *[]string { return &l }
	for _, tt := range []struct {
		name string
		own  *[]string
		want string
	}{
		{"all by default", nil, users},
		{"some", list("dismiss_notification"), "dismiss_notification"},
		{"in the order of the domain", list("dismiss_notification", "check_notifications"), users},
		{"none", list(), ""},
		{"an unknown one leaves none", list("check_notifications", "get_users"), ""},
	} {
		if got := names(w.UserTools(&domains.Task{UserTools: tt.own})); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	bare := &domains.World{Agent: w.Agent}
	if got := bare.UserTools(&domains.Task{UserTools: list("check_notifications")}); got != nil {
		t.Errorf("a domain without user tools offers %v", got)
	}
}

func TestMutating(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	for _, tt := range []struct {
		name, criteria string
		want           bool
	}{
		{"no criteria", `null`, false},
		{"no actions", `{"actions": null}`, false},
		{"a reader", `{"actions": [{"name": "get_users"}]}`, false},
		{"a generic tool", `{"actions": [{"name": "transfer_to_human_agents"}]}`, false},
		{"a writer", `{"actions": [{"name": "get_users"}, {"name": "create_task"}]}`, true},
		{"a writer of the user's", `{"actions": [{"name": "dismiss_notification", "requestor": "user"}]}`, false},
		{"the user cannot call the agent's", `{"actions": [{"name": "create_task", "requestor": "user"}]}`, false},
		{"unknown tool", `{"actions": [{"name": "fly"}]}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks := parseTasks(t, `[{"id": "a", `+brief+`, "evaluation_criteria": `+tt.criteria+`}]`)
			if got := tasks[0].Mutating(w); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestKit(t *testing.T) {
	tool := domains.Tool{Kind: domains.Write, Spec: domains.ToolSpec{Name: "put"}}
	k := domains.NewKit("Class", []domains.Tool{tool, {Kind: domains.Think, Spec: domains.ToolSpec{Name: "think"}}}, nil)
	if got, ok := k.Tool("put"); !ok || got != &k.Tools[0] || !k.Mutates("put") || k.Mutates("think") || k.Mutates("gone") {
		t.Error("the kit does not know its tools")
	}
	var none *domains.Kit
	if _, ok := none.Tool("put"); ok || none.Mutates("put") || none.Specs() != nil {
		t.Error("a kit that is not there has tools")
	}
	defer func() {
		if recover() == nil {
			t.Error("a tool declared twice goes unnoticed")
		}
	}()
	domains.NewKit("Class", []domains.Tool{tool, tool}, nil)
}

func TestMessages(t *testing.T) {
	var msgs []domains.Message
	const text = `[{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "name": "f", "arguments": {"a": 25.0}}]},
		{"role": "tool", "id": "1", "content": "x", "error": true},
		{"role": "user", "content": " \n", "tool_calls": [{"id": "2", "name": "g", "arguments": {}}]},
		{"role": "tool", "id": "2", "content": "y", "requestor": "user"},
		{"role": "assistant", "content": "Hi", "tool_calls": []},
		{"role": "user", "content": "Bye", "turn_idx": 3}]`
	if err := json.Unmarshal([]byte(text), &msgs); err != nil {
		t.Fatal(err)
	}
	type seen struct {
		Side               domains.Side
		Text               string
		HasText, Call, Err bool
		Requestor          domains.Side
	}
	var got []seen
	for _, m := range msgs {
		s := seen{m.Side(), m.TextOf(), m.HasText(), m.IsToolCall(), m.Error, m.Requestor}
		if len(m.ToolCalls) > 0 {
			s.Requestor = m.ToolCalls[0].Requestor
		}
		got = append(got, s)
	}
	agent, user := domains.AgentSide, domains.UserSide
	if diff := cmp.Diff([]seen{
		{agent, "", false, true, false, agent}, {agent, "x", true, false, true, agent}, {user, " \n", false, true, false, user},
		{user, "y", true, false, false, user}, {agent, "Hi", true, true, false, ""}, {user, "Bye", true, false, false, ""},
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a := msgs[0].ToolCalls[0].ArgumentsMap(); a.Len() != 1 || msgs[0].ToolCalls[0].Arguments.Repr() != "{'a': 25.0}" {
		t.Errorf("arguments %s", msgs[0].ToolCalls[0].Arguments.Repr())
	}
	call := domains.ToolCall{ID: "7", Requestor: user}
	res := domains.ResultMessage(call, domains.ToolResult{Content: "no", Error: true})
	if res.Role != domains.RoleTool || res.ID != "7" || res.Requestor != user || *res.Content != "no" || !res.Error {
		t.Errorf("result message %+v", res)
	}
	if m := (domains.ToolCall{Malformed: "{"}).ArgumentsMap(); m != nil {
		t.Errorf("a malformed call has the arguments %v", m)
	}
}

func TestActionRoundTrip(t *testing.T) {
	const text = `{"action_id":"x","requestor":"user","name":"f","arguments":{"a":25.0},"info":null,"compare_args":["a"]}`
	var a domains.Action
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(a)
	if err != nil || string(out) != text {
		t.Errorf("got %s, %v", out, err)
	}
	if c := a.Call(); c.Name != "f" || c.Requestor != domains.UserSide || c.ID != "" || !value.Identical(c.Arguments, a.Arguments) {
		t.Errorf("as a call: %+v", c)
	}
}

// TestGoal: what a task aims at is found once for all who ask at the same time, and a failure stays one.
func TestGoal(t *testing.T) {
	w := mockWorld(t, domains.Options{})
	broken := errors.New("no such plan")
	for task, want := range map[*domains.Task]error{&w.Tasks[0]: nil, &w.Tasks[1]: broken} {
		var made atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := w.Goal(task, func() (*domains.Env, error) { made.Add(1); return &domains.Env{}, want }); err != want {
					t.Errorf("error %v, want %v", err, want)
				}
			})
		}
		wg.Wait()
		if made.Load() != 1 {
			t.Errorf("found %d times", made.Load())
		}
	}
}
