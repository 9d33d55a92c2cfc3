package tau2_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkLoads reads an exported result as strictly as the reference's loader does
// (docs/reference/tau2.md#result-files): required members are there, with the right types, enumerations have legal
// values, and index and files agree. Without an info block in the source, the export has none that the loader would take.
func checkLoads(t testing.TB, name string, info bool) {
	t.Helper()
	l := &loader{t: t}
	st, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	file := name
	if st.IsDir() {
		file = filepath.Join(name, "results.json")
	}
	var o map[string]any
	if err := json.Unmarshal(readFile(t, file), &o); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if info {
		l.info(o["info"])
	}
	ids := map[string]bool{}
	for i, task := range l.list(o["tasks"], "tasks") {
		ids[l.task(task, fmt.Sprintf("tasks[%d]", i))] = true
	}
	var sims []any
	if st.IsDir() {
		if _, inline := o["simulations"]; inline {
			t.Error("a directory layout has no member simulations")
		}
		sims = l.folder(filepath.Join(name, "simulations"), l.list(o["simulation_index"], "simulation_index"))
	} else {
		sims = l.list(o["simulations"], "simulations")
		if v, ok := o["simulation_index"]; !ok || v != nil {
			t.Error("simulation_index of a monolithic file is null")
		}
	}
	for i, s := range sims {
		l.simulation(s, fmt.Sprintf("simulations[%d]", i), ids)
	}
}

type loader struct {
	t testing.TB
}

func (l *loader) bad(at, format string, args ...any) {
	l.t.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
}

func (l *loader) obj(v any, at string) map[string]any {
	o, ok := v.(map[string]any)
	if !ok {
		l.bad(at, "want an object, got %T", v)
	}
	return o
}

func (l *loader) list(v any, at string) []any {
	o, ok := v.([]any)
	if !ok {
		l.bad(at, "want a list, got %T", v)
	}
	return o
}

// types checks members: s string, n number, b boolean, o object, l list; ? allows null, ! wants the member.
func (l *loader) types(o map[string]any, at string, want map[string]string) {
	for name, kind := range want {
		v, there := o[name]
		if !there {
			if strings.Contains(kind, "!") {
				l.bad(at, "%s is missing", name)
			}
			continue
		}
		ok := false
		switch v.(type) {
		case nil:
			ok = strings.Contains(kind, "?")
		case string:
			ok = strings.Contains(kind, "s")
		case float64:
			ok = strings.Contains(kind, "n")
		case bool:
			ok = strings.Contains(kind, "b")
		case map[string]any:
			ok = strings.Contains(kind, "o")
		case []any:
			ok = strings.Contains(kind, "l")
		}
		if !ok {
			l.bad(at, "%s is %v, want %s", name, v, kind)
		}
	}
}

func (l *loader) oneOf(v any, at string, legal ...string) {
	if s, _ := v.(string); !slices.Contains(legal, s) {
		l.bad(at, "%v is not one of %v", v, legal)
	}
}

func (l *loader) info(v any) {
	o := l.obj(v, "info")
	l.types(o, "info", map[string]string{"git_commit": "!s", "num_trials": "!n", "max_steps": "!n", "max_errors": "!n", "user_info": "!o",
		"agent_info": "!o", "environment_info": "!o", "seed": "!n?", "text_streaming_config": "o?", "speech_complexity": "s?"})
	l.types(l.obj(o["user_info"], "user_info"), "user_info", map[string]string{"implementation": "!s", "llm": "!s?", "llm_args": "!o?",
		"global_simulation_guidelines": "!s?", "voice_settings": "?", "persona_config": "?"})
	l.types(l.obj(o["agent_info"], "agent_info"), "agent_info", map[string]string{"implementation": "!s", "llm": "!s?", "llm_args": "!o?"})
	l.types(l.obj(o["environment_info"], "environment_info"), "environment_info", map[string]string{"domain_name": "!s", "policy": "!s", "tool_defs": "o?"})
}

func (l *loader) task(v any, at string) string {
	o := l.obj(v, at)
	l.types(o, at, map[string]string{"id": "!s", "description": "o?", "user_scenario": "!o", "ticket": "s?", "initial_state": "o?",
		"evaluation_criteria": "o?", "issues": "l?", "required_documents": "l?", "user_tools": "l?"})
	id, _ := o["id"].(string)
	return id
}

