package value

import (
	"iter"
	"unicode/utf8"
)

// Texts of the reference can hold one half of a surrogate pair, which JSON writes as \ud83d and UTF-8 cannot encode. A
// Value keeps it in three bytes, as UTF-8 would encode that number; texts order and compare with these as in the reference.

// decodeRune is utf8.DecodeRuneInString that knows halves of surrogate pairs.
func decodeRune(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) > 2 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return r, size
}

// appendUnpaired appends half of a surrogate pair.
func appendUnpaired(dst []byte, r rune) []byte {
	return append(dst, 0xed, 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
}

// Characters yields the characters of a text one by one, each as a text.
func Characters(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			_, size := decodeRune(s)
			if !yield(s[:size]) {
				return
			}
			s = s[size:]
		}
	}
}

// WellFormed is a text as UTF-8 can write it: what is no character is U+FFFD.
func WellFormed(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	out := make([]byte, 0, len(s)+8)
	for c := range Characters(s) {
		if !utf8.ValidString(c) {
			c = "\ufffd"
		}
		out = append(out, c...)
	}
	return string(out)
}
