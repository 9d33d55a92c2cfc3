package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

func fails(err error) sim.Participant {
	return speakerFunc(func(sim.View) (sim.Turn, error) { return sim.Turn{}, err })
}

// patient is a speaker that answers after a while unless the context ends.
func patient(d time.Duration, turn sim.Turn) sim.Participant {
	return sim.ParticipantFunc(func(ctx context.Context, _ sim.View) (sim.Turn, error) {
		select {
		case <-time.After(d):
			return turn, nil
		case <-ctx.Done():
			return sim.Turn{}, fmt.Errorf("agent: %w", context.Cause(ctx))
		}
	})
}

func within(d time.Duration) func(*sim.Trial) {
	return func(t *sim.Trial) { t.Limits = sim.Limits{MaxSteps: 50, Timeout: d} }
}

func TestTimeout(t *testing.T) {
	frozen := time.Unix(1, 0)
	for _, c := range []struct {
		name    string
		agent   sim.Participant
		edit    []func(*sim.Trial)
		want    sim.Reason
		seconds float64
	}{
		{"in the middle of an answer", patient(time.Hour, says("late")), []func(*sim.Trial){within(time.Minute)}, sim.Timeout, 60},
		{"an answer just in time", patient(59*time.Second, says("hello")), []func(*sim.Trial){within(time.Minute)}, sim.UserStop, 59},
		{"no limit", patient(time.Hour, says("hello")), []func(*sim.Trial){within(0)}, sim.UserStop, 3600},
		{"a speaker that does not look at the context", speakerFunc(func(sim.View) (sim.Turn, error) {
			time.Sleep(2 * time.Minute)
			return says("late"), nil
		}), []func(*sim.Trial){within(time.Minute)}, sim.Timeout, 120},
		{"with a clock of one's own", patient(time.Hour, says("late")),
			[]func(*sim.Trial){within(time.Minute), func(tr *sim.Trial) { tr.Now = func() time.Time { return frozen } }}, sim.Timeout, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := run(t, c.agent, scripted(says("hi"), says(stop)), c.edit...)
				ended(t, rec, c.want)
				if rec.Times.Seconds != c.seconds {
					t.Errorf("%v seconds, want %v", rec.Times.Seconds, c.seconds)
				}
				if !rec.Termination.Evaluable() {
					t.Error("a timeout counts as a failure")
				}
			})
		})
	}
}

// TestTimeoutOfTheCallerIsNone: a deadline that the caller set is an interruption, not an outcome.
func TestTimeoutOfTheCallerIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		rec, err := sim.Run(ctx, trial(t, patient(time.Hour, says("late")), scripted(says("hi")), within(time.Minute)))
		if err != nil {
			t.Fatal(err)
		}
		ended(t, rec, sim.Cancelled)
	})
}

func TestCancelled(t *testing.T) {
	t.Run("before it began", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		rec, err := sim.Run(ctx, trial(t, scripted(), scripted()))
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "mock/s/t/0") {
			t.Errorf("error %v, want one that names the trial", err)
		}
		if rec.Termination != "" || rec.Messages != nil {
			t.Errorf("a record came: %+v", rec)
		}
	})
	t.Run("while a speaker waits", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		rec, err := sim.Run(ctx, trial(t, sim.ParticipantFunc(func(ctx context.Context, _ sim.View) (sim.Turn, error) {
			cancel()
			return sim.Turn{}, fmt.Errorf("agent: %w", ctx.Err())
		}), scripted(says("hi"))))
		if err != nil {
			t.Fatal(err)
		}
		ended(t, rec, sim.Cancelled)
		if rec.Termination.Evaluable() || len(rec.Messages) != 2 {
			t.Errorf("evaluable %v, %d messages", rec.Termination.Evaluable(), len(rec.Messages))
		}
	})
	t.Run("speakers that do not look at the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		turns := 0
		chatter := speakerFunc(func(sim.View) (sim.Turn, error) {
			if turns++; turns == 3 {
				cancel()
			}
			return says("and on"), nil
		})
		rec, err := sim.Run(ctx, trial(t, chatter, chatter, steps(100)))
		if err != nil {
			t.Fatal(err)
		}
		ended(t, rec, sim.Cancelled)
		if turns != 3 {
			t.Errorf("%d turns, want none after the cancellation", turns)
		}
	})
}

