package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/sim/llm"
)

// explain says why a question has no answer on the tape, by the recorded call
// that is nearest to it.
func (c *Cassette) explain(t *tape, q question) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case len(t.lines) > 0:
		return t.explain(q)
	case t.unread > 0 || t.torn:
		return fmt.Sprintf("none of what is recorded of this trial can be read (%s): restore the file, or record the trial anew", filepath.Base(t.path))
	}
	return fmt.Sprintf("nothing is recorded of this trial (no %s); %s: record it, or correct the cassette's path", filepath.Base(t.path), c.others(q.tag))
}

// others says what the folder has in place of a trial.
func (c *Cassette) others(tag llm.Tag) string {
	c.look.Do(func() { c.trials = trialsIn(c.dir) })
	var best string
	most := -1
	for _, t := range c.trials {
		same, differences := compareTrials(t, tag)
		if same > most {
			best, most = strings.Join(differences, ", "), same
		}
	}
	switch {
	case most < 0:
		return "there are no recordings in " + c.dir
	case best == "":
		best = "this trial, in a file of another name"
	}
	return fmt.Sprintf("the nearest of %d trials in %s is of %s", len(c.trials), c.dir, best)
}

// trialsIn reads which trials a folder has recordings of, as the first line of each tape says.
func trialsIn(dir string) (out []llm.Tag) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil // of a pattern that does not change
	}
	for _, f := range files {
		if l, ok := firstLine(f); ok {
			out = append(out, l.Tag)
		}
	}
	return out
}

// firstLine reads the first line of a tape that can be read.
func firstLine(path string) (line, bool) {
	f, err := os.Open(path)
	if err != nil {
		return line{}, false
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for {
		text, err := r.ReadBytes('\n')
		if l, ok := readLine(text); ok || err != nil {
			return l, ok
		}
	}
}

// compareTrials says how much two trials have in common, the weightier parts first, and in what they differ.
func compareTrials(was, now llm.Tag) (same int, differences []string) {
	for _, part := range []struct {
		name     string
		weight   int
		was, now string
	}{
		{"domain", 32, was.Domain, now.Domain}, {"task", 16, was.Task, now.Task}, {"system", 8, was.System, now.System},
		{"trial", 4, fmt.Sprint(was.Trial), fmt.Sprint(now.Trial)}, {"run seed", 2, fmt.Sprint(was.RunSeed), fmt.Sprint(now.RunSeed)}, {"salt", 1, was.Salt, now.Salt},
	} {
		if part.was == part.now {
			same += part.weight
			continue
		}
		differences = append(differences, fmt.Sprintf("%s %s, now %s", part.name, clip(part.was, 60), clip(part.now, 60)))
	}
	return same, differences
}

// explain is that of a tape with recordings, with mu held.
func (t *tape) explain(q question) string {
	var same []line // of this role
	texts := map[string]string{}
	for _, key := range t.order {
		l, err := t.at(t.lines[key])
		if err != nil {
			return err.Error()
		}
		maps.Copy(texts, l.Texts)
		if l.Tag.Role == q.tag.Role {
			same = append(same, l)
		}
	}
	if len(same) == 0 {
		return fmt.Sprintf("no call of the %s is recorded of this trial", role(q.tag))
	}
	l := nearest(same, q)
	if l.Tag.Ordinal != q.tag.Ordinal {
		return fmt.Sprintf("%d calls of the %s are recorded, none with this number; call %d %s", len(same), role(q.tag), l.Tag.Ordinal, differences(l, q, texts))
	}
	return "it is recorded with another request, which " + differences(l, q, texts)
}

// nearest prefers the call of the same number, then the one with the most
// messages in common.
func nearest(lines []line, q question) line {
	best, most := lines[0], -1
	for _, l := range lines {
		n := common(l.Messages, q.messages)
		if l.Tag.Ordinal == q.tag.Ordinal {
			n += 1 << 30
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}

// common counts the messages that are equal from the first on.
func common(digests []string, messages []json.RawMessage) int {
	n := 0
	for n < len(digests) && n < len(messages) && digests[n] == digest(messages[n]) {
		n++
	}
	return n
}

// differences says in what a recorded request differs from a new one.
func differences(l line, q question, texts map[string]string) string {
	var out []string
	if l.Identity != q.identity {
		out = append(out, fmt.Sprintf("went to %s, now %s", l.Identity, q.identity))
	}
	if l.Tag.RunSeed != q.tag.RunSeed {
		out = append(out, fmt.Sprintf("was of run seed %d, now %d", l.Tag.RunSeed, q.tag.RunSeed))
	}
	for _, name := range slices.Sorted(maps.Keys(both(l.Params, q.params))) {
		was, now := l.Params[name], q.params[name]
		if !bytes.Equal(compact(was), compact(now)) {
			out = append(out, fmt.Sprintf("had %s %s, now %s", name, shown(was), shown(now)))
		}
	}
	if l.Tools != digest(q.tools) {
		out = append(out, "offered other tools")
	}
	n := common(l.Messages, q.messages)
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

func both(a, b map[string]json.RawMessage) map[string]json.RawMessage {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	maps.Copy(out, b)
	return out
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func shown(raw json.RawMessage) string {
	if raw == nil {
		return "absent"
	}
	return clip(string(raw), 80)
}

// contrast shows two texts from a little before where they part.
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
		if !bytes.Equal(compact(json.RawMessage(x.Arguments)), compact(json.RawMessage(y.Arguments))) {
			return fmt.Sprintf("arguments of tool call %d: %s", i, contrast(cut(x.Arguments), y.Arguments))
		}
	}
	return ""
}
