package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/tauguide/tauguide/configs"
	"github.com/tauguide/tauguide/sim/llm"
	"github.com/tauguide/tauguide/sim/llm/faultserver"
)

// models loads the tables that the program ships.
func models(t testing.TB) llm.Models {
	t.Helper()
	m, err := configs.ModelTable()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// once dials the server for a single attempt.
func once(t testing.TB, srv *faultserver.Server, edit ...func(*llm.Endpoint)) llm.Client {
	t.Helper()
	e := llm.Endpoint{Name: "test", BaseURL: srv.URL, Model: "local-model", Retry: llm.RetryPolicy{Attempts: 1, RateLimited: 1}}
	for _, f := range edit {
		f(&e)
	}
	c, err := llm.Dial(e, models(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ptr[T any](v T) *T { return &v }

func user(text string) llm.Message { return llm.Message{Role: llm.User, Content: &text} }

func hello() llm.Request { return llm.Request{Messages: []llm.Message{user("hello")}} }

// ask sends a plain request and wants an answer.
func ask(t testing.TB, c llm.Client) llm.Response {
	t.Helper()
	resp, err := c.Complete(context.Background(), hello())
	if err != nil {
		t.Fatalf("Complete: %v", err)
	}
	return resp
}

// refuse sends a plain request and wants an *Error.
func refuse(t testing.TB, c llm.Client) *llm.Error {
	t.Helper()
	resp, err := c.Complete(context.Background(), hello())
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("Complete: got %+v and error %v, want an *llm.Error", resp, err)
	}
	return e
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
