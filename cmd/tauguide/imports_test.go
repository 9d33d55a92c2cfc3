package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// The tasks of recordedResult, as the program's own data has them in short.
const (
	wantsTask = `{"id": "add_task", "user_scenario": {"instructions": "Ask for bread."}, "evaluation_criteria": {"reward_basis": ["ACTION"],
		"actions": [{"action_id": "a", "name": "create_task", "arguments": {"user_id": "user_1", "title": "Buy bread"}}]}}`
	wantsNothing = `{"id": "false_done", "user_scenario": {"instructions": "Ask."}, "evaluation_criteria": {"reward_basis": ["DB"], "actions": []}}`
	addChecks    = `"action_checks": [{"action": {"action_id": "a", "name": "create_task", "arguments": {"user_id": "user_1", "title": "Buy bread"}},
		"action_match": false, "action_reward": 0}]`
)

// recordedResult is a result on mock in which each of the tasks was run once and failed; members replace parts of the text.
func recordedResult(tasks string, replace ...string) string {
	const one = `{"id": "%s", "task_id": "%s", "trial": 0, "seed": 1, "termination_reason": "user_stop", "start_time": "s", "end_time": "e", "duration": 1.5,
		"reward_info": {"reward": 0.0, "reward_basis": ["ACTION"]%s},
		"messages": [{"role": "assistant", "content": "Hi! How can I help you today?"}, {"role": "user", "content": "###STOP###"}]}`
	text := `{"timestamp": "t", "info": {"num_trials": 1, "max_steps": 30, "environment_info": {"domain_name": "mock", "policy": "p"},
		"agent_info": {"implementation": "llm_agent", "llm": "m"}, "user_info": {"implementation": "user_simulator", "llm": "u"}},
		"tasks": [` + tasks + `], "simulations": [` + fmt.Sprintf(one, "s1", "add_task", ", "+addChecks) + ", " + fmt.Sprintf(one, "s2", "false_done", "") + `]}`
	return strings.NewReplacer(replace...).Replace(text)
}

// written writes a file into a folder of its own.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// importedRun imports a result.
func importedRun(t *testing.T, file string, args ...string) (run, diag string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	_, diag, code := exchange(t, nil, append([]string{"import", "tau2", file, "--out", run}, args...)...)
	if code != exitOK {
		t.Fatalf("import of %s ended with %d: %s", file, code, diag)
	}
	return run, diag
}

// passTable is the table of Pass^k of a run, by slice: its planned trials, and the notes below it.
func passTable(t *testing.T, run string) (planned map[string]float64, notes string) {
	t.Helper()
	out, diag, code := exchange(t, nil, "tables", run, "--table", "pass", "--format", "json")
	if code != exitOK {
		t.Fatalf("tables ended with %d: %s", code, diag)
	}
	var tables []struct {
		Rows []struct {
			Tasks   string  `json:"slice"`
			Planned float64 `json:"planned"`
		} `json:"rows"`
		Notes []string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(out), &tables); err != nil || len(tables) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	planned = map[string]float64{}
	for _, r := range tables[0].Rows {
		planned[r.Tasks] = r.Planned
	}
	return planned, strings.Join(tables[0].Notes, "\n")
}

