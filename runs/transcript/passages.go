package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/sim"
)

// MostShown is how many bytes of one text are shown; the record has the rest.
const MostShown = 100_000

// Cut is what is shown of a text, and how many bytes are left out.
func Cut(s string) (shown string, left int) {
	at := min(len(s), MostShown)
	for at < len(s) && at > MostShown-utf8.UTFMax && !utf8.RuneStart(s[at]) { // not within a character
		at--
	}
	return s[:at], len(s) - at
}

// LaidOut breaks JSON into lines; other texts stay as they are, and so does what would take too much room. Numbers and
// texts keep their spelling.
func LaidOut(s string) string {
	if roomFor(s) > MostShown {
		return s
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(strings.TrimSpace(s)), "", "  ") != nil {
		return s
	}
	return b.String()
}

// roomFor is about how long JSON gets in lines that are indented by two for each level. A few bytes can ask for a lot.
func roomFor(s string) int {
	n, depth, quoted := len(s), 0, false
	for i := 0; i < len(s) && n <= MostShown; i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			n += 1 + 2*depth
		case c == '}' || c == ']':
			depth = max(0, depth-1)
			n += 1 + 2*depth
		case c == ',':
			n += 1 + 2*depth
		}
	}
	return n
}

// Passage is what an event or a message says, as texts that stand by themselves: what of a conversation can be searched.
type Passage struct {
	Event  bool
	Number int // of the message, or of the event among those of the record
	Texts  []string
}

// ID is its place on a page: m12, e5.
func (p Passage) ID() string {
	if p.Event {
		return "e" + strconv.Itoa(p.Number)
	}
	return "m" + strconv.Itoa(p.Number)
}

// String names it in words.
func (p Passage) String() string {
	if p.Event {
		return "event " + strconv.Itoa(p.Number)
	}
	return "message " + strconv.Itoa(p.Number)
}

// Passages are the texts of a record in the order of their display. What is shown of a text that is too long is there,
// and the rest is not, so that whatever is found in one is seen.
func Passages(r sim.Record) []Passage {
	var out []Passage
	for _, s := range layOut(Trial{Record: r}, nil) {
		for _, e := range s.Events {
			out = append(out, e.passage())
		}
		if s.Message != nil {
			out = append(out, s.Message.passage())
		}
	}
	return out
}

func (p *Passage) add(texts ...string) {
	for _, text := range texts {
		if shown, _ := Cut(text); shown != "" {
			p.Texts = append(p.Texts, Safe(shown))
		}
	}
}

func (m *Message) passage() Passage {
	p := Passage{Number: m.Index}
	if m.Result {
		p.add(LaidOut(m.Text))
	} else {
		p.add(m.Text)
	}
	p.addCalls(m.Calls)
	return p
}

func (e *Event) passage() Passage {
	p := Passage{Event: true, Number: e.Number}
	p.add(e.Title, e.Text)
	for _, m := range e.Private {
		p.add(m.Text)
		p.addCalls(m.Calls)
	}
	p.add(e.Findings...)
	return p
}

func (p *Passage) addCalls(calls []Call) {
	for _, c := range calls {
		if c.Reason != "" {
			p.add(c.Name, c.Malformed, c.Reason)
			continue
		}
		p.add(c.Name)
		for _, a := range c.Arguments {
			p.add(a.Name + ": " + a.Value)
		}
	}
}

// Called are the tools that a record calls, sorted.
func Called(r sim.Record) []string {
	var out []string
	for _, m := range r.Messages {
		for _, c := range m.ToolCalls {
			out = append(out, c.Name)
		}
	}
	return unique(out)
}

// StoppedAt are the places at which a guide or a guard stopped the agent, sorted: the nodes at which the guide's open
// requests were, and the tools whose calls were held back.
func StoppedAt(r sim.Record) []string {
	var out []string
	var open []verify.Request
	for _, e := range r.Events {
		var f firing
		var i interception
		switch {
		case e.Kind == sim.EventFiring && decode(e.Data, &f):
			open = f.After.Requests
		case Stopped(e.Kind):
			for _, q := range open {
				if q.Status == verify.Open {
					out = append(out, q.Node)
				}
			}
			if decode(e.Data, &i) {
				for _, refused := range i.Refusals {
					out = append(out, refused.Tool)
				}
				out = append(out, i.Tool)
			}
		}
	}
	return unique(out)
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
}
