package main

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpentBudgetEndsWithTables: a run whose budget is spent prints what it has, says how to go on, and exits with 3.
func TestSpentBudgetEndsWithTables(t *testing.T) {
	srv := httptest.NewServer(scriptedModels(t, 0))
	defer srv.Close()
	const systems = "  - {name: ReAct, agent: react, model: m}\n"
	for _, c := range []struct{ name, limits, want string }{
		{"of the run", "max_tokens: 40000, concurrency: 2", "stopped early: limits.max_tokens of 40000 is reached: raise it in the config and resume the run"},
		{"of conversations", "conversation: {max_tokens: 8000}", "trials reached a budget of limits.conversation and would again\nhint: raise it, then --resume"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			code, stdout, stderr := command(t, noEnv, "run", experiment(t, srv.URL+"/v1", "20s", "3", c.limits, systems), "--out", out, "--format", "csv")
			if code != exitIncomplete || !strings.Contains(stderr, c.want) || len(stdout) < 100 {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			wide := experiment(t, srv.URL+"/v1", "20s", "3", "concurrency: 8", systems)
			if code, _, stderr := command(t, noEnv, "run", wide, "--out", out, "--resume"); code != exitOK || !strings.Contains(stderr, "15 of 15 trials evaluable") {
				t.Errorf("with more: exit code %d\n%s", code, stderr)
			}
		})
	}
}

func TestLikeIsForEstimates(t *testing.T) {
	code, _, stderr := command(t, noEnv, "run", "x.yaml", "--like", "y")
	if code != exitUsage || !strings.Contains(stderr, "--like is for the estimate of --dry-run") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
