package value

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Order is the order of object members in a dump.
type Order bool

// Declared keeps members in their own order, Sorted puts them in code-point order at every level.
const (
	Declared Order = false
	Sorted   Order = true
)

// AppendDump appends v as the reference dumps it (docs/reference/domains.md#dumps-and-hashes): ", " and ": " between
// tokens, ASCII only, floats with a point or an exponent. It is the text of tool results and, sorted, the pre-image of
// database hashes.
func AppendDump(dst []byte, v Value, order Order) []byte {
	switch v.kind {
	case Null:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, v.num == 1)
	case Int:
		return appendInt(dst, v)
	case Float:
		return AppendFloat(dst, math.Float64frombits(v.num))
	case String:
		return AppendQuoted(dst, v.str)
	case List:
		items, _ := v.Items()
		dst = append(dst, '[')
		for i, x := range items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = AppendDump(dst, x, order)
		}
		return append(dst, ']')
	}
	m, _ := v.Map()
	dst = append(dst, '{')
	for i, k := range m.ordered(order) {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = AppendQuoted(dst, k)
		dst = append(dst, ": "...)
		x, _ := m.Get(k)
		dst = AppendDump(dst, x, order)
	}
	return append(dst, '}')
}

func (m *Map) ordered(order Order) []string {
	if order == Declared {
		return m.keys
	}
	return slices.Sorted(slices.Values(m.keys))
}

func appendInt(dst []byte, v Value) []byte {
	if v.ref == nil {
		return strconv.AppendInt(dst, int64(v.num), 10)
	}
	return v.Big().Append(dst, 10)
}

// AppendFloat appends the JSON spelling of f: like its text, with Infinity, -Infinity and NaN for the rest.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	}
	return appendFiniteFloat(dst, f)
}

// appendFiniteFloat writes the shortest digits that read back as f: plain between 1e-4 and 1e16, always with a point,
// else with a signed exponent of at least two digits.
func appendFiniteFloat(dst []byte, f float64) []byte {
	if f == 0 {
		if math.Signbit(f) {
			return append(dst, "-0.0"...)
		}
		return append(dst, "0.0"...)
	}
	if a := math.Abs(f); a >= 1e-4 && a < 1e16 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
		if !slices.Contains(dst[start:], '.') {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'e', -1, 64)
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as an ASCII JSON string: every character outside 0x20..0x7e is escaped, astral ones as
// surrogate pairs, half of one as it is, invalid UTF-8 as U+FFFD; `/ < > &` stay as they are.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		if c < utf8.RuneSelf {
			dst = appendEscape(dst, c)
			i++
		} else {
			r, n := decodeRune(s[i:])
			dst = appendRune(dst, r)
			i += n
		}
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return appendUnit(dst, uint16(c))
}

func appendRune(dst []byte, r rune) []byte {
	if r < 0x10000 {
		return appendUnit(dst, uint16(r))
	}
	r -= 0x10000
	dst = appendUnit(dst, uint16(0xd800+r>>10))
	return appendUnit(dst, uint16(0xdc00+r&0x3ff))
}

func appendUnit(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}
