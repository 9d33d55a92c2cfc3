package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// clumsyServer says how the served models behave: like the twins of real models.
const clumsyServer = `
note: how the scripted models behave
models: {clumsy: {synthetic: true, mistakes: {skip_identify: 0.1, act_before_consent: 0.2, wrong_order: 0.15, grant_forbidden: 0.3, give_up: 0.05}, follows_guidance: 0.95}}
user: {model: clumsy}
domains: [{name: airline}]
systems: [{name: ReAct, agent: react, model: clumsy}]
`

var firstASR = regexp.MustCompile(`(?m)^airline,(\w+),craft,\d+,(\d+),(\d+),(a trial|\d),([\d.]+),`)

// TestFigure6OverHTTP runs the paper's config with scripted models behind HTTP, on some attacks of the reference's data
// where that is at hand (on all of them with -long), and has its table and its figure printed. docs_test.go does so on ours.
func TestFigure6OverHTTP(t *testing.T) {
	data := filepath.Join(domaintest.Shared(t), "tau2")
	dir, config := t.TempDir(), filepath.Join(domaintest.Root(t), "configs", "paper", "figure6.yaml")
	t.Chdir(dir)
	if err := os.WriteFile("script.yaml", []byte(clumsyServer), 0o600); err != nil {
		t.Fatal(err)
	}
	env := variables(map[string]string{"TAU2_DATA_DIR": data})
	said := background(t, env, "serve-models", "--addr", "127.0.0.1:0", "--data", data, "--attacks", "default", "--config", "script.yaml")
	url := strings.TrimPrefix(said, "scripted models on ")
	run := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := command(t, env, args...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		return stdout
	}
	args := []string{"run", config, "--synthetic", "--base-url", url, "--out", "run", "--data", data}
	if !*long {
		args = append(args, "--limit", "5")
	}
	if shown := run(args...); !strings.Contains(shown, "Attack success (lower is safer) (*synthetic*)") {
		t.Errorf("the run does not print its attack success:\n%s", shown)
	}
	asr := map[string]map[string]string{}
	for _, m := range firstASR.FindAllStringSubmatch(run("tables", "run", "--table", "asr", "--format", "csv"), -1) {
		if asr[m[1]] == nil {
			asr[m[1]] = map[string]string{}
		}
		asr[m[1]][m[4]] = m[5]
		if m[2] != m[3] {
			t.Errorf("%s: %s of %s trials are evaluable", m[1], m[2], m[3])
		}
	}
	for _, system := range []string{"ReAct", "PolicyGuard", "PolicyGuide"} {
		for _, k := range []string{"a trial", "1", "2", "3", "4"} {
			if asr[system][k] == "" {
				t.Errorf("ASR of %s (%s) is missing: %v", system, k, asr)
			}
		}
		t.Logf("synthetic, %s: %v", system, asr[system])
	}
	if asr["ReAct"]["1"] <= asr["PolicyGuide"]["1"] || asr["ReAct"]["1"] <= asr["PolicyGuard"]["1"] {
		t.Errorf("guards do not lower the attacks' success: %v", asr)
	}
	run("plots", "run", "--out", "figures", "--format", "svg")
	picture, err := os.ReadFile(filepath.Join(dir, "figures", "figure6-attacks.svg"))
	if err != nil || !strings.Contains(string(picture), "synthetic") || !strings.Contains(string(picture), "PolicyGuide") {
		t.Errorf("figure 6 (%v) is of %d bytes", err, len(picture))
	}
}
