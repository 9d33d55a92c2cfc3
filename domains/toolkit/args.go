package toolkit

import (
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Args are the bound arguments of one call: every declared parameter has a value, no other is there.
type Args struct {
	given  *value.Map
	params []Param
}

// Get returns the argument of a declared parameter, its default where the call left it out. Asking for an undeclared
// one is a mistake of the domain's author, and panics.
func (a Args) Get(name string) Value {
	if v, ok := a.given.Get(name); ok {
		return v
	}
	for _, p := range a.params {
		if p.Name == name && p.def != nil {
			return *p.def
		}
	}
	panic("toolkit: parameter not declared: " + name)
}

// Str returns the argument's text as it appears in a message.
func (a Args) Str(name string) string { return a.Get(name).Str() }

// bind checks that the call names known parameters only and all required ones, in that order
// (docs/reference/domains.md#arguments). function is Class.tool.
func bind(function string, params []Param, args *value.Map) (Args, error) {
	for name := range args.All() {
		if !declared(params, name) {
			return Args{}, domains.Refuse("%s() got an unexpected keyword argument '%s'", function, name)
		}
	}
	var missing []string
	for _, p := range params {
		if _, ok := args.Get(p.Name); !ok && p.def == nil {
			missing = append(missing, "'"+p.Name+"'")
		}
	}
	switch n := len(missing); n {
	case 0:
		return Args{given: args, params: params}, nil
	case 1:
		return Args{}, domains.Refuse("%s() missing 1 required positional argument: %s", function, missing[0])
	case 2:
		return Args{}, domains.Refuse("%s() missing 2 required positional arguments: %s", function, strings.Join(missing, " and "))
	default:
		return Args{}, domains.Refuse("%s() missing %d required positional arguments: %s, and %s", function, n,
			strings.Join(missing[:n-1], ", "), missing[n-1])
	}
}

func declared(params []Param, name string) bool {
	for _, p := range params {
		if p.Name == name {
			return true
		}
	}
	return false
}

// Key returns the text by which a map can be searched. A list or object cannot be a key and is an error; any other
// value is a key that no map has, and ok is false.
func Key(v Value) (key string, ok bool, err error) {
	switch v.Kind() {
	case value.List, value.Object:
		return "", false, domains.Refuse("unhashable type: '%s'", v.TypeName())
	}
	key, ok = v.Text()
	return key, ok, nil
}

// Find looks a record up for reading; missing is the text for a key that is not there.
func Find[V any](t *record.Table[V], v Value, missing string) (key string, rec *V, err error) {
	key, ok, err := Key(v)
	if err != nil {
		return "", nil, err
	}
	if ok {
		if rec, ok = t.Get(key); ok {
			return key, rec, nil
		}
	}
	return "", nil, domains.Refusal(missing)
}

// FindIn is Find in a map within a record.
func FindIn[V any](d *record.Dict[V], v Value, missing string) (*V, error) {
	key, ok, err := Key(v)
	if err != nil {
		return nil, err
	}
	if ok {
		if p := d.Get(key); p != nil {
			return p, nil
		}
	}
	return nil, domains.Refusal(missing)
}

// Iterate walks a value as the reference's for loop does: a list by element, a text by character, an object by key.
func Iterate(v Value) ([]Value, error) {
	if items, ok := v.Items(); ok {
		return items, nil
	}
	var out []Value
	if s, ok := v.Text(); ok {
		for c := range value.Characters(s) {
			out = append(out, value.OfString(c))
		}
		return out, nil
	}
	if m, ok := v.Map(); ok {
		for k := range m.All() {
			out = append(out, value.OfString(k))
		}
		return out, nil
	}
	return nil, domains.Refuse("'%s' object is not iterable", v.TypeName())
}

// Count is the length of a value that Iterate accepts.
func Count(v Value) (int, error) {
	items, err := Iterate(v)
	if err != nil {
		return 0, domains.Refuse("object of type '%s' has no len()", v.TypeName())
	}
	return len(items), nil
}
