package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// answer is a reply body brought to one form. wire is the same answer as the
// narrow JSON that go-openai's types can hold; the other fields are what those
// types would lose.
type answer struct {
	wire        []byte
	nullContent bool
	extra       map[string]json.RawMessage
	callExtra   []map[string]json.RawMessage
	usage       Usage
	billed      *float64
	quirks      []string
}

// readAnswer normalises the body of a successful reply. A body that is an
// error, or that holds no usable choice, yields an *Error; such errors are
// retryable unless the body says otherwise. It never panics, whatever the body.
func readAnswer(status int, h http.Header, body []byte, now time.Time) (*answer, *Error) {
	unreadable := func(why string) *Error {
		e := classify(status, h, nil, now)
		e.Kind, e.Status, e.Body = KindMalformed, status, excerpt(body)
		e.Message = why
		if text := plainText(body); text != "" {
			e.Message += ": " + text
		}
		return e
	}
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return nil, unreadable("the reply is empty")
	case body[0] == '[':
		if d := readErrorBody(body); d.message != "" {
			return nil, classify(status, h, body, now)
		}
		return nil, unreadable("the reply is a list, not an object")
	case body[0] != '{':
		if event, ok := eventStream(body); ok {
			if event != nil {
				return nil, classify(status, h, event, now)
			}
			return nil, unreadable("the reply is an event stream, which was not asked for")
		}
		return nil, unreadable("the reply is not JSON")
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return nil, unreadable("the reply is cut off or not valid JSON (" + err.Error() + ")")
	}
	a := &answer{}
	a.usage, a.billed, a.quirks = readUsage(top["usage"])
	fail := func(e *Error) (*answer, *Error) {
		e.Usage = a.usage
		return nil, e
	}
	if present(top["error"]) {
		return fail(classify(status, h, body, now))
	}
	var choices []json.RawMessage
	if raw, ok := top["choices"]; !ok {
		if d := readErrorBody(body); d.message != "" {
			return fail(classify(status, h, body, now))
		}
		return fail(unreadable("the reply has no choices"))
	} else if json.Unmarshal(raw, &choices) != nil {
		return fail(unreadable("the reply's choices are not a list"))
	}
	if len(choices) == 0 {
		return fail(unreadable("the reply has an empty list of choices"))
	}
	var choice map[string]json.RawMessage
	if json.Unmarshal(choices[0], &choice) != nil || choice == nil {
		return fail(unreadable("the reply's first choice is not an object"))
	}
	finish := scalar(choice["finish_reason"])
	if finish == "error" || present(choice["error"]) {
		e := classify(status, h, choices[0], now)
		e.Body = excerpt(body)
		if !present(choice["error"]) {
			e.Message = "the provider ended the answer with an error"
		}
		return fail(e)
	}
	message, why := a.readMessage(choice["message"])
	if why != "" {
		return fail(unreadable(why))
	}
	a.wire = mustJSON(map[string]any{
		"id": scalar(top["id"]), "model": scalar(top["model"]),
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": message}},
	})
	return a, nil
}

// present tells whether an error field really reports one.
func present(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", "[]", `""`, "false":
		return false
	}
	return true
}

// readMessage normalises the assistant message, or says why it cannot.
func (a *answer) readMessage(raw json.RawMessage) (map[string]any, string) {
	var o map[string]json.RawMessage
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return nil, "the reply's message is not an object"
	}
	switch role := scalar(o["role"]); role {
	case "assistant":
	case "", "model":
		a.note("role")
	default:
		return nil, fmt.Sprintf("the reply's message has role %q instead of assistant", role)
	}
	content, ok := a.readContent(o["content"])
	if !ok {
		return nil, "the reply's content is neither text nor a list of parts"
	}
	calls, why := a.readCalls(o["tool_calls"])
	if why != "" {
		return nil, why
	}
	if one := firstObject(o["function_call"]); one != nil && len(calls) == 0 {
		// The predecessor of tool_calls, still spoken by some servers.
		a.note("function_call")
		calls = append(calls, a.readCall(map[string]json.RawMessage{"function": o["function_call"]}))
	}
	a.extra = rest(o, "role", "content", "tool_calls", "function_call")
	if len(o["content"]) > 0 && o["content"][0] == '[' {
		a.keep("content", o["content"])
	}
	m := map[string]any{"role": "assistant", "content": content}
	if len(calls) > 0 {
		m["tool_calls"] = calls
	}
	return m, ""
}

