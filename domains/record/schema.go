package record

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains/value"
)

// Defs collects the named definitions that a JSON Schema refers to.
type Defs struct {
	byName map[string]*value.Map
}

// define returns a reference to the named definition, making it on first use.
func (d *Defs) define(name string, build func() *value.Map) *value.Map {
	if d.byName == nil {
		d.byName = map[string]*value.Map{}
	}
	if _, ok := d.byName[name]; !ok {
		d.byName[name] = nil // a recursive type refers to itself
		d.byName[name] = build()
	}
	return value.MapOf(value.Pair{Key: "$ref", Value: value.OfString("#/$defs/" + name)})
}

// Map returns the definitions, alphabetically; nil if there are none.
func (d *Defs) Map() *value.Map {
	if len(d.byName) == 0 {
		return nil
	}
	out := &value.Map{}
	names := make([]string, 0, len(d.byName))
	for n := range d.byName {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		out.Set(n, value.OfMap(d.byName[n]))
	}
	return out
}

// Schema returns the JSON Schema of the type, without title and description; named types go into defs.
func (t Type[T]) Schema(defs *Defs) *value.Map { return t.schema(defs) }

func scalarSchema(name string) func(*Defs) *value.Map {
	m := value.MapOf(value.Pair{Key: "type", Value: value.OfString(name)})
	return func(*Defs) *value.Map { return m }
}

func anyOf(alternatives ...*value.Map) *value.Map {
	list := make([]value.Value, len(alternatives))
	for i, a := range alternatives {
		list[i] = value.OfMap(a)
	}
	return value.MapOf(value.Pair{Key: "anyOf", Value: value.OfList(list)})
}

// Title is the title of a parameter or field in a schema: gb_amount gives Gb Amount.
func Title(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if first, n := utf8.DecodeRuneInString(w); n > 0 {
			words[i] = string(unicode.ToUpper(first)) + w[n:]
		}
	}
	return strings.Join(words, " ")
}

// Property completes the schema of a type to that of a parameter or field: title (not beside a reference), default,
// description, members in alphabetical order.
func Property(name, doc string, schema *value.Map, def *value.Value) *value.Map {
	full := &value.Map{}
	for k, v := range schema.All() {
		full.Set(k, v)
	}
	if def != nil {
		full.Set("default", *def)
	}
	if doc != "" {
		full.Set("description", value.OfString(doc))
	}
	if _, isRef := schema.Get("$ref"); !isRef {
		full.Set("title", value.OfString(Title(name)))
	}
	keys := make([]string, 0, full.Len())
	for k := range full.All() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	sorted := &value.Map{}
	for _, k := range keys {
		v, _ := full.Get(k)
		sorted.Set(k, v)
	}
	return sorted
}
