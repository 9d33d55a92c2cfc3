package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

// procedureOf makes a graph of lines "id type tools to,to"; a dash means nothing, and ? after the tools for a call that
// is needed only sometimes.
func procedureOf(lines ...string) *guide.Graph {
	var nodes []*guide.Node
	for _, l := range lines {
		f := strings.Fields(l)
		n := &guide.Node{ID: f[0], Local: f[0], Type: guide.Type(f[1])}
		if tools, sometimes := strings.CutSuffix(f[2], "?"); tools != "-" {
			n.Tools = strings.Split(tools, "|")
			if sometimes {
				n.OnlyIf = "it is Monday"
			}
		}
		for i, to := range strings.Split(f[3], ",") {
			if to != "-" {
				n.Edges = append(n.Edges, guide.Edge{To: to, When: fmt.Sprint(i)})
			}
		}
		nodes = append(nodes, n)
	}
	return guide.NewGraph("d", nodes[0].ID, nil, nodes)
}

// What a change waits for may be in each of its procedures; what only looks waits for one place that all of them share,
// since the order in which each procedure looks things up binds nobody. A call that is needed only sometimes is waited for by
// nobody.
func TestPreconditionsOfReads(t *testing.T) {
	g := procedureOf(
		"start entry - identify",
		"identify tool_call who fork",
		"fork decision - order1,order2",
		"order1 tool_call order status1",
		"status1 tool_call status? profile1",
		"profile1 tool_call profile cancel",
		"cancel tool_authorization change end",
		"order2 tool_call order profile2",
		"profile2 tool_call profile again",
		"again tool_authorization change end",
		"end exit - -",
	)
	got := export.Preconditions(g, []string{"who", "order", "status", "profile", "change"})
	want := map[string][]string{"order": {"who"}, "status": {"who", "order"}, "profile": {"who"}, "change": {"who", "order", "profile"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A call that is needed only sometimes is a branch of the procedure.
func TestOnlyIf(t *testing.T) {
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			if n.Tool() == "get_users" {
				n.OnlyIf = "the member is new"
			}
		}
	}
	d, err := export.CompilePDL(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "    # step look_up\n    if [the member is new]:\n        result = API_get_users()\n"; !strings.Contains(d.Procedure, want) {
		t.Errorf("no %q in\n%s", want, d.Procedure)
	}
	if strings.Contains(d.String(), "APIs:") {
		t.Error("a description without APIs lists them")
	}
}
