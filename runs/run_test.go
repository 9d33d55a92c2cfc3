package runs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/terminal"
	"github.com/tauguide/tauguide/sim"
)

func TestRunStoresEverything(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s := runtest.Execute(t, runtest.Small, config.Options{Out: dir})
	if s.Planned != 12 || s.Evaluable != 12 || s.Pending != 0 || s.Missing != 0 || s.Executed != 12 || !s.Synthetic || !s.Complete() || s.Coverage() != 1 {
		t.Errorf("summary %+v", s)
	}
	runtest.Consistent(t, dir)
	r := runtest.Open(t, dir)
	m := r.Manifest()
	if m.Name != "small" || m.Note != "small" || !m.Synthetic || m.Identity == "" || len(m.Data["retail"]) == 0 || m.Config.Seed != 300 {
		t.Errorf("manifest %+v", m)
	}
	if plan, index := r.Plan(), r.Index(); len(plan) != 12 || len(index) != 12 || plan[3].Key != index[3].Key {
		t.Errorf("%d planned, %d in the index", len(plan), len(index))
	}
	judged := 0
	scores, err := r.Scores()
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Record(rec.Key)
		if err != nil || len(again.Messages) != len(rec.Messages) {
			t.Errorf("%s: %v, %d messages, want %d", rec.Key.String(), err, len(again.Messages), len(rec.Messages))
		}
		judged += len(scores[store.Ref{Key: rec.Key}].JudgeCalls)
	}
	if judged == 0 {
		t.Error("the judge was never asked: the tasks of the test should need it")
	}
	if w, err := r.World("retail", runtest.NoEnv); err != nil || w.Name != "retail" {
		t.Errorf("world %v, %v", w, err)
	}
	if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); strings.Count(log, `"msg":"trial ended"`) != 12 ||
		!strings.Contains(log, `"msg":"run ended","evaluable":12,"pending":0,"missing":0,"executed":12,"interrupted":false,"stopped":"","error":"",`) ||
		!strings.Contains(log, `"msg":"run started","name":"small","identity":"`+m.Identity+`","planned":12,"to_do":12,`) {
		t.Errorf("log:\n%s", log)
	}
}

func TestConcurrencyChangesNothing(t *testing.T) {
	one, many := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: one, Concurrency: 1})
	runtest.Execute(t, runtest.Small, config.Options{Out: many, Concurrency: 64})
	runtest.Same(t, one, many)
}

func TestExistingRunNeedsAWord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Limit: 1})
	_, err := runtest.Run(context.Background(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Only: []string{"trial=0"}})
	if !errors.Is(err, domains.ErrUsage) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{dir, "4 of 4 trials", "tauguide run small.yaml --resume --out " + dir + " --only trial=0", "--fresh"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if _, err := runtest.Run(context.Background(), runtest.Parse(t, runtest.Small), config.Options{Out: dir, Resume: true, Fresh: true}); !errors.Is(err, domains.ErrUsage) {
		t.Errorf("resume and fresh together: %v", err)
	}
	s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Fresh: true, Limit: 2})
	if s.Planned != 8 || s.Executed != 8 || s.MovedTo == "" {
		t.Errorf("fresh run: %+v", s)
	}
	if old := runtest.Open(t, s.MovedTo); len(old.Index()) != 4 {
		t.Errorf("the old run has %d records, want 4", len(old.Index()))
	}
}

func TestFolderOfSomethingElseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	runtest.Write(t, filepath.Join(dir, "thesis.tex"), []byte("x"))
	for _, o := range []config.Options{{Out: dir}, {Out: dir, Resume: true}, {Out: dir, Fresh: true}} {
		if _, err := runtest.Run(context.Background(), runtest.Parse(t, runtest.Small), o); !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), "is no run, and holds thesis.tex") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	if _, err := store.Open(dir); err == nil || !strings.Contains(err.Error(), "manifest.json") {
		t.Errorf("open: %v", err)
	}
}

