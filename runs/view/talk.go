package view

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/runs/show"
	"github.com/tauguide/tauguide/sim"
)

// step is what happened at one message of a conversation: the events before it, and then the message; without one at the
// end.
type step struct {
	Events  []bubble
	Message *bubble
}

// bubble is a message or an event.
type bubble struct {
	ID      string // anchor in the page: m3 for message 3, e12 for event 12, both from 0
	Label   string // the same for readers
	Class   string
	Who     text
	Title   text // of an event
	Body    *text
	Fold    string // says what is folded away; "" to show the body
	Open    bool
	Calls   []callLine
	Private []private
	Lines   []text
	Data    *text    // what else an event holds
	Models  []string // the model calls that it took
}

// callLine is a tool call.
type callLine struct {
	Name text
	Args []argument
	Raw  *text // arguments that are not usable, as they came
	Why  text
	Mark text // what an attack makes of it
}

type argument struct{ Name, Value text }

// private is a message that its side alone has seen.
type private struct {
	Role  text
	Body  *text
	Calls []callLine
}

// talker lays out the conversation of a record.
type talker struct {
	record sim.Record
	marks  show.Marks
	prefix string // of anchors: two conversations may stand on one page
	tools  map[string]string
	models map[int][]string
}

func newTalker(v show.View, prefix string) *talker {
	t := &talker{record: v.Record, marks: v.Attack.Marks(v.Record), prefix: prefix, tools: map[string]string{}, models: map[int][]string{}}
	for _, m := range v.Record.Messages {
		for _, c := range m.ToolCalls {
			t.tools[c.ID] = c.Name
		}
	}
	for _, c := range v.Record.Calls {
		t.models[c.Index] = append(t.models[c.Index], show.Safe(callText(c)))
	}
	return t
}

// steps are the whole conversation. Events that name no place in it stand where they can.
func (t *talker) steps() []step {
	r := t.record
	out := make([]step, len(r.Messages)+1)
	for i, m := range r.Messages {
		b := t.message(i, m)
		out[i].Message = &b
	}
	for k, e := range r.Events {
		n, ok := show.NoteOf(e, r.Events)
		if !ok {
			continue
		}
		at := min(max(e.Index, 0), len(r.Messages))
		out[at].Events = append(out[at].Events, t.event(k, e, n))
	}
	if last := len(r.Messages); len(out[last].Events) == 0 {
		out = out[:last]
	}
	return out
}

func (t *talker) message(i int, m sim.Message) bubble {
	b := bubble{ID: t.prefix + "m" + strconv.Itoa(i), Label: "message " + strconv.Itoa(i), Class: "agent", Who: textOf("agent"), Models: t.models[i]}
	if m.Side() == domains.UserSide {
		b.Class, b.Who = "user", textOf("user")
	}
	switch {
	case m.Role == domains.RoleTool:
		t.result(&b, m)
	case m.Content != nil:
		body := textOf(m.TextOf())
		b.Body = &body
	}
	for k, c := range m.ToolCalls {
		b.Calls = append(b.Calls, t.call(c, t.marks.Delivered(i, k, c)))
	}
	return b
}

// result is folded away, but for one that says what went wrong.
func (t *talker) result(b *bubble, m sim.Message) {
	b.Class += " tool"
	name := t.tools[m.ID]
	if name == "" {
		name = "a call"
	}
	what := "result of "
	if m.Error {
		b.Class += " error"
		b.Open = true
		what = "error of "
	}
	content := m.TextOf()
	b.Fold = show.Safe(fmt.Sprintf("%s%s: %s", what, excerpt(name, 80), excerpt(content, 90)))
	body := textOf(laidOut(content))
	b.Body = &body
}

func (t *talker) call(c sim.ToolCall, mark string) callLine {
	l := callLine{Name: textOf(c.Name), Mark: textOf(mark)}
	if c.Reason != "" {
		raw := textOf(c.Malformed)
		l.Raw, l.Why = &raw, textOf(c.Reason)
		return l
	}
	for name, v := range c.ArgumentsMap().All() {
		value, err := v.MarshalJSON()
		if err != nil {
			value = []byte(v.Repr())
		}
		l.Args = append(l.Args, argument{textOf(name), textOf(string(value))})
	}
	return l
}

func (t *talker) event(k int, e sim.Event, n show.Note) bubble {
	b := bubble{ID: t.prefix + "e" + strconv.Itoa(k), Label: "event " + strconv.Itoa(k), Class: "event " + eventClass(e.Kind), Title: textOf(n.Title)}
	if n.Text != "" {
		body := textOf(n.Text)
		b.Body = &body
	}
	for _, m := range n.Messages {
		p := private{Role: textOf(string(m.Role))}
		if m.HasText() {
			body := textOf(m.TextOf())
			p.Body = &body
		}
		for _, c := range m.ToolCalls {
			p.Calls = append(p.Calls, t.call(c, t.marks.Held(c)))
		}
		b.Private = append(b.Private, p)
	}
	for _, l := range n.Lines {
		b.Lines = append(b.Lines, textOf(l))
	}
	if len(e.Data) > 0 {
		if data, err := json.Marshal(e.Data); err == nil {
			told := textOf(laidOut(string(data)))
			b.Data = &told
		}
	}
	return b
}

// eventClass is how an event looks: what was told, what was refused, what was found, or anything else. Kinds are free
// text in a record and never become a class themselves.
func eventClass(k sim.EventKind) string {
	switch k {
	case "guidance", sim.EventPrivate:
		return "told"
	case "intercept", "block", "toolguard_block", "flow_reject", "flow_limit":
		return "refused"
	case "fail_open", sim.EventEmptyAnswer, sim.EventCallID, "flow_parse":
		return "odd"
	}
	return "found"
}
