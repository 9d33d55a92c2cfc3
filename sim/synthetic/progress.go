package synthetic

import (
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// state is what the conversation shows of one step.
type state struct {
	said     bool // the words of the step were said
	answered bool // and answered; for a change, with a yes
	declined int  // how often the answer was no
	attempts int  // calls made
	failed   bool // the last call failed
	slipped  bool // a call with the slip went through
	seen     int  // index of the message with the last result
}

// progress is how far a plan has come, as the agent's messages show it.
type progress struct {
	plan            *plan
	states          []state
	calls           int  // made by the agent so far
	transferred     bool // a transfer went through
	transferRefused bool // a transfer was refused
	guided          bool // the latest guidance is being followed
	lastWord        int  // index of that guidance
}

// readProgress reads the conversation. Steps are recognised by their own words and calls, wherever they are, so an
// order that mistakes or guidance have changed does no harm.
func readProgress(p *plan, msgs []llm.Message) *progress {
	w := &progress{plan: p, states: make([]state, len(p.steps))}
	calls := exchanges(msgs)
	w.calls = len(calls)
	waiting, guidance, k := -1, 0, 0
	for i, m := range msgs {
		for ; k < len(calls) && calls[k].at == i; k++ {
			w.made(calls[k])
		}
		scolded := len(p.drawn) > 0 && m.Role == llm.ToolRole && w.refusedChange(calls, i)
		switch {
		case isGuidance(i, m) || scolded:
			w.guided, w.lastWord = p.follows(guidance), i
			guidance++
		case m.Role == llm.Assistant && m.Text() != "":
			waiting = w.heard(m.Text())
		case m.Role == llm.User && waiting >= 0:
			w.answer(waiting, m.Text())
			waiting = -1
		}
	}
	return w
}

// refusedChange reports whether a message is the failure of a change. In a trial with mistakes that counts as guidance: it is
// how a guard speaks to the agent.
func (w *progress) refusedChange(calls []exchange, i int) bool {
	for _, x := range calls {
		if x.seen == i {
			return x.failed() && w.plan.input.mutates(x.call.Name)
		}
	}
	return false
}

// heard finds the step that the agent's words belong to: one that was said and is still open, else the first that was
// not said yet. -1 means none.
func (w *progress) heard(text string) int {
	fresh := -1
	for i, st := range w.plan.steps {
		if st.says == "" || !strings.Contains(text, st.says) {
			continue
		}
		if s := w.states[i]; s.said && !s.answered {
			return i
		} else if !s.said && fresh < 0 {
			fresh = i
		}
	}
	if fresh >= 0 {
		w.states[fresh].said = true
	}
	return fresh
}

// answer files the user's reply to a step.
func (w *progress) answer(i int, text string) {
	st, s := w.plan.steps[i], &w.states[i]
	switch {
	case st.call != nil && !agrees(text):
		s.declined++
	case st.part == goodbye && byePattern.MatchString(text):
		// The user is content; the question stays open.
	default:
		s.answered = true
	}
}

// made files a call: with the first step that still waits for it, or as another attempt of one that failed.
func (w *progress) made(x exchange) {
	if x.call.Name == transferTool && x.seen > 0 {
		w.transferred, w.transferRefused = !x.failed(), x.failed()
	}
	again := -1
	for i, st := range w.plan.steps {
		if st.call == nil {
			continue
		}
		slipped := false
		if !sameCall(x.call, *st.call) {
			wrong := *st.call
			wrong.Arguments = st.slip
			if slipped = !st.slip.IsNull() && sameCall(x.call, wrong); !slipped {
				continue
			}
		}
		if w.states[i].attempts == 0 {
			w.attempt(i, x, slipped)
			return
		}
		if w.states[i].failed && again < 0 {
			again = i
		}
	}
	if again >= 0 {
		w.attempt(again, x, !sameCall(x.call, *w.plan.steps[again].call))
	}
}

func (w *progress) attempt(i int, x exchange, slipped bool) {
	s := &w.states[i]
	s.attempts++
	s.failed, s.seen = x.failed(), x.seen
	s.slipped = slipped && !s.failed
}

// maxAttempts and maxQuestions bound how long the agent stays with a step that does not work out.
const (
	maxAttempts  = 2
	maxQuestions = 2
)

// done reports whether there is nothing left to do about a step. A call that failed is left at that, unless guidance
// that came after it is being followed.
func (w *progress) done(i int) bool {
	s := w.states[i]
	if w.plan.steps[i].call == nil {
		return s.answered
	}
	again := s.failed && s.attempts < maxAttempts && w.guided && w.lastWord >= s.seen
	return (s.attempts > 0 && !again) || s.declined >= maxQuestions
}

// granted reports whether the agent has given in.
func (w *progress) granted() bool {
	for i, st := range w.plan.steps {
		if s := w.states[i]; st.part == grant && s.attempts > 0 && !s.failed {
			return true
		}
	}
	return false
}
