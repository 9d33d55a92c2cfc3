package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/record"
)

func TestDiffValues(t *testing.T) {
	for _, tt := range []struct {
		name, want, got string
		changes         []record.Change
	}{
		{"nothing", `{"a": [1, {"b": null}]}`, `{"a": [1, {"b": null}]}`, nil},
		{"order of keys", `{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, nil},
		{"scalar", `{"a": {"b": "x"}}`, `{"a": {"b": "y"}}`, []record.Change{{Path: "at.a.b", Want: `"x"`, Got: `"y"`}}},
		{"integer and float", `{"a": 25}`, `{"a": 25.0}`, []record.Change{{Path: "at.a", Want: `25`, Got: `25.0`}}},
		{"integer and truth", `[1]`, `[true]`, []record.Change{{Path: "at.0", Want: `1`, Got: `true`}}},
		{"keys on one side, in order", `{"c": 1, "a": 1}`, `{"d": 2, "a": 1, "b": [2]}`, []record.Change{
			{Path: "at.b", Want: record.Absent, Got: `[2]`}, {Path: "at.c", Want: `1`, Got: record.Absent}, {Path: "at.d", Want: record.Absent, Got: `2`}}},
		{"longer list", `[1]`, `[1, 2]`, []record.Change{{Path: "at.1", Want: record.Absent, Got: `2`}}},
		{"shorter list", `[1, {"b": 1, "a": 2}]`, `[1]`, []record.Change{{Path: "at.1", Want: `{"a": 2, "b": 1}`, Got: record.Absent}}},
		{"order of a list", `[1, 2]`, `[2, 1]`, []record.Change{{Path: "at.0", Want: `1`, Got: `2`}, {Path: "at.1", Want: `2`, Got: `1`}}},
		{"other kind", `{"a": []}`, `{"a": {}}`, []record.Change{{Path: "at.a", Want: `[]`, Got: `{}`}}},
		{"null and absent", `{"a": null}`, `{}`, []record.Change{{Path: "at.a", Want: `null`, Got: record.Absent}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := record.DiffValues("at", parse(t, tt.want), parse(t, tt.got), nil)
			if diff := cmp.Diff(tt.changes, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStoreDiff(t *testing.T) {
	b := newBase(t, 4)
	want, got := b.open(), b.open()
	x := want.items.Edit("#1")
	x.Price = 44.5
	x.Options.Set("size", "S")
	same := want.items.Edit("#2")
	same.Count++
	same.Count-- // touched, but as before
	y := got.items.Edit("#1")
	y.Payer.Balance = 0
	got.items.Put("new", *same)
	want.items.Put("gone", *same)
	changes := want.Diff(&got.Store)
	for i := range changes {
		if len(changes[i].Want) > 20 {
			changes[i].Want = changes[i].Want[:9]
		}
		if len(changes[i].Got) > 20 {
			changes[i].Got = changes[i].Got[:9]
		}
	}
	if diff := cmp.Diff([]record.Change{
		{Path: "items.#1.options.size", Want: `"S"`, Got: `"L"`},
		{Path: "items.#1.payer.balance", Want: `5.0`, Got: `0.0`},
		{Path: "items.#1.price", Want: `44.5`, Got: `44.0`},
		{Path: "items.gone", Want: `{"count":`, Got: record.Absent},
		{Path: "items.new", Want: record.Absent, Got: `{"count":`},
	}, changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiffOfOtherDatabases(t *testing.T) {
	b := newBase(t, 1)
	one := b.open()
	other := record.NewStore("OtherDB")
	jar := record.NewTree(itemType, &item{})
	for _, changes := range [][]record.Change{one.Diff(&other), one.Diff(&jar), jar.Diff(&other)} {
		if len(changes) != 1 || changes[0].Path != "" {
			t.Errorf("databases of different classes: %+v", changes)
		}
	}
}

// TestDiffIsEmptyExactlyIfHashesAreEqual runs random edits on two databases, over one base and over two.
func TestDiffIsEmptyExactlyIfHashesAreEqual(t *testing.T) {
	shared, own := newBase(t, 4), newBase(t, 4)
	equal, different := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		a, b := shared.open(), shared.open()
		if rapid.Bool().Draw(rt, "bases of their own") {
			b = own.open()
		}
		if rapid.Bool().Draw(rt, "edited") { // else equal: two random series of edits hardly ever end alike
			scramble(rt, a)
			scramble(rt, b)
		}
		there, back := a.Diff(&b.Store), b.Diff(&a.Store)
		if same := a.Hash() == b.Hash(); same != (len(there) == 0) || same != (len(back) == 0) {
			rt.Fatalf("hashes equal: %v; differences %+v, the other way round %+v", same, there, back)
		}
		if len(there) != len(back) {
			rt.Fatalf("%d differences, %d the other way round", len(there), len(back))
		}
		for i, c := range there {
			if c.Want == c.Got || back[i] != (record.Change{Path: c.Path, Want: c.Got, Got: c.Want}) {
				rt.Fatalf("difference %+v, the other way round %+v", c, back[i])
			}
		}
		if len(there) == 0 {
			equal++
		} else {
			different++
		}
	})
	if equal == 0 || different == 0 {
		t.Errorf("%d pairs were equal and %d different: the test needs both", equal, different)
	}
}

// TestTreeDiff is the same for trees, and finds what their dynamic forms tell.
func TestTreeDiff(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		root := loadItem(t)
		a, b := record.NewTree(itemType, &root), record.NewTree(itemType, &root)
		for range rapid.IntRange(0, 3).Draw(rt, "edits") {
			edit(rt, a.Root)
			edit(rt, b.Root)
		}
		if same := a.Hash() == b.Hash(); same != (len(a.Diff(&b)) == 0) {
			rt.Fatalf("hashes equal: %v; differences %+v", same, a.Diff(&b))
		}
		if diff := cmp.Diff(record.DiffValues("", a.Value(), b.Value(), nil), a.Diff(&b)); diff != "" {
			rt.Fatalf("(-of values +of the tree):\n%s", diff)
		}
	})
}
