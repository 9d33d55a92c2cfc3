package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

func (c *conversation) end(r Reason, f *Fault) {
	if f != nil && f.Kind != panicked {
		f.Text = shorten(f.Text, longestText)
	}
	c.reason, c.fault = r, f
}

// panicked is the kind of a fault whose text holds a trace, which is kept whole.
const panicked = "panic"

// How much is kept of the text of a fault, and of a model's answer to a question, in bytes.
const (
	longestText   = 4000
	longestAnswer = 64 << 10
)

// shorten cuts the middle out of a text that is too long: errors begin with their subject and end with what to do.
func shorten(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	tail := longest / 4
	head, end := text[:longest-tail-40], text[len(text)-tail:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf(" … (%d bytes left out) … ", len(text)-len(head)-len(end)) + strings.ToValidUTF8(end, "")
}

// fail turns an error of a speaker into an ending (docs/reference/tau2.md#endings). What a model's endpoint or the
// model itself did counts before the conversation's time, which only ends a call that was still in hope of an answer.
func (c *conversation) fail(ctx context.Context, side Side, err error) {
	f := &Fault{Kind: "speaker", Side: side, Index: len(c.traj), Text: err.Error()}
	var e *llm.Error
	if errors.As(err, &e) {
		f.Kind, f.RequestID = string(e.Kind), e.RequestID
	}
	timeUp := errors.Is(context.Cause(ctx), errTimeout)
	switch {
	case ctx.Err() != nil && !timeUp:
		c.end(Cancelled, f)
	case overBudget(err):
		c.end(Budget, f)
	case timeUp && (e == nil || e.Kind == llm.KindCancelled):
		c.late(f, err)
	case e != nil && c.errorOf(side) == UserFault && slices.Contains(modelFaults, e.Kind):
		c.end(UserFault, f)
	case e != nil && e.Kind == llm.KindContextWindow:
		c.end(ContextWindow, f)
	case e != nil && e.Kind == llm.KindContentFilter:
		c.end(c.errorOf(side), f)
	default:
		c.end(Infra, f)
	}
}

// modelFaults are the errors that are of a model or of what it was asked, not of the way to it.
var modelFaults = []llm.Kind{llm.KindContextWindow, llm.KindContentFilter, llm.KindMalformed}

// errorOf is how a conversation ends in which a side gave nothing that can be used.
func (c *conversation) errorOf(side Side) Reason {
	switch {
	case side == AgentSide:
		return AgentError
	case c.trial.CountUserFaults:
		return UserError
	}
	return UserFault
}

// late ends a conversation whose time was up during a call, of which nothing else is known. A model that has answered in
// this conversation was slow; one that never has was not there.
func (c *conversation) late(f *Fault, err error) {
	var call callError
	if !errors.As(err, &call) || slices.ContainsFunc(c.calls, func(m ModelCall) bool { return m.Model == call.model && m.Error == "" }) {
		c.end(Timeout, f)
		return
	}
	f.Kind, f.Text = string(llm.KindTimeout), fmt.Sprintf("model %s never answered in this conversation: %s", call.model, f.Text)
	c.end(Infra, f)
}
