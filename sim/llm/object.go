package llm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// object is a JSON object whose shape is not known: a reply is looked at field by field, and decoding each level into a
// map costs more than all else that is done to it. The functions below take valid JSON and return what encoding/json
// gives for it, sharing its memory; of a field that comes twice, the last counts.
type object []field

type field struct{ name, value string }

// get returns the raw value of a field, "" without one.
func (o object) get(name string) string {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].name == name {
			return o[i].value
		}
	}
	return ""
}

// objectOf takes an object apart; false of anything else.
func objectOf(valid string) (object, bool) {
	r := gjson.Parse(valid)
	if !r.IsObject() {
		return nil, false
	}
	out := make(object, 0, 8)
	r.ForEach(func(name, value gjson.Result) bool {
		out = append(out, field{textOf(name.Raw), value.Raw})
		return true
	})
	return out, true
}

// listOf takes a list apart; false of anything else.
func listOf(valid string) ([]string, bool) {
	r := gjson.Parse(valid)
	if !r.IsArray() {
		return nil, false
	}
	out := []string{}
	r.ForEach(func(_, value gjson.Result) bool {
		out = append(out, value.Raw)
		return true
	})
	return out, true
}

// firstObject takes an object apart, or a list's first element if that is one; nil of anything else.
func firstObject(valid string) object {
	if list, ok := listOf(valid); ok {
		if len(list) == 0 {
			return nil
		}
		valid = list[0]
	}
	o, _ := objectOf(valid)
	return o
}

// textOf returns a JSON string, "" for anything else.
func textOf(valid string) string {
	if len(valid) < 2 || valid[0] != '"' {
		return ""
	}
	if inner := valid[1 : len(valid)-1]; isPlain(inner) {
		return inner
	}
	var s string
	if json.Unmarshal([]byte(valid), &s) != nil {
		return ""
	}
	return s
}

// isPlain tells whether a text reads the same in JSON.
func isPlain(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c > '~' }) < 0
}

// scalar returns a JSON string without white space around it, or a number as it is written; "" for anything else.
func scalar(valid string) string {
	if valid != "" && (valid[0] == '-' || '0' <= valid[0] && valid[0] <= '9') {
		return valid
	}
	return strings.TrimSpace(textOf(valid))
}

// without returns the fields that are not known and not null, nil if there are none.
func (o object) without(known ...string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
	for _, f := range o {
		switch {
		case slices.Contains(known, f.name):
		case f.value == "null":
			delete(out, f.name)
		default:
			if out == nil {
				out = map[string]json.RawMessage{}
			}
			out[f.name] = json.RawMessage(f.value)
		}
	}
	return out
}
