package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/sim/llm"
)

// wire keeps what passed between the program and a server, by call, try after try.
type wire struct {
	mu       sync.Mutex
	requests map[string][]string
	answers  map[string][]string
}

// watched serves scripted models, spoils the first tries of some calls, and keeps all that passes.
func watched(t *testing.T) (url string, w *wire) {
	t.Helper()
	models := scriptedModels(t, 0)
	w = &wire{requests: map[string][]string{}, answers: map[string][]string{}}
	srv := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		tag, _, err := llm.ReadTag(r.Header)
		body, unread := io.ReadAll(r.Body)
		if err != nil || unread != nil {
			t.Error(err, unread)
		}
		call := fmt.Sprintf("%s/%s/%s/%d %s/%d", tag.Domain, tag.System, tag.Task, tag.Trial, tag.Role, tag.Ordinal)
		w.mu.Lock()
		try := len(w.requests[call])
		w.requests[call] = append(w.requests[call], string(body))
		w.mu.Unlock()
		answer := httptest.NewRecorder()
		switch {
		case tag.Ordinal == 1 && try == 0:
			answer.Header().Set("Retry-After-Ms", "1")
			answer.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprint(answer, `{"error":{"message":"<script>alert(1)</script> too many"}}`)
		case tag.Ordinal == 2 && try == 0:
			answer.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(answer, "<html>\xff it broke</html>")
		default:
			r.Body = io.NopCloser(bytes.NewReader(body))
			models.ServeHTTP(answer, r)
		}
		w.mu.Lock()
		w.answers[call] = append(w.answers[call], answer.Body.String())
		w.mu.Unlock()
		for name, values := range answer.Header() {
			out.Header()[name] = values
		}
		out.WriteHeader(answer.Code)
		_, _ = out.Write(answer.Body.Bytes())
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1", w
}

var callLinks = regexp.MustCompile(`href="([^"]*/calls/([a-z]+)/(\d+)/)"`)

