package trials

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tauguide/tauguide/runs/transcript"
)

// Words are what a reader looks for: each is a word or, in quotes, several in a row. White space of any kind counts as one
// blank, and letters count in either case.
type Words []string

// NewWords reads what somebody typed. A quote that is not closed goes on to the end.
func NewWords(typed string) Words {
	var out Words
	for i, part := range strings.Split(transcript.Safe(typed), `"`) {
		words := strings.Fields(part)
		if i%2 == 1 { // within quotes
			words = []string{strings.Join(words, " ")}
		}
		for _, w := range words {
			if w != "" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// folded are the words as in indexed texts.
func (w Words) folded() [][]byte {
	out := make([][]byte, len(w))
	for i, word := range w {
		out[i] = foldBytes(nil, []byte(word))
	}
	return out
}

// Pattern finds each of the words in a text; nil without words.
func (w Words) Pattern() *regexp.Regexp {
	if len(w) == 0 {
		return nil
	}
	parts := make([]string, len(w))
	for i, word := range w {
		parts[i] = strings.ReplaceAll(regexp.QuoteMeta(word), " ", `[\s\p{Z}]+`)
	}
	return regexp.MustCompile("(?i)" + strings.Join(parts, "|"))
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

func fold(s string) string { return string(foldBytes(nil, []byte(s))) }

// foldBytes adds a text without the difference of cases: of the letters that differ in nothing else, as Unicode's simple
// folding has it, the small one of ASCII or else the first. A pattern that ignores cases finds the same.
func foldBytes(dst, s []byte) []byte {
	const ones = 0x0101010101010101
	for i := 0; i < len(s); {
		for len(s)-i >= 8 { // eight letters of ASCII at once: a search folds all that was said
			w := binary.LittleEndian.Uint64(s[i:])
			if w&(0x80*ones) != 0 {
				break
			}
			capital := (w + (0x80-'A')*ones) &^ (w + (0x80-'Z'-1)*ones) & (0x80 * ones)
			dst = binary.LittleEndian.AppendUint64(dst, w|capital>>2)
			i += 8
		}
		if i == len(s) {
			break
		}
		r, n := utf8.DecodeRune(s[i:])
		dst = utf8.AppendRune(dst, foldRune(r))
		i += n
	}
	return dst
}

func foldRune(r rune) rune {
	first := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		first = min(first, o)
	}
	if 'A' <= first && first <= 'Z' {
		return first + 'a' - 'A'
	}
	return first
}

// holds reports whether a folded text has all words.
func holds(text []byte, words [][]byte) bool {
	for _, w := range words {
		if !bytes.Contains(text, w) {
			return false
		}
	}
	return true
}
