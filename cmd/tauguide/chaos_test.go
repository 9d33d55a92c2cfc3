package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// experiment writes a config whose models are at an address; timeout is that of a request.
func experiment(t *testing.T, url, timeout, trials, limits, systems string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "experiment.yaml")
	text := fmt.Sprintf(`note: for a test
trials: %s
limits: {%s}
models: {m: {synthetic: true, base_url: %q, timeout: %s}}
user: {model: m}
judge: {model: m}
domains: [{name: retail, tasks: [cancel-gift-card-order, cancel-processed-order, kettle-for-toaster, order-of-spouse, gift-card-too-small]}]
systems:
%s`, trials, limits, url, timeout, systems)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// scriptedModels are clumsy models for the embedded tasks, as a handler.
func scriptedModels(t *testing.T, latency time.Duration) http.Handler {
	t.Helper()
	list, err := all.Open("embedded", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	worlds := map[string]*domains.World{}
	for _, w := range list {
		worlds[w.Name] = w
	}
	return synthetic.NewServer(synthetic.New(worlds, synthetic.Config{FollowsGuidance: 0.9, Latency: latency, Scripts: scripted.Scripts(),
		Mistakes: synthetic.Mistakes{SkipIdentify: 0.1, ActBeforeConsent: 0.2, WrongOrder: 0.15, GrantForbidden: 0.3, GiveUp: 0.05}}))
}

// TestChaosChangesNothing runs 80 trials (500 with -long) with models of which a fifth of the answers is spoilt in every
// way that a provider knows, and compares records, scores and tables with those of an undisturbed run of the same seed.
func TestChaosChangesNothing(t *testing.T) {
	perTask := 8
	if *long {
		perTask = 50
	}
	trials := 10 * perTask
	models := scriptedModels(t, 0)
	calm := httptest.NewServer(models)
	defer calm.Close()
	chaos := &faultserver.Chaos{Next: models, Share: 0.2, Seed: 1, Header: llm.TagHeader, Late: 20 * time.Millisecond, RetryAfter: 5 * time.Millisecond}
	rough := httptest.NewServer(chaos)
	defer rough.Close()
	const systems = "  - {name: ReAct, agent: react, model: m}\n  - {name: Noop, agent: noop}\n"
	config := func(url, timeout string) string {
		return experiment(t, url+"/v1", timeout, strconv.Itoa(perTask), "concurrency: 64", systems)
	}
	quiet, wild := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	if code, _, stderr := command(t, noEnv, "run", config(calm.URL, "1m"), "--out", quiet); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	file := config(rough.URL, "1s") // so long is silence waited for
	executions := 1
	code, _, stderr := command(t, noEnv, "run", file, "--out", wild)
	for ; code == exitIncomplete; executions++ { // a slow machine has more answers that come too late
		t.Logf("execution %d: %s", executions, strings.TrimSpace(stderr))
		code, _, stderr = command(t, noEnv, "run", file, "--out", wild, "--resume")
	}
	if code != exitOK {
		t.Fatalf("exit code %d after %d executions\n%s", code, executions, stderr)
	}
	counts := chaos.Counts()
	spoilt, all := 0, 0
	for kind, n := range counts {
		if all += n; kind != "ok" {
			spoilt += n
		}
	}
	t.Logf("%d executions; replies %v", executions, counts)
	if len(counts) != 10 || float64(spoilt) < 0.15*float64(all) || float64(spoilt) > 0.25*float64(all) {
		t.Errorf("%d of %d replies were spoilt, in %d ways", spoilt, all, len(counts)-1)
	}
	want, got := timeless(t, quiet), timeless(t, wild)
	evaluable, void := attempts(t, wild)
	t.Logf("%d void attempts were made up for", void)
	if len(want) != trials || len(got) != trials || evaluable != trials {
		t.Errorf("%d trials in peace, %d in chaos with %d attempts that count: want %d each", len(want), len(got), evaluable, trials)
	}
	for key, text := range want {
		if diff := cmp.Diff(text, got[key]); diff != "" {
			t.Fatalf("record %s differs (-in peace +in chaos):\n%s", key, diff)
		}
	}
	if diff := cmp.Diff(tablesOf(t, quiet), tablesOf(t, wild)); diff != "" {
		t.Errorf("tables (-in peace +in chaos):\n%s", diff)
	}
}

// tablesOf prints the tables of a run, without the name of its folder.
func tablesOf(t *testing.T, dir string) string {
	t.Helper()
	code, stdout, stderr := command(t, noEnv, "tables", dir, "--format", "csv")
	if code != exitOK || len(stdout) < 100 {
		t.Fatalf("exit code %d, tables %q\n%s", code, stdout, stderr)
	}
	return strings.ReplaceAll(stdout, dir, "RUN")
}

// attempts counts the attempts of a run by whether they count.
func attempts(t *testing.T, dir string) (evaluable, void int) {
	t.Helper()
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Attempts() {
		if e.Termination.Evaluable() {
			evaluable++
		} else {
			void++
		}
	}
	return evaluable, void
}