// TestModelCallsAreShownAsTheyWereSent compares what show prints and what pages hand out of each model call with what a
// server received and answered, byte for byte, failed tries included.
func TestModelCallsAreShownAsTheyWereSent(t *testing.T) {
	url, server := watched(t)
	dir := filepath.Join(t.TempDir(), "run")
	file := experiment(t, url, "10m", "1", "concurrency: 4", "  - {name: Guided, agent: policyguide, model: m}\n")
	if code, _, said := command(t, noEnv, "run", file, "--out", dir, "--limit", "1"); code != 0 {
		t.Fatal(said)
	}
	const trial = "retail/Guided/cancel-gift-card-order/0"
	code, list, said := command(t, noEnv, "show", dir, trial, "--calls")
	if code != 0 || !strings.Contains(list, "guide/0") {
		t.Fatalf("%s%s", list, said)
	}
	site, err := view.Open([]string{dir}, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) string {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host = "127.0.0.1"
		site.Handler().ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d\n%s", path, w.Code, w.Body)
		}
		return w.Body.String()
	}
	found := callLinks.FindAllStringSubmatch(get("/run/trial/retail/Guided/cancel-gift-card-order/0/"), -1)
	if len(found) != len(server.requests) {
		t.Fatalf("%d calls on the page, %d were made", len(found), len(server.requests))
	}
	for _, m := range found {
		name := m[2] + "/" + m[3]
		requests, answers := server.requests[trial+" "+name], server.answers[trial+" "+name]
		page := get(m[1])
		for i := range requests {
			if got := get(fmt.Sprintf("%srequest-%d.json", m[1], i)); got != requests[i] {
				t.Errorf("%s, request %d on the page:\n%q\nwant\n%q", name, i, got, requests[i])
			}
			if got := get(fmt.Sprintf("%sanswer-%d.txt", m[1], i)); got != answers[i] {
				t.Errorf("%s, answer %d on the page:\n%q\nwant\n%q", name, i, got, answers[i])
			}
		}
		if strings.Contains(page, "<script>") || !strings.Contains(page, "request-0.json") {
			t.Errorf("page of %s:\n%s", name, page)
		}
		if code, got, said := command(t, noEnv, "show", dir, trial, "--call", name, "--raw"); code != 0 || got != requests[len(requests)-1] {
			t.Errorf("show --call %s --raw: %s\n%q\nwant\n%q", name, said, got, requests[len(requests)-1])
		}
		code, text, _ := command(t, noEnv, "show", dir, trial, "--call", name, "--json")
		var shown struct {
			Tries []struct {
				Request, Answer string
				Bytes           []byte
			}
		}
		if err := json.Unmarshal([]byte(text), &shown); err != nil || code != 0 || len(shown.Tries) != len(requests) {
			t.Fatalf("%s: %v, %d tries, want %d", name, err, len(shown.Tries), len(requests))
		}
		for i, s := range shown.Tries {
			if s.Request != requests[i] || s.Answer+string(s.Bytes) != answers[i] {
				t.Errorf("%s, try %d as JSON: %+v", name, i, s)
			}
		}
	}
	code, text, _ := command(t, noEnv, "show", dir, trial, "--call", "guide/1")
	for _, want := range []string{"── system\n", "── user (changed since guide/0)\n<conversation>", "── parameters\n", "── try 1 failed: rate_limit (status 429)", "── answer\n"} {
		if code != 0 || !strings.Contains(text, want) {
			t.Errorf("show --call guide/1 lacks %q:\n%s", want, text)
		}
	}
	copied := filepath.Join(t.TempDir(), "pages")
	if code, _, said := command(t, noEnv, "view", dir, "--export", copied); code != 0 {
		t.Fatal(said)
	}
	at := filepath.Join(copied, "run", "trial", "retail", "Guided", "cancel-gift-card-order", "0")
	trialPage := string(runtest.Text(t, filepath.Join(at, "index.html")))
	if !strings.Contains(trialPage, `href="a0/calls/guide/index.html#c1"`) {
		t.Errorf("the copy does not lead to the calls of guide:\n%s", callLinks.FindAllString(trialPage, 3))
	}
	guide := string(runtest.Text(t, filepath.Join(at, "a0", "calls", "guide", "index.html")))
	if n := strings.Count(guide, "<summary>system"); n != 1 || !strings.Contains(guide, `id="c1"`) {
		t.Errorf("the system message is %d times on the copy's page of guide, want once", n)
	}
	one := filepath.Join(t.TempDir(), "trial.html")
	if code, _, said := command(t, noEnv, "show", dir, trial, "--html", one); code != 0 || !bytes.Contains(runtest.Text(t, one), []byte("You keep a customer-service agent")) {
		t.Errorf("a trial as one file lacks what the guide was sent: %s", said)
	}
}

// TestModelCallsThatWereNotSent says why there is nothing to show.
func TestModelCallsThatWereNotSent(t *testing.T) {
	url, _ := watched(t)
	const trial = "retail/R/cancel-gift-card-order/0"
	file := experiment(t, url, "10m", "1", "concurrency: 4", "  - {name: R, agent: react, model: m}\n")
	dir := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		name, want string
		args       []string
		show       []string
		code       int
	}{
		{"scripted in process", "the model is scripted within the program, so that nothing was sent", []string{"--synthetic"}, []string{"--call", "agent/0"}, 1},
		{"removed", "what was sent is not in the run's folder", nil, []string{"--call", "agent/0"}, 1},
		{"no such call", `the trial has no model call "agent/99"` + "\nhint: --calls lists them", nil, []string{"--call", "agent/99"}, 2},
		{"two forms", "--call goes with --raw or --json alone\nhint: ", nil, []string{"--call", "agent/0", "--calls"}, 2},
	} {
		if code, _, said := command(t, noEnv, append([]string{"run", file, "--out", dir, "--limit", "1", "--fresh"}, c.args...)...); code != 0 {
			t.Fatal(said)
		}
		if c.name == "removed" {
			runtest.Remove(t, filepath.Join(dir, "requests"))
		}
		code, _, said := command(t, noEnv, append([]string{"show", dir, trial}, c.show...)...)
		if code != c.code || !strings.Contains(said, c.want) {
			t.Errorf("%s: code %d, %s", c.name, code, said)
		}
	}
}
