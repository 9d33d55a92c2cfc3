package terminal_test

import (
	"io"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/terminal"
)

// TestWriter: what is escaped may be cut anywhere, even within a character, and JSON keeps its meaning.
func TestWriter(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "ä\t→\n", "ä\t→\n"},
		{"escape sequence", "x\x1b[2Jy", `x\u001b[2Jy`},
		{"in two bytes", "\u009b31m", `\u009b31m`},
		{"right-to-left override", `{"a":"` + "\u202e" + `"}`, `{"a":"\u202e"}`},
		{"beyond four digits", "\U000e0041", `\udb40\udc41`},
		{"invalid byte", "a\xffb", `a\xffb`},
		{"invalid start", "a\xe2b", `a\xe2b`},
	} {
		for cut := range len(c.in) + 1 {
			var b strings.Builder
			w := terminal.NewWriter(&b)
			for _, part := range []string{c.in[:cut], c.in[cut:]} {
				if n, err := io.WriteString(w, part); n != len(part) || err != nil {
					t.Fatalf("%s: %d, %v", c.name, n, err)
				}
			}
			if b.String() != c.want {
				t.Errorf("%s, cut at %d: %q, want %q", c.name, cut, b.String(), c.want)
			}
		}
	}
}

// TestStyles: styles pass where a command puts them and nowhere else, and nothing but styles does.
func TestStyles(t *testing.T) {
	painted := terminal.Page{Colour: true}.Paint(terminal.Bad, "no")
	if painted != "\x1b[31mno\x1b[m" || (terminal.Page{}).Paint(terminal.Bad, "no") != "no" {
		t.Fatalf("painted %q", painted)
	}
	for _, c := range []struct{ env, plain, styled string }{
		{"", `\u001b[31mno\u001b[m\u001b[2J` + "\nhint: x\n", `\u001b[31mno\u001b[m\u001b[2J` + "\nhint: x\n"},
		{"1", `\u001b[31mno\u001b[m\u001b[2J` + "\n\x1b[36mhint:\x1b[m x\n", painted + `\u001b[2J` + "\nhint: x\n"},
	} {
		var plain, styled strings.Builder
		env := func(name string) string { return map[string]string{"CLICOLOR_FORCE": c.env}[name] }
		io.WriteString(terminal.New(&plain, env), painted+"\x1b[2J\nhint: x\n")
		io.WriteString(terminal.New(&styled, env).Styled(), painted+"\x1b[2J\nhint: x\n")
		if plain.String() != c.plain || styled.String() != c.styled {
			t.Errorf("CLICOLOR_FORCE=%s: %q and %q", c.env, plain.String(), styled.String())
		}
	}
}

// TestColour: the flag decides, then NO_COLOR, then CLICOLOR_FORCE; no terminal, no colour.
func TestColour(t *testing.T) {
	for _, c := range []struct {
		flag, no, force string
		want            bool
	}{
		{"auto", "", "", false}, {"auto", "", "1", true}, {"auto", "", "0", false}, {"auto", "1", "1", false},
		{"always", "1", "", true}, {"never", "", "1", false},
	} {
		o := terminal.New(io.Discard, func(name string) string { return map[string]string{"NO_COLOR": c.no, "CLICOLOR_FORCE": c.force}[name] })
		if err := (terminal.Color{o}).Set(c.flag); err != nil || o.Colour != c.want {
			t.Errorf("%+v: %t, %v", c, o.Colour, err)
		}
	}
	if err := (terminal.Color{}).Set("red"); err == nil {
		t.Error("red is taken for a mode")
	}
}

// TestWrap: lines keep within the width whatever they hold, and margins count.
func TestWrap(t *testing.T) {
	text := "tables of 日本語 words and a-very-long-name-without-any-space-in-it/and/a/path " + terminal.Page{Colour: true}.Paint(terminal.Good, "passed all four trials")
	for _, width := range []int{20, 33, 60, 200} {
		got := terminal.Page{Width: width}.Wrap(text, "  ", "    ")
		for _, l := range strings.Split(got, "\n") {
			if terminal.Columns(l) > width || !strings.HasPrefix(l, "  ") {
				t.Errorf("%d columns: %q has %d", width, l, terminal.Columns(l))
			}
		}
	}
	if got := (terminal.Page{}).Wrap(text, "- ", "  "); got != "- "+text {
		t.Errorf("without a bound: %q", got)
	}
	if got := terminal.Wrap("one two three", 7); got != "one two\nthree" {
		t.Errorf("%q", got)
	}
	if got := terminal.Cut("one two three", 7); got != "one tw…" {
		t.Errorf("%q", got)
	}
}

// TestProse: long lines are wrapped below their own margin, whatever pieces they come in, and others stay.
func TestProse(t *testing.T) {
	const text = "short   stays\n  one two three four\n"
	for width, want := range map[string]string{"": text, "14": "short   stays\n  one two\n    three four\n"} {
		for cut := range len(text) {
			var b strings.Builder
			w := terminal.New(&b, func(name string) string { return map[string]string{"COLUMNS": width}[name] }).Prose()
			io.WriteString(w, text[:cut])
			io.WriteString(w, text[cut:])
			if b.String() != want {
				t.Fatalf("%s columns, cut at %d: %q, want %q", width, cut, b.String(), want)
			}
		}
	}
}
