package transcript

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/tidwall/gjson"
)

// Part is a part of a request as a reader takes it: a message, the tools, the other parameters.
type Part struct {
	Name   string     // system, user, …, tools, parameters
	Text   string     // that is read; of what has none, JSON
	Fields string     // what a message has beside its role and text, as JSON
	Change Since      // since the request before
	Diff   []DiffLine // of a text that changed
	raw    string
}

// DiffLine is a line of a difference: what both have, what is gone, what has come, or where one is.
type DiffLine struct{ Kind, Text string }

// Brief is how a part begins, on a line.
func (p Part) Brief() string {
	const most = 100
	text := p.Text
	if text == "" {
		text = p.Fields
	}
	line := []rune(strings.Join(strings.Fields(text[:min(len(text), 8*most)]), " "))
	if len(line) <= most {
		return string(line)
	}
	return string(line[:most]) + "…"
}

// Since is what became of a part since the request before.
type Since string

// The changes; "" is none.
const (
	Added   Since = "added"
	Removed Since = "removed"
	Changed Since = "changed"
)

// PartsOf takes a request apart: its messages in their order, then tools, then the other fields. Of a text that is no
// request all is one part.
func PartsOf(body []byte) []Part {
	if !gjson.ValidBytes(body) {
		return []Part{{Name: "request", Text: string(body), raw: string(body)}}
	}
	var out []Part
	var tools, other []string
	gjson.ParseBytes(body).ForEach(func(name, value gjson.Result) bool {
		switch {
		case name.Str == "messages" && value.IsArray():
			value.ForEach(func(_, m gjson.Result) bool { out = append(out, messagePart(m)); return true })
		case name.Str == "tools":
			tools = append(tools, value.Raw)
		default:
			other = append(other, name.Raw+": "+value.Raw)
		}
		return true
	})
	for _, t := range tools {
		out = append(out, Part{Name: fmt.Sprintf("tools (%d)", gjson.Get(t, "#").Int()), Text: LaidOut(t), raw: t})
	}
	if other != nil {
		text := "{" + strings.Join(other, ", ") + "}"
		out = append(out, Part{Name: "parameters", Text: LaidOut(text), raw: text})
	}
	return out
}

// messagePart is a message as a part.
func messagePart(m gjson.Result) Part {
	p := Part{Name: "message", raw: m.Raw}
	if !m.IsObject() {
		p.Text = m.Raw
		return p
	}
	var fields []string
	m.ForEach(func(name, value gjson.Result) bool {
		switch {
		case name.Str == "role" && value.Type == gjson.String:
			p.Name = value.Str
		case name.Str == "content" && value.Type == gjson.String:
			p.Text = value.Str
		default:
			fields = append(fields, name.Raw+": "+value.Raw)
		}
		return true
	})
	if fields != nil {
		p.Fields = LaidOut("{" + strings.Join(fields, ", ") + "}")
	}
	return p
}

// compared marks what changed of a request since the one before it. Messages are taken for the same where they are alike to
// the byte; where others took the place of some, they are compared one by one.
func compared(before, now []Part) []Part {
	lines := func(parts []Part) string {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(strings.ReplaceAll(p.raw, "\n", " ") + "\n")
		}
		return b.String()
	}
	old, text := lines(before), lines(now)
	var out []Part
	a, b := 0, 0 // how many parts of either are done
	same := func(until int) {
		for ; a < until; a, b = a+1, b+1 {
			out = append(out, now[b])
		}
	}
	for _, e := range udiff.Lines(old, text) {
		same(strings.Count(old[:e.Start], "\n"))
		gone, come := strings.Count(old[e.Start:e.End], "\n"), strings.Count(e.New, "\n")
		for i := range max(gone, come) {
			switch {
			case i >= gone:
				out = append(out, now[b+i].with(Added))
			case i >= come:
				out = append(out, before[a+i].with(Removed))
			case before[a+i].Name != now[b+i].Name && !strings.HasPrefix(now[b+i].Name, "tools"):
				out = append(out, before[a+i].with(Removed), now[b+i].with(Added))
			default:
				p := now[b+i].with(Changed)
				p.Diff = difference(before[a+i].Text+"\n"+before[a+i].Fields, p.Text+"\n"+p.Fields)
				out = append(out, p)
			}
		}
		a, b = a+gone, b+come
	}
	same(len(before))
	return out
}

func (p Part) with(c Since) Part {
	p.Change = c
	return p
}

// difference is what differs between two texts, line by line, with a little of what is around.
func difference(before, now string) (out []DiffLine) {
	lines := strings.Split(strings.TrimRight(udiff.Unified("", "", before+"\n", now+"\n"), "\n"), "\n")
	kinds := map[byte]string{' ': "same", '-': "gone", '+': "come", '@': "at"}
	for _, l := range lines[min(2, len(lines)):] {
		if l != "" {
			out = append(out, DiffLine{kinds[l[0]], l})
		}
	}
	return out
}

// answerText is what an answer says, for a reader: its text and its calls, or all that came where it is no chat completion.
func answerText(answer []byte) string {
	m := gjson.GetBytes(answer, "choices.0.message")
	if !m.IsObject() || !gjson.ValidBytes(answer) {
		return string(answer)
	}
	p := messagePart(m)
	return strings.TrimSpace(p.Text + "\n" + p.Fields)
}
