// Package value holds dynamically typed values: what a model sends as tool arguments, and the few database fields
// in which the reference stores an argument without looking at its type.
//
// The distinction that matters everywhere is the one between integers and floats: 25 and 25.0 are different
// database contents with different hashes (docs/reference/domains.md#values), although they compare equal.
//
// A Value is immutable once it is shared; nothing in this package writes into a value that it was given.
package value

import (
	"cmp"
	"math"
	"math/big"
)

// Kind is the type of a Value.
type Kind uint8

// The kinds, in the order of their declaration in JSON's grammar. The zero Value is Null.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Object
)

// Value is null, a boolean, an integer of any size, a float, a string, a list or an ordered object.
type Value struct {
	kind Kind
	num  uint64 // Bool: 0 or 1; Int: int64 unless ref holds a big one; Float: its bits
	str  string
	ref  any // *big.Int, []Value or *Map
}

// OfBool, OfInt, OfFloat, OfString, OfList and OfMap build values. OfList and OfMap keep what they are given.
func OfBool(b bool) Value {
	v := Value{kind: Bool}
	if b {
		v.num = 1
	}
	return v
}

// OfInt builds an integer.
func OfInt(i int64) Value { return Value{kind: Int, num: uint64(i)} }

// OfBig builds an integer of any size; small ones are stored plainly.
func OfBig(b *big.Int) Value {
	if b.IsInt64() {
		return OfInt(b.Int64())
	}
	return Value{kind: Int, ref: b}
}

// OfFloat builds a float.
func OfFloat(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }

// OfString builds a string.
func OfString(s string) Value { return Value{kind: String, str: s} }

// OfList builds a list.
func OfList(l []Value) Value { return Value{kind: List, ref: l} }

// OfStrings builds a list of strings.
func OfStrings(l []string) Value {
	out := make([]Value, len(l))
	for i, s := range l {
		out[i] = OfString(s)
	}
	return OfList(out)
}

// OfMap builds an object; a nil map is an empty object.
func OfMap(m *Map) Value {
	if m == nil {
		m = &Map{}
	}
	return Value{kind: Object, ref: m}
}

// Kind returns the type of v.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool returns the boolean, and whether v is one.
func (v Value) Bool() (b, ok bool) { return v.num == 1, v.kind == Bool }

// Text returns the string, and whether v is one.
func (v Value) Text() (string, bool) { return v.str, v.kind == String }

// Items returns the elements of a list, and whether v is one. The slice is not to be written to.
func (v Value) Items() ([]Value, bool) {
	l, ok := v.ref.([]Value)
	return l, ok && v.kind == List
}

// Map returns the object, and whether v is one.
func (v Value) Map() (*Map, bool) {
	m, ok := v.ref.(*Map)
	return m, ok
}

// Int64 returns an integer or boolean that fits, as Python's int() of it.
func (v Value) Int64() (int64, bool) {
	switch {
	case v.kind == Bool, v.kind == Int && v.ref == nil:
		return int64(v.num), true
	}
	return 0, false
}

// Float64 returns the numeric value of a float, an integer or a boolean; an integer beyond the float range becomes
// infinite.
func (v Value) Float64() (float64, bool) {
	switch v.kind {
	case Float:
		return math.Float64frombits(v.num), true
	case Bool:
		return float64(v.num), true
	case Int:
		if b, ok := v.ref.(*big.Int); ok {
			f, _ := new(big.Float).SetInt(b).Float64()
			return f, true
		}
		return float64(int64(v.num)), true
	}
	return 0, false
}

// Big returns an integer or boolean as a big integer.
func (v Value) Big() *big.Int {
	if b, ok := v.ref.(*big.Int); ok {
		return b
	}
	return big.NewInt(int64(v.num))
}

// IsNumber reports whether v takes part in arithmetic; booleans do, as 0 and 1.
func (v Value) IsNumber() bool { return v.kind == Bool || v.kind == Int || v.kind == Float }

// Equal is Python's ==: numbers and booleans compare by value (1 == 1.0 == true), objects regardless of key order,
// NaN is never equal to anything.
func Equal(a, b Value) bool {
	switch {
	case a.IsNumber() && b.IsNumber():
		c, ok := compareNumbers(a, b)
		return ok && c == 0
	case a.kind != b.kind:
		return false
	}
	switch a.kind {
	case String:
		return a.str == b.str
	case List:
		x, _ := a.Items()
		y, _ := b.Items()
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !Equal(x[i], y[i]) {
				return false
			}
		}
	case Object:
		x, _ := a.Map()
		y, _ := b.Map()
		if x.Len() != y.Len() {
			return false
		}
		for k, xv := range x.All() {
			yv, ok := y.Get(k)
			if !ok || !Equal(xv, yv) {
				return false
			}
		}
	}
	return true
}

// Identical is Equal with types kept apart: 1, 1.0 and true differ, and so do objects with other key orders.
func Identical(a, b Value) bool {
	if a.kind == b.kind && a.ref == nil && b.ref == nil {
		return a.num == b.num && a.str == b.str
	}
	return string(AppendDump(nil, a, Declared)) == string(AppendDump(nil, b, Declared))
}

// compareNumbers orders two numbers exactly, without rounding integers to floats; ok is false for NaN.
func compareNumbers(a, b Value) (c int, ok bool) {
	if a.kind != Float && b.kind != Float && a.ref == nil && b.ref == nil {
		return cmp.Compare(int64(a.num), int64(b.num)), true
	}
	f, _ := a.Float64()
	g, _ := b.Float64()
	if math.IsNaN(f) || math.IsNaN(g) {
		return 0, false
	}
	return a.exact().Cmp(b.exact()), true
}

// exact returns the value of a number.
func (v Value) exact() *big.Float {
	if v.kind == Float {
		return new(big.Float).SetFloat64(math.Float64frombits(v.num))
	}
	return new(big.Float).SetInt(v.Big())
}
