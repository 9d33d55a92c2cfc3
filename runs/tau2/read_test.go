package tau2_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
)

const (
	head = `"timestamp":"t","info":{"num_trials":2,"environment_info":{"domain_name":"mock","policy":""},` +
		`"agent_info":{"implementation":"llm_agent","llm":"m/x"},"user_info":{"implementation":"user_simulator","llm":"u"}}`
	task = `{"id":"t1","user_scenario":{"instructions":"be"},"evaluation_criteria":{"actions":[]}}`
	// one is a simulation with a call; its id, task, trial and further members are filled in.
	one = `{"id":%q,"task_id":%q,%s"start_time":"a","end_time":"b","duration":1.50,"termination_reason":"user_stop","reward_info":{"reward":1.0},` +
		`"messages":[{"role":"assistant","content":"Hi! How can I help you today?"},{"role":"user","content":"do"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","name":"get_users","arguments":{"n":25.0,"big":12345678901234567890}}],"cost":0.10},` +
		`{"role":"tool","id":"c1","content":"[]"},{"role":"user","content":"###STOP###"}]}`
)

func single(id, task, members string) string { return fmt.Sprintf(one, id, task, members) }

func result(tasks string, sims ...string) string {
	return "{" + head + `,"tasks":[` + tasks + `],"simulations":[` + strings.Join(sims, ",") + "]}"
}

func openFS(t testing.TB, fsys fs.FS, name string) (*tau2.Source, error) {
	t.Helper()
	s, err := tau2.OpenFS(fsys, name, name)
	if err != nil {
		return nil, err
	}
	return s, s.NameAs("", "", all.Domains())
}

