package value_test

import (
	"crypto/sha256"
	"math"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
)

func dump(v value.Value) string { return string(value.AppendDump(nil, v, value.Declared)) }

func sorted(v value.Value) string { return string(value.AppendDump(nil, v, value.Sorted)) }

func TestAppendDump(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    value.Value
		want string
	}{
		{"null", value.Value{}, "null"},
		{"booleans", list(value.OfBool(true), value.OfBool(false)), "[true, false]"},
		{"integer", integer(math.MinInt64), "-9223372036854775808"},
		{"huge integer", huge("123456789012345678901234567890"), "123456789012345678901234567890"},
		{"small number given as a big one", huge("-5"), "-5"},
		{"float stays a float", float(25), "25.0"},
		{"not finite", list(float(math.NaN()), float(math.Inf(1)), float(math.Inf(-1))), "[NaN, Infinity, -Infinity]"},
		{"short escapes", text("\"\\\n\r\t\b\f"), `"\"\\\n\r\t\b\f"`},
		{"other controls", text("\x00\x01\x0b\x1f\x7f"), `"\u0000\u0001\u000b\u001f\u007f"`},
		{"kept as they are", text("/<>&'~ "), `"/<>&'~ "`},
		{"beyond ASCII", text("é€\u2028\uffff"), `"\u00e9\u20ac\u2028\uffff"`},
		{"astral", text("😀\U0010ffff"), `"\ud83d\ude00\udbff\udfff"`},
		{"invalid UTF-8", text("a\xffb"), `"a\ufffdb"`},
		{"containers", list(list(), object(), object(pair("a", list(integer(1), integer(2))))), `[[], {}, {"a": [1, 2]}]`},
		{"no map", value.OfMap(nil), "{}"},
		{"order of members", object(pair("b", integer(1)), pair("a", integer(2))), `{"b": 1, "a": 2}`},
		{"escaped key", object(pair("é\"", integer(1))), `{"\u00e9\"": 1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := dump(tt.v); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSortedDumpIsByCodePoint(t *testing.T) {
	v := object(pair("b", object(pair("z", integer(1)), pair("A", integer(2)))), pair("\U00010000", integer(3)), pair("\uffff", integer(4)),
		pair("a", list(object(pair("y", integer(5)), pair("x", integer(6))))), pair("", integer(7)), pair("B", integer(8)))
	const want = `{"": 7, "B": 8, "a": [{"x": 6, "y": 5}], "b": {"A": 2, "z": 1}, "\uffff": 4, "\ud800\udc00": 3}`
	if got := sorted(v); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestCanonicalPreImages reads the exact bytes behind the hashes of all shipped databases and writes them again.
func TestCanonicalPreImages(t *testing.T) {
	dir := filepath.Join(domaintest.Shared(t), "conformance", "canonical")
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := value.Parse(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for order, got := range map[string]string{"sorted": sorted(v), "declared": dump(v)} {
			if sha256.Sum256([]byte(got)) != sha256.Sum256(b) {
				t.Errorf("%s: the %s dump differs from the recorded bytes", filepath.Base(name), order)
			}
		}
	}
	if len(files) != 6 {
		t.Errorf("compared %d databases, want 6", len(files))
	}
}

// TestDumpsAgree holds that the two orders of a dump carry the same value, and that sorting is stable.
func TestDumpsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := values().Draw(rt, "value")
		a, b := parse(t, dump(v)), parse(t, sorted(v))
		if !value.Identical(a, v) {
			rt.Fatalf("%s reads back as %s", dump(v), dump(a))
		}
		if !value.Equal(a, b) || sorted(a) != sorted(b) {
			rt.Fatalf("%s sorted is %s", dump(v), sorted(v))
		}
	})
}
