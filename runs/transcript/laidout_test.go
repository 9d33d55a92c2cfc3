package transcript_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/transcript"
)

// TestLaidOut: JSON is broken into lines as long as that does not blow it up.
func TestLaidOut(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ name, in, want string }{
		{"an object", `{"a": [1, "],{"]}`, "{\n  \"a\": [\n    1,\n    \"],{\"\n  ]\n}"},
		{"an escaped quote", `["\"[[", 1]`, "[\n  \"\\\"[[\",\n  1\n]"},
		{"no JSON", `{a`, `{a`},
		{"a text", ` hello`, ` hello`},
		{"a little deep", deep(2), "[\n  []\n]"},
		{"deep", deep(9990), deep(9990)},
		{"deeper than any reader goes", deep(100_000), deep(100_000)},
		{"wide and deep", deep(300)[:300] + strings.Repeat("1,", 400) + "1" + deep(300)[300:], deep(300)[:300] + strings.Repeat("1,", 400) + "1" + deep(300)[300:]},
		{"never closed", strings.Repeat(`{"a":`, 50_000), strings.Repeat(`{"a":`, 50_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := transcript.LaidOut(c.in); got != c.want {
				t.Errorf("got %.200q, want %.200q", got, c.want)
			}
		})
	}
}
