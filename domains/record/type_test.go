package record_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

func TestLoadAndDump(t *testing.T) {
	x := loadItem(t)
	if got := itemAs(&x, value.Declared); got != itemDump {
		t.Errorf("declared order:\n got %s\nwant %s", got, itemDump)
	}
	want := string(value.AppendDump(nil, parse(t, itemDump), value.Sorted))
	if got := itemAs(&x, value.Sorted); got != want {
		t.Errorf("sorted:\n got %s\nwant %s", got, want)
	}
	if got := dump(itemType.Value(&x)); got != itemDump {
		t.Errorf("dynamic form:\n got %s\nwant %s", got, itemDump)
	}
	if itemType.Name() != "Item" {
		t.Errorf("name %q", itemType.Name())
	}
}

// TestLoadIsStable holds that what a record renders loads again as the same record.
func TestLoadIsStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := loadItem(t)
		for range rapid.IntRange(0, 5).Draw(rt, "edits") {
			edit(rt, &x)
		}
		x.State = value.OfString("done") // the one field that a tool may leave as it would not load
		y, err := itemType.Load(itemType.Value(&x))
		if err != nil {
			rt.Fatal(err)
		}
		if a, b := itemAs(&x, value.Declared), itemAs(&y, value.Declared); a != b {
			rt.Fatalf("loaded again:\n got %s\nwant %s", b, a)
		}
	})
}

func TestLoadErrors(t *testing.T) {
	for _, tt := range []struct{ name, patch, want string }{
		{"field of a wrong type", `{"count": "many"}`, "invalid Item: count: want an integer, got 'many' (str)"},
		{"inside a list", `{"parts": [{"name": "a", "sizes": {}}, {"name": 1, "sizes": {"w": []}}]}`,
			"invalid Item: parts.1.name: want a string, got 1 (int); parts.1.sizes.w: want a number, got [] (list)"},
		{"missing in a list", `{"parts": [{}]}`,
			"invalid Item: parts.0.name: want a value, got nothing: the key is missing; parts.0.sizes: want a value, got nothing: the key is missing"},
		{"no list", `{"tags": "x"}`, "invalid Item: tags: want a list, got 'x' (str)"},
		{"no object", `{"options": []}`, "invalid Item: options: want an object, got [] (list)"},
		{"no record", `{"parts": [null]}`, "invalid Item: parts.0: want an object (Part), got None (NoneType)"},
		{"unknown tag", `{"payer": {"source": "cash", "id": "c"}}`, "invalid Item: payer.source: want one of 'card' or 'voucher', got 'cash' (str)"},
		{"tag missing", `{"payer": {"source": null}}`, "invalid Item: payer.source: want one of 'card' or 'voucher', got None (NoneType)"},
		{"union of no object", `{"payer": "card"}`, "invalid Item: payer: want an object, got 'card' (str)"},
		{"not among the words", `{"state": "Done"}`, "invalid Item: state: want one of 'pending' or 'done', got 'Done' (str)"},
		{"null where none may be", `{"price": null}`, "invalid Item: price: want a number, got None (NoneType)"},
		{"wrong type where null may be", `{"note": 5}`, "invalid Item: note: want a string, got 5 (int)"},
		{"truth", `{"open": "perhaps"}`, "invalid Item: open: want true or false, got 'perhaps' (str)"},
		{"long values are cut", `{"count": "` + strings.Repeat("1a", 60) + `"}`,
			"invalid Item: count: want an integer, got '1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1...1a1a1a1a1a1a1a' (str)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := itemType.Load(value.Merge(parse(t, itemText), parse(t, tt.patch)))
			if err == nil || err.Error() != tt.want {
				t.Errorf(" got %v\nwant %s", err, tt.want)
			}
			var invalid *record.InvalidError
			if !errors.As(err, &invalid) || invalid.Model != "Item" {
				t.Errorf("%T is no *record.InvalidError of Item", err)
			}
		})
	}
	if _, err := itemType.Load(parse(t, `[1]`)); err == nil || err.Error() != "invalid Item: want an object (Item), got [1] (list)" {
		t.Errorf("a list as a record: %v", err)
	}
	many := value.OfList(make([]value.Value, 12))
	if _, err := record.ListOf(record.Int).Load(many); err == nil || !strings.HasSuffix(err.Error(), "; and 4 more") {
		t.Errorf("12 faults: %v", err)
	}
}

