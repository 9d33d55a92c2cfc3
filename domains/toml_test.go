package domains_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

func TestParseTOML(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", `{}`},
		{"kinds", "s = \"é\"\ni = 5\nf = 5.0\ne = 1e3\nb = true\nneg = -7\n", `{"s": "\u00e9", "i": 5, "f": 5.0, "e": 1000.0, "b": true, "neg": -7}`},
		{"order of keys", "b = 1\na = 2\n[z]\nd = 1\nc = 2\n[y]\n", `{"b": 1, "a": 2, "z": {"d": 1, "c": 2}, "y": {}}`},
		{"dotted", "z.b = 1\nz.a = 2\n", `{"z": {"b": 1, "a": 2}}`},
		{"nested tables", "[b.z]\nx = 1\n[b.a]\ny = 2\n[a]\n", `{"b": {"z": {"x": 1}, "a": {"y": 2}}, "a": {}}`},
		{"table that comes back", "[b]\nq = 1\n[a]\n[b.c]\np = 1\n", `{"b": {"q": 1, "c": {"p": 1}}, "a": {}}`},
		{"array of tables", "[[l]]\nb = 1\na = 2\n[[l]]\na = 3\n[l.sub]\nz = 1\ny = 2\n", `{"l": [{"b": 1, "a": 2}, {"a": 3, "sub": {"z": 1, "y": 2}}]}`},
		{"inline", "x = {b = 1, a = [{d = 1, c = 2}, {}]}\n", `{"x": {"b": 1, "a": [{"d": 1, "c": 2}, {}]}}`},
		{"quoted keys", "[\"2G\"]\n\"a.b\" = 1\n'c d' = 2\n", `{"2G": {"a.b": 1, "c d": 2}}`},
		{"dates", "d = 2025-02-28\nt = 2025-01-20T14:30:00\n", `{"d": "2025-02-28", "t": "2025-01-20T14:30:00"}`},
		{"lists", "l = [1, 2.0, [], [\"x\"]]\n", `{"l": [1, 2.0, [], ["x"]]}`},
		{"breaks", "# note\r\na = 1 # more\r\n", `{"a": 1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := domains.ParseTOML([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(value.AppendDump(nil, v, value.Declared)); got != tt.want {
				t.Errorf(" got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTOMLErrors(t *testing.T) {
	f := files(t, "d", map[string]string{"tau2/domains/d/db.toml": "a = 1\nb = \n", "tau2/domains/d/ok.toml": "a = 1"})
	load := func(name string) (value.Value, error) {
		return domains.Load(f, name, func(v value.Value) (value.Value, error) { return v, nil })
	}
	if _, err := load("db.toml"); err == nil || !strings.HasPrefix(err.Error(), "tau2/domains/d/db.toml: line 2, column ") {
		t.Errorf("value missing: %v", err)
	}
	if _, err := load("none.toml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if v, err := load("ok.toml"); err != nil || v.Repr() != "{'a': 1}" {
		t.Errorf("got %s, %v", v.Repr(), err)
	}
	for _, text := range []string{"a = 1\na = 2\n", "[a]\n[a]\n", "a = 1\n[a.b]\n", "= 1"} {
		if v, err := domains.ParseTOML([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, v.Repr())
		}
	}
}

// FuzzParseTOML holds that no text panics, and that the order of keys is found without losing one.
func FuzzParseTOML(f *testing.F) {
	f.Add([]byte("b = 1\n[[a.l]]\nx = {y = [1, {z = 2}]}\n[a.l.\"\\u0000\"]\nq.r = 1979-05-27"))
	f.Add([]byte("[a]\n[a.b]\nc.d = 1\n[[a.e]]\n[[a.e]]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := domains.ParseTOML(text)
		if err != nil {
			return
		}
		if _, ok := v.Map(); !ok {
			t.Errorf("a document is read as %s", v.Repr())
		}
	})
}
