// Package record describes typed database records by tables of fields instead of reflection. One description of a
// type drives everything that is done with it: loading a value under the reference's lax coercions, rendering in
// declaration order, the canonical (sorted) bytes under a database hash, deep copies, JSON Schema, and differences.
//
// The two kinds of database build on the descriptions: Table, a large shared base with a small private delta
// per trial (copy on first write of a record), and Tree, a small database that is copied whole.
package record

import (
	"math"
	"slices"

	"github.com/tauguide/tauguide/domains/value"
)

// Type describes how values of the Go type T are loaded, rendered and copied. Build one with the constructors of this
// package or, for a scalar of a domain's own (a date, say), with New. A Type is immutable and safe for concurrent use.
type Type[T any] struct {
	load   func(l *Loader, v value.Value) T
	dump   func(dst []byte, v *T, o value.Order) []byte
	clone  func(v *T) T // nil where plain assignment is a deep copy
	value  func(v *T) value.Value
	schema func(d *Defs) *value.Map
	same   func(a, b *T) bool                                     // may say no to values that dump alike, as objects in another order
	parts  func(path string, want, got *T, dst []Change) []Change // differences by field; nil where T has none
	name   string                                                 // of a Struct or NamedEnum, else empty
}

// Scalar is what New needs: how a value of T is loaded (reporting what is wrong to the Loader), how it is dumped, and
// its dynamic form.
type Scalar[T any] struct {
	Load  func(l *Loader, v value.Value) T
	Value func(v *T) value.Value
	// Schema is the JSON Schema of the type, without title and description.
	Schema *value.Map
}

// New builds the Type of a scalar whose plain assignment is a copy.
func New[T any](s Scalar[T]) Type[T] {
	return Type[T]{
		load:   s.Load,
		dump:   func(dst []byte, v *T, o value.Order) []byte { return value.AppendDump(dst, s.Value(v), o) },
		same:   func(a, b *T) bool { return value.Identical(s.Value(a), s.Value(b)) },
		value:  s.Value,
		schema: func(*Defs) *value.Map { return s.Schema },
	}
}

// Load builds a T from v under the coercions of docs/reference/domains.md#coercions. The error is an *InvalidError.
func (t Type[T]) Load(v value.Value) (T, error) {
	l := &Loader{}
	out := t.load(l, v)
	return out, l.err(t.name)
}

// Dump appends the text of v; with value.Sorted it is the part of a hash's pre-image that v contributes.
func (t Type[T]) Dump(dst []byte, v *T, o value.Order) []byte { return t.dump(dst, v, o) }

// Clone returns a deep copy of v.
func (t Type[T]) Clone(v *T) T {
	if t.clone == nil {
		return *v
	}
	return t.clone(v)
}

// Value returns the dynamic form of v.
func (t Type[T]) Value(v *T) value.Value { return t.value(v) }

// Name is the model name of a Struct, as it is in error texts and schema definitions.
func (t Type[T]) Name() string { return t.name }

func equal[T comparable](a, b *T) bool { return *a == *b }

func identical(a, b *value.Value) bool { return value.Identical(*a, *b) }

// String is the type of a text.
var String = Type[string]{
	load: func(l *Loader, v value.Value) string {
		s, ok := v.Text()
		if !ok {
			l.Fail(v, faultText)
		}
		return s
	},
	dump:   func(dst []byte, v *string, _ value.Order) []byte { return value.AppendQuoted(dst, *v) },
	same:   equal[string],
	value:  func(v *string) value.Value { return value.OfString(*v) },
	schema: scalarSchema("string"),
}

// Int is the type of an integer.
var Int = Type[int64]{
	load: func(l *Loader, v value.Value) int64 {
		x, fault := coerceInt(v)
		i, small := x.Int64()
		if fault == nil && !small {
			fault = &faultIntSize
		}
		if fault != nil {
			l.Fail(v, *fault)
		}
		return i
	},
	dump: func(dst []byte, v *int64, o value.Order) []byte {
		return value.AppendDump(dst, value.OfInt(*v), o)
	},
	same:   equal[int64],
	value:  func(v *int64) value.Value { return value.OfInt(*v) },
	schema: scalarSchema("integer"),
}

// AnyInt is Int without a bound, in dynamic form: the reference's integers have any size, and a tool that multiplies an
// argument can store one beyond 64 bits.
var AnyInt = Type[value.Value]{
	load: func(l *Loader, v value.Value) value.Value {
		i, fault := coerceInt(v)
		if fault != nil {
			l.Fail(v, *fault)
		}
		return i
	},
	dump:   func(dst []byte, v *value.Value, o value.Order) []byte { return value.AppendDump(dst, *v, o) },
	same:   identical,
	value:  func(v *value.Value) value.Value { return *v },
	schema: scalarSchema("integer"),
}

// Float is the type of a number that is always a float: 44 loads as 44.0.
var Float = Type[float64]{
	load: func(l *Loader, v value.Value) float64 {
		f, fault := coerceFloat(v)
		if fault != nil {
			l.Fail(v, *fault)
		}
		return f
	},
	dump:   func(dst []byte, v *float64, _ value.Order) []byte { return value.AppendFloat(dst, *v) },
	same:   func(a, b *float64) bool { return math.Float64bits(*a) == math.Float64bits(*b) },
	value:  func(v *float64) value.Value { return value.OfFloat(*v) },
	schema: scalarSchema("number"),
}

