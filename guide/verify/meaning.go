package verify

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/tauguide/tauguide/domains/value"
)

// reading makes of an answer that is a little off its form the record that it means, and notes what it changed. What can
// mean two things it leaves alone, for the schema to complain of.
type reading struct{ notes []string }

// clipped bounds what a note quotes, in bytes.
const clipped = 60

func (r *reading) note(at, format string, args ...any) {
	r.notes = append(r.notes, at+": "+fmt.Sprintf(format, args...))
}

// as notes a value that was read as another one.
func (r *reading) as(at string, was, is value.Value) value.Value {
	if !value.Identical(was, is) {
		r.note(at, "%s is read as %s", value.Clip(was, clipped), value.Clip(is, clipped))
	}
	return is
}

// bare is a word without case and punctuation: what two spellings of one name have in common.
func bare(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, s)
}

// keys returns an object's members under the names of the contract: those that are spelt otherwise, and those that have
// another name there, unless the right one is there as well.
func (r *reading) keys(at string, v value.Value, names []string, synonyms ...string) (*value.Map, bool) {
	m, ok := v.Map()
	if !ok {
		return nil, false
	}
	other := map[string]string{}
	for _, n := range names {
		other[bare(n)] = n
	}
	for i := 0; i+1 < len(synonyms); i += 2 {
		other[bare(synonyms[i])] = synonyms[i+1]
	}
	out := &value.Map{}
	for key, x := range m.All() {
		name, known := other[bare(key)]
		_, taken := m.Get(name)
		if _, twice := out.Get(name); known && name != key && !taken && !twice {
			r.note(at+"/"+key, "it is read as %s", name)
			key = name
		}
		out.Set(key, x)
	}
	return out, true
}

// each replaces a member of an object, if it is there and not null.
func each(m *value.Map, at, key string, read func(at string, v value.Value) value.Value) {
	if v, ok := m.Get(key); ok && !v.IsNull() {
		m.Set(key, read(at+"/"+key, v))
	}
}

var recordKeys = []string{"reconcile", "traverse", "transfer", "summary", "intents"}

// record reads the whole object.
func (r *reading) record(v value.Value) value.Value {
	m, ok := r.keys("", v, recordKeys)
	if !ok {
		return v
	}
	if m.Len() == 1 {
		inner, _ := m.Get(m.Key(0))
		if w, ok := inner.Map(); ok && m.Key(0) != "reconcile" {
			if _, has := w.Get("traverse"); has {
				r.note("/"+m.Key(0), "what is in it is the record")
				m, _ = r.keys("/"+m.Key(0), inner, recordKeys)
			}
		}
	}
	roster := r.roster(m)
	r.traverse(m, roster)
	each(m, "", "transfer", r.truth)
	each(m, "", "summary", r.text)
	return value.OfMap(m)
}

// roster reads the requests that are reconciled: a record that has no roster and traverses some requests means those. One
// without either says nothing.
func (r *reading) roster(m *value.Map) []value.Value {
	list, _ := m.Get("traverse")
	items, _ := list.Items()
	byID, _ := list.Map()
	traverses := len(items)+byID.Len() > 0
	top, hasTop := m.Get("intents")
	rec, has := m.Get("reconcile")
	if items, ok := rec.Items(); ok {
		r.note("/reconcile", "a list is read as its intents")
		rec = value.OfMap(value.MapOf(value.Pair{Key: "intents", Value: value.OfList(items)}))
	}
	if !has || rec.IsNull() {
		switch {
		case hasTop:
			r.note("/intents", "they are the roster")
		case traverses:
			r.note("/reconcile", "it is missing: the roster is what is traversed")
			top = value.OfList(nil)
		default:
			return nil
		}
		rec = value.OfMap(value.MapOf(value.Pair{Key: "intents", Value: top}))
	}
	c, ok := r.keys("/reconcile", rec, []string{"reasoning", "intents"}, "requests", "intents")
	if !ok {
		return nil
	}
	each(c, "/reconcile", "reasoning", r.text)
	if list, given := c.Get("intents"); list.IsNull() && (given || traverses) {
		c.Set("intents", r.as("/reconcile/intents", list, value.OfList(nil)))
	}
	each(c, "/reconcile", "intents", func(at string, v value.Value) value.Value {
		return r.list(at, v, "id", "request", r.intent)
	})
	m.Set("reconcile", value.OfMap(c))
	intents, _ := c.Get("intents")
	items, _ = intents.Items()
	return items
}

