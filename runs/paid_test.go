package runs_test

import (
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
)

// bounded is a config with a budget in tokens for the run.
func bounded(text string, tokens int64) string {
	return strings.Replace(text, "trials: 2", "trials: 2\nlimits: {max_tokens: "+strconv.FormatInt(tokens, 10)+"}", 1)
}

// tokensOf is what an execution asked its endpoints for.
func tokensOf(s *runs.Summary) (sum int64) {
	for _, u := range s.Usage {
		sum += u.PromptTokens + u.CompletionTokens
	}
	return sum
}

// TestBudgetCountsWhatWasPaid breaks a recorded run off twice. Its conversations run again each time, from their
// recordings, which are paid for already: a budget of what the whole run costs is never reached before its end.
func TestBudgetCountsWhatWasPaid(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	at := atomic.Int64{}
	url, _ := counted(t, func(n int64, w http.ResponseWriter) bool {
		if broken.Load() || n == at.Load() {
			broken.Store(true)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	whole := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "whole")})
	all, calls := tokensOf(whole), int64(0)
	for _, u := range whole.Usage {
		calls += u.Calls
	}
	text, dir := bounded(overHTTP(url, ""), all+1), filepath.Join(t.TempDir(), "run")
	paid := int64(0)
	for i, more := range []int64{calls / 3, calls / 3} {
		at.Store(0)
		broken.Store(false)
		at.Store(calls + int64(i)*(calls/3+1) + more + 1)
		s := runtest.Execute(t, text, config.Options{Out: dir, Cassette: "record", Resume: true, Concurrency: 4})
		if s.Complete() || strings.Contains(s.Stopped, "max_tokens") {
			t.Fatalf("broken off: %+v", s)
		}
		paid += tokensOf(s)
		broken.Store(true) // whatever comes late
	}
	at.Store(0)
	broken.Store(false)
	if s := runtest.Execute(t, bounded(overHTTP(url, ""), paid), config.Options{Out: dir, Cassette: "record", Resume: true}); s.Executed != 0 || !strings.Contains(s.Stopped, "max_tokens") {
		t.Errorf("with no more than was paid: %+v", s)
	}
	s := runtest.Execute(t, text, config.Options{Out: dir, Cassette: "record", Resume: true, Concurrency: 1})
	if !s.Complete() || s.Stopped != "" {
		t.Errorf("with enough for all: %+v", s)
	}
	if paid += tokensOf(s); paid != all {
		t.Errorf("%d tokens were paid in three parts, %d in one", paid, all)
	}
}

// TestBudgetCountsWhatLeftNoRecord takes records away, as if the process had been killed before it could store them. What
// is on the run's own tapes was paid for by the run; another run that is played the same tapes has paid nothing.
func TestBudgetCountsWhatLeftNoRecord(t *testing.T) {
	t.Parallel()
	url, asked := counted(t, nil)
	tapes, dir, other := t.TempDir(), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "other")
	all := tokensOf(runtest.Execute(t, overHTTP(url, ""), config.Options{Out: dir, Cassette: "record:" + tapes}))
	n := asked.Load()
	lose := func(dir string) {
		files, err := filepath.Glob(filepath.Join(dir, "trials", "retail", "ReAct", "*"))
		if err != nil || len(files) != 6 {
			t.Fatalf("%d records, %v", len(files), err)
		}
		for _, f := range files[:3] {
			runtest.Remove(t, f)
		}
	}
	lose(dir)
	if s := runtest.Execute(t, bounded(overHTTP(url, ""), all), config.Options{Out: dir, Cassette: "record:" + tapes, Resume: true}); s.Executed != 0 || s.Missing != 3 {
		t.Errorf("with no more than was paid: %+v", s)
	}
	for range 2 { // the second time, the records say that they were replayed
		if s := runtest.Execute(t, bounded(overHTTP(url, ""), all+1), config.Options{Out: dir, Cassette: "record:" + tapes, Resume: true}); !s.Complete() || asked.Load() != n {
			t.Errorf("with more: %d requests, %+v", asked.Load()-n, s)
		}
		lose(dir)
	}
	for range 2 {
		if s := runtest.Execute(t, bounded(overHTTP(url, ""), 1), config.Options{Out: other, Cassette: "record:" + tapes, Resume: true}); !s.Complete() || asked.Load() != n {
			t.Errorf("another run: %d requests, %+v", asked.Load()-n, s)
		}
		lose(other)
	}
}

