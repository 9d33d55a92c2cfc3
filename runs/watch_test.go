package runs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/trace"
)

// TestAKeyThatWorkedIsNotWrong: one refusal of a key that has opened the endpoint before is void for its conversation alone.
func TestAKeyThatWorkedIsNotWrong(t *testing.T) {
	t.Parallel()
	url, _ := counted(t, func(n int64, w http.ResponseWriter) bool {
		if n == 20 {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return n == 20
	})
	s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 1})
	if s.Missing != 0 || s.Stopped != "" || s.Evaluable < 11 || s.Evaluable == 12 && s.Pending == 0 {
		t.Errorf("%+v", s)
	}
}

// TestFailuresAtNoKnownCost: a failed call that took tokens at a cost that nobody tells ends a run that is bounded in dollars;
// one that took none does not.
func TestFailuresAtNoKnownCost(t *testing.T) {
	t.Parallel()
	hello := costing("stop", `"content":"Hello."`, little)
	for _, c := range []struct {
		name string
		fail *runtest.Reply
		ends bool
	}{
		{"it took tokens", body(`{"id":"c","usage":{"prompt_tokens":100,"completion_tokens":10}}`), true},
		{"it took tokens, and is billed", body(`{"id":"c","usage":` + little + `}`), false},
		{"it took none", &runtest.Reply{Status: http.StatusInternalServerError}, false},
	} {
		text := runtest.Own(map[string][]*runtest.Reply{"a": {c.fail}, "u": {hello}}).Config(t, 3)
		text = strings.NewReplacer("limits: {", "limits: {max_cost: 100, ", "key: k-test-123456", "key: k-test-123456, retry: {attempts: 1}").Replace(text)
		s, _ := played(t, text)
		if stopped := strings.Contains(s.Stopped, "max_cost cannot be kept: model a "); stopped != c.ends || (s.Executed == 1) != c.ends {
			t.Errorf("%s: %d run, stopped by %q", c.name, s.Executed, s.Stopped)
		}
	}
}

// TestReplaysSpendNothing: what a run paid earlier, and what its recordings once cost, do not end a replay.
func TestReplaysSpendNothing(t *testing.T) {
	t.Parallel()
	url, asked := counted(t, nil)
	tapes, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "whole"), Cassette: "record:" + tapes})
	runtest.Execute(t, overHTTP(url, ""), config.Options{Out: dir, Limit: 1})
	n := asked.Load()
	if s := runtest.Execute(t, bounded(overHTTP(url, ""), 1), config.Options{Out: dir, Resume: true, Cassette: "replay:" + tapes}); !s.Complete() || s.Stopped != "" || asked.Load() != n {
		t.Errorf("%d requests, %+v", asked.Load()-n, s)
	}
}

// TestUnrecordedAnswersAreWarnedOfOnce: answers that cannot be recorded are used, each is logged, and one warning tells of them.
func TestUnrecordedAnswersAreWarnedOfOnce(t *testing.T) {
	t.Parallel()
	url, asked := counted(t, nil)
	tapes, dir := t.TempDir(), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, overHTTP(url, ""), config.Options{Out: filepath.Join(t.TempDir(), "first"), Cassette: "record:" + tapes, Trials: 1})
	n := asked.Load()
	files, err := os.ReadDir(tapes)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files { // folders in the place of tapes
		if name := filepath.Join(tapes, f.Name()); f.Name() != ".lock" {
			runtest.Remove(t, name)
			if err := os.Mkdir(name, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := runtest.Execute(t, overHTTP(url, ""), config.Options{Out: dir, Cassette: "record:" + tapes, Trials: 1})
	if !s.Complete() || s.Pending != 0 || asked.Load() != 2*n {
		t.Errorf("%d requests, want %d: %+v", asked.Load()-n, n, s)
	}
	if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], "an answer was used but not recorded: ") || !strings.HasSuffix(s.Warnings[0], "; further ones are told in log.jsonl") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); int64(strings.Count(log, `"msg":"answer used but not recorded","error":"`)) != n {
		t.Errorf("not every answer is logged:\n%s", log)
	}
}

