package toolkit_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/toolkit"
	"github.com/tauguide/tauguide/domains/value"
)

// calculated is the tool's answer as it goes over the wire.
func calculated(v value.Value) string {
	text, err := toolkit.Calculate(v)
	if err != nil {
		return "Error: " + err.Error()
	}
	return text
}

// TestCalculateVectors replays the recorded calculator. Every text is compared, those of expressions with // and **
// too, whose error texts the project would be free to word otherwise.
func TestCalculateVectors(t *testing.T) {
	var file struct {
		Cases []struct {
			Expression value.Value `json:"expression"`
			Content    string      `json:"content"`
			Error      bool        `json:"error"`
		} `json:"cases"`
	}
	domaintest.Vectors(t, "calc.json", &file)
	for _, c := range file.Cases {
		if _, err := toolkit.Calculate(c.Expression); (err != nil) != c.Error {
			t.Errorf("%s: error %v, recorded %v (%s)", c.Expression.Repr(), err, c.Error, c.Content)
		}
		if got := calculated(c.Expression); got != c.Content {
			t.Errorf("%s\n got: %s\nwant: %s", c.Expression.Repr(), got, c.Content)
		}
	}
	if n := len(file.Cases); n != 683 {
		t.Errorf("compared %d expressions, want 683", n)
	}
}

func TestCalculate(t *testing.T) {
	const (
		syntax = "Error: invalid syntax (<string>, line 1)"
		open   = "Error: '(' was never closed (<string>, line 1)"
		comma  = "Error: invalid syntax. Perhaps you forgot a comma? (<string>, line 1)"
		zeros  = "Error: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (<string>, line 1)"
		notOne = "Error: float() argument must be a string or a real number, not '%s'"
	)
	for _, tt := range []struct{ name, expression, want string }{
		{"integers become floats", "2+2", "4.0"},
		{"rounded to cents", "10/3", "3.33"},
		{"exact tie to even", "0.125", "0.12"},
		{"binary value below the tie", "2.675", "2.67"},
		{"floor of integers", "5//2", "2.0"},
		{"floor rounds down", "-5//2", "-3.0"},
		{"floor by a negative", "5//-2", "-3.0"},
		{"floor of floats", "-7.5//2", "-4.0"},
		{"floor of a float by an inexact one", "1.0//.1", "9.0"},
		{"negative zero of a floor", "0.0//-2", "-0.0"},
		{"negative zero of a quotient of integers", "0/-2", "-0.0"},
		{"no negative zero of an integer", "-0", "0.0"},
		{"power binds to the right", "2**3**2", "512.0"},
		{"power binds tighter than the sign on its left", "-2**2", "-4.0"},
		{"sign in the exponent", "2**-1", "0.5"},
		{"odd power of a negative", "(-2.0)**3", "-8.0"},
		{"fractional power", "2**.5", "1.41"},
		{"power near one", "1.0001**0.75", "1.0"},
		{"anything to the zeroth", "0**0", "1.0"},
		{"one to any power", "1**(10**30)", "1.0"},
		{"minus one to an odd power", "(-1)**(10**30+1)", "-1.0"},
		{"signs", "--+-3", "-3.0"},
		{"exponent form of large results", "10**16", "1e+16"},
		{"large quotient stays exact", "10**400/10**399", "10.0"},
		{"overflow of a product of floats", "10.0**308*10", "inf"},
		{"no number", "10.0**308*10-10.0**308*10", "nan"},
		{"underflow", "10.0**-400", "0.0"},
		{"point at the end", "1.+.5", "1.5"},
		{"leading zeros before a point", "01.5", "1.5"},
		{"zeros", "00", "0.0"},
		{"blanks around", "  1 +  1  ", "2.0"},

		{"nothing", "", "Error: invalid syntax (<string>, line 0)"},
		{"blank", "  ", "Error: invalid syntax (<string>, line 0)"},
		{"letters", "two", "Error: Invalid characters in expression"},
		{"exponent letter", "1e5", "Error: Invalid characters in expression"},
		{"tab", "1\t+1", "Error: Invalid characters in expression"},
		{"two numbers", "1 2", syntax},
		{"two points", "1.2.3", syntax},
		{"operand missing", "2 +", syntax},
		{"operator alone", "*", syntax},
		{"point alone", ".", syntax},
		{"three stars", "2***3", syntax},
		{"mistake inside an open parenthesis", "(2 * / 3", syntax},
		{"open", "(1+1", open},
		{"open after an operator", "(1+", open},
		{"open behind a stray number", "3 4 + (5", open},
		{"two numbers in parentheses", "(1 2)", comma},
		{"two numbers in a call", "5(3 4)", comma},
		{"two numbers in an open parenthesis", "(1 2", open},
		{"stray closing", "1)", "Error: unmatched ')' (<string>, line 1)"},
		{"stray closing behind another mistake", "1 2)", "Error: unmatched ')' (<string>, line 1)"},
		{"leading zero", "007", zeros},
		{"leading zero behind another mistake", "1 2 03", zeros},
		{"integers by zero", "1/0", "Error: division by zero"},
		{"float by zero", "1.0/0", "Error: float division by zero"},
		{"by a float zero", "1/0.", "Error: float division by zero"},
		{"floor by zero", "1//0", "Error: integer division or modulo by zero"},
		{"float floor by zero", "1//0.0", "Error: float floor division by zero"},
		{"spelling comes before arithmetic", "1/0 + (", open},
		{"zero to a negative power", "0**-2", "Error: 0.0 cannot be raised to a negative power"},
		{"integer beyond floats", "10**400", "Error: int too large to convert to float"},
		{"integer beyond floats beside a float", "10**400*1.0", "Error: int too large to convert to float"},
		{"quotient beyond floats", "10**400/3", "Error: integer division result too large for a float"},
		{"float power beyond floats", "10.0**400", "Error: (34, 'Numerical result out of range')"},
		{"root of a negative", "(-8)**0.5", fmt.Sprintf(notOne, "complex")},
		{"root of a negative in a sum", "1 + -(-8)**0.5*2", fmt.Sprintf(notOne, "complex")},
		{"nothing in parentheses", "()", fmt.Sprintf(notOne, "tuple")},
		{"ellipsis", "...", syntax},
		{"number in front of parentheses", "5(3)", "Error: 'int' object is not callable"},
		{"parentheses in front of parentheses", "(1.5)(2)", "Error: 'float' object is not callable"},
		{"nothing called", "()()", fmt.Sprintf(notOne, "tuple")},
		{"argument comes before the call", "2(1/0)", "Error: division by zero"},
		{"sum with nothing", "1+()", fmt.Sprintf(notOne, "tuple")},
		{"sign of nothing", "-()", fmt.Sprintf(notOne, "tuple")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := calculated(value.OfString(tt.expression)); got != tt.want {
				t.Errorf("%s\n got: %s\nwant: %s", tt.expression, got, tt.want)
			}
		})
	}
}