// TestBudgetOfAConversationCountsRecordings: a replayed conversation ends where the recorded one did, and one that goes on
// from its recordings does not get its budget once more.
func TestBudgetOfAConversationCountsRecordings(t *testing.T) {
	t.Parallel()
	url, asked := counted(t, nil)
	capped := func(tokens string) string {
		return strings.Replace(overHTTP(url, ""), "trials: 2", "trials: 2\nlimits: {conversation: {max_tokens: "+tokens+"}}", 1)
	}
	tapes, dir, again := t.TempDir(), filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "again")
	s := runtest.Execute(t, capped("15000"), config.Options{Out: dir, Cassette: "record:" + tapes})
	over := s.Terminations["budget"]
	if over == 0 || over == 12 {
		t.Fatalf("%+v", s)
	}
	n := asked.Load()
	if r := runtest.Execute(t, capped("15000"), config.Options{Out: again, Cassette: "replay:" + tapes}); r.Terminations["budget"] != over || asked.Load() != n {
		t.Errorf("replayed: %+v, want %d over budget", r, over)
	}
	runtest.Same(t, dir, again)
	runtest.Execute(t, capped("20000"), config.Options{Out: dir, Cassette: "record:" + tapes, Resume: true})
	for rec, err := range runtest.Open(t, dir).Records() {
		if err != nil {
			t.Fatal(err)
		}
		var sum, last int64
		for _, c := range rec.Calls {
			last = c.Usage.PromptTokens.N + c.Usage.CompletionTokens.N
			sum += last
		}
		if sum-last >= 20000 {
			t.Errorf("%s went on with %d tokens spent", rec.Key.String(), sum-last)
		}
	}
}

// costly is the small config with models that have a price.
func costly(url, limits string) string {
	model := "{synthetic: true, model: gpt-4.1, base_url: " + url + "}"
	text := strings.Replace(runtest.Small, "careful: {synthetic: true}", "careful: "+model, 1)
	at := strings.Index(text, "clumsy: {")
	text = text[:at] + "clumsy: " + model + text[at+strings.Index(text[at:], "\n"):]
	return strings.Replace(text, "trials: 2", "trials: 2\nlimits: {"+limits+"}", 1)
}

// dollarsOf is what an execution paid its endpoints.
func dollarsOf(s *runs.Summary) (sum float64) {
	for _, u := range s.Usage {
		sum += u.Cost
	}
	return sum
}

// TestDollarsAreSpentOnce: a conversation that its budget in dollars ended is not run and paid again while the budget is no
// higher, a run stops at its own budget and again on resume, and answers of lost records stay paid.
func TestDollarsAreSpentOnce(t *testing.T) {
	t.Parallel()
	url, _ := counted(t, nil)
	execute := func(dir, limits, tapes string) *runs.Summary {
		return runtest.Execute(t, costly(url, limits), config.Options{Out: dir, Resume: true, Cassette: tapes, Concurrency: 1})
	}
	whole := execute(filepath.Join(t.TempDir(), "whole"), "concurrency: 1", "")
	all := dollarsOf(whole)
	if !whole.Complete() || all == 0 {
		t.Fatalf("%+v", whole)
	}
	price := func(share float64) string { return strconv.FormatFloat(all*share, 'f', 6, 64) }

	dir := filepath.Join(t.TempDir(), "conversations")
	s := execute(dir, "conversation: {max_cost: "+price(0.1)+"}", "")
	over := s.OverBudget
	if over == 0 || over == 12 || s.Evaluable != 12-over || s.Stopped != "" {
		t.Fatalf("some conversations should cost a tenth of all: %+v", s)
	}
	if s := execute(dir, "conversation: {max_cost: "+price(0.1)+"}", ""); s.Executed != 0 || dollarsOf(s) != 0 || s.OverBudget != over {
		t.Errorf("the same budget again: %+v", s)
	}
	if s := execute(dir, "conversation: {max_cost: "+price(1)+"}", ""); s.Executed != over || !s.Complete() || s.OverBudget != 0 {
		t.Errorf("a higher one: %+v", s)
	}

	dir = filepath.Join(t.TempDir(), "run")
	tapes := "record:" + t.TempDir()
	s = execute(dir, "max_cost: "+price(0.5), tapes)
	if !strings.Contains(s.Stopped, "limits.max_cost of "+strings.TrimRight(price(0.5), "0")+" dollars is reached") || s.Missing == 0 || dollarsOf(s) < all*0.5 {
		t.Fatalf("half of the dollars: %+v", s)
	}
	files, err := filepath.Glob(filepath.Join(dir, "trials", "retail", "ReAct", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		runtest.Remove(t, f)
	}
	if s := execute(dir, "max_cost: "+price(0.5), tapes); s.Executed != 0 || s.Stopped == "" || dollarsOf(s) != 0 {
		t.Errorf("the same budget, with records lost: %+v", s)
	}
	if s := execute(dir, "max_cost: "+price(1.01), tapes); !s.Complete() || s.Stopped != "" {
		t.Errorf("a higher one: %+v", s)
	}
	var last runs.Progress
	runtest.Execute(t, costly(url, "max_cost: "+price(0.01)), config.Options{Out: filepath.Join(t.TempDir(), "again"), Cassette: "replay" + strings.TrimPrefix(tapes, "record")}, runs.Options{Progress: reporter(func(p runs.Progress) { last = p })})
	if last.WouldCost == nil || math.Abs(*last.WouldCost-all) > 1e-9 || *last.Cost != 0 {
		t.Errorf("a replay of all of it: %+v", last)
	}
}
