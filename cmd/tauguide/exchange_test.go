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

// exchange runs one of the commands that exchange runs with τ²-bench.
func exchange(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	code, stdout, stderr = command(t, variables(env), args...)
	return stdout, stderr, code
}

func wants(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q:\n%.3000s", what, p, text)
		}
	}
}

// TestExchangeRecorded imports a recorded result, scores file and run, exports it, and scores the export.
func TestExchangeRecorded(t *testing.T) {
	shared := domaintest.Shared(t)
	data := filepath.Join(shared, "tau2")
	file := filepath.Join(shared, "trajectories", "mock", "yoheinakajima__20260531-184109-726391.json")
	run, exported := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "out.json")

	out, diag, code := exchange(t, nil, "score", file)
	if code != exitUsage {
		t.Errorf("scoring without data ended with %d: %s%s", code, out, diag)
	}
	wants(t, "the complaint", diag, "--data", "$TAU2_DATA_DIR")

	out, diag, code = exchange(t, nil, "score", file, "--data", data, "--all")
	if code != 0 {
		t.Errorf("score ended with %d: %s", code, diag)
	}
	wants(t, "score", out, "10 trials: 10 agree", "mean reward recorded 0.8000 of 10, now 0.8000 of 10", "basis DB+COMMUNICATE", "DB* n.a.", "component", "max_steps")

	out, diag, code = exchange(t, nil, "import", "tau2", file, "--out", run, "--data", data)
	if code != 0 {
		t.Fatalf("import ended with %d: %s", code, diag)
	}
	wants(t, "import", out, "10 simulations of 10 tasks on mock by llm_agent:openai-gpt-4.1-mini; 10 with a recorded reward, mean 0.8000")
	if _, diag, code = exchange(t, nil, "import", "tau2", file, "--out", run); code != exitError || !strings.Contains(diag, "exists") {
		t.Errorf("importing over a run ended with %d: %s", code, diag)
	}

	for _, level := range []string{"--strict", "--strict=full", "--tasks=current", "--hash"} {
		out, diag, code = exchange(t, nil, "score", run, level, "--data", data)
		if code != 0 {
			t.Errorf("score %s ended with %d: %s%s", level, code, out, diag)
		}
		wants(t, "score of the run", out, "10 trials: 10 agree")
	}
	wants(t, "hashes", out, "agent 107f83a70b7bf4f616e283b0b0b8451346fe7681173398d4498a1ec15c5fdfc6")

	elsewhere := filepath.Join(t.TempDir(), "run")
	if _, diag, code := exchange(t, nil, "import", "tau2", file, "--out", elsewhere, "--system", "mine"); code != 0 {
		t.Fatalf("import without data ended with %d: %s", code, diag)
	}
	if _, diag, code := exchange(t, nil, "score", elsewhere); code != exitUsage || !strings.Contains(diag, "--data") {
		t.Errorf("scoring without data ended with %d: %s", code, diag)
	}
	if out, diag, code := exchange(t, map[string]string{"TAU2_DATA_DIR": data}, "score", elsewhere); code != 0 || !strings.Contains(out, "mock by mine; recorded tasks") {
		t.Errorf("scoring with the variable ended with %d: %s%s", code, out, diag)
	}

	out, diag, code = exchange(t, nil, "export", "tau2", run, "--out", exported)
	if code != 0 {
		t.Fatalf("export ended with %d: %s", code, diag)
	}
	wants(t, "export", out, "10 simulations of 10 tasks, mock by llm_agent:openai-gpt-4.1-mini; 0 void, 0 without a score, 0 planned trials missing")
	out, _, code = exchange(t, map[string]string{"TAU2_DATA_DIR": data}, "score", exported, "--json")
	var doc struct {
		Results []struct {
			Trials []struct {
				Outcome string `json:"outcome"`
				Score   struct {
					Components []map[string]any `json:"components"`
				} `json:"score"`
			} `json:"trials"`
		} `json:"results"`
		Total struct {
			Outcomes map[string]int `json:"outcomes"`
		} `json:"total"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil || code != 0 {
		t.Fatalf("JSON of score: %v, code %d", err, code)
	}
	if doc.Total.Outcomes["agree"] != 10 || len(doc.Results[0].Trials) != 10 || len(doc.Results[0].Trials[0].Score.Components) != 5 {
		t.Errorf("JSON of score: %+v", doc.Total)
	}
}

// TestExchangeDisagreement wants what differs told: component, values, why.
func TestExchangeDisagreement(t *testing.T) {
	shared := domaintest.Shared(t)
	file := filepath.Join(shared, "trajectories", "airline", "sierra-research__toolorchestra_airline_gpt-5_1trial.json")
	out, _, code := exchange(t, map[string]string{"TAU2_DATA_DIR": filepath.Join(shared, "tau2")}, "score", file, "--min-agreement", "0.9")
	if code != exitThreshold {
		t.Errorf("ended with %d, want the threshold's code", code)
	}
	wants(t, "score", out, "50 trials: 25 agree, 25 differ", "2/0 57e0468a-fe94-4634-8ce3-0a0ba743e7a9: differ, reward recorded 1, now 0 (user_stop)",
		"DB (counted): recorded pass, now fail", "wanted", "ACTION (diagnostic, not scored)")
}

// TestExchangeFaults wants an error with its place, and nothing left behind.
func TestExchangeFaults(t *testing.T) {
	dir := t.TempDir()
	file, run := filepath.Join(dir, "cut.json"), filepath.Join(dir, "run")
	text := `{"info":{"environment_info":{"domain_name":"mock"}},"tasks":[],"simulations":[{"id":"a","task_id":"1","messages":[{"role":"us`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"import", "tau2", file, "--out", run}, {"score", file, "--data", "embedded"}, {"score", dir, "--data", "embedded"}} {
		_, diag, code := exchange(t, nil, args...)
		if code != exitError {
			t.Errorf("%v ended with %d", args, code)
		}
		wants(t, "the complaint", diag, fmt.Sprintf("cut.json: byte %d", len(text)), "/simulations/0/messages/0", "cut off")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	for _, args := range [][]string{{"import", "tau2", file}, {"export", "tau2", dir}, {"export", "tau2", dir, "--out", "x", "--layout", "y"}, {"score"},
		{"score", file, "--strict=very"}, {"score", file, "--tasks", "old"}, {"score", file, "--judge", "m"}} {
		if _, diag, code := exchange(t, nil, args...); code != exitUsage {
			t.Errorf("%v ended with %d: %s", args, code, diag)
		}
	}
}

// TestExchangeJudge leaves a run without its judge, scores it with one, and holds that the run has the scores then.
func TestExchangeJudge(t *testing.T) {
	dir := t.TempDir()
	config, run := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "run")
	text := "note: x\ntrials: 1\nmodels: {m: {synthetic: true}}\nuser: {model: m}\ndomains: [{name: retail}]\nsystems: [{name: A, agent: react, model: m}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, diag, code := exchange(t, nil, "run", config, "--out", run); code != exitIncomplete {
		t.Fatalf("a run without a judge ended with %d: %s%s", code, out, diag)
	}
	out, diag, code := exchange(t, nil, "score", run)
	if code != exitIncomplete {
		t.Errorf("scoring without a judge ended with %d: %s%s", code, out, diag)
	}
	wants(t, "score", out, "NL_ASSERTION* pending", "no verdicts are recorded")
	out, diag, code = exchange(t, nil, "score", run, "--judge", "m", "--config", config)
	if code != 0 {
		t.Errorf("scoring with a judge ended with %d: %s%s", code, out, diag)
	}
	wants(t, "score", out, "unrecorded, reward recorded none, now 1")
	wants(t, "the report", diag, "scores added")
	out, diag, code = exchange(t, nil, "score", run)
	if code != 0 {
		t.Errorf("scoring again ended with %d: %s%s", code, out, diag)
	}
	wants(t, "score", out, "16 trials: 16 agree;")
	if _, diag, code := exchange(t, nil, "score", run, "--judge", "nobody", "--config", config); code != exitUsage || !strings.Contains(diag, `no model "nobody"`) {
		t.Errorf("an unknown judge ended with %d: %s", code, diag)
	}
}
