package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

// What of a result is shown in brief.
const (
	briefResult  = 160 // characters of a result that is not folded
	briefText    = 300 // characters of one that is no JSON
	briefValue   = 60  // characters of a value
	mostFields   = 8
	firstFields  = 3
	leastTelling = 3 // characters of a value that is taken for the same thing when it comes again
)

// leaf is a value of a document that has no parts.
type leaf struct {
	path string // dotted, as in the differences of databases
	text string // JSON
	told string // the value as a mention of the same thing has it; "" for what says too little to tell, such as true and 2
}

func leaves(path string, v value.Value, dst []leaf) []leaf {
	if m, ok := v.Map(); ok {
		for name, part := range m.All() {
			dst = leaves(strings.TrimPrefix(path+"."+name, "."), part, dst)
		}
		return dst
	}
	if items, ok := v.Items(); ok {
		for i, part := range items {
			dst = leaves(strings.TrimPrefix(path+"."+strconv.Itoa(i), "."), part, dst)
		}
		return dst
	}
	l := leaf{path: path, text: spaced(v)}
	if told := strings.Trim(l.text, `"`); len(told) >= leastTelling && v.Kind() != value.Bool && !v.IsNull() {
		l.told = told
	}
	return append(dst, l)
}

// folder says in brief what results have, given what was known before and what was asked for and told after.
type folder struct {
	called map[string]int  // the last message that has a value among its arguments
	told   map[string]int  // the last one of the agent's that has it among its words
	known  map[string]bool // words, arguments and values of results so far
	seen   map[string]sight
}

// sight is when a record was last seen, and how it was then.
type sight struct {
	at     int
	record value.Value
}

// briefs are the results of the first messages of a conversation in brief, by message; a result that is short as it is has none. What has been
// seen before is told by what changed since, and anything else by the fields whose values are new and are called with or
// told later, if there are any.
func briefs(messages, all []sim.Message) map[int]string {
	f := folder{called: map[string]int{}, told: map[string]int{}, known: map[string]bool{}, seen: map[string]sight{}}
	for i, m := range all {
		for _, value := range arguments(m) {
			f.called[value] = i
		}
		if m.Role == domains.RoleAssistant {
			for _, word := range words(m.TextOf()) {
				f.told[word] = i
			}
		}
	}
	out := map[int]string{}
	for i, m := range messages {
		if m.Role != domains.RoleTool {
			for _, value := range append(arguments(m), words(m.TextOf())...) {
				f.known[value] = true
			}
			continue
		}
		if brief := f.result(i, m.TextOf()); brief != "" {
			out[i] = brief
		}
	}
	return out
}

// arguments are the values that a message calls with, and their words.
func arguments(m sim.Message) (out []string) {
	for _, c := range m.ToolCalls {
		for _, l := range leaves("", c.Arguments, nil) {
			out = append(append(out, l.told), words(l.told)...)
		}
	}
	return out
}

// words are those of a text that a value of a result may be mentioned as.
func words(text string) []string {
	out := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.#@", r)
	})
	for i, word := range out {
		out[i] = strings.Trim(word, ".-")
	}
	return out
}

// result is a result in brief; "" for one that needs none.
func (f *folder) result(at int, text string) string {
	v, err := value.ParseString(text)
	_, isMap := v.Map()
	_, isList := v.Items()
	long := len([]rune(text)) > briefResult
	if err != nil || !isMap && !isList {
		if long {
			return Clipped(text, briefText)
		}
		return ""
	}
	all := leaves("", v, nil)
	defer func() {
		for _, l := range all {
			f.known[l.told] = true
		}
	}()
	before, again := f.seen[identity(v)]
	if id := identity(v); id != "" {
		f.seen[id] = sight{at, v}
	}
	switch {
	case !long:
		return ""
	case again:
		return changes(before, v)
	}
	return f.fields(at, all)
}

// identity tells whether two documents are of one record: the same fields, of which the first, which is the key in all
// domains, has the same value.
func identity(v value.Value) string {
	m, ok := v.Map()
	if !ok || m.Len() < 2 {
		return ""
	}
	first := ""
	var names []string
	for name, part := range m.All() {
		if first == "" {
			first = name + "=" + part.Repr()
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return first + "\n" + strings.Join(names, "\n")
}

// changedSince begins what is said of a record that was seen before.
const changedSince = "changed since message"

func changes(before sight, now value.Value) string {
	found := record.DiffValues("", before.record, now, nil)
	if len(found) == 0 {
		return fmt.Sprintf("as in message %d", before.at)
	}
	var parts []string
	for _, c := range found[:min(len(found), mostFields)] {
		parts = append(parts, fmt.Sprintf("%s: %s → %s", c.Path, Clipped(c.Want, briefValue), Clipped(c.Got, briefValue)))
	}
	return fmt.Sprintf("%s %d: %s", changedSince, before.at, listed(parts, len(found), "change"))
}

// fields are those whose values are new here and called with later, then those that are told; otherwise the first that
// are new, otherwise the first.
func (f *folder) fields(at int, all []leaf) string {
	var fresh, used []leaf
	for _, l := range all {
		if l.told != "" && !f.known[l.told] && !slices.ContainsFunc(fresh, func(other leaf) bool { return other.told == l.told }) {
			fresh = append(fresh, l)
		}
	}
	for _, l := range fresh {
		if f.called[l.told] > at {
			used = append(used, l)
		}
	}
	for _, l := range fresh {
		if f.told[l.told] > at && f.called[l.told] <= at {
			used = append(used, l)
		}
	}
	for _, others := range [][]leaf{fresh, all} {
		if len(used) == 0 {
			used = others[:min(len(others), firstFields)]
		}
	}
	var parts []string
	for _, l := range used[:min(len(used), mostFields)] {
		parts = append(parts, l.path+": "+Clipped(l.text, briefValue))
	}
	return listed(parts, len(all), "field")
}

// listed says how many of a list are left out.
func listed(parts []string, of int, what string) string {
	out := strings.Join(parts, ", ")
	switch n := of - len(parts); {
	case n == 1:
		return out + ", … 1 more " + what
	case n > 1:
		return out + fmt.Sprintf(", … %d more %ss", n, what)
	}
	return out
}
