package tau2_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// TestCostsOfOwnRuns exports a record with calls of several roles: each message carries what its calls cost, a guide's
// are the agent's, the judge's are nobody's, and an unknown figure makes its sum unknown.
func TestCostsOfOwnRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := func(role string, index int, cost *float64, prompt int64) sim.ModelCall {
		return sim.ModelCall{Role: role, Index: index, Cost: cost, Usage: llm.Usage{PromptTokens: llm.Known(prompt), CompletionTokens: llm.Known(1)},
			Transport: sim.Transport{Elapsed: 0.5}}
	}
	price := func(f float64) *float64 { return &f }
	r := plannedRecord("auau")
	r.System = "S"
	r.Times = sim.Times{Started: "2026-01-02T03:04:05.5Z", Finished: "2026-01-02T03:04:07Z", Seconds: 1.5}
	r.Calls = []sim.ModelCall{call("user", 1, price(0.25), 10), call("guide", 2, price(0.125), 20), call("agent", 2, price(0.5), 30), call("user", 3, nil, 40), call("judge", 4, price(9), 50)}
	if err := f.Add(config.Planned{Key: r.Key, Seed: 626729}, r, nil); err != nil {
		t.Fatal(err)
	}
	hot, most, key := 0.7, 100, "sk-secret-secret"
	c := &config.Config{Name: "run", Note: "n", Data: "embedded", Seed: 300, Limits: config.Limits{MaxSteps: 50, MaxErrors: 5},
		Models: map[string]config.Model{"big": {Model: "vendor/big-1", Temperature: &hot, TopP: &hot, MaxTokens: &most, ReasoningEffort: "low", Key: key, BaseURL: "https://x",
			Extra: map[string]json.RawMessage{"top_k": json.RawMessage("5")}}},
		User: config.User{Role: config.Role{Model: "big"}}, Domains: []config.Domain{{Name: "mock", Split: "base"}},
		Systems: []config.System{{Name: "S", Agent: "react", Model: "big", Overlays: []config.Overlay{{Name: "policyguide"}}}}}
	if err := f.Finish(store.Manifest{Name: "run", Config: c}, time.Now()); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	name := out(t, run, w, tau2.LayoutJSON)
	var got struct {
		Info struct {
			Agent  map[string]any `json:"agent_info"`
			Steps  int            `json:"max_steps"`
			Errors int            `json:"max_errors"`
			Seed   int            `json:"seed"`
		} `json:"info"`
		Simulations []struct {
			Start    string   `json:"start_time"`
			Agent    *float64 `json:"agent_cost"`
			User     *float64 `json:"user_cost"`
			Policy   string   `json:"policy"`
			Messages []struct {
				Cost  *float64       `json:"cost"`
				Usage map[string]int `json:"usage"`
				Time  *float64       `json:"generation_time_seconds"`
			} `json:"messages"`
		} `json:"simulations"`
	}
	text := readFile(t, name)
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	s := got.Simulations[0]
	if s.Agent == nil || *s.Agent != 0.625 || s.User != nil || s.Start != "2026-01-02T03:04:05.500000" || s.Policy != w.Policy {
		t.Errorf("simulation %+v", s)
	}
	if m := s.Messages[2]; m.Cost == nil || *m.Cost != 0.625 || m.Usage["prompt_tokens"] != 50 || m.Usage["completion_tokens"] != 2 || *m.Time != 1 {
		t.Errorf("message 2: %+v", m)
	}
	if s.Messages[0].Cost == nil || *s.Messages[0].Cost != 0 || s.Messages[3].Cost != nil {
		t.Errorf("the greeting costs %v, a message of unknown price %v", s.Messages[0].Cost, s.Messages[3].Cost)
	}
	want := map[string]any{"implementation": "react+policyguide", "llm": "vendor/big-1", "voice_settings": nil,
		"llm_args": map[string]any{"temperature": 0.7, "top_p": 0.7, "max_tokens": 100.0, "reasoning_effort": "low", "top_k": 5.0}}
	if diff := cmp.Diff(want, got.Info.Agent); diff != "" || got.Info.Steps != 50 || got.Info.Errors != 5 || got.Info.Seed != 300 {
		t.Errorf("info %+v (-want +got):\n%s", got.Info, diff)
	}
	if strings.Contains(string(text), key) {
		t.Error("the export holds a key")
	}
}