// readContent accepts a string, null, nothing, or a list of parts whose texts
// are joined.
func (a *answer) readContent(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		a.nullContent = true
		return "", true
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	a.note("content_parts")
	var b strings.Builder
	texts := 0
	for _, p := range parts {
		if len(p) > 0 && p[0] == '"' {
			texts++
			b.WriteString(scalarText(p))
			continue
		}
		o := firstObject(p)
		if t := scalarText(o["type"]); t == "text" || t == "output_text" {
			texts++
			b.WriteString(scalarText(o["text"]))
		}
	}
	a.nullContent = texts == 0
	return b.String(), true
}

// readCalls reads the list of calls; null, absent and empty all mean none.
func (a *answer) readCalls(raw json.RawMessage) ([]map[string]any, string) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, ""
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, "the reply's tool_calls are not a list"
	}
	var calls []map[string]any
	for i, item := range list {
		var o map[string]json.RawMessage
		if json.Unmarshal(item, &o) != nil || o == nil {
			return nil, fmt.Sprintf("the reply's tool call %d is not an object", i)
		}
		calls = append(calls, a.readCall(o))
	}
	return calls, ""
}

// readCall normalises one call without repairing anything: only the types of
// id and arguments change.
func (a *answer) readCall(o map[string]json.RawMessage) map[string]any {
	id := scalarText(o["id"])
	if n := scalar(o["id"]); id == "" && n != "" {
		id = n
		a.note("int_id")
	}
	if id == "" {
		a.note("missing_id")
	}
	fn := firstObject(o["function"])
	extra := rest(o, "id", "type", "index", "function")
	if fn == nil {
		// Some servers put name and arguments beside the id.
		a.note("flat_tool_call")
		fn = o
		extra = rest(o, "id", "type", "index", "function", "name", "arguments")
	} else if more := rest(fn, "name", "arguments"); more != nil {
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		extra["function"] = mustJSON(more)
	}
	a.callExtra = append(a.callExtra, extra)
	return map[string]any{"id": id, "type": "function", "function": map[string]any{
		"name": scalarText(fn["name"]), "arguments": a.readArguments(fn["arguments"]),
	}}
}

// readArguments returns the text as sent. Anything but a string is serialised
// compactly from its own bytes, so numbers keep their digits.
func (a *answer) readArguments(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		a.note("missing_arguments")
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if raw[0] == '{' {
		a.note("object_arguments")
	} else {
		a.note("untyped_arguments")
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func (a *answer) note(quirk string) {
	for _, have := range a.quirks {
		if have == quirk {
			return
		}
	}
	a.quirks = append(a.quirks, quirk)
}

func (a *answer) keep(key string, raw json.RawMessage) {
	if a.extra == nil {
		a.extra = map[string]json.RawMessage{}
	}
	a.extra[key] = bytes.Clone(raw)
}

// rest returns the fields of o that are not known and not null, nil if none.
func rest(o map[string]json.RawMessage, known ...string) map[string]json.RawMessage {
	var out map[string]json.RawMessage
next:
	for key, raw := range o {
		if string(raw) == "null" {
			continue
		}
		for _, k := range known {
			if key == k {
				continue next
			}
		}
		if out == nil {
			out = map[string]json.RawMessage{}
		}
		out[key] = bytes.Clone(raw)
	}
	return out
}

// scalarText returns a JSON string exactly, "" for anything else.
func scalarText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// validUTF8 replaces each run of invalid bytes by one U+FFFD, once: what is
// valid stays as it is.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// mustJSON marshals values that were decoded from JSON, which cannot fail. Raw
// parts keep their bytes: < > & are not escaped.
func mustJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("llm: marshalling decoded JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
