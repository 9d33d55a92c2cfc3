package synthetic_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/author"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// desk is a domain with a scripted author of its workflow.
func desk(t testing.TB, name string) (author.Source, *sim.Model) {
	t.Helper()
	d, err := all.Domain(name)
	if err != nil {
		t.Fatal(err)
	}
	w := domaintest.Embedded(t, d, domains.Options{})
	src, err := author.Builtin(w, "embedded")
	if err != nil {
		t.Fatal(err)
	}
	client := synthetic.New(map[string]*domains.World{name: w}, synthetic.Config{Scripts: scripted.Scripts()})
	return src, &sim.Model{Client: client, Name: "writer", Tag: llm.Tag{Domain: name, System: "author", Task: w.Tasks[0].ID}}
}

// sameWorkflow compares what models and people read of two bundles.
func sameWorkflow(a, b *guide.Bundle) string {
	return cmp.Diff(a, b, cmpopts.IgnoreFields(guide.Node{}, "Line", "Keys", "Check", "Event"), cmpopts.IgnoreFields(guide.File{}, "Line"),
		cmpopts.IgnoreFields(guide.Edge{}, "Line", "Check"), cmpopts.IgnoreFields(guide.Intent{}, "Line"))
}

func TestWriteWorkflow(t *testing.T) {
	for _, name := range guide.Shipped() {
		t.Run(name, func(t *testing.T) {
			src, m := desk(t, name)
			draft, err := author.Write(context.Background(), author.Job{Source: src, Model: m, Rounds: author.DefaultRounds, Synthetic: true, Log: func(s string) { t.Log(s) }})
			if err != nil {
				t.Fatal(err)
			}
			want, err := guide.LoadShipped(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := sameWorkflow(want, draft.Bundle); diff != "" {
				t.Errorf("(-built in +written):\n%s", diff)
			}
			t.Log(draft.Files["coverage.md"], draft.Findings)
		})
	}
}