func TestPanics(t *testing.T) {
	boom := speakerFunc(func(sim.View) (sim.Turn, error) { panic("boom") })
	for _, c := range []struct {
		name        string
		agent, user sim.Participant
		edit        func(*sim.Trial)
		messages    int
	}{
		{"agent", boom, scripted(says("hi")), func(*sim.Trial) {}, 2},
		{"user", scripted(), boom, func(*sim.Trial) {}, 1},
		{"no world", scripted(), scripted(), func(tr *sim.Trial) { tr.World = nil }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := run(t, c.agent, c.user, c.edit)
			ended(t, rec, sim.Infra)
			if f := rec.Fault; f.Kind != "panic" || f.Index != c.messages || !strings.Contains(f.Text, "goroutine") {
				t.Errorf("fault %+v", f)
			}
			if len(rec.Messages) != c.messages || rec.Termination.Evaluable() {
				t.Errorf("%d messages, evaluable %v", len(rec.Messages), rec.Termination.Evaluable())
			}
		})
	}
}

type broke struct{}

func (broke) Error() string { return "the run's budget is spent" }
func (broke) Budget() bool  { return true }

func TestFaultsOfSpeakers(t *testing.T) {
	as := func(k llm.Kind) error { return &llm.Error{Kind: k, Message: "words", RequestID: "req-1"} }
	for _, c := range []struct {
		name                 string
		err                  error
		agent, user, counted sim.Reason
		kind                 string
	}{
		{"context window", as(llm.KindContextWindow), sim.ContextWindow, sim.UserFault, sim.ContextWindow, "context_window"},
		{"content filter", as(llm.KindContentFilter), sim.AgentError, sim.UserFault, sim.UserError, "content_filter"},
		{"server", as(llm.KindServer), sim.Infra, sim.Infra, sim.Infra, "server"},
		{"rate limit", as(llm.KindRateLimit), sim.Infra, sim.Infra, sim.Infra, "rate_limit"},
		{"quota", as(llm.KindQuota), sim.Infra, sim.Infra, sim.Infra, "quota"},
		{"key", as(llm.KindAuth), sim.Infra, sim.Infra, sim.Infra, "auth"},
		{"bad request", as(llm.KindBadRequest), sim.Infra, sim.Infra, sim.Infra, "bad_request"},
		{"malformed reply", as(llm.KindMalformed), sim.Infra, sim.UserFault, sim.Infra, "malformed"},
		{"timeout of one attempt", as(llm.KindTimeout), sim.Infra, sim.Infra, sim.Infra, "timeout"},
		{"network", as(llm.KindNetwork), sim.Infra, sim.Infra, sim.Infra, "network"},
		{"another error", errors.New("words"), sim.Infra, sim.Infra, sim.Infra, "speaker"},
		{"budget", fmt.Errorf("agent: %w", broke{}), sim.Budget, sim.Budget, sim.Budget, "speaker"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wrapped := fmt.Errorf("model: %w", c.err)
			for _, s := range []struct {
				side sim.Side
				want sim.Reason
				rec  sim.Record
			}{
				{sim.AgentSide, c.agent, run(t, fails(wrapped), scripted(says("hi")))},
				{sim.UserSide, c.user, run(t, scripted(), fails(wrapped))},
				{sim.UserSide, c.counted, run(t, scripted(), fails(wrapped), countingFaults)},
			} {
				ended(t, s.rec, s.want)
				f := s.rec.Fault
				if f == nil || f.Kind != c.kind || f.Side != s.side || f.Index != len(s.rec.Messages) || f.Text != wrapped.Error() {
					t.Errorf("%s: fault %+v", s.side, f)
				}
				if errors.As(c.err, new(*llm.Error)) && f.RequestID != "req-1" {
					t.Errorf("%s: the request id is lost: %+v", s.side, f)
				}
			}
		})
	}
}

