package record

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tauguide/tauguide/domains/value"
)

// The coercions of the reference's lax validation (docs/reference/domains.md#coercions): what is accepted for a
// number or a truth value besides the thing itself.

// maxDigits is how long a text of an integer may be, without signs, zeros and underscores that say nothing.
const maxDigits = 4300

// coerceInt accepts integers, booleans, floats without a fraction and texts of integers. A float beyond 64 bits is
// refused, as in the reference.
func coerceInt(v value.Value) (value.Value, *Fault) {
	switch v.Kind() {
	case value.Int:
		return v, nil
	case value.Bool:
		i, _ := v.Int64()
		return value.OfInt(i), nil
	case value.Float:
		f, _ := v.Float64()
		switch i, whole := wholeFloat(f); {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return v, &faultFinite
		case f != math.Trunc(f):
			return v, &faultIntPart
		case !whole:
			return v, &faultIntSize
		default:
			return value.OfInt(i), nil
		}
	case value.String:
		return textInt(v)
	}
	return v, &faultInt
}

// wholeFloat is a float as an integer of 64 bits; the bounds themselves do not count as such.
func wholeFloat(f float64) (int64, bool) {
	whole := f == math.Trunc(f) && math.Abs(f) < 1<<63
	if !whole {
		return 0, false
	}
	return int64(f), true
}

func textInt(v value.Value) (value.Value, *Fault) {
	s, _ := v.Text()
	if !wholeText(s) {
		return v, &faultUnicode
	}
	digits, ok := plainDigits(strings.TrimSpace(s))
	b, isInt := new(big.Int).SetString(digits, 10)
	switch {
	case !ok || !isInt || !numeral.MatchString(digits):
		return v, &faultIntText
	case len(digits) > maxDigits:
		return v, &faultIntSize
	}
	return value.OfBig(b), nil
}

// numeral is an integer as JSON writes it.
var numeral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// plainDigits removes from the text of an integer what says nothing: a plus, leading zeros, a fraction of zeros, and
// underscores. Behind leading zeros the reference lets more pass than Python does, such as "0__1" and "0-1".
func plainDigits(s string) (digits string, ok bool) {
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = strings.Trim(s[:1], "+"), s[1:]
		if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
			return "", false
		}
	}
	if strings.HasPrefix(s, "_") {
		return "", false
	}
	if strings.HasPrefix(s, "0") {
		rest := strings.TrimLeft(s, "0_")
		if rest == "" || rest[0] == '.' {
			rest = s[len(s)-len(rest)-1:] // the last zero, or an underscore that is then refused
		}
		s = rest
	}
	if whole, frac, dotted := strings.Cut(s, "."); dotted && frac != "" && strings.Trim(frac, "0") == "" {
		s = whole
	}
	s, ok = stripUnderscores(s)
	return sign + s, ok
}

// wholeText reports whether every character of a text can be encoded: half of a surrogate pair cannot.
func wholeText(s string) bool { return utf8.ValidString(s) }

// stripUnderscores removes underscores that stand alone, but for one at either end.
func stripUnderscores(s string) (string, bool) {
	if strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") {
		return "", false
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// coerceFloat accepts floats, integers in their range, booleans and texts of numbers, inf and nan among them.
func coerceFloat(v value.Value) (float64, *Fault) {
	if v.IsNumber() {
		f, err := v.Finite()
		if err != nil {
			return 0, &faultNumber
		}
		return f, nil
	}
	s, ok := v.Text()
	switch {
	case !ok:
		return 0, &faultNumber
	case !wholeText(s):
		return 0, &faultUnicode
	}
	if strings.Contains(s, "_") {
		s, ok = stripUnderscores(s) // and then no blanks around it
	} else {
		s = strings.TrimSpace(s)
	}
	if !ok || strings.ContainsAny(s, "xXpP") {
		return 0, &faultNumberText
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil, errors.Is(err, strconv.ErrRange):
		return f, nil
	case strings.EqualFold(s, "+nan"), strings.EqualFold(s, "-nan"):
		return math.NaN(), nil // a sign that Go does not read there
	}
	return 0, &faultNumberText
}

// coerceBool accepts booleans, the numbers 0 and 1, and the usual words.
func coerceBool(v value.Value) (bool, *Fault) {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.Bool()
		return b, nil
	case value.Int, value.Float:
		i, small := v.Int64()
		if f, _ := v.Float64(); v.Kind() == value.Float {
			i, small = wholeFloat(f)
		}
		switch {
		case !small:
			return false, &faultBool
		case i == 0 || i == 1:
			return i == 1, nil
		}
		return false, &faultBoolText
	case value.String:
		s, _ := v.Text()
		switch strings.ToLower(s) {
		case "0", "f", "n", "no", "off", "false":
			return false, nil
		case "1", "t", "y", "yes", "on", "true":
			return true, nil
		}
		if !wholeText(s) {
			return false, &faultUnicode
		}
		return false, &faultBoolText
	}
	return false, &faultBool
}
