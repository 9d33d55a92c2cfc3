package value

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TypeName is the reference's name of v's type, as it appears in error texts.
func (v Value) TypeName() string {
	return [...]string{"NoneType", "bool", "int", "float", "str", "list", "dict"}[v.kind]
}

// Str is the text that v has when the reference puts it into a message: a string as it is, everything else as
// Repr.
func (v Value) Str() string {
	if v.kind == String {
		return v.str
	}
	return v.Repr()
}

// Repr is the reference's literal form of v: None, True, 1, 2.0, 'text', [1, 'a'], {'k': None}.
func (v Value) Repr() string { return string(appendRepr(nil, v)) }

func appendRepr(dst []byte, v Value) []byte {
	switch v.kind {
	case Null:
		return append(dst, "None"...)
	case Bool:
		if v.num == 1 {
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case Int:
		return appendInt(dst, v)
	case Float:
		return append(dst, FloatText(math.Float64frombits(v.num))...)
	case String:
		return appendStringRepr(dst, v.str)
	case List:
		items, _ := v.Items()
		dst = append(dst, '[')
		for i, x := range items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendRepr(dst, x)
		}
		return append(dst, ']')
	}
	m, _ := v.Map()
	dst = append(dst, '{')
	for i, k := range m.keys {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(appendStringRepr(dst, k), ": "...)
		dst = appendRepr(dst, m.vals[i])
	}
	return append(dst, '}')
}

// FloatText is the text of a float: 2.0, 1e+22, inf, nan.
func FloatText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	return string(appendFiniteFloat(nil, f))
}

// StringRepr is the literal form of a string: single quotes unless the text has those and no double ones.
func StringRepr(s string) string { return string(appendStringRepr(nil, s)) }

func appendStringRepr(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for s != "" {
		r, size := decodeRune(s)
		s = s[size:]
		switch {
		case r == rune(quote) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r < 0x100:
			dst = append(dst, '\\', 'x', hexDigits[r>>4], hexDigits[r&15])
		case r < 0x10000:
			dst = append(dst, `\u`+leftPad(strconv.FormatInt(int64(r), 16), 4)...)
		default:
			dst = append(dst, `\U`+leftPad(strconv.FormatInt(int64(r), 16), 8)...)
		}
	}
	return append(dst, quote)
}

func leftPad(s string, n int) string { return strings.Repeat("0", n-len(s)) + s }
