package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/sim/llm"
)

// plainEndpoint serves the scripted models as a provider would, to clients that say nothing of the trial: it tells from
// the customer's prompt which task it is. That works for one conversation at a time.
type plainEndpoint struct {
	t      *testing.T
	models http.Handler
	tasks  []*domains.Task
	key    string
	model  string
	task   string
	served atomic.Int64
}

func (p *plainEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	var req struct {
		Model    string `json:"model"`
		Messages []struct {
			Role, Content string
		} `json:"messages"`
		Tools []any `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		p.t.Errorf("body: %v", err)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer "+p.key || r.Header.Get(llm.TagHeader) != "" || req.Model != p.model {
		p.t.Errorf("asked for model %q with %q, tag %q", req.Model, got, r.Header.Get(llm.TagHeader))
	}
	role := "agent"
	for _, task := range p.tasks {
		if len(req.Messages) > 0 && strings.Contains(req.Messages[0].Content, task.UserScenario.Text()) {
			role, p.task = "user", task.ID
		}
	}
	tag, err := json.Marshal(llm.Tag{Domain: "retail", System: "ReAct", Task: p.task, Role: role, RunSeed: 300})
	if err != nil {
		p.t.Error(err)
	}
	r.Header.Set(llm.TagHeader, string(tag))
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.served.Add(1)
	p.models.ServeHTTP(w, r)
}

// smoke serves the models of the first-contact config.
func smoke(t *testing.T, key, model string) (*plainEndpoint, string) {
	t.Helper()
	worlds, err := all.Open("embedded", []string{"retail"}, "")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := worlds[0].Select("base")
	if err != nil {
		t.Fatal(err)
	}
	p := &plainEndpoint{t: t, models: scriptedModels(t, 0), tasks: tasks, key: key, model: model}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	return p, srv.URL + "/v1"
}

func TestFirstContact(t *testing.T) {
	config := filepath.Join(domaintest.Root(t), "configs", "openai-smoke.yaml")
	const key = "sk-planted-0123456789"
	for _, c := range []struct{ name, model, sent string }{{"the default model", "", "gpt-4.1-mini"}, {"a model of one's own", "qwen3-32b", "qwen3-32b"}} {
		t.Run(c.name, func(t *testing.T) {
			p, url := smoke(t, key, c.sent)
			out := filepath.Join(t.TempDir(), "run")
			env := variables(map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": url, "OPENAI_MODEL": c.model})
			code, stdout, stderr := command(t, env, "run", config, "--out", out, "--concurrency", "1")
			if code != exitOK || !strings.Contains(stderr, "2 of 2 trials evaluable") || p.served.Load() < 6 || stdout == "" {
				t.Errorf("exit code %d after %d calls\n%s%s", code, p.served.Load(), stdout, stderr)
			}
			if strings.Contains(stdout, "synthetic") {
				t.Error("a model behind an endpoint is not known to be scripted")
			}
		})
	}
}

// TestMissingKeyIsReportedFirst: before anything is sent, written or made.
func TestMissingKeyIsReportedFirst(t *testing.T) {
	p, url := smoke(t, "", "")
	config := filepath.Join(domaintest.Root(t), "configs", "openai-smoke.yaml")
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"run", config}, {"run", config, "--dry-run"}, {"run", config, "--resume", "--out", "x"}} {
		code, stdout, stderr := command(t, variables(map[string]string{"OPENAI_BASE_URL": url}), args...)
		if code != exitUsage || !strings.Contains(stderr, "environment variable OPENAI_API_KEY is not set\nhint: export it") || stdout != "" {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 || p.served.Load() > 0 {
		t.Errorf("%d calls; left behind: %v, %v", p.served.Load(), left, err)
	}
}

func TestDryRunOfFirstContactNamesItsCost(t *testing.T) {
	config := filepath.Join(domaintest.Root(t), "configs", "openai-smoke.yaml")
	t.Chdir(t.TempDir())
	code, stdout, stderr := command(t, variables(map[string]string{"OPENAI_API_KEY": "x"}), "run", config, "--dry-run")
	if code != exitOK || !strings.Contains(stdout, "estimate, by ") || !strings.Contains(stdout, "total: about 0.0") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = command(t, variables(map[string]string{"OPENAI_API_KEY": "x", "OPENAI_MODEL": "nobodys-model"}), "run", config, "--dry-run")
	if code != exitOK || !strings.Contains(stdout, "total: ? dollars") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// TestNothingIsSpentBeyondTheEstimate: a run that is estimated above its bound asks no model and writes nothing, unless
// a flag allows it; a resume counts what is left.
func TestNothingIsSpentBeyondTheEstimate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "configs", "openai-smoke.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p, url := smoke(t, "k-0123456789", "gpt-4.1-mini")
	env := variables(map[string]string{"OPENAI_API_KEY": p.key, "OPENAI_BASE_URL": url})
	t.Chdir(t.TempDir())
	bounded := bytes.Replace(text, []byte("max_tokens: 1000000 "), []byte("max_cost: 0.05 "), 1)
	for name, content := range map[string][]byte{"free.yaml": text, "bounded.yaml": bounded, "short.yaml": bytes.Replace(bounded, []byte("0.05 "), []byte("1e-9 "), 1)} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"free.yaml --trials 1000", "dollars, which is more than the 20 dollars that a run may cost without limits.max_cost; nothing was begun\nhint: allow it with --accept-cost "},
		{"bounded.yaml", "dollars, which is more than limits.max_cost of 0.05; nothing was begun\nhint: "},
		{"bounded.yaml --accept-cost 0.01", "dollars, which is more than the 0.01 of --accept-cost; nothing was begun\nhint: "},
		{"bounded.yaml --accept-cost -1", "--accept-cost -1 is no amount of dollars\nhint: "},
	} {
		code, stdout, stderr := command(t, env, append([]string{"run", "--out", "out"}, strings.Fields(c.args)...)...)
		if _, err := os.Stat("out"); code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" || p.served.Load() > 0 || err == nil {
			t.Errorf("%s: exit code %d after %d calls, folder %v\n%s%s", c.args, code, p.served.Load(), err, stdout, stderr)
		}
	}
	code, _, stderr := command(t, env, "run", "short.yaml", "--out", "short", "--concurrency", "1", "--accept-cost", "1", "--quiet")
	if code != exitIncomplete || !strings.Contains(stderr, "stopped early: limits.max_cost") || !strings.Contains(stderr, "hint: see to what stopped it, then run again with `tauguide run short.yaml --resume --out short --concurrency 1 --accept-cost 1`") {
		t.Errorf("ended by its budget: exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := command(t, env, "run", "bounded.yaml", "--out", "out", "--concurrency", "1", "--accept-cost", "1"); code != exitOK {
		t.Errorf("accepted: exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := command(t, env, "run", "bounded.yaml", "--out", "out", "--resume"); code != exitOK {
		t.Errorf("with nothing left: exit code %d\n%s", code, stderr)
	}
}

// TestScriptedUserIsCalledThat: a real agent with a scripted user is neither a synthetic result nor one of real models,
// wherever it is shown.
func TestScriptedUserIsCalledThat(t *testing.T) {
	p, url := smoke(t, "k-0123456789", "gpt-4.1-mini")
	p.task = "cancel-gift-card-order"
	env := variables(map[string]string{"OPENAI_API_KEY": p.key, "OPENAI_BASE_URL": url})
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "configs", "openai-smoke.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	mixed := strings.NewReplacer("models:\n", "models:\n  script: {synthetic: true}\n", "user: {model: model}", "user: {model: script}").Replace(string(text))
	if err := os.WriteFile("mixed.yaml", []byte(mixed), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, file string }{
		{"run mixed.yaml --only task=cancel-gift-card-order --out results/mixed", ""},
		{"tables results/mixed --table all", ""},
		{"tables results/mixed --table pass --format latex", ""},
		{"tables results/mixed --table pass --format json", ""},
		{"show results/mixed retail/ReAct/cancel-gift-card-order/0", ""},
		{"runs results", ""},
		{"plots results/mixed --out pictures", "pictures/*.svg"},
		{"view results/mixed --export site", "site/*.html"},
	} {
		code, stdout, stderr := command(t, env, strings.Fields(c.args)...)
		if c.file != "" {
			files, err := filepath.Glob(c.file)
			if err != nil || len(files) == 0 {
				t.Fatal(c.args, files, err, stderr)
			}
			page, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			stdout = string(page)
		}
		if code != exitOK || !strings.Contains(stdout, "scripted user") || strings.Contains(stdout, "*synthetic*") || strings.Contains(stderr, "$?") || strings.Contains(stdout, "scripted models") && !strings.Contains(c.file, "site") {
			t.Errorf("%s: exit code %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
}
