package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// reserved are the top-level fields that Request.Extra may not set: they are
// written from the request itself or would change the form of the reply.
var reserved = []string{"model", "messages", "tools", "stream", "n"}

// encoder writes one request body. What is sent depends on the request, the
// capabilities of the model and what the endpoint has refused before, and on
// nothing else: equal inputs give equal bytes.
type encoder struct {
	jsonWriter
	caps    Capability
	origin  string   // extras of other origins are not sent
	refused []string // parameters that the endpoint refused before
	dropped []string
	common  [][2]int // see Exchange.Common

	declared *toolTexts
}

// encode writes the body. Errors name the field and say what is wrong with it.
func (e *encoder) encode(model string, req Request) error {
	if model == "" {
		return fmt.Errorf("no model: name one in the request or the endpoint")
	}
	if len(req.Messages) == 0 {
		return fmt.Errorf("messages: the list is empty, give at least one")
	}
	e.open('{')
	e.str("model", model)
	e.name("messages")
	e.open('[')
	messages := req.Messages
	if e.caps.OneSystem || e.caps.Roles == RolesAlternate {
		messages = mergeSystem(messages)
	}
	if e.caps.Roles == RolesAlternate {
		messages = alternate(messages)
	}
	for i, m := range messages {
		from := len(e.buf)
		if err := e.message(m); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		if i == 0 && (m.Role == System || m.Role == Developer) {
			e.common = append(e.common, [2]int{from, len(e.buf)})
		}
	}
	e.close(']')
	if err := e.tools(req); err != nil {
		return err
	}
	if err := e.parameters(req); err != nil {
		return err
	}
	e.close('}')
	return nil
}

func (e *encoder) message(m Message) error {
	role := m.Role
	switch role {
	case Developer:
		if !e.caps.Developer {
			role = System
		}
	case System:
		role = e.caps.SystemRole
	case User, Assistant, ToolRole:
	default:
		return fmt.Errorf("role: unknown role %q", role)
	}
	e.open('{')
	e.str("role", string(role))
	e.content(m)
	if m.Name != "" {
		e.str("name", m.Name)
	}
	if m.Role == ToolRole {
		e.str("tool_call_id", m.ToolCallID)
	}
	if m.Role == Assistant {
		if err := e.calls(m); err != nil {
			return err
		}
		if e.echoes(m) {
			if err := e.extras(m.Extra, e.caps.Echo.Fields); err != nil {
				return err
			}
		}
	}
	e.close('}')
	return nil
}

// content writes the text. Only an assistant message may lack one, in the form
// that the provider accepts; an empty tool result is always the empty string.
func (e *encoder) content(m Message) {
	text := m.Text()
	if m.Role != Assistant || text != "" {
		e.str("content", text)
		return
	}
	switch form := e.caps.EmptyContent; {
	case form == EmptyOmit && len(m.ToolCalls) > 0:
	case form == EmptyNull:
		e.name("content")
		e.buf = append(e.buf, "null"...)
	case form == EmptySpace:
		e.str("content", " ")
	default:
		e.str("content", "")
	}
}

func (e *encoder) calls(m Message) error {
	if len(m.ToolCalls) == 0 {
		return nil
	}
	own := m.Origin == "" || m.Origin == e.origin
	e.name("tool_calls")
	e.open('[')
	for i, c := range m.ToolCalls {
		e.open('{')
		e.str("id", c.ID)
		e.str("type", "function")
		e.name("function")
		e.open('{')
		e.str("name", c.Name)
		e.str("arguments", e.arguments(c.Arguments))
		if inner := firstObject(string(c.Extra["function"])); own && inner != nil && e.allowed("function", e.caps.Echo.CallFields) {
			if err := e.extras(inner.without(), []string{"*"}); err != nil {
				return fmt.Errorf("tool_calls[%d].function: %w", i, err)
			}
		}
		e.close('}')
		if own {
			outer := maps.Clone(c.Extra)
			delete(outer, "function")
			if err := e.extras(outer, e.caps.Echo.CallFields); err != nil {
				return fmt.Errorf("tool_calls[%d]: %w", i, err)
			}
		}
		e.close('}')
	}
	e.close(']')
	return nil
}

