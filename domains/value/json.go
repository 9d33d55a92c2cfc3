package value

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds nesting, so that a hostile text cannot exhaust the stack.
const maxDepth = 1000

// Parse reads one JSON text. Numbers keep their kind (an integer has neither point nor exponent) and integers any
// size; a float beyond the range of float64 is an error; a repeated key keeps its first place and its last value;
// invalid UTF-8 and lone surrogates become U+FFFD.
func Parse(text []byte) (Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := Read(d)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, fmt.Errorf("unexpected text after the JSON value at byte %d", d.InputOffset())
	}
	return v, nil
}

// ParseString is Parse of a string.
func ParseString(s string) (Value, error) { return Parse([]byte(s)) }

// Read reads the next value from d, which must allow duplicate names.
func Read(d *jsontext.Decoder) (Value, error) { return read(d, 0) }

func read(d *jsontext.Decoder, depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, fmt.Errorf("JSON nested deeper than %d levels at byte %d", maxDepth, d.InputOffset())
	}
	tok, err := d.ReadToken()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Value{}, fmt.Errorf("invalid JSON: %w", err)
	}
	switch tok.Kind() {
	case 'n':
		return Value{}, nil
	case 't', 'f':
		return OfBool(tok.Bool()), nil
	case '"':
		return OfString(tok.String()), nil
	case '0':
		v, err := ParseNumber(tok.String())
		if err != nil {
			return Value{}, fmt.Errorf("%w at byte %d", err, d.InputOffset())
		}
		return v, nil
	case '[':
		return readList(d, depth)
	case '{':
		return readMap(d, depth)
	}
	return Value{}, fmt.Errorf("invalid JSON: unexpected %s at byte %d", tok.Kind(), d.InputOffset())
}

func readList(d *jsontext.Decoder, depth int) (Value, error) {
	items := []Value{}
	for d.PeekKind() != ']' {
		v, err := read(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		items = append(items, v)
	}
	if _, err := d.ReadToken(); err != nil {
		return Value{}, fmt.Errorf("invalid JSON: %w", err)
	}
	return OfList(items), nil
}

func readMap(d *jsontext.Decoder, depth int) (Value, error) {
	m := &Map{}
	for d.PeekKind() != '}' {
		key, err := d.ReadToken()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return Value{}, fmt.Errorf("invalid JSON: %w", err)
		}
		name := key.String()
		v, err := read(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		m.Set(name, v)
	}
	if _, err := d.ReadToken(); err != nil {
		return Value{}, fmt.Errorf("invalid JSON: %w", err)
	}
	return OfMap(m), nil
}

// ParseNumber reads a JSON number literal.
func ParseNumber(lit string) (Value, error) {
	if !strings.ContainsAny(lit, ".eE") {
		if i, err := strconv.ParseInt(lit, 10, 64); err == nil {
			return OfInt(i), nil
		}
		b, ok := new(big.Int).SetString(lit, 10)
		if !ok {
			return Value{}, fmt.Errorf("invalid number %q", lit)
		}
		return OfBig(b), nil
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil {
		return Value{}, fmt.Errorf("number %.40s is out of range", lit)
	}
	return OfFloat(f), nil
}

// MarshalJSON writes v compactly in UTF-8, numbers by kind (25.0 stays 25.0). NaN and infinities have no JSON form and
// are an error; neither can occur in a value that was read from JSON.
func (v Value) MarshalJSON() ([]byte, error) { return appendJSON(nil, v) }

// UnmarshalJSON reads v as Parse does.
func (v *Value) UnmarshalJSON(text []byte) error {
	x, err := Parse(text)
	if err == nil {
		*v = x
	}
	return err
}

func appendJSON(dst []byte, v Value) ([]byte, error) {
	var err error
	switch v.kind {
	case Float:
		f := math.Float64frombits(v.num)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return dst, fmt.Errorf("%v has no JSON form", f)
		}
		return appendFiniteFloat(dst, f), nil
	case String:
		return appendText(dst, v.str), nil
	case List:
		items, _ := v.Items()
		dst = append(dst, '[')
		for i, x := range items {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, x); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case Object:
		m, _ := v.Map()
		dst = append(dst, '{')
		for i, k := range m.keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, k), ':')
			if dst, err = appendJSON(dst, m.vals[i]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	return AppendDump(dst, v, Declared), nil
}

func appendText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		return AppendQuoted(dst, s)
	}
	return out
}
