package toolkit

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Bounds of the calculator's integers: digits of one literal (the reference's own), bits of a result. Beyond the
// latter a product or power is refused; a float ends at 1024 bits anyway.
const (
	maxDigits = 4300
	maxBits   = 1 << 16
)

const errHugeInt = domains.Refusal("int too large to convert to float")

func errNotReal(kind string) error {
	return domains.Refuse("float() argument must be a string or a real number, not '%s'", kind)
}

func literal(text string) (Value, error) {
	if strings.Contains(text, ".") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(f, 0) {
			return Value{}, badSyntax
		}
		return value.OfFloat(f), nil
	}
	i, _ := new(big.Int).SetString(text, 10) // the scanner lets only digits through
	return value.OfBig(i), nil
}

func operate(op string, a, b Value) (r Value, err error) {
	ints := a.Kind() == value.Int && b.Kind() == value.Int
	switch {
	case op == "+":
		r, err = value.Add(a, b, op)
	case op == "-":
		r, err = value.Sub(a, b, op)
	case op == "*":
		r, err = value.Mul(a, b, op)
	case op == "**" && ints && b.Big().Sign() >= 0:
		return intPower(a.Big(), b.Big())
	case op != "**" && ints:
		r, err = divideInts(op, a.Big(), b.Big())
	default:
		return operateFloats(op, a, b)
	}
	if err == nil && r.Kind() == value.Int && r.Big().BitLen() > maxBits {
		return r, errHugeInt
	}
	return r, err
}

func divideInts(op string, a, b *big.Int) (Value, error) {
	switch {
	case b.Sign() == 0 && op == "/":
		return Value{}, domains.Refusal("division by zero")
	case b.Sign() == 0:
		return Value{}, domains.Refusal("integer division or modulo by zero")
	case op == "//":
		if b.Sign() < 0 { // DivMod rounds down where the divisor is positive
			a, b = new(big.Int).Neg(a), new(big.Int).Neg(b)
		}
		q, _ := new(big.Int).DivMod(a, b, new(big.Int))
		return value.OfBig(q), nil
	case a.Sign() == 0:
		return value.OfFloat(math.Copysign(0, float64(b.Sign()))), nil
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		return Value{}, domains.Refusal("integer division result too large for a float")
	}
	return value.OfFloat(f), nil
}

// intPower raises to a power that is not negative.
func intPower(a, b *big.Int) (Value, error) {
	if a.BitLen() <= 1 { // -1, 0 and 1 take any power, which only matters as none, odd or even
		b = new(big.Int).SetBit(big.NewInt(int64(b.Sign())<<1), 0, b.Bit(0))
	}
	if !b.IsInt64() || b.Int64() > maxBits || int64(a.BitLen()-1)*b.Int64() > maxBits {
		return Value{}, errHugeInt
	}
	return value.OfBig(new(big.Int).Exp(a, b, nil)), nil
}

func operateFloats(op string, a, b Value) (Value, error) {
	x, err := a.Finite()
	if err != nil {
		return Value{}, err
	}
	y, err := b.Finite()
	switch {
	case err != nil:
		return Value{}, err
	case op == "/" && y == 0:
		return Value{}, domains.Refusal("float division by zero")
	case op == "/":
		return value.OfFloat(x / y), nil
	case op == "//" && y == 0:
		return Value{}, domains.Refusal("float floor division by zero")
	case op == "//":
		return value.OfFloat(floorDivide(x, y)), nil
	case x == 0 && y < 0:
		return Value{}, domains.Refusal("0.0 cannot be raised to a negative power")
	case x < 0 && y != math.Floor(y) && !math.IsInf(x, 0):
		return Value{}, errNotReal("complex")
	}
	r := power(x, y)
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return Value{}, domains.Refusal("(34, 'Numerical result out of range')")
	}
	return value.OfFloat(r), nil
}

// floorDivide is the reference's // of floats: the quotient without its remainder, rounded down.
func floorDivide(x, y float64) float64 {
	rem := math.Mod(x, y)
	q := (x - rem) / y
	if rem != 0 && (y < 0) != (rem < 0) {
		q--
	}
	if q == 0 {
		return math.Copysign(0, x/y)
	}
	if f := math.Floor(q); q-f <= 0.5 {
		return f
	}
	return math.Floor(q) + 1
}

// power is x to the y. Whole powers are multiplied out with many digits and rounded once: math.Pow is off by some units
// in the last place, which two decimals of a large result would show.
func power(x, y float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) || y != math.Trunc(y) || math.Abs(y) > 1100 {
		return math.Pow(x, y)
	}
	one := new(big.Float).SetPrec(256).SetInt64(1)
	acc := new(big.Float).Copy(one)
	for range int(math.Abs(y)) {
		acc.Mul(acc, big.NewFloat(x))
	}
	if y < 0 {
		acc.Quo(one, acc)
	}
	f, _ := acc.Float64()
	return f
}
