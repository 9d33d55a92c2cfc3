package view_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"

	scripted "github.com/tauguide/tauguide/agents/synthetic"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// shopRun is a run of the shop whose scripted models are behind a server, so that it has requests as they were sent.
func shopRun(t *testing.T, o config.Options) string {
	t.Helper()
	list, err := all.Open("embedded", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	worlds := map[string]*domains.World{}
	for _, w := range list {
		worlds[w.Name] = w
	}
	models := httptest.NewServer(synthetic.NewServer(synthetic.New(worlds, synthetic.Config{FollowsGuidance: 0.9, Scripts: scripted.Scripts(),
		Mistakes: synthetic.Mistakes{SkipIdentify: 0.1, ActBeforeConsent: 0.2, WrongOrder: 0.15, GrantForbidden: 0.3, GiveUp: 0.05}})))
	defer models.Close()
	o.Out = filepath.Join(t.TempDir(), "shop")
	cfg := parse(t, fmt.Sprintf(`
name: shop
note: three agents in a shop, with scripted models
trials: 2
models: {scripted: {synthetic: true, base_url: %q}}
user: {model: scripted}
judge: {model: scripted}
domains: [{name: retail, split: base}]
systems:
  - {name: ReAct, agent: react, model: scripted}
  - {name: PolicyGuard, agent: policyguard, model: scripted}
  - {name: PolicyGuide, agent: policyguide, model: scripted}
`, models.URL+"/v1"))
	if _, err := runtest.Run(context.Background(), cfg, o); err != nil {
		t.Fatal(err)
	}
	return o.Out
}
