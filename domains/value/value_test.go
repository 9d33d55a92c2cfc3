package value_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/value"
)

func TestEqualAndIdentical(t *testing.T) {
	for _, tt := range []struct {
		name, a, b       string
		equal, identical bool
	}{
		{"null", `null`, `null`, true, true},
		{"null and false", `null`, `false`, false, false},
		{"integer and float", `1`, `1.0`, true, false},
		{"integer and true", `1`, `true`, true, false},
		{"float and true", `1.0`, `true`, true, false},
		{"zero and false", `0`, `false`, true, false},
		{"zeros", `0.0`, `-0.0`, true, false},
		{"number and its text", `1`, `"1"`, false, false},
		{"float that cannot hold the integer", `9007199254740993`, `9007199254740992.0`, false, false},
		{"huge integers", `100000000000000000000`, `100000000000000000000`, true, true},
		{"huge integer and float", `100000000000000000000`, `1e20`, true, false},
		{"strings", `"a"`, `"b"`, false, false},
		{"lists", `[1, [2]]`, `[1.0, [2]]`, true, false},
		{"length of lists", `[1]`, `[1, 1]`, false, false},
		{"order of lists", `[1, 2]`, `[2, 1]`, false, false},
		{"order of members", `{"a": 1, "b": [2]}`, `{"b": [2.0], "a": true}`, true, false},
		{"missing member", `{"a": 1}`, `{"a": 1, "b": null}`, false, false},
		{"other member", `{"a": null}`, `{"b": null}`, false, false},
		{"empty list and object", `[]`, `{}`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := parse(t, tt.a), parse(t, tt.b)
			if value.Equal(a, b) != tt.equal || value.Equal(b, a) != tt.equal {
				t.Errorf("equal: %v and %v, want %v", value.Equal(a, b), value.Equal(b, a), tt.equal)
			}
			if value.Identical(a, b) != tt.identical || value.Identical(b, a) != tt.identical {
				t.Errorf("identical: %v, want %v", value.Identical(a, b), tt.identical)
			}
		})
	}
	if nan := float(math.NaN()); value.Equal(nan, nan) || value.Equal(list(nan), list(nan)) {
		t.Error("nan equals itself")
	}
}

// TestIdenticalImpliesEqual ties the two relations, and both to the bytes under a hash.
func TestIdenticalImpliesEqual(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := values().Draw(rt, "a"), values().Draw(rt, "b")
		for _, v := range []value.Value{a, b} {
			if !value.Equal(v, v) || !value.Identical(v, v) {
				rt.Fatalf("%s differs from itself", dump(v))
			}
		}
		if value.Identical(a, b) && !value.Equal(a, b) {
			rt.Fatalf("%s and %s are identical and not equal", dump(a), dump(b))
		}
		if value.Equal(a, b) != value.Equal(b, a) {
			rt.Fatalf("equality of %s and %s depends on the side", dump(a), dump(b))
		}
	})
}

func TestAccessors(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    value.Value
		kind value.Kind
		i    string // Int64, "" if it is none
		f    string // Float64, "" if it is none
	}{
		{"null", value.Value{}, value.Null, "", ""},
		{"true", value.OfBool(true), value.Bool, "1", "1.0"},
		{"integer", integer(-3), value.Int, "-3", "-3.0"},
		{"huge integer", huge("100000000000000000000"), value.Int, "", "1e+20"},
		{"integer beyond floats", huge("-1" + strings.Repeat("0", 400)), value.Int, "", "-inf"},
		{"float", float(2.5), value.Float, "", "2.5"},
		{"string", text("1"), value.String, "", ""},
		{"list", list(integer(1)), value.List, "", ""},
		{"object", object(), value.Object, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.v.Kind() != tt.kind {
				t.Errorf("kind %d, want %d", tt.v.Kind(), tt.kind)
			}
			i, ok := tt.v.Int64()
			if ok != (tt.i != "") || ok && value.OfInt(i).Repr() != tt.i {
				t.Errorf("Int64: %d, %v; want %q", i, ok, tt.i)
			}
			f, ok := tt.v.Float64()
			if ok != (tt.f != "") || ok && value.FloatText(f) != tt.f {
				t.Errorf("Float64: %v, %v; want %q", f, ok, tt.f)
			}
			if tt.v.IsNumber() != (tt.f != "") {
				t.Errorf("IsNumber: %v", tt.v.IsNumber())
			}
			_, isText := tt.v.Text()
			_, isList := tt.v.Items()
			_, isMap := tt.v.Map()
			_, isBool := tt.v.Bool()
			got := []bool{tt.v.IsNull(), isBool, isText, isList, isMap}
			want := []bool{tt.kind == value.Null, tt.kind == value.Bool, tt.kind == value.String, tt.kind == value.List, tt.kind == value.Object}
			if !slices.Equal(got, want) {
				t.Errorf("answers as null, bool, string, list, object: %v, want %v", got, want)
			}
		})
	}
	if got := dump(value.OfStrings([]string{"a", ""})); got != `["a", ""]` {
		t.Errorf("OfStrings: %s", got)
	}
}

