// Package transcript lays a recorded trial out for readers, as plain data: what was said and called, what a guide did in
// between, what the tools returned, how the reward came about. Whatever shows a trial, on a terminal or on a page, starts
// from a Conversation. All texts may contain anything: Pieces and Safe make them harmless.
package transcript

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/domains/value"

	"github.com/tauguide/tauguide/runs/terminal"
)

// Piece is a part of a text: as it is, or the escape of what must not be shown as it is.
type Piece struct {
	Text   string
	Escape bool
	Kind   string // of a part of JSON: Name, Literal or ""
}

// Pieces makes a text harmless and readable without surprises: control characters, bidirectional overrides and other
// invisible format characters are escapes \u{…}, invalid bytes are escapes \x.., line breaks stay. No two neighbours are
// of one kind.
func Pieces(s string) []Piece {
	var out []Piece
	var b strings.Builder
	escape := false
	flush := func() {
		if b.Len() > 0 {
			out = append(out, Piece{Text: b.String(), Escape: escape})
			b.Reset()
		}
	}
	for i, r := range s {
		text := escaped(s, i, r)
		if (text != "") != escape {
			flush()
			escape = text != ""
		}
		switch {
		case text != "":
			b.WriteString(text)
		case r == '\t':
			b.WriteString("    ")
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return out
}

// escaped is what replaces the character at i; "" where it may stay.
func escaped(s string, i int, r rune) string {
	switch {
	case !terminal.Hidden(s, i, r):
		return ""
	case r == unicode.ReplacementChar:
		return fmt.Sprintf("\\x%02x", s[i])
	}
	return fmt.Sprintf("\\u{%x}", r)
}

// Safe is the text of the pieces, for a terminal.
func Safe(s string) string {
	var b strings.Builder
	for _, p := range Pieces(s) {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Indented puts a margin before every line of a text.
func Indented(s, margin string) string {
	return margin + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n"+margin)
}

// Clipped shortens a text to n runes, saying how much is left out.
func Clipped(s string, n int) string {
	r := []rune(s)
	if n <= 0 || len(r) <= n {
		return s
	}
	return fmt.Sprintf("%s … (%d more characters)", string(r[:n]), len(r)-n)
}

// spaced is a value as JSON with a space between tokens, so that it can be broken into lines.
func spaced(v value.Value) string {
	var parts []string
	if m, ok := v.Map(); ok {
		for name, part := range m.All() {
			parts = append(parts, spaced(value.OfString(name))+": "+spaced(part))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if items, ok := v.Items(); ok {
		for _, part := range items {
			parts = append(parts, spaced(part))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.JSON()
}