// list reads a list of objects. A single object with the leading member is a list of one; one without it has an object,
// or the value of one member, by the leading one.
func (r *reading) list(at string, v value.Value, lead, member string, read func(string, value.Value) value.Value) value.Value {
	items, ok := v.Items()
	if m, isMap := v.Map(); isMap {
		if _, single := m.Get(lead); single {
			items = []value.Value{v}
		} else {
			for key, x := range m.All() {
				entry := value.MapOf(value.Pair{Key: lead, Value: value.OfString(key)})
				if inner, deep := x.Map(); deep {
					for k, y := range inner.All() {
						entry.Set(k, y)
					}
				} else {
					entry.Set(member, x)
				}
				items = append(items, value.OfMap(entry))
			}
		}
		r.note(at, "an object is read as a list")
		ok = true
	}
	if !ok {
		return v
	}
	out := make([]value.Value, len(items))
	for i, x := range items {
		out[i] = read(fmt.Sprintf("%s/%d", at, i), x)
	}
	return value.OfList(out)
}

func (r *reading) intent(at string, v value.Value) value.Value {
	m, ok := r.keys(at, v, []string{"id", "request", "intent"})
	if !ok {
		id := r.id(at, v)
		if _, text := id.Text(); !text {
			return v
		}
		r.note(at, "a bare id is read as a request")
		return value.OfMap(value.MapOf(value.Pair{Key: "id", Value: id}))
	}
	each(m, at, "id", r.id)
	each(m, at, "request", r.text)
	each(m, at, "intent", r.id)
	return value.OfMap(m)
}

func (r *reading) traverse(m *value.Map, roster []value.Value) {
	list, given := m.Get("traverse")
	if given && list.IsNull() && len(roster) == 0 {
		m.Set("traverse", r.as("/traverse", list, value.OfList(nil)))
	}
	each(m, "", "traverse", func(at string, v value.Value) value.Value {
		return r.list(at, v, "id", "node", r.traversal)
	})
	list, _ = m.Get("traverse")
	if items, _ := list.Items(); len(items) == 1 && len(roster) == 1 {
		one, isMap := items[0].Map()
		only, _ := roster[0].Map()
		if id, ok := only.Get("id"); ok && isMap {
			if _, named := one.Get("id"); !named {
				r.note("/traverse/0/id", "it is missing: there is one request")
				one.Set("id", id)
			}
		}
	}
}

func (r *reading) traversal(at string, v value.Value) value.Value {
	m, ok := r.keys(at, v, []string{"id", "plan", "walk", "node", "status", "authorize_tool", "selection", "grounded_values", "remediation"},
		"request_id", "id", "directive", "remediation", "current_node", "node", "position", "node", "authorized_tool", "authorize_tool")
	if !ok {
		return v
	}
	each(m, at, "id", r.id)
	each(m, at, "plan", r.text)
	each(m, at, "walk", func(at string, v value.Value) value.Value { return r.list(at, v, "node", "satisfied", r.visit) })
	each(m, at, "node", r.id)
	each(m, at, "status", r.status)
	each(m, at, "authorize_tool", r.tool)
	each(m, at, "selection", func(at string, v value.Value) value.Value { return r.selection(at, v, m) })
	each(m, at, "grounded_values", r.grounded)
	each(m, at, "remediation", r.text)
	return value.OfMap(m)
}

func (r *reading) visit(at string, v value.Value) value.Value {
	m, ok := r.keys(at, v, []string{"node", "reasoning", "satisfied"},
		"id", "node", "met", "satisfied", "verdict", "satisfied", "status", "satisfied", "evidence", "reasoning", "reason", "reasoning")
	if !ok {
		return v
	}
	each(m, at, "node", r.id)
	each(m, at, "reasoning", r.text)
	each(m, at, "satisfied", r.truth)
	return value.OfMap(m)
}

// selection reads what a request is about. The released layout has the grounded values here.
func (r *reading) selection(at string, v value.Value, traversal *value.Map) value.Value {
	m, ok := r.keys(at, v, []string{"target", "ruled_out", "grounded_values"})
	if !ok {
		target := r.target(at, v)
		if _, text := target.Text(); !text {
			return v
		}
		r.note(at, "it is read as the target")
		return value.OfMap(value.MapOf(value.Pair{Key: "target", Value: target}))
	}
	each(m, at, "target", r.target)
	each(m, at, "ruled_out", r.texts)
	if values, here := m.Get("grounded_values"); here {
		if _, there := traversal.Get("grounded_values"); !there {
			r.note(at+"/grounded_values", "they are the request's")
			traversal.Set("grounded_values", values)
		}
	}
	return value.OfMap(m)
}

// grounded reads arguments: a list of objects that name theirs is an object by argument.
func (r *reading) grounded(at string, v value.Value) value.Value {
	items, ok := v.Items()
	if !ok {
		return v
	}
	out := &value.Map{}
	for i, x := range items {
		m, ok := r.keys(fmt.Sprintf("%s/%d", at, i), x, []string{"argument", "value", "source"}, "arg", "argument", "name", "argument")
		if !ok {
			return v
		}
		arg, _ := m.Get("argument")
		name, named := arg.Text()
		if _, has := m.Get("value"); !has || !named {
			return v
		}
		out.Set(name, value.OfMap(m))
	}
	r.note(at, "a list is read as an object by argument")
	return value.OfMap(out)
}
