package runs_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/probe"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// rehearsed is a config with a model of its own in each role.
const rehearsed = `
note: rehearsed
models:
  actor: {base_url: URL, model: actor, key: k, retry: {attempts: 9, first_wait: 1ms}}
  caller: {base_url: URL, model: caller, key: k}
  checker: {base_url: URL, model: checker, key: k}
  minder: {base_url: URL, model: minder, key: k}
  grader: {base_url: URL, model: grader, key: k}
user: {model: caller}
judge: {model: grader}
domains: [{name: retail, tasks: [cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]}]
systems:
  - {name: Guided, agent: policyguide, model: actor, params: {model: checker}}
  - {name: Guarded, agent: policyguard, model: actor, params: {model: minder}}
`

// question is what a model was asked, by its name, at an address of scripted models.
type question struct {
	model string
	tag   llm.Tag
	probe bool // a probe's own question
	size  int  // bytes of the messages' texts
}

// examined serves scripted models to those who say which trial a call is of, as scripted ones do, and otherwise answers of use.
// other may answer in their place. asked is what they were asked for conversations.
func examined(t *testing.T, other func(q question) string) (url string, asked func() []question) {
	t.Helper()
	worlds, err := config.Worlds(runtest.Parse(t, strings.ReplaceAll(rehearsed, "URL", "http://127.0.0.1:1/v1")))
	if err != nil {
		t.Fatal(err)
	}
	models := synthetic.NewServer(synthetic.New(worlds, config.Model{}.Scripted()))
	var mu sync.Mutex
	var all []question
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		tag, tagged, bad := llm.ReadTag(r.Header)
		var req struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		if json.Unmarshal(text, &req) != nil || err != nil || bad != nil {
			t.Errorf("request %s: %v, %v", text, err, bad)
		}
		q := question{model: req.Model, tag: tag, probe: strings.Contains(string(text), "lookup_parcel")}
		for _, m := range req.Messages {
			q.size += len(m.Content)
		}
		mu.Lock()
		all = append(all, q)
		mu.Unlock()
		answer := json.RawMessage(other(q))
		switch {
		case len(answer) > 0:
		case tagged:
			r.Body = io.NopCloser(strings.NewReader(string(text)))
			models.ServeHTTP(w, r)
			return
		case q.probe && req.Messages[len(req.Messages)-1].Role == "user":
			answer = runtest.Calls("lookup_parcel", map[string]string{"id": "P-17"})
		default:
			answer = runtest.Says(useful[q.model])
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(strings.ReplaceAll(string(answer), `"prompt_tokens":100,`, `"prompt_tokens":40000,`))) // the client may be gone
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", func() []question {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// useful are answers that a run can use.
var useful = map[string]string{"actor": "One moment, please.", "caller": "I need help with an order.", "minder": "VERDICT: PASS"}

func asIs(question) string { return "" }

// probed are the results of a probe by role.
func probed(t *testing.T, text string) map[string]probe.Result {
	t.Helper()
	results, err := runs.Probe(t.Context(), runtest.Resolve(t, text, config.Options{Out: filepath.Join(t.TempDir(), "run"), Trials: 1}), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]probe.Result{}
	for _, r := range results {
		out[r.Role] = r
	}
	return out
}

// complaints are a result's findings that would make its trials worth nothing.
func complaints(r probe.Result) (out []string) {
	for _, f := range r.Findings {
		if f.Severity == probe.Failed {
			out = append(out, f.Code+": "+f.Text)
		}
	}
	return out
}

// TestProbeFindsNothingInGoodAnswers, and asks each role every shape of question that a run asks it.
func TestProbeFindsNothingInGoodAnswers(t *testing.T) {
	t.Parallel()
	url, _ := examined(t, asIs)
	got := map[string]string{}
	for role, r := range probed(t, strings.ReplaceAll(rehearsed, "URL", url)) {
		var shapes []string
		for _, c := range r.Calls {
			shapes = append(shapes, c.Shape)
		}
		got[role] = strings.Join(append(shapes, complaints(r)...), ", ")
	}
	want := map[string]string{"agent": "tool call, tool result, opening, guidance", "user": "opening", "guard": "verdict"}
	delete(got, "judge") // its answer, and the verifier's, are of another kind in each conversation
	delete(got, "verifier")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	guided, guarded, _ := strings.Cut(rehearsed, "  - {name: Guided")
	_, guarded, _ = strings.Cut(guarded, "\n")
	plain := probed(t, strings.ReplaceAll(guided+strings.Replace(guarded, "agent: policyguard, model: actor, params: {model: minder}", "agent: react, model: actor", 1), "URL", url))
	for _, c := range plain["agent"].Calls {
		if c.Shape == "guidance" {
			t.Error("an agent that nothing guides is asked with guidance")
		}
	}
	if n := len(plain["agent"].Calls); n != 3 {
		t.Errorf("an agent that nothing guides is asked %d times, want for a call, with its result, and an opening", n)
	}
}

// TestProbeSaysWhatTheRunHoldsAgainstAnswers, in the words in which the run would tell the model.
func TestProbeSaysWhatTheRunHoldsAgainstAnswers(t *testing.T) {
	t.Parallel()
	const sunny = "It is sunny today."
	url, _ := examined(t, func(q question) string {
		if q.model == "actor" || q.model == "caller" {
			return ""
		}
		return string(runtest.Says(sunny))
	})
	results := probed(t, strings.ReplaceAll(rehearsed, "URL", url))
	for role, want := range map[string]string{"verifier": "there is no JSON object in it", "guard": "VERDICT", "judge": "no JSON object in the answer"} {
		got := complaints(results[role])
		if len(got) != 1 || !strings.HasPrefix(got[0], `contract: the run cannot use the answer "It is sunny today.": `) || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
		if n := len(results[role].Calls); n != 1 {
			t.Errorf("%s was asked %d times: what a run asks again is the script's to answer", role, n)
		}
	}
	for _, role := range []string{"agent", "user"} {
		if got := complaints(results[role]); got != nil {
			t.Errorf("%s: %q", role, got)
		}
	}
}

// TestProbeAsksTheLongest question of each kind that a run would ask.
func TestProbeAsksTheLongest(t *testing.T) {
	t.Parallel()
	url, asked := examined(t, asIs)
	text := strings.ReplaceAll(rehearsed, "URL", url)
	runtest.Execute(t, strings.ReplaceAll(text, "key: k", "key: k, synthetic: true"), config.Options{Out: filepath.Join(t.TempDir(), "run"), Trials: 1})
	ran := asked()
	results := probed(t, text)
	longest := func(all []question, model string) (n int) {
		for _, q := range all {
			if q.model == model && !q.probe && (model != "caller" || q.tag.Ordinal == 0) {
				n = max(n, q.size)
			}
		}
		return n
	}
	for role, model := range map[string]string{"user": "caller", "verifier": "checker", "guard": "minder", "judge": "grader"} {
		if want, got := longest(ran, model), longest(asked()[len(ran):], model); want != got || got == 0 {
			t.Errorf("%s: asked %d bytes, the run asks up to %d", role, got, want)
		}
		if n := len(results[role].Calls); n != 1 {
			t.Errorf("%s: %d questions", role, n)
		}
	}
}

// TestProbeIsImpatient: it asks twice where a run would try for long.
func TestProbeIsImpatient(t *testing.T) {
	t.Parallel()
	url, asked := examined(t, func(q question) string {
		if q.model == "actor" {
			return `{"id":"c"}`
		}
		return ""
	})
	results := probed(t, strings.ReplaceAll(rehearsed, "URL", url))
	n := 0
	for _, q := range asked() {
		if q.model == "actor" {
			n++
		}
	}
	if len(complaints(results["agent"])) == 0 || n != 2*len(results["agent"].Calls) {
		t.Errorf("%d requests for %d questions: %q", n, len(results["agent"].Calls), complaints(results["agent"]))
	}
	if got := fmt.Sprint(complaints(results["user"])); got != "[]" {
		t.Errorf("the user: %s", got)
	}
}
