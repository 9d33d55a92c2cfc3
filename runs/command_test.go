package runs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
)

// The manifest says how the run was asked for, so that what it lacks can be asked for again; parts that were run one after
// the other ask for the whole.
func TestManifestHasTheCommand(t *testing.T) {
	const text = `
note: a test's run
trials: 1
models: {scripted: {synthetic: true}}
user: {model: scripted}
judge: {model: scripted}
domains: [{name: mock}]
systems:
  - {name: A, agent: noop}
  - {name: B, agent: noop}
`
	dir := t.TempDir() + "/run"
	for _, step := range []struct {
		name string
		o    runs.Options
		want runs.Command
	}{
		{"first", runs.Options{Only: []string{"system=A"}, Limit: 1, Data: "embedded", Synthetic: true}, runs.Command{Only: []string{"system=A"}, Limit: 1, Data: "embedded", Synthetic: true}},
		{"more tasks", runs.Options{Only: []string{"system=A"}, Limit: 2, Resume: true}, runs.Command{Only: []string{"system=A"}, Limit: 2}},
		{"another part", runs.Options{Only: []string{"system=B"}, Limit: 2, Resume: true}, runs.Command{Limit: 2}},
		{"all", runs.Options{Resume: true}, runs.Command{}},
	} {
		step.o.Out = dir
		execute(t, text, step.o)
		got := open(t, dir).Manifest().Command
		if got == nil || got.Config == "" {
			t.Fatalf("%s: command %+v", step.name, got)
		}
		step.want.Config = got.Config
		if d := cmp.Diff(&step.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, d)
		}
	}
}