func TestLayouts(t *testing.T) {
	indexed := "{" + head + `,"tasks":[` + task + `],"simulation_index":[{"id":"a"},{"id":"b"}]}`
	plainDir := "{" + head + `,"tasks":[` + task + `],"format_version":2}`
	a, b := single("a", "t1", `"trial":0,"seed":7,`), single("b", "t1", `"trial":1,"seed":8,`)
	wrapped := func(id string) string {
		return `{"task_id":"t1","task":` + strings.Replace(task, `"be"`, `{"domain":"mock","reason_for_call":"","task_instructions":""}`, 1) +
			`,"run_info":{"simulation_id":"` + id + `","duration_sec":3.5,"termination_reason":"user_stop","agent_cost":0.25,"more":1},` +
			`"reward_info":{"reward":1.0},"messages":[{"role":"user","content":"###STOP###","timestamp":"s"}]}`
	}
	for _, tt := range []struct {
		name   string
		files  map[string]string
		open   string
		layout tau2.Layout
		ids    string
		odd    []string
	}{
		{"one file", map[string]string{"x.json": result(task, a, b)}, "x.json", tau2.LayoutJSON, "a/0 b/1", nil},
		{"simulations before the head", map[string]string{"x.json": `{"simulations":[` + a + `],"tasks":[` + task + `],` + head + "}"}, "x.json", tau2.LayoutJSON, "a/0", nil},
		{"byte-order mark", map[string]string{"x.json": "\ufeff" + result(task, a)}, "x.json", tau2.LayoutJSON, "a/0", nil},
		{"no tasks", map[string]string{"x.json": "{" + head + `,"simulations":[` + a + "]}"}, "x.json", tau2.LayoutJSON, "a/0", []string{"files without tasks"}},
		{"folder with an index", map[string]string{"results.json": indexed, "simulations/b.json": b, "simulations/a.json": a}, ".", tau2.LayoutDir, "a/0 b/1", nil},
		{"its file", map[string]string{"results.json": indexed, "simulations/b.json": b, "simulations/a.json": a}, "results.json", tau2.LayoutDir, "a/0 b/1", nil},
		{"older folder", map[string]string{"results.json": plainDir, "simulations/a.json": a}, ".", tau2.LayoutDir, "a/0", []string{"key format_version"}},
		{"crash left a file behind", map[string]string{"results.json": indexed, "simulations/a.json": a, "simulations/b.json": b,
			"simulations/c.json": single("c", "t1", `"trial":2,`), "simulations/.sim_x.json": "{"}, ".", tau2.LayoutDir, "a/0 b/1 c/2",
			[]string{"simulations that the index does not list"}},
		{"bare list", map[string]string{"x.json": "[" + strings.ReplaceAll(a, "get_users", "create_task") + "," + b + "]"}, "x.json", tau2.LayoutList, "a/0 b/1",
			[]string{"files that do not name their domain"}},
		{"one simulation", map[string]string{"x.json": strings.ReplaceAll(a, "get_users", "create_task")}, "x.json", tau2.LayoutSingle, "a/0", nil},
		{"wrapped", map[string]string{"x.json": wrapped("w")}, "x.json", tau2.LayoutSingle, "w/0", []string{"unknown key more of a simulation"}},
		{"list of wrapped", map[string]string{"x.json": "[" + wrapped("w") + "," + wrapped("v") + "]"}, "x.json", tau2.LayoutList, "w/0 v/1", nil},
		{"folder of wrapped, with an index", map[string]string{"index.json": `{"tasks":[{"task_id":"t1","reward":1}]}`, "t1.json": wrapped("w"), "t2.json": wrapped("v")},
			".", tau2.LayoutLoose, "w/0 v/1", []string{"index file index.json"}},
		{"same task and trial again", map[string]string{"x.json": result(task, a, single("c", "t1", `"trial":0,"seed":9,`), b)}, "x.json", tau2.LayoutJSON, "a/0 c/1 b/2",
			[]string{"rows of the same task and trial"}},
		{"word for word again", map[string]string{"x.json": result(task, a, a)}, "x.json", tau2.LayoutJSON, "a/0", []string{"simulations that are in the file twice"}},
		{"null trial and seed", map[string]string{"x.json": result(task, single("a", "t1", `"trial":null,"seed":null,`), single("b", "t1", `"trial":null,`))},
			"x.json", tau2.LayoutJSON, "a/0 b/1", []string{"null trial", "null seed"}},
		{"no simulations yet", map[string]string{"x.json": result(task)}, "x.json", tau2.LayoutJSON, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := openFS(t, files(tt.files), tt.open)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, one := range simulations(t, s) {
				ids = append(ids, fmt.Sprintf("%s/%d", one.ID, one.Record.Trial))
				if one.Record.Domain != "mock" || one.Record.Termination != sim.UserStop || one.Recorded == nil || one.Recorded.Reward != 1 {
					t.Errorf("%s: read as %+v", one.ID, one.Record)
				}
			}
			if got := strings.Join(ids, " "); got != tt.ids || s.Layout != tt.layout {
				t.Errorf("read %s as %s, want %s as %s", got, s.Layout, tt.ids, tt.layout)
			}
			for _, kind := range tt.odd {
				if deviation(s.Deviations(), kind) == 0 {
					t.Errorf("%q is not among the deviations %v", kind, s.Deviations())
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	dir := ""
	if shared := domaintest.Shared(t); shared != "" {
		dir = filepath.Join(shared, "trajectories", "formats")
	}
	for _, tt := range []struct{ name, text, want string }{
		{"camel case", string(readFile(t, filepath.Join(dir, "ChenXiaoTemp+tau2-bench__banking_run-results_camelCase.json"))), "(/info): this is a summary for a dashboard"},
		{"camel case without a head", `{"info":{},"tasks":[],"simulations":[{"taskId":"1","messages":[]}]}`, "summary for a dashboard"},
		{"index", string(readFile(t, filepath.Join(dir, "codesque16+tau2-bench__index.json"))), "(/tasks/0): this is an index"},
		{"voice", result(task, single("a", "t1", `"ticks":[{}],`)), "this is a voice run"},
		{"full duplex", result(task, single("a", "t1", `"mode":"full_duplex",`)), "this is a voice run"},
		{"voice by its info", `{"info":{"audio_native_config":{"x":1}},"simulations":[]}`, "this is a voice run"},
		{"task file", "[" + task + "]", "this is a file of tasks"},
		{"task file as an object", `{"tasks":[` + task + `]}`, "list of tasks without simulations"},
		{"submission", `{"model_name":"x","submitting_organization":"y"}`, "leaderboard submission"},
		{"own record", `{"version":1,"steps":1,"termination_reason":"user_stop"}`, "record of a run of this program"},
		{"something else", `{"a":1,"b":2}`, "its keys are a, b"},
		{"a number", `17`, "byte 0: want an object, got a number 17"},
		{"nothing", ``, "byte 0: the file ends in the middle"},
		{"no JSON", `results`, "byte 0"},
		{"unknown domain", strings.Replace(result(task), `"mock"`, `"banking_knowledge"`, 1), `of the domain "banking_knowledge": only`},
		{"index without files", "{" + head + `,"tasks":[],"simulation_index":[{"id":"a"}]}`, "no folder simulations beside it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := openFS(t, files(map[string]string{"x.json": tt.text}), "x.json")
			for _, e := range after(s, err) {
				err = e
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "x.json") {
				t.Errorf("got %v, want a refusal with %q", err, tt.want)
			}
		})
	}
}

// TestForeignFiles wants files that are no result of τ²-bench named for what they are, with the remedy.
func TestForeignFiles(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"first version", `[{"task_id":0,"reward":1.0,"info":{"source":"user"},"traj":[{"role":"user","content":"hi"}],"trial":0}]`,
			"this is a result of τ-bench, the first version"},
		{"first version, one conversation", `{"task_id":0,"reward":1.0,"traj":[]}`, "this is a result of τ-bench, the first version"},
		{"gzip", "\x1f\x8b\x08\x00", "packed with gzip\nhint: unpack it"},
		{"UTF-16", "\xff\xfe{\x00", "UTF-16 text"},
		{"UTF-16, the other way round", "\xfe\xff\x00{", "UTF-16 text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := openFS(t, files(map[string]string{"x.json": tt.text}), "x.json")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "\nhint: ") || !strings.HasPrefix(err.Error(), "x.json") {
				t.Errorf("got %v, want x.json and %q", err, tt.want)
			}
		})
	}
}

