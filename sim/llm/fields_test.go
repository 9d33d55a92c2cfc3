package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tauguide/tauguide/sim/llm"
)

// splitSeeds are the shapes in which values stand.
var splitSeeds = []string{
	`{}`, ` { } `, `[]`, "[\n]", `null`, `true`, `-1.5e+3`, `"a"`, `"\u00e9\ud800\\\""`, `"\\"`, `{"a":"\\","b":"\\\""}`, `{"":{}}`,
	`{"a":1,"a":null}`, `{"a" : [1, {"b":"]}"}, "\\"] , "c":false}`, "{\"\xff\":1,\"\xfe\":2}", `[1 , "two",[3],{"4":5} , null,true]`, `{"\u0061":"<&>"}`,
	`{"a":1}x`, `{"a"}`, `[1,]`, `"` + "\x7f" + `"`, `[[[[]]],"[",{"]":"}"}]`,
}

// FuzzSplit holds the splitting of valid JSON against the standard library's.
func FuzzSplit(f *testing.F) {
	for _, s := range splitSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := strings.Trim(string(raw), " \t\r\n")
		if !json.Valid([]byte(text)) {
			t.Skip()
		}
		var wantObject map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &wantObject) != nil {
			wantObject = nil
		}
		object, ok := llm.ObjectOf(text)
		if d := cmp.Diff(wantObject, raws(object)); d != "" || ok != (wantObject != nil) {
			t.Errorf("object %q: ok %v, (-want +got)\n%s", text, ok, d)
		}
		var wantList []json.RawMessage
		if json.Unmarshal([]byte(text), &wantList) != nil {
			wantList = nil
		}
		list, ok := llm.ListOf(text)
		var got []json.RawMessage
		for _, v := range list {
			got = append(got, json.RawMessage(v))
		}
		if d := cmp.Diff(wantList, got, cmpopts.EquateEmpty()); d != "" || ok != (wantList != nil) {
			t.Errorf("list %q: ok %v, (-want +got)\n%s", text, ok, d)
		}
		var wantText string
		if json.Unmarshal([]byte(text), &wantText) != nil {
			wantText = ""
		}
		if got := llm.TextOf(text); got != wantText {
			t.Errorf("text %q: got %q, want %q", text, got, wantText)
		}
	})
}

func raws(o map[string]string) map[string]json.RawMessage {
	if o == nil {
		return nil
	}
	out := map[string]json.RawMessage{}
	for k, v := range o {
		out[k] = json.RawMessage(v)
	}
	return out
}

// FuzzAppendString holds the writing of strings against the standard library's reading, wherever in a word of eight
// bytes an escape stands.
func FuzzAppendString(f *testing.F) {
	for _, special := range []string{"\"", "\\", "\n", "\x00", "\x1f", "\x7f", "é", "\xff", "\u2028", "!"} {
		for at := range 17 {
			f.Add(strings.Repeat("x", at) + special + strings.Repeat("#", 17-at))
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(llm.AppendString(s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
