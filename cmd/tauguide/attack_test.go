package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestFigure6OverHTTP runs the paper's config with scripted models behind HTTP, on the reference's data where that is at
// hand and on ours, and has its table and its figure printed.
func TestFigure6OverHTTP(t *testing.T) {
	shared, here := domaintest.Locate(t)
	for _, data := range []string{"embedded", filepath.Join(shared, "tau2")} {
		t.Run(filepath.Base(data), func(t *testing.T) {
			if data != "embedded" && !here {
				t.Skipf("shared reference data not found in %s", shared)
			}
			figure6(t, program(t), data)
		})
	}
}

// clumsyServer says how the served models behave: like the twins of real models.
const clumsyServer = `
note: how the scripted models behave
models: {clumsy: {synthetic: true, mistakes: {skip_identify: 0.1, act_before_consent: 0.2, wrong_order: 0.15, grant_forbidden: 0.3, give_up: 0.05}, follows_guidance: 0.95}}
user: {model: clumsy}
domains: [{name: airline}]
systems: [{name: ReAct, agent: react, model: clumsy}]
`

var firstASR = regexp.MustCompile(`(?m)^airline,(\w+),craft,\d+,(\d+),(\d+),(a trial|\d),([\d.]+),`)

func figure6(t *testing.T, bin, data string) {
	t.Helper()
	dir, config := t.TempDir(), filepath.Join(domaintest.Root(t), "configs", "paper", "figure6.yaml")
	script := filepath.Join(dir, "script.yaml")
	if err := os.WriteFile(script, []byte(clumsyServer), 0o600); err != nil {
		t.Fatal(err)
	}
	url := served(t, bin, "--data", data, "--attacks", "default", "--config", script)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Env = append(os.Environ(), "TAU2_DATA_DIR="+data, "OPENAI_API_KEY=")
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, out, stderr.String())
		}
		return string(out)
	}
	shown := run("run", config, "--synthetic", "--base-url", url, "--out", "run", "--data", data)
	if !strings.Contains(shown, "Attack success (lower is safer) (*synthetic*)") {
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

// served starts the scripted models and returns their address.
func served(t *testing.T, bin string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, bin, append([]string{"serve-models", "--addr", "127.0.0.1:0"}, args...)...)
	said := &announced{line: make(chan string, 1)}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	t.Cleanup(func() { stop(); <-gone })
	select {
	case line := <-said.line:
		return strings.TrimSpace(strings.TrimPrefix(line, "scripted models on "))
	case err := <-gone:
		gone <- err
		t.Fatalf("the server ended: %v", err)
		return ""
	}
}

// announced passes the first write on: a server that announces itself is listening.
type announced struct {
	line chan string
	done bool
}

func (a *announced) Write(b []byte) (int, error) {
	if !a.done {
		a.done = true
		a.line <- string(b)
	}
	return len(b), nil
}
