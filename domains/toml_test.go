package domains_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

func TestParseTOML(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", `{}`},
		{"scalars", "s = \"x\"\ni = 0x10\nf = 1.0\nb = true\nbig = 1e22\nneg = -0.0", `{"s": "x", "i": 16, "f": 1.0, "b": true, "big": 1e+22, "neg": -0.0}`},
		{"no numbers", "a = inf\nb = nan", `{"a": Infinity, "b": NaN}`},
		{"dates", "d = 2025-01-31\nt = 2025-01-31T10:30:00\nc = 10:30:00\nz = 2025-01-31T10:30:00Z",
			`{"d": "2025-01-31", "t": "2025-01-31T10:30:00", "c": "10:30:00", "z": "2025-01-31T10:30:00Z"}`},
		{"keys in order", "z = 1\na = 2\nm = 3", `{"z": 1, "a": 2, "m": 3}`},
		{"tables in order", "[z]\ny = 1\nb = 2\n[a]\nx = 1", `{"z": {"y": 1, "b": 2}, "a": {"x": 1}}`},
		{"table before its parent", "[z.b]\nx = 1\n[z]\na = 2\n[z.c]", `{"z": {"b": {"x": 1}, "a": 2, "c": {}}}`},
		{"dotted keys", "z.y.x = 1\nz.a = 2\nz.y.b = 3", `{"z": {"y": {"x": 1, "b": 3}, "a": 2}}`},
		{"quoted keys", "\"z.y\" = 1\n'a b' = 2\n[\"\".c]", `{"z.y": 1, "a b": 2, "": {"c": {}}}`},
		{"inline tables", "t = { z = 1, a = { y = 1, b = 2 }, m.n = 3 }", `{"t": {"z": 1, "a": {"y": 1, "b": 2}, "m": {"n": 3}}}`},
		{"lists", "l = [ [3, 1], [ { z = 1, a = 2 }, { a = 1, z = 2 } ], [] ]", `{"l": [[3, 1], [{"z": 1, "a": 2}, {"a": 1, "z": 2}], []]}`},
		{"arrays of tables", "[[t]]\nz = 1\na = 2\n[[t]]\na = 1\nz = 2", `{"t": [{"z": 1, "a": 2}, {"a": 1, "z": 2}]}`},
		{"tables in arrays of tables", "[[t]]\n[t.z]\ny = 1\nb = 2\n[[t.l]]\nc = 1\na = 2\n[[t.l]]\na = 1\nc = 2\n[[t]]\n[[t.l]]\nx = 1\n[t.z]\nb = 1\ny = 2",
			`{"t": [{"z": {"y": 1, "b": 2}, "l": [{"c": 1, "a": 2}, {"a": 1, "c": 2}]}, {"l": [{"x": 1}], "z": {"b": 1, "y": 2}}]}`},
		{"a key with the separator", "\"a\\u0000b\" = { z = 1, a = 2 }\na = { b = 3 }", `{"a\u0000b": {"z": 1, "a": 2}, "a": {"b": 3}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := domains.ParseTOML([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(value.AppendDump(nil, v, value.Declared))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseTOMLErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no value", "a = 1\nb =\n", "line 2, column "},
		{"repeated key", "a = 1\n\na = 2\n", "line 3, column 1: "},
		{"repeated table", "[a]\n[b]\n[a]\n", "line 3, column 2: "},
		{"no end", "a = \"x", "line 1, column "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := domains.ParseTOML([]byte(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want one that begins with %q", err, c.want)
			}
		})
	}
}

// TestTOMLOrder writes random tables and reads them back in the order in which they were written.
func TestTOMLOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 12, rapid.ID[string])
		var text, want strings.Builder
		for i, table := range keys.Draw(t, "tables") {
			if i > 0 {
				want.WriteString(", ")
			}
			array := rapid.Bool().Draw(t, "array")
			fmt.Fprintf(&want, "%q: ", table)
			if array {
				fmt.Fprintf(&text, "[[%s]]\n", table)
				want.WriteString("[")
			} else {
				fmt.Fprintf(&text, "[%s]\n", table)
			}
			want.WriteString("{")
			for j, k := range keys.Draw(t, "keys") {
				if j > 0 {
					want.WriteString(", ")
				}
				fmt.Fprintf(&text, "%s = %d\n", k, j)
				fmt.Fprintf(&want, "%q: %d", k, j)
			}
			want.WriteString("}")
			if array {
				want.WriteString("]")
			}
		}
		v, err := domains.ParseTOML([]byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(value.AppendDump(nil, v, value.Declared)); got != "{"+want.String()+"}" {
			t.Errorf("text\n%s\ngot  %s\nwant {%s}", text.String(), got, want.String())
		}
	})
}

// FuzzParseTOML checks that whatever the decoder accepts comes back whole.
func FuzzParseTOML(f *testing.F) {
	for _, s := range []string{"a = 1", "[[t]]\nz = 1\n[t.x]\ny = {b = [1, {c = 2}]}", "\"\\u0000\" = {a = 1}\na.b.c = 2025-01-31", "a = [[{x.y = 1}]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := domains.ParseTOML([]byte(text))
		var tree map[string]any
		if decodes := toml.Unmarshal([]byte(text), &tree); (decodes == nil) != (err == nil) {
			t.Fatalf("error %v, the decoder's %v", err, decodes)
		}
		if err == nil && !whole(v, tree) {
			t.Errorf("%q gives %s", text, v.Repr())
		}
	})
}

func whole(v value.Value, x any) bool {
	switch x := x.(type) {
	case map[string]any:
		m, ok := v.Map()
		if !ok || m.Len() != len(x) {
			return false
		}
		for k, y := range x {
			if z, ok := m.Get(k); !ok || !whole(z, y) {
				return false
			}
		}
		return true
	case []any:
		l, ok := v.Items()
		if !ok || len(l) != len(x) {
			return false
		}
		for i := range x {
			if !whole(l[i], x[i]) {
				return false
			}
		}
		return true
	}
	_, isMap := v.Map()
	_, isList := v.Items()
	return !isMap && !isList
}
