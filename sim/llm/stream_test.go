package llm_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

const delta = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"cancel_parcel","arguments":"{\"id\": \"P-"}}]}}]}` + "\n\n"

func stream(body string) faultserver.Reply {
	return faultserver.Raw(body).With("Content-Type", "text/event-stream")
}

// neverAccepted checks that a stream, which nobody asked for, is no answer: it is
// tried again, what follows is the answer, and where it stays it is an error of
// the kind and words given.
func neverAccepted(t *testing.T, body string, kind llm.Kind, words string) {
	t.Helper()
	patient := func(e *llm.Endpoint) {
		e.Retry = llm.RetryPolicy{Attempts: 3, FirstWait: time.Millisecond, MaxWait: time.Millisecond}
	}
	srv := faultserver.New(t, stream(body), stream(body), faultserver.Text("whole"))
	resp, err := once(t, srv, patient).Complete(context.Background(), hello())
	if err != nil || resp.Message.Text() != "whole" || resp.Attempts != 3 || len(resp.Message.ToolCalls) != 0 {
		t.Errorf("answer %+v, error %v", resp, err)
	}
	e := refuse(t, once(t, faultserver.New(t, stream(body))))
	if e.Kind != kind || !e.Retryable() || !strings.Contains(e.Message, words) {
		t.Errorf("%s, retryable %t, want %s with %q: %v", e.Kind, e.Retryable(), kind, words, e)
	}
}

// TestStreamsAreNeverRequested looks at the body of every kind of request.
func TestStreamsAreNeverRequested(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"local-model", "gpt-5-mini", "o3", "claude-sonnet-4-5", "gemini-2.5-pro", "deepseek-chat"} {
		srv := faultserver.New(t, faultserver.Text("ok"))
		if _, err := once(t, srv, func(e *llm.Endpoint) { e.Model = model }).Complete(context.Background(), fullRequest()); err != nil {
			t.Fatal(err)
		}
		var body map[string]json.RawMessage
		if err := json.Unmarshal(srv.Last(t).Body, &body); err != nil {
			t.Fatal(err)
		}
		if v, there := body["stream"]; there && string(v) != "false" {
			t.Errorf("%s: stream is %s", model, v)
		}
		if h := srv.Last(t).Header.Get("Accept"); strings.Contains(h, "event-stream") {
			t.Errorf("%s: accepts %s", model, h)
		}
	}
	req := hello()
	req.Extra = map[string]json.RawMessage{"stream": raw("true")}
	if _, err := once(t, faultserver.New(t)).Complete(context.Background(), req); err == nil {
		t.Error("a request for a stream went out")
	}
}

// TestC22StreamThatEndsEarly: without [DONE], in the middle of a line.
func TestC22StreamThatEndsEarly(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"without end": delta, "within a line": delta[:len(delta)-30], "whole": delta + "data: [DONE]\n\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			neverAccepted(t, body, llm.KindMalformed, "event stream")
		})
	}
}

// TestC23ErrorWithinAStream: the error is reported with its words and sorted by
// its code; what came before it is dropped.
func TestC23ErrorWithinAStream(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		kind       llm.Kind
		words      string
	}{
		{"in a chunk", delta + `data: {"id":"g","error":{"code":502,"message":"Provider disconnected"},"choices":[{"finish_reason":"error"}]}` + "\n\n", llm.KindServer, "Provider disconnected"},
		{"an event of its own", delta + "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", llm.KindServer, "Overloaded"},
		{"a rate limit", "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n", llm.KindRateLimit, "slow down"},
		{"at the cut-off end", delta + `data: {"error":{"code":503,"message":"gone"}}`, llm.KindServer, "gone"},
		{"no stream at all", `{"error":{"code":503,"message":"busy"}}`, llm.KindServer, "busy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			neverAccepted(t, c.body, c.kind, c.words)
		})
	}
}

// TestC24KeepAliveComments: they make a stream no answer and are not counted as
// anything else.
func TestC24KeepAliveComments(t *testing.T) {
	t.Parallel()
	neverAccepted(t, strings.Repeat(": keep-alive\n\n", 400)+delta+"data: [DONE]\n\n", llm.KindMalformed, "event stream")
	neverAccepted(t, strings.Repeat(": OPENROUTER PROCESSING\n\n", 400)+"data: {\"error\":{\"code\":502,\"message\":\"lost\"}}\n\n", llm.KindServer, "lost")
}

// TestC25OddDeltas: null indices, data without a space, CRLF, data over several
// lines: none of it is put together.
func TestC25OddDeltas(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"null index":          `data: {"choices":[{"delta":{"tool_calls":[{"index":null,"id":"","function":{"arguments":"{}"}}]}}]}` + "\n\n",
		"no space":            `data:{"choices":[]}` + "\n\n",
		"CRLF":                "data: {\"choices\":[]}\r\n\r\ndata: [DONE]\r\n\r\n",
		"usage alone":         `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}` + "\n\n",
		"data on three lines": "data: {\"choices\":\ndata: []\ndata: }\n\n",
		"id first":            "id: 7\nretry: 100\ndata: {\"choices\":[]}\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			neverAccepted(t, body, llm.KindMalformed, "event stream")
		})
	}
}
