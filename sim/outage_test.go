package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// TestOutageOverHTTP: an endpoint that fails until the conversation's time is up makes no outcome of the agent's.
func TestOutageOverHTTP(t *testing.T) {
	for _, c := range []struct {
		name  string
		reply faultserver.Reply
		kind  string
		part  string
	}{
		{"hangs", faultserver.Hang(), "timeout", "attempt timed out"},
		{"429 for ever", faultserver.Error(429, "requests", "rate_limit_exceeded", "", "slow down"), "rate_limit", "(status 429, rate_limit_exceeded): slow down"},
		{"HTML with 200", faultserver.Raw("<html><body>Welcome</body></html>"), "malformed", "Welcome"},
		{"200 with an error", faultserver.Raw(`{"error":{"code":502,"message":"Provider returned error"}}`), "server", "(status 502): Provider returned error"},
		{"no choices", faultserver.Raw(`{"choices":[]}`), "malformed", "empty list of choices"},
		{"cut body", faultserver.Cut("hello", 40), "malformed", "cut off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			srv := faultserver.NewFunc(t, func(int, faultserver.Request) faultserver.Reply { return c.reply.With("X-Request-Id", "req-1") })
			client, err := llm.Dial(llm.Endpoint{Name: "agent", BaseURL: srv.URL, Model: "m", Timeout: 300 * time.Millisecond}, llm.Models{})
			if err != nil {
				t.Fatal(err)
			}
			rec := outage(t, client, scripted(says("hi")), 500*time.Millisecond)
			ended(t, rec, sim.Infra)
			f := rec.Fault
			if f.Kind != c.kind || f.Side != sim.AgentSide || !strings.Contains(f.Text, c.part) || !strings.Contains(f.Text, "raise limits.timeout") {
				t.Errorf("fault %+v, want %s with %q", f, c.kind, c.part)
			}
			if c.kind != "timeout" && f.RequestID != "req-1" {
				t.Errorf("the request id is lost: %+v", f)
			}
		})
	}
}

// outage lets the plain agent talk over a client, within a time.
func outage(t *testing.T, c llm.Client, user sim.Participant, limit time.Duration) sim.Record {
	t.Helper()
	w := mockWorld(t)
	agent, err := agents.NewReAct(agents.Setup{World: w, Task: plainTask(t), Model: modelOf(c, "agent")})
	if err != nil {
		t.Fatal(err)
	}
	return run(t, agent, user, func(tr *sim.Trial) { tr.World, tr.Limits = w, sim.Limits{MaxSteps: 50, Timeout: limit} })
}

