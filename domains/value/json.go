package value

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Parse reads one JSON text as Python's reader does. Numbers keep their kind (an integer has neither point nor exponent);
// NaN and infinities are floats, as which numbers beyond the range count, too; a repeated key keeps its first place and
// its last value; halves of surrogate pairs are kept. Invalid UTF-8 becomes U+FFFD.
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
		raw, plain, err := d.quoted()
		if err == nil && !plain {
			raw, _ = unescape(nil, raw)
		}
		return OfString(string(raw)), err
	case '[':
		return d.listValue()
	case '{':
		return d.mapValue()
	}
	word, err := d.literal()
	switch {
	case err != nil:
		return Value{}, err
	case string(word) == "NaN":
		return OfFloat(math.NaN()), nil
	case string(word) == "Infinity":
		return OfFloat(math.Inf(1)), nil
	case string(word) == "-Infinity":
		return OfFloat(math.Inf(-1)), nil
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

// maxDigits is the number of digits from which Python refuses to read an integer.
const maxDigits = 4300

// ParseNumber reads a JSON number literal.
func ParseNumber(lit string) (Value, error) {
	if !strings.ContainsAny(lit, ".eE") {
		if i, err := strconv.ParseInt(lit, 10, 64); err == nil {
			return OfInt(i), nil
		}
		if n := len(strings.TrimPrefix(lit, "-")); n > maxDigits {
			return Value{}, fmt.Errorf("an integer of %d digits, %d at most", n, maxDigits)
		}
		b, ok := new(big.Int).SetString(lit, 10)
		if !ok {
			return Value{}, fmt.Errorf("invalid number %q", lit)
		}
		return OfBig(b), nil
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil && !math.IsInf(f, 0) {
		return Value{}, fmt.Errorf("invalid number %q", lit)
	}
	return OfFloat(f), nil
}
