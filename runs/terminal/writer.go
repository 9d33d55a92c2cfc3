package terminal

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// NewWriter returns a writer that passes texts on with what Hidden names written as \uXXXX, which leaves JSON what it
// is. Tabs and line breaks stay. Texts may be cut anywhere.
func NewWriter(w io.Writer) io.Writer { return &writer{to: w, pass: plain} }

// writer passes on what pass makes of a text.
type writer struct {
	to   io.Writer
	pass func(string) string
	mu   sync.Mutex
	rest []byte // of a character or a style that is not whole yet
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := append(w.rest, p...)
	whole := len(text)
	for at := max(0, whole-utf8.UTFMax+1); at < len(text); at++ {
		if utf8.RuneStart(text[at]) && !utf8.FullRune(text[at:]) {
			whole = at
			break
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.to, w.pass(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Hidden reports whether the character at i, or the byte that is none, must not be shown as it is: it could steer a
// terminal, or is invisible.
func Hidden(s string, i int, r rune) bool {
	switch r {
	case '\n', '\t', '\u200d':
		return false
	case unicode.ReplacementChar:
		return s[i] != 0xEF
	}
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp, unicode.Cf, unicode.Co)
}

// plain writes what must not be shown as it is as JSON does.
func plain(s string) string {
	var b strings.Builder
	from := 0
	for i, r := range s {
		if !Hidden(s, i, r) {
			continue
		}
		b.WriteString(s[from:i])
		_, size := utf8.DecodeRuneInString(s[i:])
		from = i + size
		if r == unicode.ReplacementChar {
			fmt.Fprintf(&b, `\x%02x`, s[i])
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String() + s[from:]
}

// sequence is a style as terminals read it.
var sequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// styled is plain but for styles, which pass. A style must not be cut.
func styled(s string) string {
	var b strings.Builder
	from := 0
	for _, at := range sequence.FindAllStringIndex(s, -1) {
		b.WriteString(plain(s[from:at[0]]) + s[at[0]:at[1]])
		from = at[1]
	}
	return b.String() + plain(s[from:])
}
