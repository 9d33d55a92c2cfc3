package show

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// NewWriter returns a writer that passes texts on with what Pieces escapes written as \uXXXX, which leaves JSON what it
// is. Tabs and line breaks stay. Texts may be cut anywhere.
func NewWriter(w io.Writer) io.Writer { return &writer{to: w} }

type writer struct {
	to   io.Writer
	mu   sync.Mutex
	rest []byte // of a character that is not whole yet
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
	if _, err := io.WriteString(w.to, plain(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// plain writes what must not be shown as it is as JSON does.
func plain(s string) string {
	var b strings.Builder
	from := 0
	for i, r := range s {
		if !hidden(s, i, r) {
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
