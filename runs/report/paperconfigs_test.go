package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
)

// TestPaperConfigsStateTheirParameters wants the paper's configs to say what the paper fixes, so that another default changes
// nothing of them, and tables to take systems with these parameters for the paper's.
func TestPaperConfigsStateTheirParameters(t *testing.T) {
	fixed := map[report.Kind]map[string]string{
		report.PolicyGuide:    {"verifier": `"llm"`, "gate": `"advisory"`, "walk_check": `"exists"`, "stall": "5"},
		report.PolicyGuideRaw: {"verifier": `"llm"`, "gate": `"advisory"`, "stall": "5"},
		report.PolicyGuard:    {"max_blocks": "5", "policy": "true", "dialogue": "true"},
		report.PolicyGuardRaw: {"max_blocks": "5", "dialogue": "true"},
		report.FlowAgent:      {"dependency": "true", "duplicates": "true", "threshold": "2"},
	}
	seen := map[report.Kind]bool{}
	for _, name := range configs.Names() {
		if !strings.HasPrefix(name, "paper/") {
			continue
		}
		text, err := configs.Text(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(name, text, func(string) string { return "set" })
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"seed: 300", "trials: 4", "max_steps: 200, max_errors: 10"} {
			if !strings.Contains(string(text), key) {
				t.Errorf("%s does not say %q", name, key)
			}
		}
		for _, s := range c.Systems {
			system := report.SystemOf(c, s)
			if system.Variant != "" {
				t.Errorf("%s: %s counts as a variant: %s", name, s.Name, system.Variant)
			}
			var params map[string]json.RawMessage
			if len(s.Params) > 0 {
				if err := json.Unmarshal(s.Params, &params); err != nil {
					t.Fatal(err)
				}
			}
			for key, want := range fixed[system.Kind] {
				if got := string(params[key]); got != want {
					t.Errorf("%s: %s has %s %s, want %s", name, s.Name, key, got, want)
				}
			}
			seen[system.Kind] = true
		}
	}
	for kind := range fixed {
		if !seen[kind] {
			t.Errorf("no config has %s", kind)
		}
	}
}