func TestCalculateOtherArguments(t *testing.T) {
	for _, tt := range []struct{ name, argument, want string }{
		{"number", `5`, "Error: 'int' object is not iterable"},
		{"null", `null`, "Error: 'NoneType' object is not iterable"},
		{"empty list", `[]`, "Error: eval() arg 1 must be a string, bytes or code object"},
		{"list of characters", `["1", "+", "12"]`, "Error: eval() arg 1 must be a string, bytes or code object"},
		{"list of other texts", `["1", "a"]`, "Error: Invalid characters in expression"},
		{"list of numbers", `[1]`, "Error: 'in <string>' requires string as left operand, not int"},
		{"object", `{"1": null}`, "Error: eval() arg 1 must be a string, bytes or code object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := value.ParseString(tt.argument)
			if err != nil {
				t.Fatal(err)
			}
			if got := calculated(v); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestCalculateBounds gives the calculator what would take the reference hours or all memory: each must be an error,
// and soon.
func TestCalculateBounds(t *testing.T) {
	for _, tt := range []struct{ name, expression string }{
		{"tower", "9**9**9"},
		{"taller tower", "9**9**9**9**9"},
		{"negative tower", "(-9)**9**9"},
		{"huge exponent", "2**" + strings.Repeat("9", 40)},
		{"repeated squares", strings.Repeat("(", 30) + "7**1000" + strings.Repeat(")**2", 30)},
		{"long literal", strings.Repeat("9", 5000)},
		{"many parentheses", strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000)},
		{"many signs", strings.Repeat("-", 100000) + "1"},
		{"many powers", strings.Repeat("1**", 100000) + "1"},
		{"many factors", strings.Repeat("99999999*", 50000) + "1"},
		{"many calls", "1" + strings.Repeat("()", 50000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := toolkit.Calculate(value.OfString(tt.expression)); err == nil {
				t.Errorf("got %s, want an error", got)
			}
		})
	}
	if got := calculated(value.OfString("0" + strings.Repeat("+1", 100000))); got != "100000.0" {
		t.Errorf("a long sum: got %s, want 100000.0", got)
	}
}

// TestCalculateAgainstRationals builds random expressions over integers together with their exact value.
func TestCalculateAgainstRationals(t *testing.T) {
	type sample struct {
		text  string
		exact *big.Rat
	}
	var draw func(rt *rapid.T, depth int) sample
	draw = func(rt *rapid.T, depth int) sample {
		if depth == 0 || rapid.IntRange(0, 3).Draw(rt, "leaf") == 0 {
			n := rapid.Int64Range(0, 1_000_000).Draw(rt, "number")
			return sample{fmt.Sprint(n), new(big.Rat).SetInt64(n)}
		}
		a, b := draw(rt, depth-1), draw(rt, depth-1)
		switch rapid.SampledFrom([]string{"+", "-", "*", "neg", "**2"}).Draw(rt, "operator") {
		case "+":
			return sample{"(" + a.text + " + " + b.text + ")", a.exact.Add(a.exact, b.exact)}
		case "-":
			return sample{"(" + a.text + "-" + b.text + ")", a.exact.Sub(a.exact, b.exact)}
		case "*":
			return sample{"(" + a.text + "*" + b.text + ")", a.exact.Mul(a.exact, b.exact)}
		case "neg":
			return sample{"(-" + a.text + ")", a.exact.Neg(a.exact)}
		}
		return sample{"(" + a.text + "**2)", a.exact.Mul(a.exact, a.exact)}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := draw(rt, 4)
		f, _ := s.exact.Float64()
		if got, want := calculated(value.OfString(s.text)), value.FloatText(f); got != want {
			rt.Fatalf("%s = %s, want %s", s.text, got, want)
		}
		// A quotient of integers is rounded once, from the exact fraction.
		q, _ := new(big.Rat).Quo(s.exact, big.NewRat(7, 1)).Float64()
		if got, want := calculated(value.OfString(s.text+"/7")), value.FloatText(value.Round2(q)); got != want && s.exact.Sign() != 0 {
			rt.Fatalf("%s/7 = %s, want %s", s.text, got, want)
		}
	})
}

func FuzzCalculate(f *testing.F) {
	for _, s := range []string{"1+1", "(2*3.5)//.1", "2**-3", "((", "5(3)", "...", "01", "1 2", "9**9**9", "-(-8)**.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, err := toolkit.Calculate(value.OfString(s))
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without text")
			}
			return
		}
		if text == "" || !strings.ContainsAny(text, ".einf") {
			t.Errorf("%q = %q, which is no float text", s, text)
		}
	})
}
