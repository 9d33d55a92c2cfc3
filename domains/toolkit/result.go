package toolkit

import (
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// Say returns a text, which is in the result as it is, without quotes.
func Say(text string) (Result, error) { return func() string { return text }, nil }

// roomFor is the space that a result is first given; most records fit.
const roomFor = 2048

// Show returns one record; its fields print in order of declaration, numbers as numbers.
func Show[V any](t record.Type[V], rec *V) (Result, error) {
	return func() string { return string(t.Dump(make([]byte, 0, roomFor), rec, value.Declared)) }, nil
}

// ShowAll returns a list of records.
func ShowAll[V any](t record.Type[V], recs []*V) (Result, error) {
	return func() string {
		dst := append(make([]byte, 0, roomFor), '[')
		for i, r := range recs {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = t.Dump(dst, r, value.Declared)
		}
		return string(append(dst, ']'))
	}, nil
}

// Plain returns a value that a tool put together itself. The reference turns bare numbers and truth values in it into
// texts (docs/reference/domains.md#results).
func Plain(v Value) (Result, error) {
	return func() string { return string(value.AppendDump(nil, Texted(v), value.Declared)) }, nil
}

// Texted returns v with every number and truth value as its text. Parts of a result that are records, whose numbers
// stay numbers, must be put in after it.
func Texted(v Value) Value {
	switch v.Kind() {
	case value.Bool, value.Int, value.Float:
		return value.OfString(v.Str())
	case value.List:
		items, _ := v.Items()
		out := make([]Value, len(items))
		for i, x := range items {
			out[i] = Texted(x)
		}
		return value.OfList(out)
	case value.Object:
		m, _ := v.Map()
		out := &value.Map{}
		for k, x := range m.All() {
			out.Set(k, Texted(x))
		}
		return value.OfMap(out)
	}
	return v
}
