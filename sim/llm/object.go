package llm

import (
	"encoding/json"
	"strings"
)

// object is a JSON object whose shape is not known: a reply is looked at field by field. Values are raw and without white
// space around them; of a field that comes twice, the last counts.
type object map[string]json.RawMessage

// get returns the raw value of a field, "" without one.
func (o object) get(name string) string { return string(o[name]) }

// objectOf takes an object apart; false of anything else.
func objectOf(raw string) (object, bool) {
	var o object
	return o, strings.HasPrefix(raw, "{") && json.Unmarshal([]byte(raw), &o) == nil
}

// listOf takes a list apart; false of anything else.
func listOf(raw string) ([]string, bool) {
	var list []json.RawMessage
	if !strings.HasPrefix(raw, "[") || json.Unmarshal([]byte(raw), &list) != nil {
		return nil, false
	}
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = string(v)
	}
	return out, true
}

// firstObject takes an object apart, or a list's first element if that is one; nil of anything else.
func firstObject(raw string) object {
	if list, ok := listOf(raw); ok {
		if len(list) == 0 {
			return nil
		}
		raw = list[0]
	}
	o, _ := objectOf(raw)
	return o
}

// textOf returns a JSON string, "" for anything else.
func textOf(raw string) string {
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return ""
	}
	return s
}

// scalar returns a JSON string without white space around it, or a number as it is written; "" for anything else.
func scalar(raw string) string {
	if raw != "" && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') {
		return raw
	}
	return strings.TrimSpace(textOf(raw))
}

// without returns the fields that are not known and not null, nil if there are none.
func (o object) without(known ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, value := range o {
		if string(value) != "null" {
			out[name] = value
		}
	}
	for _, name := range known {
		delete(out, name)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
