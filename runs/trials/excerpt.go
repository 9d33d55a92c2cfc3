package trials

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// Excerpt is what of a passage is around something that was looked for.
type Excerpt struct {
	Passage transcript.Passage
	Parts   []Part
}

// Excerpts are the first passages of a line's conversation in which one of the words is, at most so many.
func (x *Index) Excerpts(l *Line, words Words, most int) (out []Excerpt, err error) {
	find := words.Pattern()
	x.mu.Lock()
	defer x.mu.Unlock()
	at, there := x.at[l.ref()]
	if find == nil || !there {
		return nil, nil
	}
	d := &x.docs[at]
	err = x.inside(d.block, func(_ *room, text []byte) { out = excerpts(d.passages, text[d.from:d.to], find, most) })
	return out, err
}

// Excerpts are all of those passages of a record.
func Excerpts(rec sim.Record, words Words) []Excerpt {
	if len(words) == 0 {
		return nil
	}
	numbers, text := sayings(rec)
	return excerpts(numbers, text, words.Pattern(), len(numbers))
}

func excerpts(numbers []int32, text []byte, find *regexp.Regexp, most int) (out []Excerpt) {
	passages := bytes.Split(text, []byte{passageEnd})
	for i, n := range numbers {
		for part := range bytes.SplitSeq(passages[i], []byte{textEnd}) {
			if found := excerpt(string(part), find); found != nil && len(out) < most {
				out = append(out, Excerpt{transcript.Passage{Event: n < 0, Number: int(max(n, ^n))}, found})
				break
			}
		}
	}
	return out
}

// Part is a part of an excerpt; what was looked for is marked.
type Part struct {
	Text   string
	Marked bool
}

// Bounds of an excerpt, in bytes, before its first hit and from there on.
const (
	excerptBefore = 60
	excerptAfter  = 140
)

// excerpt is what of a text is around the first of what a pattern finds; nil if that is nothing.
func excerpt(text string, find *regexp.Regexp) []Part {
	first := find.FindStringIndex(text)
	if first == nil {
		return nil
	}
	from, to := boundary(text, first[0]-excerptBefore), boundary(text, max(first[1], first[0]+excerptAfter))
	shown := text[from:to]
	var out []Part
	add := func(text string, marked bool) {
		if text != "" {
			out = append(out, Part{text, marked})
		}
	}
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(text) {
		shown += "…"
	}
	at := 0
	for _, hit := range find.FindAllStringIndex(shown, -1) {
		add(shown[at:hit[0]], false)
		add(shown[hit[0]:hit[1]], true)
		at = hit[1]
	}
	add(shown[at:], false)
	return out
}

// boundary moves a place to the beginning of a character, within the text.
func boundary(text string, at int) int {
	at = min(max(at, 0), len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
