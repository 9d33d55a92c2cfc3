package cassette_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/cassette"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// rig is a model behind a cassette.
type rig struct {
	llm.Client
	meter *llm.Meter
}

// connect dials a server through the cassette in dir.
func connect(t testing.TB, url, dir string, mode cassette.Mode, o cassette.Options) rig {
	t.Helper()
	c, err := cassette.Open(dir, mode, o)
	if err != nil {
		t.Fatal(err)
	}
	e := llm.Endpoint{Name: "m", BaseURL: url, Key: "sk-planted-1234", Model: "local-model", Retry: llm.RetryPolicy{Attempts: 1, RateLimited: 1}}
	table, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	d := llm.Dialer{Models: table, Meter: &llm.Meter{}}
	client, err := d.Dial(e, c.Wrap(cassette.Model{Endpoint: e, Identity: "a server"}))
	if err != nil {
		t.Fatal(err)
	}
	return rig{client, d.Meter}
}

func request(trial, ordinal int, texts ...string) llm.Request {
	req := llm.Request{Tag: llm.Tag{Domain: "mock", System: "A", Task: "t [1]", Trial: trial, Role: "agent", Ordinal: ordinal}}
	for i, text := range texts {
		role := llm.User
		if i == 0 {
			role = llm.System
		}
		req.Messages = append(req.Messages, llm.Message{Role: role, Content: &text})
	}
	return req
}

func said(r llm.Response) string { return r.Message.Text() }

// counting answers each request with its number.
func counting(n int, _ faultserver.Request) faultserver.Reply {
	return faultserver.Text(fmt.Sprint("answer ", n))
}

func complete(t testing.TB, c llm.Client, req llm.Request) llm.Response {
	t.Helper()
	resp, err := c.Complete(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func refused(t testing.TB, c llm.Client, req llm.Request) *llm.Error {
	t.Helper()
	resp, err := c.Complete(t.Context(), req)
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("answer %q and error %v, want an *llm.Error", said(resp), err)
	}
	return e
}

// TestReplayIsTheRecording plays back every field of an answer without a single
// request, at no cost.
func TestReplayIsTheRecording(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.New(t,
		faultserver.Message(`{"role":"assistant","content":null,"reasoning":"<hm> & \u2028","tool_calls":[{"id":7,"type":"function","function":{"name":"f","arguments":"{\"n\": 12345678901234567890"},"extra_content":{"g":1.50}}]}`, "tool_calls").With("X-Request-Id", "req-1"),
		faultserver.Text("second"))
	first := connect(t, srv.URL, dir, cassette.Record, cassette.Options{})
	var recorded []llm.Response
	for i := range 2 {
		recorded = append(recorded, complete(t, first, request(0, i, "policy", "hi")))
	}
	again := connect(t, "http://127.0.0.1:1/v1", dir, cassette.Replay, cassette.Options{})
	for i, want := range recorded {
		want.Raw, want.Replayed, want.Elapsed = nil, true, 0
		got := complete(t, again, request(0, i, "policy", "hi"))
		got.Elapsed = 0
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("answer %d (-recorded +replayed):\n%s", i, diff)
		}
	}
	total := again.meter.Total()
	if total.Calls != 0 || total.Attempts != 0 || total.PromptTokens != 0 || total.Replayed != 2 || total.WouldTokens != 30 {
		t.Errorf("the meter of the replay: %+v", total)
	}
	if total := first.meter.Total(); total.Calls != 2 || total.Replayed != 0 || total.PromptTokens != 20 {
		t.Errorf("the meter of the recording: %+v", total)
	}
}

// TestTrialsShareNothing: what is asked in four trials, by two systems, in two
// roles and twice in a trial is asked each time, and never again; an attempt more
// is answered from the recordings.
func TestTrialsShareNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.NewFunc(t, counting)
	var requests []llm.Request
	for trial := range 4 {
		for ordinal := range 2 {
			requests = append(requests, request(trial, ordinal, "policy"))
		}
	}
	for _, change := range []func(*llm.Tag){func(t *llm.Tag) { t.System = "B" }, func(t *llm.Tag) { t.Role = "user" }, func(t *llm.Tag) { t.Task = "t (1)" },
		func(t *llm.Tag) { t.Domain = "x" }, func(t *llm.Tag) { t.RunSeed = 7 }, func(t *llm.Tag) { t.Salt = "s" }, func(t *llm.Tag) { t.Sample = 1 }} {
		req := request(0, 0, "policy")
		change(&req.Tag)
		requests = append(requests, req)
	}
	answers := map[string]int{}
	for round := range 3 {
		c := connect(t, srv.URL, dir, cassette.Record, cassette.Options{}) // a new process each time
		for i, req := range requests {
			req.Tag.Attempt = round
			got := said(complete(t, c, req))
			if n, seen := answers[got]; seen && n != i {
				t.Errorf("%q answers both request %d and %d", got, n, i)
			}
			answers[got] = i
		}
	}
	if n := len(srv.Requests()); n != len(requests) {
		t.Errorf("%d requests were made, want %d", n, len(requests))
	}
}

