package value

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Arithmetic follows the reference's dynamic typing: integers stay integers of any size, one float operand makes the
// result a float, a boolean counts as 0 or 1, and any other operand is an error in the reference's words.

// Add returns a + b; op is how the operator is spelled in the error text ("+" or "+=").
func Add(a, b Value, op string) (Value, error) {
	if a.kind == String && b.kind == String {
		return OfString(a.str + b.str), nil
	}
	return arith(a, b, op, func(x, y float64) float64 { return x + y }, (*big.Int).Add)
}

// Sub returns a - b.
func Sub(a, b Value, op string) (Value, error) {
	return arith(a, b, op, func(x, y float64) float64 { return x - y }, (*big.Int).Sub)
}

// Mul returns a * b for numbers.
func Mul(a, b Value, op string) (Value, error) {
	return arith(a, b, op, func(x, y float64) float64 { return x * y }, (*big.Int).Mul)
}

func arith(a, b Value, op string, f func(x, y float64) float64, g func(z, x, y *big.Int) *big.Int) (Value, error) {
	if !a.IsNumber() || !b.IsNumber() {
		return Value{}, fmt.Errorf("unsupported operand type(s) for %s: '%s' and '%s'", op, a.TypeName(), b.TypeName())
	}
	if a.kind != Float && b.kind != Float {
		return OfBig(g(new(big.Int), a.Big(), b.Big())), nil
	}
	x, err := a.Finite()
	if err != nil {
		return Value{}, err
	}
	y, err := b.Finite()
	if err != nil {
		return Value{}, err
	}
	return OfFloat(f(x, y)), nil
}

// Finite converts to float64 as an operand: an integer beyond the range is an error, an infinite float is not.
func (v Value) Finite() (float64, error) {
	f, _ := v.Float64()
	if v.kind == Int && math.IsInf(f, 0) {
		return 0, errors.New("int too large to convert to float")
	}
	return f, nil
}

// Compare orders two numbers or two strings: negative, zero or positive. The error text names op ("<", "<=", ...).
// Comparing with NaN gives an ordering for which no operator holds, which callers see as ok == false.
func Compare(a, b Value, op string) (c int, ok bool, err error) {
	switch {
	case a.IsNumber() && b.IsNumber():
		c, ok = compareNumbers(a, b)
		return c, ok, nil
	case a.kind == String && b.kind == String:
		switch {
		case a.str < b.str:
			return -1, true, nil
		case a.str > b.str:
			return 1, true, nil
		}
		return 0, true, nil
	}
	return 0, false, fmt.Errorf("'%s' not supported between instances of '%s' and '%s'", op, a.TypeName(), b.TypeName())
}

// Less reports a < b, with the error of Compare.
func Less(a, b Value) (bool, error) {
	c, ok, err := Compare(a, b, "<")
	return ok && c < 0, err
}

// Neg returns -a for a number.
func Neg(a Value) (Value, error) {
	switch a.kind {
	case Float:
		f, _ := a.Float64()
		return OfFloat(-f), nil
	case Int, Bool:
		return OfBig(new(big.Int).Neg(a.Big())), nil
	}
	return Value{}, fmt.Errorf("bad operand type for unary -: '%s'", a.TypeName())
}

// Round2 rounds to two decimals, correctly from the binary value (ties to even on exact ties), as the reference's
// round(x, 2) does on a float.
func Round2(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) >= 1<<52 {
		return f
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 2, 64), 64)
	if err != nil {
		return f
	}
	return r
}

// Truthy is the reference's truth of v: false for null, false, zero and everything empty.
func (v Value) Truthy() bool {
	switch v.kind {
	case Null:
		return false
	case String:
		return v.str != ""
	case List:
		l, _ := v.Items()
		return len(l) > 0
	case Object:
		m, _ := v.Map()
		return m.Len() > 0
	case Int:
		return v.ref != nil || v.num != 0
	case Float:
		f, _ := v.Float64()
		return f != 0
	}
	return v.num == 1
}
