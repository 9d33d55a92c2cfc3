package trials

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/sim"
)

func TestWords(t *testing.T) {
	for typed, want := range map[string]Words{
		"": nil, ` "" " " `: nil, "one  two": {"one", "two"}, `"one  two" three`: {"one two", "three"}, `a"b c"d`: {"a", "b c", "d"}, `"not closed`: {"not closed"},
		"a\tb\u00a0c": {"a", "b", "c"}, "\u202e": {`\u{202e}`}, "a b a \"a\"": {"a", "b"},
	} {
		if diff := cmp.Diff(want, NewWords(typed)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", typed, diff)
		}
	}
}

// FuzzQuery: whatever an address says, the query of it is the same when it is written and read again, and what is found by the
// folded words in a text is what the pattern marks in it.
func FuzzQuery(f *testing.F) {
	f.Add("q=%22one+two%22+three&sort=-cost&domain=a&domain=b&page=2", "One  TWO three")
	f.Add("q=stra%C3%9Fe+k", "STRASSE Straße \u212a")
	f.Add("sort=nothing&task=", "")
	f.Add("q=%C5%BF%22", "S\u017f\u00b5\u03bc")
	f.Fuzz(func(t *testing.T, address, text string) {
		values, err := url.ParseQuery(address)
		if err != nil {
			t.Skip("no query")
		}
		q := NewQuery(values)
		if diff := cmp.Diff(q.Values(), NewQuery(q.Values()).Values()); diff != "" {
			t.Fatalf("read again (-first +second):\n%s", diff)
		}
		if !strings.Contains(text, "\ufffd") {
			text = strings.ToValidUTF8(text, "")
		}
		text = strings.Join(strings.Fields(text), " ")
		for _, w := range q.Words() {
			one := Words{w}
			found, marked := holds(foldBytes(nil, []byte(text)), one.folded()), one.Pattern().MatchString(text)
			if found != marked {
				t.Fatalf("%q in %q: found %v, marked %v", w, text, found, marked)
			}
			if parts := excerpt(text, one.Pattern()); marked != slices.ContainsFunc(parts, func(p Part) bool { return p.Marked }) {
				t.Fatalf("%q in %q: the excerpt is %v", w, text, parts)
			}
		}
	})
}

// TestSorted: every column puts the lines into one order in both directions, with equal ones as they were and unknown ones last.
func TestSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := rapid.Ptr(rapid.Float64Range(0, 3), true)
		lines := rapid.SliceOf(rapid.Custom(func(t *rapid.T) Line {
			return Line{Planned: config.Planned{Key: sim.Key{Task: rapid.SampledFrom([]string{"2", "10", "a9", "a10", "a"}).Draw(t, "task"), Trial: rapid.IntRange(0, 12).Draw(t, "trial")}},
				Cost: cost.Draw(t, "cost"), Steps: rapid.IntRange(0, 3).Draw(t, "steps"), sha256: rapid.SampledFrom([]string{"", "x"}).Draw(t, "ran")}
		})).Draw(t, "lines")
		by := rapid.SampledFrom(ColumnKeys()).Draw(t, "by")
		c, _, _ := column(by)
		order := func(by string) (known, unknown []int) {
			places := make([]int, len(lines))
			for i := range places {
				places[i] = i
			}
			sorted(lines, places, by)
			for _, i := range places {
				if _, _, ok := c.of(&lines[i]); ok {
					if known = append(known, i); len(unknown) > 0 {
						t.Fatalf("by %s: %v comes behind %v, which are unknown", by, i, unknown)
					}
				} else {
					unknown = append(unknown, i)
				}
			}
			return known, unknown
		}
		up, lacking := order(by)
		down, lacking2 := order("-" + by)
		if !slices.IsSorted(lacking) || !slices.Equal(lacking, lacking2) {
			t.Fatalf("by %s: unknown ones move: %v, %v", by, lacking, lacking2)
		}
		key := func(i int) (string, float64) { n, s, _ := c.of(&lines[i]); return s, n }
		for k := range up {
			s, n := key(up[k])
			if s2, n2 := key(down[len(down)-1-k]); s != s2 || n != n2 {
				t.Fatalf("by %s: up and down are not the same order", by)
			}
			if k > 0 {
				if s0, n0 := key(up[k-1]); n0 > n || s0 == s && n0 == n && up[k-1] > up[k] {
					t.Fatalf("by %s: %v before %v", by, up[k-1], up[k])
				}
			}
		}
	})
	places, lines := []int{0, 1, 2}, []Line{{Planned: config.Planned{Key: sim.Key{Task: "task 10"}}}, {Planned: config.Planned{Key: sim.Key{Task: "task 9"}}}, {Planned: config.Planned{Key: sim.Key{Task: "task 1"}}}}
	if sorted(lines, places, "task"); !slices.Equal(places, []int{2, 1, 0}) {
		t.Errorf("tasks are in the order %v", places)
	}
}

// TestFoldIsThatOfPatterns compares what is folded alike with what a pattern takes for one letter, of all characters.
func TestFoldIsThatOfPatterns(t *testing.T) {
	for r := rune(1); r < 0x1f000; r++ {
		lower, upper := strings.ToLower(string(r)), strings.ToUpper(string(r))
		for _, other := range []string{lower, upper} {
			if len([]rune(other)) != 1 || other == string(r) || strings.ContainsRune(" \ufffd", r) {
				continue
			}
			if got, want := fold(other) == fold(string(r)), regexp.MustCompile("^(?i)"+regexp.QuoteMeta(other)+"$").MatchString(string(r)); got != want {
				t.Errorf("%q and %q: folded alike %v, matched %v", string(r), other, got, want)
			}
		}
	}
}
