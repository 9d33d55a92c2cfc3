package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// cut is an answer that the output limit cut off.
func cut(text string) llm.Response {
	return llm.Response{Message: llm.Message{Role: llm.Assistant, Content: domains.Text(text)}, FinishReason: "length", CutOff: true}
}

// filtered is an answer that a provider's filter ended.
func filtered(text string) llm.Response {
	r := cut(text)
	r.FinishReason, r.CutOff = "content_filter", false
	return r
}

// limitSpent is the error of an answer whose limit was spent before its first word.
var limitSpent = &llm.Error{Kind: llm.KindContextWindow, Status: 200, Code: "length", Message: "the output limit was spent"}

// TestCutOffAnswersAreNone: a question is put once more if its answer was cut off, whatever the answer says until then.
func TestCutOffAnswersAreNone(t *testing.T) {
	full := &llm.Error{Kind: llm.KindContextWindow, Status: 400, Message: "the prompt is too long"}
	const limit = "cut off at the output limit"
	for _, c := range []struct {
		name    string
		answers []any
		used    string
		kept    []string // of the answers
		err     string
	}{
		{"whole", []any{"yes"}, "yes", []string{""}, ""},
		{"cut off, then whole", []any{cut("yes"), "yes, and why"}, "yes, and why", []string{"yes", ""}, ""},
		{"cut off twice", []any{cut("yes"), cut("yes, a"), "never asked"}, "", []string{"yes", "yes, a"}, limit + "\nhint: raise the model's max_tokens"},
		{"filtered, then whole", []any{filtered("yes"), "yes, and why"}, "yes, and why", []string{"yes", ""}, ""},
		{"filtered twice", []any{filtered("yes"), filtered("yes"), "never asked"}, "", []string{"yes", "yes"}, "the provider's filter ended the answer"},
		{"of no use, then cut off", []any{"no", cut("yes")}, "", []string{"no", "yes"}, limit},
		{"cut off, then of no use", []any{cut("yes"), "no"}, "", []string{"yes", "no"}, "not a yes"},
		{"limit spent on thinking, then whole", []any{limitSpent, "yes"}, "yes", nil, ""},
		{"limit spent on thinking twice", []any{limitSpent, limitSpent, "never asked"}, "", nil, limit},
		{"the prompt is too long", []any{full, "never asked"}, "", nil, "the prompt is too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := &answering{answers: c.answers}
			used := ""
			calls, err := modelOf(model, "guard").Put(context.Background(), sim.Question{
				Use: func(answer string) error {
					if !strings.HasPrefix(answer, "yes") {
						return errors.New("not a yes")
					}
					used = answer
					return nil
				},
				Again: func(why error) (string, error) { return fmt.Sprintf("again: %v", why), nil },
			})
			if used != c.used || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("used %q, error %v; want %q, %q", used, err, c.used, c.err)
			}
			if c.kept != nil {
				var kept []string
				for _, call := range calls {
					kept = append(kept, call.Answer)
				}
				same(t, "kept answers", c.kept, kept)
			}
			if unusable := errors.As(err, new(*sim.UnusableError)); unusable != (len(model.requests) == 2 && c.err != "") {
				t.Errorf("%d requests, and unusable %v", len(model.requests), unusable)
			}
			if len(model.requests) < 2 {
				return
			}
			again := model.requests[1].Messages
			if n := len(again); n != 2 || again[0].Role != llm.Assistant || again[0].Text() == "" || !strings.HasPrefix(again[1].Text(), "again: ") || strings.Contains(again[1].Text(), "hint") {
				t.Errorf("asked again with %+v", again)
			}
		})
	}
}
