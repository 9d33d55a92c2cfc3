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
