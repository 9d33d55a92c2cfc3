package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// head is a config up to its systems.
var update = flag.Bool("update", false, "rewrite the golden files")

const head = `note: test
models: {m: {base_url: "http://127.0.0.1:1/v1"}}
user: {model: m}
domains: [{name: retail}]
`

// badConfigs are configs that must be refused; what is said about them is in testdata/config_errors.golden.
var badConfigs = []struct{ name, text string }{
	{"empty file", ""},
	{"a system on an unknown domain", head + "systems: [{name: A, agent: noop, domains: [retail, airlnie]}]\n"},
	{"only a comment", "# nothing\n"},
	{"a list", "- a\n"},
	{"a text", "hello\n"},
	{"two documents", head + "systems: [{name: A, agent: noop}]\n---\nnote: again\n"},
	{"not YAML", "note: [1, 2\n"},
	{"open quote", "note: 'x\n"},
	{"tab", "note: x\n\tdata: embedded\n"},
	{"duplicate key", "note: a\nnote: b\n"},
	{"duplicate key inside", head + "systems:\n  - name: A\n    agent: noop\n    name: B\n"},
	{"nothing but a note", "note: x\n"},
	{"no note", strings.Replace(head, "note: test\n", "", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"blank note", strings.Replace(head, "test", `" "`, 1) + "systems: [{name: A, agent: noop}]\n"},
	{"unknown key at the top", head + "systems: [{name: A, agent: noop}]\ntrails: 4\n"},
	{"unknown key in a system", head + "systems:\n  - {name: A, agent: noop}\n  - {name: B, agent: react, modle: m}\n"},
	{"unknown key in a model", strings.Replace(head, "base_url", "baseurl", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"unknown key far from any", head + "limits: {frobnicate: 1}\nsystems: [{name: A, agent: noop}]\n"},
	{"several complaints in the order of the file", "nota: x\nmodels: {m: {tempreature: 0}}\nuser: {modle: m}\ndomains: []\nsystems: [{agent: noop}]\n"},
	{"fraction for a whole number", head + "trials: 1.5\nsystems: [{name: A, agent: noop}]\n"},
	{"text for a number", head + "trials: '4'\nsystems: [{name: A, agent: noop}]\n"},
	{"number for a text", head + "domains: [{name: retail, tasks: [1, 2]}]\nsystems: [{name: A, agent: noop}]\n"},
	{"task id as a number", strings.Replace(head, "name: retail", "name: retail, tasks: [7]", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"octal", head + "seed: 0300\nsystems: [{name: A, agent: noop}]\n"},
	{"infinite", head + "limits: {max_cost: .inf}\nsystems: [{name: A, agent: noop}]\n"},
	{"yes is no boolean", strings.Replace(head, "name: retail", "name: retail, solo: yes", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"no trials", head + "trials: 0\nsystems: [{name: A, agent: noop}]\n"},
	{"temperature out of range", strings.Replace(head, "base_url", "temperature: 3, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"time without a unit", head + "limits: {timeout: 30}\nsystems: [{name: A, agent: noop}]\n"},
	{"time with a strange unit", head + "limits: {timeout: 30 minutes}\nsystems: [{name: A, agent: noop}]\n"},
	{"no time for a request", strings.Replace(head, "base_url", "timeout: 0s, retry: {first_wait: 0s}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"variable without an end", strings.Replace(head, "base_url", "key: 'sk-${VAR', headers: {X-A: '${}'}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"key that is a number", strings.Replace(head, "base_url", "key: 12345678, headers: {X-A: 87654321}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"null", head + "systems: [{name: A, agent: ~}]\n"},
	{"name that is no folder", "name: ../x\n" + head + "systems: [{name: A, agent: noop}]\n"},
	{"policy type", strings.Replace(head, "name: retail", "name: retail, policy_type: manaul", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"cassette without a folder", head + "cassette: {mode: record, path: ''}\nsystems: [{name: A, agent: noop}]\n"},
	{"server", strings.Replace(head, "base_url", "server: vlm, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"cassette mode that does not exist", head + "cassette: {mode: of}\nsystems: [{name: A, agent: noop}]\n"},
	{"model that is not defined", head + "systems: [{name: A, agent: react, model: M2}]\njudge: {model: gpt}\n"},
	{"user without model", strings.Replace(head, "user: {model: m}", "user: {model: n}", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"agent without its model", head + "systems: [{name: A, agent: react}]\n"},
	{"unknown agent", head + "systems: [{name: A, agent: raect, model: m}]\n"},
	{"two overlays in one item", head + "systems:\n  - {name: A, agent: noop, overlays: [{a: {}, b: {}}]}\n"},
	{"unknown domain", strings.Replace(head, "retail", "retial", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"domain twice", strings.Replace(head, "[{name: retail}]", "[{name: retail}, {name: retail, split: test}]", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"task twice", strings.Replace(head, "name: retail", "name: retail, tasks: [a, b, a]", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"system twice", head + "systems: [{name: A, agent: noop}, {name: A, agent: noop}]\n"},
	{"systems that differ by case", head + "systems: [{name: ReAct, agent: noop}, {name: react, agent: noop}]\n"},
	{"system with an escape", head + "systems: [{name: \"a\\e[31m\", agent: noop}]\n"},
	{"mistakes of a real model", strings.Replace(head, "base_url", "mistakes: {give_up: 1}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"mistake that does not exist", strings.Replace(head, "base_url", "synthetic: true, mistakes: {giveup: 1}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"improbable mistake", strings.Replace(head, "base_url", "synthetic: true, mistakes: {give_up: 1.1}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"alias of itself", "note: &a [*a]\n"},
	{"alias of nothing", "note: *a\n"},
	{"tag", "note: !!binary aGk=\n"},
	{"aliases that unfold to a billion", bomb()},
	{"too many digits", head + "trials: 99999999999999999999999\nsystems: [{name: A, agent: noop}]\n"},
	{"too large with an exponent", head + "trials: 1e7\nsystems: [{name: A, agent: noop}]\n"},
	{"exponent in quotes", head + "trials: '1e3'\nsystems: [{name: A, agent: noop}]\n"},
	{"exponent out of range", head + "trials: 1e999999999\nsystems: [{name: A, agent: noop}]\n"},
	{"exponent for a text", strings.Replace(head, "name: retail", "name: retail, tasks: [1e3]", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"number as it is written", head + "trials: 1.50\nsystems: [{name: A, agent: noop}]\n"},
	{"seed of too many bits", head + "seed: 9223372036854775808\nsystems: [{name: A, agent: noop}]\n"},
	{"seed too low", head + "seed: -9223372036854775809\nsystems: [{name: A, agent: noop}]\n"},
	{"steps of too many bits", head + "limits: {max_steps: 99999999999999999999, max_tokens: 9223372036854775808}\nsystems: [{name: A, agent: noop}]\n"},
	{"UTF-16", "\xff\xfen\x00o\x00t\x00e\x00"},
	{"UTF-16 without a mark", "n\x00o\x00t\x00e\x00"},
	{"not UTF-8", "note: x\nname: b\xe9\n"},
	{"extra that the request has", strings.Replace(head, "{base_url", "{extra: {stream: true, messages: [], seed: 1, fine: 1}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"extra of a scripted model", strings.Replace(head, "{base_url", "{synthetic: true, temperature: 1, extra: {model: x, temperature: 0}, base_url", 1) + "systems: [{name: A, agent: noop}]\n"},
	{"system with a slash", head + "systems: [{name: a/b, agent: noop}]\n"},
	{"system with a line break", head + "systems: [{name: \"a\\nb\", agent: noop}]\n"},
	{"system with a long name", head + "systems: [{name: " + strings.Repeat("é", 61) + ", agent: noop}]\n"},
	{"wrong type in merged base", "base: &b {name: retail}\n" + head + "systems: [{<<: *b, agent: noop}]\n"},
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestBadConfigsAreRefusedWithTheirPlace(t *testing.T) {
	var got strings.Builder
	for _, c := range badConfigs {
		_, err := config.Parse("x.yaml", []byte(c.text), runtest.NoEnv)
		if err == nil {
			t.Errorf("%s: accepted", c.name)
			continue
		}
		if !errors.Is(err, domains.ErrUsage) {
			t.Errorf("%s: error is no domains.ErrUsage", c.name)
		}
		for line := range strings.Lines(err.Error()) {
			if !strings.HasPrefix(line, "x.yaml:") && !strings.HasPrefix(line, "… and ") && !strings.HasPrefix(line, "hint: ") {
				t.Errorf("%s: %q names no place", c.name, line)
			}
		}
		text := err.Error()
		if before, _, ok := strings.Cut(strings.ReplaceAll(text, "\nhint", ""), ": choose one of"); ok && strings.HasPrefix(c.name, "unknown") && !strings.Contains(c.name, "key") {
			text = before // the registries grow
		}
		fmt.Fprintf(&got, "--- %s\n%s\n", c.name, text)
	}
	golden(t, "config_errors.golden", got.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		runtest.Write(t, path, []byte(got))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; rewrite with -update):\n%s", path, diff)
	}
}

func TestConfigDefaultsAndForms(t *testing.T) {
	c := runtest.Parse(t, `
note: |
  two
  lines
models:
  gpt-4.1: &base {key: secret-key, temperature: 0, extra: {stop: ["x"], k: 1.50}}
  other: {<<: *base, temperature: 0.5, timeout: 1h30m, model: vendor/other}
user: {model: gpt-4.1}
domains: [{name: mock}, {name: retail, split: test}]
systems:
  - name: Plain
    agent: react
    model: other
    params: {}
`)
	if c.Name != "small" || c.Seed != 300 || c.Trials != 4 || c.Data != "embedded" || c.Note != "two\nlines\n" {
		t.Errorf("got name %q, seed %d, trials %d, data %q, note %q", c.Name, c.Seed, c.Trials, c.Data, c.Note)
	}
	if l := c.Limits; l.MaxSteps != 200 || l.MaxErrors != 10 || l.Timeout != config.Duration(30*time.Minute) || l.Concurrency != 64 {
		t.Errorf("limits %+v", l)
	}
	if c.Domains[0].Split != "base" || c.Domains[1].Split != "test" {
		t.Errorf("splits %q and %q", c.Domains[0].Split, c.Domains[1].Split)
	}
	base, other := c.Models["gpt-4.1"], c.Models["other"]
	if base.Model != "gpt-4.1" || *base.Temperature != 0 || other.Model != "vendor/other" || *other.Temperature != 0.5 ||
		other.Key != "secret-key" || other.Timeout != config.Duration(90*time.Minute) {
		t.Errorf("models %+v and %+v", base, other)
	}
	if got := string(base.Extra["k"]); got != "1.5" {
		t.Errorf("extra.k is %s", got)
	}
}

func TestVariablesInConfigs(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"HOST": "http://h:1", "PASS": "p$HOST", "DIR": "/data"}[name]
	}
	text := `note: x
data: ${DIR}/tau2$$x
models:
  a: {base_url: "$HOST/v1", key: $PASS}
  b: {base_url: "$HOST/v1", key: $NOT_SET}
  c: {base_url: "${NOT_SET}/v1"}
user: {model: a}
domains: [{name: retail}]
systems: [{name: A, agent: react, model: a}, {name: B, agent: react, model: b}, {name: C, agent: react, model: c}]
`
	c, err := config.Parse("x.yaml", []byte(text), env)
	if err != nil {
		t.Fatal(err)
	}
	if c.Data != "/data/tau2$x" || c.Models["a"].BaseURL != "http://h:1/v1" || c.Models["a"].Key != "p$HOST" {
		t.Errorf("data %q, model %+v", c.Data, c.Models["a"])
	}
	tests := []struct {
		name string
		o    config.Options
		want []string // parts of the error; none for success
	}{
		{"every missing variable is named", config.Options{Data: "embedded"}, []string{
			"x.yaml:5:29: models.b.key: environment variable NOT_SET is not set",
			"x.yaml:6:7: models.c.base_url: environment variable NOT_SET is not set"}},
		{"models of other systems do not matter", config.Options{Data: "embedded", Only: []string{"system=A"}}, nil},
		{"only what is selected matters", config.Options{Data: "embedded", Only: []string{"system=A,B"}}, []string{"x.yaml:5:29: models.b.key"}},
		{"scripted twins need nothing", config.Options{Data: "embedded", Synthetic: true}, nil},
		{"another address needs no key", config.Options{Data: "embedded", BaseURL: "http://127.0.0.1:1/v1"}, nil},
		{"a data folder of the command line", config.Options{Data: "/nope"}, []string{"--data: data folder /nope"}},
		{"a data folder that does not exist", config.Options{}, []string{"x.yaml:2:1: data folder /data/tau2$x: no folder tau2/domains inside"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Resolve(context.Background(), c, tt.o)
			if len(tt.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestNumbersAndMarksThatAreFine(t *testing.T) {
	c := runtest.Parse(t, "\ufeff"+strings.Replace(runtest.Small, "trials: 2", "trials: 1e3\nseed: -9223372036854775808\nlimits: {max_tokens: 1.2e6, max_cost: 1e-3}", 1))
	if c.Trials != 1000 || c.Seed != math.MinInt64 || c.Limits.MaxTokens != 1_200_000 || c.Limits.MaxCost != 0.001 {
		t.Errorf("trials %d, seed %d, limits %+v", c.Trials, c.Seed, c.Limits)
	}
}

func TestAllUnsetVariablesAreNamedAtOnce(t *testing.T) {
	text := `note: x
data: $A/$B/$A
models:
  m: {base_url: "$C/v1", key: $D}
  n: {base_url: "$E/v1"}
user: {model: m}
domains: [{name: retail}]
systems: [{name: A, agent: react, model: n}]
`
	names := func(o config.Options) string {
		t.Helper()
		c, err := config.Parse("x.yaml", []byte(text), runtest.NoEnv)
		if err != nil {
			t.Fatal(err)
		}
		_, err = config.Resolve(context.Background(), c, o)
		if !errors.Is(err, domains.ErrUsage) {
			t.Errorf("%+v: error %v, want domains.ErrUsage", o, err)
		}
		return fmt.Sprint(err)
	}
	want := `x.yaml:2:1: data: environment variables A, B are not set
hint: export them, or give the folder with --data
x.yaml:4:7: models.m.base_url: environment variable C is not set
hint: export it, or run with --synthetic
x.yaml:4:26: models.m.key: environment variable D is not set
hint: export it, or run with --synthetic
x.yaml:5:7: models.n.base_url: environment variable E is not set
hint: export it, or run with --synthetic`
	if diff := cmp.Diff(want, names(config.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, o := range []config.Options{{Synthetic: true}, {BaseURL: "http://127.0.0.1:1/v1"}} {
		if got := names(o); strings.Count(got, "\n") != 1 || !strings.Contains(got, "A, B") {
			t.Errorf("%d: %s", i, got)
		}
	}
}

func TestBadAddressesAreFoundBeforeAnythingIsWritten(t *testing.T) {
	for _, address := range []string{"junk", "ftp://x", "foo bar", "http://"} {
		dir := filepath.Join(t.TempDir(), "run")
		_, err := runtest.Run(t.Context(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, BaseURL: address})
		if !errors.Is(err, domains.ErrUsage) || !strings.HasPrefix(err.Error(), "--base-url: ") || !strings.Contains(err.Error(), "write it like http") {
			t.Errorf("%s on the command line: error %v", address, err)
		}
		text := strings.Replace(runtest.Small, "careful: {", "careful: {base_url: "+address+", ", 1)
		_, err = runtest.Run(t.Context(), runtest.Parse(t, text), config.Options{Out: dir})
		if !errors.Is(err, domains.ErrUsage) || !strings.HasPrefix(err.Error(), "small.yaml:6:13: models.careful: ") {
			t.Errorf("%s in the config: error %v", address, err)
		}
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder was made: %v", address, err)
		}
	}
}

func TestMissingKeys(t *testing.T) {
	tests := []struct{ name, model, limits, want string }{
		{"no key for OpenAI", "{}", "{}", "x.yaml:2:10: models.m has no key for https://api.openai.com/v1\nhint: add key"},
		{"a variable for data", "{key: abc}", "{}", "x.yaml:5:1: data: environment variable NOWHERE is not set\nhint: export it, or give the folder with --data"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := "embedded"
			if strings.Contains(tt.want, "NOWHERE") {
				data = "$NOWHERE/tau2"
			}
			text := fmt.Sprintf("note: x\nmodels: {m: %s}\nuser: {model: m}\ndomains: [{name: retail}]\ndata: %s\nlimits: %s\nsystems: [{name: A, agent: noop}]\n",
				tt.model, data, tt.limits)
			c, err := config.Parse("x.yaml", []byte(text), runtest.NoEnv)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = config.Resolve(context.Background(), c, config.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestSchemaIsJSONAndKnowsEveryField(t *testing.T) {
	var schema struct {
		Properties map[string]any `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(config.Config{Prompts: config.Prompts{Judge: config.Text{File: "judge.md"}}})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for f := range fields {
		if schema.Properties[f] == nil {
			t.Errorf("field %s is not in the schema", f)
		}
	}
	if len(fields) != len(schema.Properties) || len(schema.Defs["model"].Properties) < 10 {
		t.Errorf("schema has %d fields, config %d", len(schema.Properties), len(fields))
	}
}

// TestShippedConfigsLoad by their names, and that all configs of the repository come with the program but the one that
// needs a folder of recordings.
func TestShippedConfigsLoad(t *testing.T) {
	set := func(string) string { return "set" }
	var files []string
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "configs", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var want []string
	for _, file := range files {
		name := strings.TrimPrefix(filepath.ToSlash(file), "../../configs/")
		if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte("\nsystems:")) || name == "replay.yaml" {
			continue
		}
		want = append(want, strings.TrimSuffix(name, ".yaml"))
		for _, called := range []string{strings.TrimSuffix(name, ".yaml"), name, "configs/" + name} {
			c, err := config.Load(called, set)
			if err != nil {
				t.Error(err)
			} else if c.Name != strings.TrimSuffix(filepath.Base(file), ".yaml") {
				t.Errorf("%s is called %s", called, c.Name)
			}
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, configs.Names()); diff != "" {
		t.Errorf("(-repository +program)\n%s", diff)
	}
	for name, hint := range map[string]string{"quikstart": `did you mean "quickstart"?`, "table1": "use one of local-model, "} {
		if _, err := config.Load(name, set); !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), name+" is no config of the program\nhint: "+hint) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFilesComeFirst: a file is read in place of the config of the program that has its name.
func TestFilesComeFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Write(t, "quickstart", []byte(runtest.Small))
	if c, err := config.Load("quickstart", runtest.NoEnv); err != nil || len(c.Systems) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(runtest.Small)
	f.Add(head)
	for _, c := range badConfigs {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := config.Parse("f.yaml", []byte(text), runtest.NoEnv)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.yaml") {
				t.Errorf("%q names no place", err)
			}
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back config.Config
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatalf("%v in %s", err, again)
		}
	})
}

// TestScriptedParts: a run is synthetic only if all of it is scripted; else the part that is has a name.
func TestScriptedParts(t *testing.T) {
	t.Parallel()
	const text = "note: x\nmodels: {real: {model: gpt-4.1, key: x}, script: {synthetic: true}}\nuser: {model: USER}\nJUDGEdomains: [{name: mock}]\nsystems: [{name: A, SYSTEMS}]\n"
	for _, tt := range []struct{ user, judge, systems, want string }{
		{"real", "real", "agent: react, model: real", ""},
		{"script", "script", "agent: react, model: script", "synthetic"},
		{"script", "", "agent: noop", "synthetic"},
		{"script", "", "agent: react, model: real", "scripted user"},
		{"real", "script", "agent: react, model: real", "scripted judge"},
		{"script", "script", "agent: react, model: real", "scripted user and judge"},
		{"script", "real", "agent: react, model: script", "partly scripted"},
		{"real", "", "agent: policyguide, model: real, params: {model: script}", "partly scripted"},
		{"script", "", "agent: react, model: real}, {name: B, agent: react, model: script", "partly scripted"},
	} {
		judge := ""
		if tt.judge != "" {
			judge = "judge: {model: " + tt.judge + "}\n"
		}
		c := runtest.Parse(t, strings.NewReplacer("USER", tt.user, "JUDGE", judge, "SYSTEMS", tt.systems).Replace(text))
		if got := c.Scripted(c.Systems); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
