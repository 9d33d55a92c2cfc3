// Package trace turns a recorded conversation into events in a fixed order: what was said, and which tools were
// called with what result, by both sides. The trace rubric and the near-miss rate are computed from it
// (docs/reference/metrics.md#trace-rubric and docs/reference/metrics.md#call-nmr).
//
// A call begins at the message that asks for it and ends at the message that answers it. Something counts as known to
// a call only if it had ended before the call began, so of two calls of one message neither knows the other's result.
package trace

import (
	"encoding/json"
	"strings"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
)

// Kind tells texts from calls.
type Kind uint8

// The kinds.
const (
	Text Kind = iota
	Call
)

// Event is one thing that happened. Fields of the other kind are zero.
type Event struct {
	Kind  Kind
	Side  domains.Side
	Begin int // index of the message, from 0
	End   int // a call: index of the message with the result; a text: Begin. -1 while there is no result

	Text string // what was said
	Act  string // tag of a scripted user's text: request, inform, consent, refuse, report; "" if it has none

	Tool   string
	Args   *value.Map // nil for a malformed call
	Result string     // text of the result
	OK     bool       // the result is there and is not a failure

	lower, lowerResult *string
	parsed             *value.Value
}

// actField is the member of Message.Provider under which scripted users tag their texts.
const actField = "act"

// failed begins the results of tools that refuse without failing; grant_app_permission of telecom does so.
const failed = "Error"

// Events lists the events of a conversation in order. Of one message the text comes first, then the calls in their order.
// System and developer messages are not events, but they count for the indexes.
func Events(msgs []domains.Message) []*Event {
	var out []*Event
	var open []*Event
	var ids []string
	for i, m := range msgs {
		switch m.Role {
		case domains.RoleUser, domains.RoleAssistant:
			side := m.Side()
			if m.HasText() {
				out = append(out, &Event{Kind: Text, Side: side, Begin: i, End: i, Text: m.TextOf(), Act: act(m)})
			}
			for _, c := range m.ToolCalls {
				e := &Event{Kind: Call, Side: side, Begin: i, End: -1, Tool: c.Name, Args: c.ArgumentsMap()}
				out, open, ids = append(out, e), append(open, e), append(ids, c.ID)
			}
		case domains.RoleTool:
			for j, id := range ids {
				if id != m.ID {
					continue
				}
				e := open[j]
				e.End, e.Result = i, m.TextOf()
				e.OK = !m.Error && !strings.HasPrefix(e.Result, failed)
				open, ids = append(open[:j:j], open[j+1:]...), append(ids[:j:j], ids[j+1:]...)
				break
			}
		}
	}
	return out
}

func act(m domains.Message) string {
	raw, ok := m.Provider[actField]
	if !ok || m.Role != domains.RoleUser {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Before reports whether e had ended before f began.
func (e *Event) Before(f *Event) bool { return e.End >= 0 && e.End < f.Begin }

// Lower is the text in lower case, made once.
func (e *Event) Lower() string { return once(&e.lower, e.Text) }

// LowerResult is the text of the result in lower case, made once.
func (e *Event) LowerResult() string { return once(&e.lowerResult, e.Result) }

func once(cache **string, text string) string {
	if *cache == nil {
		lower := strings.ToLower(text)
		*cache = &lower
	}
	return **cache
}

// Arg is an argument of the call; Null if it has no such argument.
func (e *Event) Arg(name string) value.Value {
	if e.Args == nil {
		return value.Value{}
	}
	v, _ := e.Args.Get(name)
	return v
}

// Value is the result as JSON, or as a text where it is not JSON. It is read once.
func (e *Event) Value() value.Value {
	if e.parsed == nil {
		v, err := value.ParseString(e.Result)
		if err != nil {
			v = value.OfString(e.Result)
		}
		e.parsed = &v
	}
	return *e.parsed
}

// Records yields the objects of a result, at any depth of lists and objects, outer ones first, until yield
// returns false.
func (e *Event) Records(yield func(*value.Map) bool) { records(e.Value(), yield) }

func records(v value.Value, yield func(*value.Map) bool) bool {
	switch v.Kind() {
	case value.List:
		items, _ := v.Items()
		for _, item := range items {
			if !records(item, yield) {
				return false
			}
		}
	case value.Object:
		m, _ := v.Map()
		if !yield(m) {
			return false
		}
		for _, item := range m.All() {
			if !records(item, yield) {
				return false
			}
		}
	}
	return true
}

// Same reports whether a field of a record is a wanted value: equal to it, or a list that holds it.
func Same(field, want value.Value) bool {
	if items, ok := field.Items(); ok && want.Kind() != value.List {
		for _, item := range items {
			if value.Equal(item, want) {
				return true
			}
		}
		return false
	}
	return value.Equal(field, want)
}
