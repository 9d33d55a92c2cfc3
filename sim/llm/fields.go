package llm

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// object is a JSON object taken apart: its fields in the order of the text. A
// reply is looked at field by field without knowing its shape, and decoding each
// level into a map costs more than all else that is done to it. The functions
// below take JSON that is known to be valid and give what encoding/json gives for
// it; what they return shares its memory.
type object []field

type field struct{ name, value string }

// get returns the value of a field, of one that comes twice the last, "" without
// one.
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

// firstObject takes an object apart, or a list's first element if that is one;
// nil of anything else.
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

// textOf returns a JSON string exactly, "" for anything else.
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
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			return false
		}
	}
	return true
}

// scalar returns a JSON string without white space around it, or a number as it
// is written; "" for anything else.
func scalar(valid string) string {
	if valid == "" {
		return ""
	}
	switch c := valid[0]; {
	case c == '"':
		return strings.TrimSpace(textOf(valid))
	case c == '-', '0' <= c && c <= '9':
		return valid
	}
	return ""
}

// checkJSON says what is wrong with a text that is not valid JSON.
func checkJSON(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var v json.RawMessage
	return json.Unmarshal(text, &v)
}
