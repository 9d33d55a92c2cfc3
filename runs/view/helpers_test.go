package view_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/view"
	"github.com/tauguide/tauguide/runs/view/browsertest"
	"github.com/tauguide/tauguide/sim"
)

// small is a run that takes a moment, with a guide that holds messages back.
const small = `
name: small
note: a <small> run & more
trials: 2
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.2, act_before_consent: 0.5, grant_forbidden: 0.3, give_up: 0.2}, follows_guidance: 0.7}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains:
  - {name: retail, tasks: [cancel-gift-card-order, cancel-one-return-one]}
  - {name: mock, tasks: [finish_task]}
systems:
  - {name: ReAct, agent: react, model: clumsy}
  - {name: Guided, agent: policyguide, model: clumsy, params: {verifier: deterministic, gate: strict}, domains: [retail]}
`

func noEnv(string) string { return "" }

func parse(t testing.TB, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("small.yaml", []byte(text), noEnv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// holding is a run that is made once for all tests.
type holding struct {
	once sync.Once
	dir  string
	err  error
}

var held, heldTiny holding

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	for _, h := range []*holding{&held, &heldTiny} {
		if h.dir != "" {
			_ = os.RemoveAll(h.dir)
		}
	}
	os.Exit(code)
}

// smallRun returns a copy of the small run that the test may change.
func smallRun(t testing.TB) string {
	t.Helper()
	return held.copy(t, config.Options{})
}

// tinyRun is the small run with one trial of one task of each domain.
func tinyRun(t testing.TB) string {
	t.Helper()
	return heldTiny.copy(t, config.Options{Limit: 1, Trials: 1})
}

func (h *holding) copy(t testing.TB, o config.Options) string {
	t.Helper()
	h.once.Do(func() {
		if h.dir, h.err = os.MkdirTemp("", "view"); h.err == nil {
			o.Out = filepath.Join(h.dir, "small")
			_, h.err = runtest.Run(context.Background(), parse(t, small), o)
		}
	})
	if h.err != nil {
		t.Fatal(h.err)
	}
	to := filepath.Join(t.TempDir(), "small")
	if err := os.CopyFS(to, os.DirFS(filepath.Join(h.dir, "small"))); err != nil {
		t.Fatal(err)
	}
	return to
}

// serve opens runs and serves them on the loopback.
func serve(t testing.TB, dirs ...string) *server {
	t.Helper()
	site, err := view.Open(dirs, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	return served(t, site)
}

// served serves a site on the loopback.
func served(t testing.TB, site *view.Site) *server {
	t.Helper()
	s := httptest.NewServer(site.Handler())
	t.Cleanup(s.Close)
	return &server{t, s.URL}
}

type server struct {
	t   testing.TB
	url string
}

// get loads a page.
func (s *server) get(path string) (status int, body string, head http.Header) {
	s.t.Helper()
	r, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode, string(text), r.Header
}

// page loads a page that must be there.
func (s *server) page(path string) string {
	s.t.Helper()
	status, body, _ := s.get(path)
	if status != http.StatusOK {
		s.t.Fatalf("%s: status %d\n%s", path, status, body)
	}
	return body
}

var tags = regexp.MustCompile(`<[^>]*>`)

// words is what a reader sees of a page, without its tags.
func words(body string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#34;", `"`, "&#39;", "'", "&#43;", "+").Replace(tags.ReplaceAllString(body, " "))), " ")
}

// links are the addresses that a page refers to, in its order.
func links(body string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?:href|action|src)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		out = append(out, strings.ReplaceAll(m[1], "&amp;", "&"))
	}
	return out
}

// written makes a run of records, whose keys may be anything.
func written(t testing.TB, records ...sim.Record) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	f, err := store.NewImporter(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, r := range records {
		r.Version = sim.RecordVersion
		if r.Termination == "" {
			r.Termination = sim.UserStop
		}
		if err := f.Add(config.Planned{Key: r.Key}, r, nil); err != nil {
			t.Fatal(err)
		}
	}
	m := store.Manifest{Name: "made", Note: "by a test", Config: parse(t, small)}
	if err := f.Finish(m, time.Now()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// talk is a record of a key with these messages.
func talk(task string, messages ...sim.Message) sim.Record {
	return sim.Record{Key: sim.Key{Domain: "mock", System: "A", Task: task}, Messages: messages}
}

func recordPath(t testing.TB, dir string, k sim.Key, attempt int) string {
	t.Helper()
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for e := range r.Entries() {
		if e.Ref == (store.Ref{Key: k, Attempt: attempt}) {
			return filepath.Join(dir, filepath.FromSlash(e.File))
		}
	}
	t.Fatal(fmt.Errorf("no record of %v", k))
	return ""
}
