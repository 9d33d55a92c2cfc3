package synthetic

import (
	"context"
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim/llm"
)

// Agent is the scripted agent, and speaks for it in other protocols too, given the conversation as a tool-calling agent
// sees it: it takes the next step of the plan that the conversation does not show as done.
func Agent(_ context.Context, s Input) (llm.Message, error) {
	p, err := s.plans.of(s)
	if err != nil {
		return llm.Message{}, err
	}
	w := readProgress(p, s.Request.Messages)
	if w.transferred {
		return w.leave()
	}
	made := p.drawn
	if w.guided {
		made = nil
	}
	order := p.order(made, w.granted())
	next, done := -1, 0
	for _, i := range order {
		switch {
		case w.done(i):
			done++
		case next < 0:
			next = i
		}
	}
	if _, can := s.World.Agent.Tool(transferTool); can && made[giveUp] && !w.transferRefused && done == p.point() {
		return w.act(invoke(transferTool, arg("summary", "The customer needs help that goes beyond this conversation.")))
	}
	if next < 0 {
		return w.leave()
	}
	return w.take(next)
}

// take takes one step.
func (w *progress) take(i int) (llm.Message, error) {
	st := w.plan.steps[i]
	careless := i == w.plan.careless && !w.guided
	switch {
	case st.call == nil && st.part == goodbye:
		return Say(w.summary() + closing), nil
	case st.call == nil && st.part == report:
		return Say(reportLead + " " + w.summary()), nil
	case st.call == nil:
		return Say(st.says), nil
	case st.says != "" && !careless && !w.states[i].answered:
		return Say(st.says + " " + st.caution + consentAsk), nil
	}
	c := *st.call
	if careless && !st.slip.IsNull() {
		c.Arguments = st.slip
	}
	return w.act(c)
}

// leave ends the agent's part: the sentence that follows a transfer, or the last question once more; a solo agent
// says that it is done.
func (w *progress) leave() (llm.Message, error) {
	switch {
	case w.plan.solo:
		return w.act(domains.ToolCall{Name: doneTool, Arguments: value.OfMap(nil)})
	case w.transferred:
		return Say(handoff), nil
	}
	return Say(closing), nil
}

func (w *progress) act(c domains.ToolCall) (llm.Message, error) {
	return do(fmt.Sprintf("call_a%d", w.calls+1), c), nil
}

// summary tells what the user is to know: the facts of the task, and the outcomes that were reached.
func (w *progress) summary() string {
	c := w.plan.input.Task.Criteria
	if c == nil {
		return ""
	}
	var b strings.Builder
	if len(c.CommunicateInfo) > 0 {
		fmt.Fprintf(&b, "For your information: %s. ", strings.Join(c.CommunicateInfo, "; "))
	}
	if w.flawless() {
		for _, n := range c.NLAssertions {
			fmt.Fprintf(&b, "Done: %s ", n)
		}
	}
	return b.String()
}

// flawless reports whether every change of the plan was made as it should be, and nothing else was.
func (w *progress) flawless() bool {
	refused := false
	for i, st := range w.plan.steps {
		state := w.states[i]
		switch {
		case st.part == refuse:
			refused = refused || state.answered
		case st.part == gold && st.call != nil && st.changes && (state.attempts == 0 || state.failed || state.slipped):
			return false
		case st.part == gold && st.call == nil && !state.answered:
			return false
		}
	}
	return !w.granted() && (refused || len(w.plan.input.Task.Temptation) == 0)
}
