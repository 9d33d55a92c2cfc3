package nmr

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/metrics/trace"
)

// Audit lists the successfully executed mutations of the agent's in a conversation with the reads that they lack.
// Tools that are not in the table are not mutations.
func (t *Table) Audit(msgs []domains.Message) []Call {
	events := trace.Events(msgs)
	var out []Call
	for _, e := range events {
		g, mutates := t.Tools[e.Tool]
		if e.Kind != trace.Call || !mutates || e.Side != domains.AgentSide || !e.OK {
			continue
		}
		a := audit{call: e, events: events, found: map[string]*value.Map{}}
		for _, n := range g.Needs {
			a.look(n)
		}
		out = append(out, Call{Tool: e.Tool, Index: e.Begin, Missing: a.missing})
	}
	return out
}

// audit is one mutation that is being looked at.
type audit struct {
	call    *trace.Event
	events  []*trace.Event
	found   map[string]*value.Map // records that needs found, by need
	missing []Need
}

// look searches for a need. One that hangs on the record of a need that is missing is not missing a second time.
func (a *audit) look(n Required) {
	if n.Each == nil {
		a.one(n, value.Value{})
		return
	}
	var list value.Value
	if n.Each.Of == "" {
		list = a.call.Arg(n.Each.List)
	} else if record := a.found[n.Each.Of]; record != nil {
		list, _ = record.Get(n.Each.List)
	}
	items, _ := list.Items()
	for _, item := range items {
		if a.wanted(item, n.Each.Where) {
			a.one(n, item)
		}
	}
}

// wanted reports whether an element has the fields; where a list is wanted, the field must be in it.
func (a *audit) wanted(item value.Value, where map[string]string) bool {
	m, _ := item.Map()
	for key, raw := range where {
		want, ok := a.resolve(raw, value.Value{})
		if !ok || m == nil {
			return false
		}
		got, there := m.Get(key)
		if !there || !trace.Same(want, got) && !trace.Same(got, want) {
			return false
		}
	}
	return true
}

// one searches for a need about one element, Null where the need is about the call as a whole.
func (a *audit) one(n Required, item value.Value) {
	for _, r := range n.Reads {
		if a.hangs(r.Args, item) || a.hangs(r.Shows, item) {
			return
		}
		for _, e := range slices.Backward(a.events) {
			if e.Kind != trace.Call || !slices.Contains(r.Call, e.Tool) || e.Side != domains.AgentSide || !e.OK || !e.Before(a.call) {
				continue
			}
			if record, is := a.fits(r, e, item); is {
				a.found[n.ID] = record
				return
			}
		}
	}
	need := Need{ID: n.ID, What: a.fill(n.What, item)}
	if !slices.Contains(a.missing, need) {
		a.missing = append(a.missing, need)
	}
}

// hangs reports whether fields refer to the record of a need that was not found.
func (a *audit) hangs(fields map[string]string, item value.Value) bool {
	for _, raw := range fields {
		if strings.HasPrefix(raw, "$") && strings.Contains(raw, ".") {
			if _, ok := a.resolve(raw, item); !ok {
				return true
			}
		}
	}
	return false
}

// fits reports whether a call is a read that will do, and which record it found, nil if the result is not an object.
func (a *audit) fits(r Read, e *trace.Event, item value.Value) (record *value.Map, is bool) {
	for key, raw := range r.Args {
		want, ok := a.resolve(raw, item)
		if got := e.Arg(key); !ok || got.IsNull() || !value.Equal(got, want) {
			return nil, false
		}
	}
	if r.Returns != "" {
		want, ok := a.resolve(r.Returns, item)
		if !ok || want.Str() != e.Result {
			return nil, false
		}
	}
	shows := map[string]value.Value{}
	for key, raw := range r.Shows {
		want, ok := a.resolve(raw, item)
		if !ok {
			return nil, false
		}
		shows[key] = want
	}
	for m := range e.Records {
		if has(m, shows) && !slices.ContainsFunc(r.Has, func(key string) bool { _, ok := m.Get(key); return !ok }) {
			return m, true
		}
	}
	return nil, len(shows)+len(r.Has) == 0
}

func has(m *value.Map, fields map[string]value.Value) bool {
	for key, want := range fields {
		got, ok := m.Get(key)
		if !ok || !trace.Same(got, want) {
			return false
		}
	}
	return true
}

// resolve finds a value of the table: $need.field in a record that a need found, $item the element itself, $name a
// field of the element or else an argument of the call; anything else is a text.
func (a *audit) resolve(raw string, item value.Value) (value.Value, bool) {
	name, named := strings.CutPrefix(raw, "$")
	if !named {
		return value.OfString(raw), true
	}
	if need, field, dotted := strings.Cut(name, "."); dotted {
		record := a.found[need]
		if record == nil {
			return value.Value{}, false
		}
		return record.Get(field)
	}
	if name == "item" {
		return item, !item.IsNull()
	}
	if m, ok := item.Map(); ok {
		if v, ok := m.Get(name); ok {
			return v, true
		}
	}
	v := a.call.Arg(name)
	return v, !v.IsNull()
}

var namePattern = regexp.MustCompile(`\$[a-z_]+(\.[a-z_]+)?`)

// fill puts the values into a description.
func (a *audit) fill(what string, item value.Value) string {
	return namePattern.ReplaceAllStringFunc(what, func(name string) string {
		if v, ok := a.resolve(name, item); ok {
			return v.Str()
		}
		return "?"
	})
}