func TestClosedModel(t *testing.T) {
	const faults = "invalid APNSettings: apn_name: want one of 'internet' or 'broken', got 'x' (str); b: want no such key, got 1 (int); a: want no such key, got [] (list)"
	if _, err := apnType.Load(parse(t, `{"b": 1, "apn_name": "x", "a": []}`)); err == nil || err.Error() != faults {
		t.Errorf(" got %v\nwant %s", err, faults)
	}
	x, err := apnType.Load(parse(t, `{"mms_port": "8080", "mms_apn": null}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"apn_name": "internet", "reset_at_reboot": false, "mms_apn": null, "mmsc_url": "http://mms.carrier.com/mms/wapenc", ` +
		`"mms_proxy": null, "mms_port": 8080}`
	if got := dump(apnType.Value(&x)); got != want {
		t.Errorf(" got %s\nwant %s", got, want)
	}
}

// TestUnionPrintsItsShape holds that a field of another shape is not shown, although the Go struct has it.
func TestUnionPrintsItsShape(t *testing.T) {
	p, err := payerType.Load(parse(t, `{"id": "c1", "source": "card", "balance": 9}`))
	if err != nil {
		t.Fatal(err)
	}
	p.Balance = 7
	const want = `{"source": "card", "id": "c1"}`
	c := payerType.Clone(&p)
	for name, got := range map[string]string{
		"dump": string(payerType.Dump(nil, &p, value.Declared)), "value": dump(payerType.Value(&p)), "clone": dump(payerType.Value(&c)),
	} {
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestRawHoldsAnything holds that a raw field is checked at load and renders whatever was stored later.
func TestRawHoldsAnything(t *testing.T) {
	raw := record.Raw(record.Float)
	v, err := raw.Load(parse(t, `"5"`))
	if err != nil || dump(v) != "5.0" {
		t.Fatalf("loaded %s, %v; want 5.0", dump(v), err)
	}
	for _, text := range []string{`5`, `[1, {"a": null}]`, `"x"`, `true`, `null`} {
		v := parse(t, text)
		if got := string(raw.Dump(nil, &v, value.Declared)); got != text {
			t.Errorf("stored %s, shown as %s", text, got)
		}
		c := raw.Clone(&v)
		if !value.Identical(v, c) || !value.Identical(raw.Value(&v), v) {
			t.Errorf("stored %s, copied as %s", text, dump(c))
		}
	}
	if _, err := raw.Load(parse(t, `[]`)); err == nil {
		t.Error("a list loads as a number")
	}
}

func TestNullable(t *testing.T) {
	opt := record.Nullable(record.ListOf(record.String))
	for _, text := range []string{`null`, `[]`, `["a"]`} {
		p, err := opt.Load(parse(t, text))
		if err != nil {
			t.Fatal(err)
		}
		c := opt.Clone(&p)
		if got := string(opt.Dump(nil, &p, value.Sorted)); got != text || dump(opt.Value(&c)) != text {
			t.Errorf("%s: shown as %s, copied as %s", text, got, dump(opt.Value(&c)))
		}
		if p != nil && len(*p) > 0 {
			if (*c)[0] = "changed"; (*p)[0] != "a" {
				t.Error("a change of the copy shows in the original")
			}
		}
	}
}

func TestNewScalar(t *testing.T) {
	upper := record.New(record.Scalar[string]{
		Load: func(l *record.Loader, v value.Value) string {
			s, ok := v.Text()
			if !ok || s != strings.ToUpper(s) {
				l.Fail(v, record.Fault{Want: "capitals"})
			}
			return s
		},
		Value:  func(s *string) value.Value { return value.OfString(*s) },
		Schema: value.MapOf(value.Pair{Key: "type", Value: value.OfString("string")}),
	})
	s, err := upper.Load(parse(t, `"ABC"`))
	c := upper.Clone(&s)
	if err != nil || string(upper.Dump(nil, &c, value.Declared)) != `"ABC"` || dump(value.OfMap(upper.Schema(&record.Defs{}))) != `{"type": "string"}` {
		t.Errorf("got %q, %v", s, err)
	}
	if _, err := record.DictOf(upper).Load(parse(t, `{"k": "abc"}`)); err == nil || err.Error() != "invalid value: k: want capitals, got 'abc' (str)" {
		t.Errorf("got %v", err)
	}
}

// TestClonesAreIndependent changes copies of a record, and copies of copies, and looks at the others.
func TestClonesAreIndependent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := loadItem(t)
		for range rapid.IntRange(0, 4).Draw(rt, "edits before") {
			edit(rt, &x)
		}
		copies := []item{x}
		for range 3 {
			from := rapid.IntRange(0, len(copies)-1).Draw(rt, "copied")
			copies = append(copies, itemType.Clone(&copies[from]))
			if a, b := itemAs(&copies[from], value.Declared), itemAs(&copies[len(copies)-1], value.Declared); a != b {
				rt.Fatalf("copied %s as %s", a, b)
			}
		}
		for range rapid.IntRange(1, 8).Draw(rt, "edits") {
			at := rapid.IntRange(0, len(copies)-1).Draw(rt, "edited")
			before := make([]string, len(copies))
			for i := range copies {
				before[i] = itemAs(&copies[i], value.Declared)
			}
			edit(rt, &copies[at])
			for i := range copies {
				if got := itemAs(&copies[i], value.Declared); i != at && got != before[i] {
					rt.Fatalf("an edit of copy %d changed copy %d:\nfrom %s\n  to %s", at, i, before[i], got)
				}
			}
		}
	})
}
