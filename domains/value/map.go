package value

import "iter"

// indexFrom is the size from which a map keeps an index; below it a scan of the keys is faster.
const indexFrom = 9

// Map is an object whose members keep the order in which their keys first appeared. The zero Map is empty and ready
// to use. Reading is safe from many goroutines; Set is not.
type Map struct {
	keys  []string
	vals  []Value
	index map[string]int
}

// MapOf builds a map from alternating keys and values of the pairs given.
func MapOf(pairs ...Pair) *Map {
	m := &Map{}
	for _, p := range pairs {
		m.Set(p.Key, p.Value)
	}
	return m
}

// Pair is one member of a Map.
type Pair struct {
	Key   string
	Value Value
}

// Len returns the number of members; a nil map has none.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.keys)
}

// Key returns the i-th key.
func (m *Map) Key(i int) string { return m.keys[i] }

func (m *Map) find(key string) int {
	if m == nil {
		return -1
	}
	if m.index != nil {
		if i, ok := m.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range m.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// Get returns the member of that key.
func (m *Map) Get(key string) (Value, bool) {
	if i := m.find(key); i >= 0 {
		return m.vals[i], true
	}
	return Value{}, false
}

// Set adds a member, or replaces its value and keeps its place (as a repeated key in a JSON text does in the
// reference).
func (m *Map) Set(key string, v Value) {
	if i := m.find(key); i >= 0 {
		m.vals[i] = v
		return
	}
	m.keys = append(m.keys, key)
	m.vals = append(m.vals, v)
	switch {
	case m.index != nil:
		m.index[key] = len(m.keys) - 1
	case len(m.keys) >= indexFrom:
		m.index = make(map[string]int, 2*len(m.keys))
		for i, k := range m.keys {
			m.index[k] = i
		}
	}
}

// All yields the members in order.
func (m *Map) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if m == nil {
			return
		}
		for i, k := range m.keys {
			if !yield(k, m.vals[i]) {
				return
			}
		}
	}
}

// Merge returns base overlaid by patch: objects merge member by member, everything else replaces
// (docs/reference/domains.md#initial-state). Neither argument is changed.
func Merge(base, patch Value) Value {
	b, bok := base.Map()
	p, pok := patch.Map()
	if !bok || !pok {
		return patch
	}
	out := &Map{}
	for k, v := range b.All() {
		out.Set(k, v)
	}
	for k, v := range p.All() {
		if old, ok := out.Get(k); ok {
			v = Merge(old, v)
		}
		out.Set(k, v)
	}
	return OfMap(out)
}