// arguments returns the text to send back. Empty text becomes an empty object,
// which servers demand. Text that is not an object goes back as it came, unless
// the server refuses such history: then it travels inside an object.
func (e *encoder) arguments(text string) string {
	trimmed := strings.Trim(text, " \t\r\n") // what JSON calls white space
	if trimmed == "" {
		return "{}"
	}
	if !e.caps.StrictArguments || (trimmed[0] == '{' && json.Valid([]byte(text))) {
		return text
	}
	return `{"invalid_arguments":` + string(appendString(nil, text)) + `}`
}

// echoes tells whether provider fields of m go back: only to where they came
// from, and only as often as the provider wants them.
func (e *encoder) echoes(m Message) bool {
	if m.Origin != "" && m.Origin != e.origin {
		return false
	}
	switch e.caps.Echo.When {
	case EchoAlways:
		return true
	case EchoToolTurns:
		return len(m.ToolCalls) > 0
	}
	return false
}

func (e *encoder) allowed(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob(p, name) })
}

// ownFields are written by the encoder itself and never taken from extras.
var ownFields = []string{"role", "content", "name", "tool_calls", "tool_call_id", "id", "type", "arguments"}

// extras writes the allowed fields in the order of their names.
func (e *encoder) extras(fields map[string]json.RawMessage, patterns []string) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !e.allowed(key, patterns) || slices.Contains(ownFields, key) {
			continue
		}
		if err := e.raw(key, fields[key]); err != nil {
			return fmt.Errorf("extra field %q is not valid JSON: %w", key, err)
		}
	}
	return nil
}

// tools writes tools and what depends on them; a list without entries is left
// out, since some servers refuse it.
func (e *encoder) tools(req Request) error {
	if len(req.Tools) == 0 {
		if req.ToolChoice != "" && req.ToolChoice != "none" && req.ToolChoice != "auto" {
			return fmt.Errorf("tool_choice %q: the request has no tools", req.ToolChoice)
		}
		return nil
	}
	e.name("tools")
	from := len(e.buf)
	if err := e.toolList(req.Tools); err != nil {
		return err
	}
	e.common = append(e.common, [2]int{from, len(e.buf)})
	switch req.ToolChoice {
	case "":
	case "auto", "none", "required":
		e.str("tool_choice", req.ToolChoice)
	default:
		if !slices.ContainsFunc(req.Tools, func(t Tool) bool { return t.Name == req.ToolChoice }) {
			return fmt.Errorf("tool_choice %q: not auto, none, required or the name of a tool", req.ToolChoice)
		}
		e.name("tool_choice")
		e.buf = append(e.buf, `{"type":"function","function":{"name":`...)
		e.buf = append(appendString(e.buf, req.ToolChoice), "}}"...)
	}
	if p := e.caps.ParallelToolCalls; p != nil && !slices.Contains(e.refused, "parallel_tool_calls") {
		e.name("parallel_tool_calls")
		e.buf = fmt.Appendf(e.buf, "%t", *p)
	}
	return nil
}

