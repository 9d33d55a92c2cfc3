// Package show prints one recorded conversation for a reader at a terminal: who said and called what, what the tools
// returned, how the reward came about, and where the end state differs from the wanted one.
package show

import (
	"fmt"
	"strings"
	"unicode"
)

// Safe makes a text harmless to a terminal and readable without surprises: control characters, bidirectional
// overrides and other invisible format characters appear as \u{…}, invalid bytes as \x.., line breaks stay.
func Safe(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteRune(r)
		case r == unicode.ReplacementChar && s[i] != 0xEF:
			fmt.Fprintf(&b, "\\x%02x", s[i])
		case r == '\t':
			b.WriteString("    ")
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r),
			unicode.Is(unicode.Cf, r) && r != '\u200d', unicode.Is(unicode.Co, r):
			fmt.Fprintf(&b, "\\u{%x}", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// indented puts a margin before every line of a text.
func indented(s, margin string) string {
	return margin + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+margin)
}

// clipped shortens a text to n runes, saying how much is left out.
func clipped(s string, n int) string {
	r := []rune(s)
	if n <= 0 || len(r) <= n {
		return s
	}
	return fmt.Sprintf("%s … (%d more characters)", string(r[:n]), len(r)-n)
}
