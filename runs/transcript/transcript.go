package transcript

import (
	"fmt"
	"strings"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/sim"
)

// Role is who an entry of a transcript is of.
type Role string

// The roles. A gate is what a guide or a guard held back; a note is what else is known about a message.
const (
	AgentRole  Role = "agent"
	UserRole   Role = "user"
	ResultRole Role = "result"
	GuideRole  Role = "guide"
	GateRole   Role = "gate"
	NoteRole   Role = "note"
)

// Entry is a line of a transcript, which may be broken into several: something that was said, called, returned, or that
// happened in between. All texts may contain anything.
type Entry struct {
	Index int    `json:"index"` // of the message; -1 for what is in between
	Role  Role   `json:"role"`
	Brief string `json:"brief"` // what a reader needs of it; "" where that is nothing
	Whole string `json:"whole"`
	Line  bool   `json:"line,omitempty"` // each line of Brief says enough on one line of a screen, cut to its width
	Error bool   `json:"error,omitempty"`
}

// Transcript is the conversation as a list of entries.
func (c Conversation) Transcript() []Entry {
	var out []Entry
	batch := 0 // calls whose results come now
	for _, s := range c.Steps {
		for _, e := range s.Events {
			out = append(out, e.entry())
		}
		if s.Message == nil {
			continue
		}
		out = append(out, s.Message.entry(batch > 1))
		if n := len(s.Message.Calls); n > 0 {
			batch = n
		}
		out = append(out, Remarks(s.Message.ModelCalls)...)
	}
	return append(out, Remarks(c.Lost)...)
}

// entry tells a message; named says that its tool has to be named, as others were called with it.
func (m *Message) entry(named bool) Entry {
	e := Entry{Index: m.Index, Role: Role(m.Side), Error: m.Error, Whole: m.Text}
	if m.Result {
		e.Role = ResultRole
		if named && m.Tool != "" {
			e.Whole = m.Tool + ": " + m.Text
		}
	}
	e.Brief = strings.TrimSuffix(e.Whole, m.Text) + m.Brief
	if m.Brief == "" {
		e.Brief = e.Whole
	}
	if m.Wrote != nil {
		if wrote := m.Wrote.Brief(); wrote != "" && strings.HasPrefix(m.Brief, changedSince) { // by this call
			e.Brief = strings.TrimSuffix(e.Brief, m.Brief) + wrote
		} else {
			e.Brief = joinLines(e.Brief, wrote)
		}
		e.Whole = joinLines(e.Whole, m.Wrote.whole())
	}
	for _, c := range m.Calls {
		e.Whole = joinLines(e.Whole, c.line())
		e.Brief = joinLines(e.Brief, c.line())
	}
	return e
}

// line is a call with its mark, if it has one.
func (c Call) line() string { return strings.TrimSpace("→ " + c.String() + "   " + c.Mark) }

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// Remarks tell what model calls were beside what they said.
func Remarks(calls []sim.ModelCall) []Entry {
	var out []Entry
	for _, c := range calls {
		for _, r := range c.Remarks() {
			text := fmt.Sprintf("%s: %s", c.Role, r)
			out = append(out, Entry{Index: -1, Role: NoteRole, Brief: text, Whole: text})
		}
	}
	return out
}

// entry tells an event. Of a guide only what is new is told in brief; what it held back is told in any case.
func (e Event) entry() Entry {
	out := Entry{Index: -1, Role: NoteRole, Whole: e.whole()}
	out.Brief = out.Whole
	switch {
	case Stopped(e.Kind) || e.Kind == agents.EventFailOpen:
		out.Role = GateRole
	case !e.Guide:
	default:
		out.Role, out.Brief, out.Line = GuideRole, e.Brief, true
	}
	return out
}

// whole is all that an event says, its parts Indented below its title.
func (e Event) whole() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(e.Title))
	add := func(text string) {
		if strings.TrimSpace(text) != "" {
			b.WriteString("\n" + Indented(text, "  "))
		}
	}
	add(e.Text)
	for _, m := range e.Private {
		if !e.Guide {
			add(fmt.Sprintf("%s: %s", m.Role, m.Text))
		} else {
			add(m.Text)
		}
		for _, c := range m.Calls {
			add(c.line())
		}
	}
	for _, f := range e.Findings {
		add(f)
	}
	return b.String()
}

// Mark is a tick or a cross.
func Mark(ok bool) string {
	if ok {
		return "✓"
	}
	return "✗"
}
