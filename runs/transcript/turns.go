package transcript

import (
	"fmt"
	"slices"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/sim"
)

// Sign is something about a turn that a reader looks for.
type Sign string

// The signs, in the order in which a turn has them.
const (
	Guided      Sign = "guidance"
	Intercepted Sign = "intercept"
	FailedCall  Sign = "failed call"
	Writing     Sign = "write"
	EmptyAnswer Sign = "empty answer"
	CutOff      Sign = "cut-off"
)

// Mark is a character for a sign, which can be told from the others without colours.
func (s Sign) Mark() string {
	return map[Sign]string{Guided: "◆", Intercepted: "⊘", FailedCall: "✗", Writing: "✎", EmptyAnswer: "∅", CutOff: "✂"}[s]
}

// Signs are all signs, with their characters the legend of an index.
func Signs() []Sign {
	return []Sign{Guided, Intercepted, FailedCall, Writing, EmptyAnswer, CutOff}
}

// Turn is a line of the index of a conversation: a message and what happened before it, or what happened at the end.
type Turn struct {
	ID    string // of the place of the message, m12, or of the last event, e5
	Pos   int    // its position
	Who   string // whose the message is, or the tool that it calls or is a result of
	Call  bool   // the message is a tool call or a result
	Signs []Sign
}

// mostName is how many characters of a tool's name an index shows.
const mostName = 40

// Turns are the index of a conversation, a turn for each step.
func (c Conversation) Turns() []Turn {
	out := make([]Turn, len(c.Steps))
	for i, s := range c.Steps {
		out[i] = s.turn()
	}
	return out
}

func (s Step) turn() Turn {
	has := map[Sign]bool{}
	t := Turn{Who: "end"}
	for _, e := range s.Events {
		t.ID, t.Pos = e.ID(), e.Pos
		has[Guided] = has[Guided] || e.Kind == agents.EventGuidance || e.Kind == sim.EventPrivate
		has[Intercepted] = has[Intercepted] || Stopped(e.Kind)
		has[EmptyAnswer] = has[EmptyAnswer] || e.Kind == sim.EventEmptyAnswer
	}
	if m := s.Message; m != nil {
		t.ID, t.Pos, t.Who, t.Call = m.ID(), m.Pos, m.Side, m.Result || len(m.Calls) > 0
		switch {
		case m.Result:
			t.Who = "← " + Clipped(m.Tool, mostName)
		case t.Call:
			t.Who = "→ " + Clipped(m.Calls[0].Name, mostName)
		}
		has[FailedCall] = m.Error
		has[Writing] = m.Wrote != nil && !m.Error
		has[CutOff] = slices.ContainsFunc(m.ModelCalls, sim.ModelCall.WasCutOff)
	}
	t.Signs = slices.DeleteFunc(Signs(), func(s Sign) bool { return !has[s] })
	return t
}

// What one page shows of a conversation: more takes too long to load and to find one's way in.
const (
	mostSteps = 200
	mostBytes = 400_000
)

// Parts divide a conversation into stretches that each fit on a page: the steps that they begin at. A conversation of
// ordinary length is one part.
func (c Conversation) Parts() []int {
	out := []int{0}
	steps, bytes := 0, 0
	for i, s := range c.Steps {
		n := s.size()
		if steps == mostSteps || steps > 0 && bytes+n > mostBytes {
			out, steps, bytes = append(out, i), 0, 0
		}
		steps++
		bytes += n
	}
	return out
}

// size is about how many bytes of texts are shown of a step.
func (s Step) size() (n int) {
	add := func(texts []string) {
		for _, t := range texts {
			n += min(len(t), MostShown)
		}
	}
	for _, e := range s.Events {
		add(e.texts())
	}
	if s.Message != nil {
		add(s.Message.texts())
	}
	return n
}

func (m *Message) texts() []string { return append([]string{m.Text}, textsOf(m.Calls)...) }

func (e *Event) texts() []string {
	out := append([]string{e.Title, e.Text}, e.Findings...)
	for _, p := range e.Private {
		out = append(append(out, p.Text), textsOf(p.Calls)...)
	}
	return out
}

func textsOf(calls []Call) (out []string) {
	for _, c := range calls {
		out = append(out, c.Name, c.Malformed, c.Reason)
		for _, a := range c.Arguments {
			out = append(out, a.Name, a.Value)
		}
	}
	return out
}

// ID names the place of a message: m12.
func (m *Message) ID() string { return fmt.Sprintf("m%d", m.Index) }

// ID names the place of an event: e5.
func (e Event) ID() string { return fmt.Sprintf("e%d", e.Number) }

// String names a message for readers, as a link to it does.
func (m *Message) String() string { return fmt.Sprintf("message %d", m.Index) }

// String names an event for readers, as a link to it does.
func (e Event) String() string { return fmt.Sprintf("event %d", e.Number) }

// IDs are the places of a step.
func (s Step) IDs() []string { return s.places(func([]string) bool { return true }) }

// Long are the places of a step that have a text which is too long to be shown whole.
func (s Step) Long() []string {
	return s.places(func(texts []string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return len(t) > MostShown })
	})
}

func (s Step) places(chosen func(texts []string) bool) (out []string) {
	for _, e := range s.Events {
		if chosen(e.texts()) {
			out = append(out, e.ID())
		}
	}
	if s.Message != nil && chosen(s.Message.texts()) {
		out = append(out, s.Message.ID())
	}
	return out
}

// Whole is all that was said at a place of the conversation, m12 or e5; ok is false where there is none.
func (c Conversation) Whole(id string) (text string, ok bool) {
	for _, s := range c.Steps {
		for _, e := range s.Events {
			if id == e.ID() {
				return e.whole(), true
			}
		}
		if m := s.Message; m != nil && id == m.ID() {
			return m.entry(false).Whole, true
		}
	}
	return "", false
}