// after returns the error that reading on ends with.
func after(s *tau2.Source, err error) []error {
	if err != nil {
		return nil
	}
	for _, err := range s.Simulations() {
		if err != nil {
			return []error{err}
		}
	}
	return nil
}

// TestPlaces damages a file and checks that the error names the byte and the path.
func TestPlaces(t *testing.T) {
	whole := result(task, single("a", "t1", `"trial":0,`), single("b", "t1", `"trial":1,"agent_cost":NaN,"user_cost":-Infinity,`))
	second := strings.LastIndex(whole, `"id":"b"`)
	for _, tt := range []struct {
		name, old, new string
		path, text     string
	}{
		{"role", `"role":"tool"`, `"role":"tole"`, "/simulations/1/messages/3/role", `role "tole": want assistant, user, tool or system`},
		{"content", `"content":"do"`, `"content":[1]`, "/simulations/1/messages/1/content", "want a string, got a list"},
		{"messages", `"messages":[`, `"messages":{"x":[`, "/simulations/1/messages", "want a list, got an object"},
		{"call without a name", `"name":"get_users",`, ``, "/simulations/1/messages/2/tool_calls/0", "the call has no name"},
		{"task", `"task_id":"t1",`, ``, "/simulations/1", "the simulation has no task_id"},
		{"reward", `"reward_info":{"reward":1.0}`, `"reward_info":{"reward":1.0,"db_check":7}`, "/simulations/1", "reward_info of task t1"},
		{"flipped bit", `"duration":1.50`, `"duration":1.5~`, "/simulations/1", "invalid character '~'"},
		{"trial", `"trial":1`, `"trial":1.5`, "/simulations/1/trial", "want a whole number, got a number 1.5"},
		{"cut off", `"end_time":"b","duration"`, "\x00", "/simulations/1", "the file ends in the middle"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := strings.Index(whole[second:], tt.old)
			if at < 0 {
				t.Fatalf("no %s", tt.old)
			}
			at += second
			text := whole[:at] + tt.new + whole[at+len(tt.old):]
			if tt.new == "\x00" {
				text = whole[:at]
			}
			s, err := openFS(t, files(map[string]string{"x.json": text}), "x.json")
			for _, e := range after(s, err) {
				err = e
			}
			var place *tau2.Error
			if !errors.As(err, &place) {
				t.Fatalf("got %v, want an error with a place", err)
			}
			if !strings.HasPrefix(place.Path, tt.path) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want path %s and %q", err, tt.path, tt.text)
			}
			// What is missing is noticed only where its object ends.
			if place.Offset < int64(at) || place.Offset > int64(len(text)) || tt.old == `"duration":1.50` && place.Offset != int64(at+len(`"duration":1.5`)) {
				t.Errorf("byte %d for damage at byte %d", place.Offset, at)
			}
		})
	}
}

