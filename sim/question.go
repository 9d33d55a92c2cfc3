package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// Question is put to a model until an answer can be used, at most twice.
type Question struct {
	Index    int // of the trajectory message that it is asked for
	Messages []llm.Message
	// Use reads an answer. Its error is told to the model, which is then asked again. An answer that the output limit cut
	// off is none and never gets here: what a model says last is what counts.
	Use func(answer string) error
	// Again words the second request.
	Again func(why error) (string, error)
	// Keep has the calls keep each answer, not only those that could not be used.
	Keep bool
}

// UnusableError says why the second of two answers could not be used.
type UnusableError struct{ Err error }

func (e *UnusableError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnusableError) Unwrap() error { return e.Err }

var (
	errCutOff   = errors.New("the answer was cut off at the output limit")
	errFiltered = errors.New("the provider's filter ended the answer")
)

// CutOff is an error if a filter or the output limit ended the answer of a call, or ended it before its first word, which is the
// error that the call came with.
func CutOff(c ModelCall, err error) error {
	var e *llm.Error
	switch {
	case err == nil && c.CutOff, errors.As(err, &e) && e.CutOff():
		return errCutOff
	case err == nil && llm.Filtered(c.Finish):
		return errFiltered
	}
	return nil
}

// Put asks. It returns the calls, and the client's error or, after two answers that could not be used, an
// *UnusableError.
func (m *Model) Put(ctx context.Context, q Question) (calls []ModelCall, err error) {
	msgs := slices.Clip(q.Messages)
	for second := false; ; second = true {
		answer, call, err := m.Ask(ctx, q.Index, msgs, nil, "")
		said := answer.TextOf()
		switch cut := CutOff(call, err); {
		case cut != nil:
			err = cut
		case err != nil:
			return append(calls, call), err
		default:
			err = q.Use(said)
		}
		if err != nil || q.Keep {
			call.Answer = shorten(said, longestAnswer)
		}
		calls = append(calls, call)
		switch {
		case err == nil:
			return calls, nil
		case second && err == errCutOff:
			return calls, &UnusableError{fmt.Errorf("%w\nhint: raise the model's max_tokens, or lower its reasoning_effort", err)}
		case second:
			return calls, &UnusableError{err}
		}
		again, failed := q.Again(err)
		if failed != nil {
			return calls, failed
		}
		if strings.TrimSpace(said) == "" {
			said = "(nothing)" // some servers refuse a message without text
		}
		msgs = append(msgs, llm.Message{Role: llm.Assistant, Content: &said}, llm.Message{Role: llm.User, Content: &again})
	}
}
