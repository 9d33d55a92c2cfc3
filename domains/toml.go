package domains

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/tauguide/tauguide/domains/value"
)

// ParseTOML reads one TOML document. Tables keep the order in which their keys first appear in the text; dates and
// times become ISO texts. The error names line and column.
func ParseTOML(text []byte) (value.Value, error) {
	var tree map[string]any
	meta, err := toml.Decode(string(text), &tree)
	var e toml.ParseError
	if errors.As(err, &e) {
		return value.Value{}, fmt.Errorf("line %d, column %d: %s", e.Position.Line, e.Position.Col, e.Message)
	}
	if err != nil {
		return value.Value{}, err
	}
	order := keyOrder{}
	for _, key := range meta.Keys() {
		for i := range key {
			order.note(key[:i+1])
		}
	}
	return order.value(nil, tree), nil
}

// keyOrder numbers the keys of a document, with the tables that they are in, as they appear. Elements of an array of
// tables share their keys.
type keyOrder map[string]int

func (o keyOrder) note(key []string) {
	if path := strings.Join(key, "\x00"); o[path] == 0 {
		o[path] = len(o) + 1
	}
}

func (o keyOrder) value(at []string, x any) value.Value {
	switch x := x.(type) {
	case map[string]any:
		m := &value.Map{}
		below := func(key string) []string { return append(slices.Clip(at), key) }
		place := func(key string) int { return o[strings.Join(below(key), "\x00")] }
		for _, k := range slices.SortedFunc(maps.Keys(x), func(a, b string) int { return cmp.Compare(place(a), place(b)) }) {
			m.Set(k, o.value(below(k), x[k]))
		}
		return value.OfMap(m)
	case []map[string]any:
		items := make([]value.Value, len(x))
		for i := range x {
			items[i] = o.value(at, x[i])
		}
		return value.OfList(items)
	case []any:
		items := make([]value.Value, len(x))
		for i := range x {
			items[i] = o.value(at, x[i])
		}
		return value.OfList(items)
	case string:
		return value.OfString(x)
	case bool:
		return value.OfBool(x)
	case int64:
		return value.OfInt(x)
	case float64:
		return value.OfFloat(x)
	case time.Time:
		return value.OfString(x.Format(layoutOf(x)))
	}
	return value.OfString(fmt.Sprint(x))
}

// layoutOf is the ISO form of a time, which may lack its day, its clock or its zone.
func layoutOf(t time.Time) string {
	switch t.Location().String() {
	case "date-local":
		return time.DateOnly
	case "time-local":
		return "15:04:05.999999999"
	case "datetime-local":
		return "2006-01-02T15:04:05.999999999"
	}
	return time.RFC3339Nano
}
