package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lower is Python's str.lower. It differs from strings.ToLower in a capital sigma, which becomes another letter at the
// end of a word, and in İ, which becomes two characters. (golang.org/x/text/cases sees the end of a word elsewhere.)
func Lower(s string) string {
	if !strings.Contains(s, "Σ") && !strings.Contains(s, "İ") && utf8.ValidString(s) {
		return strings.ToLower(s)
	}
	out, at := make([]byte, 0, len(s)+8), 0
	for c := range Characters(s) {
		r, size := utf8.DecodeRuneInString(c)
		at += len(c)
		switch {
		case r == 'İ':
			out = append(out, "i\u0307"...)
		case r == 'Σ' && endsWord(s[:at-len(c)], s[at:]):
			out = append(out, "ς"...)
		case size < len(c):
			out = append(out, c...) // half of a surrogate pair
		default:
			out = utf8.AppendRune(out, unicode.ToLower(r))
		}
	}
	return string(out)
}

// endsWord reports whether a letter between the two texts is the last of a word, and not its only one.
func endsWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(before, ignorable))
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(after, ignorable))
	return cased(last) && !cased(next)
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Uppercase, unicode.Other_Lowercase)
}

// ignorable is Unicode's Case_Ignorable: by category, and punctuation that stands within words.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}
