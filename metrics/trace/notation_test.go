package trace_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/metrics/trace"
)

func TestParse(t *testing.T) {
	msgs, err := trace.Parse(`
# who is there
agent: Who are you?
user(inform): It's me: Ann.
agent> find name=Ann zip=1 old:=true n:=2 => {"id": "U1"}
agent> change {"id": "U1", \
  "to": [1, 2]} \
  =>! Error: no
user> press
`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range trace.Events(msgs) {
		if e.Kind == trace.Text {
			got = append(got, strings.Join([]string{string(e.Side), e.Act, e.Text}, "|"))
			continue
		}
		line := string(e.Side) + "|" + e.Tool
		if e.Args != nil {
			for k, v := range e.Args.All() {
				line += "|" + k + "=" + v.Repr()
			}
		}
		if e.OK {
			line += "|ok"
		}
		got = append(got, line+"|"+e.Result)
	}
	want := []string{"assistant||Who are you?", "user|inform|It's me: Ann.", `assistant|find|name='Ann'|zip='1'|old=True|n=2|ok|{"id": "U1"}`,
		`assistant|change|id='U1'|to=[1, 2]|Error: no`, "user|press|"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no speaker", "agent: Hello.\nHello.", "line 2: \"Hello.\" is neither a text nor a call"},
		{"a stranger", "judge: Hello.", "line 1: \"judge\" speaks\nhint: write agent or user"},
		{"after a line that goes on", "agent: Hello,\\\n you.\njudge: Hello.", "line 3: \"judge\" speaks"},
		{"no tool", "agent>  => ok", "names no tool"},
		{"no argument", "agent> find Ann", "find: argument \"Ann\" has no name\nhint: write name=text or name:=JSON"},
		{"bad JSON", "agent> find n:=two", `find: argument "n:=two":`},
		{"bad object", `agent> find {"a": }`, "find: arguments:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := trace.Parse(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
