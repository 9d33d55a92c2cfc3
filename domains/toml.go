package domains

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/tauguide/tauguide/domains/value"
)

// TOML reads a TOML file of the domain in dynamic form.
func (f *Files) TOML(name string) (value.Value, error) {
	b, err := f.Read(name)
	if err != nil {
		return value.Value{}, err
	}
	v, err := ParseTOML(b)
	if err != nil {
		return value.Value{}, fmt.Errorf("%s: %w", f.Path(name), err)
	}
	return v, nil
}

// ParseTOML reads one TOML document. Tables keep the order in which their keys appear in the text; dates and times
// become ISO texts. The error names line and column.
func ParseTOML(text []byte) (value.Value, error) {
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		var d *toml.DecodeError
		if errors.As(err, &d) {
			row, col := d.Position()
			return value.Value{}, fmt.Errorf("line %d, column %d: %w", row, col, err)
		}
		return value.Value{}, err
	}
	o := &keyOrder{keys: map[string][]string{}, seen: map[string]bool{}, elements: map[string]int{}}
	if err := o.scan(text); err != nil {
		return value.Value{}, err
	}
	return o.value("", tree), nil
}

// keyOrder records, for each table of a TOML document, its keys in order of appearance: the decoder's maps have none.
// A table is named by the path of keys and element numbers that leads to it.
type keyOrder struct {
	keys     map[string][]string
	seen     map[string]bool
	elements map[string]int // of each array of tables so far
}

// below extends a path; no TOML key can be mistaken for the separator, a control character that keys must escape, and
// an escaped one only costs that table its order.
func below(path, key string) string { return path + "\x00" + key }

func (o *keyOrder) note(path, key string) string {
	at := below(path, key)
	if !o.seen[at] {
		o.seen[at] = true
		o.keys[path] = append(o.keys[path], key)
	}
	return at
}

// enter follows one key of a dotted name; inside an array of tables that means its latest element.
func (o *keyOrder) enter(path, key string) string {
	at := o.note(path, key)
	if n := o.elements[at]; n > 0 {
		at = below(at, strconv.Itoa(n-1))
	}
	return at
}

func (o *keyOrder) scan(text []byte) error {
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = ""
			for _, k := range dotted(e) {
				table = o.enter(table, k)
			}
		case unstable.ArrayTable:
			table = ""
			name := dotted(e)
			for _, k := range name[:len(name)-1] {
				table = o.enter(table, k)
			}
			array := o.note(table, name[len(name)-1])
			o.elements[array]++
			table = below(array, strconv.Itoa(o.elements[array]-1))
		case unstable.KeyValue:
			o.member(table, e)
		}
	}
	if err := p.Error(); err != nil {
		return fmt.Errorf("order of keys: %w", err)
	}
	return nil
}

func dotted(n *unstable.Node) []string {
	var out []string
	for it := n.Key(); it.Next(); {
		out = append(out, string(it.Node().Data))
	}
	return out
}

func (o *keyOrder) member(path string, n *unstable.Node) {
	for _, k := range dotted(n) {
		path = o.enter(path, k)
	}
	o.inside(path, n.Value())
}

func (o *keyOrder) inside(path string, v *unstable.Node) {
	it := v.Children()
	switch v.Kind {
	case unstable.InlineTable:
		for it.Next() {
			o.member(path, it.Node())
		}
	case unstable.Array:
		for i := 0; it.Next(); i++ {
			o.inside(below(path, strconv.Itoa(i)), it.Node())
		}
	}
}

func (o *keyOrder) value(path string, x any) value.Value {
	switch x := x.(type) {
	case map[string]any:
		m := &value.Map{}
		for _, k := range o.keys[path] {
			if member, ok := x[k]; ok {
				m.Set(k, o.value(below(path, k), member))
			}
		}
		if m.Len() < len(x) { // a key that holds the separator hides the order, never the member
			for _, k := range slices.Sorted(maps.Keys(x)) {
				m.Set(k, o.value(below(path, k), x[k]))
			}
		}
		return value.OfMap(m)
	case []any:
		items := make([]value.Value, len(x))
		for i := range x {
			items[i] = o.value(below(path, strconv.Itoa(i)), x[i])
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
		return value.OfString(x.Format(time.RFC3339Nano))
	}
	return value.OfString(fmt.Sprint(x)) // local dates and times print themselves in ISO form
}
