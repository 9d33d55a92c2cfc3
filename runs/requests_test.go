package runs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// everySystem is a config with each kind of system in all domains.
const everySystem = `
note: requests
trials: 2
limits: {concurrency: %d}
models:
  m: {synthetic: true, base_url: %s, key: sk-never-to-be-seen-0123, retry: {first_wait: 1ms}, temperature: 0}
user: {model: m}
judge: {model: m}
domains: [{name: airline}, {name: retail, tasks: [cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]}, {name: telecom}]
systems:
  - {name: ReAct, agent: react, model: m}
  - {name: PolicyGuard, agent: policyguard, model: m, params: {model: m}}
  - {name: ToolGuard, agent: toolguard, model: m}
  - {name: FlowAgent, agent: flowagent, model: m}
  - {name: PolicyGuide, agent: policyguide, model: m, params: {model: m}}
  - {name: PolicyGuide-strict, agent: policyguide, model: m, params: {verifier: deterministic, gate: strict}}
  - {name: Oracle, agent: oracle, model: m}
`

// seen is what a server received and answered.
type seen struct {
	mu        sync.Mutex
	exchanges map[llm.Tag][]store.Sent
	bodies    map[llm.Tag][][]byte
}

// keeping serves the scripted models of a config, keeps all that passes, and first fails some calls.
func keeping(t *testing.T, text string) (url string, s *seen) {
	t.Helper()
	c := runtest.Parse(t, fmt.Sprintf(text, 1, "http://127.0.0.1:1"))
	worlds, err := config.Worlds(c)
	if err != nil {
		t.Fatal(err)
	}
	script, err := c.Script()
	if err != nil {
		t.Fatal(err)
	}
	models := synthetic.NewServer(synthetic.New(worlds, script))
	s = &seen{exchanges: map[llm.Tag][]store.Sent{}, bodies: map[llm.Tag][][]byte{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tag, _, err := llm.ReadTag(r.Header)
		body, unread := io.ReadAll(r.Body)
		if err = errors.Join(err, unread); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		try := len(s.bodies[tag])
		s.mu.Unlock()
		answer := httptest.NewRecorder()
		switch {
		case tag.Ordinal == 1 && try == 0:
			answer.Header().Set("Retry-After-Ms", "1")
			answer.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(answer, `{"error":{"message":"too many of role `+tag.Role+`"}}`)
		case tag.Ordinal == 2 && try == 0:
			answer.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(answer, "<html>\xff\xfe it broke</html>")
		case tag.Ordinal == 2 && try == 1:
			fmt.Fprint(answer, "data: {\"choices\":[{\"delta\":{\"content\":\"He\"}}]}\n\ndata: [DONE]\n\n")
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			models.ServeHTTP(answer, r)
		}
		s.mu.Lock()
		s.bodies[tag] = append(s.bodies[tag], body)
		s.exchanges[tag] = append(s.exchanges[tag], store.Sent{Role: tag.Role, Ordinal: tag.Ordinal, Sample: tag.Sample, Status: answer.Code, Answer: answer.Body.Bytes()})
		s.mu.Unlock()
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", s
}

// TestRequestsAreKeptByteForByte compares what a run keeps of its requests with what a server received and answered: all
// systems, domains and roles, with failures on the way. The folder grows by at most a tenth.
func TestRequestsAreKeptByteForByte(t *testing.T) {
	url, server := keeping(t, everySystem)
	dir := filepath.Join(t.TempDir(), "run")
	const trials = 2
	s := runtest.Execute(t, fmt.Sprintf(everySystem, 16, url), config.Options{Out: dir, Limit: 4})
	if s.Evaluable != (4+3+4)*7*trials {
		t.Fatalf("%+v", s)
	}
	r := runtest.Open(t, dir)
	found, roles := 0, map[string]int{}
	compare := func(e store.Entry, q *store.Requests) {
		tries := map[llm.Tag]int{}
		for i, got := range q.Sent() {
			tag := llm.Tag{Domain: e.Domain, System: e.System, Task: e.Task, Trial: e.Trial, Attempt: e.Attempt, Role: got.Role,
				Ordinal: got.Ordinal, Sample: got.Sample, RunSeed: 300}
			n := tries[tag]
			tries[tag]++
			if n >= len(server.bodies[tag]) {
				t.Fatalf("%s: %+v was not sent %d times", e.Ref, tag, n+1)
			}
			body, err := q.Request(i)
			if want := server.bodies[tag][n]; err != nil || !bytes.Equal(body, want) {
				t.Errorf("%s: request %d of %s: %v\n%.300q\nwant\n%.300q", e.Ref, got.Ordinal, got.Role, err, body, want)
			}
			want := server.exchanges[tag][n]
			if got.Status != want.Status || !bytes.Equal(got.Answer, want.Answer) || got.Cut || (got.Error == "") != (n+1 == len(server.bodies[tag])) {
				t.Errorf("%s: answer to %d of %s: %+v\nwant %+v", e.Ref, got.Ordinal, got.Role, got, want)
			}
			found++
			roles[got.Role]++
		}
	}
	for e := range r.Entries() {
		q, err := r.Requests(e.Ref)
		if err != nil {
			t.Fatal(err)
		}
		compare(e, q)
		q, err = r.GradingRequests(e.Ref)
		if errors.Is(err, store.ErrNoRequests) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		compare(e, q)
	}
	sent := 0
	for _, bodies := range server.bodies {
		sent += len(bodies)
	}
	if found != sent || roles["judge"] == 0 || roles["guide"] == 0 || roles["guard"] == 0 || roles["user"] == 0 {
		t.Errorf("%d exchanges kept, %d requests received; by role %v", found, sent, roles)
	}
	var all, requests int
	for path, text := range runtest.Snapshot(t, dir) {
		if strings.HasPrefix(path, filepath.Join(dir, "requests")) {
			requests += len(text)
		} else {
			all += len(text)
		}
		if strings.Contains(text, "sk-never-to-be-seen") {
			t.Errorf("%s holds the key", path)
		}
	}
	t.Logf("%d requests: %d bytes beside %d, %.3f", found, requests, all, float64(requests)/float64(all))
	if requests*10 > all {
		t.Errorf("requests take %d bytes, more than a tenth of the other %d", requests, all)
	}
	again := filepath.Join(t.TempDir(), "run")
	url, _ = keeping(t, everySystem)
	runtest.Execute(t, fmt.Sprintf(everySystem, 1, url), config.Options{Out: again, Limit: 1})
	few := runtest.Open(t, again)
	for e := range few.Entries() {
		if one, many := exchanged(t, few, e.Ref), exchanged(t, r, e.Ref); !slices.Equal(one, many) {
			t.Errorf("%s: %q differs from %q: concurrency is no part of what is kept", e.Ref, one, many)
		}
	}
	if few.Trials() != 3*7*trials {
		t.Errorf("%d trials", few.Trials())
	}
}

// exchanged is what a trial's models were sent, and answered.
func exchanged(t *testing.T, r *store.Run, ref store.Ref) (out []string) {
	t.Helper()
	q, err := r.Requests(ref)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range q.Sent() {
		body, err := q.Request(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%+v %s", x, body))
	}
	return out
}

// TestRequestsTakeAFifth: of the rest of the run's folder at most, whatever the system and the domain, from 20 trials on.
func TestRequestsTakeAFifth(t *testing.T) {
	text := strings.Replace(everySystem, "trials: 2", "trials: 4", 1)
	url, _ := keeping(t, text)
	for _, system := range []string{"ReAct", "PolicyGuard"} { // those with the least in their records, and the most in prompts
		for _, domain := range []string{"airline", "retail", "telecom"} {
			dir := filepath.Join(t.TempDir(), domain)
			runtest.Execute(t, fmt.Sprintf(text, 8, url), config.Options{Out: dir, Limit: 5, Only: []string{"system=" + system, "domain=" + domain}})
			requests, rest := 0, 0
			for path, text := range runtest.Snapshot(t, dir) {
				if strings.HasPrefix(path, filepath.Join(dir, "requests")) {
					requests += len(text)
				} else {
					rest += len(text)
				}
			}
			t.Logf("%s, %s: %d trials, %d bytes beside %d, %.3f", system, domain, runtest.Open(t, dir).Trials(), requests, rest, float64(requests)/float64(rest))
			if requests*5 > rest {
				t.Errorf("%s, %s: requests take %d bytes, more than a fifth of the other %d", system, domain, requests, rest)
			}
		}
	}
}

// TestRequestsAreNotKept: where the config says so, and where nothing is sent.
func TestRequestsAreNotKept(t *testing.T) {
	url, _ := keeping(t, everySystem)
	for name, text := range map[string]string{
		"keep_requests: false": strings.Replace(fmt.Sprintf(everySystem, 4, url), "note: requests", "note: requests\nkeep_requests: false", 1),
		"in process":           runtest.Small,
	} {
		dir := filepath.Join(t.TempDir(), "run")
		runtest.Execute(t, text, config.Options{Out: dir, Limit: 1})
		if _, err := os.Stat(filepath.Join(dir, "requests")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: requests were kept (%v)", name, err)
		}
		r := runtest.Open(t, dir)
		if _, err := r.Requests(store.Ref{Key: r.Plan()[0].Key}); !errors.Is(err, store.ErrNoRequests) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestKeepingRequestsIsNoPartOfTheSetup: a run that was begun without goes on with.
func TestKeepingRequestsIsNoPartOfTheSetup(t *testing.T) {
	url, _ := keeping(t, everySystem)
	text, dir := fmt.Sprintf(everySystem, 4, url), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, text+"keep_requests: false\n", config.Options{Out: dir, Limit: 1})
	runtest.Execute(t, text, config.Options{Out: dir, Limit: 2, Resume: true})
	r, kept := runtest.Open(t, dir), 0
	for e := range r.Entries() {
		if _, err := r.Requests(e.Ref); err == nil {
			kept++
		}
	}
	if kept != 3*7*2 {
		t.Errorf("requests of %d trials were kept, want those of the %d that ran after", kept, 3*7*2)
	}
}