// TestImportPlansWhatTheSourcePlanned counts the trials that a result planned and does not have.
func TestImportPlansWhatTheSourcePlanned(t *testing.T) {
	file := written(t, "r.json", recordedResult(wantsTask+", "+wantsNothing, `"num_trials": 1`, `"num_trials": 4`))
	run, diag := importedRun(t, file)
	wants(t, "import", diag, "6 of the 8 planned trials are not in "+file)
	if planned, _ := passTable(t, run); planned["all"] != 8 || planned["Mut"] != 4 || planned["PV"] != 4 {
		t.Errorf("planned: %v, want 8, half of them Mut", planned)
	}
	for _, tasks := range []string{"", wantsTask} { // its list may lack tasks that ran
		run, _ := importedRun(t, written(t, "r.json", recordedResult(tasks, `"num_trials": 1`, `"num_trials": 4`)))
		if planned, _ := passTable(t, run); planned["all"] != 8 {
			t.Errorf("with the tasks %.20q: planned %v, want 8", tasks, planned)
		}
	}
	_, diag, _ = exchange(t, nil, "tables", run)
	wants(t, "tables", diag, "6 of the 8 planned trials", "hint: import the result again when it is complete")
	wants(t, "the pages", pagesOf(t, run), "2 of 8 planned trials run, 2 evaluable; not complete, and imported")
	if _, diag, code := exchange(t, nil, "import", "tau2", written(t, "x.json", recordedResult(wantsTask, `"num_trials": 1`, `"num_trials": 9000000000000`)), "--out", run+"2"); code != exitError || !strings.Contains(diag, "info.num_trials is 9000000000000") {
		t.Errorf("a plan without end: %d, %s", code, diag)
	}

	t.Run("recorded", func(t *testing.T) {
		shared := domaintest.Shared(t)
		real := filepath.Join(shared, "trajectories", "airline", "blakeelias__2025-10-06T06-45-09.212115_airline_llm_agent_grok-4-fast-reasoning_user_simulator_grok-4-fast-reasoning.json")
		run, _ = importedRun(t, real, "--data", filepath.Join(shared, "tau2"))
		if planned, _ := passTable(t, run); planned["all"] != 200 {
			t.Errorf("planned: %v, want 200", planned)
		}
	})
}

// TestTasksWithoutCriteria imports results that do not say what their tasks want.
func TestTasksWithoutCriteria(t *testing.T) {
	for _, tt := range []struct{ name, text, why string }{
		{"ids only", recordedResult(`{"id": "add_task"}, {"id": "false_done"}`, ", "+addChecks, ""), "the recorded task has no criteria"},
		{"no tasks", recordedResult("", `"tasks": [],`, "", ", "+addChecks, ""), "the result has no such task"},
		{"unreadable tasks", recordedResult(`{"id": "add_task", "user_scenario": 7, "evaluation_criteria": {}}, {"id": "false_done", "user_scenario": 7, "evaluation_criteria": {}}`, ", "+addChecks, ""),
			"the recorded task cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := written(t, "r.json", tt.text)
			run, _ := importedRun(t, file)
			planned, notes := passTable(t, run)
			if len(planned) != 1 || planned["all"] != 2 {
				t.Errorf("rows %v, want one of all tasks", planned)
			}
			wants(t, "the table's notes", notes, "2 trials of run run, such as mock/llm_agent:m/add_task/0: "+tt.why+": it is neither PV nor Mut, and where")

			run, _ = importedRun(t, file, "--data", "embedded")
			planned, notes = passTable(t, run)
			if planned["Mut"] != 1 || planned["PV"] != 1 {
				t.Errorf("with data: rows %v, want one trial in each slice", planned)
			}
			mark := tt.why + ": the data's of that id stands in for it"
			wants(t, "the table's notes", notes, "2 trials of run run, such as mock/llm_agent:m/add_task/0: "+mark)
			out, _, _ := exchange(t, nil, "show", run, "mock/llm_agent:m/add_task/0")
			wants(t, "show", out, "task (Mut): adds a task", mark)
			wants(t, "the page of the trial", pagesOf(t, run), strings.ReplaceAll(mark, "'", "&#39;"))
			if strings.HasPrefix(tt.name, "no") {
				return // told once for the file
			}
			out, _, _ = exchange(t, nil, "score", file, "--data", "embedded")
			wants(t, "score", out, "note: "+mark)
		})
	}
	t.Run("field", func(t *testing.T) {
		shared := domaintest.Shared(t)
		field := filepath.Join(shared, "field", "09-unknown-task-is-PV", "results.json")
		run, _ := importedRun(t, field)
		if planned, _ := passTable(t, run); planned["PV"] != 0 || planned["all"] != 8 {
			t.Errorf("without data: %v", planned)
		}
		run, _ = importedRun(t, field, "--data", filepath.Join(shared, "tau2"))
		if planned, _ := passTable(t, run); planned["PV"] != 0 || planned["Mut"] != 8 {
			t.Errorf("with data: %v", planned)
		}
	})
}