// TestMap goes beyond the size at which a map gets an index.
func TestMap(t *testing.T) {
	var m value.Map
	var keys []string
	for i := range 30 {
		k := strings.Repeat("k", i)
		keys = append(keys, k)
		m.Set(k, integer(int64(i)))
	}
	m.Set("kkk", integer(100))
	m.Set(strings.Repeat("k", 29), integer(200))
	if m.Len() != 30 {
		t.Fatalf("%d members, want 30", m.Len())
	}
	at := 0
	for k, v := range m.All() {
		want := int64(at)
		switch at {
		case 3:
			want = 100
		case 29:
			want = 200
		}
		if got, ok := m.Get(k); k != keys[at] || m.Key(at) != k || !ok || !value.Identical(got, v) || !value.Identical(v, integer(want)) {
			t.Errorf("member %d: %q = %s, Get gives %s, %v", at, k, v.Repr(), got.Repr(), ok)
		}
		at++
	}
	if _, ok := m.Get("x"); ok || at != 30 {
		t.Errorf("a member that was never set is there, or some were not visited (%d)", at)
	}
	for range m.All() {
		break // a walk can be left early
	}
	var none *value.Map
	if _, ok := none.Get("x"); ok || none.Len() != 0 {
		t.Error("a nil map has members")
	}
	for k := range none.All() {
		t.Errorf("a nil map yields %q", k)
	}
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ name, base, patch, want string }{
		{"new member goes last", `{"b": 1, "a": 2}`, `{"c": 3}`, `{"b": 1, "a": 2, "c": 3}`},
		{"replaced in its place", `{"b": 1, "a": 2}`, `{"b": 3}`, `{"b": 3, "a": 2}`},
		{"objects merge", `{"a": {"x": 1, "y": {"p": 1}}}`, `{"a": {"y": {"q": 2}}}`, `{"a": {"x": 1, "y": {"p": 1, "q": 2}}}`},
		{"lists are replaced", `{"a": [1, 2]}`, `{"a": [3]}`, `{"a": [3]}`},
		{"object over a list", `{"a": [1]}`, `{"a": {}}`, `{"a": {}}`},
		{"scalar over an object", `{"a": {"x": 1}}`, `{"a": null}`, `{"a": null}`},
		{"nothing changes nothing", `{"a": {"x": 1}}`, `{}`, `{"a": {"x": 1}}`},
		{"nothing into an object changes nothing", `{"a": {"x": 1}}`, `{"a": {}}`, `{"a": {"x": 1}}`},
		{"not an object", `{"a": 1}`, `[1]`, `[1]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, patch := parse(t, tt.base), parse(t, tt.patch)
			if got := value.Merge(base, patch); !value.Identical(got, parse(t, tt.want)) {
				t.Errorf("got %s, want %s", dump(got), tt.want)
			}
			if dump(base) != tt.base || dump(patch) != tt.patch {
				t.Errorf("the arguments were changed: %s, %s", dump(base), dump(patch))
			}
		})
	}
}

// TestMergeTwice holds that merging is idempotent, keeps every key of both sides, and leaves its arguments alone.
func TestMergeTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base, patch := values().Draw(rt, "base"), values().Draw(rt, "patch")
		before, with := dump(base), dump(patch)
		once := value.Merge(base, patch)
		if twice := value.Merge(once, patch); !value.Identical(once, twice) {
			rt.Fatalf("merged once %s, twice %s", dump(once), dump(twice))
		}
		if dump(base) != before || dump(patch) != with {
			rt.Fatal("an argument was changed")
		}
		b, bok := base.Map()
		p, pok := patch.Map()
		if !bok || !pok {
			return
		}
		out, _ := once.Map()
		for _, m := range []*value.Map{b, p} {
			for k := range m.All() {
				if _, ok := out.Get(k); !ok {
					rt.Fatalf("key %q got lost", k)
				}
			}
		}
	})
}
