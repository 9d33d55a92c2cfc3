package main

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

const mistaken = `name: small
note: what mistakes are made around
trials: 1
models: {scripted: {synthetic: true}}
user: {model: scripted}
domains: [{name: mock, tasks: [add_task, finish_task]}]
systems: [{name: ReAct, agent: react, model: scripted}, {name: Noop, agent: noop}]
`

// TestTypicalMistakes makes the mistakes that are made most. Each is told with its place and its cure, and ends with the
// code that means it.
func TestTypicalMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"small.yaml":    mistaken,
		"other.yaml":    strings.NewReplacer("name: small", "name: other", "[add_task, finish_task]", "[rename_task]").Replace(mistaken),
		"indented.yaml": strings.Replace(mistaken, "trials: 1", "  trials: 1", 1),
		"tab.yaml":      strings.Replace(mistaken, "trials: 1", "limits:\n\tmax_steps: 9", 1),
		"key.yaml":      strings.Replace(mistaken, "trials:", "trails:", 1),
		"system.yaml":   strings.Replace(mistaken, "agent: react", "agent: raect", 1),
		"variable.yaml": strings.Replace(mistaken, "{synthetic: true}", "{model: gpt-4.1, key: $TAUGUIDE_NO_KEY}", 1),
		"model.yaml":    strings.Replace(mistaken, "ReAct, agent: react, model: scripted", "ReAct, agent: react, model: scirpted", 1),
		"changed.yaml":  strings.Replace(mistaken, "trials: 1", "trials: 1\nlimits: {max_steps: 9}", 1),
		"notes.txt":     "to do",
	}
	srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply {
		return faultserver.Status(404, `{"error": {"message": "The model gpt-9 does not exist", "code": "model_not_found"}}`)
	})
	files["endpoint.yaml"] = strings.Replace(mistaken, "{synthetic: true}", "{model: gpt-9, base_url: "+srv.URL+", key: none}", 1)
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"run", "small.yaml"}, {"run", "other.yaml"}, {"run", "small.yaml", "--out", filepath.Join("results", "empty")}} {
		if code, _, said := command(t, noEnv, args...); code != exitOK {
			t.Fatalf("%v: %s", args, said)
		}
	}
	for _, name := range []string{"trials", "index.jsonl", "scores.jsonl"} {
		if err := os.RemoveAll(filepath.Join("results", "empty", name)); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	for _, c := range []struct {
		name, args string
		code       int
		place      string // what the error names
		hint       string
	}{
		{"a config that is not there", "run smal.yaml", exitUsage, "smal.yaml: ", `did you mean "small.yaml"`},
		{"a config of the program, misspelt", "run quikstart", exitUsage, "quikstart", `did you mean "quickstart"`},
		{"a folder in place of a config", "run results", exitUsage, "results is no regular file but a folder", "name a file"},
		{"indentation", "run indented.yaml", exitUsage, "indented.yaml:3:", "in one column"},
		{"a tab", "run tab.yaml", exitUsage, "tab.yaml:4:", "spaces"},
		{"an unknown key", "run key.yaml", exitUsage, `key.yaml:3:1: unknown key "trails"`, `did you mean "trials"`},
		{"an unknown agent", "run system.yaml", exitUsage, `system.yaml:7:\d+: .*unknown agent "raect"`, `did you mean "react"`},
		{"a key that is not set", "run variable.yaml", exitUsage, "variable.yaml:4:.*TAUGUIDE_NO_KEY", "export it"},
		{"a model that the config does not have", "run model.yaml", exitUsage, `model.yaml:7:.*"scirpted"`, `did you mean "scripted"`},
		{"a model that the endpoint does not have", "run endpoint.yaml --out results/endpoint", exitIncomplete, "gpt-9 does not exist", "--resume"},
		{"a system that there is not", "run small.yaml --only system=Raect --out x", exitUsage, "system=Raect", `did you mean "ReAct"`},
		{"a filter without its value", "run small.yaml --only ReAct --out x", exitUsage, `filter "ReAct"`, "key=value"},
		{"filters that leave nothing", "run other.yaml --only agent=react --only system=Noop --out x", exitUsage, "leave no trial", "loosen one"},
		{"no number of trials", "run small.yaml --trials four", exitUsage, `"four" for "--trials"`, "tauguide run CONFIG"},
		{"a run that exists", "run small.yaml", exitUsage, "run results.small exists", "--resume"},
		{"resuming another config", "run changed.yaml --resume", exitUsage, "results.small was made with another setup.*max_steps", "--out"},
		{"a folder that cannot be written", "run small.yaml --out notes.txt/run", exitUsage, "notes.txt", "--out"},
		{"a file where the run's folder should be", "run small.yaml --out notes.txt", exitUsage, "notes.txt", "--out"},
		{"the folder of runs for a run", "tables results", exitUsage, "results is no run directory but a folder of runs", "results.small"},
		{"a run for the folder of runs", "runs results/small", exitUsage, "results/small is a run itself", "tauguide show results/small"},
		{"a file for a run", "tables small.yaml", exitUsage, "small.yaml is a file", "tauguide run CONFIG makes one"},
		{"a run that is not there", "show results/smal", exitUsage, "no run results/smal", `did you mean "results.small"`},
		{"tables of a run without records", "tables results/empty", exitUsage, "results/empty: no trial has a record", "--resume"},
		{"an unknown table", "tables results/small --table tarces", exitUsage, `table "tarces"`, `did you mean "traces"`},
		{"an unknown key of a trial", "show results/small mock/ReAct/ad_task/0", exitUsage, `key "mock/ReAct/ad_task/0"`, `did you mean "mock/ReAct/add_task/0"`},
		{"a part of several keys", "show results/small ReAct", exitUsage, `"ReAct" is part of 2 trials`, "mock/ReAct/add_task/0, mock/ReAct/finish_task/0"},
		{"a folder that is no τ² data", "domains check --data results", exitUsage, "data folder results: no folder tau2/domains", "name the τ²-bench data folder"},
		{"a file that is no τ² result", "import tau2 small.yaml --out x", exitError, "small.yaml", "a results.json"},
		{"a port in use", "view results/small --addr " + taken.Addr().String(), exitError, taken.Addr().String(), "--addr"},
		{"a port in use, of the scripted models", "serve-models --addr " + taken.Addr().String(), exitError, taken.Addr().String(), "--addr"},
		{"runs with nothing in common", "compare results/small:ReAct results/other:ReAct", exitUsage, "results/small and results/other", "--force"},
		{"and by force", "compare results/small:ReAct results/other:ReAct --force", exitUsage, "have no task in common", "same tasks"},
		{"a system compared with itself", "compare results/small ReAct ReAct", exitUsage, "ReAct of results/small is compared with itself", "two systems"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, said := command(t, noEnv, strings.Fields(c.args)...)
			last := said[max(0, strings.LastIndex(said, "tauguide: ")):]
			wrong, hint, _ := strings.Cut(last, "\nhint: ")
			if code != c.code || !regexp.MustCompile("(?s)"+c.place).MatchString(said) || wrong == last || !regexp.MustCompile(c.hint).MatchString(hint) {
				t.Errorf("tauguide %s: exit code %d, want %d, with %q in\n%s\nand %q in the hint", c.args, code, c.code, c.place, said, c.hint)
			}
		})
	}
}
