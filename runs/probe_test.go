package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// TestProbeAsksEveryRole: each model in each role that it has in the plan, once, with the questions of that role.
func TestProbeAsksEveryRole(t *testing.T) {
	t.Parallel()
	url := scripted(t, careful(), nil)
	const text = `
note: probed
models:
  actor: {base_url: URL, model: actor}
  caller: {base_url: URL, model: caller}
  checker: {base_url: URL, model: checker}
  script: {synthetic: true}
user: {model: caller}
judge: {model: actor}
domains: [{name: retail, tasks: [cancel-gift-card-order, change-two-items-then-address]}]
systems:
  - {name: ReAct, agent: react, model: actor}
  - {name: Guided, agent: policyguide, model: actor, params: {model: checker}}
  - {name: Own, agent: policyguard, model: actor}
  - {name: Scripted, agent: react, model: script}
  - {name: Noop, agent: noop}
`
	p := runtest.Resolve(t, strings.ReplaceAll(text, "URL", url), config.Options{Out: t.TempDir()})
	results, err := runs.Probe(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		var shapes []string
		for _, c := range r.Calls {
			if !slices.Contains(shapes, c.Shape) {
				shapes = append(shapes, c.Shape)
			}
		}
		got = append(got, fmt.Sprintf("%s %s: %s", r.Role, r.Name, strings.Join(shapes, ", ")))
	}
	want := []string{
		"agent actor: tool call",
		"agent script: ",
		"user caller: opening",
		"judge actor: verdict",
		"verifier checker: verdict",
		"guard actor: verdict",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runs.Probe(ctx, p, nil); err == nil {
		t.Error("a probe that was cancelled is no error")
	}
}

// TestProbeSendsTheSeed of the run, unless the model is asked without one.
func TestProbeSendsTheSeed(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]any{"": 300.0, "seed: true, ": 300.0, "seed: false, ": nil} {
		var got []any
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body map[string]any
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			got = append(got, body["seed"])
			w.WriteHeader(http.StatusUnauthorized)
		}))
		text := strings.Replace(runtest.Small, "  careful: {synthetic: true}", "  careful: {synthetic: true}\n  asked: {"+more+"model: m, base_url: "+srv.URL+"/v1}", 1)
		p := runtest.Resolve(t, strings.Replace(text, "model: clumsy}", "model: asked}", 1), config.Options{Out: t.TempDir()})
		_, err := runs.Probe(t.Context(), p, nil)
		srv.Close()
		if err != nil || len(got) == 0 || got[0] != want {
			t.Errorf("%q: seeds %v, want %v (%v)", more, got, want, err)
		}
	}
}
