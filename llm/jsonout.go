package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"
)

// jsonWriter appends JSON with a fixed order of fields. It exists because a
// request body must be the same bytes every time (recordings are keyed by
// them), must hold fields that no struct type names, and must not escape < > &
// in the text that the model reads. Strings come out as valid UTF-8 whatever
// goes in.
type jsonWriter struct{ buf []byte }

// sep writes the comma before a field or an element unless it is the first.
func (w *jsonWriter) sep() {
	if n := len(w.buf); n > 0 && w.buf[n-1] != '{' && w.buf[n-1] != '[' && w.buf[n-1] != ':' {
		w.buf = append(w.buf, ',')
	}
}

func (w *jsonWriter) open(c byte) {
	w.sep()
	w.buf = append(w.buf, c)
}

func (w *jsonWriter) close(c byte) { w.buf = append(w.buf, c) }

// name writes a field name and the colon.
func (w *jsonWriter) name(key string) {
	w.sep()
	w.buf = append(appendString(w.buf, key), ':')
}

func (w *jsonWriter) str(key, value string) {
	w.name(key)
	w.buf = appendString(w.buf, value)
}

// num writes a float in its shortest form. The caller has excluded NaN and the
// infinities.
func (w *jsonWriter) num(key string, f float64) {
	w.name(key)
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	w.buf = strconv.AppendFloat(w.buf, f, format, -1, 64)
}

func (w *jsonWriter) int(key string, n int64) {
	w.name(key)
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

// raw writes a value compactly; numbers and escapes keep their bytes.
func (w *jsonWriter) raw(key string, value json.RawMessage) error {
	w.name(key)
	b := bytes.NewBuffer(w.buf)
	if err := json.Compact(b, value); err != nil {
		return err
	}
	w.buf = b.Bytes()
	return nil
}

const hex = "0123456789abcdef"

// appendString appends s as a JSON string. Each invalid byte run becomes one
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n != 1 {
				i += n
				continue
			}
			dst = append(append(dst, s[start:i]...), "\uFFFD"...)
			for i < len(s) {
				if r, n := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || n != 1 {
					break
				}
				i++
			}
			start = i
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
