package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told writes parts as name:change, with the lines of a difference that are not common.
func told(parts []Part) string {
	var out []string
	for _, p := range parts {
		line := p.Name + ":" + string(p.Change)
		for _, d := range p.Diff {
			if d.Kind == "come" || d.Kind == "gone" {
				line += " " + d.Text
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, " | ")
}

func body(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `],"tools":[{"name":"a"}],"seed":300}`
}

func said(role, text string) string { return fmt.Sprintf(`{"role":%q,"content":%q}`, role, text) }

func TestRequestsAreComparedMessageByMessage(t *testing.T) {
	system, hello, hi := said("system", "be kind\nbe brief"), said("user", "hello"), said("assistant", "hi")
	for _, c := range []struct{ name, before, now, want string }{
		{"the same", body(system, hello), body(system, hello), "system: | user: | tools (1): | parameters:"},
		{"a message more", body(system, hello), body(system, hello, hi), "system: | user: | assistant:added | tools (1): | parameters:"},
		{"a message less", body(system, hello, hi), body(system, hi), "system: | user:removed | assistant: | tools (1): | parameters:"},
		{"one in between", body(system, hello, hi), body(system, hello, said("system", "do that"), hi), "system: | user: | system:added | assistant: | tools (1): | parameters:"},
		{"another system message", body(system, hello), body(said("system", "be kind\nbe quick"), hello, hi),
			"system:changed -be brief +be quick | user: | assistant:added | tools (1): | parameters:"},
		{"another role", body(hello), body(hi), "user:removed | assistant:added | tools (1): | parameters:"},
		{"other tools", body(hello), strings.Replace(body(hello), `{"name":"a"}`, `{"name":"a"},{"name":"b"}`, 1),
			`user: | tools (2):changed +  }, +  { +    "name": "b" | parameters:`},
		{"another parameter", body(hello), strings.Replace(body(hello), "300", "301", 1), `user: | tools (1): | parameters:changed -  "seed": 300 +  "seed": 301`},
		{"no request", "text", "other text", "request:changed -text +other text"},
		{"nothing before", "{}", body(hello), "user:added | tools (1):added | parameters:added"},
	} {
		if got := told(compared(PartsOf([]byte(c.before)), PartsOf([]byte(c.now)))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestPartsOfARequest(t *testing.T) {
	got := PartsOf([]byte(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","content":"{}","tool_call_id":"1"}, 7],"temperature":0.50}`))
	want := []Part{
		{Name: "assistant", Fields: "{\n  \"content\": null,\n  \"tool_calls\": [\n    {\n      \"id\": \"1\"\n    }\n  ]\n}"},
		{Name: "tool", Text: "{}", Fields: "{\n  \"tool_call_id\": \"1\"\n}"},
		{Name: "message", Text: "7"},
		{Name: "parameters", Text: "{\n  \"temperature\": 0.50\n}"},
	}
	for i := range got {
		got[i].raw = ""
	}
	if !slices.EqualFunc(got, want, func(a, b Part) bool { return a.Name == b.Name && a.Text == b.Text && a.Fields == b.Fields }) {
		t.Errorf("got %+v", got)
	}
}

func TestAnswersForAReader(t *testing.T) {
	for answer, want := range map[string]string{
		`{"choices":[{"message":{"role":"assistant","content":"hi"}}]}`: "hi",
		`{"choices":[{"message":{"content":null,"tool_calls":[]}}]}`:    "{\n  \"content\": null,\n  \"tool_calls\": []\n}",
		`{"choices":[]}`:        `{"choices":[]}`,
		"<html>busy</html>":     "<html>busy</html>",
		`{"choices":[{"message`: `{"choices":[{"message`,
	} {
		if got := answerText([]byte(answer)); got != want {
			t.Errorf("%s: %q, want %q", answer, got, want)
		}
	}
}

// FuzzParts: whatever was sent is taken apart, compared and shown without an end of the program, and what is new of a
// request is never missing.
func FuzzParts(f *testing.F) {
	f.Add(body(said("user", "a")), body(said("user", "a"), said("user", "b")))
	f.Add("", "\n\n")
	f.Add(`{"messages":[1,null,"x",{}],"messages":[2],"tools":5,"tools":null}`, `{"a":1}`)
	f.Fuzz(func(t *testing.T, before, now string) {
		a, b := PartsOf([]byte(before)), PartsOf([]byte(now))
		left := slices.DeleteFunc(compared(a, b), func(p Part) bool { return p.Change == Removed })
		if !slices.EqualFunc(left, b, func(x, y Part) bool { return x.raw == y.raw }) {
			t.Errorf("%q to %q: %s", before, now, told(left))
		}
		for _, p := range b {
			p.Brief()
		}
		answerText([]byte(now))
	})
}
