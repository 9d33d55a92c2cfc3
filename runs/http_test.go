package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// overHTTP is the small config with its models at an address.
func overHTTP(url, more string) string {
	return strings.NewReplacer("clumsy: {synthetic: true,", "clumsy: {synthetic: true, base_url: "+url+", "+more,
		"careful: {synthetic: true", "careful: {synthetic: true, base_url: "+url+", "+more+"model: careful").Replace(runtest.Small)
}

// clumsy is the script of the small config's agents, careful one without mistakes.
func clumsy(t *testing.T) synthetic.Config {
	t.Helper()
	script, err := runtest.Parse(t, runtest.Small).Script()
	if err != nil {
		t.Fatal(err)
	}
	return script
}

func careful() synthetic.Config { return synthetic.Config{FollowsGuidance: 1} }

// scripted serves scripted models for the tasks of the small config; refuse may answer a request in their place.
func scripted(t *testing.T, script synthetic.Config, refuse func(w http.ResponseWriter, tag llm.Tag) bool) string {
	t.Helper()
	c := runtest.Parse(t, runtest.Small)
	worlds, err := config.Worlds(c)
	if err != nil {
		t.Fatal(err)
	}
	models := synthetic.NewServer(synthetic.New(worlds, script))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tag, _, err := llm.ReadTag(r.Header)
		if err != nil {
			t.Error(err)
		}
		if refuse == nil || !refuse(w, tag) {
			models.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

func TestOverHTTPEverythingIsTheSame(t *testing.T) {
	here, there, override := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	url := scripted(t, clumsy(t), nil)
	runtest.Execute(t, runtest.Small, config.Options{Out: here})
	runtest.Execute(t, overHTTP(url, ""), config.Options{Out: there})
	runtest.Execute(t, runtest.Small, config.Options{Out: override, BaseURL: url})
	runtest.Same(t, there, override)
	want, got := runtest.Outcome(t, here), runtest.Outcome(t, there)
	for key := range want {
		if !strings.Contains(got[key], `"termination_reason":"user_stop"`) || len(want[key]) != len(got[key]) {
			t.Errorf("%s differs:\n%s\n%s", key, want[key], got[key])
		}
	}
}

func TestScriptedModelsMayMove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, overHTTP(scripted(t, clumsy(t), nil), ""), config.Options{Out: dir, Limit: 1})
	if s := runtest.Execute(t, overHTTP(scripted(t, clumsy(t), nil), ""), config.Options{Out: dir, Resume: true}); s.Executed != 8 || !s.Complete() {
		t.Errorf("resumed at another address: %+v", s)
	}
}

func TestFailingJudgeLeavesTheConversation(t *testing.T) {
	dir, calm := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	var down atomic.Bool
	var conversations atomic.Int64
	url := scripted(t, careful(), func(w http.ResponseWriter, tag llm.Tag) bool {
		if tag.Role == "user" && tag.Ordinal == 0 {
			conversations.Add(1)
		}
		if tag.Role != "judge" || !down.Load() {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"error":{"message":"no access to this model"}}`)
		return true
	})
	down.Store(true)
	s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: dir})
	if s.Evaluable != 12 || s.Pending == 0 || s.Pending == 12 || conversations.Load() != 12 {
		t.Errorf("judge down: %d conversations, %+v", conversations.Load(), s)
	}
	runtest.Consistent(t, dir)
	for _, e := range runtest.Open(t, dir).Index() {
		if e.Reward == nil && !strings.Contains(e.Pending, "no access to this model") {
			t.Errorf("entry %+v", e)
		}
	}
	down.Store(false)
	if s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: dir, Resume: true}); s.Pending != 0 || s.Executed != 0 || conversations.Load() != 12 {
		t.Errorf("judge back: %d conversations, %+v", conversations.Load(), s)
	}
	runtest.Execute(t, overHTTP(url, ""), config.Options{Out: calm})
	runtest.Same(t, calm, dir)
}

func TestEndpointThatRefusesForGoodEndsItsTrials(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	url := scripted(t, careful(), func(w http.ResponseWriter, tag llm.Tag) bool {
		if tag.System == "Noop" || tag.Role != "agent" {
			return false
		}
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"message":"pay first","code":"insufficient_quota","type":"insufficient_quota"}}`)
		return true
	})
	s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: dir, Concurrency: 1})
	if s.Evaluable != 6 || s.Missing != 5 || s.Executed != 7 || !strings.Contains(s.Stopped, "pay first") {
		t.Errorf("summary %+v", s)
	}
}

