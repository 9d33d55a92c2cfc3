package value_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains/value"
)

// TestLower holds every character of Unicode against testdata/lower.txt, alone and before a capital sigma.
func TestLower(t *testing.T) {
	facts, err := os.ReadFile("testdata/lower.txt")
	if err != nil {
		t.Fatal(err)
	}
	lower := map[rune]string{'İ': "i̇"}
	ends := map[string]map[rune]bool{"before": {}, "alone": {}}
	for line := range strings.Lines(string(facts)) {
		var kind string
		var first, last, step, distance rune
		if strings.HasPrefix(line, "#") {
			continue
		}
		switch n, _ := fmt.Sscanf(line, "%s %x %x %x %x", &kind, &first, &last, &step, &distance); n {
		case 5:
			for r := first; r <= last; r += step {
				lower[r] = string(r + distance)
			}
		case 3:
			for r := first; r <= last; r++ {
				ends[kind][r] = true
			}
		}
	}
	if len(lower) != 1432 || len(ends["alone"]) != 4259 || len(ends["before"]) != 6966 {
		t.Fatalf("read %d, %d and %d facts", len(lower), len(ends["alone"]), len(ends["before"]))
	}
	sigma := map[bool]string{false: "σ", true: "ς"}
	for r := rune(0); r <= 0x10ffff; r++ {
		if r == 'Σ' || r >= 0xd800 && r < 0xe000 {
			continue
		}
		c := string(r)
		want := c
		if l, changes := lower[r]; changes {
			want = l
		}
		for _, tt := range [...]struct{ in, want string }{
			{c, want},
			{c + "Σ", want + sigma[ends["alone"][r]]},
			{"A" + c + "Σ", "a" + want + sigma[ends["before"][r]]},
			{"AΣ" + c, "a" + sigma[!ends["alone"][r]] + want},
		} {
			if got := value.Lower(tt.in); got != tt.want {
				t.Errorf("%U in %q: got %q, want %q", r, tt.in, got, tt.want)
			}
		}
	}
}

func TestLowerOfTexts(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"Σ":                      "σ",
		"ΟΔΟΣ":                   "οδος",
		"ΟΔΟΣ ΟΔΟΣ.":             "οδος οδος.",
		"ΑΣ'Α":                   "ασ'α",
		"ΑΣ'":                    "ας'",
		"İSTANBUL I":             "i̇stanbul i",
		"\xed\xa0\xbdA":          "\xed\xa0\xbda",
		"AΣ\xed\xb0\x80Σ":        "aς\xed\xb0\x80σ",
		"Straße ǅ \u2126 \u212a": "straße ǆ ω k",
	} {
		if got := value.Lower(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