func TestResumeRunsThePlanMinusWhatIsFinished(t *testing.T) {
	whole, part := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: whole})
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: part, Resume: true, Only: []string{"system=Noop"}}); s.Executed != 6 || s.Planned != 6 {
		t.Fatalf("a resume of nothing should start: %+v", s)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: part, Resume: true, Limit: 2, Trials: 1}); s.Executed != 2 || s.Planned != 8 {
		t.Fatalf("part: %+v", s)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: part, Resume: true}); s.Executed != 4 || s.Planned != 12 || !s.Complete() {
		t.Fatalf("rest: %+v", s)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: part, Resume: true}); s.Executed != 0 || !s.Complete() {
		t.Fatalf("nothing left: %+v", s)
	}
	runtest.Same(t, whole, part)
	runtest.Consistent(t, part)
}

func TestResumeRefusesAnotherSetup(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Limit: 1, Trials: 1})
	tests := []struct {
		name, from, to string
		want           string // in the error; "" where resuming is fine
	}{
		{"nothing", "", "", ""},
		{"note", "note: small", "note: other", ""},
		{"trials", "trials: 2", "trials: 1", ""},
		{"concurrency", "trials: 2", "trials: 2\nlimits: {concurrency: 3, max_tokens: 100000000}", ""},
		{"transport", "careful: {synthetic: true", "careful: {rps: 1000, timeout: 3m, concurrency: 5, synthetic: true", ""},
		{"seed", "trials: 2", "seed: 301", "seed was 300, now 301"},
		{"limit of steps", "trials: 2", "limits: {max_steps: 7}", "limits.max_steps was 200, now 7"},
		{"temperature", "careful: {", "careful: {temperature: 0.5, ", "models.careful.temperature was null, now 0.5"},
		{"mistakes", "give_up: 0.2", "give_up: 0.3", "models.clumsy.mistakes was {"},
		{"user", "user: {model: careful}", "user: {model: clumsy}", `user.model was "careful", now "clumsy"`},
		{"the user's faults as by default", "user: {model: careful}", "user: {model: careful, faults: void}", ""},
		{"the user's faults", "user: {model: careful}", "user: {model: careful, faults: counted}", `user.faults was absent, now "counted"`},
		{"no judge", "judge: {model: careful}\n", "", `judge.model was "careful", now ""`},
		{"agent", "name: ReAct, agent: react", "name: ReAct, agent: oracle", `systems.ReAct.agent was "react", now "oracle"`},
		{"new system", "  - {name: Noop", "  - {name: New, agent: noop}\n  - {name: Noop", `systems.New.agent was absent, now "noop"`},
		{"lost system", "  - {name: Noop, agent: noop}\n", "", `systems.Noop.agent was "noop", now absent`},
		{"tasks", "[cancel-gift-card-order, ", "[", "domains.retail.tasks was ["},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(runtest.Small, tt.from, tt.to, 1)
			if tt.from != "" && text == runtest.Small {
				t.Fatal("the test changes nothing")
			}
			dir := runtest.Clone(t, dir)
			before := runtest.Text(t, filepath.Join(dir, "manifest.json"))
			_, err := runtest.Run(context.Background(), runtest.Parse(t, text), config.Options{Out: dir, Resume: true, Limit: 1, Trials: 1})
			if !bytes.Equal(before, runtest.Text(t, filepath.Join(dir, "manifest.json"))) {
				t.Error("the manifest changed")
			}
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestIdentitiesOfOlderVersionsAreComparedByWhatBothHave(t *testing.T) {
	old := config.Identity{Version: 0, Fields: map[string]string{"seed": "300", "gone": "1"}}
	now := config.Identity{Version: 1, Fields: map[string]string{"seed": "300", "new": "2"}}
	if d := config.Difference(old, now); len(d) != 0 {
		t.Errorf("difference %v, want none", d)
	}
	now.Fields["seed"] = "1"
	if d := config.Difference(old, now); !slices.Equal(d, []string{"seed was 300, now 1"}) {
		t.Errorf("difference %v", d)
	}
	if old.Hash() == now.Hash() {
		t.Error("different identities have the same hash")
	}
}

// wrapped makes a job whose agents are wrapped.
func wrapped(t *testing.T, text string, o config.Options, wrap func(agents.Setup, sim.Participant) sim.Participant) *config.Plan {
	t.Helper()
	j := runtest.Resolve(t, text, o)
	next := j.MakeAgent
	j.MakeAgent = func(s config.System, setup agents.Setup) (sim.Participant, error) {
		speaker, err := next(s, setup)
		return wrap(setup, speaker), err
	}
	return j
}

func TestPanicsAreVoidTrials(t *testing.T) {
	dir, calm := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	j := runtest.Resolve(t, runtest.Small, config.Options{Out: dir})
	next := j.MakeAgent
	j.MakeAgent = func(s config.System, setup agents.Setup) (sim.Participant, error) {
		switch {
		case s.Name == "Noop" && setup.Task.ID == "cancel-gift-card-order":
			panic("in the factory")
		case s.Name == "Noop" && setup.Task.ID == "cancel-one-return-one":
			return nil, errors.New("no such agent today")
		case s.Name == "ReAct" && setup.Task.ID == "cancel-gift-card-order":
			return sim.ParticipantFunc(func(context.Context, sim.View) (sim.Turn, error) { panic("in a turn") }), nil
		}
		return next(s, setup)
	}
	s, err := runs.Execute(context.Background(), j, runs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Planned != 12 || s.Evaluable != 6 || s.Terminations[sim.Infra] != 6 || s.Complete() || s.Coverage() != 0.5 {
		t.Errorf("summary %+v", s)
	}
	for _, e := range runtest.Open(t, dir).Index() {
		if e.Termination == sim.Infra && (e.Fault != "panic" && e.Fault != "speaker" || e.Reward != nil || e.Pending != "") {
			t.Errorf("entry %+v", e)
		}
	}
	runtest.Consistent(t, dir)
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); s.Executed != 6 || !s.Complete() {
		t.Errorf("resume: %+v", s)
	}
	if n := len(runtest.Open(t, dir).Attempts()); n != 18 {
		t.Errorf("%d attempts are kept, want 18", n)
	}
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	runtest.Same(t, calm, dir)
}

func TestCancelledRunKeepsWhatIsFinished(t *testing.T) {
	dir, calm := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var begun atomic.Int64
	j := wrapped(t, runtest.Small, config.Options{Out: dir, Concurrency: 2}, func(_ agents.Setup, s sim.Participant) sim.Participant {
		n := begun.Add(1)
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			if n > 5 {
				cancel()
				<-ctx.Done()
				return sim.Turn{}, ctx.Err()
			}
			return s.Next(ctx, v)
		})
	})
	var last runs.Progress
	s, err := runs.Execute(ctx, j, runs.Options{Progress: reporter(func(p runs.Progress) { last = p })})
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != s.Evaluable || last.Faults != 0 || last.Running != 0 {
		t.Errorf("what was given up counts in the progress: %+v", last)
	}
	if !s.Interrupted || s.Evaluable < 4 || s.Evaluable > 5 || s.Terminations[sim.Cancelled] == 0 || s.Missing < 5 {
		t.Errorf("summary %+v", s)
	}
	runtest.Consistent(t, dir)
	again := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true})
	if again.Executed != 12-s.Evaluable || !again.Complete() || again.Interrupted {
		t.Errorf("resumed %+v", again)
	}
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	runtest.Same(t, calm, dir)
}

