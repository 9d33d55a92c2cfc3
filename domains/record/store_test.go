package record_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

// hashOf is the definition of a database's hash: SHA-256 of the sorted dump of its dynamic form.
func hashOf(v value.Value) string {
	sum := sha256.Sum256(value.AppendDump(nil, v, value.Sorted))
	return hex.EncodeToString(sum[:])
}

func TestTable(t *testing.T) {
	b := newBase(t, 5)
	s := b.open()
	order := func() (keys []string) {
		for k := range s.items.All() {
			keys = append(keys, k)
		}
		return keys
	}
	if want := []string{"#3", "#0", "#2", "#4", "#1"}; !slices.Equal(order(), want) {
		t.Errorf("keys %q, want %q", order(), want)
	}
	if _, ok := s.items.Get("#9"); ok {
		t.Error("a key that the base does not have is found")
	}
	if s.items.Edit("#9") != nil {
		t.Error("a key that the base does not have can be edited")
	}

	shared, _ := s.items.Get("#2")
	mine := s.items.Edit("#2")
	if mine == nil || mine == shared {
		t.Fatal("the first edit does not copy the record")
	}
	again := s.items.Edit("#2")
	read, _ := s.items.Get("#2")
	if again != mine || read != mine {
		t.Error("later reads and edits see another copy")
	}
	mine.Count = 99
	if shared.Count != 3 {
		t.Error("an edit reached the base")
	}

	replaced := s.items.Put("#4", item{ID: "replaced"})
	added := s.items.Put("x", item{ID: "added"})
	s.items.Put("x", item{ID: "added again"})
	s.items.Put("A", item{})
	if want := []string{"#3", "#0", "#2", "#4", "#1", "x", "A"}; !slices.Equal(order(), want) {
		t.Errorf("keys %q, want %q", order(), want)
	}
	seen := map[string]string{}
	for k, x := range s.items.All() {
		seen[k] = fmt.Sprint(x.ID, x.Count)
	}
	for k, want := range map[string]string{"#2": "a99", "#4": "replaced0", "#0": "a3", "x": "added again0"} {
		if seen[k] != want {
			t.Errorf("%s is visited as %s, want %s", k, seen[k], want)
		}
	}
	if replaced.ID != "replaced" || added.ID != "added" {
		t.Error("Put returns another record")
	}
	for range s.items.All() {
		break // a walk can be left early
	}
	if _, ok := b.open().items.Get("x"); ok {
		t.Error("an addition reached the base")
	}
}

// loaded is a store of one table.
func loaded(t *testing.T, class, name, in string) (record.Store, error) {
	s := record.NewStore(class, record.NewTable(name, partType))
	return s, s.Load(parse(t, in))
}

func TestStoreLoadErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no object", `[]`, "invalid DB: want an object (DB), got [] (list)"},
		{"no table", `{"items": []}`, "invalid DB: items: want an object, got [] (list)"},
		{"bad record", `{"items": {"k": {"name": 1, "sizes": {}}}}`, "invalid DB: items.k.name: want a string, got 1 (int)"},
		{"missing table", `{}`, "invalid DB: items: want a value, got nothing: the key is missing"},
		{"unknown table", `{"items": {}, "parts": {}}`, "invalid DB: parts: want no such key, got {} (dict)"},
	} {
		if _, err := loaded(t, "DB", "items", tt.in); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestHashIsThatOfTheDump holds that the hash out of cached pieces is the hash of the whole, whatever was changed,
// and that the base stays as it was.
func TestHashIsThatOfTheDump(t *testing.T) {
	b := newBase(t, 12)
	pristine := b.open().Hash()
	if want := hashOf(b.open().Value()); pristine != want {
		t.Fatalf("pristine hash %s, want %s", pristine, want)
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := b.open()
		for range 3 {
			scramble(rt, s)
			if got, want := s.Hash(), hashOf(s.Value()); got != want {
				rt.Fatalf("hash %s, want %s", got, want)
			}
		}
		if hashOf(b.open().Value()) != pristine {
			rt.Fatal("the base was written to")
		}
	})
}

// TestHashDoesNotNeedTheOrderOfKeys holds that bases which differ in order only have one hash and no differences.
func TestHashDoesNotNeedTheOrderOfKeys(t *testing.T) {
	a, err := loaded(t, "DB", "parts", `{"parts": {"a": {"name": "x", "sizes": {"w": 1, "h": 2}}, "b": {"name": "y", "sizes": {}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	b, err := loaded(t, "DB", "parts", `{"parts": {"b": {"sizes": {}, "name": "y"}, "a": {"name": "x", "sizes": {"h": 2, "w": 1}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if a.Hash() != b.Hash() || len(a.Diff(&b)) != 0 {
		t.Errorf("hashes %s and %s, differences %v", a.Hash(), b.Hash(), a.Diff(&b))
	}
}

// TestTablesHashByName holds that tables count in order of their names, not of declaration.
func TestTablesHashByName(t *testing.T) {
	s := newBase(t, 2).open()
	if got := dump(s.Value())[:10]; got != `{"items": ` {
		t.Errorf("the dynamic form starts with %s, want the table declared first", got)
	}
	store, err := loaded(t, "EmptyDB", "é", `{"é": {}}`)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(`{"\u00e9": {}}`))
	if want := hex.EncodeToString(sum[:]); store.Hash() != want || store.Class() != "EmptyDB" {
		t.Errorf("hash of an empty table %s, want %s", store.Hash(), want)
	}
}

func TestTree(t *testing.T) {
	root := loadItem(t)
	before := itemAs(&root, value.Declared)
	a, b := record.NewTree(itemType, &root), record.NewTree(itemType, &root)
	if a.Class() != "Item" || a.Hash() != hashOf(parse(t, itemDump)) || a.Hash() != b.Hash() || len(a.Diff(&b)) != 0 {
		t.Errorf("class %s, hashes %s and %s", a.Class(), a.Hash(), b.Hash())
	}
	a.Root.Tags[0] = "changed"
	a.Root.Options.Set("size", "S")
	if itemAs(&root, value.Declared) != before || dump(b.Value()) != itemDump {
		t.Error("a change of one tree reached its root or another tree")
	}
	if a.Hash() == b.Hash() || a.Hash() != hashOf(a.Value()) {
		t.Error("the hash does not follow the change")
	}
	p := record.NewTree(itemType, a.Root)
	if err := p.Patch(parse(t, `{"options": {"fit": "slim"}, "price": 7}`)); err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Diff(&p) {
		if c.Path != "options.fit" && c.Path != "price" {
			t.Errorf("the patch also changed %+v", c)
		}
	}
}
