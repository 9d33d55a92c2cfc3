package value_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/value"
)

// floatTexts are floats with the text that the reference gives them, in messages and in JSON alike.
var floatTexts = []struct {
	f    float64
	want string
}{
	{0, "0.0"},
	{math.Copysign(0, -1), "-0.0"},
	{1, "1.0"},
	{-1, "-1.0"},
	{25, "25.0"},
	{0.1, "0.1"},
	{0.30000000000000004, "0.30000000000000004"},
	{1.0 / 3, "0.3333333333333333"},
	{2.0 / 3, "0.6666666666666666"},
	{100.5, "100.5"},
	{1234.5678, "1234.5678"},
	{123456789.125, "123456789.125"},
	{0.0001, "0.0001"},
	{0.00012345, "0.00012345"},
	{0.00009999999999999999, "9.999999999999999e-05"},
	{0.00001, "1e-05"},
	{1.5e-7, "1.5e-07"},
	{1e-10, "1e-10"},
	{1e-100, "1e-100"},
	{5e-324, "5e-324"},
	{2.2250738585072014e-308, "2.2250738585072014e-308"},
	{1e15, "1000000000000000.0"},
	{999999999999999.9, "999999999999999.9"},
	{9007199254740993, "9007199254740992.0"},
	{9999999999999998, "9999999999999998.0"},
	{1e16, "1e+16"},
	{12345678901234567, "1.2345678901234568e+16"},
	{123456789012345678, "1.2345678901234568e+17"},
	{1e22, "1e+22"},
	{1.5e22, "1.5e+22"},
	{-1e23, "-1e+23"},
	{1e100, "1e+100"},
	{1e300, "1e+300"},
	{math.MaxFloat64, "1.7976931348623157e+308"},
}

func TestFloatText(t *testing.T) {
	for _, tt := range floatTexts {
		if got := value.FloatText(tt.f); got != tt.want {
			t.Errorf("%x: got %s, want %s", tt.f, got, tt.want)
		}
		if got := string(value.AppendFloat(nil, tt.f)); got != tt.want {
			t.Errorf("%x in JSON: got %s, want %s", tt.f, got, tt.want)
		}
	}
	for _, tt := range []struct {
		f          float64
		text, json string
	}{
		{math.Inf(1), "inf", "Infinity"},
		{math.Inf(-1), "-inf", "-Infinity"},
		{math.NaN(), "nan", "NaN"},
	} {
		if got := value.FloatText(tt.f); got != tt.text {
			t.Errorf("got %s, want %s", got, tt.text)
		}
		if got := string(value.AppendFloat(nil, tt.f)); got != tt.json {
			t.Errorf("in JSON: got %s, want %s", got, tt.json)
		}
	}
}

// TestFloatTextReadsBack holds the grammar of a float's text, and that no digit is lost or superfluous.
func TestFloatTextReadsBack(t *testing.T) {
	grammar := regexp.MustCompile(`^-?(\d+\.\d+|\d(\.\d+)?e[+-]\d\d+)$`)
	rapid.Check(t, func(rt *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(rt, "bits"))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			rt.Skip("not finite")
		}
		s := value.FloatText(f)
		if !grammar.MatchString(s) {
			rt.Fatalf("%x is written %s", f, s)
		}
		if g, err := strconv.ParseFloat(s, 64); err != nil || math.Float64bits(g) != math.Float64bits(f) {
			rt.Fatalf("%s reads back as %x, want %x", s, g, f)
		}
	})
}

func TestStrAndRepr(t *testing.T) {
	for _, tt := range []struct {
		name      string
		v         value.Value
		str, repr string
	}{
		{"null", value.Value{}, "None", "None"},
		{"true", value.OfBool(true), "True", "True"},
		{"false", value.OfBool(false), "False", "False"},
		{"integer", integer(-7), "-7", "-7"},
		{"huge integer", huge("-1000000000000000000000000000000"), "-1000000000000000000000000000000", "-1000000000000000000000000000000"},
		{"float", float(2), "2.0", "2.0"},
		{"infinity", float(math.Inf(-1)), "-inf", "-inf"},
		{"string", text("a"), "a", "'a'"},
		{"empty string", text(""), "", "''"},
		{"single quote", text("it's"), "it's", `"it's"`},
		{"double quote", text(`q"q`), `q"q`, `'q"q'`},
		{"both quotes", text(`b'"b`), `b'"b`, `'b\'"b'`},
		{"backslash", text(`a\b`), `a\b`, `'a\\b'`},
		{"breaks", text("a\n\r\tb"), "a\n\r\tb", `'a\n\r\tb'`},
		{"controls", text("\x00\x1f\x7f"), "\x00\x1f\x7f", `'\x00\x1f\x7f'`},
		{"latin", text("é"), "é", "'é'"},
		{"soft hyphen", text("\u00ad"), "\u00ad", `'\xad'`},
		{"no-break space", text("\u00a0"), "\u00a0", `'\xa0'`},
		{"line separator", text("\u2028"), "\u2028", `'\u2028'`},
		{"zero width space", text("\u200b"), "\u200b", `'\u200b'`},
		{"emoji", text("😀"), "😀", "'😀'"},
		{"tag character", text("\U000e0001"), "\U000e0001", `'\U000e0001'`},
		{"empty list", list(), "[]", "[]"},
		{"list", list(value.Value{}, value.OfBool(true), float(1.5), text("x")), "[None, True, 1.5, 'x']", "[None, True, 1.5, 'x']"},
		{"empty object", object(), "{}", "{}"},
		{"object", object(pair("b", integer(1)), pair("it's", list(text("é")))), `{'b': 1, "it's": ['é']}`, `{'b': 1, "it's": ['é']}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.v.Str(); got != tt.str {
				t.Errorf("Str: got %s, want %s", got, tt.str)
			}
			if got := tt.v.Repr(); got != tt.repr {
				t.Errorf("Repr: got %s, want %s", got, tt.repr)
			}
		})
	}
}

func TestTypeName(t *testing.T) {
	for want, v := range map[string]value.Value{
		"NoneType": {}, "bool": value.OfBool(false), "int": huge("100000000000000000000"), "float": float(0),
		"str": text(""), "list": list(), "dict": object(),
	} {
		if got := v.TypeName(); got != want {
			t.Errorf("%s: got %s, want %s", v.Repr(), got, want)
		}
	}
}