// TestCausesAreCountedOverExecutions: attempts of all executions, the trials they were made at, and those still void; the most
// frequent cause first, then by name.
func TestCausesAreCountedOverExecutions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	run := func(panics string) *runs.Summary {
		j := runtest.Resolve(t, runtest.Small, config.Options{Out: dir, Resume: true})
		next := j.MakeAgent
		j.MakeAgent = func(s config.System, setup agents.Setup) (sim.Participant, error) {
			switch {
			case s.Name == "Noop" && setup.Task.ID == panics:
				panic("in the factory")
			case s.Name == "ReAct" && setup.Task.ID == "cancel-one-return-one":
				return nil, errors.New("no such\n agent today\nhint: come again")
			}
			return next(s, setup)
		}
		var last runs.Progress
		s, err := runs.Execute(t.Context(), j, runs.Options{Progress: reporter(func(p runs.Progress) { last = p })})
		if err != nil {
			t.Fatal(err)
		}
		if last.Faults != s.Planned-s.Evaluable || last.LastFault == "" {
			t.Errorf("progress %+v, %d void", last, s.Planned-s.Evaluable)
		}
		return s
	}
	counts := func(s *runs.Summary) (out []string) {
		for _, c := range s.Causes {
			example, _, _ := strings.Cut(c.Example, " goroutine")
			out = append(out, fmt.Sprintf("%s %d %d %d %s", c.Fault, c.Attempts, c.Trials, c.Void, example))
		}
		return out
	}
	defer func() {
		if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); strings.Count(log, `"msg":"trial void"`) != 6 || strings.Count(log, `"fault":"speaker","side":"","request_id":"","text":"no such\n agent today\nhint: come again"`) != 4 {
			t.Errorf("log:\n%s", log)
		}
	}()
	for _, c := range []struct {
		panics string
		want   []string
	}{
		{"cancel-gift-card-order", []string{"panic 2 2 2 in the factory", "speaker 2 2 2 no such agent today"}},
		{"none", []string{"speaker 4 2 2 no such agent today", "panic 2 2 0 "}},
	} {
		if diff := cmp.Diff(c.want, counts(run(c.panics))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestDataThatDoesNotFit: a trial whose task is gone from the data, or whose environment breaks, is void, and a record that
// cannot be scored waits; nothing else is touched.
func TestDataThatDoesNotFit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	plan := func(change func(*domains.World)) *config.Plan {
		j := runtest.Resolve(t, runtest.Small, config.Options{Out: dir, Resume: true, Concurrency: 1, Only: []string{"system=Noop", "task=cancel-gift-card-order"}})
		w := *j.Worlds["retail"]
		change(&w)
		j.Worlds["retail"] = &w
		return j
	}
	fresh := func(w *domains.World, breaks int) {
		next, n := w.Fresh, 0
		w.Fresh = func() (domains.Database, domains.Database) {
			if n++; n >= breaks {
				panic("no database")
			}
			return next()
		}
	}
	mock, err := config.Worlds(runtest.Parse(t, strings.Replace(runtest.Small, "name: retail, tasks: [cancel-gift-card-order, cancel-one-return-one, change-two-items-then-address]", "name: mock", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*domains.World)
		void   int
		fault  string // of the void trials, or what the score waits for
	}{
		{"another domain's data", func(w *domains.World) { *w = *mock["mock"] }, 2, "the data has no task cancel-gift-card-order"},
		{"no environment", func(w *domains.World) { fresh(w, 1) }, 2, "no database"},
		{"none for the score", func(w *domains.World) { fresh(w, 2) }, 1, "scoring failed: panic: no database"},
	} {
		var last runs.Progress
		s, err := runs.Execute(t.Context(), plan(c.change), runs.Options{Progress: reporter(func(p runs.Progress) { last = p })})
		if err != nil || s.Terminations[sim.Infra] != c.void || s.Pending != 2-c.void || last.Pending != s.Pending {
			t.Errorf("%s: %v; %+v, progress %+v", c.name, err, s, last)
		}
		if c.void == 2 && !strings.Contains(s.Causes[0].Example, c.fault) {
			t.Errorf("%s: causes %+v", c.name, s.Causes)
		}
		for _, e := range runtest.Open(t, dir).Index() {
			if c.void < 2 && e.Termination.Evaluable() && e.Pending != c.fault {
				t.Errorf("%s: entry %+v", c.name, e)
			}
		}
	}
	s, err := runs.Execute(t.Context(), plan(func(w *domains.World) { *w = *mock["mock"] }), runs.Options{})
	if err != nil || s.Pending != 1 || s.Terminations[sim.Infra] != 1 {
		t.Errorf("scored by another domain's data: %v; %+v", err, s)
	}
	s, err = runs.Execute(t.Context(), plan(func(*domains.World) {}), runs.Options{})
	if err != nil || s.Pending != 0 || s.Evaluable != 2 {
		t.Errorf("all is well again: %v; %+v", err, s)
	}
}

// TestADamagedRecordIsToldAndRunAgain: the file is kept, and its trial counts as missing.
func TestADamagedRecordIsToldAndRunAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, runtest.Small, config.Options{Out: dir, Only: []string{"system=Noop"}})
	files, err := filepath.Glob(filepath.Join(dir, "trials", "retail", "Noop", "*"))
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	runtest.Write(t, files[0], []byte("torn"))
	s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true, Only: []string{"system=Noop"}})
	if s.Executed != 1 || s.Evaluable != 6 || len(s.Warnings) != 1 || !strings.HasSuffix(s.Warnings[0], "; the file is kept, and the trial counts as missing") || strings.Contains(s.Warnings[0], "hint") {
		t.Errorf("%+v", s)
	}
	if string(runtest.Text(t, files[0])) != "torn" {
		t.Error("the file is not kept")
	}
}

