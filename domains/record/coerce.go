package record

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains/value"
)

// The coercions of the reference's lax validation (docs/reference/domains.md#coercions): what is accepted for a
// number or a truth value besides the thing itself.

var (
	errInt        = errors.New("an integer")
	errIntPart    = errors.New("an integer, not a number with a fraction")
	errIntSize    = errors.New("an integer of at most 64 bits")
	errFiniteInt  = errors.New("a finite number")
	errNumber     = errors.New("a number")
	errTruthValue = errors.New("true or false")
)

// coerceInt accepts integers, booleans, floats without a fraction and texts of integers. A float beyond 64 bits is
// refused, as in the reference.
func coerceInt(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		return v, nil
	case value.Bool:
		i, _ := v.Int64()
		return value.OfInt(i), nil
	case value.Float:
		f, _ := v.Float64()
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			return v, errFiniteInt
		case f != math.Trunc(f):
			return v, errIntPart
		case f >= 1<<63 || f <= -1<<63:
			return v, errIntSize
		}
		return value.OfInt(int64(f)), nil
	case value.String:
		s, _ := v.Text()
		whole, frac, dotted := strings.Cut(strings.TrimSpace(s), ".")
		digits, ok := stripUnderscores(whole)
		b, isInt := new(big.Int).SetString(digits, 10)
		if !ok || !isInt || dotted && (frac == "" || strings.Trim(frac, "0") != "") {
			return v, errInt
		}
		return value.OfBig(b), nil
	}
	return v, errInt
}

// stripUnderscores removes single underscores between digits.
func stripUnderscores(s string) (string, bool) {
	if !strings.Contains(s, "_") {
		return s, true
	}
	isDigit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := range len(s) {
		if s[i] == '_' && (!isDigit(i-1) || !isDigit(i+1)) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// coerceFloat accepts floats, integers, booleans and texts of numbers, inf and nan among them.
func coerceFloat(v value.Value) (float64, error) {
	if v.IsNumber() {
		f, _ := v.Float64()
		return f, nil
	}
	s, ok := v.Text()
	if !ok {
		return 0, errNumber
	}
	s, ok = stripUnderscores(strings.TrimSpace(s))
	if !ok || strings.ContainsAny(s, "xXpP") {
		return 0, errNumber
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil, errors.Is(err, strconv.ErrRange):
		return f, nil
	case strings.EqualFold(s, "+nan"), strings.EqualFold(s, "-nan"):
		return math.NaN(), nil // a sign that Go does not read there
	}
	return 0, errNumber
}

// coerceBool accepts booleans, the numbers 0 and 1, and the usual words.
func coerceBool(v value.Value) (bool, error) {
	switch v.Kind() {
	case value.Bool:
		b, _ := v.Bool()
		return b, nil
	case value.Int, value.Float:
		if f, _ := v.Float64(); f == 0 || f == 1 {
			return f == 1, nil
		}
	case value.String:
		s, _ := v.Text()
		switch strings.ToLower(s) {
		case "0", "f", "n", "no", "off", "false":
			return false, nil
		case "1", "t", "y", "yes", "on", "true":
			return true, nil
		}
	}
	return false, errTruthValue
}
