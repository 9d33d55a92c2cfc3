package faultserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Call is a tool call in a scripted message.
type Call struct{ ID, Name, Arguments string }

// Text is a plain answer.
func Text(content string) Reply {
	return Message(fmt.Sprintf(`{"role":"assistant","content":%s}`, Quote(content)), "stop")
}

// Calls is an answer that calls tools and says nothing.
func Calls(calls ...Call) Reply { return TextAndCalls("", calls...) }

// TextAndCalls is an answer with text (null if empty) and calls.
func TextAndCalls(content string, calls ...Call) Reply {
	text := "null"
	if content != "" {
		text = Quote(content)
	}
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = fmt.Sprintf(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`,
			Quote(c.ID), Quote(c.Name), Quote(c.Arguments))
	}
	return Message(fmt.Sprintf(`{"role":"assistant","content":%s,"tool_calls":[%s]}`, text, strings.Join(list, ",")), "tool_calls")
}

// Message is a successful reply around the raw JSON of one message, with a
// usage of 10 prompt and 5 completion tokens.
func Message(message, finish string) Reply {
	return Raw(fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"scripted",`+
		`"choices":[{"index":0,"message":%s,"finish_reason":%s}],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, message, Quote(finish)))
}

// Raw is a 200 reply with exactly this body.
func Raw(body string) Reply { return Reply{Body: body} }

// Status is a reply with a status and a body.
func Status(status int, body string) Reply { return Reply{Status: status, Body: body} }

// Error is a refusal in OpenAI's form. Empty code and param are null.
func Error(status int, kind, code, param, message string) Reply {
	null := func(s string) string {
		if s == "" {
			return "null"
		}
		return Quote(s)
	}
	return Status(status, fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":%s,"code":%s}}`,
		Quote(message), null(kind), null(param), null(code)))
}

// Hang is a reply that never comes.
func Hang() Reply { return Reply{Hang: true} }

// Cut is a successful text reply of which only the first n bytes arrive.
func Cut(content string, n int) Reply {
	r := Text(content)
	r.CutAfter = n
	return r
}

// Quote writes s as a JSON string without escaping < > &.
func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("faultserver: quoting a string: " + err.Error()) // cannot fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}