// TestCancelledAsItBegins: a conversation that is given up before its first turn leaves no record.
func TestCancelledAsItBegins(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	j := wrapped(t, runtest.Small, config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 1}, func(_ agents.Setup, s sim.Participant) sim.Participant {
		cancel()
		return s
	})
	s, err := runs.Execute(ctx, j, runs.Options{})
	if err != nil || !s.Interrupted || s.Executed != 0 || s.Missing != 12 || len(s.Terminations) != 0 {
		t.Errorf("%v; summary %+v", err, s)
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := filepath.Join(t.TempDir(), "run")
	s, err := runtest.Run(ctx, runtest.Parse(t, runtest.Small), config.Options{Out: dir})
	if err != nil || !s.Interrupted || s.Executed != 0 || s.Missing != 12 {
		t.Errorf("summary %+v, %v", s, err)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() {
		t.Errorf("resumed %+v", s)
	}
}

func TestAgentsMayLookButNotTouch(t *testing.T) {
	var looked, touched sim.ToolResult
	var once atomic.Bool
	j := wrapped(t, runtest.Small, config.Options{Out: filepath.Join(t.TempDir(), "run"), Only: []string{"system=Noop", "trial=0"}, Limit: 1},
		func(setup agents.Setup, s sim.Participant) sim.Participant {
			if once.Swap(true) {
				return s
			}
			return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				gold := setup.Task.Criteria.Actions
				i := slices.IndexFunc(gold, func(a domains.Action) bool { return setup.World.Agent.Mutates(a.Name) })
				k := slices.IndexFunc(gold, func(a domains.Action) bool { return !setup.World.Agent.Mutates(a.Name) })
				looked, touched = setup.Read(ctx, gold[k].Call()), setup.Read(ctx, gold[i].Call())
				return s.Next(ctx, v)
			})
		})
	if _, err := runs.Execute(context.Background(), j, runs.Options{}); err != nil {
		t.Fatal(err)
	}
	if looked.Error || looked.Content == "" || !touched.Error || !strings.Contains(touched.Content, "only reading is allowed") {
		t.Errorf("reading gave %+v, writing %+v", looked, touched)
	}
}

