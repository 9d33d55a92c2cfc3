package record

import (
	"iter"
	"slices"

	"github.com/tauguide/tauguide/domains/value"
)

// Dict is a small map inside a record that keeps the order of its keys. It is scanned: its largest use, the 31 dates
// of a flight, does not repay an index.
type Dict[V any] struct {
	keys []string
	vals []V
}

// Len returns the number of entries.
func (d *Dict[V]) Len() int { return len(d.keys) }

// Get returns a pointer to the entry of that key, nil if there is none. It stays valid until the next Set or Delete.
func (d *Dict[V]) Get(key string) *V {
	if i := slices.Index(d.keys, key); i >= 0 {
		return &d.vals[i]
	}
	return nil
}

// Set adds an entry at the end, or replaces one in its place.
func (d *Dict[V]) Set(key string, v V) {
	if p := d.Get(key); p != nil {
		*p = v
		return
	}
	// Keys are shared between copies of a record, so the slice is never grown in place.
	d.keys = append(slices.Clip(d.keys), key)
	d.vals = append(d.vals, v)
}

// Delete removes the entry of that key, if there is one.
func (d *Dict[V]) Delete(key string) {
	i := slices.Index(d.keys, key)
	if i < 0 {
		return
	}
	d.keys = slices.Concat(d.keys[:i], d.keys[i+1:])
	d.vals = slices.Delete(d.vals, i, i+1)
}

// Keys returns the keys in order; the slice is not to be written to.
func (d *Dict[V]) Keys() []string { return d.keys }

// All yields the entries in order.
func (d *Dict[V]) All() iter.Seq2[string, *V] {
	return func(yield func(string, *V) bool) {
		for i := range d.keys {
			if !yield(d.keys[i], &d.vals[i]) {
				return
			}
		}
	}
}

// DictOf is the type of a Dict.
func DictOf[V any](t Type[V]) Type[Dict[V]] {
	return Type[Dict[V]]{
		load: func(l *Loader, v value.Value) Dict[V] {
			var out Dict[V]
			m, ok := v.Map()
			if !ok {
				l.Fail(v, faultDict)
				return out
			}
			out.keys = make([]string, 0, m.Len())
			out.vals = make([]V, 0, m.Len())
			for k, x := range m.All() {
				l.enter(k)
				out.keys = append(out.keys, k)
				out.vals = append(out.vals, t.load(l, x))
				l.leave()
			}
			return out
		},
		dump: func(dst []byte, v *Dict[V], o value.Order) []byte { return dumpDict(dst, t, v, o) },
		same: func(a, b *Dict[V]) bool { return slices.Equal(a.keys, b.keys) && sameElements(t, a.vals, b.vals) },
		clone: func(v *Dict[V]) Dict[V] {
			if t.clone == nil {
				return Dict[V]{keys: v.keys, vals: slices.Clone(v.vals)}
			}
			out := Dict[V]{keys: v.keys, vals: make([]V, len(v.vals))}
			for i := range v.vals {
				out.vals[i] = t.Clone(&v.vals[i])
			}
			return out
		},
		value: func(v *Dict[V]) value.Value {
			out := &value.Map{}
			for k, x := range v.All() {
				out.Set(k, t.value(x))
			}
			return value.OfMap(out)
		},
		schema: func(d *Defs) *value.Map {
			return value.MapOf(value.Pair{Key: "additionalProperties", Value: value.OfMap(t.schema(d))},
				value.Pair{Key: "type", Value: value.OfString("object")})
		},
	}
}

// DictIn is DictOf for a map whose keys can only be those given, as the cabins of a flight: any other key is an error
// at load.
func DictIn[V any](t Type[V], keys ...string) Type[Dict[V]] {
	d := DictOf(t)
	load := d.load
	d.load = func(l *Loader, v value.Value) Dict[V] {
		if m, ok := v.Map(); ok {
			for k := range m.All() {
				if !slices.Contains(keys, k) {
					l.enter(k)
					l.Fail(value.OfString(k), faultMember("enum", keys))
					l.leave()
				}
			}
		}
		return load(l, v)
	}
	return d
}

func dumpDict[V any](dst []byte, t Type[V], v *Dict[V], o value.Order) []byte {
	keys := v.keys
	if o == value.Sorted && !slices.IsSorted(keys) {
		keys = slices.Sorted(slices.Values(keys))
	}
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(value.AppendQuoted(dst, k), ": "...)
		dst = t.dump(dst, v.Get(k), o)
	}
	return append(dst, '}')
}