// TestOneForbiddenConversationStopsNothing: a 403 of no known wording is void for its conversation, while the others are
// answered; if all are forbidden, the key is wrong and the run stops.
func TestOneForbiddenConversationStopsNothing(t *testing.T) {
	for _, tt := range []struct {
		name              string
		forbids           int32 // calls, from the first
		evaluable, missed int
		only              string // role whose calls are forbidden
	}{{"the first two", 2, 10, 0, ""}, {"all", 1 << 30, 0, 9, ""}, {"the agent's first five", 5, 7, 0, "agent"}} {
		t.Run(tt.name, func(t *testing.T) {
			var calls atomic.Int32
			url := scripted(t, careful(), func(w http.ResponseWriter, tag llm.Tag) bool {
				if tag.Role == "judge" || tt.only != "" && tag.Role != tt.only || calls.Add(1) > tt.forbids {
					return false
				}
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"error":{"message":"computer says no"}}`)
				return true
			})
			s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 1})
			var unknown int64
			for _, u := range s.Usage {
				unknown += u.Unknown
			}
			if s.Evaluable != tt.evaluable || s.Missing != tt.missed || unknown != int64(s.Executed-tt.evaluable) {
				t.Errorf("%d evaluable, %d not begun, want %d and %d: %+v", s.Evaluable, s.Missing, tt.evaluable, tt.missed, s)
			}
		})
	}
}

// TestNobodyAtTheAddress: an address that refuses every connection stops the run after its first call.
func TestNobodyAtTheAddress(t *testing.T) {
	s := runtest.Execute(t, overHTTP("http://127.0.0.1:1/v1", "retry: {attempts: 2, first_wait: 10ms}, "), config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 1})
	if s.Executed != 1 || s.Missing != 11 || !strings.Contains(s.Stopped, "127.0.0.1:1") {
		t.Errorf("%d trials begun, %d not, stopped by %q", s.Executed, s.Missing, s.Stopped)
	}
}

// TestServerThatDies answers a few conversations and is gone: the run stops and says what is finished, and a resume at
// another address does the rest.
func TestServerThatDies(t *testing.T) {
	worlds, err := config.Worlds(runtest.Parse(t, runtest.Small))
	if err != nil {
		t.Fatal(err)
	}
	models := synthetic.NewServer(synthetic.New(worlds, careful()))
	var srv *httptest.Server
	var conversations atomic.Int32
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tag, _, err := llm.ReadTag(r.Header); err == nil && tag.Role == "user" && tag.Ordinal == 0 && conversations.Add(1) > 4 {
			_ = srv.Listener.Close() // whoever connects anew is refused
			panic(http.ErrAbortHandler)
		}
		models.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	dir := filepath.Join(t.TempDir(), "run")
	s := runtest.Execute(t, overHTTP(srv.URL+"/v1", "retry: {attempts: 2, first_wait: 10ms}, "), config.Options{Out: dir, Concurrency: 1})
	var said strings.Builder
	s.Print(&said)
	for _, want := range []string{"4 of 12 trials evaluable", `stopped early: endpoint "`, strings.TrimPrefix(srv.URL, "http://"), "connection refused"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &said)
		}
	}
	if s.Missing == 0 || s.Evaluable+s.Missing < 10 {
		t.Errorf("%d trials not begun, %d evaluable of 12: the others met an address with nobody there", s.Missing, s.Evaluable)
	}
	if s := runtest.Execute(t, overHTTP(scripted(t, careful(), nil), ""), config.Options{Out: dir, Resume: true}); !s.Complete() {
		t.Errorf("resumed: %+v", s)
	}
}

// TestNobodyJudges: conversations go on without their judge, who is looked for once.
func TestNobodyJudges(t *testing.T) {
	text := strings.Replace(overHTTP(scripted(t, careful(), nil), ""), "judge: {model: careful}", "judge: {model: gone}", 1)
	text = strings.Replace(text, "models:\n", "models:\n  gone: {base_url: \"http://127.0.0.1:1/v1\", key: k, retry: {attempts: 2, first_wait: 10ms}}\n", 1)
	dir := filepath.Join(t.TempDir(), "run")
	s := runtest.Execute(t, text, config.Options{Out: dir, Concurrency: 1})
	if s.Evaluable != 12 || s.Pending < 2 || !strings.Contains(s.Stopped, "127.0.0.1:1") {
		t.Errorf("%+v", s)
	}
	if n := strings.Count(string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))), `"msg":"call retried"`); n != 1 {
		t.Errorf("%d calls were tried again, want the first alone", n)
	}
}

