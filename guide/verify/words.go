package verify

import (
	"strings"

	"github.com/tauguide/tauguide/domains/value"
)

// only is the element of a list of one, and any other value itself.
func only(v value.Value) value.Value {
	if items, ok := v.Items(); ok && len(items) == 1 {
		return only(items[0])
	}
	return v
}

// id reads a name: a number, or the only element of a list, is one too.
func (r *reading) id(at string, v value.Value) value.Value {
	x := only(v)
	if _, number := x.Int64(); number && x.Kind() == value.Int {
		return r.as(at, v, value.OfString(x.Str()))
	}
	if s, ok := x.Text(); ok {
		return r.as(at, v, value.OfString(strings.Trim(s, " \t\r\n`")))
	}
	return v
}

// text reads what is to be one text: the lines of a list, the members of an object, a number.
func (r *reading) text(at string, v value.Value) value.Value { return r.joined(at, v, "\n") }

// target reads which records a request is about.
func (r *reading) target(at string, v value.Value) value.Value { return r.joined(at, v, ", ") }

func (r *reading) joined(at string, v value.Value, sep string) value.Value {
	if s, ok := prose(v, sep); ok {
		return r.as(at, v, value.OfString(s))
	}
	return v
}

// texts reads a list of texts: a single one is a list of one, a word for nothing an empty one, and an object has its
// members.
func (r *reading) texts(at string, v value.Value) value.Value {
	items, ok := v.Items()
	m, object := v.Map()
	for key, x := range m.All() {
		s, plain := prose(x, ", ")
		if !plain {
			return v
		}
		items = append(items, value.OfString(key+": "+s))
	}
	s, single := v.Text()
	if single && !nothing[bare(s)] {
		items = []value.Value{v}
	}
	if !ok && !object && !single {
		return v
	}
	out := make([]value.Value, len(items))
	for i, x := range items {
		s, plain := prose(x, ", ")
		if !plain {
			return v
		}
		out[i] = value.OfString(s)
	}
	return r.as(at, v, value.OfList(out))
}

// truth reads a verdict.
func (r *reading) truth(at string, v value.Value) value.Value {
	x := only(v)
	if b, ok := x.Bool(); ok {
		return r.as(at, v, value.OfBool(b))
	}
	if n, ok := x.Int64(); ok && x.Kind() == value.Int && (n == 0 || n == 1) {
		return r.as(at, v, value.OfBool(n == 1))
	}
	if s, ok := x.Text(); ok {
		if b, known := truths[bare(s)]; known {
			return r.as(at, v, value.OfBool(b))
		}
	}
	return v
}

// status reads whether a request is settled.
func (r *reading) status(at string, v value.Value) value.Value {
	s, ok := only(v).Text()
	if !ok {
		return v
	}
	word := bare(s)
	is, known := statuses[word]
	if !known && (strings.HasPrefix(word, "awaiting") || strings.HasPrefix(word, "waiting")) {
		is, known = Open, true
	}
	if !known {
		return v
	}
	return r.as(at, v, value.OfString(string(is)))
}

// tool reads the tool that is authorized, null for none. Of several none is meant more than another.
func (r *reading) tool(at string, v value.Value) value.Value {
	items, list := v.Items()
	b, truth := v.Bool()
	m, object := v.Map()
	s, text := v.Text()
	name, _, call := strings.Cut(s, "(")
	switch {
	case list && len(items) == 0, truth && !b, text && nothing[bare(s)]:
		return r.as(at, v, value.Value{})
	case list && len(items) == 1:
		return r.as(at, v, r.tool(at, items[0]))
	case object:
		for _, key := range []string{"name", "tool"} {
			if inner, has := m.Get(key); has {
				return r.as(at, v, r.tool(at, inner))
			}
		}
	case call:
		return r.as(at, v, r.id(at, value.OfString(name)))
	}
	return r.id(at, v)
}

// What models write in place of a verdict, a status, and nothing at all, without punctuation and case.
var (
	truths = map[string]bool{"true": true, "yes": true, "met": true, "satisfied": true, "sat": true, "passed": true, "pass": true, "1": true,
		"false": false, "no": false, "notmet": false, "unmet": false, "notsatisfied": false, "unsatisfied": false, "unsat": false, "failed": false, "fail": false, "0": false}
	statuses = map[string]Status{"open": Open, "blocked": Open, "pending": Open, "active": Open, "inprogress": Open, "ongoing": Open, "notdone": Open,
		"unresolved": Open, "incomplete": Open, "onhold": Open, "stalled": Open, "new": Open,
		"done": Done, "closed": Done, "complete": Done, "completed": Done, "finished": Done, "resolved": Done, "settled": Done, "fulfilled": Done}
	nothing = map[string]bool{"": true, "none": true, "null": true, "nil": true, "na": true, "notool": true, "nothing": true}
)

// prose writes a value as one text: the items of a list, or the members of an object with their names (without where there
// is one), with sep between them. Verdicts and nothing are no texts.
func prose(v value.Value, sep string) (string, bool) {
	if s, ok := v.Text(); ok {
		return s, true
	}
	if v.Kind() == value.Int || v.Kind() == value.Float {
		return v.Str(), true
	}
	var parts []string
	items, list := v.Items()
	for _, x := range items {
		s, ok := prose(x, sep)
		if !ok {
			return "", false
		}
		parts = append(parts, s)
	}
	m, object := v.Map()
	for key, x := range m.All() {
		s, ok := prose(x, sep)
		if !ok {
			return "", false
		}
		if m.Len() > 1 {
			s = key + ": " + s
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, sep), list || object
}
