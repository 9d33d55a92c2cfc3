package record

import (
	"slices"

	"github.com/tauguide/tauguide/domains/value"
)

// DictIn is DictOf for a map whose keys can only be those given, as the cabins of a flight: any other key is an error
// at load.
func DictIn[V any](t Type[V], keys ...string) Type[Dict[V]] {
	d := DictOf(t)
	load := d.load
	d.load = func(l *Loader, v value.Value) Dict[V] {
		if m, ok := v.Map(); ok {
			for k := range m.All() {
				if !slices.Contains(keys, k) {
					l.enter(k)
					l.Fail(value.OfString(k), "a key that is one of "+quotedList(keys))
					l.leave()
				}
			}
		}
		return load(l, v)
	}
	return d
}