// pagesOf is the text of all pages of a run.
func pagesOf(t *testing.T, run string) string {
	t.Helper()
	pages := filepath.Join(t.TempDir(), "pages")
	if _, diag, code := exchange(t, nil, "view", run, "--export", pages); code != exitOK {
		t.Fatalf("view ended with %d: %s", code, diag)
	}
	var b strings.Builder
	err := filepath.WalkDir(pages, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" {
			return err
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCompareImports compares the systems of two results, whose names have colons.
func TestCompareImports(t *testing.T) {
	both := wantsTask + ", " + wantsNothing
	a, _ := importedRun(t, written(t, "a.json", recordedResult(both)))
	compare := func(replace ...string) (string, int) {
		b, _ := importedRun(t, written(t, "b.json", recordedResult(both, replace...)))
		out, diag, code := exchange(t, nil, "compare", a+":llm_agent:m", b+":mine:x", "--json")
		return out + diag, code
	}
	mine := []string{`"implementation": "llm_agent", "llm": "m"`, `"implementation": "mine", "llm": "x"`, `"num_trials": 1`, `"num_trials": 1, "git_commit": "c", "seed": 7`}
	if text, code := compare(mine...); code != exitOK || !strings.Contains(text, `"unlike": []`) && !strings.Contains(text, `"unlike":[]`) {
		t.Errorf("like runs: %d, %s", code, text)
	}
	for _, tt := range []struct{ name, old, new, want string }{
		{"user", `"llm": "u"`, `"llm": "v"`, "user.model is"},
		{"limits", `"max_steps": 30`, `"max_steps": 40`, "limits.max_steps is 30 in the first run and 40 in the second"},
		{"policy", `"policy": "p"`, `"policy": "q"`, "domains.mock.policy is"},
		{"tasks", `"instructions": "Ask."`, `"instructions": "Beg."`, "1 tasks of the same id are not the same in both, such as false_done"},
	} {
		if text, code := compare(append([]string{tt.old, tt.new}, mine...)...); code != exitUsage || !strings.Contains(text, tt.want) {
			t.Errorf("other %s: %d, %s; want %q", tt.name, code, text, tt.want)
		}
	}
}

// TestExportInventsNothing exports what a result says and leaves out what it does not.
func TestExportInventsNothing(t *testing.T) {
	lacking := recordedResult(`{"id": "add_task"}`, `"timestamp": "t",`, ``, `"num_trials": 1, "max_steps": 30, `, ``, `, "policy": "p"`, ``, `, "duration": 1.5`, ``, `"trial": 0, "seed": 1,`, ``)
	list := lacking[strings.Index(lacking, `"simulations": `)+len(`"simulations": `) : len(lacking)-1]
	for _, tt := range []struct{ name, text, info, tasks string }{
		{"members", lacking, `{"agent_info":{"implementation":"llm_agent","llm":"m"},"environment_info":{"domain_name":"mock"},"user_info":{"implementation":"user_simulator","llm":"u"}}`, `[{"id":"add_task"}]`},
		{"all but the simulations", list, `{"environment_info":{"domain_name":"mock"}}`, `[]`},
	} {
		run, _ := importedRun(t, written(t, "r.json", tt.text), "--domain", "mock", "--data", "embedded")
		file := filepath.Join(t.TempDir(), "out.json")
		if _, diag, code := exchange(t, nil, "export", "tau2", run, "--out", file); code != exitOK {
			t.Fatalf("%s: export ended with %d: %s", tt.name, code, diag)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Timestamp, Info, Tasks any
			Simulations            []map[string]any
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		info, _ := json.Marshal(got.Info)
		tasks, _ := json.Marshal(got.Tasks)
		if string(info) != tt.info || string(tasks) != tt.tasks || got.Timestamp != nil {
			t.Errorf("%s: info %s, tasks %s, timestamp %v", tt.name, info, tasks, got.Timestamp)
		}
		for _, name := range []string{"policy", "seed", "duration"} {
			if v := got.Simulations[0][name]; v != nil {
				t.Errorf("%s: %s of a simulation is %v", tt.name, name, v)
			}
		}
	}
}

// TestScoreGoesOn scores what can be read of a folder and tells the rest.
func TestScoreGoesOn(t *testing.T) {
	dir := t.TempDir()
	whole := recordedResult(wantsTask + ", " + wantsNothing)
	for name, text := range map[string]string{"a.json": whole, "b.json": whole[:len(whole)-60], "c.json": `{"info": {"a`, "d.json": whole,
		"e.json.gz": "\x1f\x8b\x08", "f.json": `[{"task_id": 0, "reward": 1.0, "traj": []}]`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, diag, code := exchange(t, nil, "score", dir, "--data", "embedded", "--domain", "mock")
	if code != exitError {
		t.Errorf("ended with %d", code)
	}
	wants(t, "score", out, "a.json: json, mock by llm_agent:m", "d.json: json, mock by llm_agent:m", "total: 5 trials: 3 agree, 2 differ")
	wants(t, "stderr", diag, "c.json: byte 12", "packed with gzip", "τ-bench, the first version", "4 of 6 results could not be scored to the end, such as this: ")
}

// TestDomainOfTheFile takes the domain from the member of the file, or of a simulation, that names it.
func TestDomainOfTheFile(t *testing.T) {
	text := recordedResult(wantsTask, `"domain_name": "mock", `, ``)
	bare := strings.NewReplacer(addChecks, "", ", "+addChecks, "").Replace(text)
	for name, text := range map[string]string{"file": `{"domain": "mock", ` + text[1:], "end of the file": bare[:len(bare)-1] + `, "domain": "mock"}`, "simulation": strings.Replace(text, `"task_id"`, `"domain": "mock", "task_id"`, 1)} {
		run, diag := importedRun(t, written(t, "r.json", text))
		if strings.Contains(diag, "unknown key domain of the file") {
			t.Errorf("%s: %s", name, diag)
		}
		if out, _, code := exchange(t, nil, "show", run, "mock/llm_agent:m/add_task/0"); code != exitOK {
			t.Errorf("%s: show ended with %d: %s", name, code, out)
		}
	}
}

// TestChecksOfAnotherTask says so where the recorded checks cannot be those of a simulation's task.
func TestChecksOfAnotherTask(t *testing.T) {
	const mark = "the recorded checks are not those of the task: its simulation may be of another one"
	whole := recordedResult(wantsTask + ", " + wantsNothing)
	for name, text := range map[string]string{"": whole, "add_task": strings.Replace(whole, addChecks, strings.Replace(addChecks, "bread", "milk", 1), 1)} {
		file := written(t, "r.json", text)
		run, imported := importedRun(t, file)
		_, notes := passTable(t, run)
		shown, _, _ := exchange(t, nil, "show", run, "mock/llm_agent:m/add_task/0")
		scored, _, _ := exchange(t, nil, "score", file, "--data", "embedded", "--all")
		for what, said := range map[string]bool{"import": strings.Contains(imported, "1 × simulations whose recorded checks are not those of their task"), "tables": strings.Contains(notes, mark),
			"show": strings.Contains(shown, mark), "score": strings.Count(scored, "note: "+mark) == 1} {
			if said != (name != "") {
				t.Errorf("%s: said %t of other checks %q", what, said, name)
			}
		}
	}
}

// TestFilesAreNamedForWhatTheyAre gives every command that reads files of a user's such as it cannot read.
func TestFilesAreNamedForWhatTheyAre(t *testing.T) {
	data := t.TempDir()
	db := filepath.Join(data, "tau2", "domains", "mock", "db.json")
	if err := os.MkdirAll(filepath.Dir(db), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(db), "policy.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"\x1f\x8b\x08\x00": "packed with gzip", "\xff\xfe[\x00": "UTF-16", "[\x00]\x00": "UTF-16", "\x00[\x00]": "UTF-16"} {
		file := written(t, "f.json", text)
		if err := os.WriteFile(db, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"import", "tau2", file, "--out", filepath.Join(data, "run")}, {"score", file, "--data", "embedded"}, {"run", file},
			{"domains", "check", "mock", "--data", data}} {
			_, diag, code := exchange(t, nil, args...)
			if code == exitOK || !strings.Contains(diag, want) || !strings.Contains(diag, "\nhint: ") {
				t.Errorf("%v ended with %d: %s; want %q", args, code, diag, want)
			}
		}
	}
	t.Run("field", func(t *testing.T) {
		_, diag, code := exchange(t, nil, "score", filepath.Join(domaintest.Shared(t), "field", "15-tau-bench-v1-file", "results.json"), "--data", "embedded")
		if code == exitOK || !strings.Contains(diag, "this is a result of τ-bench, the first version") {
			t.Errorf("score ended with %d: %s", code, diag)
		}
	})
}