func (l *loader) folder(dir string, index []any) (sims []any) {
	listed := map[string]bool{}
	for i, v := range index {
		o := l.obj(v, "simulation_index")
		l.types(o, fmt.Sprintf("simulation_index[%d]", i), map[string]string{"id": "!s", "task_id": "!sn", "trial": "!n", "reward": "n?",
			"termination_reason": "s?", "agent_cost": "n?", "duration": "n?"})
		id, _ := o["id"].(string)
		listed[id] = true
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, d := range list {
		var v any
		if err := json.Unmarshal(readFile(l.t, filepath.Join(dir, d.Name())), &v); err != nil {
			l.t.Fatal(err)
		}
		sims = append(sims, v)
		id := strings.TrimSuffix(d.Name(), ".json")
		if !listed[id] {
			l.bad(d.Name(), "not in the index")
		}
		delete(listed, id)
	}
	if len(listed) > 0 {
		l.bad("simulation_index", "no files for %v", listed)
	}
	return sims
}

func (l *loader) simulation(v any, at string, tasks map[string]bool) {
	o := l.obj(v, at)
	l.types(o, at, map[string]string{"id": "!s", "task_id": "!s", "timestamp": "s?", "start_time": "!s", "end_time": "!s", "duration": "!n",
		"termination_reason": "!s", "agent_cost": "n?", "user_cost": "n?", "reward_info": "o?", "messages": "!l", "trial": "n?", "seed": "n?",
		"mode": "s", "info": "o?", "hallucination_retries_used": "n", "policy": "s?"})
	l.oneOf(o["termination_reason"], at+".termination_reason", "user_stop", "agent_stop", "max_steps", "timeout", "too_many_errors", "agent_error",
		"user_error", "infrastructure_error", "context_window_exceeded", "unexpected_error")
	if id, _ := o["task_id"].(string); len(tasks) > 0 && !tasks[id] {
		l.bad(at, "task %s is not among the tasks: metrics would fail", id)
	}
	for i, m := range l.list(o["messages"], at+".messages") {
		l.message(m, fmt.Sprintf("%s.messages[%d]", at, i))
	}
	if ri, ok := o["reward_info"].(map[string]any); ok {
		l.reward(ri, at+".reward_info")
	}
}

func (l *loader) message(v any, at string) {
	o := l.obj(v, at)
	l.oneOf(o["role"], at+".role", "assistant", "user", "tool")
	if o["role"] == "tool" {
		l.types(o, at, map[string]string{"id": "!s", "content": "!s?", "requestor": "!s", "error": "!b", "turn_idx": "n?", "timestamp": "s"})
		l.oneOf(o["requestor"], at+".requestor", "assistant", "user")
		return
	}
	l.types(o, at, map[string]string{"content": "!s?", "tool_calls": "!l?", "is_audio": "b", "turn_idx": "n?", "timestamp": "s", "cost": "n?",
		"usage": "o?", "raw_data": "o?", "generation_time_seconds": "n?", "is_final_chunk": "b", "contains_speech": "b"})
	if o["tool_calls"] == nil {
		return
	}
	for i, c := range l.list(o["tool_calls"], at+".tool_calls") {
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		c := l.obj(c, at)
		l.types(c, at, map[string]string{"id": "s", "name": "!s", "arguments": "!o", "requestor": "s"})
		l.oneOf(c["requestor"], at+".requestor", "assistant", "user")
	}
}

func (l *loader) reward(o map[string]any, at string) {
	types := []string{"DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE"}
	l.types(o, at, map[string]string{"reward": "!n", "db_check": "o?", "env_assertions": "l?", "action_checks": "l?", "nl_assertions": "l?",
		"communicate_checks": "l?", "reward_basis": "l?", "reward_breakdown": "o?", "info": "o?"})
	if basis, ok := o["reward_basis"].([]any); ok {
		for _, b := range basis {
			l.oneOf(b, at+".reward_basis", types...)
		}
	}
	if parts, ok := o["reward_breakdown"].(map[string]any); ok {
		for name := range parts {
			l.oneOf(name, at+".reward_breakdown", types...)
		}
	}
	if db, ok := o["db_check"].(map[string]any); ok {
		l.types(db, at+".db_check", map[string]string{"db_match": "!b", "db_reward": "!n"})
	}
	each := func(name string, want map[string]string) {
		list, _ := o[name].([]any)
		for i, v := range list {
			l.types(l.obj(v, at), fmt.Sprintf("%s.%s[%d]", at, name, i), want)
		}
	}
	each("env_assertions", map[string]string{"env_assertion": "!o", "met": "!b", "reward": "!n"})
	each("action_checks", map[string]string{"action": "!o", "action_match": "!b", "action_reward": "!n", "tool_type": "s?"})
	each("nl_assertions", map[string]string{"nl_assertion": "!s", "met": "!b", "justification": "!s"})
	each("communicate_checks", map[string]string{"info": "!s", "met": "!b", "justification": "!s"})
}
