package guide_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/guide"
)

// graphOf reads nodes as "id type tool-or-check edges...", an edge as label>target or label>target?check; - leaves
// tool and check out.
func graphOf(text string) *guide.Graph {
	var nodes []*guide.Node
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		if len(w) == 0 {
			continue
		}
		n := &guide.Node{ID: w[0], Local: w[0], File: "subflows/x.yaml", Type: guide.Type(w[1])}
		switch {
		case w[2] == "-":
		case n.Type == guide.Authorization || n.Type == guide.ToolCall:
			n.Tools = strings.Split(w[2], "|")
		default:
			n.Check = w[2]
		}
		for _, e := range w[3:] {
			label, to, _ := strings.Cut(e, ">")
			to, check, _ := strings.Cut(to, "?")
			n.Edges = append(n.Edges, guide.Edge{To: to, When: label, Check: check})
		}
		nodes = append(nodes, n)
	}
	return guide.NewGraph("mock", "s", nil, nodes)
}

func TestDecisions(t *testing.T) {
	const tail = `
a agent_action false ok>ca
ca tool_authorization create_task ok>x
b agent_action true ok>cb
cb tool_authorization create_task ok>x
u agent_action true ok>cu
cu tool_authorization update_task_status ok>x
x exit -
s entry - ok>d
`
	for _, tt := range []struct {
		name, decision, tool string
		rests                string
		due                  bool
		note                 string
	}{
		{"first check that holds", "d decision - 1>a?false 2>b?true 3>u?true", "create_task", "cb", true, ""},
		{"a check goes before an open branch", "d decision - 1>b 2>a?true", "create_task", "a", false, ""},
		{"one open branch is the otherwise", "d decision - 1>a?false 2>u", "", "cu", false, ""},
		{"no check holds", "d decision - 1>a?false 2>b?false", "create_task", "d", false, "no branch's check holds"},
		{"a check that fails is noted", "d decision - 1>a?facts.x==1 2>b?false", "create_task", "d", false, "1: no such key"},
		{"open branches, nothing proposed", "d decision - 1>a 2>b", "", "d", false, "not for code to say"},
		{"open branches, the one that is met", "d decision - 1>a 2>b", "create_task", "cb", true, ""},
		{"open branches, none is met", "d decision - 1>u 2>a", "create_task", "a", false, ""},
		{"open branches, none leads there", "d decision - 1>x 2>u", "create_task", "d", false, "not for code to say"},
		{"the decision's own check", "d decision false 1>b 2>u", "create_task", "d", false, ""},
		{"a loop rests", "d decision - 1>l?true 2>b\nl agent_action true ok>d", "create_task", "d", false, "leads back here"},
		{"a loop beside the way", "d decision - 1>l 2>b\nl agent_action true ok>d", "create_task", "cb", true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := guide.NewChecker(graphOf(tt.decision+tail), guide.InventoryOf(mockWorld(t)), guide.Vocabulary{})
			if err != nil {
				t.Fatal(err)
			}
			r := guide.Request{}
			if tt.tool != "" {
				call := toolCall(t, tt.tool, `{}`)
				r.Call = &call
			}
			p := c.Walk(guide.NewTrace(), r)
			if p.Node != tt.rests || (p.Authorizes != "" && tt.tool != "") != tt.due {
				t.Errorf("rests at %s enabling %q, want %s, due %v\n%+v", p.Node, p.Authorizes, tt.rests, tt.due, p.Walk)
			}
			if u := p.Unmet(); tt.note != "" && !strings.Contains(u.Note, tt.note) {
				t.Errorf("note %q, want %q", u.Note, tt.note)
			}
		})
	}
}

// Tool nodes are decided by their tools without a word about it, alternatives by any of them.
func TestToolNodes(t *testing.T) {
	const text = `
s entry - ok>r
r tool_call get_users|transfer_to_human_agents ok>w
w tool_authorization create_task ok>v
v agent_action - ok>x
x exit -
`
	c, err := guide.NewChecker(graphOf(text), guide.InventoryOf(mockWorld(t)), guide.Vocabulary{})
	if err != nil {
		t.Fatal(err)
	}
	k := newTalk(t)
	walk := func(want, enables string) {
		t.Helper()
		p := c.Walk(guide.NewTrace(k.msgs...), guide.Request{})
		if p.Node != want || p.Authorizes != enables {
			t.Errorf("rests at %s enabling %q, want %s enabling %q", p.Node, p.Authorizes, want, enables)
		}
	}
	walk("r", "")
	k.call("transfer_to_human_agents", `{"summary": "x"}`)
	walk("w", "create_task")
	k.call("create_task", `{"user_id": "nobody", "title": "x"}`) // fails, so it is still due
	walk("w", "create_task")
	k.call("create_task", create)
	walk("x", "")
}