// TestAnswersOfSystems: the summary counts slips by system and role over all trials, and says nothing of roles without any.
func TestAnswersOfSystems(t *testing.T) {
	t.Parallel()
	counts := func(replies map[string][]*runtest.Reply) (out []string) {
		text := strings.Replace(runtest.Own(replies).Config(t, 2), "systems: [", "systems: [{name: First, agent: react, model: a}, ", 1)
		s, _ := played(t, text)
		for _, a := range s.Answers {
			out = append(out, fmt.Sprintf("%s %s: %d of %d cut off", a.System, a.Role, a.CutOff, a.Answers()))
		}
		return out
	}
	if got := counts(nil); got != nil {
		t.Errorf("nothing slipped, and it says %q", got)
	}
	cut := costing("length", `"content":"Your task has been crea"`, little)
	want := []string{"First agent: 2 of 3 cut off", "R agent: 2 of 2 cut off"}
	if diff := cmp.Diff(want, counts(map[string][]*runtest.Reply{"a": {nil, cut}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestModelsThatCannotBeReached: two limits for one model at one address are an error of all that would ask it.
func TestModelsThatCannotBeReached(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("  clumsy: {synthetic: true", "  clumsy: {base_url: \"http://127.0.0.1:1/v1\", key: k, model: m, concurrency: 2, synthetic: true",
		"  careful: {synthetic: true", "  careful: {base_url: \"http://127.0.0.1:1/v1\", key: k, model: m, synthetic: true").Replace(runtest.Small)
	p := runtest.Resolve(t, text, config.Options{Out: filepath.Join(t.TempDir(), "run")})
	_, probed := runs.Probe(t.Context(), p, nil)
	_, executed := runs.Execute(t.Context(), p, runs.Options{})
	for _, err := range []error{probed, executed} {
		if err == nil || !strings.Contains(err.Error(), "model clumsy: ") || !strings.Contains(err.Error(), "another endpoint reaches the same model") {
			t.Errorf("error %v", err)
		}
	}
}

// TestCancelledBeforeItsVerdict: a judge that was not asked to the end leaves no score, and is asked on resume.
func TestCancelledBeforeItsVerdict(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	url := scripted(t, careful(), func(w http.ResponseWriter, tag llm.Tag) bool {
		if tag.Role != config.RoleJudge || asked.Add(1) > 1 {
			return false
		}
		cancel()
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	dir := filepath.Join(t.TempDir(), "run")
	text := strings.Replace(overHTTP(url, ""), "model: clumsy}", "model: careful}", 1) // rewards then hang on the judge
	s, err := runtest.Run(ctx, runtest.Parse(t, text), config.Options{Out: dir, Concurrency: 1, Only: []string{"system=ReAct"}})
	if err != nil || !s.Interrupted || asked.Load() != 1 || s.Pending != 1 {
		t.Fatalf("%v; asked %d times, %+v", err, asked.Load(), s)
	}
	r := runtest.Open(t, dir)
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Index() {
		if _, scored := scores[e.Ref]; scored != (e.Reward != nil) && e.Termination != sim.Cancelled {
			t.Errorf("%s: reward %v, a score: %t", e.Ref, e.Reward, scored)
		}
	}
	if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); strings.Contains(log, `"msg":"score pending"`) {
		t.Errorf("what was given up is told as a failure:\n%s", log)
	}
	if s := runtest.Execute(t, text, config.Options{Out: dir, Resume: true, Only: []string{"system=ReAct"}}); s.Pending != 0 || asked.Load() < 2 {
		t.Errorf("resumed: %+v", s)
	}
}

// TestRetriesAreShown: progress tells how many calls wait to be sent once more, and for how long the oldest is under way. The
// endpoint fails until it does.
func TestRetriesAreShown(t *testing.T) {
	t.Parallel()
	var shown atomic.Bool
	url := scripted(t, careful(), func(w http.ResponseWriter, _ llm.Tag) bool {
		if !shown.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return !shown.Load()
	})
	text := overHTTP(url, "retry: {attempts: 1000, first_wait: 100ms, max_wait: 200ms}, ")
	s := runtest.Execute(t, text, config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 1, Trials: 1, Only: []string{"system=Noop"}}, runs.Options{Progress: reporter(func(p runs.Progress) {
		if p.Retrying == 1 && p.Oldest > 0 && p.Oldest <= p.Elapsed {
			shown.Store(true)
		}
	})})
	if !shown.Load() || !s.Complete() {
		t.Errorf("shown: %t; %+v", shown.Load(), s)
	}
}

// TestEarlierCallsAtNoKnownCost: a bound on dollars that comes later does not count them, which is warned of.
func TestEarlierCallsAtNoKnownCost(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	text := runtest.Own(nil).Config(t, 1)
	runtest.Execute(t, text, config.Options{Out: dir})
	s := runtest.Execute(t, strings.Replace(text, "limits: {", "limits: {max_cost: 100, ", 1), config.Options{Out: dir, Resume: true})
	if !slices.Contains(s.Warnings, "limits.max_cost does not count 4 earlier calls: their cost is not known") {
		t.Errorf("warnings %q", s.Warnings)
	}
	if s := runtest.Execute(t, text, config.Options{Out: dir, Resume: true}); len(s.Warnings) != 0 {
		t.Errorf("without a bound: %q", s.Warnings)
	}
	billed := costing("stop", `"content":"Hello."`, little)
	text = runtest.Own(map[string][]*runtest.Reply{"u": {billed}, "a": {nil, billed}}).Config(t, 1)
	dir = filepath.Join(t.TempDir(), "one")
	runtest.Execute(t, text, config.Options{Out: dir})
	s = runtest.Execute(t, strings.Replace(text, "limits: {", "limits: {max_cost: 100, ", 1), config.Options{Out: dir, Resume: true})
	if !slices.Contains(s.Warnings, "limits.max_cost does not count 1 earlier calls: their cost is not known") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// TestTrialsAreTraced: each conversation is a span that tells how it ended.
func TestTrialsAreTraced(t *testing.T) {
	var mu sync.Mutex
	var sent []byte
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, text...)
	}))
	t.Cleanup(srv.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	t.Setenv("OTEL_SDK_DISABLED", "")
	tracer, err := trace.FromEnv(t.Context(), os.Getenv, "test")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Trials: 1, Only: []string{"system=Noop"}}, runs.Options{Trace: tracer})
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, e := range runtest.Open(t, dir).Index() {
		if !bytes.Contains(sent, []byte(e.Termination)) || !bytes.Contains(sent, []byte(e.Task)) {
			t.Errorf("%s, which ended by %s, is not in what was sent", e.Task, e.Termination)
		}
	}
}

