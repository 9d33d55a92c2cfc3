package show_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/show"
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
	for _, c := range []struct {
		name   string
		filter trials.Filter
		want   string // the trials of a system on a task together, in the order of the plan
	}{
		{"none", trials.Filter{}, strings.Join([]string{react, noop, guided, "Broken/no-topup-left/0 void, Broken/no-topup-left/1 waiting", passed, others,
			"Broken/pay-bill-early/0 waiting, Broken/pay-bill-early/1 waiting"}, ", ")},
		{"system", trials.Filter{Only: []string{"system=ReAct"}}, react + ", " + passed},
		{"systems and task", trials.Filter{Only: []string{"system=ReAct,Noop", "task=no-topup-left"}}, react + ", " + noop},
		{"trial", trials.Filter{Only: []string{"system=ReAct", "trial=1"}}, "ReAct/no-topup-left/1 passed, ReAct/pay-bill-early/1 passed"},
		{"passed", trials.Filter{Passed: true}, strings.Join([]string{react, guided, passed, others}, ", ")},
		{"failed", trials.Filter{Failed: true}, noop},
		{"faults", trials.Filter{Faults: true}, "Broken/no-topup-left/0 void"},
		{"intercepted", trials.Filter{Intercepted: true}, guided},
		{"intercepted and failed", trials.Filter{Intercepted: true, Failed: true}, ""},
	} {
		lines, err := trials.List(run, c.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprintf("%s/%s/%d %s", l.System, l.Task, l.Trial, l.Outcome))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if _, err := trials.List(run, trials.Filter{Only: []string{"system=Guidde"}}); err == nil || !strings.Contains(err.Error(), `did you mean "Guided"?`) {
		t.Errorf("a system that there is not: %v", err)
	}
}

// TestListHasReasonsOnlyWhereThereAreSome: the column is left to the keys otherwise.
func TestListHasReasonsOnlyWhereThereAreSome(t *testing.T) {
	t.Parallel()
	for want, lines := range map[int][]trials.Line{4: {{}, {}}, 5: {{}, {Why: "broken"}}} {
		table := show.Table(lines)
		if len(table.Columns) != want || len(table.Rows[0]) != want || len(table.Rows[1]) != want {
			t.Errorf("%d columns, want %d: %+v", len(table.Columns), want, table)
		}
	}
}
