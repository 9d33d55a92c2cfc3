package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/mock"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/export"
)

func mockPDL(t testing.TB) *export.PDL {
	t.Helper()
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	d, err := export.CompilePDL(b, domaintest.Embedded(t, mock.Domain(), domains.Options{}).Agent.Specs())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPDLGolden(t *testing.T) {
	got := mockPDL(t).String()
	golden(t, "mock.yaml", got)
	for range 10 {
		if mockPDL(t).String() != got {
			t.Fatal("two compilations differ")
		}
	}
}

// The text is YAML with the keys that FlowAgent's loader wants, and every precondition names a listed PDLTool.
func TestLoadsAsYAML(t *testing.T) {
	d := mockPDL(t)
	var doc struct {
		Name, Desc string
		APIs       []struct {
			Name                            string
			Request, Response, Precondition []string
		} `yaml:"APIs"`
		Slots   []struct{ Name, Desc string } `yaml:"SLOTs"`
		Answers []struct{ Name, Desc string } `yaml:"ANSWERs"`
		PDL     string                        `yaml:"PDL"`
	}
	src := strings.NewReplacer("Name:", "name:", "Desc:", "desc:").Replace(d.String())
	if err := yaml.UnmarshalWithOptions([]byte(src), &doc, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if doc.PDL != d.Procedure {
		t.Errorf("the procedure changed on its way through YAML:\n%s", cmp.Diff(d.Procedure, doc.PDL))
	}
	known := map[string]bool{}
	for _, a := range doc.APIs {
		known[a.Name] = true
	}
	if len(known) != 4 {
		t.Errorf("%d APIs, want all 4 tools", len(known))
	}
	found := 0
	for _, a := range doc.APIs {
		for _, p := range a.Precondition {
			found++
			if !known[p] {
				t.Errorf("precondition %s of %s is no PDLTool", p, a.Name)
			}
		}
	}
	if found == 0 {
		t.Error("no PDLTool has a precondition")
	}
	for _, e := range doc.Answers {
		if e.Name != export.FreeReply && !strings.Contains(doc.PDL, "ANSWER_"+e.Name+"()") {
			t.Errorf("answer %s is not used", e.Name)
		}
	}
}

// randomGraph draws a flat graph: nodes with random tools, edges to random nodes, each of them on some way to an exit
// or not.
func randomGraph(t *rapid.T, tools []string) *guide.Graph {
	n := rapid.IntRange(2, 14).Draw(t, "nodes")
	id := func(i int) string { return fmt.Sprintf("n%d", i) }
	nodes := []*guide.Node{{ID: "start", Type: guide.Entry, Edges: []guide.Edge{{To: id(0), When: guide.Satisfied}}}}
	for i := range n {
		d := &guide.Node{ID: id(i)}
		edges := 1
		switch rapid.IntRange(0, 4).Draw(t, "type") {
		case 0:
			d.Type = guide.AgentAction
		case 1:
			d.Type, d.Tools = guide.ToolCall, []string{rapid.SampledFrom(tools).Draw(t, "tool")}
		case 2:
			d.Type, d.Tools = guide.Authorization, []string{rapid.SampledFrom(tools).Draw(t, "tool")}
		case 3:
			d.Type, d.Tools = guide.ToolCall, rapid.SliceOfNDistinct(rapid.SampledFrom(tools), 2, 2, rapid.ID[string]).Draw(t, "tools")
		case 4:
			d.Type, edges = guide.Decision, rapid.IntRange(2, 3).Draw(t, "branches")
		}
		for k := range edges {
			to := rapid.IntRange(0, n).Draw(t, "to")
			target := "end"
			if to < n {
				target = id(to)
			}
			d.Edges = append(d.Edges, guide.Edge{To: target, When: fmt.Sprintf("b%d", k)})
		}
		nodes = append(nodes, d)
	}
	nodes = append(nodes, &guide.Node{ID: "end", Type: guide.Exit})
	return guide.NewGraph("random", "start", nil, nodes)
}

// On every way from the entry, loops taken or not, each tool finds its preconditions called before it, whichever of a
// node's alternatives was called.
func TestPreconditionsNeverDeadlock(t *testing.T) {
	tools := []string{"a", "b", "c", "d", "e"}
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t, tools)
		before := export.Preconditions(g, tools)
		for range 10 {
			active := map[string]bool{}
			id := g.Entry
			for range 60 {
				n, _ := g.Node(id)
				if len(n.Tools) > 0 {
					for _, tool := range n.Tools {
						for _, p := range before[tool] {
							seen++
							if !active[p] {
								t.Fatalf("at %s tool %s needs %s, which the way did not pass", id, tool, p)
							}
						}
					}
					active[rapid.SampledFrom(n.Tools).Draw(t, "called")] = true
				}
				next := g.Next(id)
				if len(next) == 0 {
					break
				}
				id = rapid.SampledFrom(next).Draw(t, "next")
			}
		}
	})
	if seen == 0 {
		t.Error("no graph had a precondition")
	}
}

// A tool that is called on every way to another's only place is its precondition; one on some ways only is not.
func TestPreconditions(t *testing.T) {
	node := func(id string, typ guide.Type, tools string, to ...string) *guide.Node {
		n := &guide.Node{ID: id, Type: typ}
		if tools != "" {
			n.Tools = strings.Split(tools, "|")
		}
		for i, x := range to {
			n.Edges = append(n.Edges, guide.Edge{To: x, When: fmt.Sprint(i)})
		}
		return n
	}
	g := guide.NewGraph("d", "start", nil, []*guide.Node{
		node("start", guide.Entry, "", "load"),
		node("load", guide.ToolCall, "read", "either"),
		node("either", guide.ToolCall, "find|search", "fork"),
		node("fork", guide.Decision, "", "extra", "write"),
		node("extra", guide.ToolCall, "more", "write"),
		node("write", guide.Authorization, "change", "loop"),
		node("loop", guide.Decision, "", "load", "end"),
		node("end", guide.Exit, ""),
		node("lost", guide.ToolCall, "change", "end"),
	})
	got := export.Preconditions(g, []string{"read", "find", "search", "more", "change", "unused"})
	want := map[string][]string{"find": {"read"}, "search": {"read"}, "more": {"read"}, "change": {"read"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