// parameters writes the sampling settings that were asked for, and nothing that
// was not.
func (e *encoder) parameters(req Request) error {
	floats := []struct {
		name  string
		value *float64
	}{{"temperature", req.Temperature}, {"top_p", req.TopP}}
	for _, f := range floats {
		if f.value == nil {
			continue
		}
		if math.IsNaN(*f.value) || math.IsInf(*f.value, 0) {
			return fmt.Errorf("%s: %v is not a number that can be sent", f.name, *f.value)
		}
		if e.keeps(f.name, req) {
			e.num(f.name, *f.value)
		}
	}
	if req.MaxTokens != nil && e.keeps("max_tokens", req) {
		for _, field := range e.caps.tokenFields() {
			e.int(field, int64(*req.MaxTokens))
		}
	}
	if req.Seed != nil && e.keeps("seed", req) {
		e.int("seed", *req.Seed)
	}
	if req.ReasoningEffort != "" && e.keeps("reasoning_effort", req) {
		e.str("reasoning_effort", req.ReasoningEffort)
	}
	for _, key := range slices.Sorted(maps.Keys(req.Extra)) {
		if err := e.checkExtra(key, req); err != nil {
			return err
		}
		if !e.keeps(key, req) {
			continue
		}
		if err := e.raw(key, req.Extra[key]); err != nil {
			return fmt.Errorf("extra field %q is not valid JSON: %w", key, err)
		}
	}
	return nil
}

// CheckExtra says why the field key of r.Extra cannot be sent, or nil. It knows of clashes with the fields that r has
// itself; what depends on the model or on tools shows only when the request is made.
func (r Request) CheckExtra(key string) error { return (&encoder{}).checkExtra(key, r) }

func (e *encoder) checkExtra(key string, req Request) error {
	switch {
	case slices.Contains(reserved, key):
		return fmt.Errorf("extra field %q is set by the request itself\nhint: remove it", key)
	case e.written(key, req):
		return fmt.Errorf("extra field %q is also set by the request\nhint: remove one", key)
	}
	return nil
}

// written tells whether a field of the request already has this key.
func (e *encoder) written(key string, req Request) bool {
	switch key {
	case "temperature":
		return req.Temperature != nil
	case "top_p":
		return req.TopP != nil
	case "seed":
		return req.Seed != nil
	case "max_tokens", "max_completion_tokens":
		return req.MaxTokens != nil
	case "reasoning_effort":
		return req.ReasoningEffort != ""
	case "tool_choice":
		return req.ToolChoice != "" && len(req.Tools) > 0
	case "parallel_tool_calls":
		return e.caps.ParallelToolCalls != nil && len(req.Tools) > 0
	}
	return false
}

// keeps tells whether a parameter that was asked for is sent, and records it if
// not.
func (e *encoder) keeps(name string, req Request) bool {
	thinks := req.ReasoningEffort != "" && req.ReasoningEffort != "none"
	if slices.Contains(e.caps.Drop, name) || slices.Contains(e.refused, name) ||
		(thinks && slices.Contains(e.caps.DropReasoning, name)) {
		e.dropped = append(e.dropped, name)
		return false
	}
	return true
}

// mergeSystem joins all system and developer texts into one leading message, for
// servers whose templates allow no other place.
func mergeSystem(in []Message) []Message {
	var texts []string
	out := make([]Message, 1, len(in)+1)
	for _, m := range in {
		if m.Role == System || m.Role == Developer {
			if m.Text() != "" {
				texts = append(texts, m.Text())
			}
			continue
		}
		out = append(out, m)
	}
	if len(texts) == 0 {
		return out[1:]
	}
	text := strings.Join(texts, "\n\n")
	out[0] = Message{Role: System, Content: &text}
	return out
}

// opening is said by the user where a conversation begins with the assistant and its template wants the user first.
const opening = "(The conversation begins.)"

// alternate joins messages of one side that follow each other, and lets the user begin.
func alternate(in []Message) []Message {
	var out []Message
	for _, m := range in {
		last := len(out) - 1
		switch {
		case m.Role == Assistant && (last < 0 || out[last].Role == System):
			text := opening
			out = append(out, Message{Role: User, Content: &text}, m)
		case last >= 0 && m.Role == out[last].Role && (m.Role == User || m.Role == Assistant) && len(out[last].ToolCalls) == 0:
			text := strings.Trim(out[last].Text()+"\n\n"+m.Text(), "\n")
			m.Content = &text
			out[last] = m
		default:
			out = append(out, m)
		}
	}
	return out
}
