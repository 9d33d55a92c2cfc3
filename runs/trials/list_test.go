package trials_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/trials"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestList narrows a run's trials by each filter, and by several.
func TestList(t *testing.T) {
	srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply {
		return faultserver.Status(401, `{"error": {"message": "no"}}`)
	})
	dir := t.TempDir()
	if _, err := runtest.Run(t.Context(), runtest.Parse(t, fmt.Sprintf(`
note: filters
trials: 2
models: {m: {synthetic: true}, broken: {base_url: %q, key: none}}
user: {model: m}
domains: [{name: telecom, tasks: [no-topup-left, pay-bill-early]}]
systems:
  - {name: ReAct, agent: react, model: m}
  - {name: Noop, agent: noop}
  - {name: Guided, agent: react, model: m, overlays: [{policyguide: {verifier: deterministic, gate: strict}}]}
  - {name: Broken, agent: react, model: broken}
limits: {concurrency: 1}
`, srv.URL)), config.Options{Out: dir}); err != nil {
		t.Fatal(err)
	}
	run := runtest.Open(t, dir)
	const react, noop, guided, passed = "ReAct/no-topup-left/0 passed, ReAct/no-topup-left/1 passed", "Noop/no-topup-left/0 failed, Noop/no-topup-left/1 failed",
		"Guided/no-topup-left/0 passed, Guided/no-topup-left/1 passed", "ReAct/pay-bill-early/0 passed, ReAct/pay-bill-early/1 passed"
	const others = "Noop/pay-bill-early/0 passed, Noop/pay-bill-early/1 passed, Guided/pay-bill-early/0 passed, Guided/pay-bill-early/1 passed"
	const voided, waiting = "Broken/no-topup-left/0 void, Broken/no-topup-left/1 waiting", "Broken/pay-bill-early/0 waiting, Broken/pay-bill-early/1 waiting"
	for _, c := range []struct {
		query string
		want  string // the trials of a system on a task together, in the order of the plan
	}{
		{"", join(react, noop, guided, voided, passed, others, waiting)},
		{"system=ReAct", join(react, passed)},
		{"system=ReAct&system=Noop&task=no-topup-left", join(react, noop)},
		{"system=ReAct&task=TOPUP", react},
		{"outcome=passed", join(react, guided, passed, others)},
		{"outcome=failed&outcome=void", join(noop, "Broken/no-topup-left/0 void")},
		{"fault=any", "Broken/no-topup-left/0 void"},
		{"ending=infrastructure_error", "Broken/no-topup-left/0 void"},
		{"slice=PV&system=Noop&system=Broken", join(noop, voided, "Noop/pay-bill-early/0 passed, Noop/pay-bill-early/1 passed", waiting)},
		{"stopped=any", guided},
		{"stopped=any&outcome=failed", ""},
		{"tool=get_data_usage", join(react, guided)},
		{"tool=get_data_usage&tool=nothing&system=Guided", guided},
		{"q=%22get_data_usage%22&system=ReAct", react},
		{"system=Noop&sort=-task", "Noop/pay-bill-early/1 passed, Noop/pay-bill-early/0 passed, Noop/no-topup-left/1 failed, Noop/no-topup-left/0 failed"},
		{"task=no-topup-left&sort=outcome", join(noop, react, guided, voided)},
		{"task=no-topup-left&sort=-outcome", join("Broken/no-topup-left/1 waiting, Broken/no-topup-left/0 void", react, guided, noop)},
		{"system=Broken&system=Noop&task=no-topup-left&sort=reward", join(noop, voided)},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := trials.List(t.Context(), run, trials.NewQuery(values))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprintf("%s/%s/%d %s", l.System, l.Task, l.Trial, l.Outcome))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
	for query, want := range map[string]string{"system=Guidde": `did you mean "Guided"?`, "tool=get_data_usge": `did you mean "get_data_usage"?`, "outcome=pased": `did you mean "passed"?`} {
		values, _ := url.ParseQuery(query)
		if _, err := trials.List(t.Context(), run, trials.NewQuery(values)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func join(parts ...string) string { return strings.Join(parts, ", ") }