// TestQueuesAreShown: progress tells how many requests wait for a free slot of an endpoint. The first is held until it does.
func TestQueuesAreShown(t *testing.T) {
	t.Parallel()
	shown := make(chan struct{})
	var once sync.Once
	url := scripted(t, careful(), func(http.ResponseWriter, llm.Tag) bool { <-shown; return false })
	var last runs.Progress
	runtest.Execute(t, overHTTP(url, "concurrency: 1, "), config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 3, Trials: 1}, runs.Options{Progress: reporter(func(p runs.Progress) {
		if last = p; p.Waiting == 2 && p.Running == 3 {
			once.Do(func() { close(shown) })
		}
	})})
	if last.Waiting != 0 || last.Pace != 0 || last.Retrying != 0 || last.Oldest != 0 {
		t.Errorf("at the end %+v", last)
	}
}

// TestSeedsAreSent to all but the judge, unless the model is asked without.
func TestSeedsAreSent(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]map[string]bool{"": {"agent": true, "user": true}, "seed: true, ": {"agent": true, "user": true}, "seed: false, ": {}} {
		target, err := url.Parse(scripted(t, careful(), nil))
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		got := map[string]bool{}
		pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			tag, _, _ := llm.ReadTag(r.Header)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			got[tag.Role] = got[tag.Role] || strings.Contains(string(body), `"seed":`)
			mu.Unlock()
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			pass.ServeHTTP(w, r)
		}))
		runtest.Execute(t, overHTTP(srv.URL+"/v1", more), config.Options{Out: filepath.Join(t.TempDir(), "run"), Trials: 1})
		srv.Close()
		for _, role := range []string{"agent", "user", "judge"} {
			if seeded, asked := got[role]; !asked || seeded != want[role] {
				t.Errorf("%q: the %s was asked: %t, with a seed: %t", more, role, asked, seeded)
			}
		}
	}
}

// TestWaitsAreLogged: each wait before another attempt, but those for a rate limit only in detail.
func TestWaitsAreLogged(t *testing.T) {
	t.Parallel()
	for _, debug := range []bool{false, true} {
		var n atomic.Int32
		url := scripted(t, careful(), func(w http.ResponseWriter, _ llm.Tag) bool {
			status, refused := map[int32]int{1: http.StatusTooManyRequests, 2: http.StatusBadGateway}[n.Add(1)]
			if refused {
				w.WriteHeader(status)
			}
			return refused
		})
		dir := filepath.Join(t.TempDir(), "run")
		runtest.Execute(t, overHTTP(url, "retry: {first_wait: 1ms}, "), config.Options{Out: dir, Concurrency: 1, Only: []string{"system=ReAct", "trial=0"}, Limit: 1}, runs.Options{Debug: debug})
		var kinds []string
		for _, line := range runtest.Lines(t, filepath.Join(dir, "log.jsonl")) {
			var l struct {
				Msg, Kind, Key, Role, Level string
				Attempt, Status             int
			}
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatal(err)
			}
			if l.Msg == "call retried" {
				kinds = append(kinds, fmt.Sprintf("%s %s %d after attempt %d of %s", l.Level, l.Kind, l.Status, l.Attempt, l.Role))
			}
		}
		want := []string{"INFO server 502 after attempt 2 of user"}
		if debug {
			want = append([]string{"DEBUG rate_limit 429 after attempt 1 of user"}, want...)
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("debug %t: %q, want %q", debug, kinds, want)
		}
	}
}

