// Package terminal is how commands write for people: how wide a stream is, whether it may be coloured, styles, and
// wrapping. docs/decisions/016-terminal.md has the rules.
package terminal

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Style is how a text looks, as the parameters of a terminal's escape sequence.
type Style string

// The styles, by what they are for.
const (
	Bold  Style = "1"
	Dim   Style = "2"
	Good  Style = "32"
	Bad   Style = "31"
	Warn  Style = "33"
	Hint  Style = "36"
	Agent Style = "34"
	User  Style = "35"
)

// Page is what a text is laid out for. The zero value is a file: no bound, no colour.
type Page struct {
	Width  int // columns; 0 is no bound
	Colour bool
}

// Paint puts a style around a text, which must be harmless already, where there is colour.
func (p Page) Paint(s Style, text string) string {
	if !p.Colour || s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[m"
}

// Wrap breaks a text into lines of at most the page's width, at words where it can, the first one behind first and the
// others behind next.
func (p Page) Wrap(text, first, next string) string {
	if p.Width > 0 {
		text = Wrap(text, max(1, p.Width-max(Columns(first), Columns(next))))
	}
	return first + strings.ReplaceAll(text, "\n", "\n"+next)
}

// Wrap breaks a text into lines of at most so many columns, at spaces where it can: keys, dates and flags are read and
// copied whole. Styles take no room.
func Wrap(text string, columns int) string {
	const hyphen = "\ue000" // is no place to break at, and no harmless text has one
	lines := strings.Split(ansi.Wrap(strings.ReplaceAll(text, "-", hyphen), columns, ""), "\n")
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(strings.TrimRight(l, " "), hyphen, "-")
	}
	return strings.Join(lines, "\n")
}

// Columns is how much room a text takes on a line.
func Columns(text string) int { return ansi.StringWidth(text) }

// Cut is the part of a text that fits into so many columns, with an ellipsis in place of the rest.
func Cut(text string, columns int) string { return ansi.Truncate(text, columns, "…") }

// Output is a stream of the program. Written as any stream, it escapes everything that steers terminals.
type Output struct {
	Page
	Terminal bool // a person reads it, now
	plain    io.Writer
	raw      io.Writer
}

// New looks at a stream. getenv tells COLUMNS, NO_COLOR, CLICOLOR_FORCE and TERM.
func New(w io.Writer, getenv func(string) string) *Output {
	o := &Output{raw: w}
	o.plain = &writer{to: w, pass: o.labelled}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.Terminal = true
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = columns
		}
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		o.Width = n
	}
	force := getenv("CLICOLOR_FORCE")
	o.Colour = getenv("NO_COLOR") == "" && (force != "" && force != "0" || o.Terminal && getenv("TERM") != "dumb")
	return o
}

// label begins lines that are about the command itself.
var label = regexp.MustCompile(`(?m)^(tauguide|warning|hint|next):`)

// Write writes a text without any style of its own; labels at the beginnings of lines get theirs.
func (o *Output) Write(p []byte) (int, error) { return o.plain.Write(p) }

func (o *Output) labelled(text string) string {
	return label.ReplaceAllStringFunc(plain(text), func(l string) string {
		return o.Paint(map[string]Style{"tauguide:": Bad, "warning:": Warn, "hint:": Hint, "next:": Hint}[l], l)
	})
}

// Styled returns the stream for texts that Paint made parts of: styles pass, everything else is escaped. What is written
// at once must hold whole styles.
func (o *Output) Styled() io.Writer {
	if !o.Colour {
		return o.plain
	}
	return &writer{to: o.raw, pass: styled}
}

// Raw returns the stream as it is, for what must arrive byte for byte. What a terminal gets must be harmless already.
func (o *Output) Raw() io.Writer { return o.raw }

// Prose returns the stream for texts of whole lines, none of which has to be copied: those that are longer than the page is
// wide are wrapped, and indented a little more than they were.
func (o *Output) Prose() io.Writer { return &prose{Output: o} }

type prose struct {
	*Output
	rest string // of a line that is not whole yet
}

func (p *prose) Write(text []byte) (int, error) {
	whole := p.rest + string(text)
	at := strings.LastIndex(whole, "\n") + 1
	whole, p.rest = whole[:at], whole[at:]
	var b strings.Builder
	for line := range strings.Lines(whole) {
		line = strings.TrimSuffix(line, "\n")
		if p.Width > 0 && Columns(line) > p.Width {
			words := strings.TrimLeft(line, " ")
			margin := line[:len(line)-len(words)]
			line = p.Wrap(words, margin, margin+"  ")
		}
		b.WriteString(line + "\n")
	}
	if _, err := io.WriteString(p.Output, b.String()); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Color is the flag --color of the outputs that it decides for.
type Color []*Output

// Set takes auto, always or never.
func (c Color) Set(mode string) error {
	switch mode {
	case "auto":
	case "always", "never":
		for _, o := range c {
			o.Colour = mode == "always"
		}
	default:
		return errors.New("want auto, always or never")
	}
	return nil
}

// String is the default.
func (c Color) String() string { return "auto" }

// Type is for the help.
func (c Color) Type() string { return "when" }
