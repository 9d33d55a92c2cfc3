package transcript_test

import (
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/runs/transcript"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a\nb", "a\nb"},
		{"escape sequence", "x\x1b[2Jy", `x\u{1b}[2Jy`},
		{"right-to-left override", "a\u202eb", `a\u{202e}b`},
		{"zero width space", "a\u200bb", `a\u{200b}b`},
		{"joined emoji stay", "👩‍👩‍👧", "👩‍👩‍👧"},
		{"line separator", "a\u2028b", `a\u{2028}b`},
		{"nul and carriage return", "a\x00\rb", `a\u{0}\u{d}b`},
		{"invalid bytes", "a\xffb", `a\xffb`},
		{"a real replacement character", "a\ufffdb", "a\ufffdb"},
	} {
		if got := transcript.Safe(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b[31mred\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range transcript.Safe(s) {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%q still holds %U", s, r)
			}
		}
	})
}

// TestPieces tells escapes from texts that look like them.
func TestPieces(t *testing.T) {
	got := transcript.Pieces("a\\u{1b}\x1b\x00b\n\tc")
	want := []transcript.Piece{{Text: `a\u{1b}`}, {Text: `\u{1b}\u{0}`, Escape: true}, {Text: "b\n    c"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
