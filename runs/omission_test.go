package runs_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// TestOmittedNodesChangeNothing has a verifier that is right in everything but leaves a twentieth of the nodes that it found
// satisfied off its walks, on all embedded tasks: nothing ends otherwise for that, and no message is held back for it. Where
// walks are checked along edges, it is asked again, and then names them all.
func TestOmittedNodesChangeNothing(t *testing.T) {
	const setup = `
note: a verifier that leaves nodes out
trials: 1
limits: {concurrency: 8}
models:
  clumsy: {synthetic: true, base_url: %s, mistakes: {skip_identify: 0.1, act_before_consent: 0.2, wrong_order: 0.15, grant_forbidden: 0.3, give_up: 0.05}, follows_guidance: 0.95}
user: {model: clumsy}
judge: {model: clumsy}
domains: [{name: airline}, {name: retail}, {name: telecom}]
systems: [{name: PolicyGuide, agent: policyguide, model: clumsy, params: {%s}}]
`
	c := runtest.Parse(t, fmt.Sprintf(setup, "http://127.0.0.1:1/v1", ""))
	worlds, err := config.Worlds(c)
	if err != nil {
		t.Fatal(err)
	}
	const defaults, path = "", "walk_check: path"
	run := func(params string, share float64) (ends map[string]string, asked int) {
		script, err := c.Script()
		if err != nil {
			t.Fatal(err)
		}
		script.Scripts[verify.Role] = omitting(script.Scripts[verify.Role], share)
		srv := httptest.NewServer(synthetic.NewServer(synthetic.New(worlds, script)))
		defer srv.Close()
		dir := filepath.Join(t.TempDir(), "run")
		runtest.Execute(t, fmt.Sprintf(setup, srv.URL+"/v1", params), config.Options{Out: dir})
		return endings(t, dir)
	}
	for _, params := range []string{defaults, path} {
		want, _ := run(params, 0)
		got, asked := run(params, 0.05)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("{%s}: the omissions change how conversations go (-without +with):\n%s", params, diff)
		}
		if again := params == path; again != (asked > 0) {
			t.Errorf("{%s}: the verifier was asked again %d times", params, asked)
		}
	}
}

// omitting leaves a share of the satisfied nodes off the walks of a verifier's answers, unless it is asked again.
func omitting(script synthetic.Script, share float64) synthetic.Script {
	return func(ctx context.Context, in synthetic.Input) (llm.Message, error) {
		m, err := script(ctx, in)
		if err != nil || len(in.Request.Messages) > 2 {
			return m, err
		}
		rec, err := verify.Parse(m.Text())
		if err != nil {
			return m, err
		}
		for i := range rec.Traverse {
			rec.Traverse[i].Walk = slices.DeleteFunc(rec.Traverse[i].Walk, func(v verify.Visit) bool {
				h := fnv.New32()
				fmt.Fprint(h, in.Request.Tag, i, v.Node)
				return v.Satisfied && float64(h.Sum32()%10000) < share*10000
			})
		}
		text, err := rec.Text()
		return synthetic.Say(text), err
	}
}

// endings are how the conversations of a run ended and which messages were held back, by trial; asked is how often a
// verifier was asked a second time.
func endings(t *testing.T, dir string) (out map[string]string, asked int) {
	out = map[string]string{}
	r := runtest.Open(t, dir)
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		var held []string
		for _, e := range rec.Events {
			if e.Kind == agents.EventIntercept {
				held = append(held, fmt.Sprintf("%d %s", e.Index, e.Text))
			}
			if _, again := e.Data["reask"]; again {
				asked++
			}
		}
		e, _ := r.Counting(rec.Key)
		reward := -1.0
		if e.Reward != nil {
			reward = *e.Reward
		}
		out[rec.Key.String()] = fmt.Sprintf("%s %g %s", rec.Termination, reward, strings.Join(held, "; "))
	}
	if len(out) == 0 {
		t.Fatal("no conversation was held")
	}
	return out, asked
}
