package tau2

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/sim"
)

// object is a JSON object in the making, in the order of a table of fields.
type object struct {
	fields []field
	values map[string]json.RawMessage
	err    error
}

func newObject(fields []field, extra map[string]json.RawMessage) *object {
	o := &object{fields: fields, values: maps.Clone(extra)}
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	return o
}

// set gives a member its value.
func (o *object) set(name string, v any) {
	raw, err := encode(v)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("%s: %w", name, err)
	}
	o.values[name] = raw
}

// suggest is set for members that have no value yet.
func (o *object) suggest(name string, v any) {
	if _, given := o.values[name]; !given {
		o.set(name, v)
	}
}

// json is the object: the members of the table first, missing ones with what their absence means, then all others by
// name.
func (o *object) json() (json.RawMessage, error) {
	if o.err != nil {
		return nil, o.err
	}
	out := []byte{'{'}
	add := func(name string, v json.RawMessage) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(name)...), ':'), v...)
	}
	for _, f := range o.fields {
		switch v, ok := o.values[f.name]; {
		case ok:
			add(f.name, v)
		case f.absent != "":
			add(f.name, json.RawMessage(f.absent))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if _, ok := known(o.fields, name); !ok {
			add(name, o.values[name])
		}
	}
	return append(out, '}'), nil
}

// stream writes a file piece by piece, indented as the reference does.
type stream struct {
	e   *jsontext.Encoder
	err error
}

func newStream(w io.Writer) *stream {
	return &stream{e: jsontext.NewEncoder(w, jsontext.WithIndent("  "), lenient, repeats)}
}

func (s *stream) token(t jsontext.Token) {
	if s.err == nil {
		s.err = s.e.WriteToken(t)
	}
}

func (s *stream) value(v json.RawMessage) {
	if s.err == nil {
		s.err = s.e.WriteValue(jsontext.Value(v))
	}
}

func (s *stream) member(name string, v json.RawMessage) {
	s.token(jsontext.String(name))
	s.value(v)
}

// messageJSON is a message in the reference's form.
func messageJSON(m domains.Message) (json.RawMessage, error) {
	fields := participantFields
	if m.Role == domains.RoleTool {
		fields = toolFields
	}
	o := newObject(fields, m.Extra)
	o.set("role", m.Role)
	o.set("content", m.Content)
	o.set("turn_idx", m.TurnIdx)
	if m.Timestamp != "" {
		o.set("timestamp", localTime(m.Timestamp))
	}
	if m.Role == domains.RoleTool {
		o.set("id", m.ID)
		o.set("requestor", m.Requestor)
		o.set("error", m.Error)
		return o.json()
	}
	var calls []json.RawMessage
	if m.IsToolCall() {
		calls = []json.RawMessage{}
	}
	for _, c := range m.ToolCalls {
		raw, err := callJSON(c)
		if err != nil {
			return nil, err
		}
		calls = append(calls, raw)
	}
	o.set("tool_calls", calls)
	return o.json()
}

// callJSON is a call. Malformed arguments, which the format cannot hold, become an object that says what they were: no
// tool takes it, so replaying it changes nothing, as the call itself did.
func callJSON(c domains.ToolCall) (json.RawMessage, error) {
	o := newObject([]field{{"id", ""}, {"name", ""}, {"arguments", ""}, {"requestor", ""}}, c.Provider)
	o.set("id", c.ID)
	o.set("name", c.Name)
	args := c.Arguments
	switch {
	case c.Malformed != "" || c.Reason != "":
		args = value.OfMap(value.MapOf(value.Pair{Key: malformed, Value: value.OfString(c.Malformed)},
			value.Pair{Key: malformedWhy, Value: value.OfString(c.Reason)}))
	case args.IsNull():
		args = value.OfMap(nil)
	}
	o.set("arguments", args)
	o.set("requestor", c.Requestor)
	return o.json()
}

// rewardJSON is a score's outcome; null where there is none.
func rewardJSON(s *sim.Score) (json.RawMessage, error) {
	if s == nil || s.Reward == nil {
		return json.RawMessage("null"), nil
	}
	info := s.Info
	info.Reward = *s.Reward
	return encode(info)
}