// TestSetupIsPartOfTheQuestion: another identity of the model, parameter, tool or
// message is another question.
func TestSetupIsPartOfTheQuestion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := faultserver.NewFunc(t, counting)
	base := request(0, 0, "policy "+strings.Repeat("long ", 500)+"end", "hi there")
	base.Tools = []llm.Tool{{Name: "f"}}
	temperature, zero := 0.0, 0.5
	base.Temperature = &temperature
	complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{}), base)
	replay := connect(t, srv.URL, dir, cassette.Replay, cassette.Options{})
	for _, c := range []struct {
		name string
		edit func(*llm.Request)
		want string
	}{
		{"other trial", func(r *llm.Request) { r.Tag.Trial = 3 }, "call 0 of the agent in trial mock/A/t [1]/3: nothing is recorded of this trial (no mock.A.t__1_.3."},
		{"other role", func(r *llm.Request) { r.Tag.Role = "judge" }, "call 0 of the judge in trial mock/A/t [1]/0: no call of the judge is recorded"},
		{"other number", func(r *llm.Request) { r.Tag.Ordinal = 1 }, "call 1 of the agent in trial mock/A/t [1]/0: 1 calls of the agent are recorded, none with this number; call 0 is the same otherwise"},
		{"parameter", func(r *llm.Request) { r.Temperature = &zero }, "it is recorded with another request, which had temperature 0, now 0.5"},
		{"no parameter", func(r *llm.Request) { r.Temperature = nil }, "had temperature 0, now absent"},
		{"model", func(r *llm.Request) { r.Model = "other" }, `had model "local-model", now "other"`},
		{"tools", func(r *llm.Request) { r.Tools[0].Name = "g" }, "offered other tools"},
		{"message", func(r *llm.Request) { r.Messages[1].Content = ptr("hi here") }, `had another message 1: recorded "{\"role\":\"user\",\"content\":\"hi there\"}", now "{\"role\":\"user\",\"content\":\"hi here\"}"`},
		{"long message", func(r *llm.Request) {
			r.Messages[0].Content = ptr(strings.Replace(*r.Messages[0].Content, "end", "END", 1))
		}, `had another message 0: recorded "long`},
		{"one message more", func(r *llm.Request) { r.Messages = append(r.Messages, r.Messages[1]) }, "had 2 messages, now 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := base
			req.Messages, req.Tools = append([]llm.Message(nil), base.Messages...), []llm.Tool{{Name: "f"}}
			c.edit(&req)
			e := refused(t, replay, req)
			if e.Kind != llm.KindCassette || e.Code != cassette.CodeMissing || e.Retryable() || !strings.Contains(e.Error(), c.want) {
				t.Errorf("error %q, want %q", e.Error(), c.want)
			}
		})
	}
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("%d requests, want 1: replay went to the network", n)
	}
}

func ptr[T any](v T) *T { return &v }

// TestVerifyDemandsEquality asks again and compares what counts.
func TestVerifyDemandsEquality(t *testing.T) {
	t.Parallel()
	const full = `{"role":"assistant","content":%q,"tool_calls":[{"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}]}`
	message := func(content, id, name, arguments string) faultserver.Reply {
		return faultserver.Message(fmt.Sprintf(full, content, id, name, arguments), "tool_calls")
	}
	for _, c := range []struct {
		name  string
		reply faultserver.Reply
		want  string // "" for equal
	}{
		{"same", message("x", "c1", "f", `{"a":1}`), ""},
		{"other id, other white space", message("x", "c2", "f", `{"a": 1}`), ""},
		{"text", message("y", "c1", "f", `{"a":1}`), `text: recorded "x", now "y"`},
		{"tool", message("x", "c1", "g", `{"a":1}`), `tool call 0: recorded "f", now "g"`},
		{"arguments", message("x", "c1", "f", `{"a":2}`), "arguments of tool call 0"},
		{"no call", faultserver.Text("x"), "recorded 1 tool calls, now 0"},
		{"overflow", faultserver.Error(400, "", "context_length_exceeded", "", "long"), "recorded an answer, now error context_window"},
		{"server fault", faultserver.Status(500, "boom"), "boom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			srv := faultserver.New(t, message("x", "c1", "f", `{"a":1}`), c.reply)
			complete(t, connect(t, srv.URL, dir, cassette.Record, cassette.Options{}), request(0, 0, "p"))
			v := connect(t, srv.URL, dir, cassette.Verify, cassette.Options{})
			if e := refused(t, v, request(1, 0, "p")); e.Code != cassette.CodeMissing {
				t.Errorf("what is not recorded: %v", e)
			}
			if c.want == "" {
				if complete(t, v, request(0, 0, "p")).Replayed {
					t.Error("nobody was asked")
				}
				return
			}
			e := refused(t, v, request(0, 0, "p"))
			if !strings.Contains(e.Error(), c.want) || (e.Kind == llm.KindCassette) != (c.name != "server fault") {
				t.Errorf("error %q, want %q", e.Error(), c.want)
			}
		})
	}
}

// TestFailuresOnTape: what ends a conversation is recorded, what passes is not.
func TestFailuresOnTape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		bad  faultserver.Reply
		kept bool
	}{
		{"context", faultserver.Error(400, "", "context_length_exceeded", "messages", "too long"), true},
		{"filter", faultserver.Error(400, "", "content_filter", "", "filtered"), true},
		{"server", faultserver.Status(503, "busy"), false},
		{"limit", faultserver.Status(429, "slow"), false},
		{"quota", faultserver.Status(402, "pay"), false},
		{"key", faultserver.Status(401, "who"), false},
		{"garbage", faultserver.Raw("<html>"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			srv := faultserver.New(t, c.bad, faultserver.Text("well"))
			record := connect(t, srv.URL, dir, cassette.Record, cassette.Options{})
			was := refused(t, record, request(0, 0, "p"))
			if !c.kept {
				if got := said(complete(t, record, request(0, 0, "p"))); got != "well" {
					t.Errorf("then %q", got)
				}
				return
			}
			again := refused(t, connect(t, "http://127.0.0.1:1/v1", dir, cassette.Replay, cassette.Options{}), request(0, 0, "p"))
			if again.Kind != was.Kind || again.Message != was.Message || again.Attempts != 0 || !again.Replayed {
				t.Errorf("recorded %v, replayed %v with %d attempts", was, again, again.Attempts)
			}
			refused(t, record, request(0, 0, "p"))
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}
