package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/domains/domaintest"
)

// columns are the names of the figures in a row of the reference list, which has them by position.
func columns(table string) []string {
	pass := []string{"pass.1", "pass.2", "pass.3", "pass.4"}
	return map[string][]string{
		"table1": {"all", "pv", "mut"}, "table2": {"all", "pv", "mut"}, "table4": {"all", "pv", "mut"},
		"table5":  {"step_tcr", "trace_tcr", "process_valid"},
		"table6":  {"argument", "process", "workflow", "total"},
		"table10": append(slices.Clone(pass), "consistency"),
		"table11": append(slices.Clone(pass), "deviation"),
		"table12": {"strata", "first", "second", "discordant", "z"},
		"table13": {"tasks", "delta", "lo", "hi"},
		"table14": {"policyguide.calls_per_task", "policyguide.prompt_per_call", "policyguide.cached", "policyguide.output_per_call", "policyguide.dollars", "policyguide.dollars_per_task"},
		"table15": {"react", "policyguide", "policyguide_ratio"},
		"table16": {"nodes", "authorizations", "flags"},
	}[table]
}

// flatten puts the figures of the reference list under the paths of the shipped file.
func flatten(t *testing.T, path string, v any, out map[string]float64) {
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			flatten(t, strings.TrimPrefix(path+"."+key, "."), value, out)
		}
	case []any:
		table, _, _ := strings.Cut(path, ".")
		names := columns(table)
		if len(names) != len(x) {
			t.Fatalf("%s has %d figures, want %d", path, len(x), len(names))
		}
		for i, value := range x {
			flatten(t, path+"."+names[i], value, out)
		}
	case uint64, int64, float64:
		if rest, ok := strings.CutPrefix(path, "splits."); ok {
			domain, name, _ := strings.Cut(rest, ".")
			path = map[string]string{"base": ".base.all", "pv": ".base.pv", "mut": ".base.mut", "test": ".test.all", "test_pv": ".test.pv", "test_mut": ".test.mut"}[name]
			path = "splits." + domain + path
		}
		for _, table := range []string{"table3.", "table5."} { // of telecom alone, which the list does not say
			if rest, ok := strings.CutPrefix(path, table); ok {
				path = table + "telecom." + rest
			}
		}
		var f float64
		if _, err := fmt.Sscan(fmt.Sprint(x), &f); err != nil {
			t.Fatal(err)
		}
		out[strings.Replace(path, "figure6_per_trial_asr", "figure6", 1)] = f
	}
}

// TestPublishedIsTheReference checks every figure of the shipped file against the reference list.
func TestPublishedIsTheReference(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Shared(t), "spec", "published.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"trials": 4, "table12.react.p_below": 1e-8, "table12.policyguard.p_below": 1e-12}
	flatten(t, "", file, want)
	got, err := configs.Published()
	if err != nil {
		t.Fatal(err)
	}
	for path, v := range got {
		if strings.HasSuffix(path, ".procedural") || strings.HasSuffix(path, ".ordered") || strings.HasPrefix(path, "table14.") && strings.HasSuffix(path, ".tasks") {
			want[path] = v // the reference list lacks them; metrics checks that they agree with the others
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-reference +shipped)\n%s", diff)
	}
}
