package record

import (
	"slices"
	"strconv"

	"github.com/tauguide/tauguide/domains/value"
)

// Change is one difference between two databases.
type Change struct {
	Path string `json:"path"` // dotted, e.g. orders.#W1.status
	Want string `json:"want"` // canonical text, or Absent
	Got  string `json:"got"`
}

// Absent is the value in a Change of a key or element that one side does not have.
const Absent = "(absent)"

// DiffValues appends the differences from want to got, down to the smallest parts that differ. Types are kept apart:
// 25 and 25.0 are a difference. Order of keys is not.
func DiffValues(path string, want, got value.Value, dst []Change) []Change {
	if a, ok := want.Map(); ok {
		if b, ok := got.Map(); ok {
			return diffMaps(path, a, b, dst)
		}
	}
	if a, ok := want.Items(); ok {
		if b, ok := got.Items(); ok {
			return diffLists(path, a, b, dst)
		}
	}
	if !value.Identical(want, got) {
		dst = append(dst, Change{Path: path, Want: shown(want), Got: shown(got)})
	}
	return dst
}

// diff appends the differences between two values of the type.
func (t Type[T]) diff(path string, want, got *T, dst []Change) []Change {
	if t.same(want, got) {
		return dst
	}
	return t.differ(path, want, got, dst)
}

// differ is diff of two values that are known not to be the same.
func (t Type[T]) differ(path string, want, got *T, dst []Change) []Change {
	if t.parts != nil {
		return t.parts(path, want, got, dst)
	}
	return DiffValues(path, t.value(want), t.value(got), dst)
}

// diffElements appends the differences between two lists: only elements that differ are looked into.
func diffElements[T any](t Type[T], path string, want, got []T, dst []Change) []Change {
	for i := range max(len(want), len(got)) {
		both := i < len(want) && i < len(got)
		if both && t.same(&want[i], &got[i]) {
			continue
		}
		at := join(path, strconv.Itoa(i))
		switch {
		case both:
			dst = t.differ(at, &want[i], &got[i], dst)
		case i < len(want):
			dst = append(dst, Change{Path: at, Want: shown(t.value(&want[i])), Got: Absent})
		default:
			dst = append(dst, Change{Path: at, Want: Absent, Got: shown(t.value(&got[i]))})
		}
	}
	return dst
}

func diffMaps(path string, a, b *value.Map, dst []Change) []Change {
	var keys []string
	for k := range a.All() {
		keys = append(keys, k)
	}
	for k := range b.All() {
		if _, ok := a.Get(k); !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		x, xok := a.Get(k)
		y, yok := b.Get(k)
		at := join(path, k)
		switch {
		case xok && yok:
			dst = DiffValues(at, x, y, dst)
		case xok:
			dst = append(dst, Change{Path: at, Want: shown(x), Got: Absent})
		default:
			dst = append(dst, Change{Path: at, Want: Absent, Got: shown(y)})
		}
	}
	return dst
}

func diffLists(path string, a, b []value.Value, dst []Change) []Change {
	for i := range max(len(a), len(b)) {
		at := join(path, strconv.Itoa(i))
		switch {
		case i >= len(b):
			dst = append(dst, Change{Path: at, Want: shown(a[i]), Got: Absent})
		case i >= len(a):
			dst = append(dst, Change{Path: at, Want: Absent, Got: shown(b[i])})
		default:
			dst = DiffValues(at, a[i], b[i], dst)
		}
	}
	return dst
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func shown(v value.Value) string { return string(value.AppendDump(nil, v, value.Sorted)) }