// Bool is the type of a truth value.
var Bool = Type[bool]{
	load: func(l *Loader, v value.Value) bool {
		b, fault := coerceBool(v)
		if fault != nil {
			l.Fail(v, *fault)
		}
		return b
	},
	dump: func(dst []byte, v *bool, o value.Order) []byte {
		return value.AppendDump(dst, value.OfBool(*v), o)
	},
	same:   equal[bool],
	value:  func(v *bool) value.Value { return value.OfBool(*v) },
	schema: scalarSchema("boolean"),
}

// Enum is the type of a text that must be one of a few.
func Enum(members ...string) Type[string] { return enum("literal_error", members) }

func enum(kind string, members []string) Type[string] {
	t, fault := String, faultMember(kind, members)
	t.load = func(l *Loader, v value.Value) string {
		s, ok := v.Text()
		for _, m := range members {
			if ok && s == m {
				return s
			}
		}
		if !wholeText(s) {
			l.Fail(v, faultUnicode)
		} else {
			l.Fail(v, fault)
		}
		return s
	}
	t.schema = func(*Defs) *value.Map {
		return value.MapOf(value.Pair{Key: "enum", Value: value.OfStrings(members)},
			value.Pair{Key: "type", Value: value.OfString("string")})
	}
	return t
}

// NamedEnum is an Enum that has a definition of its own in JSON Schema.
func NamedEnum(name string, members ...string) Type[string] {
	t := enum("enum", members)
	t.name = name
	t.schema = func(d *Defs) *value.Map {
		return d.define(name, func() *value.Map {
			return value.MapOf(value.Pair{Key: "enum", Value: value.OfStrings(members)},
				value.Pair{Key: "title", Value: value.OfString(name)},
				value.Pair{Key: "type", Value: value.OfString("string")})
		})
	}
	return t
}

// Nullable is the type of a T that may be null; nil means null.
func Nullable[T any](t Type[T]) Type[*T] {
	return Type[*T]{
		load: func(l *Loader, v value.Value) *T {
			if v.IsNull() {
				return nil
			}
			x := t.load(l, v)
			return &x
		},
		dump: func(dst []byte, v **T, o value.Order) []byte {
			if *v == nil {
				return append(dst, "null"...)
			}
			return t.dump(dst, *v, o)
		},
		same: func(a, b **T) bool { return *a == *b || *a != nil && *b != nil && t.same(*a, *b) },
		clone: func(v **T) *T {
			if *v == nil {
				return nil
			}
			x := t.Clone(*v)
			return &x
		},
		value: func(v **T) value.Value {
			if *v == nil {
				return value.Value{}
			}
			return t.value(*v)
		},
		schema: func(d *Defs) *value.Map {
			return anyOf(t.schema(d), value.MapOf(value.Pair{Key: "type", Value: value.OfString("null")}))
		},
	}
}

// ListOf is the type of a list.
func ListOf[T any](t Type[T]) Type[[]T] {
	return Type[[]T]{
		load: func(l *Loader, v value.Value) []T {
			items, ok := v.Items()
			if !ok {
				l.Fail(v, faultList)
				return nil
			}
			out := make([]T, len(items))
			for i, x := range items {
				l.enterIndex(i)
				out[i] = t.load(l, x)
				l.leave()
			}
			return out
		},
		dump: func(dst []byte, v *[]T, o value.Order) []byte {
			dst = append(dst, '[')
			for i := range *v {
				if i > 0 {
					dst = append(dst, ", "...)
				}
				dst = t.dump(dst, &(*v)[i], o)
			}
			return append(dst, ']')
		},
		same: func(a, b *[]T) bool { return sameElements(t, *a, *b) },
		parts: func(path string, want, got *[]T, dst []Change) []Change {
			return diffElements(t, path, *want, *got, dst)
		},
		clone: func(v *[]T) []T {
			if t.clone == nil {
				return slices.Clone(*v)
			}
			out := make([]T, len(*v))
			for i := range *v {
				out[i] = t.Clone(&(*v)[i])
			}
			return out
		},
		value: func(v *[]T) value.Value {
			out := make([]value.Value, len(*v))
			for i := range *v {
				out[i] = t.value(&(*v)[i])
			}
			return value.OfList(out)
		},
		schema: func(d *Defs) *value.Map {
			return value.MapOf(value.Pair{Key: "items", Value: value.OfMap(t.schema(d))},
				value.Pair{Key: "type", Value: value.OfString("array")})
		},
	}
}

func sameElements[T any](t Type[T], a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !t.same(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// Raw is the type of a field that a tool overwrites with whatever it was given: it loads like t, and holds any value
// afterwards (docs/reference/domains.md#raw-fields).
func Raw[T any](t Type[T]) Type[value.Value] {
	return Type[value.Value]{
		load: func(l *Loader, v value.Value) value.Value {
			x := t.load(l, v)
			return t.value(&x)
		},
		dump:   func(dst []byte, v *value.Value, o value.Order) []byte { return value.AppendDump(dst, *v, o) },
		same:   identical,
		value:  func(v *value.Value) value.Value { return *v },
		schema: t.schema,
	}
}