// TestKeysAreNeverWritten plants keys in the environment and has the server repeat them wherever it can.
func TestKeysAreNeverWritten(t *testing.T) {
	const key, userKey = "sk-planted-0123456789abcdef", `odd"key\with/signs-9876543210`
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if sent != key && sent != userKey {
			t.Errorf("sent key %q", sent)
		}
		if calls.Add(1)%4 == 0 {
			w.WriteHeader(http.StatusBadRequest)
			text, err := json.Marshal(map[string]any{"error": map[string]any{"message": "not liked: Authorization: " + r.Header.Get("Authorization"), "param": sent}})
			if err != nil {
				t.Error(err)
			}
			_, _ = w.Write(text)
			return
		}
		text, err := json.Marshal(map[string]any{"id": sent, "model": sent, "choices": []any{map[string]any{"finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": "I heard " + sent + " and " + fmt.Sprint(len(body)), "reasoning_content": sent}}}})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Request-Id", sent)
		_, _ = w.Write(text)
	}))
	defer srv.Close()
	env := func(name string) string { return map[string]string{"AGENT_KEY": key, "USER_KEY": userKey}[name] }
	text := fmt.Sprintf(`note: keys
trials: 3
cassette: {mode: record}
limits: {max_steps: 12}
models:
  agent: {base_url: %[1]q, key: $AGENT_KEY}
  user: {base_url: %[1]q, key: "${USER_KEY}"}
  plain: {base_url: %[1]q, key: %[2]q}
user: {model: user}
judge: {model: agent}
domains: [{name: retail}]
systems: [{name: A, agent: react, model: agent}, {name: B, agent: react, model: plain}]
`, srv.URL+"/v1", key)
	c, err := config.Parse("keys.yaml", []byte(text), env)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	var shown strings.Builder
	s, err := runtest.Run(context.Background(), c, config.Options{Out: dir, Limit: 2, Cassette: "record"}, runs.Options{Debug: true, Progress: reporter(func(p runs.Progress) {
		fmt.Fprintf(&shown, "%s %s\n", p.Line(), p.LastFault)
	})})
	if err != nil || s.Executed == 0 || calls.Load() == 0 {
		t.Fatalf("%v; %+v", err, s)
	}
	quoted, err := json.Marshal(userKey)
	if err != nil {
		t.Fatal(err)
	}
	texts := runtest.Snapshot(t, dir)
	texts["progress"] = shown.String() + fmt.Sprintf("%+v", s)
	for name, text := range texts {
		for _, secret := range []string{key, userKey, string(quoted[1 : len(quoted)-1])} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s holds a key: …%s…", name, text[max(0, i-80):i+len(secret)])
			}
		}
	}
	recorded := 0
	for name, text := range texts {
		if strings.HasPrefix(name, filepath.Join(dir, "cassette")) && strings.Contains(text, "[redacted]") {
			recorded++
		}
	}
	if recorded == 0 || !strings.Contains(texts[filepath.Join(dir, "log.jsonl")], "Authorization: Bearer [redacted]") {
		t.Errorf("%d files of the cassette repeat what the server said; neither they nor the log should be empty of it", recorded)
	}
	if m := texts[filepath.Join(dir, "manifest.json")]; !strings.Contains(m, "$AGENT_KEY") || !strings.Contains(m, "[redacted]") {
		t.Error("the manifest should name the variable, and mask the literal key")
	}
}
