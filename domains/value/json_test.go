package value_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/value"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       value.Value
	}{
		{"null", ` null `, value.Value{}},
		{"true", `true`, value.OfBool(true)},
		{"integer", `25`, integer(25)},
		{"float that is whole", `25.0`, float(25)},
		{"exponent makes a float", `25e0`, float(25)},
		{"capital exponent", `1E2`, float(100)},
		{"negative zero of integers", `-0`, integer(0)},
		{"negative zero", `-0.0`, float(math.Copysign(0, -1))},
		{"largest of 64 bits", `9223372036854775807`, integer(math.MaxInt64)},
		{"beyond 64 bits", `9223372036854775808`, huge("9223372036854775808")},
		{"underflow", `1e-999`, float(0)},
		{"string", `"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"`, text("a\"\\/\b\f\n\r\té😀")},
		{"lone surrogate", `"\ud83dx"`, text("\xed\xa0\xbdx")},
		{"low surrogate first", `"\ude00\ud83d"`, text("\xed\xb8\x80\xed\xa0\xbd")},
		{"surrogate in a name", `{"\ud83d": 1}`, object(pair("\xed\xa0\xbd", integer(1)))},
		{"surrogate as bytes", "\"\xed\xa0\xbd\"", text("\ufffd\ufffd\ufffd")},
		{"nan", `[NaN]`, list(float(math.NaN()))},
		{"infinities", `[Infinity, -Infinity, 1e400, -1e400]`, list(float(math.Inf(1)), float(math.Inf(-1)), float(math.Inf(1)), float(math.Inf(-1)))},
		{"4,300 digits", "-" + strings.Repeat("9", 4300), huge("-" + strings.Repeat("9", 4300))},
		{"invalid UTF-8", "\"\xff\"", text("\ufffd")},
		{"list", `[1, [], [null]]`, list(integer(1), list(), list(value.Value{}))},
		{"object", `{"b": 1, "a": {"": 2}}`, object(pair("b", integer(1)), pair("a", object(pair("", integer(2)))))},
		{"repeated key", `{"a": 1, "b": 2, "a": 3}`, object(pair("a", integer(3)), pair("b", integer(2)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, tt.text)
			if !value.Identical(got, tt.want) {
				t.Errorf("got %s, want %s", dump(got), dump(tt.want))
			}
			if got.Kind() != tt.want.Kind() {
				t.Errorf("kind %d, want %d", got.Kind(), tt.want.Kind())
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, mention string }{
		{"nothing", ``, "unexpected EOF"},
		{"blank", ` `, "unexpected EOF"},
		{"cut list", `[1,`, "unexpected EOF"},
		{"cut object", `{"a":`, "unexpected EOF"},
		{"cut key", `{"a`, "unexpected EOF"},
		{"open object", `{`, "unexpected EOF"},
		{"cut string", `"a`, "unexpected EOF"},
		{"second value", `1 2`, "after the JSON value"},
		{"rubbish behind", `{} x`, "after the JSON value"},
		{"single quotes", `{'a': 1}`, "invalid"},
		{"comma at the end", `[1,]`, "invalid"},
		{"key without quotes", `{a: 1}`, "invalid"},
		{"number as key", `{1: 1}`, "string"},
		{"leading zero", `01`, "invalid number 01"},
		{"plus sign", `+1`, "invalid"},
		{"infinity with a plus", `+Infinity`, "invalid"},
		{"nan with a sign", `-NaN`, "invalid"},
		{"4,301 digits", strings.Repeat("9", 4301), "an integer of 4301 digits, 4300 at most"},
		{"stray bracket", `]`, "invalid"},
		{"mismatched", `[}`, "invalid"},
		{"control character", "\"a\nb\"", "invalid"},
		{"too deep", strings.Repeat("[", 9998) + strings.Repeat("]", 9998), "nested deeper than 9997"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := value.ParseString(tt.text)
			if err == nil {
				t.Fatalf("read as %.40s, want an error", dump(v))
			}
			if !strings.Contains(err.Error(), tt.mention) {
				t.Errorf("error %q does not say %q", err, tt.mention)
			}
		})
	}
}

// nested is a list of that many levels.
func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestMarshalJSON(t *testing.T) {
	v := parse(t, `{"é": [1, 25.0, 1e22, -0.0, null, true], "b": {"k": "</\u2028\ud83d\ude00\u0001"}, "big": 123456789012345678901234567890}`)
	const want = `{"é":[1,25.0,1e+22,-0.0,null,true],"b":{"k":"</` + "\u2028" + `😀\u0001"},"big":123456789012345678901234567890}`
	got, err := v.MarshalJSON()
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if v.Lossy() || v.JSON() != want {
		t.Errorf("lossy %v, for Python %s", v.Lossy(), v.JSON())
	}
	for _, tt := range []struct {
		in, json, python string
		lossy            bool
	}{
		{`[Infinity, -Infinity]`, `[1e999,-1e999]`, `[Infinity,-Infinity]`, false},
		{`{"x": NaN}`, `{"x":null}`, `{"x":NaN}`, true},
		{`{"\ud83d": "\ud83d\ud83dé"}`, `{"�":"��é"}`, `{"\ud83d":"\ud83d\ud83d\u00e9"}`, true},
		{nested(900), nested(900), nested(900), false},
		{nested(901), strings.Replace(nested(901), "[]", "null", 1), nested(901), true},
	} {
		v := parse(t, tt.in)
		got, err := v.MarshalJSON()
		if err != nil || string(got) != tt.json || v.JSON() != tt.python || v.Lossy() != tt.lossy {
			t.Errorf("%.60s is written %.60s, for Python %.60s, lossy %v", tt.in, got, v.JSON(), v.Lossy())
		}
	}
}

// TestInsideStructs holds that the kinds of numbers survive encoding/json, as they must in tasks and trajectories.
func TestInsideStructs(t *testing.T) {
	type holder struct {
		V value.Value  `json:"v"`
		P *value.Value `json:"p"`
	}
	const in = `{"v":{"n":25.0,"m":25,"s":"<&"},"p":[1e40, 1e400]}`
	var h holder
	if err := json.Unmarshal([]byte(in), &h); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(h); err != nil {
		t.Fatal(err)
	}
	if want := `{"v":{"n":25.0,"m":25,"s":"<&"},"p":[1e+40,1e999]}`; strings.TrimSpace(out.String()) != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

func TestMarshalThenParseIsIdentical(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := values().Draw(rt, "value")
		b, err := v.MarshalJSON()
		if err != nil {
			rt.Fatal(err)
		}
		if !json.Valid(b) {
			rt.Fatalf("not JSON: %s", b)
		}
		if back := parse(t, string(b)); !value.Identical(v, back) {
			rt.Fatalf("%s reads back as %s", dump(v), dump(back))
		}
	})
}

