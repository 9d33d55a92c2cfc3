package author

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/tauguide/tauguide/domains"
)

// lineage says where each line of a policy is in a later state of it.
type lineage struct {
	now     map[place]place // lines that are gone are not in it
	changed map[place]bool  // lines, by their old place, that say something else now
}

// alike is the share of words from which on a line that stands in the place of another is taken for that one, changed.
const alike = 0.5

// span is what became of some lines that follow each other: others stand there now, or none.
type span struct{ old, new []place }

// newLineage compares two states of a policy, white space aside. A line that stands elsewhere is found again where it is
// the only one that says this.
func newLineage(before, after []domains.Document) *lineage {
	l := &lineage{now: map[place]place{}, changed: map[place]bool{}}
	var spans []span
	for _, d := range before {
		i := slices.IndexFunc(after, func(x domains.Document) bool { return x.Name == d.Name })
		other := domains.Document{Name: d.Name}
		if i >= 0 {
			other = after[i]
		}
		spans = append(spans, l.match(d.Name, squeezed(d), squeezed(other))...)
	}
	for _, d := range after {
		if !slices.ContainsFunc(before, func(x domains.Document) bool { return x.Name == d.Name }) {
			spans = append(spans, l.match(d.Name, nil, squeezed(d))...)
		}
	}
	oldTexts, newTexts := textsOf(before), textsOf(after)
	blank := func(of map[place]string) func(place) bool { return func(p place) bool { return of[p] == "" } }
	byText := map[string]*span{}
	for i := range spans {
		spans[i].old = slices.DeleteFunc(spans[i].old, blank(oldTexts))
		spans[i].new = slices.DeleteFunc(spans[i].new, blank(newTexts))
		for _, p := range spans[i].old {
			at(byText, oldTexts[p]).old = append(at(byText, oldTexts[p]).old, p)
		}
		for _, p := range spans[i].new {
			at(byText, newTexts[p]).new = append(at(byText, newTexts[p]).new, p)
		}
	}
	taken := map[place]bool{}
	for _, s := range byText {
		if len(s.old) == 1 && len(s.new) == 1 {
			l.now[s.old[0]] = s.new[0]
			taken[s.new[0]] = true
		}
	}
	for _, s := range spans {
		l.pair(s, taken, oldTexts, newTexts)
	}
	return l
}

func at(m map[string]*span, text string) *span {
	if m[text] == nil {
		m[text] = &span{}
	}
	return m[text]
}

// squeezed are the lines of a document without the white space that says nothing.
func squeezed(d domains.Document) []string {
	out := lines(d)
	for i, line := range out {
		out[i] = strings.Join(strings.Fields(line), " ")
	}
	return out
}

func textsOf(documents []domains.Document) map[place]string {
	out := map[place]string{}
	for _, d := range documents {
		for i, line := range squeezed(d) {
			out[place{d.Name, i + 1}] = line
		}
	}
	return out
}

// match notes the lines that two states of a document have in common, and returns the spans between them.
func (l *lineage) match(name string, a, b []string) (out []span) {
	join := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return strings.Join(list, "\n") + "\n"
	}
	text, i, j, offset := join(a), 1, 1, 0
	same := func(until int) {
		for range strings.Count(text[offset:until], "\n") {
			l.now[place{name, i}] = place{name, j}
			i, j = i+1, j+1
		}
	}
	for _, e := range udiff.Lines(text, join(b)) {
		same(e.Start)
		var s span
		for range strings.Count(text[e.Start:e.End], "\n") {
			s.old = append(s.old, place{name, i})
			i++
		}
		for range strings.Count(e.New, "\n") {
			s.new = append(s.new, place{name, j})
			j++
		}
		out, offset = append(out, s), e.End
	}
	same(len(text))
	return out
}

// pair finds for each line of a span the one in its place that is most like it; where as many are left as there were, each
// stands for its own.
func (l *lineage) pair(s span, taken map[place]bool, before, after map[place]string) {
	for _, p := range s.old {
		if _, moved := l.now[p]; moved {
			continue
		}
		best, share := place{}, 0.0
		for _, q := range s.new {
			if x := likeness(before[p], after[q]); !taken[q] && x > share {
				best, share = q, x
			}
		}
		if share >= alike {
			l.now[p], l.changed[p], taken[best] = best, true, true
		}
	}
	gone := slices.DeleteFunc(slices.Clone(s.old), func(p place) bool { _, there := l.now[p]; return there })
	left := slices.DeleteFunc(slices.Clone(s.new), func(p place) bool { return taken[p] })
	if len(gone) == len(left) {
		for i, p := range gone {
			l.now[p], l.changed[p], taken[left[i]] = left[i], true, true
		}
	}
}

// likeness is the share of words that two lines have in common.
func likeness(a, b string) float64 {
	count := map[string]int{}
	for _, word := range strings.Fields(a) {
		count[word]++
	}
	common, words := 0, len(strings.Fields(a))
	for _, word := range strings.Fields(b) {
		words++
		if count[word] > 0 {
			count[word]--
			common++
		}
	}
	return 2 * float64(common) / float64(max(words, 1))
}

// places are where lines are now, in order.
func (l *lineage) places(old []place) (out []place) {
	for _, p := range old {
		if q, ok := l.now[p]; ok {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(a, b place) int { return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line) })
	return slices.Compact(out)
}