// countingFaults has a trial count faults of the user's model as the reference does.
func countingFaults(t *sim.Trial) { t.CountUserFaults = true }

// TestUsersOwnFaults: what the user's model did wrong is no failure of the agent's, unless it is to count as one.
func TestUsersOwnFaults(t *testing.T) {
	none := sim.Turn{}
	cut := func(turn sim.Turn) sim.Turn {
		turn.Calls = []sim.ModelCall{{Role: "user", CutOff: true}}
		return turn
	}
	mixed := calls(call("a", "create_task", `{"user_id":"user_1","title":"x"}`))
	mixed.Message.Content = domains.Text("text")
	half := cut(says("Please create a ta"))
	for _, c := range []struct {
		name          string
		user          []sim.Turn
		want, counted sim.Reason
		fault         string
		events        []sim.EventKind
	}{
		{"empty for ever", []sim.Turn{none, none, none}, sim.UserFault, sim.UserError, "no text and no tool call, 3 times", []sim.EventKind{"empty_answer", "empty_answer", "empty_answer"}},
		{"cut off for ever", []sim.Turn{half, half, half, says(stop)}, sim.UserFault, sim.MaxSteps, "cut off at the output limit, 3 times\nhint: raise the model's max_tokens", []sim.EventKind{"cut_off", "cut_off", "cut_off"}},
		{"cut off, empty, then whole", []sim.Turn{half, none, says("hi"), says(stop)}, sim.UserStop, sim.UserStop, "", []sim.EventKind{"cut_off", "empty_answer"}},
		{"cut off in a call", []sim.Turn{cut(calls(call("a", "get_users", `{}`))), says(stop)}, sim.UserStop, sim.UserStop, "", []sim.EventKind{"cut_off"}},
		{"cut off behind a stop", []sim.Turn{cut(says(stop + " And besid"))}, sim.UserStop, sim.UserStop, "", nil},
		{"text beside calls, where that is checked", []sim.Turn{mixed}, sim.UserFault, sim.UserError, "text and tool calls", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			strict := func(tr *sim.Trial) { tr.Strict, tr.Limits.MaxSteps = true, 6 }
			chatter := func() sim.Participant {
				return speakerFunc(func(sim.View) (sim.Turn, error) { return says("and on"), nil })
			}
			rec := run(t, chatter(), scripted(c.user...), strict)
			ended(t, rec, c.want)
			if c.fault != "" && (rec.Fault == nil || rec.Fault.Side != sim.UserSide || !strings.Contains(rec.Fault.Text, c.fault)) {
				t.Errorf("fault %+v", rec.Fault)
			}
			var kinds []sim.EventKind
			for _, e := range rec.Events {
				kinds = append(kinds, e.Kind)
			}
			same(t, "events", c.events, kinds)
			ended(t, run(t, chatter(), scripted(c.user...), strict, countingFaults), c.counted)
		})
	}
	t.Run("what the agent said until it was cut off is its answer", func(t *testing.T) {
		ended(t, run(t, scripted(cut(says("I have"))), scripted(says("hi"), says(stop))), sim.UserStop)
	})
}

func TestReasons(t *testing.T) {
	for _, c := range []struct {
		reason               sim.Reason
		evaluable, completed bool
	}{
		{sim.UserStop, true, true}, {sim.AgentStop, true, true},
		{sim.MaxSteps, true, false}, {sim.TooManyErrors, true, false}, {sim.AgentError, true, false}, {sim.UserError, true, false},
		{sim.Timeout, true, false}, {sim.ContextWindow, true, false},
		{sim.Infra, false, false}, {sim.UserFault, false, false}, {sim.Budget, false, false}, {sim.Cancelled, false, false}, {"", false, false},
	} {
		t.Run(string(c.reason), func(t *testing.T) {
			if c.reason.Evaluable() != c.evaluable || c.reason.Completed() != c.completed {
				t.Errorf("evaluable %v, completed %v", c.reason.Evaluable(), c.reason.Completed())
			}
		})
	}
}
