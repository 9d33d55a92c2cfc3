package toolkit

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tauguide/tauguide/domains"
)

// Bounds of the calculator's integers: digits of one literal (the reference's own), bits of a result. Beyond the
// latter a product or power is refused; a float ends at 1024 bits anyway.
const (
	maxDigits = 4300
	maxBits   = 1 << 16
)

const (
	errHugeInt  = domains.Refusal("int too large to convert to float")
	errHugeReal = domains.Refusal("(34, 'Numerical result out of range')")
)

// number is an integer, a float, or something that is no real number, of which only the type is known: an empty
// tuple, an ellipsis, a complex root.
type number struct {
	i     *big.Int // an integer if not nil
	f     float64
	other string
}

func literal(text string) (number, error) {
	if strings.Contains(text, ".") {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return number{}, badSyntax
		}
		return number{f: f}, nil
	}
	i, ok := new(big.Int).SetString(text, 10)
	if !ok || len(text) > maxDigits {
		return number{}, domains.Refuse("a number of %d digits is too long for the calculator, which reads up to %d", len(text), maxDigits)
	}
	return number{i: i}, nil
}

func (n number) typeName() string {
	switch {
	case n.other != "":
		return n.other
	case n.i != nil:
		return "int"
	}
	return "float"
}

// float converts a real number, rounding to nearest.
func (n number) float() (float64, error) {
	switch {
	case n.other != "":
		return 0, domains.Refuse("float() argument must be a string or a real number, not '%s'", n.other)
	case n.i == nil:
		return n.f, nil
	}
	f, _ := new(big.Float).SetInt(n.i).Float64()
	if math.IsInf(f, 0) {
		return 0, errHugeInt
	}
	return f, nil
}

func (n number) signed(op string) (number, error) {
	switch {
	case n.other == "complex" || n.other == "" && op == "+":
		return n, nil
	case n.other != "":
		return n, domains.Refuse("bad operand type for unary %s: '%s'", op, n.other)
	case n.i != nil:
		return number{i: new(big.Int).Neg(n.i)}, nil
	}
	return number{f: -n.f}, nil
}

func operate(op string, a, b number) (number, error) {
	switch {
	case a.other == "complex" || b.other == "complex":
		return number{other: "complex"}, nil
	case a.other != "" || b.other != "":
		return number{}, domains.Refuse("unsupported operand type(s) for %s: '%s' and '%s'", op, a.typeName(), b.typeName())
	case a.i != nil && b.i != nil:
		return operateInts(op, a.i, b.i)
	}
	return operateFloats(op, a, b)
}

func operateInts(op string, a, b *big.Int) (number, error) {
	r := new(big.Int)
	switch op {
	case "+":
		r.Add(a, b)
	case "-":
		r.Sub(a, b)
	case "*":
		r.Mul(a, b)
	case "/":
		if b.Sign() == 0 {
			return number{}, domains.Refusal("division by zero")
		}
		if a.Sign() == 0 {
			return number{f: math.Copysign(0, float64(b.Sign()))}, nil
		}
		f, _ := new(big.Rat).SetFrac(a, b).Float64()
		if math.IsInf(f, 0) {
			return number{}, domains.Refusal("integer division result too large for a float")
		}
		return number{f: f}, nil
	case "//":
		if b.Sign() == 0 {
			return number{}, domains.Refusal("integer division or modulo by zero")
		}
		// Quotients round down; DivMod rounds towards a remainder that is not negative, which differs for b < 0.
		if m := new(big.Int); b.Sign() < 0 {
			r.DivMod(new(big.Int).Neg(a), new(big.Int).Neg(b), m)
		} else {
			r.DivMod(a, b, m)
		}
	default:
		if b.Sign() < 0 {
			return operateFloats(op, number{i: a}, number{i: b})
		}
		if a.BitLen() > 1 && (!b.IsInt64() || b.Int64() > maxBits || int64(a.BitLen()-1)*b.Int64() > maxBits) {
			return number{}, errHugeInt
		}
		r = intPower(a, b)
	}
	if r.BitLen() > maxBits {
		return number{}, errHugeInt
	}
	return number{i: r}, nil
}

// intPower raises to a power that is not negative and was found to be small, or whose base is -1, 0 or 1.
func intPower(a, b *big.Int) *big.Int {
	switch {
	case b.Sign() == 0:
		return big.NewInt(1)
	case a.BitLen() > 1:
		return new(big.Int).Exp(a, b, nil)
	case a.Sign() < 0 && b.Bit(0) == 0:
		return big.NewInt(1)
	}
	return new(big.Int).Set(a)
}

func operateFloats(op string, a, b number) (number, error) {
	x, err := a.float()
	if err != nil {
		return number{}, err
	}
	y, err := b.float()
	if err != nil {
		return number{}, err
	}
	switch op {
	case "+":
		return number{f: x + y}, nil
	case "-":
		return number{f: x - y}, nil
	case "*":
		return number{f: x * y}, nil
	case "/":
		if y == 0 {
			return number{}, domains.Refusal("float division by zero")
		}
		return number{f: x / y}, nil
	case "//":
		if y == 0 {
			return number{}, domains.Refusal("float floor division by zero")
		}
		return number{f: floorDivide(x, y)}, nil
	}
	switch {
	case x == 0 && y < 0:
		return number{}, domains.Refusal("0.0 cannot be raised to a negative power")
	case x < 0 && y != math.Floor(y) && !math.IsInf(x, 0):
		return number{other: "complex"}, nil
	}
	r := power(x, y)
	if math.IsInf(r, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return number{}, errHugeReal
	}
	return number{f: r}, nil
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

// power is x to the y, rounded from a result with many more digits: math.Pow is off by some units in the last place
// for large exponents, which two decimals of a large result would show.
func power(x, y float64) float64 {
	r := math.Pow(x, y)
	if r == 0 || math.IsInf(r, 0) || math.IsNaN(r) || math.Abs(y) >= 1<<53 {
		return r
	}
	const precision = 256
	whole, frac := math.Modf(math.Abs(y))
	acc := new(big.Float).SetPrec(precision).SetInt64(1)
	sq := new(big.Float).SetPrec(precision).SetFloat64(math.Abs(x))
	root := new(big.Float).Copy(sq)
	for n := uint64(whole); n > 0; n >>= 1 {
		if n&1 == 1 {
			acc.Mul(acc, sq)
		}
		sq.Mul(sq, sq)
	}
	// Each binary digit of the fraction stands for one more square root; those past 2^-128 change nothing.
	for range 128 {
		if frac == 0 {
			break
		}
		root.Sqrt(root)
		if frac *= 2; frac >= 1 {
			acc.Mul(acc, root)
			frac--
		}
	}
	if y < 0 {
		acc.Quo(new(big.Float).SetPrec(precision).SetInt64(1), acc)
	}
	exact, _ := acc.Float64()
	return math.Copysign(exact, r)
}
