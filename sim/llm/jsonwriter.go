package llm

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// appendString appends s as a JSON string. Each invalid byte run becomes one
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		panic("llm: quoting valid text: " + err.Error())
	}
	return dst
}
