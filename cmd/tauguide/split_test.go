package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// TestSplitOfItsOwnFile runs, shows and audits the split of telecom whose tasks are not in tasks.json.
func TestSplitOfItsOwnFile(t *testing.T) {
	data := filepath.Join(domaintest.Shared(t), "tau2")
	dir := t.TempDir()
	config := func(split string) string {
		file := filepath.Join(dir, split+".yaml")
		text := "note: a split\ndata: " + data + "\ntrials: 1\nmodels: {m: {model: x, synthetic: true}}\nuser: {model: m}\n" +
			"domains: [{name: telecom, split: " + split + "}]\nsystems: [{name: ReAct, agent: react, model: m}]\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	run := filepath.Join(dir, "run")
	for _, more := range [][]string{{"--limit", "2"}, {"--resume"}} {
		out, diag, code := exchange(t, nil, append([]string{"run", config("small"), "--out", run}, more...)...)
		if code != exitOK {
			t.Fatalf("run %v ended with %d: %s%s", more, code, out, diag)
		}
	}
	out, diag, code := exchange(t, nil, "show", run, "telecom/ReAct/[mobile_data_issue]user_abroad_roaming_enabled_off[PERSONA:None]/0")
	if code != exitOK || diag != "" {
		t.Errorf("show ended with %d: %s", code, diag)
	}
	wants(t, "show", out, "task (PV): Test resolution path")

	_, diag, code = exchange(t, nil, "run", config("full"), "--out", filepath.Join(dir, "full"))
	if _, err := os.Stat(filepath.Join(data, "tau2", "domains", "telecom", "tasks_full.json")); err != nil {
		if code != exitUsage {
			t.Errorf("a run of a split without its file ended with %d", code)
		}
		wants(t, "the complaint", diag, "full.yaml:6:", "split full lists 2285 tasks", "hint: put them into tasks_full.json", "base, test, train")
	}

	out, _, _ = exchange(t, nil, "domains", "check", "telecom", "--data", data)
	wants(t, "check", out, "split small    20 tasks: 16 PV, 4 Mut\n", "split base    114 tasks: 43 PV, 71 Mut\n", "split test     40 tasks", "split train    74 tasks")
	out, _, _ = exchange(t, nil, "domains", "show", "telecom", "--data", data)
	if n := strings.Count(out, "\n  PV  [") + strings.Count(out, "\n  Mut ["); n < 134 {
		t.Errorf("show lists %d tasks, want those of all splits", n)
	}
	out, diag, code = exchange(t, nil, "workflow", "audit", "telecom", "--data", data, "--split", "small")
	if code != exitOK {
		t.Errorf("audit ended with %d: %s", code, diag)
	}
	wants(t, "audit", out, "in 4 of 20 tasks")
	if _, diag, code = exchange(t, nil, "workflow", "audit", "telecom", "--data", data, "--split", "nothing"); code != exitUsage {
		t.Errorf("audit of an unknown split ended with %d: %s", code, diag)
	}
}
