package record

import (
	"hash"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/tauguide/tauguide/domains/value"
)

// base is the content of a table as it was loaded: shared by all trials of a process and never written.
type base[V any] struct {
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

// Table is one trial's view of what was loaded: reads fall through to it, the first write to a record copies that
// record. A Table belongs to one goroutine.
type Table[V any] struct {
	name   string
	typ    Type[V]
	base   *base[V]
	edited map[string]*V
	added  []string // keys that the base does not have, in order of insertion
}

// NewTable declares a table of records of type t. It has no content before its Store is loaded, or shares another's.
func NewTable[V any](name string, t Type[V]) *Table[V] { return &Table[V]{name: name, typ: t} }

func (t *Table[V]) label() string { return t.name }

func (t *Table[V]) schema(d *Defs) *value.Map { return t.typ.schema(d) }

func (t *Table[V]) pristine() bool { return len(t.edited) == 0 }

func (t *Table[V]) load(l *Loader, v value.Value) {
	d := DictOf(t.typ).load(l, v)
	b := &base[V]{keys: d.keys, recs: d.vals, index: make(map[string]int, len(d.keys))}
	for i, k := range b.keys {
		b.index[k] = i
	}
	t.base, t.edited, t.added = b, nil, nil
}

func (t *Table[V]) share(from table) { t.base = from.(*Table[V]).base }

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

// Edit returns the record of that key for writing, nil if there is none; the copy is made at the first call.
func (t *Table[V]) Edit(key string) *V {
	if r, ok := t.edited[key]; ok {
		return r
	}
	i, ok := t.base.index[key]
	if !ok {
		return nil
	}
	c := t.typ.Clone(&t.base.recs[i])
	t.keep(key, &c)
	return &c
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

// All yields the records for reading, in the order of the file, added ones last.
func (t *Table[V]) All() iter.Seq2[string, *V] {
	return func(yield func(string, *V) bool) {
		for i, k := range t.base.keys {
			r := &t.base.recs[i]
			if e, ok := t.edited[k]; ok {
				r = e
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

func (t *Table[V]) canonical() *canon {
	b := t.base
	b.canonOnce.Do(func() {
		c := &b.canon
		c.keys = slices.Sorted(slices.Values(b.keys))
		c.ends = make([]int, len(c.keys))
		for i, key := range c.keys {
			if i > 0 {
				c.text = append(c.text, separator...)
			}
			c.text = t.appendMember(c.text, key, &b.recs[b.index[key]])
			c.ends[i] = len(c.text)
		}
		c.text = slices.Clip(c.text)
	})
	return &b.canon
}

func (t *Table[V]) appendMember(dst []byte, key string, rec *V) []byte {
	dst = append(value.AppendQuoted(dst, key), ": "...)
	return t.typ.dump(dst, rec, value.Sorted)
}

// writeCanonical feeds the table's part of the pre-image to h: runs of cached records as they are, and the touched
// records between them.
func (t *Table[V]) writeCanonical(h hash.Hash, buf []byte) []byte {
	c := t.canonical()
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
		buf = t.appendMember(buf[:0], key, t.edited[key])
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
		m.Set(k, t.typ.value(r))
	}
	return value.OfMap(m)
}

// diff appends the differences from t (what was wanted) to other (what was got). Tables that share their base are
// compared by what was edited.
func (t *Table[V]) diff(other table, dst []Change) []Change {
	o := other.(*Table[V])
	if t.base != o.base {
		return DiffValues(t.name, t.value(), o.value(), dst)
	}
	keys := maps.Clone(t.edited)
	if keys == nil {
		keys = map[string]*V{}
	}
	maps.Copy(keys, o.edited)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		want, wanted := t.Get(key)
		got, there := o.Get(key)
		path := join(t.name, key)
		switch {
		case wanted && there:
			dst = t.typ.diff(path, want, got, dst)
		case wanted:
			dst = append(dst, Change{Path: path, Want: shown(t.typ.value(want)), Got: Absent})
		default:
			dst = append(dst, Change{Path: path, Want: Absent, Got: shown(t.typ.value(got))})
		}
	}
	return dst
}
