package trials

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/maruel/natural"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Column is a column that lists can be sorted by.
type Column struct {
	Key, Title string
	Numeric    bool
	of         func(*Line) (n float64, text string, known bool) // texts are compared in the natural order: task 9 is before task 10
}

// Columns are those of lists, in the order of a page.
func Columns() []Column {
	text := func(key, title string, of func(*Line) string) Column {
		return Column{key, title, false, func(l *Line) (float64, string, bool) { s := of(l); return 0, s, s != "" }}
	}
	number := func(key, title string, of func(*Line) (float64, bool)) Column {
		return Column{key, title, true, func(l *Line) (float64, string, bool) { n, known := of(l); return n, "", known }}
	}
	return []Column{
		text("outcome", "Outcome", func(l *Line) string { return string(l.Outcome) }),
		text("task", "Task / trial", func(l *Line) string { return fmt.Sprintf("%s / %d", l.Task, l.Trial) }),
		text("system", "System", func(l *Line) string { return l.System }),
		text("domain", "Domain", func(l *Line) string { return l.Domain }),
		text("slice", "PV/Mut", func(l *Line) string { return string(l.Slice) }),
		number("reward", "Reward", func(l *Line) (float64, bool) { return deref(l.Reward) }),
		text("ending", "Ended", func(l *Line) string { return string(l.Ending) }),
		number("steps", "Steps", func(l *Line) (float64, bool) { return float64(l.Steps), l.Ran() }),
		number("cost", "Cost", func(l *Line) (float64, bool) { return deref(l.Cost) }),
		number("tokens", "Tokens", func(l *Line) (float64, bool) { return deref(l.Tokens) }),
		number("time", "Time", func(l *Line) (float64, bool) { return l.Seconds, l.Ran() }),
		number("attempts", "Attempts", func(l *Line) (float64, bool) { return float64(l.Attempts), l.Ran() }),
	}
}

func deref[N int64 | float64](n *N) (float64, bool) {
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}

// CheckSort refuses a column that there is not.
func CheckSort(by string) error {
	if _, _, ok := column(by); by == "" || ok {
		return nil
	}
	return fmt.Errorf("there is no column %q to sort by\nhint: %s", by, yamlfile.Suggest(strings.TrimPrefix(by, "-"), ColumnKeys()))
}

// ColumnKeys are what columns are called.
func ColumnKeys() []string {
	var out []string
	for _, c := range Columns() {
		out = append(out, c.Key)
	}
	return out
}

// column is the one that a list is sorted by; down is the other direction.
func column(by string) (c Column, down, ok bool) {
	key, down := strings.CutPrefix(by, "-")
	at := slices.IndexFunc(Columns(), func(c Column) bool { return c.Key == key })
	if at < 0 {
		return c, false, false
	}
	return Columns()[at], down, true
}

// sorted puts places of lines into the order of a column. Lines of one value stay in their order, and those without a value
// come last in both directions.
func sorted(lines []Line, places []int, by string) {
	c, down, ok := column(by)
	if !ok {
		return
	}
	type key struct {
		at      int
		n       float64
		text    string
		unknown bool
	}
	keys := make([]key, len(places))
	for i, at := range places {
		n, text, known := c.of(&lines[at])
		keys[i] = key{at, n, text, !known}
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		switch {
		case a.unknown && b.unknown:
			return 0
		case a.unknown:
			return 1
		case b.unknown:
			return -1
		case down:
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.n, b.n), natural.Compare(a.text, b.text))
	})
	for i, k := range keys {
		places[i] = k.at
	}
}
