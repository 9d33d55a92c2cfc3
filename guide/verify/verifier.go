package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/sim"
	"github.com/tauguide/tauguide/sim/llm"
)

// Role is the part that a verifier's model plays in tags and bills.
const Role = "guide"

// Input is what a verifier judges.
type Input struct {
	Messages []domains.Message // the conversation as the agent saw it, without private messages
	Trace    *guide.Trace      // of those messages
	State    State
	Refused  []Refusal // the calls that were intercepted just now
	Index    int       // of the trajectory message that is to come
	// Check says what a model should hear about a record that can be used, and be asked for once more; nil asks nothing.
	Check func(Record) error
}

// Answer is what a verifier says.
type Answer struct {
	Record Record
	Raw    string          // the model's words, "" if none was asked
	Calls  []sim.ModelCall // also of a verifier that failed
	Reask  string          // why the model was asked a second time
}

// Verifier judges a conversation. The error is one to fail open on; it is never the conversation's own end, for which
// see Ends.
type Verifier interface {
	Verify(ctx context.Context, in Input) (Answer, error)
}

// Judge is a verifier that can decide a call at the moment it is made.
type Judge interface {
	// Call reports whether code authorizes the call now; known is false where code cannot tell.
	Call(in Input, c domains.ToolCall) (ok, known bool, why string)
}

// Kind names a verifier (docs/policyguide.md).
type Kind string

// The verifiers.
const (
	ByModel Kind = "llm"
	Mixed   Kind = "hybrid"
	ByCode  Kind = "deterministic"
)

// Verifier makes a verifier of the workflow. One by code has no model. raw has a model judge by the policy's text in
// place of the workflow; timeout bounds one firing, 0 is none. The error is of checks that cannot be used.
func (s *Workflow) Verifier(kind Kind, model *sim.Model, raw bool, timeout time.Duration) (Verifier, error) {
	asking := LLM{Workflow: s, Model: model, Raw: raw, Timeout: timeout}
	if kind == ByModel {
		return &asking, nil
	}
	if _, err := s.Checker(); err != nil {
		return nil, fmt.Errorf("workflow of %s: %w", s.World.Name, err)
	}
	if kind == Mixed {
		return &Hybrid{LLM: asking}, nil
	}
	return &Deterministic{Workflow: s}, nil
}

// LLM asks a model (paper, section 3.4). It belongs to one conversation.
type LLM struct {
	Workflow *Workflow
	Model    *sim.Model // in the role of the verifier
	Raw      bool       // the raw policy in place of the workflow
	// Timeout bounds one firing; 0 is none.
	Timeout time.Duration
}

// Verify asks the model, and once more if the answer holds no record, was cut off, or holds a record that does not pass
// the input's check.
func (v *LLM) Verify(ctx context.Context, in Input) (Answer, error) {
	return v.ask(ctx, in, "", func(*Record) {})
}

// ask has the model judge. What code corrects in a record it corrects before the record is checked.
func (v *LLM) ask(ctx context.Context, in Input, verdicts string, correct func(*Record)) (Answer, error) {
	text, err := task(in, verdicts)
	if err != nil {
		return Answer{}, err
	}
	firing := ctx
	if v.Timeout > 0 {
		var cancel context.CancelFunc
		firing, cancel = context.WithTimeoutCause(ctx, v.Timeout, fmt.Errorf("the verifier has not answered within %s", v.Timeout))
		defer cancel()
	}
	prefix := v.Workflow.Prefix(v.Raw)
	msgs := []llm.Message{{Role: llm.System, Content: &prefix}, {Role: llm.User, Content: &text}}
	var out Answer
	usable := false
	out.Calls, err = v.Model.Put(firing, sim.Question{Index: in.Index, Messages: msgs,
		Use: func(said string) error {
			rec, err := Parse(said)
			switch {
			case err == nil:
				v.Workflow.align(&rec, in.State, v.Raw)
				correct(&rec)
				out.Record, out.Raw, usable = rec, said, true
				if in.Check != nil {
					err = in.Check(rec)
				}
			case !usable:
				out.Raw = said
			}
			return err
		},
		Again: func(why error) (string, error) {
			out.Reask = why.Error()
			var b strings.Builder
			err := templates().ExecuteTemplate(&b, "again.tmpl", map[string]string{"Error": out.Reask})
			return b.String(), err
		},
	})
	if err != nil && usable && !Ends(ctx, err) {
		return out, nil // a record with gaps is better than none
	}
	if err != nil {
		err = cause(firing, err)
	}
	return out, err
}

// cause prefers why a context ended to the bare fact.
func cause(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", why, err)
	}
	return err
}

// Ends reports whether an error of a verifier ends the conversation rather than the firing: the caller's own context is
// over, or the run may not spend more.
func Ends(ctx context.Context, err error) bool {
	var b interface{ Budget() bool }
	return ctx.Err() != nil || errors.As(err, &b) && b.Budget()
}
