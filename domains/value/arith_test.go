package value_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/value"
)

// outcome is the dump of a result, or the text of the error.
func outcome(v value.Value, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return dump(v)
}

func TestArithmetic(t *testing.T) {
	yes, beyond := value.OfBool(true), huge("1"+strings.Repeat("0", 400))
	add, sub, mul := value.Add, value.Sub, value.Mul
	for _, tt := range []struct {
		name string
		f    func(a, b value.Value, op string) (value.Value, error)
		a    value.Value
		op   string
		b    value.Value
		want string
	}{
		{"integers", add, integer(2), "+", integer(3), "5"},
		{"integer and float", add, integer(2), "+", float(3), "5.0"},
		{"float and integer", sub, float(2), "-", integer(3), "-1.0"},
		{"booleans count", add, yes, "+", yes, "2"},
		{"boolean and float", mul, yes, "*", float(2.5), "2.5"},
		{"beyond 64 bits", add, integer(math.MaxInt64), "+", integer(1), "9223372036854775808"},
		{"back within 64 bits", sub, huge("9223372036854775808"), "-", integer(1), "9223372036854775807"},
		{"product beyond 64 bits", mul, integer(math.MinInt64), "*", integer(-1), "9223372036854775808"},
		{"cents are not rounded", add, float(0.1), "+", float(0.2), "0.30000000000000004"},
		{"overflow is infinite", mul, float(1e308), "*", integer(10), "Infinity"},
		{"infinite operand", add, float(math.Inf(1)), "+", integer(1), "Infinity"},
		{"strings", add, text("a"), "+", text("b"), `"ab"`},
		{"integer beyond floats", add, beyond, "+", float(1), "error: int too large to convert to float"},
		{"float and integer beyond floats", sub, float(1), "-", beyond, "error: int too large to convert to float"},
		{"string and integer", sub, text("a"), "-", integer(1), "error: unsupported operand type(s) for -: 'str' and 'int'"},
		{"in place", add, value.Value{}, "+=", float(1), "error: unsupported operand type(s) for +=: 'NoneType' and 'float'"},
		{"containers", mul, list(), "*", object(), "error: unsupported operand type(s) for *: 'list' and 'dict'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := outcome(tt.f(tt.a, tt.b, tt.op)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestNeg(t *testing.T) {
	for _, tt := range []struct {
		v    value.Value
		want string
	}{
		{integer(5), "-5"},
		{integer(0), "0"},
		{integer(math.MinInt64), "9223372036854775808"},
		{huge("9223372036854775808"), "-9223372036854775808"},
		{float(0), "-0.0"},
		{value.OfBool(true), "-1"},
		{text("x"), "error: bad operand type for unary -: 'str'"},
		{value.Value{}, "error: bad operand type for unary -: 'NoneType'"},
	} {
		if got := outcome(value.Neg(tt.v)); got != tt.want {
			t.Errorf("-%s: got %s, want %s", tt.v.Repr(), got, tt.want)
		}
	}
}

func TestTruthy(t *testing.T) {
	for _, text := range []string{`null`, `false`, `0`, `0.0`, `-0.0`, `""`, `[]`, `{}`} {
		if parse(t, text).Truthy() {
			t.Errorf("%s is true", text)
		}
	}
	for _, text := range []string{`true`, `1`, `-1`, `1e-300`, `100000000000000000000`, `"0"`, `[0]`, `{"":0}`} {
		if !parse(t, text).Truthy() {
			t.Errorf("%s is false", text)
		}
	}
	if !float(math.NaN()).Truthy() {
		t.Error("nan is false")
	}
}

func TestRound2(t *testing.T) {
	for _, tt := range []struct {
		f    float64
		want string
	}{
		{2.675, "2.67"}, {0.125, "0.12"}, {0.375, "0.38"}, {-0.125, "-0.12"}, {-0.001, "-0.0"}, {0.001, "0.0"},
		{0.005, "0.01"}, {1.005, "1.0"}, {0.015, "0.01"}, {0.025, "0.03"}, {2.5, "2.5"}, {1e-320, "0.0"},
		{0.615, "0.61"}, {1234567.895, "1234567.9"}, {33554432.125, "33554432.12"},
		{4503599627370495.5, "4503599627370495.5"}, {4503599627370497, "4503599627370497.0"}, {1e300, "1e+300"},
		{math.Inf(-1), "-inf"}, {math.NaN(), "nan"},
	} {
		if got := value.FloatText(value.Round2(tt.f)); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.f, got, tt.want)
		}
	}
}

