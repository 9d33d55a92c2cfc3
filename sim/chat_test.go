package sim_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/sim"
)

// chat is a conversation with everything: instructions, parts, parallel calls, a device, a failed call, a call to come.
const chat = `[
 {"role": "system", "content": "Be kind."},
 {"role": "user", "content": [{"type": "text", "text": "My loan "}, {"type": "text", "text": "L1, please."}]},
 {"role": "assistant", "content": null, "tool_calls": [
   {"id": "a", "type": "function", "function": {"name": "get_loan", "arguments": "{\"id\": \"L1\"}"}},
   {"id": "b", "type": "function", "function": {"name": "get_fees", "arguments": {"id": 10000000000000000001}}}]},
 {"role": "tool", "tool_call_id": "b", "content": "{\"error\": \"no such loan\"}"},
 {"role": "tool", "tool_call_id": "a", "content": "{\"id\": \"L1\", \"error\": null}"},
 {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "get_loan", "arguments": "{}"}}]},
 {"role": "tool", "tool_call_id": "c", "content": "ERROR: which loan?"},
 {"role": "assistant", "content": "<think>hm</think>Restart it."},
 {"role": "user", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "restart", "arguments": ""}}]},
 {"role": "tool", "tool_call_id": "a", "content": "Error: it is off", "error": false},
 {"role": "user", "content": "<think> stays"},
 {"role": "assistant", "content": "", "tool_calls": [{"id": "", "function": {"name": "renew", "arguments": "{\"id\": "}}]}
]`

func TestParseChats(t *testing.T) {
	for name, text := range map[string]string{"list": chat, "object": `{"model": "m", "messages": ` + chat + `}`, "mark": "\uFEFF" + chat} {
		list, err := sim.ParseChats("c.json", []byte(text))
		if err != nil || len(list) != 1 || list[0].Name != "c.json" {
			t.Fatalf("%s: %v %v", name, list, err)
		}
		var b strings.Builder
		for _, m := range list[0].Messages {
			b.WriteString(string(m.Role) + " " + string(m.Side()) + " " + m.ID + " " + m.TextOf())
			if m.Error {
				b.WriteString(" FAILED")
			}
			for _, c := range m.ToolCalls {
				b.WriteString(" | " + c.ID + " " + c.Name + " " + c.Arguments.Repr() + c.Malformed)
			}
			b.WriteString("\n")
		}
		want := `system assistant  Be kind.
user user  My loan L1, please.
assistant assistant   | a get_loan {'id': 'L1'} | b get_fees {'id': 10000000000000000001}
tool assistant b {"error": "no such loan"} FAILED
tool assistant a {"id": "L1", "error": null}
assistant assistant   | c get_loan {}
tool assistant c ERROR: which loan? FAILED
assistant assistant  Restart it.
user user   | call_8_0 restart {}
tool user call_8_0 Error: it is off
user user  <think> stays
assistant assistant   | call_11_0 renew None{"id": 
`
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	several, err := sim.ParseChats("c.jsonl", []byte(`[{"role":"user","content":"a"}]`+"\n"+`{"messages":[{"role":"assistant","content":"b"}]}`+"\n"))
	if err != nil || len(several) != 2 || several[1].Name != "c.jsonl#2" || several[1].Messages[0].TextOf() != "b" {
		t.Errorf("%v %v", several, err)
	}
}

func TestParseChatsRefuses(t *testing.T) {
	one := func(m string) string { return `[{"role":"user","content":"hi"},` + m + `]` }
	for _, c := range []struct{ name, text, want string }{
		{"nothing", " \n", "c.json: it is empty\nhint: write a list of messages"},
		{"no JSON", "[\n{\"role\": user}]", "c.json: line 2: it is not JSON"},
		{"torn", `[{"role":"user",`, "c.json: line 1: it is not JSON: unexpected EOF"},
		{"a message a line", `{"role":"user","content":"hi"}`, "it is a message and no conversation\nhint: put the messages"},
		{"another object", `{"simulations":[]}`, "there is no list of messages\nhint: "},
		{"a text", `"hello"`, "there is no list of messages"},
		{"no messages", `[]`, "c.json: nobody says anything"},
		{"the second", `[{"role":"user","content":"hi"}]` + "\n[7]", "c.json#2: messages[0]: it is not an object\nhint: "},
		{"the first of two", "[7]\n[7]", "c.json#1: messages[0]: "},
		{"role", one(`{"role":"function","content":"x"}`), `c.json: messages[1]: role: there is no role "function"` + "\nhint: use system, "},
		{"an older form of calls", one(`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`), "messages[1]: function_call: it is read under tool_calls alone\nhint: "},
		{"content", one(`{"role":"user","content":7}`), "messages[1]: content: want a text"},
		{"picture", one(`{"role":"user","content":[{"type":"image_url"}]}`), `messages[1]: content: a part of type "image_url" cannot be read`},
		{"calls", one(`{"role":"assistant","tool_calls":{}}`), "messages[1]: tool_calls are not a list\nhint: "},
		{"call", one(`{"role":"assistant","tool_calls":[7]}`), "messages[1]: tool call 0 is not an object\nhint: "},
		{"nameless", one(`{"role":"assistant","tool_calls":[{"id":"a"}]}`), "messages[1]: tool_calls[0]: the call names no tool\nhint: "},
		{"calls of the system", one(`{"role":"system","tool_calls":[{"id":"a","function":{"name":"f"}}]}`), "a message of the role system makes no calls"},
		{"result of nothing", one(`{"role":"tool","tool_call_id":"a","content":"x"}`), `messages[1]: tool_call_id: no call before it has the id "a"`},
		{"second result", one(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"tool","tool_call_id":"a","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}`), `messages[3]: tool_call_id: `},
		{"no result", one(`{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f"}}]},{"role":"user","content":"and?"}`),
			`messages[2]: messages[1].tool_calls[0]: the call of f has no result before this message` + "\nhint: add a tool message with tool_call_id \"a\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := sim.ParseChats("c.json", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// FuzzParseChats: what can be read is read as the same again once it is written.
func FuzzParseChats(f *testing.F) {
	f.Add([]byte(chat))
	f.Add([]byte(`{"messages":[{"role":"assistant","tool_calls":[{"id":7,"function":[{"name":"f","arguments":[1]}]},{"name":"g","arguments":null}]}]}`))
	f.Add([]byte(`[{"role":"user","content":"a"}] [{"role":"assistant","content":[]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := sim.ParseChats("f", text)
		if err != nil {
			return
		}
		for _, c := range list {
			written, err := sim.WriteChat(c.Messages)
			if err != nil {
				t.Fatal(err)
			}
			again, err := sim.ParseChats("f", written)
			if err != nil || len(again) != 1 || len(again[0].Messages) != len(c.Messages) {
				t.Fatalf("%v\n%s", err, written)
			}
			twice, err := sim.WriteChat(again[0].Messages)
			if err != nil || !bytes.Equal(written, twice) && !bytes.Contains(written, []byte("think")) {
				t.Fatalf("%v\n%s\n%s", err, written, twice)
			}
		}
	})
}
