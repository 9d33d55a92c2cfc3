package record

import (
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
)

// Field describes one field of a struct T: its name on the wire, its type and where it lives. Build it with F.
type Field[T any] struct {
	name   string
	doc    string
	def    *value.Value // dynamic form of the default, nil if the field is required
	load   func(l *Loader, at *T, v value.Value)
	preset func(at *T)
	dump   func(dst []byte, at *T, o value.Order) []byte
	clone  func(from, to *T)
	value  func(at *T) value.Value
	same   func(a, b *T) bool
	diff   func(path string, want, got *T, dst []Change) []Change
	prop   func(d *Defs) *value.Map
}

// F describes a required field of type t that lives at the address that at returns.
func F[T, V any](name string, t Type[V], at func(*T) *V) Field[T] {
	f := Field[T]{
		name:  name,
		load:  func(l *Loader, x *T, v value.Value) { *at(x) = t.load(l, v) },
		dump:  func(dst []byte, x *T, o value.Order) []byte { return t.dump(dst, at(x), o) },
		value: func(x *T) value.Value { return t.value(at(x)) },
		same:  func(a, b *T) bool { return t.same(at(a), at(b)) },
		diff: func(path string, want, got *T, dst []Change) []Change {
			if w, g := at(want), at(got); !t.same(w, g) {
				return t.differ(join(path, name), w, g, dst)
			}
			return dst
		},
		prop: func(d *Defs) *value.Map { return t.schema(d) },
	}
	if t.clone != nil {
		f.clone = func(from, to *T) { *at(to) = t.clone(at(from)) }
	}
	return f
}

// Opt is F with a default for a field that is absent. def is called for each new record.
func Opt[T, V any](name string, t Type[V], at func(*T) *V, def func() V) Field[T] {
	f := F(name, t, at)
	d := def()
	dv := t.value(&d)
	f.def = &dv
	f.preset = func(x *T) { *at(x) = def() }
	return f
}

// OrNull is Opt with the default null.
func OrNull[T, V any](name string, t Type[V], at func(*T) **V) Field[T] {
	return Opt(name, Nullable(t), at, func() *V { return nil })
}

// Doc returns the field with a description for JSON Schema.
func (f Field[T]) Doc(text string) Field[T] {
	f.doc = text
	return f
}

// Model is the description of a struct before it becomes a Type.
type Model struct {
	Name   string
	Doc    string // in JSON Schema
	Closed bool   // an unknown key is an error; else it is dropped, as the reference does
}

// Struct is the type of a record with these fields, rendered in this order.
func Struct[T any](m Model, fields ...Field[T]) Type[T] {
	sorted := slices.Clone(fields)
	slices.SortFunc(sorted, func(a, b Field[T]) int { return strings.Compare(a.name, b.name) })
	byOrder := func(o value.Order) []Field[T] {
		if o == value.Sorted {
			return sorted
		}
		return fields
	}
	t := Type[T]{name: m.Name}
	t.load = func(l *Loader, v value.Value) T { return loadStruct(l, m, fields, v) }
	t.dump = func(dst []byte, x *T, o value.Order) []byte {
		dst = append(dst, '{')
		for i, f := range byOrder(o) {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(value.AppendQuoted(dst, f.name), ": "...)
			dst = f.dump(dst, x, o)
		}
		return append(dst, '}')
	}
	if slices.ContainsFunc(fields, func(f Field[T]) bool { return f.clone != nil }) {
		t.clone = func(x *T) T { return cloneStruct(fields, x) }
	}
	t.value = func(x *T) value.Value {
		out := &value.Map{}
		for _, f := range fields {
			out.Set(f.name, f.value(x))
		}
		return value.OfMap(out)
	}
	t.same = func(a, b *T) bool {
		for _, f := range fields {
			if !f.same(a, b) {
				return false
			}
		}
		return true
	}
	t.parts = func(path string, want, got *T, dst []Change) []Change {
		for _, f := range sorted {
			dst = f.diff(path, want, got, dst)
		}
		return dst
	}
	t.schema = func(d *Defs) *value.Map {
		return d.define(m.Name, func() *value.Map { return structSchema(d, m, fields) })
	}
	return t
}

