package rescore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/rescore"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/tau2"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/synthetic"
)

const unjudged = `
note: judged later
trials: 1
models: {m: {synthetic: true, base_url: %s, key: sk-never-to-be-seen-0123}}
user: {model: m}
domains: [{name: airline}, {name: retail}]
systems: [{name: ReAct, agent: react, model: m}]
`

// stopping stops the scoring when the first group has ended.
type stopping struct {
	rescore.Printer
	stop func()
}

func (s stopping) Close(t rescore.Tally) {
	s.Printer.Close(t)
	s.stop()
}

// TestOpinionsOfAnInterruptedScoringAreKept: those that were paid for before it was stopped are in the run.
func TestOpinionsOfAnInterruptedScoringAreKept(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(unjudged, `""`), "{name: airline}, {name: retail}", "{name: retail}, {name: airline}", 1)
	text = strings.Replace(text, ", base_url: \"\", key: sk-never-to-be-seen-0123", "", 1)
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, text+"judge: {model: m}\n", config.Options{Out: dir})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := rescore.Paths(ctx, []string{dir}, rescore.Options{Strictness: tau2.Lenient, Tasks: tau2.RecordedTasks, Judge: "m", Opinion: "second",
		Config: runtest.Parse(t, text), Env: os.Getenv, Note: func(string) {}}, stopping{rescore.JSON(io.Discard), cancel})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped with %v", err)
	}
	kept, broken, err := runtest.Open(t, dir).Opinions()
	if err != nil || len(broken) > 0 || len(kept["second"]) == 0 {
		t.Errorf("%d opinions are kept, %v, %v", len(kept["second"]), broken, err)
	}
}

// TestOpinionsOnNothing: where no task has outcomes in words, the note says so rather than nothing.
func TestOpinionsOnNothing(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(unjudged, `""`), ", {name: retail}", "", 1) + "judge: {model: m}\n"
	text = strings.Replace(text, ", base_url: \"\", key: sk-never-to-be-seen-0123", "", 1)
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, text, config.Options{Out: dir})
	var notes []string
	_, err := rescore.Paths(t.Context(), []string{dir}, rescore.Options{Strictness: tau2.Lenient, Tasks: tau2.RecordedTasks, Judge: "m", Opinion: "second",
		Config: runtest.Parse(t, text), Env: os.Getenv, Note: func(n string) { notes = append(notes, n) }}, rescore.JSON(io.Discard))
	if err != nil || !strings.Contains(strings.Join(notes, "\n"), "no opinion of second to keep") {
		t.Errorf("%v, notes %q", err, notes)
	}
}

// TestJudgesRequestsAreKept: what the judge of a run that is scored again was sent, and said, is in the run's folder byte
// for byte with the scores that came of it; nothing where the config does not want that.
func TestJudgesRequestsAreKept(t *testing.T) {
	c := runtest.Parse(t, fmt.Sprintf(unjudged, "http://127.0.0.1:1"))
	worlds, err := config.Worlds(c)
	if err != nil {
		t.Fatal(err)
	}
	script, err := c.Script()
	if err != nil {
		t.Fatal(err)
	}
	models := synthetic.NewServer(synthetic.New(worlds, script))
	var mu sync.Mutex
	received := map[string][]byte{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tag, _, _ := llm.ReadTag(r.Header)
		body, _ := io.ReadAll(r.Body)
		if tag.Role == config.RoleJudge {
			mu.Lock()
			received[tag.Task] = body
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		models.ServeHTTP(w, r)
	}))
	defer server.Close()
	for _, keep := range []bool{true, false} {
		dir, text := filepath.Join(t.TempDir(), "run"), fmt.Sprintf(unjudged, server.URL+"/v1")
		runtest.Execute(t, text, config.Options{Out: dir})
		judging := runtest.Parse(t, text)
		judging.KeepRequests = keep
		clear(received)
		if _, err := rescore.Paths(t.Context(), []string{dir}, rescore.Options{Strictness: tau2.Lenient, Tasks: tau2.RecordedTasks, Judge: "m", Config: judging,
			Env: os.Getenv, Note: func(string) {}}, rescore.JSON(io.Discard)); err != nil {
			t.Fatal(err)
		}
		r, found := runtest.Open(t, dir), 0
		for e := range r.Entries() {
			q, err := r.GradingRequests(e.Ref)
			if errors.Is(err, store.ErrNoRequests) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			body, err := q.Request(0)
			if err != nil || len(body) == 0 || !bytes.Equal(body, received[e.Task]) || len(q.Sent()[0].Answer) == 0 {
				t.Errorf("%s: %v: kept\n%s\nreceived\n%s", e.Ref, err, body, received[e.Task])
			}
			found++
		}
		if want := map[bool]int{true: len(received)}[keep]; found != want || len(received) == 0 {
			t.Errorf("keep %t: requests of %d gradings of %d", keep, found, len(received))
		}
	}
}
