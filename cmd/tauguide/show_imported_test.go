package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/domaintest"
)

// foreignResult is a result on retail whose one task no data has.
const foreignResult = `{"info": {"environment_info": {"domain_name": "retail"}, "agent_info": {"implementation": "llm_agent", "llm": "m"},
	"user_info": {"implementation": "user_simulator", "llm": "u"}},
 "tasks": [{"id": "only-here", "description": {"purpose": "See whether the task comes along."},
	"user_scenario": {"instructions": {"domain": "retail", "reason_for_call": "Cancel it.", "task_instructions": "Be brief."}},
	"evaluation_criteria": {"reward_basis": ["DB"], "actions": [
		{"action_id": "a", "name": "cancel_pending_order", "arguments": {"order_id": "#W0", "reason": "no longer needed"}}]}}],
 "simulations": [{"id": "s", "task_id": "only-here", "trial": 0, "seed": 1, "termination_reason": "user_stop",
	"messages": [{"role": "assistant", "content": "Hi! How can I help you today?", "turn_idx": 0}, {"role": "user", "content": "###STOP###", "turn_idx": 1}],
	"reward_info": {"reward": 1.0, "reward_basis": ["DB"], "reward_breakdown": {"DB": 1.0}, "db_check": {"db_match": true, "db_reward": 1.0}}}]}`

// TestImportedRunHasItsTasks shows a conversation about a task that the data does not have, with the data and without.
func TestImportedRunHasItsTasks(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "results.json")
	if err := os.WriteFile(file, []byte(foreignResult), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		rest string // of the tables' cells for the traces; "" where the data is not at hand
	}{
		{"embedded data", []string{"--data", "embedded"}, "100.0"},
		{"no data", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := filepath.Join(t.TempDir(), "run")
			if _, diag, code := exchange(t, nil, append([]string{"import", "tau2", file, "--out", run}, tt.args...)...); code != exitOK {
				t.Fatalf("import ended with %d: %s", code, diag)
			}
			out, diag, code := exchange(t, nil, "show", run, "retail/llm_agent:m/only-here/0")
			if code != exitOK || diag != "" {
				t.Errorf("show ended with %d: %s", code, diag)
			}
			wants(t, "show", out, "task (Mut): See whether the task comes along.", "gold actions", `cancel_pending_order(order_id: "#W0", reason: "no longer needed")`, "trace rubric:")
			out, diag, code = exchange(t, nil, "tables", run, "--table", "traces", "--table", "nmr")
			if code != exitOK {
				t.Errorf("tables ended with %d: %s", code, diag)
			}
			if strings.Contains(out, "no such task") || !strings.Contains(out, tt.rest) {
				t.Errorf("tables:\n%s", out)
			}
		})
	}
}

// TestImportedSmallSplit shows a recorded conversation about a task that is not in the data's tasks.json.
func TestImportedSmallSplit(t *testing.T) {
	shared := domaintest.Shared(t)
	file := filepath.Join(shared, "trajectories", "telecom", "sierra-research__2025-08-10T02-44-06.496849_telecom_llm_agent_gpt-4o_user_simulator_gpt-4o.json")
	run := filepath.Join(t.TempDir(), "run")
	if _, diag, code := exchange(t, nil, "import", "tau2", file, "--out", run, "--data", filepath.Join(shared, "tau2")); code != exitOK {
		t.Fatalf("import ended with %d: %s", code, diag)
	}
	out, diag, code := exchange(t, nil, "show", run, "telecom/llm_agent:gpt-4o/[mobile_data_issue]user_abroad_roaming_enabled_off[PERSONA:None]/0")
	if code != exitOK || diag != "" {
		t.Errorf("show ended with %d: %s", code, diag)
	}
	wants(t, "show", out, "task (PV): Test resolution path: Mobile Data/Slow Internet Issues.", "gold actions", "toggle_roaming()", "trace rubric:")
	out, diag, code = exchange(t, nil, "tables", run, "--table", "traces")
	if code != exitOK {
		t.Errorf("tables ended with %d: %s", code, diag)
	}
	wants(t, "tables", out, "87.5")
	out, diag, code = exchange(t, nil, "score", file, "--tasks", "current", "--data", filepath.Join(shared, "tau2"))
	if code != exitOK || strings.Contains(out, "the data has no such task") {
		t.Errorf("score ended with %d: %s%s", code, out, diag)
	}
}