func cloneStruct[T any](fields []Field[T], x *T) T {
	out := *x
	for _, f := range fields {
		if f.clone != nil {
			f.clone(x, &out)
		}
	}
	return out
}

func loadStruct[T any](l *Loader, m Model, fields []Field[T], v value.Value) T {
	var out T
	in, ok := v.Map()
	if !ok {
		l.Fail(v, faultModel(m.Name))
		return out
	}
	known, before := 0, len(l.problems)
	for _, f := range fields {
		x, ok := in.Get(f.name)
		switch {
		case ok:
			known++
			l.enter(f.name)
			f.load(l, &out, x)
			l.leave()
		case f.preset != nil:
			f.preset(&out)
		default:
			l.enter(f.name)
			l.Fail(v, faultMissing)
			l.leave()
		}
	}
	if m.Closed && known < in.Len() {
		for k, x := range in.All() {
			if !wholeText(k) { // the reference gives up on the record
				l.problems = l.problems[:before]
				l.Fail(value.OfString(k), faultUnicode)
				break
			}
			if !slices.ContainsFunc(fields, func(f Field[T]) bool { return f.name == k }) {
				l.enter(k)
				l.Fail(x, faultExtra)
				l.leave()
			}
		}
	}
	return out
}

func structSchema[T any](d *Defs, m Model, fields []Field[T]) *value.Map {
	props, required := &value.Map{}, []value.Value{}
	for _, f := range fields {
		props.Set(f.name, value.OfMap(Property(f.name, f.doc, f.prop(d), f.def)))
		if f.def == nil {
			required = append(required, value.OfString(f.name))
		}
	}
	out := &value.Map{}
	if m.Closed {
		out.Set("additionalProperties", value.OfBool(false))
	}
	if m.Doc != "" {
		out.Set("description", value.OfString(m.Doc))
	}
	out.Set("properties", value.OfMap(props))
	if len(required) > 0 {
		out.Set("required", value.OfList(required))
	}
	out.Set("title", value.OfString(m.Name))
	out.Set("type", value.OfString("object"))
	return out
}

// Variant is one shape of a Union: the tag's value and the fields that a record of that shape has, the tag among them.
type Variant[T any] struct {
	Tag  string
	Type Type[T]
}

// Union is the type of a record whose shape depends on one of its fields, as payment methods depend on their source.
// tag reads that field from a loaded record.
func Union[T any](key string, tag func(*T) string, variants ...Variant[T]) Type[T] {
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = v.Tag
	}
	pick := func(name string) *Type[T] {
		for i := range variants {
			if variants[i].Tag == name {
				return &variants[i].Type
			}
		}
		return &variants[0].Type
	}
	return Type[T]{
		load: func(l *Loader, v value.Value) T {
			var zero T
			m, ok := v.Map()
			if !ok {
				l.Fail(v, faultDict)
				return zero
			}
			name, _ := m.Get(key)
			if s, ok := name.Text(); !ok || !slices.Contains(names, s) {
				l.enter(key)
				l.Fail(name, faultMember("literal_error", names))
				l.leave()
				return zero
			}
			return pick(name.Str()).load(l, v)
		},
		dump:  func(dst []byte, v *T, o value.Order) []byte { return pick(tag(v)).dump(dst, v, o) },
		same:  func(a, b *T) bool { return tag(a) == tag(b) && pick(tag(a)).same(a, b) },
		clone: func(v *T) T { return pick(tag(v)).Clone(v) },
		value: func(v *T) value.Value { return pick(tag(v)).value(v) },
		schema: func(d *Defs) *value.Map {
			alts := make([]*value.Map, len(variants))
			for i := range variants {
				alts[i] = variants[i].Type.schema(d)
			}
			return anyOf(alts...)
		},
	}
}
