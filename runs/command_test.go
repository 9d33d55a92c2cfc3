package runs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
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
		o    config.Options
		want config.Command
	}{
		{"first", config.Options{Only: []string{"system=A"}, Limit: 1, Data: "embedded", Synthetic: true}, config.Command{Only: []string{"system=A"}, Limit: 1, Data: "embedded", Synthetic: true}},
		{"more tasks", config.Options{Only: []string{"system=A"}, Limit: 2, Resume: true}, config.Command{Only: []string{"system=A"}, Limit: 2}},
		{"another part", config.Options{Only: []string{"system=B"}, Limit: 2, Resume: true}, config.Command{Limit: 2}},
		{"all", config.Options{Resume: true}, config.Command{}},
	} {
		step.o.Out = dir
		runtest.Execute(t, text, step.o)
		got := runtest.Open(t, dir).Manifest().Command
		if got == nil || got.Config == "" {
			t.Fatalf("%s: command %+v", step.name, got)
		}
		step.want.Config = got.Config
		if d := cmp.Diff(&step.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, d)
		}
	}
}