// TestOddUsageIsNotBelieved: figures of a file that cannot be are unknown, and are kept as they are.
func TestOddUsageIsNotBelieved(t *testing.T) {
	for _, c := range []struct {
		extra   string
		unknown bool
	}{
		{`"cost":0.5,"usage":{"prompt_tokens":7,"completion_tokens":1}`, false},
		{`"cost":-0.5,"usage":{"prompt_tokens":7,"completion_tokens":-1}`, true},
		{`"cost":1e300,"usage":{"prompt_tokens":1e15,"completion_tokens":1}`, true},
	} {
		text := strings.Replace(single("a", "t1", `"trial":0,"seed":1,`), `"role":"user","content":"do"`, `"role":"user","content":"do",`+c.extra, 1)
		s, err := openFS(t, files(map[string]string{"x.json": result(task, text)}), "x.json")
		if err != nil {
			t.Fatal(err)
		}
		got := simulations(t, s)[0].Record
		for _, call := range got.Calls {
			known := call.Usage.PromptTokens.Known && call.Usage.CompletionTokens.Known
			if call.Role == "user" && call.Index == 1 && (known == c.unknown || (call.Cost == nil) != c.unknown) {
				t.Errorf("%s: %+v", c.extra, call)
			}
		}
		if want := strings.Split(strings.Split(c.extra, ",")[0], ":")[1]; string(got.Messages[1].Extra["cost"]) != want {
			t.Errorf("the message has cost %s, want %s", got.Messages[1].Extra["cost"], want)
		}
	}
}

// TestSecretsAreMasked imports a published result with a key.
func TestSecretsAreMasked(t *testing.T) {
	dir, _ := corpus(t)
	file := filepath.Join(dir, "airline", "sierra-research__langchain_agent_airline_2025-11-26_00-37-06.json")
	var o struct {
		Info struct {
			Agent struct {
				Args struct {
					Key string `json:"api_key"`
				} `json:"llm_args"`
			} `json:"agent_info"`
		} `json:"info"`
	}
	if err := json.Unmarshal(readFile(t, file), &o); err != nil {
		t.Fatal(err)
	}
	key := o.Info.Agent.Args.Key
	if len(key) < 20 {
		t.Fatal("the file holds no key any more: choose another")
	}
	s := source(t, file)
	run := into(t, s, realWorlds(t).of(s))
	if n := deviation(s.Deviations(), "secret api_key in llm_args"); n != 2 {
		t.Errorf("%d keys masked, want 2", n)
	}
	err := filepath.WalkDir(run.Dir(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), key) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMembersOfTheFile keeps what a file says that we have no use for, wherever it is, and passes it on.
func TestMembersOfTheFile(t *testing.T) {
	text := strings.TrimSuffix(result(task, single("a", "t1", `"trial":0,"seed":1,`)), "}")
	text = strings.Replace(text, `"tasks"`, `"before":[1.50],"tasks"`, 1) + `,"after":{"x":"\u2019"},"simulation_index":null}`
	s, err := openFS(t, files(map[string]string{"x.json": text}), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	w := domaintest.Embedded(t, mock.Domain(), domains.Options{})
	again := source(t, out(t, into(t, s, w), w, tau2.LayoutJSON))
	simulations(t, again)
	if string(again.Header.Extra["before"]) != "[1.50]" || string(again.Header.Extra["after"]) != `{"x":"’"}` {
		t.Errorf("members of the file: %s", again.Header.Extra)
	}
	if _, err := tau2.Import(context.Background(), s, tau2.ImportOptions{Out: again.Name, World: w}); err == nil {
		t.Error("a run was written over a file")
	}
	two, err := openFS(t, files(map[string]string{"x.json": text + text}), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := after(two, nil); len(got) != 1 || !strings.Contains(got[0].Error(), "two files in one") {
		t.Errorf("two files in one: %v", got)
	}
}
