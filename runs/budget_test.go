package runs_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/runs"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// limited is the small config with limits.
func limited(limits string) string {
	return strings.Replace(runtest.Small, "trials: 2", "trials: 2\nlimits: {"+limits+"}", 1)
}

func TestBudgetOfTheRunFinishesWhatIsInFlight(t *testing.T) {
	dir, calm := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	tight := limited("max_tokens: 30000, concurrency: 3")
	s := runtest.Execute(t, tight, config.Options{Out: dir})
	if !strings.Contains(s.Stopped, "limits.max_tokens of 30000 is reached") || s.Missing == 0 || s.Evaluable != s.Executed || s.Evaluable == 0 || s.Pending != 0 {
		t.Errorf("conversations in flight should be finished and scored: %+v", s)
	}
	runtest.Consistent(t, dir)
	if again := runtest.Execute(t, tight, config.Options{Out: dir, Resume: true}); again.Executed != 0 || again.Stopped == "" {
		t.Errorf("resumed on a spent budget: %+v", again)
	}
	if wide := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !wide.Complete() || wide.Stopped != "" {
		t.Errorf("resumed with more: %+v", wide)
	}
	runtest.Execute(t, runtest.Small, config.Options{Out: calm})
	runtest.Same(t, calm, dir)
}

func TestSpentBudgetLeavesTheJudgeUnasked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	sure := strings.NewReplacer("model: clumsy}", "model: careful}") // rewards then hang on the judge
	runtest.Execute(t, sure.Replace(runtest.Small), config.Options{Out: dir})
	runtest.Remove(t, filepath.Join(dir, "scores.jsonl")) // every record is to be scored again
	var last runs.Progress
	s := runtest.Execute(t, sure.Replace(limited("max_tokens: 1")), config.Options{Out: dir, Resume: true}, runs.Options{Progress: reporter(func(p runs.Progress) { last = p })})
	if last.Pending != s.Pending || last.Done != 12 || last.Faults != 0 {
		t.Errorf("progress %+v of %d without a score", last, s.Pending)
	}
	if log := string(runtest.Text(t, filepath.Join(dir, "log.jsonl"))); strings.Count(log, `"msg":"score pending"`) < s.Pending || !strings.Contains(log, "no further trials of this kind are started") {
		t.Errorf("log:\n%s", log)
	}
	if s.Pending == 0 || s.Pending == s.Planned || s.Executed != 0 || !strings.Contains(s.Stopped, "limits.max_tokens of 1 is reached") {
		t.Errorf("scores that cost nothing should be there, the others not: %+v", s)
	}
	if s := runtest.Execute(t, sure.Replace(runtest.Small), config.Options{Out: dir, Resume: true}); s.Pending != 0 {
		t.Errorf("resumed with more: %+v", s)
	}
}

// TestTimeOfTheRun lets the first turns take all of the time.
func TestTimeOfTheRun(t *testing.T) { synctest.Test(t, timeOfTheRun) }

func timeOfTheRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	j := wrapped(t, limited("max_wall: 1s, concurrency: 2"), config.Options{Out: dir}, func(_ agents.Setup, s sim.Participant) sim.Participant {
		begun := time.Now()
		return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
			time.Sleep(1100*time.Millisecond - time.Since(begun))
			return s.Next(ctx, v)
		})
	})
	s, err := runs.Execute(t.Context(), j, runs.Options{})
	if err != nil || s.Executed == 0 || s.Evaluable != s.Executed || s.Missing != 12-s.Executed || s.Missing == 0 || !strings.Contains(s.Stopped, "limits.max_wall of 1s is reached") {
		t.Errorf("%v; summary %+v", err, s)
	}
	if s := runtest.Execute(t, limited("max_wall: 1h"), config.Options{Out: dir, Resume: true}); !s.Complete() {
		t.Errorf("the next execution has a time of its own: %+v", s)
	}
}

// guided has a model beside the agent's: what both spend counts for the conversation.
var guided = strings.Replace(runtest.Small, "  - {name: Noop, agent: noop}", "  - {name: Guided, agent: policyguide, model: clumsy}", 1)