func TestProgressIsReported(t *testing.T) {
	var seen []runs.Progress
	runtest.Execute(t, runtest.Small, config.Options{Out: filepath.Join(t.TempDir(), "run")}, runs.Options{Progress: reporter(func(p runs.Progress) { seen = append(seen, p) })})
	last := seen[len(seen)-1]
	if !last.Final || last.Done != 12 || last.Planned != 12 || last.Running != 0 || last.Faults != 0 || last.Tokens == nil || *last.Tokens == 0 || last.Cost != nil {
		t.Errorf("last progress %+v", last)
	}
	if got := last.Line(); !strings.HasPrefix(got, "small: 12/12, 100 % evaluable, 0 running, 0 void, ") || !strings.HasSuffix(got, "tokens") || strings.Contains(got, "$") {
		t.Errorf("line %q", got)
	}
	var b strings.Builder
	r := runs.NewLineReporter(terminal.NewWriter(&b))
	r.Update(runs.Progress{Name: "x", Planned: 3, Done: 1, Faults: 1, LastFault: "bad\x1b[2Jthing"})
	r.Update(runs.Progress{Name: "x", Planned: 3, Done: 1, Faults: 1, LastFault: "bad\x1b[2Jthing"})
	r.Update(runs.Progress{Name: "x", Planned: 3, Done: 3, Faults: 1, LastFault: "bad\x1b[2Jthing", Final: true})
	want := fmt.Sprintf("x: void trial: %s\nx: 1/3, 0 %% evaluable, 0 running, 1 void, $?, 0s left, ? tokens\nx: 3/3, 66 %% evaluable, 0 running, 1 void, $?, ? tokens\n", `bad\u001b[2Jthing`)
	if b.String() != want {
		t.Errorf("lines %q, want %q", b.String(), want)
	}
}