// TestMissingFile checks that an index that lists more than there is, is an error.
func TestMissingFile(t *testing.T) {
	_, err := openFS(t, files(map[string]string{"results.json": "{" + head + `,"tasks":[],"simulation_index":[{"id":"a"},{"id":"gone"}]}`,
		"simulations/a.json": single("a", "t1", "")}), ".")
	if err == nil || !strings.Contains(err.Error(), "1 simulations of the index have no file in simulations, first gone.json") {
		t.Errorf("got %v", err)
	}
}

// TestValuesStay checks that numbers keep their spelling and that nothing is lost.
func TestValuesStay(t *testing.T) {
	text := single("a", "t1", `"trial":0,"agent_cost":0.10,"user_cost":NaN,"provider_session_id":"p","own":{"x":1e2},`)
	text = strings.Replace(text, `"role":"user","content":"do"`, `"role":"user","content":"do \ud83d\ude00 \u202e","reasoning":null,"usage":{"prompt_tokens":7},"timestamp":"2025-01-01T00:00:00"`, 1)
	whole := strings.Replace(result(task, text), `"num_trials":2`, `"num_trials":2,"spent":Infinity`, 1)
	s, err := openFS(t, files(map[string]string{"x.json": whole}), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	got := simulations(t, s)[0]
	call := got.Record.Messages[2].ToolCalls[0]
	args, err := call.Arguments.MarshalJSON()
	if err != nil || string(args) != `{"n":25.0,"big":12345678901234567890}` {
		t.Errorf("arguments %s, %v", args, err)
	}
	extra := map[string]string{}
	for k, v := range got.Record.Extra {
		extra[k] = string(v)
	}
	want := map[string]string{"id": `"a"`, "start_time": `"a"`, "end_time": `"b"`, "duration": "1.50", "agent_cost": "0.10", "user_cost": "null",
		"provider_session_id": `"p"`, "seed": "null", "own": `{"x":1e2}`, "reward_info": `{"reward":1.0}`}
	if diff := cmp.Diff(want, extra); diff != "" {
		t.Errorf("extra (-want +got):\n%s", diff)
	}
	m := got.Record.Messages[1]
	if m.TextOf() != "do \U0001f600 \u202e" || string(m.Extra["reasoning"]) != "null" || string(m.Extra["usage"]) != `{"prompt_tokens":7}` {
		t.Errorf("message %+v", m)
	}
	if c := got.Record.Calls[1]; c.Cost == nil || *c.Cost != 0.1 || c.Role != "agent" || c.Model != "m/x" {
		t.Errorf("call %+v", c)
	}
	if c := got.Record.Calls[0]; c.Cost != nil || c.Usage.PromptTokens.N != 7 || c.Usage.CompletionTokens.Known {
		t.Errorf("call of unknown cost %+v", c)
	}
	if got.Record.Times.Seconds != 1.5 || got.Record.System != "llm_agent:m-x" || got.Record.Steps != 4 {
		t.Errorf("record %+v", got.Record)
	}
	if n := deviation(s.Deviations(), "literals NaN and Infinity"); n != 2 {
		t.Errorf("literals counted %d times, want twice: in the head, and in a simulation", n)
	}
	for _, kind := range []string{"unknown key own of a simulation", "unknown key reasoning of a message"} {
		if n := deviation(s.Deviations(), kind); n != 1 {
			t.Errorf("%s counted %d times, want once", kind, n)
		}
	}
}

func TestTerminations(t *testing.T) {
	for _, tt := range []struct {
		name, reason, extra string
		want                sim.Reason
		fault               string
	}{
		{"plain", `"max_steps"`, ``, sim.MaxSteps, ""},
		{"as an enumeration prints", `"TerminationReason.MAX_STEPS"`, ``, sim.MaxSteps, ""},
		{"upper case", `"USER_STOP"`, ``, sim.UserStop, ""},
		{"unexpected", `"unexpected_error"`, ``, sim.AgentError, "unexpected_error"},
		{"of another program", `"hallucination_limit"`, ``, sim.AgentError, "hallucination_limit"},
		{"infrastructure", `"infrastructure_error"`, `"info":{"error":"boom","error_type":"APIError"},`, sim.Infra, "APIError"},
		{"our own word", `"infrastructure_error"`, `"info":{"tauguide_termination_reason":"budget"},`, sim.Budget, "budget"},
		{"none", `null`, ``, sim.UserStop, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(single("a", "t1", tt.extra), `"termination_reason":"user_stop"`, `"termination_reason":`+tt.reason, 1)
			s, err := openFS(t, files(map[string]string{"x.json": result(task, text)}), "x.json")
			if err != nil {
				t.Fatal(err)
			}
			r := simulations(t, s)[0].Record
			fault := ""
			if r.Fault != nil {
				fault = r.Fault.Kind
			}
			if r.Termination != tt.want || fault != tt.fault {
				t.Errorf("got %s with fault %q, want %s with %q", r.Termination, fault, tt.want, tt.fault)
			}
		})
	}
}

