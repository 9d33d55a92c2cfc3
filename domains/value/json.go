package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads one JSON text. Numbers keep their kind (an integer has neither point nor exponent) and integers any
// size; a float beyond the range of float64 is an error; a repeated key keeps its first place and its last value;
// invalid UTF-8 and lone surrogates become U+FFFD.
func Parse(text []byte) (Value, error) {
	d := OfText(text)
	v, err := d.Value()
	if err == nil {
		return v, d.End()
	}
	return Value{}, fmt.Errorf("invalid JSON: %w", err)
}

// ParseString is Parse of a string.
func ParseString(s string) (Value, error) { return Parse([]byte(s)) }

// Value reads the next value.
func (d *Decoder) Value() (Value, error) {
	c, err := d.next()
	if err != nil {
		return Value{}, err
	}
	switch c {
	case '"':
		s, err := d.Text()
		return OfString(s), err
	case '[':
		return d.listValue()
	case '{':
		return d.mapValue()
	}
	word, err := d.literal()
	switch {
	case err != nil:
		return Value{}, err
	case isSpecial(word): // until they can be written
		return Value{}, d.failf(-len(word), "invalid character %q at start of value", word[0])
	case word[0] == 'n':
		return Value{}, nil
	case word[0] == 't' || word[0] == 'f':
		return OfBool(word[0] == 't'), nil
	}
	v, err := ParseNumber(string(word))
	if err != nil {
		err = d.failf(0, "%w", err)
	}
	return v, err
}

func (d *Decoder) listValue() (Value, error) {
	if err := d.open('['); err != nil {
		return Value{}, err
	}
	items := []Value{}
	for {
		more, err := d.more(']', len(items) == 0)
		if err != nil || !more {
			return OfList(items), err
		}
		v, err := d.Value()
		if err != nil {
			return Value{}, d.within(strconv.Itoa(len(items)), err)
		}
		items = append(items, v)
	}
}

func (d *Decoder) mapValue() (Value, error) {
	if err := d.open('{'); err != nil {
		return Value{}, err
	}
	m := &Map{}
	for {
		more, err := d.more('}', m.Len() == 0)
		if err != nil || !more {
			return OfMap(m), err
		}
		name, err := d.name()
		if err != nil {
			return Value{}, err
		}
		v, err := d.Value()
		if err != nil {
			return Value{}, d.within(name, err)
		}
		m.Set(name, v)
	}
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