// TestRatesAreOfLate: progress comes four times a second, and the rate of calls is that of the last ten seconds.
func TestRatesAreOfLate(t *testing.T) { synctest.Test(t, ratesAreOfLate) }

func ratesAreOfLate(t *testing.T) {
	begun := time.Now()
	j := wrapped(t, runtest.Small, config.Options{Out: filepath.Join(t.TempDir(), "run"), Concurrency: 1}, func(_ agents.Setup, s sim.Participant) sim.Participant {
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			pause := 100 * time.Millisecond
			if time.Since(begun) > 4*time.Second {
				pause = 5 * time.Second
			}
			time.Sleep(pause)
			return s.Next(ctx, v)
		})
	})
	var seen []runs.Progress
	if _, err := runs.Execute(t.Context(), j, runs.Options{Progress: reporter(func(p runs.Progress) { seen = append(seen, p) })}); err != nil {
		t.Fatal(err)
	}
	warned := 0
	runtest.Execute(t, strings.Replace(runtest.Small, "judge: {model: careful}\n", "", 1), config.Options{Out: filepath.Join(t.TempDir(), "run")}, runs.Options{Progress: reporter(func(p runs.Progress) {
		if p.Elapsed == 0 && !p.Final && p.Running == 0 && len(p.Warnings) == 1 {
			warned++
		}
	})})
	if warned != 1 || seen[0].Elapsed != 0 || seen[1].Elapsed == 0 {
		t.Errorf("%d reports of warnings before anything is spent; without any, the first two come after %v and %v; want one each", warned, seen[0].Elapsed, seen[1].Elapsed)
	}
	last := seen[len(seen)-1]
	if n := int(last.Elapsed / (250 * time.Millisecond)); last.Elapsed < 30*time.Second || len(seen) < n+1 || len(seen) > n+2 {
		t.Errorf("%d reports in %v", len(seen), last.Elapsed)
	}
	fast, slow := seen[12], seen[len(seen)-2]
	if fast.CallRate < 5 || slow.CallRate <= 0 || slow.CallRate > 2 || seen[0].CallRate != 0 {
		t.Errorf("%v calls per second after 3 seconds, %v at the end", fast.CallRate, slow.CallRate)
	}
}

type reporter func(runs.Progress)

func (r reporter) Update(p runs.Progress) { r(p) }