// TestTrimmed reads messages without ids, as trimmed files have them, and calls with odd arguments.
func TestTrimmed(t *testing.T) {
	text := `{"id":"a","task_id":"t1","termination_reason":"user_stop","reward_info":null,"messages":[` +
		`{"role":"user","content":"","tool_calls":[{"id":"u1","name":"x","arguments":{}},{"id":"u2","name":"y","arguments":[1]}]},` +
		`{"role":"tool","content":"first"},{"role":"tool","content":"Error: second"},` +
		`{"role":"assistant","content":"bye","tool_calls":[]},{"role":"user","content":"###STOP###"}]}`
	whole := strings.Replace(result(task, text), `"num_trials":2`, `"num_trials":2,"spent":Infinity`, 1)
	s, err := openFS(t, files(map[string]string{"x.json": whole}), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	got := simulations(t, s)[0]
	msgs := got.Record.Messages
	if msgs[1].ID != "u1" || msgs[2].ID != "u2" || msgs[1].Requestor != domains.UserSide || msgs[1].Error || !msgs[2].Error {
		t.Errorf("results were not attributed: %+v", msgs[1:3])
	}
	if c := msgs[0].ToolCalls[1]; c.Malformed != "[1]" || c.Reason == "" || !c.Arguments.IsNull() {
		t.Errorf("arguments that are no object: %+v", c)
	}
	if msgs[3].ToolCalls == nil || got.Recorded != nil {
		t.Error("an empty list of calls became none, or a reward came from nowhere")
	}
}

// TestSecretsInArguments: credentials in the arguments of a model are masked wherever they are nested, and counted.
func TestSecretsInArguments(t *testing.T) {
	const args = `"llm_args":{"temperature":0.5,"api_key":"sk-top-012345","extra_body":{"options":[{"access_token":"tok-012345"}]},` +
		`"extra_headers":{"X-Key":"hdr-012345"},"api_base":"https://u:pw-012345@h.example/v1?sig=sig-012345"}`
	text := strings.Replace(result(task, single("a", "t1", `"trial":0,"seed":7,`)), `"llm":"m/x"`, `"llm":"m/x",`+args, 1)
	s, err := openFS(t, files(map[string]string{"x.json": text}), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"sk-top", "tok-0", "hdr-0", "pw-0", "sig-0"} {
		if strings.Contains(string(s.Header.Info), secret) {
			t.Errorf("%s is still in %s", secret, s.Header.Info)
		}
	}
	for _, name := range []string{"api_key", "access_token", "extra_headers", "api_base"} {
		if n := deviation(s.Deviations(), "secret "+name+" in llm_args"); n != 1 {
			t.Errorf("%s is counted %d times", name, n)
		}
	}
}
