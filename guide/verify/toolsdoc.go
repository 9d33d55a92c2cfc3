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

// ValuesTitle is the heading of the values that closed fields take in ToolsDocument.
const ValuesTitle = "## Values that fields take"

// ToolsDocument lists the agent's tools, those that change something apart from those that only read, and the values
// that closed fields take.
func ToolsDocument(w *domains.World) string {
	var b strings.Builder
	part := func(title string, mutating bool) {
		fmt.Fprintf(&b, "## %s\n", title)
		for _, s := range w.Agent.Specs() {
			if w.Agent.Mutates(s.Name) == mutating {
				fmt.Fprintf(&b, "\n### %s\n\n%s\n\nParameters: %s\n", s.Name, strings.TrimSpace(s.Description), compact(s.Parameters))
				if s.Returns != nil {
					fmt.Fprintf(&b, "\nReturns: %s\n", compact(s.Returns))
				}
			}
		}
	}
	part("Mutating tools", true)
	b.WriteString("\n")
	part("Read-only tools", false)
	if words := vocabularies(w); len(words) > 0 {
		b.WriteString("\n" + ValuesTitle + "\n\n")
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
	maxLetters = 24 // of values that are only found in the database
)

// What identifies, or tells of one person or day, is no vocabulary.
var (
	datePattern = regexp.MustCompile(`^\d{1,4}[-/:]\d{1,2}`)
	ownField    = regexp.MustCompile(`(?i)(^|_)(first|last|full|middle)?_?name$|(^|_)(dob|date|time|email|phone|zip|street|address\d?|city|country|state|ids?|numbers?)(_|$)`)
)

// vocabularies are the values of closed fields, by name of the field: those that the schemas of tools and records
// declare, and those that string fields of the database hold, where they are few and short.
func vocabularies(w *domains.World) map[string][]string {
	agent, _ := w.Fresh()
	declared, found := words{}, words{}
	for _, s := range w.Agent.Specs() {
		for _, part := range []json.RawMessage{s.Parameters, s.Returns} {
			if schema, err := value.Parse(part); err == nil {
				declared.schema(schema, "", schema)
			}
		}
	}
	if defs := agent.Schemas(); defs != nil {
		root := value.OfMap(value.MapOf(value.Pair{Key: "$defs", Value: value.OfMap(defs)}))
		declared.schema(root, "", root)
	}
	found.collect(agent.Value(), "")
	for field, values := range found {
		if ownField.MatchString(field) || declared[field] == nil && !closed(values) {
			continue
		}
		for v := range values {
			if declared[field] == nil || plausible(v) {
				declared.add(field, v)
			}
		}
	}
	out := map[string][]string{}
	for field, values := range declared {
		if len(values) >= minValues && len(values) <= maxValues {
			out[field] = slices.Sorted(maps.Keys(values))
		}
	}
	return out
}

// words are values by field.
type words map[string]map[string]bool

func (w words) add(field, text string) {
	if w[field] == nil {
		w[field] = map[string]bool{}
	}
	if len(w[field]) <= maxValues {
		w[field][text] = true
	}
}

// schema adds the enumerations of a JSON Schema, below the properties that have them. What root defines by name counts
// where a property refers to it.
func (w words) schema(v value.Value, field string, root value.Value) {
	if items, ok := v.Items(); ok {
		for _, x := range items {
			w.schema(x, field, root)
		}
		return
	}
	m, ok := v.Map()
	if !ok {
		return
	}
	for key, x := range m.All() {
		switch inner, isMap := x.Map(); {
		case (key == "enum" || key == "const") && field != "":
			w.collect(x, field)
		case key == "$ref":
			if to := enumOf(root, x); field != "" {
				w.collect(to, field)
			}
		case (key == "properties" || key == "$defs" || key == "definitions") && isMap:
			for name, part := range inner.All() {
				if key != "properties" {
					name = ""
				}
				w.schema(part, name, root)
			}
		case key == "items" || key == "anyOf" || key == "oneOf" || key == "allOf" || key == "additionalProperties":
			w.schema(x, field, root)
		}
	}
}

// enumOf is the enumeration that a reference names, null if it names something else.
func enumOf(root, ref value.Value) value.Value {
	text, _ := ref.Text()
	defs, name, _ := strings.Cut(strings.TrimPrefix(text, "#/"), "/")
	for _, key := range []string{defs, name, "enum"} {
		m, ok := root.Map()
		if !ok {
			return value.Value{}
		}
		root, _ = m.Get(key)
	}
	return root
}

func (w words) collect(v value.Value, field string) {
	if items, ok := v.Items(); ok {
		for _, x := range items {
			w.collect(x, field)
		}
		return
	}
	if m, ok := v.Map(); ok {
		for key, x := range m.All() {
			w.collect(x, key)
		}
		return
	}
	if text, ok := v.Text(); ok && field != "" {
		w.add(field, text)
	}
}

// closed reports whether the values of a field look like a closed set.
func closed(values map[string]bool) bool {
	for v := range values {
		if !plausible(v) {
			return false
		}
	}
	return len(values) >= minValues && len(values) <= maxValues
}

// plausible reports whether a value can be a member of a closed set.
func plausible(v string) bool {
	return v != "" && len([]rune(v)) <= maxLetters && !datePattern.MatchString(v) &&
		!strings.ContainsFunc(v, unicode.IsControl) && strings.ContainsFunc(v, unicode.IsLetter)
}
