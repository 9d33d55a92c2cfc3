package value_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tauguide/tauguide/domains/value"
)

func TestCompact(t *testing.T) {
	long := strings.Repeat("lang und breit ", 20_000) // beyond the first window
	for _, tt := range []struct {
		name, text, want string
		nulled, mended   int
	}{
		{"white space", " {\n        \"a\" : [ 1 , { } , [ ] ] ,\t\"b\":\r\"x y\" } ", `{"a":[1,{},[]],"b":"x y"}`, 0, 0},
		{"numbers keep their spelling", `[1.50, 1E2, -0.0, 1e999, 12345678901234567890]`, `[1.50,1E2,-0.0,1e999,12345678901234567890]`, 0, 0},
		{"literals of Python's", `{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN"}`, `{"a":null,"b":[null,null],"c":"NaN"}`, 3, 0},
		{"escapes", `"\u00e9\ud83d\ude00\/\"\\\n\u0001 </"`, `"é😀/\"\\\n\u0001 </"`, 0, 0},
		{"half a surrogate", `["\ud83d", "\ude00\ud83d\u0041"]`, `["�","��A"]`, 0, 2},
		{"no UTF-8", "[\"\xff\", \"plain é\"]", `["�","plain é"]`, 0, 1},
		{"repeated names", `{"a": 1, "b": {"c": 1.0, "\u0063": 2.50}, "a": [3]}`, `{"a":[3],"b":{"c":2.50}}`, 0, 2},
		{"repeated names of many", `{"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":0,"11":1,"12":2,"13":3,"14":4,"15":5,"16":6,"17":7,"2":0}`,
			`{"1":1,"2":0,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"10":0,"11":1,"12":2,"13":3,"14":4,"15":5,"16":6,"17":7}`, 0, 1},
		{"long", `[` + strings.Repeat(" ", 100_000) + `"` + long + `"]`, `["` + long + `"]`, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := value.NewDecoder(strings.NewReader(tt.text), 0)
			got, err := d.AppendCompact([]byte(">"))
			if err != nil || string(got) != ">"+tt.want {
				t.Errorf("got %.300s, %v\nwant %.300s", got, err, tt.want)
			}
			if d.Nulled != tt.nulled || d.Mended != tt.mended {
				t.Errorf("%d nulled and %d mended, want %d and %d", d.Nulled, d.Mended, tt.nulled, tt.mended)
			}
			if err := d.End(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPlaceOfError damages a text of two objects and wants byte and path of the damage, whatever pieces it comes in.
func TestPlaceOfError(t *testing.T) {
	const whole = `{"a/b": [{"x": "one"}, {"x": 2}], "~": -Infinity}`
	for _, tt := range []struct {
		old, new string
		offset   int // from old
		path     string
		text     string
	}{
		{`, {`, `; {`, 0, "/a~1b", "invalid character ';' after array element (expecting ',' or ']')"},
		{`, "~"`, `."~"`, 0, "", "invalid character '.' after object value (expecting ',' or '}')"},
		{`: 2`, ` 2`, 1, "/a~1b/1", "invalid character '2' after object name (expecting ':')"},
		{`2`, `02`, 0, "/a~1b/1/x", "invalid number 02"},
		{`2`, `"two"`, 0, "/a~1b/1/x", `want a number, got a string "two"`},
		{`2`, `é`, 0, "/a~1b/1/x", "invalid character 'é' at start of value"},
		{`2`, `NaNs`, 0, "/a~1b/1/x", "invalid character 'N' at start of value"},
		{`one`, "o\ne", 1, "/a~1b/0/x", `invalid character '\n' within string (expecting an escape)`},
		{`one`, `o\xe`, 1, "/a~1b/0/x", `invalid escape sequence "\\x" within string`},
		{`one`, `\u12g4`, 0, "/a~1b/0/x", `invalid escape sequence "\\u12g4" within string`},
		{`Infinity}`, "Inf", 3, "/~0", "unexpected EOF"},
		{`-Infinity}`, "1.", 2, "/~0", "unexpected EOF"},
		{`}, {`, "", 0, "/a~1b/0", "unexpected EOF"},
		{`one`, "\x00", 0, "/a~1b/0/x", `invalid character '\x00' within string`},
		{`]`, `}`, 0, "/a~1b", "invalid character '}' after array element"},
	} {
		text := strings.Replace(whole, tt.old, tt.new, 1)
		if tt.new == "" || strings.HasSuffix(tt.text, "EOF") {
			text = whole[:strings.Index(whole, tt.old)] + tt.new
		}
		for name, r := range map[string]io.Reader{"": strings.NewReader(text), " byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
			t.Run(text+name, func(t *testing.T) {
				err := walk(value.NewDecoder(r, 100))
				var place *value.PlaceError
				if !errors.As(err, &place) {
					t.Fatalf("got %v, want a place", err)
				}
				if at := 100 + strings.Index(whole, tt.old) + tt.offset; place.Offset != int64(at) || place.Path != tt.path || !strings.Contains(place.Err.Error(), tt.text) {
					t.Errorf("got byte %d, path %s, %v; want %d, %s, %s", place.Offset, place.Path, place.Err, at, tt.path, tt.text)
				}
			})
		}
	}
}

// walk reads an object of lists of objects: x is a text in the first of a list, a number in others.
func walk(d *value.Decoder) error {
	return d.Object(func(name string) error {
		if name == "~" {
			return d.Skip()
		}
		return d.List(func(i int) error {
			return d.Object(func(name string) error {
				if i == 0 {
					_, err := d.Text()
					return err
				}
				if d.Peek() == '"' {
					return d.Mismatch("a number")
				}
				_, err := d.Value()
				return err
			})
		})
	})
}

func TestReadErrorIsPlaced(t *testing.T) {
	broken := errors.New("disk on fire")
	d := value.NewDecoder(io.MultiReader(strings.NewReader(`{"a": [1, 2`), iotest.ErrReader(broken)), 0)
	err := d.Skip()
	var place *value.PlaceError
	if !errors.Is(err, broken) || !errors.As(err, &place) || place.Offset != 11 {
		t.Errorf("got %v", err)
	}
}

// TestRest reads the end of an object whose beginning was read before, by another decoder.
func TestRest(t *testing.T) {
	const text = `{"a": [1], "b": 2, "c": {}}`
	at := strings.Index(text, "2")
	d := value.NewDecoder(strings.NewReader(text[at:]), int64(at))
	var names []string
	err := d.Rest("b", func(name string) error {
		raw, err := d.Raw()
		names = append(names, fmt.Sprintf("%s=%s", name, raw))
		return err
	})
	if got := strings.Join(names, " "); err != nil || got != "b=2 c={}" || d.Offset() != int64(len(text)) {
		t.Errorf("read %s, %v, up to byte %d", got, err, d.Offset())
	}
}

// FuzzDecoder compares the decoder with encoding/json, which it agrees with but on what only Python's reader takes, and
// with itself on a text that comes byte by byte.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5e3, "x\u00e9\ud83d\ude00\n", true, null], "b": {}}`, `[NaN, -Infinity, Infinity, 1e400, -0]`, `{"a":1,"a":{"b":2,"b":3}}`,
		"\"\xff\\ud800\"", `[1,`, `{"a" 1}`, `tru`, `"\u12"`, `01`, `-`, `1.e5`, "\"\x01\"", `{"":[[],{}]}`, `1 2`, "[\"0123456\\\\\", \"01234567\"]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 900 {
			return // beyond the depth that is read
		}
		compact := func(r io.Reader) (string, int, error) {
			d := value.NewDecoder(r, 0)
			out, err := d.AppendCompact(nil)
			if err == nil {
				err = d.End()
			}
			return string(out), d.Nulled, err
		}
		got, nulled, err := compact(bytes.NewReader(text))
		slow, _, slowErr := compact(iotest.OneByteReader(bytes.NewReader(text)))
		if (err == nil) != (slowErr == nil) || err == nil && got != slow || err != nil && err.Error() != slowErr.Error() {
			t.Fatalf("%q: %s, %v; byte by byte %s, %v", text, got, err, slow, slowErr)
		}
		if e := value.NewDecoder(bytes.NewReader(text), 0).Skip(); (e == nil) != (err == nil) && e != nil {
			t.Fatalf("%q: skipping fails: %v", text, e)
		}
		if err == nil != json.Valid(text) && nulled == 0 {
			t.Fatalf("%q: %v, and valid is %t", text, err, json.Valid(text))
		}
		if err != nil || nulled > 0 {
			return
		}
		if want, have := naive(t, text), naive(t, []byte(got)); !reflect.DeepEqual(want, have) {
			t.Fatalf("%q became %s", text, got)
		}
	})
}

func naive(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}
