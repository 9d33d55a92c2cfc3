package transcript_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/transcript"
)

// marked writes pieces with their kinds around them.
func marked(pieces []transcript.Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		switch {
		case p.Escape:
			b.WriteString("<" + p.Text + ">")
		case p.Kind == transcript.Name:
			b.WriteString("[" + p.Text + "]")
		case p.Kind == transcript.Literal:
			b.WriteString("(" + p.Text + ")")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestHighlighted(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"fields and literals", "{\n  \"a\": 1,\n  \"b\": [true, null, -2.5e3],\n  \"c\": \"x: 1\"\n}", "{\n  [\"a\"]: (1),\n  [\"b\"]: [(true), (null), (-2.5e3)],\n  [\"c\"]: \"x: 1\"\n}"},
		{"compact", `{"a":{"b\"":7}}`, `{["a"]:{["b\""]:(7)}}`},
		{"what is invisible", "{\"a\u202e\": \"\u202e\"}", "{[\"a]<\\u{202e}>[\"]: \"<\\u{202e}>\"}"},
		{"a text", "I have 2, true.", "I have 2, true."},
		{"a number alone", "12", "12"},
		{"torn", `{"a": 1`, `{"a": 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := marked(transcript.Highlighted(tt.text)); got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// FuzzHighlighted: whatever the text, highlighting changes none of it.
func FuzzHighlighted(f *testing.F) {
	f.Add("{\"a\": [1, \"b\\\\\"], \"c\\\"\": null}")
	f.Add("[\"\u202e\xff\", tru]")
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for _, p := range transcript.Highlighted(text) {
			b.WriteString(p.Text)
		}
		if got, want := b.String(), transcript.Safe(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
