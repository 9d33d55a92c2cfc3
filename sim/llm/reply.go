package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// answer is a reply body brought to one form. wire is the same answer as the
// narrow JSON that go-openai's types can hold; the other fields are what those
// types would lose.
type answer struct {
	wire        []byte
	raw         []byte // the JSON of the reply
	refusal     string
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
func (m Models) readAnswer(status int, h http.Header, body []byte, now time.Time) (*answer, *Error) {
	unreadable := func(why string) *Error {
		e := m.classify(status, h, nil, now)
		e.Kind, e.Status, e.Body = KindMalformed, status, excerpt(body)
		e.Message = why
		if text := plainText(body); text != "" {
			e.Message += ": " + text
		}
		return e
	}
	a := &answer{}
	body, valid := a.bare(body)
	switch {
	case len(body) == 0:
		return nil, unreadable("the reply is empty")
	case body[0] == '[':
		if d := readErrorBody(body); d.message != "" {
			return nil, m.classify(status, h, body, now)
		}
		return nil, unreadable("the reply is a list, not an object")
	case body[0] != '{':
		if event, ok := eventStream(body); ok {
			if event != nil {
				return nil, m.classify(status, h, event, now)
			}
			return nil, unreadable("the reply is an event stream, which was not asked for")
		}
		return nil, unreadable("the reply is not JSON")
	}
	if !valid {
		var v json.RawMessage
		return nil, unreadable("the reply is cut off or not valid JSON (" + json.Unmarshal(body, &v).Error() + ")")
	}
	top, _ := objectOf(string(body))
	a.raw = body
	u, billed, quirks := readUsage(top.get("usage"))
	a.usage, a.billed, a.quirks = u, billed, append(a.quirks, quirks...)
	fail := func(e *Error) (*answer, *Error) {
		e.Usage, e.Cost, e.Quirks = a.usage, a.billed, a.quirks
		return nil, e
	}
	if present(top.get("error")) {
		return fail(m.classify(status, h, body, now))
	}
	raw := top.get("choices")
	if raw == "" || raw == "null" {
		if d := readErrorBody(body); d.message != "" {
			return fail(m.classify(status, h, body, now))
		}
		return fail(unreadable("the reply has no choices"))
	}
	choices, ok := listOf(raw)
	if !ok {
		return fail(unreadable("the reply's choices are not a list"))
	}
	if len(choices) == 0 {
		return fail(unreadable("the reply has an empty list of choices"))
	}
	choice, ok := objectOf(choices[0])
	if !ok {
		return fail(unreadable("the reply's first choice is not an object"))
	}
	finish := scalar(choice.get("finish_reason"))
	if finish == "error" || present(choice.get("error")) {
		e := m.classify(status, h, []byte(choices[0]), now)
		e.Body = excerpt(body)
		if !present(choice.get("error")) {
			e.Message = "the provider ended the answer with an error"
		}
		return fail(e)
	}
	s, why := a.readMessage(choice.get("message"))
	if why != "" {
		return fail(unreadable(why))
	}
	a.readFurther(choices[1:], &s)
	s.id, s.model, s.finish = scalar(top.get("id")), scalar(top.get("model")), finish
	a.wire = s.encode()
	return a, nil
}

// streamEnd ends an event stream; comments and empty events may be around it.
var streamEnd = regexp.MustCompile(`^(\s*(data:\s*(\[DONE\])?|\[DONE\]|:[^\n]*)\s*(\n|$))+$`)

// bare removes what proxies leave around a whole reply: a byte-order mark before it, the end of a stream behind it. It
// tells whether the rest is an object in JSON.
func (a *answer) bare(body []byte) (rest []byte, valid bool) {
	body = bytes.TrimSpace(body)
	if rest, marked := bytes.CutPrefix(body, []byte("\uFEFF")); marked {
		a.note("byte_order_mark")
		body = bytes.TrimSpace(rest)
	}
	if !bytes.HasPrefix(body, []byte("{")) {
		return body, false
	}
	if json.Valid(body) {
		return body, true
	}
	d, first := json.NewDecoder(bytes.NewReader(body)), json.RawMessage{}
	if d.Decode(&first) == nil && streamEnd.Match(bytes.TrimSpace(body[d.InputOffset():])) {
		a.note("stream_end")
		return first, true
	}
	return body, false
}

// readFurther looks at choices behind the first, which nobody asked for: a call that is in none before is taken from there.
func (a *answer) readFurther(choices []string, s *reply) {
	for _, raw := range choices {
		choice, _ := objectOf(raw)
		var b answer
		more, _ := b.readMessage(choice.get("message"))
		a.note("further_choices")
		if len(s.calls) == 0 && len(more.calls) > 0 {
			s.calls, a.callExtra = more.calls, b.callExtra
			a.note("call_in_further_choice")
			for _, q := range b.quirks {
				a.note(q)
			}
		}
		if s.content == "" && more.content != "" {
			s.content, a.nullContent = more.content, false
			a.note("text_in_further_choice")
		}
	}
}

// present tells whether an error field really reports one.
func present(raw string) bool {
	switch strings.TrimSpace(raw) {
	case "", "null", "{}", "[]", `""`, "false":
		return false
	}
	return true
}

// readMessage normalises the assistant message, or says why it cannot.
func (a *answer) readMessage(raw string) (reply, string) {
	o, ok := objectOf(raw)
	if !ok {
		return reply{}, "the reply's message is not an object"
	}
	switch role := scalar(o.get("role")); role {
	case "assistant":
	case "", "model":
		a.note("role")
	default:
		return reply{}, fmt.Sprintf("the reply's message has role %q instead of assistant", role)
	}
	a.refusal = textOf(o.get("refusal"))
	content, ok := a.readContent(o.get("content"))
	if !ok {
		return reply{}, "the reply's content is neither text nor a list of parts"
	}
	calls, why := a.readCalls(o.get("tool_calls"))
	if why != "" {
		return reply{}, "the reply's " + why
	}
	if one := firstObject(o.get("function_call")); one != nil && len(calls) == 0 {
		// The predecessor of tool_calls, still spoken by some servers.
		a.note("function_call")
		calls = append(calls, a.readCall(object{{"function", o.get("function_call")}}))
	}
	a.extra = o.without("role", "content", "tool_calls", "function_call")
	if parts := o.get("content"); strings.HasPrefix(parts, "[") {
		a.keep("content", parts)
	}
	return reply{content: content, calls: calls}, ""
}

// reply is what go-openai's types can hold of a reply.
type reply struct {
	id, model, finish string
	content           string
	calls             []call
}

type call struct{ id, name, arguments string }

// encode writes the reply in JSON.
func (s reply) encode() []byte {
	var w jsonWriter
	w.open('{')
	w.str("id", s.id)
	w.str("model", s.model)
	w.name("choices")
	w.open('[')
	w.open('{')
	w.int("index", 0)
	w.str("finish_reason", s.finish)
	w.name("message")
	w.open('{')
	w.str("role", "assistant")
	w.str("content", s.content)
	if len(s.calls) > 0 {
		w.name("tool_calls")
		w.open('[')
		for _, c := range s.calls {
			w.open('{')
			w.str("id", c.id)
			w.str("type", "function")
			w.name("function")
			w.open('{')
			w.str("name", c.name)
			w.str("arguments", c.arguments)
			w.close('}')
			w.close('}')
		}
		w.close(']')
	}
	w.close('}')
	w.close('}')
	w.close(']')
	w.close('}')
	return w.buf
}

// readContent accepts a string, null, nothing, or a list of parts whose texts
// are joined.
func (a *answer) readContent(raw string) (string, bool) {
	if raw == "" || raw == "null" {
		a.nullContent = true
		return "", true
	}
	if raw[0] == '"' {
		return textOf(raw), true
	}
	parts, ok := listOf(raw)
	if !ok {
		return "", false
	}
	a.note("content_parts")
	var b strings.Builder
	texts := 0
	for _, p := range parts {
		if len(p) > 0 && p[0] == '"' {
			texts++
			b.WriteString(textOf(p))
			continue
		}
		o := firstObject(p)
		switch textOf(o.get("type")) {
		case "text", "output_text":
			texts++
			b.WriteString(textOf(o.get("text")))
		case "refusal":
			a.refusal += textOf(o.get("refusal"))
		}
	}
	a.nullContent = texts == 0
	return b.String(), true
}

// readCalls reads the list of calls; null, absent and empty all mean none.
func (a *answer) readCalls(raw string) ([]call, string) {
	if raw == "" || raw == "null" {
		return nil, ""
	}
	list, ok := listOf(raw)
	if !ok {
		return nil, "tool_calls are not a list"
	}
	var calls []call
	for i, item := range list {
		o, ok := objectOf(item)
		if !ok {
			return nil, fmt.Sprintf("tool call %d is not an object", i)
		}
		calls = append(calls, a.readCall(o))
	}
	return calls, ""
}

// readCall normalises one call without repairing anything: only the types of
// id and arguments change.
func (a *answer) readCall(o object) call {
	id := textOf(o.get("id"))
	if n := scalar(o.get("id")); id == "" && n != "" {
		id = n
		a.note("int_id")
	}
	if id == "" {
		a.note("missing_id")
	}
	fn := firstObject(o.get("function"))
	extra := o.without("id", "type", "index", "function")
	if fn == nil {
		// Some servers put name and arguments beside the id.
		a.note("flat_tool_call")
		fn = o
		extra = o.without("id", "type", "index", "function", "name", "arguments")
	} else if more := fn.without("name", "arguments"); more != nil {
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		extra["function"] = mustJSON(more)
	}
	a.callExtra = append(a.callExtra, extra)
	return call{id: id, name: textOf(fn.get("name")), arguments: a.readArguments(fn.get("arguments"))}
}

// readArguments returns the text as sent. Anything but a string is serialised
// compactly from its own bytes, so numbers keep their digits.
func (a *answer) readArguments(raw string) string {
	if raw == "" || raw == "null" {
		a.note("missing_arguments")
		return ""
	}
	switch raw[0] {
	case '"':
		return textOf(raw)
	case '{':
		a.note("object_arguments")
	default:
		a.note("untyped_arguments")
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw
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

func (a *answer) keep(key, raw string) {
	if a.extra == nil {
		a.extra = map[string]json.RawMessage{}
	}
	a.extra[key] = json.RawMessage(raw)
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
