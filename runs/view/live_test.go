package view_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim/synthetic"
)

// gate lets requests through until it has seen so many, and the rest once it is opened.
type gate struct {
	next    http.Handler
	mu      sync.Mutex
	seen    int
	most    int
	reached chan struct{}
	open    chan struct{}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.seen++
	if g.seen == g.most {
		close(g.reached)
	}
	wait := g.seen >= g.most
	g.mu.Unlock()
	if wait {
		<-g.open
	}
	g.next.ServeHTTP(w, r)
}

// refreshes reports whether a browser without a script loads a page again.
func refreshes(body string) bool {
	return strings.Contains(body, `<noscript><meta http-equiv="refresh" content="5">`)
}

// TestLive looks at a run while it is being written, and after that.
func TestLive(t *testing.T) {
	mock, err := all.Domain("mock")
	if err != nil {
		t.Fatal(err)
	}
	w, err := mock.Open(domains.Embedded(), domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{next: synthetic.NewServer(synthetic.New(map[string]*domains.World{"mock": w}, synthetic.Config{})), most: 20, reached: make(chan struct{}), open: make(chan struct{})}
	models := httptest.NewServer(g)
	defer models.Close()
	text := "name: live\nnote: while it goes\ntrials: 8\nlimits: {concurrency: 1}\nmodels: {m: {synthetic: true, base_url: " + models.URL + "/v1, model: m}}\n" +
		"user: {model: m}\ndomains: [{name: mock, tasks: [finish_task]}]\nsystems: [{name: ReAct, agent: react, model: m}]\n"
	dir := filepath.Join(t.TempDir(), "live")
	done := make(chan error, 1)
	go func() {
		_, err := runtest.Run(t.Context(), parse(t, text), config.Options{Out: dir})
		done <- err
	}()
	select {
	case <-g.reached:
	case err := <-done:
		t.Fatalf("the run ended after %d requests: %v", g.seen, err)
	}
	s := serve(t, dir)
	held := regexp.MustCompile(`(\d+) of 8 planned trials run`)
	_, body, _ := s.get("/live/")
	m := held.FindStringSubmatch(words(body))
	if m == nil || m[1] == "0" || m[1] == "8" {
		t.Errorf("while it goes: %s", words(body))
	}
	for _, path := range []string{"/", "/live/", "/live/trials/", "/live/matrix/"} {
		if body := s.page(path); !refreshes(body) || !strings.Contains(body, "being written") && !strings.Contains(body, "running") {
			t.Errorf("%s: no sign that the run goes on", path)
		}
	}
	if body := s.page("/live/trial/mock/ReAct/finish_task/0/"); refreshes(body) {
		t.Errorf("a trial that ended loads itself again:\n%s", words(body))
	}
	if status, body, _ := s.get("/live/trial/mock/ReAct/finish_task/7/"); status != 404 || !strings.Contains(words(body), "has not run yet") {
		t.Errorf("a trial to come: status %d\n%s", status, words(body))
	}
	close(g.open)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if body := s.page("/live/"); !strings.Contains(words(body), "8 of 8 planned trials run, 8 evaluable; complete") || refreshes(body) {
		t.Errorf("when it ended:\n%s", words(body))
	}
	s.page("/live/trial/mock/ReAct/finish_task/7/")
}
