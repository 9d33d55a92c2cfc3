package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// toolsDocument lists the agent's tools, those that change something apart from those that only read, and the values
// that closed fields of the database take.
func toolsDocument(w *domains.World) string {
	var b strings.Builder
	part := func(title string, mutating bool) {
		fmt.Fprintf(&b, "## %s\n", title)
		for _, s := range w.Agent.Specs() {
			if w.Agent.Mutates(s.Name) == mutating {
				fmt.Fprintf(&b, "\n### %s\n\n%s\n\nParameters: %s\n", s.Name, strings.TrimSpace(s.Description), compact(s.Parameters))
			}
		}
	}
	part("Mutating tools", true)
	b.WriteString("\n")
	part("Read-only tools", false)
	agent, _ := w.Fresh()
	if words := closedValues(agent); len(words) > 0 {
		b.WriteString("\n## Values that fields take\n\n")
		for _, field := range slices.Sorted(maps.Keys(words)) {
			fmt.Fprintf(&b, "- %s: %s\n", field, strings.Join(words[field], " | "))
		}
	}
	return b.String()
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return "none"
	}
	return b.String()
}

// The bounds of a closed vocabulary.
const (
	minValues  = 2
	maxValues  = 40
	maxLetters = 24
)

var (
	datePattern = regexp.MustCompile(`^\d{1,4}[-/:]\d{1,2}`)
	nameField   = regexp.MustCompile(`(?i)(^|_)(first|last|full|middle)?_?name$|(^|_)(dob|date|time|email|phone|zip|address\d?|city|country|state|id|number)(_|$)`)
)

// closedValues finds the string fields of a database that take few and short values. Dates, personal names, addresses
// and identifiers are left out.
func closedValues(db domains.Database) map[string][]string {
	source, ok := db.(interface{ Value() value.Value })
	if !ok {
		return nil
	}
	seen := map[string]map[string]bool{}
	collect(source.Value(), "", seen)
	out := map[string][]string{}
	for field, values := range seen {
		if len(values) < minValues || len(values) > maxValues || nameField.MatchString(field) {
			continue
		}
		list := slices.Sorted(maps.Keys(values))
		if !slices.ContainsFunc(list, func(v string) bool { return !plausible(v) }) {
			out[field] = list
		}
	}
	return out
}

func collect(v value.Value, field string, seen map[string]map[string]bool) {
	if items, ok := v.Items(); ok {
		for _, x := range items {
			collect(x, field, seen)
		}
		return
	}
	if m, ok := v.Map(); ok {
		for key, x := range m.All() {
			collect(x, key, seen)
		}
		return
	}
	if text, ok := v.Text(); ok && field != "" {
		if seen[field] == nil {
			seen[field] = map[string]bool{}
		}
		if len(seen[field]) <= maxValues {
			seen[field][text] = true
		}
	}
}

// plausible reports whether a value can be a member of a closed set.
func plausible(v string) bool {
	return v != "" && len([]rune(v)) <= maxLetters && !datePattern.MatchString(v) &&
		!strings.ContainsFunc(v, unicode.IsControl) && strings.ContainsFunc(v, unicode.IsLetter)
}