// TestRound2Exactly compares with rounding in exact arithmetic: the nearest hundredth of the binary value, the even
// one of two that are equally near, as the float nearest to it.
func TestRound2Exactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := rapid.Float64Range(-1e13, 1e13).Draw(rt, "float")
		if rapid.Bool().Draw(rt, "tie") {
			f = math.Trunc(f) / 8
		}
		hundredths := new(big.Rat).Mul(new(big.Rat).SetFloat64(f), big.NewRat(100, 1))
		twice := new(big.Int).Mul(hundredths.Num(), big.NewInt(2))
		n, rem := new(big.Int).DivMod(twice, hundredths.Denom(), new(big.Int)) // floor of twice the hundredths
		half := n.Bit(0) == 1
		n.Rsh(n, 1)
		if half && (rem.Sign() > 0 || n.Bit(0) == 1) {
			n.Add(n, big.NewInt(1))
		}
		want, _ := new(big.Rat).SetFrac(n, big.NewInt(100)).Float64()
		if got := value.Round2(f); got != want {
			rt.Fatalf("%v rounds to %v, want %v", f, got, want)
		}
	})
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       int
	}{
		{"integers", `1`, `2`, -1},
		{"kinds of numbers", `2.0`, `2`, 0},
		{"truth", `true`, `1.0`, 0},
		{"truth and more", `true`, `2`, -1},
		{"integer just above a float", `9007199254740993`, `9007199254740992.0`, 1},
		{"huge integers", `100000000000000000001`, `100000000000000000000`, 1},
		{"huge integer below a float", `100000000000000000000`, `1e21`, -1},
		{"negative zero", `-0.0`, `0`, 0},
		{"strings", `"2024-05-15"`, `"2024-05-2"`, -1},
		{"string and its start", `"ab"`, `"a"`, 1},
		{"equal strings", `"x"`, `"x"`, 0},
		{"code points, not UTF-16", `"\uffff"`, `"\ud800\udc00"`, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			if c, ok, err := value.Compare(a, b, "<"); err != nil || !ok || c != tt.want {
				t.Errorf("got %d, %v, %v; want %d", c, ok, err, tt.want)
			}
			if c, ok, err := value.Compare(b, a, "<"); err != nil || !ok || c != -tt.want {
				t.Errorf("the other way round: got %d, %v, %v; want %d", c, ok, err, -tt.want)
			}
			if less, err := value.Less(a, b); err != nil || less != (tt.want < 0) {
				t.Errorf("less: %v, %v", less, err)
			}
		})
	}
}

func TestCompareWithoutOrder(t *testing.T) {
	nan, inf := float(math.NaN()), float(math.Inf(1))
	for _, pair := range [][2]value.Value{{nan, nan}, {nan, integer(1)}, {huge("100000000000000000000"), nan}} {
		if _, ok, err := value.Compare(pair[0], pair[1], "<"); ok || err != nil {
			t.Errorf("%s against %s: ordered %v, error %v", pair[0].Repr(), pair[1].Repr(), ok, err)
		}
	}
	if c, ok, err := value.Compare(huge("1"+strings.Repeat("0", 400)), inf, "<"); c != -1 || !ok || err != nil {
		t.Errorf("an integer beyond floats against infinity: %d, %v, %v; want it below", c, ok, err)
	}
	for _, tt := range []struct {
		a, b value.Value
		op   string
		want string
	}{
		{text("a"), integer(1), "<=", "'<=' not supported between instances of 'str' and 'int'"},
		{value.Value{}, value.Value{}, "<", "'<' not supported between instances of 'NoneType' and 'NoneType'"},
		{list(), float(1), ">", "'>' not supported between instances of 'list' and 'float'"},
		{object(), value.OfBool(true), ">=", "'>=' not supported between instances of 'dict' and 'bool'"},
	} {
		if _, _, err := value.Compare(tt.a, tt.b, tt.op); err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := value.Less(text("a"), integer(1)); err == nil {
		t.Error("a string is less than a number without an error")
	}
}