// FuzzParse holds that reading never panics, that the dump of what was read is stable, and that the compact form
// carries the same value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`null`, `[1, 25.0, 1e22, -0.0, 123456789012345678901234567890]`, `{"a": 1, "a": {"é": "\ud800\ud83d\ude00"}}`,
		`"\u0000\u007f"`, `{"k":[[],{},""]}`, "\"\xff\"", `[1,`, `1 2`, `1e999`, `[NaN, "\udc00"]`, `{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"1":0}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := value.Parse(text)
		if err != nil {
			return
		}
		once := value.AppendDump(nil, v, value.Declared)
		again, err := value.Parse(once)
		if err != nil {
			t.Fatalf("own dump %s is not readable: %v", once, err)
		}
		if twice := value.AppendDump(nil, again, value.Declared); !bytes.Equal(once, twice) {
			t.Fatalf("dump is not stable: %s, then %s", once, twice)
		}
		if back, err := value.ParseString(v.JSON()); err != nil || !value.Identical(v, back) {
			t.Fatalf("%s written as %s: %v", once, v.JSON(), err)
		}
		compact, err := v.MarshalJSON()
		if err != nil || !json.Valid(compact) {
			t.Fatalf("%s written as %s: %v", once, compact, err)
		}
		if back, err := value.Parse(compact); err != nil || value.Identical(v, back) == v.Lossy() {
			t.Fatalf("%s written as %s, lossy %v: %v", once, compact, v.Lossy(), err)
		}
	})
}
