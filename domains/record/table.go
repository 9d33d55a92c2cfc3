package record

import (
	"fmt"
	"hash"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/tauguide/tauguide/domains/value"
)

// Base is the content of a table as it was loaded: shared by all trials of a process and never written.
type Base[V any] struct {
	name  string
	typ   Type[V]
	keys  []string
	recs  []V
	index map[string]int

	canonOnce sync.Once
	canon     canon
}

// canon is the canonical text of a base's records, `"key": {...}` joined by ", " in code-point order of the keys.
type canon struct {
	text []byte
	keys []string // sorted
	ends []int    // where the record of keys[i] ends in text
}

// start is where the record of keys[i] begins, behind the separator.
func (c *canon) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.ends[i-1] + len(separator)
}

const separator = ", "

// LoadBase loads a table: an object whose members are records of type t.
func LoadBase[V any](name string, t Type[V], v value.Value) (*Base[V], error) {
	d, err := DictOf(t).Load(v)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	b := &Base[V]{name: name, typ: t, keys: d.keys, recs: d.vals, index: make(map[string]int, len(d.keys))}
	for i, k := range b.keys {
		b.index[k] = i
	}
	return b, nil
}

// Open returns a private table over the base. It costs one small allocation whatever the base's size.
func (b *Base[V]) Open() *Table[V] { return &Table[V]{base: b} }

// Len returns the number of records of the base.
func (b *Base[V]) Len() int { return len(b.keys) }

func (b *Base[V]) canonical() *canon {
	b.canonOnce.Do(func() {
		c := &b.canon
		c.keys = slices.Sorted(slices.Values(b.keys))
		c.ends = make([]int, len(c.keys))
		for i, key := range c.keys {
			if i > 0 {
				c.text = append(c.text, separator...)
			}
			c.text = appendMember(c.text, b.typ, key, &b.recs[b.index[key]])
			c.ends[i] = len(c.text)
		}
		c.text = slices.Clip(c.text)
	})
	return &b.canon
}

func appendMember[V any](dst []byte, t Type[V], key string, rec *V) []byte {
	dst = append(value.AppendQuoted(dst, key), ": "...)
	return t.dump(dst, rec, value.Sorted)
}

// Table is one trial's view of a Base: reads fall through to it, the first write to a record copies that record.
// A Table belongs to one goroutine.
type Table[V any] struct {
	base   *Base[V]
	edited map[string]*V
	added  []string // keys that the base does not have, in order of insertion
}

// Get returns the record of that key for reading only.
func (t *Table[V]) Get(key string) (*V, bool) {
	if r, ok := t.edited[key]; ok {
		return r, true
	}
	if i, ok := t.base.index[key]; ok {
		return &t.base.recs[i], true
	}
	return nil, false
}

// Edit returns the record of that key for writing; the copy is made at the first call.
func (t *Table[V]) Edit(key string) (*V, bool) {
	if r, ok := t.edited[key]; ok {
		return r, true
	}
	i, ok := t.base.index[key]
	if !ok {
		return nil, false
	}
	c := t.base.typ.Clone(&t.base.recs[i])
	t.keep(key, &c)
	return &c, true
}

// Put adds a record, or replaces one in its place.
func (t *Table[V]) Put(key string, rec V) *V {
	if _, ok := t.Get(key); !ok {
		t.added = append(t.added, key)
	}
	t.keep(key, &rec)
	return &rec
}

func (t *Table[V]) keep(key string, rec *V) {
	if t.edited == nil {
		t.edited = map[string]*V{}
	}
	t.edited[key] = rec
}

// Len returns the number of records.
func (t *Table[V]) Len() int { return len(t.base.keys) + len(t.added) }

// All yields the records for reading, in the order of the file, added ones last.
func (t *Table[V]) All() iter.Seq2[string, *V] {
	return func(yield func(string, *V) bool) {
		for i, k := range t.base.keys {
			r := &t.base.recs[i]
			if len(t.edited) > 0 {
				if e, ok := t.edited[k]; ok {
					r = e
				}
			}
			if !yield(k, r) {
				return
			}
		}
		for _, k := range t.added {
			if !yield(k, t.edited[k]) {
				return
			}
		}
	}
}

// Type returns the description of the records.
func (t *Table[V]) Type() Type[V] { return t.base.typ }

func (t *Table[V]) name() string { return t.base.name }

func (t *Table[V]) pristine() bool { return len(t.edited) == 0 }

// writeCanonical feeds the table's part of the pre-image to h: runs of cached records as they stand, and the touched
// records between them.
func (t *Table[V]) writeCanonical(h hash.Hash, buf []byte) []byte {
	c := t.base.canonical()
	next, first := 0, true // next: the first cached record that is not yet written
	emit := func(text []byte) {
		if !first {
			h.Write([]byte(separator))
		}
		first = false
		h.Write(text)
	}
	run := func(to int) {
		if to > next {
			emit(c.text[c.start(next):c.ends[to-1]])
		}
	}
	h.Write([]byte{'{'})
	for _, key := range slices.Sorted(maps.Keys(t.edited)) {
		i, cached := slices.BinarySearch(c.keys, key)
		run(i)
		buf = appendMember(buf[:0], t.base.typ, key, t.edited[key])
		emit(buf)
		next = i
		if cached {
			next++
		}
	}
	run(len(c.keys))
	h.Write([]byte{'}'})
	return buf
}

// value returns the whole table in dynamic form.
func (t *Table[V]) value() value.Value {
	m := &value.Map{}
	for k, r := range t.All() {
		m.Set(k, t.base.typ.value(r))
	}
	return value.OfMap(m)
}

// diff appends the differences from t (what was wanted) to o (what was got). Tables over one base are compared by
// their deltas.
func (t *Table[V]) diff(o any, dst []Change) []Change {
	other, ok := o.(*Table[V])
	if !ok {
		return append(dst, Change{Path: t.base.name, Want: "a table of the same kind", Got: fmt.Sprintf("%T", o)})
	}
	for _, key := range t.candidates(other) {
		a, aok := t.Get(key)
		b, bok := other.Get(key)
		path := t.base.name + "." + key
		switch {
		case aok && bok:
			if a != b && !t.same(a, b) {
				dst = DiffValues(path, t.base.typ.value(a), t.base.typ.value(b), dst)
			}
		case aok:
			dst = append(dst, Change{Path: path, Want: shown(t.base.typ.value(a)), Got: Absent})
		default:
			dst = append(dst, Change{Path: path, Want: Absent, Got: shown(t.base.typ.value(b))})
		}
	}
	return dst
}

func (t *Table[V]) same(a, b *V) bool {
	both := t.base.typ.dump(make([]byte, 0, 4096), a, value.Sorted)
	n := len(both)
	both = t.base.typ.dump(both, b, value.Sorted)
	return string(both[:n]) == string(both[n:])
}

// candidates are the keys at which two tables can differ, sorted.
func (t *Table[V]) candidates(other *Table[V]) []string {
	keys := map[string]struct{}{}
	for k := range t.edited {
		keys[k] = struct{}{}
	}
	for k := range other.edited {
		keys[k] = struct{}{}
	}
	if t.base != other.base {
		for _, b := range []*Base[V]{t.base, other.base} {
			for _, k := range b.keys {
				keys[k] = struct{}{}
			}
		}
	}
	out := make([]string, 0, len(keys))
	for k := range keys {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
