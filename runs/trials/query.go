package trials

import (
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/yamlfile"
)

// Query is what a reader asks for of a list, as an address says it: values by name. Of several values of one name one has
// to fit, and all names do. The zero value asks for everything in the order of the plan.
//
// The names are those of Fields; q, which stands for words that were said; and sort, a column with a minus before it
// for the other direction.
type Query struct{ values url.Values }

// The names that are not of fields.
const (
	Text = "q"
	Sort = "sort"
)

// Field is something that trials are chosen by.
type Field struct {
	Name, Title string
	of          func(*Line) string   // what a line shows; "" for nothing
	all         func(*Line) []string // where it may show several; both are nil where the conversation has to be read
	said        func(*doc) []string
}

// Fields are all that there are.
func Fields() []Field {
	return []Field{
		{Name: "domain", Title: "Domain", of: func(l *Line) string { return l.Domain }},
		{Name: "system", Title: "System", of: func(l *Line) string { return l.System }},
		{Name: "outcome", Title: "Outcome", of: func(l *Line) string { return string(l.Outcome) }},
		{Name: "slice", Title: "PV / Mut", of: func(l *Line) string { return string(l.Slice) }},
		{Name: "ending", Title: "Ending", of: func(l *Line) string { return string(l.Ending) }},
		{Name: "fault", Title: "Fault", of: (*Line).faulty},
		{Name: "trouble", Title: "Trouble", all: func(l *Line) []string { return l.Troubles }},
		{Name: "task", Title: "Task", of: func(l *Line) string { return l.Task }},
		{Name: "tool", Title: "Tool called", said: func(d *doc) []string { return d.tools }},
		{Name: "stopped", Title: "Stopped at", said: func(d *doc) []string { return d.stopped }},
	}
}

// Listed reports whether the field has few values, of which each is in the list of a run.
func (f Field) Listed() bool { return f.shown() && f.Name != "task" }

// shown reports whether a line shows the field.
func (f Field) shown() bool { return f.of != nil || f.all != nil }

// values are what a line shows of the field.
func (f Field) values(l *Line) iter.Seq[string] {
	return func(yield func(string) bool) {
		if f.of != nil {
			if v := f.of(l); v != "" {
				yield(v)
			}
			return
		}
		for _, v := range f.all(l) {
			if !yield(v) {
				return
			}
		}
	}
}

// Any is the value of a field whose every value fits, where there is one.
const Any = "any"

// faulty is the fault of a trial; of a void one that has none, its ending.
func (l *Line) faulty() string {
	if l.Fault == "" && l.Outcome == Void {
		return string(l.Ending)
	}
	return l.Fault
}

// NewQuery keeps what of an address is a query.
func NewQuery(v url.Values) Query {
	q := Query{url.Values{}}
	for _, name := range append(fieldNames(), Text, Sort) {
		for _, value := range v[name] {
			if value != "" && !slices.Contains(q.values[name], value) {
				q.values[name] = append(q.values[name], value)
			}
		}
	}
	if _, _, known := column(q.values.Get(Sort)); !known {
		q.values.Del(Sort)
	}
	return q
}

func fieldNames() []string {
	var out []string
	for _, f := range Fields() {
		out = append(out, f.Name)
	}
	return out
}

// Values are the query as an address has it, for the caller to add to.
func (q Query) Values() url.Values {
	out := url.Values{}
	for name, values := range q.values {
		out[name] = slices.Clone(values)
	}
	return out
}

// Of are the values of a name.
func (q Query) Of(name string) []string { return q.values[name] }

// With is the query with other values of a name; none takes it out.
func (q Query) With(name string, values ...string) Query {
	v := q.Values()
	v[name] = values
	return NewQuery(v)
}

// Narrow reports whether the query leaves anything out.
func (q Query) Narrow() bool { return len(q.With(Sort).values) > 0 }

// UnknownError is a value that no trial of a run has: most likely a typing mistake.
type UnknownError struct{ Field, Value, Hint string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no trial has the %s %q\nhint: %s", e.Field, e.Value, e.Hint)
}

// check refuses values that no line has. What is in conversations is not looked at.
func (q Query) check(lines []Line) error {
	for _, f := range Fields() {
		for _, v := range q.values[f.Name] {
			if !f.shown() || v == Any {
				continue
			}
			if known := known(lines, f); len(f.meant(v, known)) == 0 {
				return &UnknownError{f.Name, v, suggest(v, known)}
			}
		}
	}
	return nil
}

// meant are the values that one stands for: itself, or tasks that have it as a part of their ids, in whatever case, where
// none is called so.
func (f Field) meant(v string, known map[string]bool) []string {
	if known[v] {
		return []string{v}
	}
	var out []string
	for name := range known {
		if f.Name == "task" && strings.Contains(fold(name), fold(v)) {
			out = append(out, name)
		}
	}
	return out
}

// known are the values that lines have of a field; outcomes are known also where no trial has them.
func known(lines []Line, f Field) map[string]bool {
	out := map[string]bool{}
	for i := range lines {
		for v := range f.values(&lines[i]) {
			out[v] = true
		}
	}
	if f.Name == "outcome" {
		for _, o := range Outcomes() {
			out[string(o)] = true
		}
	}
	return out
}

// suggest is yamlfile.Suggest for a set that may be large.
func suggest(word string, known map[string]bool) string {
	names := slices.Sorted(maps.Keys(known))
	if len(names) > 12 && yamlfile.Nearest(word, names) == "" {
		names = append(names[:12:12], "…")
	}
	return yamlfile.Suggest(word, names)
}

// Choices counts the trials by what they have of a field, in the order of the lines; a trial may have several.
func Choices(lines []Line, f Field) (names []string, count map[string]int) {
	count = map[string]int{}
	for i := range lines {
		for name := range f.values(&lines[i]) {
			if count[name] == 0 {
				names = append(names, name)
			}
			count[name]++
		}
	}
	return names, count
}

// fits tells what of a line must hold, apart from what was said: a check for each name.
func (q Query) fits(lines []Line) []func(*Line) bool {
	var out []func(*Line) bool
	for _, f := range Fields() {
		values := q.values[f.Name]
		if !f.shown() || len(values) == 0 {
			continue
		}
		wanted, known := map[string]bool{}, known(lines, f)
		for _, v := range values {
			wanted[v] = v == Any
			for _, name := range f.meant(v, known) {
				wanted[name] = true
			}
		}
		out = append(out, func(l *Line) bool {
			for v := range f.values(l) {
				if wanted[Any] || wanted[v] {
					return true
				}
			}
			return false
		})
	}
	return out
}
