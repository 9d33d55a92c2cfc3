package cassette

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// explain says why a question has no answer on the tape: in what the recorded call that is nearest to it differs.
func (c *Cassette) explain(t *tape, q question) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.lines) > 0 && t.unread > 0:
		return fmt.Sprintf("%s; %d other lines of %s cannot be read", t.explain(q), t.unread, filepath.Base(t.path))
	case len(t.lines) > 0:
		return t.explain(q)
	case t.unread > 0 || t.torn:
		return fmt.Sprintf("none of what is recorded of this trial can be read (%s)\nhint: restore the file, or record the trial again", filepath.Base(t.path))
	}
	return fmt.Sprintf("nothing is recorded of this trial (no %s); %s\nhint: record it, or correct the cassette's path", filepath.Base(t.path), c.others(q.tag))
}

// others says what the folder has in place of a trial.
func (c *Cassette) others(tag llm.Tag) string {
	same, _ := filepath.Glob(filepath.Join(c.dir, trialFiles(tag)+"*.jsonl")) // of patterns that are right
	for _, file := range same {
		var was llm.Tag
		other := tape{path: file}
		if err := other.each(func(l line) { was = l.Tag }); err == nil && was.RunSeed != tag.RunSeed {
			return fmt.Sprintf("it is recorded with run seed %d, now %d", was.RunSeed, tag.RunSeed)
		}
	}
	all, _ := filepath.Glob(filepath.Join(c.dir, "*.jsonl"))
	return fmt.Sprintf("%s has recordings of %d other trials", c.dir, len(all))
}

// explain is that of a tape with recordings, with mu held.
func (t *tape) explain(q question) string {
	var nearest *line // the call of this number, otherwise the last one of this role
	calls := 0
	texts := map[string]string{}
	for _, key := range t.order {
		l, err := t.at(t.lines[key])
		if err != nil {
			return err.Error()
		}
		maps.Copy(texts, l.Texts)
		if l.Tag.Role != q.tag.Role {
			continue
		}
		if calls++; nearest == nil || nearest.Tag.Ordinal != q.tag.Ordinal {
			nearest = &l
		}
	}
	switch {
	case nearest == nil:
		return fmt.Sprintf("no call of the %s is recorded of this trial", role(q.tag))
	case nearest.Tag.Ordinal != q.tag.Ordinal:
		return fmt.Sprintf("%d calls of the %s are recorded, none with this number; call %d %s", calls, role(q.tag), nearest.Tag.Ordinal, differences(*nearest, q, texts))
	}
	return "it is recorded with another request, which " + differences(*nearest, q, texts)
}

// differences says in what a recorded request differs from a new one.
func differences(l line, q question, texts map[string]string) string {
	var out []string
	if l.Identity != q.identity {
		out = append(out, fmt.Sprintf("went to %s, now %s", l.Identity, q.identity))
	}
	names := slices.Collect(maps.Keys(q.params))
	names = slices.AppendSeq(names, maps.Keys(l.Params))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if was, now := compact(l.Params[name]), compact(q.params[name]); was != now {
			out = append(out, fmt.Sprintf("had %s %s, now %s", name, clip(was, 80), clip(now, 80)))
		}
	}
	if l.Tools != digest(q.tools) {
		out = append(out, "offered other tools")
	}
	n := 0 // messages that are equal
	for n < len(l.Messages) && n < len(q.messages) && l.Messages[n] == digest(q.messages[n]) {
		n++
	}
	switch {
	case n < len(l.Messages) && n < len(q.messages):
		out = append(out, fmt.Sprintf("had another message %d: %s", n, contrast(texts[l.Messages[n]], string(q.messages[n]))))
	case len(l.Messages) != len(q.messages):
		out = append(out, fmt.Sprintf("had %d messages, now %d", len(l.Messages), len(q.messages)))
	}
	if len(out) == 0 {
		return "is the same otherwise"
	}
	return strings.Join(out, "; ")
}

// compact is JSON without white space, other text as it is, and "absent" for none.
func compact(raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// contrast shows two texts, the first of which is cut, from a little before where they part.
func contrast(was, now string) string {
	now = cut(now)
	n := 0
	for n < len(was) && n < len(now) && was[n] == now[n] {
		n++
	}
	from := max(0, n-30)
	return fmt.Sprintf("recorded %q, now %q", clip(valid(was[from:]), 120), clip(valid(now[from:]), 120))
}

// clip cuts a text for a line of an error.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return valid(s[:most]) + "…"
}

// valid drops what is left of characters that were cut through.
func valid(s string) string { return strings.ToValidUTF8(s, "") }

// verified compares a fresh answer with the recorded one.
func verified(q question, recorded answer, resp llm.Response, err error) (llm.Response, error) {
	fresh, kept := answerOf(resp, err)
	if !kept {
		return resp, err // no answer: says nothing of the recorded one
	}
	if why := unlike(recorded, fresh); why != "" {
		return llm.Response{}, q.refuse(CodeDifferent, "the answer is not as recorded: "+why)
	}
	return resp, err
}

// unlike says in what two answers differ, "" if they are equal. Equal are answers
// with the same text and the same calls in the same order; ids, usage and what
// providers add may differ.
func unlike(was, now answer) string {
	switch {
	case was.Error != nil && now.Error != nil:
		if was.Error.Kind != now.Error.Kind {
			return fmt.Sprintf("recorded error %s, now %s", was.Error.Kind, now.Error.Kind)
		}
		return ""
	case was.Error != nil:
		return fmt.Sprintf("recorded error %s, now an answer", was.Error.Kind)
	case now.Error != nil:
		return fmt.Sprintf("recorded an answer, now error %s", now.Error.Kind)
	}
	a, b := was.Response.Message, now.Response.Message
	if a.Text() != b.Text() {
		return "text: " + contrast(cut(a.Text()), b.Text())
	}
	if len(a.ToolCalls) != len(b.ToolCalls) {
		return fmt.Sprintf("recorded %d tool calls, now %d", len(a.ToolCalls), len(b.ToolCalls))
	}
	for i, x := range a.ToolCalls {
		y := b.ToolCalls[i]
		if x.Name != y.Name {
			return fmt.Sprintf("tool call %d: recorded %q, now %q", i, x.Name, y.Name)
		}
		if compact(json.RawMessage(x.Arguments)) != compact(json.RawMessage(y.Arguments)) {
			return fmt.Sprintf("arguments of tool call %d: %s", i, contrast(cut(x.Arguments), y.Arguments))
		}
	}
	return ""
}
