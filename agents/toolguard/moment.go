package toolguard

import (
	"context"
	"math"
	"strconv"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// moment is one call under check, with what was read for it. Every entity is read once.
type moment struct {
	ctx  context.Context
	args record
	read Reader
	set  Set

	needs   []Need
	needed  map[Need]bool
	answers map[Need]record

	// of the airline
	at      string // the airport where the flight that was found last arrives, at first that of departure
	flights map[leg]record
}

func newMoment(ctx context.Context, args *value.Map, read Reader, s Set) *moment {
	m := &moment{ctx: ctx, args: record{value.OfMap(args)}, read: read, set: s, needed: map[Need]bool{}, answers: map[Need]record{}, flights: map[leg]record{}}
	m.at = m.args.text("origin")
	return m
}

// need notes that a check depends on a piece of information.
func (m *moment) need(tool, key string) {
	n := Need{tool, key}
	if !m.needed[n] {
		m.needed[n] = true
		m.needs = append(m.needs, n)
	}
}

// lookup reads an entity that a tool of the agent shows, and notes the need.
func (m *moment) lookup(tool, key string, args ...value.Pair) record {
	m.need(tool, key)
	return m.fetch(tool, key, args...)
}

// fetch reads without noting a need. What fails reads as nothing.
func (m *moment) fetch(tool, key string, args ...value.Pair) record {
	n := Need{tool, key}
	if r, ok := m.answers[n]; ok {
		return r
	}
	m.answers[n] = m.ask(tool, args)
	return m.answers[n]
}

func (m *moment) ask(tool string, args []value.Pair) record {
	if m.ctx.Err() != nil {
		return record{}
	}
	got := m.read(m.ctx, domains.ToolCall{Name: tool, Arguments: value.OfMap(value.MapOf(args...)), Requestor: domains.AgentSide})
	if got.Error {
		return record{}
	}
	if v, err := value.ParseString(got.Content); err == nil {
		return record{v}
	}
	return record{value.OfString(got.Content)} // a bare text, such as a status
}

func textArg(name, s string) value.Pair { return value.Pair{Key: name, Value: value.OfString(s)} }

// record is a value out of arguments or results; whatever is not there, or of another kind, reads as empty.
type record struct{ v value.Value }

func (r record) empty() bool { return r.v.IsNull() }

func (r record) get(key string) record {
	m, ok := r.v.Map()
	if !ok {
		return record{}
	}
	v, _ := m.Get(key)
	return record{v}
}

// has reports whether an object has a key.
func (r record) has(key string) bool {
	m, ok := r.v.Map()
	if !ok {
		return false
	}
	_, has := m.Get(key)
	return has
}

// size is the number of entries of an object or a list.
func (r record) size() int {
	if m, ok := r.v.Map(); ok {
		return m.Len()
	}
	return len(r.items())
}

func (r record) text(key string) string {
	s, _ := r.get(key).v.Text()
	return s
}

func (r record) list(key string) []record { return r.get(key).items() }

func (r record) items() []record {
	items, ok := r.v.Items()
	if !ok {
		return nil
	}
	out := make([]record, len(items))
	for i, v := range items {
		out[i] = record{v}
	}
	return out
}

// texts lists the texts of a list; an element that is none is left out.
func (r record) texts(key string) []string {
	var out []string
	for _, x := range r.list(key) {
		if s, ok := x.v.Text(); ok {
			out = append(out, s)
		}
	}
	return out
}

// fields walks an object.
func (r record) fields(yield func(key string, v record) bool) {
	m, ok := r.v.Map()
	if !ok {
		return
	}
	for k, v := range m.All() {
		if !yield(k, record{v}) {
			return
		}
	}
}

// number reads a number, or a text that is one, as some results have it.
func (r record) number(key string) (float64, bool) {
	v := r.get(key).v
	if s, ok := v.Text(); ok {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	f, ok := v.Float64()
	return f, ok && !math.IsNaN(f)
}

// money prints an amount in dollars.
func money(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return "$" + strconv.FormatFloat(f, 'f', 0, 64)
	}
	return "$" + strconv.FormatFloat(f, 'f', 2, 64)
}

// count prints a number without a needless fraction.
func count(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func nothing(name string) value.Pair { return value.Pair{Key: name} }