func TestBudgetOfAConversation(t *testing.T) {
	calm := filepath.Join(t.TempDir(), "run")
	runtest.Execute(t, guided, config.Options{Out: calm})
	budget := func(limits string) string {
		return strings.Replace(guided, "trials: 2", "trials: 2\nlimits: {conversation: {"+limits+"}}", 1)
	}
	dir := filepath.Join(t.TempDir(), "run")
	s := runtest.Execute(t, budget("max_tokens: 15000"), config.Options{Out: dir})
	over := s.Terminations[sim.Budget]
	if over == 0 || over == 12 || s.Evaluable != 12-over || s.OverBudget != over || s.Stopped != "" {
		t.Fatalf("some conversations should be over budget, and none be left out: %+v", s)
	}
	if c := s.Causes; len(c) != 1 || c[0].Fault != "limits.conversation.max_tokens" || c[0].Attempts != over || c[0].Void != over || !strings.Contains(c[0].Example, "limits.conversation.max_tokens of 15000 is reached") {
		t.Errorf("causes %+v", c)
	}
	if e := estimate(t, budget("max_tokens: 15000"), "", config.Options{Out: dir, Resume: true}); e.Trials != 0 || e.Finished != 12 {
		t.Errorf("what would only spend the same again is estimated: %+v", e)
	}
	for rec, err := range runtest.Open(t, dir).Records() {
		if err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, c := range rec.Calls {
			if sum >= 15000 {
				t.Errorf("%s: a call was made with %d tokens spent", rec.Key.String(), sum)
			}
			sum += c.Usage.PromptTokens.N + c.Usage.CompletionTokens.N
		}
		if ended := rec.Termination == sim.Budget; ended != (sum >= 15000) && ended {
			t.Errorf("%s: ended for its budget with %d tokens in the record", rec.Key.String(), sum)
		}
	}
	runtest.Consistent(t, dir)
	for _, c := range []struct {
		name, limits string
		held         bool
	}{
		{"the same", "max_tokens: 15000", false},
		{"less", "max_tokens: 12000", false},
		{"no more than was spent", "max_tokens: 15001", false},
		{"gone, another in its place", "max_cost: 0, max_wall: 1h", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if s := runtest.Execute(t, budget(c.limits), config.Options{Out: dir, Resume: true}); (s.Executed == over) != c.held || (s.OverBudget == 0) != c.held {
				t.Errorf("%+v", s)
			}
		})
	}
	runtest.Same(t, calm, dir)
}

func TestTimeOfAConversation(t *testing.T) { synctest.Test(t, timeOfAConversation) }

func timeOfAConversation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	slow := func(wall string) *config.Plan {
		return wrapped(t, limited("conversation: {max_wall: "+wall+"}"), config.Options{Out: dir, Resume: true, Only: []string{"system=ReAct", "trial=0"}}, func(setup agents.Setup, s sim.Participant) sim.Participant {
			turns := 0
			return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				if turns++; turns == 2 && setup.Task.ID == "cancel-gift-card-order" {
					select {
					case <-ctx.Done():
						return sim.Turn{}, ctx.Err()
					case <-time.After(10 * time.Second): // only if nothing ends the conversation
					}
				}
				return s.Next(ctx, v)
			})
		})
	}
	s, err := runs.Execute(t.Context(), slow("400ms"), runs.Options{})
	if err != nil || s.Terminations[sim.Budget] != 1 || s.Evaluable != 2 || s.OverBudget != 1 || s.Causes[0].Fault != "limits.conversation.max_wall" {
		t.Errorf("%v; summary %+v", err, s)
	}
	if s, err := runs.Execute(t.Context(), slow("400ms"), runs.Options{}); err != nil || s.Executed != 0 {
		t.Errorf("resumed with no more time: %v; %+v", err, s)
	}
	if s := runtest.Execute(t, runtest.Small, config.Options{Out: dir, Resume: true}); !s.Complete() {
		t.Errorf("resumed without the limit: %+v", s)
	}
}

// TestLateForAnotherReason: a conversation whose time was over while its endpoint failed is void, so that it runs again; its
// budget did not end it.
func TestLateForAnotherReason(t *testing.T) { synctest.Test(t, lateForAnotherReason) }

func lateForAnotherReason(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		reason sim.Reason
		fault  string
	}{
		{"the endpoint failed", &llm.Error{Kind: llm.KindServer}, sim.Infra, "server"},
		{"its time is over", nil, sim.Budget, "limits.conversation.max_wall"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		j := wrapped(t, limited("conversation: {max_wall: 1s}"), config.Options{Out: dir, Only: []string{"system=ReAct", "task=cancel-gift-card-order"}, Limit: 1, Trials: 1}, func(_ agents.Setup, s sim.Participant) sim.Participant {
			turns := 0
			return sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				if turns++; turns == 2 {
					<-ctx.Done()
					if c.err != nil {
						return sim.Turn{}, c.err
					}
					return sim.Turn{}, ctx.Err()
				}
				return s.Next(ctx, v)
			})
		})
		if _, err := runs.Execute(t.Context(), j, runs.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, e := range runtest.Open(t, dir).Index() {
			if e.Termination != c.reason || e.Fault != c.fault {
				t.Errorf("%s: ended by %s (%s), want %s (%s)", c.name, e.Termination, e.Fault, c.reason, c.fault)
			}
		}
	}
}
