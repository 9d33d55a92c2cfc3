package compare_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/compare"
)

// bundleOf makes a bundle of one file out of lines "id type tools to,to"; a dash means nothing, and ? after the tools a
// call that is needed only sometimes.
func bundleOf(lines ...string) *guide.Bundle {
	f := &guide.File{Path: "main.yaml", ID: "main", Entry: strings.Fields(lines[0])[0]}
	for _, l := range lines {
		w := strings.Fields(l)
		n := &guide.Node{ID: w[0], Local: w[0], Type: guide.Type(w[1]), File: f.Path}
		if tools, sometimes := strings.CutSuffix(w[2], "?"); tools != "-" {
			n.Tools = strings.Split(tools, "|")
			if sometimes {
				n.OnlyIf = "it is Monday"
			}
		}
		for _, to := range strings.Split(w[3], ",") {
			if to != "-" {
				n.Edges = append(n.Edges, guide.Edge{To: to, When: to})
			}
		}
		f.Nodes = append(f.Nodes, n)
	}
	return &guide.Bundle{Domain: "mock", Main: f}
}

// conversation makes a trace of the agent's calls; one with ! before it fails.
func conversation(calls ...string) compare.Trace {
	t := compare.Trace{Name: "it"}
	for _, name := range calls {
		tool, failed := strings.CutPrefix(name, "!")
		c := domains.ToolCall{ID: name, Name: tool, Arguments: value.OfMap(&value.Map{}), Requestor: domains.AgentSide}
		t.Messages = append(t.Messages, domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{c}},
			domains.ResultMessage(c, domains.ToolResult{Content: "{}", Error: failed}))
	}
	return t
}

// What is changed can be reached where each tool node on some way is matched: changes in order, reads before the change
// that they are for.
func TestReachable(t *testing.T) {
	const add, set, read = "create_task", "update_task_status", "get_users"
	single := []string{"start entry - look", "look tool_call get_users|get_task add", "add tool_authorization create_task end", "end exit - -"}
	twice := []string{"start entry - look", "look tool_call get_users add", "add tool_authorization create_task again",
		"again tool_call get_task set", "set tool_authorization update_task_status end", "end exit - -"}
	circle := []string{"start entry - fork", "fork decision - look,add,end", "look tool_call get_users fork",
		"add tool_authorization create_task fork", "end exit - -"}
	for _, tt := range []struct {
		name  string
		lines []string
		calls []string
		ways  int
		stops string
	}{
		{"read first", single, []string{read, add}, 1, ""},
		{"any alternative", single, []string{"get_task", add}, 1, ""},
		{"not read", single, []string{add}, 0, "look"},
		{"read in vain", single, []string{"!" + read, add}, 0, "look"},
		{"read too late", single, []string{add, read}, 0, "look"},
		{"not needed always", append([]string{single[0], "look tool_call get_users? add"}, single[2:]...), []string{add}, 1, ""},
		{"a change that failed is none", single, []string{read, "!" + add}, 0, ""},
		{"one after the other", twice, []string{read, add, "get_task", set}, 2, ""},
		{"read again after a change", twice, []string{read, "get_task", add, set}, 1, "again"},
		{"the change before is missing", twice, []string{read, "get_task", set}, 0, "add"},
		{"reads in any order", []string{"start entry - one", "one tool_call get_users two", "two tool_call get_task add", single[2], single[3]},
			[]string{"get_task", read, add}, 1, ""},
		{"round in a circle", circle, []string{read, add, read, add}, 2, ""},
		{"no place at all", []string{"start entry - end", "end exit - -"}, []string{add}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := bundleOf(tt.lines...)
			r := report(t, b, b, compare.Basis{World: open(t, "embedded", "mock"), Source: "here", Traces: []compare.Trace{conversation(tt.calls...)}})
			if want := (compare.Pair[int]{A: tt.ways, B: tt.ways}); r.Gold.Reachable != want {
				t.Errorf("reachable %v of %d, want %v", r.Gold.Reachable, r.Gold.Writes, want)
			}
			var stops []string
			for _, d := range r.Differences {
				stops = append(stops, d.A...)
			}
			if d := cmp.Diff(strings.Fields(tt.stops), append([]string{}, stops...)); d != "" {
				t.Errorf("%s\n%v", d, r.Differences)
			}
		})
	}
}
