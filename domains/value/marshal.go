package value

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON is v as compact text that Parse reads back, and Python: numbers by kind (25.0 stays 25.0), NaN and infinities as
// these names, half a surrogate pair as its escape. Most values have it in common with MarshalJSON.
func (v Value) JSON() string {
	w := writer{python: true}
	w.value(v, 0)
	return string(w.dst)
}

// MarshalJSON is JSON for every reader. Infinity is 1e999, which most readers take for it; what JSON has no form for is
// lost: NaN is null, half a surrogate pair U+FFFD, and what is nested deeper than 900 levels null.
func (v Value) MarshalJSON() ([]byte, error) {
	w := writer{}
	w.value(v, 0)
	return w.dst, nil
}

// Lossy reports whether MarshalJSON loses a part of v.
func (v Value) Lossy() bool { return lossy(v, 0) }

func lossy(v Value, depth int) bool {
	switch v.kind {
	case Float:
		return math.IsNaN(math.Float64frombits(v.num))
	case String:
		return !utf8.ValidString(v.str)
	case List:
		items, _ := v.Items()
		return depth == deepest || slices.ContainsFunc(items, func(x Value) bool { return lossy(x, depth+1) })
	case Object:
		m, _ := v.Map()
		return depth == deepest || slices.ContainsFunc(m.keys, func(k string) bool { return !utf8.ValidString(k) }) ||
			slices.ContainsFunc(m.vals, func(x Value) bool { return lossy(x, depth+1) })
	}
	return false
}

// UnmarshalJSON reads v as Parse does.
func (v *Value) UnmarshalJSON(text []byte) error {
	x, err := Parse(text)
	if err == nil {
		*v = x
	}
	return err
}

// deepest is how many levels other readers take: Python's before 3.12 takes 1,000, counting what is around the value.
const deepest = 900

type writer struct {
	dst    []byte
	python bool // for Python's reader
}

func (w *writer) value(v Value, depth int) {
	switch v.kind {
	case Float:
		w.float(math.Float64frombits(v.num))
	case String:
		w.text(v.str)
	case List, Object:
		if depth == deepest && !w.python {
			w.dst = append(w.dst, "null"...)
		} else if m, ok := v.Map(); ok {
			w.object(m, depth+1)
		} else {
			w.list(v, depth+1)
		}
	default:
		w.dst = AppendDump(w.dst, v, Declared)
	}
}

func (w *writer) float(f float64) {
	switch {
	case w.python:
		w.dst = AppendFloat(w.dst, f)
	case math.IsNaN(f):
		w.dst = append(w.dst, "null"...)
	case math.IsInf(f, 1):
		w.dst = append(w.dst, "1e999"...)
	case math.IsInf(f, -1):
		w.dst = append(w.dst, "-1e999"...)
	default:
		w.dst = appendFiniteFloat(w.dst, f)
	}
}

func (w *writer) text(s string) {
	switch {
	case utf8.ValidString(s):
		w.dst = appendText(w.dst, s)
	case w.python:
		w.dst = AppendQuoted(w.dst, s)
	default:
		w.dst = appendText(w.dst, WellFormed(s))
	}
}

func (w *writer) list(v Value, depth int) {
	items, _ := v.Items()
	w.dst = append(w.dst, '[')
	for i, x := range items {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.value(x, depth)
	}
	w.dst = append(w.dst, ']')
}

func (w *writer) object(m *Map, depth int) {
	w.dst = append(w.dst, '{')
	for i, k := range m.keys {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.text(k)
		w.dst = append(w.dst, ':')
		w.value(m.vals[i], depth)
	}
	w.dst = append(w.dst, '}')
}

// appendText appends valid UTF-8 as a JSON string.
func appendText(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return AppendQuoted(dst, s)
	}
	return out
}
