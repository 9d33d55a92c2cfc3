package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"

	"github.com/tauguide/tauguide/domains/value"
)

// table is what a Store needs of its tables; *Table[V] is the one implementation.
type table interface {
	label() string
	load(l *Loader, v value.Value)
	share(from table)
	pristine() bool
	writeCanonical(h hash.Hash, buf []byte) []byte
	diff(other table, dst []Change) []Change
	value() value.Value
	schema(d *Defs) *value.Map
}

// pristine remembers the hash of a database as it was loaded, which most trials start and many end with.
type pristine struct {
	once sync.Once
	hash string
}

// Store is a database of tables, embedded in a domain's own database type.
type Store struct {
	class    string
	tables   []table // in order of declaration
	pristine *pristine
}

// NewStore groups the tables of one database; class is the reference's name for it, used in error texts.
func NewStore(class string, tables ...table) Store {
	return Store{class: class, tables: tables, pristine: &pristine{}}
}

// Load fills the tables from an object with a member for each of them. The error is an *InvalidError.
func (s *Store) Load(v value.Value) error {
	fields := make([]Field[Store], len(s.tables))
	for i, t := range s.tables {
		fields[i] = Field[Store]{name: t.label(), load: func(l *Loader, _ *Store, v value.Value) { t.load(l, v) }}
	}
	l := &Loader{}
	loadStruct(l, Model{Name: s.class, Closed: true}, fields, v)
	s.pristine = &pristine{}
	return l.err(s.class)
}

// Share gives s the content that from was loaded with, at the cost of a pointer for each table.
func (s *Store) Share(from *Store) {
	for i, t := range s.tables {
		t.share(from.tables[i])
	}
	s.pristine = from.pristine
}

// Patch merges data in and validates the whole again.
func (s *Store) Patch(data value.Value) error { return s.Load(value.Merge(s.Value(), data)) }

// Class returns the reference's name of the database's type.
func (s *Store) Class() string { return s.class }

// Hash returns the reference-compatible hash: SHA-256, in lower-case hex, of the canonical dump
// (docs/reference/domains.md#dumps-and-hashes). About 1 ms on the real retail data, nothing on an untouched database.
func (s *Store) Hash() string {
	for _, t := range s.tables {
		if !t.pristine() {
			return s.hash()
		}
	}
	s.pristine.once.Do(func() { s.pristine.hash = s.hash() })
	return s.pristine.hash
}

func (s *Store) hash() string {
	h := sha256.New()
	sorted := slices.SortedFunc(slices.Values(s.tables), func(a, b table) int { return strings.Compare(a.label(), b.label()) })
	buf := make([]byte, 0, 1<<15+1<<12)
	for i, t := range sorted {
		lead := "{"
		if i > 0 {
			lead = separator
		}
		buf = append(value.AppendQuoted(append(buf[:0], lead...), t.label()), ": "...)
		h.Write(buf)
		buf = t.writeCanonical(h, buf)
	}
	h.Write([]byte{'}'})
	return hex.EncodeToString(h.Sum(nil))
}

// Diff lists where other (got) differs from s (wanted), by path; it is empty exactly if the hashes are equal.
func (s *Store) Diff(other any) []Change {
	o, ok := other.(interface{ store() *Store })
	if !ok || o.store().class != s.class {
		return []Change{{Want: s.class, Got: fmt.Sprintf("%T", other)}}
	}
	var out []Change
	for i, t := range s.tables {
		out = t.diff(o.store().tables[i], out)
	}
	return out
}

func (s *Store) store() *Store { return s }

// Value returns the whole database in dynamic form.
func (s *Store) Value() value.Value {
	m := &value.Map{}
	for _, t := range s.tables {
		m.Set(t.label(), t.value())
	}
	return value.OfMap(m)
}

// Schemas returns the JSON Schemas of the records and their parts, by name.
func (s *Store) Schemas() *value.Map {
	var d Defs
	for _, t := range s.tables {
		t.schema(&d)
	}
	return d.Map()
}

// Tree is a small database that every trial copies whole.
type Tree[T any] struct {
	typ  Type[T]
	Root *T
}

// NewTree copies root.
func NewTree[T any](t Type[T], root *T) Tree[T] {
	c := t.Clone(root)
	return Tree[T]{typ: t, Root: &c}
}

// Patch is like Store.Patch.
func (t *Tree[T]) Patch(data value.Value) error {
	root, err := t.typ.Load(value.Merge(t.Value(), data))
	if err == nil {
		t.Root = &root
	}
	return err
}

// Class returns the reference's name of the database's type.
func (t *Tree[T]) Class() string { return t.typ.name }

// Hash is like Store.Hash.
func (t *Tree[T]) Hash() string {
	sum := sha256.Sum256(t.typ.dump(make([]byte, 0, 1<<14), t.Root, value.Sorted))
	return hex.EncodeToString(sum[:])
}

// Diff is like Store.Diff.
func (t *Tree[T]) Diff(other any) []Change {
	o, ok := other.(interface{ tree() *Tree[T] })
	if !ok {
		return []Change{{Want: t.Class(), Got: fmt.Sprintf("%T", other)}}
	}
	return t.typ.diff("", t.Root, o.tree().Root, nil)
}

func (t *Tree[T]) tree() *Tree[T] { return t }

// Value returns the whole database in dynamic form.
func (t *Tree[T]) Value() value.Value { return t.typ.value(t.Root) }

// Schemas is like Store.Schemas.
func (t *Tree[T]) Schemas() *value.Map {
	var d Defs
	t.typ.schema(&d)
	return d.Map()
}