// TestTimeIsUpWithinACall tells a model that takes long from one that never answers.
func TestTimeIsUpWithinACall(t *testing.T) {
	answer := func(after time.Duration) llm.Client {
		return llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
			select {
			case <-time.After(after):
				return llm.Response{Attempts: 1, Message: llm.Message{Role: llm.Assistant, Content: domains.Text("hello")}}, nil
			case <-ctx.Done():
				return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: context.Cause(ctx).Error(), Attempts: 1}
			}
		})
	}
	failing := llm.Func(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Kind: llm.KindServer, Status: 503, Message: "down", RequestID: "req-2", Attempts: 1}
	})
	const limit = 30 * time.Minute
	for _, c := range []struct {
		name   string
		client func() llm.Client
		want   sim.Reason
		kind   string
	}{
		{"slow answers", func() llm.Client { return answer(7 * time.Minute) }, sim.Timeout, "cancelled"},
		{"one answer that takes too long", func() llm.Client { return answer(limit + 1) }, sim.Infra, "timeout"},
		{"never an answer, with the defaults", func() llm.Client {
			return llm.Chain(answer(24*time.Hour), llm.Retry(llm.RetryPolicy{}), llm.Timeout(llm.DefaultTimeout))
		}, sim.Infra, "timeout"},
		{"answers, then none, with the defaults", func() llm.Client {
			n := 0
			return llm.Chain(llm.Func(func(ctx context.Context, r llm.Request) (llm.Response, error) {
				if n++; n < 4 {
					return answer(time.Minute).Complete(ctx, r)
				}
				return answer(24*time.Hour).Complete(ctx, r)
			}), llm.Retry(llm.RetryPolicy{}), llm.Timeout(llm.DefaultTimeout))
		}, sim.Infra, "timeout"},
		{"errors for ever", func() llm.Client { return llm.Chain(failing, llm.Retry(llm.RetryPolicy{Attempts: 1 << 20})) }, sim.Infra, "server"},
		{"the model's own fault at the last moment", func() llm.Client {
			return llm.Func(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
				<-ctx.Done()
				return llm.Response{}, &llm.Error{Kind: llm.KindContextWindow, Message: "full"}
			})
		}, sim.ContextWindow, "context_window"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chatter := speakerFunc(func(sim.View) (sim.Turn, error) { return says("and on"), nil })
				rec := outage(t, c.client(), chatter, limit)
				ended(t, rec, c.want)
				if rec.Fault.Kind != c.kind || rec.Termination.Evaluable() == (c.want == sim.Infra) {
					t.Errorf("fault %+v, want %s", rec.Fault, c.kind)
				}
			})
		})
	}
	t.Run("cancelled by the caller while it retries", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stop := errors.New("operator stopped the run")
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Minute, func() { cancel(stop) })
			m := modelOf(llm.Chain(failing, llm.Retry(llm.RetryPolicy{Attempts: 1 << 20})), "agent")
			agent := sim.ParticipantFunc(func(ctx context.Context, v sim.View) (sim.Turn, error) {
				_, _, err := m.Ask(ctx, v.Index, nil, nil, "")
				return sim.Turn{}, err
			})
			rec, err := sim.Run(ctx, trial(t, agent, scripted(says("hi")), within(limit)))
			if err != nil {
				t.Fatal(err)
			}
			ended(t, rec, sim.Cancelled)
		})
	})
}

// TestOtherModelsAnswersDoNotCount: that the user's model answers says nothing of the agent's.
func TestOtherModelsAnswersDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := llm.Func(func(ctx context.Context, r llm.Request) (llm.Response, error) {
			if r.Tag.Role == "user" {
				return llm.Response{Attempts: 1, Message: llm.Message{Role: llm.Assistant, Content: domains.Text("hi")}}, nil
			}
			<-ctx.Done()
			return llm.Response{}, &llm.Error{Kind: llm.KindCancelled, Message: "hung", Attempts: 1}
		})
		m := modelOf(c, "user")
		m.Name = "the user's"
		rec := outage(t, c, sim.NewUser(mockWorld(t), plainTask(t), m), time.Minute)
		ended(t, rec, sim.Infra)
		if len(rec.Calls) != 2 || rec.Calls[1].Error != "cancelled" || !strings.Contains(rec.Fault.Text, "never answered") {
			t.Errorf("calls %+v, fault %+v", rec.Calls, rec.Fault)
		}
	})
}

// TestFaultTextsAreBounded: no endpoint and no part can make a record grow; a panic's trace stays whole.
func TestFaultTextsAreBounded(t *testing.T) {
	long := "begins " + strings.Repeat("é", 1<<15) + " ends"
	rec := run(t, fails(errors.New(long)), scripted(says("hi")))
	text := rec.Fault.Text
	if len(text) > 4096 || len(text) < 3900 || !strings.HasPrefix(text, "begins é") || !strings.HasSuffix(text, "é ends") || strings.ToValidUTF8(text, "?") != text {
		t.Errorf("%d bytes: %.40s … %s", len(text), text, text[max(0, len(text)-40):])
	}
	rec = run(t, speakerFunc(func(sim.View) (sim.Turn, error) { panic(long) }), scripted(says("hi")))
	value, trace, _ := strings.Cut(rec.Fault.Text, "\ngoroutine ")
	if len(value) > 4096 || !strings.Contains(trace, "outage_test.go") {
		t.Errorf("value of %d bytes, trace %.200s", len(value), trace)
	}
}