// TestARecordThatIsTornMeanwhile waits for its verdict as before, which the log tells; the run goes on.
func TestARecordThatIsTornMeanwhile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	text := strings.NewReplacer("judge: {model: careful}\n", "", "model: clumsy}", "model: careful}").Replace(runtest.Small) // rewards then hang on the judge
	before := runtest.Execute(t, text, config.Options{Out: dir})
	waiting := 0
	for _, e := range runtest.Open(t, dir).Index() {
		if e.Pending != "" {
			waiting++
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "trials", "*", "*", "*"))
	if err != nil || len(files) != 12 || waiting == 0 {
		t.Fatalf("%d records, %d without a verdict, %v", len(files), waiting, err)
	}
	var last runs.Progress
	var once sync.Once
	s := runtest.Execute(t, text, config.Options{Out: dir, Resume: true}, runs.Options{Progress: reporter(func(p runs.Progress) {
		last = p
		once.Do(func() { // the warning that no judge is named is shown before anything else
			for _, f := range files {
				runtest.Write(t, f, []byte("torn"))
			}
		})
	})})
	if s.Pending != before.Pending || last.Pending != waiting || last.Done != waiting || s.Executed != 0 {
		t.Errorf("%d waited: progress %+v, summary %+v", waiting, last, s)
	}
	if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); strings.Count(log, `"msg":"record unreadable"`) != waiting {
		t.Errorf("log:\n%s", log)
	}
}

// TestRecordingsThatCannotBeMade end a run before it begins: a file came to be where their folder should.
func TestRecordingsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	tapes := filepath.Join(t.TempDir(), "tapes")
	p := runtest.Resolve(t, runtest.Small, config.Options{Out: filepath.Join(t.TempDir(), "run"), Cassette: "record:" + tapes})
	runtest.Remove(t, tapes)
	runtest.Write(t, tapes, []byte("a file"))
	if s, err := runs.Execute(t.Context(), p, runs.Options{}); err == nil || s != nil || !strings.Contains(err.Error(), tapes) {
		t.Errorf("%v; %+v", err, s)
	}
}
