package record_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/value"
)

func TestDict(t *testing.T) {
	var d record.Dict[int]
	if d.Len() != 0 || d.Get("a") != nil || len(d.Keys()) != 0 {
		t.Error("the zero dict is not empty")
	}
	d.Delete("a")
	d.Set("b", 1)
	d.Set("a", 2)
	d.Set("c", 3)
	d.Set("b", 4)
	if got := d.Keys(); !slices.Equal(got, []string{"b", "a", "c"}) || *d.Get("b") != 4 {
		t.Errorf("keys %v, b = %d", got, *d.Get("b"))
	}
	*d.Get("a") = 5
	d.Delete("b")
	d.Delete("nothing")
	got := map[string]int{}
	for k, v := range d.All() {
		*v++
		got[k] = *v
	}
	if !maps.Equal(got, map[string]int{"a": 6, "c": 4}) || *d.Get("a") != 6 || d.Len() != 2 {
		t.Errorf("visited %v, length %d", got, d.Len())
	}
	for range d.All() {
		break // a walk can be left early
	}
	d.Set("b", 7)
	if !slices.Equal(d.Keys(), []string{"a", "c", "b"}) {
		t.Errorf("a key that was deleted and set again is at %v, want it last", d.Keys())
	}
}

func TestDictDump(t *testing.T) {
	nested := record.DictOf(record.DictOf(record.Int))
	d, err := nested.Load(parse(t, `{"b": {"z": 1, "y": 2}, "a": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	for order, want := range map[value.Order]string{
		value.Declared: `{"b": {"z": 1, "y": 2}, "a": {}}`,
		value.Sorted:   `{"a": {}, "b": {"y": 2, "z": 1}}`,
	} {
		if got := string(nested.Dump(nil, &d, order)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestDictAgainstAModel runs random operations on a dict and on a slice of pairs, with copies in between: copies share
// their keys until one of them changes.
func TestDictAgainstAModel(t *testing.T) {
	typ := record.DictOf(record.Int)
	type model struct {
		keys []string
		vals map[string]int64
	}
	rapid.Check(t, func(rt *rapid.T) {
		dicts, models := []record.Dict[int64]{{}}, []model{{vals: map[string]int64{}}}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(dicts)-1).Draw(rt, "dict")
			d, m := &dicts[i], &models[i]
			key := rapid.SampledFrom([]string{"a", "b", "c", "d", ""}).Draw(rt, "key")
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0, 1:
				v := rapid.Int64Range(0, 9).Draw(rt, "value")
				if _, ok := m.vals[key]; !ok {
					m.keys = append(m.keys, key)
				}
				m.vals[key] = v
				d.Set(key, v)
			case 2:
				if _, ok := m.vals[key]; ok {
					m.keys = slices.DeleteFunc(m.keys, func(k string) bool { return k == key })
					delete(m.vals, key)
				}
				d.Delete(key)
			case 3:
				dicts = append(dicts, typ.Clone(d))
				models = append(models, model{slices.Clone(m.keys), maps.Clone(m.vals)})
			}
			for j := range dicts {
				var keys []string
				for k, v := range dicts[j].All() {
					keys = append(keys, k)
					if *v != models[j].vals[k] {
						rt.Fatalf("dict %d: %q is %d, want %d", j, k, *v, models[j].vals[k])
					}
				}
				if !slices.Equal(keys, models[j].keys) {
					rt.Fatalf("dict %d has the keys %q, want %q", j, keys, models[j].keys)
				}
			}
		}
	})
}
