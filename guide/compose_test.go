package guide_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/guide"
)

// bundle makes a bundle of one-line nodes: "id type edges..." where an edge is label>target, and a subflow's type is
// subflow=name.
func bundle(t testing.TB, files map[string]string) *guide.Bundle {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, body := range files {
		id, path := name, "subflows/"+name+".yaml"
		if name == "main" {
			path = "main.yaml"
		}
		var exits, nodes []string
		entry := ""
		for line := range strings.Lines(body) {
			w := strings.Fields(line)
			if len(w) == 0 {
				continue
			}
			typ, sub, _ := strings.Cut(w[1], "=")
			n := fmt.Sprintf("  - {id: %s, type: %s", w[0], typ)
			if sub != "" {
				n += ", subflow: " + sub
			}
			var edges []string
			for _, e := range w[2:] {
				label, to, ok := strings.Cut(e, ">")
				if !ok {
					label, to = "satisfied", e
				}
				edges = append(edges, fmt.Sprintf("{to: %s, when: %s}", to, label))
			}
			if len(edges) > 0 {
				n += ", edges: [" + strings.Join(edges, ", ") + "]"
			}
			nodes = append(nodes, n+"}")
			switch typ {
			case "entry":
				entry = w[0]
			case "exit":
				exits = append(exits, w[0])
			}
		}
		text := fmt.Sprintf("id: %s\ntitle: T\nentry: %s\nexits: [%s]\nnodes:\n%s\n", id, entry, strings.Join(exits, ", "), strings.Join(nodes, "\n"))
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	b, err := guide.Load(fsys, "test")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func topology(g *guide.Graph) string {
	var b strings.Builder
	for _, n := range g.Nodes {
		fmt.Fprintf(&b, "%s %s", n.ID, n.Type)
		for _, e := range n.Edges {
			if e.When == guide.Satisfied {
				fmt.Fprintf(&b, " %s", e.To)
			} else {
				fmt.Fprintf(&b, " %s>%s", e.When, e.To)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestCompose(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nested and used twice", map[string]string{
			"main":  "s entry one\none subflow=outer two\ntwo subflow=inner d\nd decision again>one done>x\nx exit",
			"outer": "s entry a\na agent_action i\ni subflow=inner e\ne exit",
			"inner": "s entry q\nq user_input f\nf decision yes>e no>g\ng agent_action q\ne exit",
		}, `s entry one.a
one.a agent_action one.i.q
one.i.q user_input one.i.f
one.i.f decision yes>two.q no>one.i.g
one.i.g agent_action one.i.q
two.q user_input two.f
two.f decision yes>d no>two.g
two.g agent_action two.q
d decision again>one.a done>x
x exit
`},
		{"two exits join", map[string]string{
			"main": "s entry o\no subflow=sub x\nx exit",
			"sub":  "s entry d\nd decision a>e1 b>e2\ne1 exit\ne2 exit",
		}, "s entry o.d\no.d decision a>x b>x\nx exit\n"},
		{"empty subflow", map[string]string{
			"main": "s entry o\no subflow=sub p\np subflow=sub a\na agent_action x\nx exit",
			"sub":  "s entry e\ne exit",
		}, "s entry a\na agent_action x\nx exit\n"},
		{"back to the start of a subflow", map[string]string{
			"main": "s entry o\no subflow=sub x\nx exit",
			"sub":  "s entry a\na agent_action d\nd decision more>s done>e\ne exit",
		}, "s entry o.a\no.a agent_action o.d\no.d decision more>o.a done>x\nx exit\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := guide.Compose(bundle(t, tt.files))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, topology(g)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Composing leaves the bundle as it was, so that it can be composed, drawn and exported again.
func TestComposeLeavesBundle(t *testing.T) {
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	before := string(guide.Format(b.Main)) + string(guide.Format(b.Subflows[0]))
	first, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	second, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	if topology(first) != topology(second) {
		t.Error("composing twice differs")
	}
	if after := string(guide.Format(b.Main)) + string(guide.Format(b.Subflows[0])); after != before {
		t.Error("composing changed the bundle")
	}
}

// randomGraph draws a flat graph with arbitrary edges, loops and dead ends included.
func randomGraph(t *rapid.T) *guide.Graph {
	n := rapid.IntRange(2, 12).Draw(t, "nodes")
	nodes := []*guide.Node{{ID: "n0", Type: guide.Entry}}
	for i := 1; i < n; i++ {
		nodes = append(nodes, &guide.Node{ID: fmt.Sprintf("n%d", i), Type: guide.Decision})
	}
	nodes = append(nodes, &guide.Node{ID: "end", Type: guide.Exit})
	for i := range n {
		for k := range rapid.IntRange(0, 3).Draw(t, "degree") {
			to := nodes[rapid.IntRange(0, n).Draw(t, "to")].ID
			nodes[i].Edges = append(nodes[i].Edges, guide.Edge{To: to, When: fmt.Sprint(k)})
		}
	}
	return guide.NewGraph("random", "n0", nil, nodes)
}

// A node dominates another exactly if the other cannot be reached from the entry without it, and the immediate
// dominator is dominated by all the others; post-dominators likewise towards the end.
func TestDominatorsAgreeWithDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		check := func(name string, idom []int, dominated func(by, node string) bool) {
			for i, n := range g.Nodes {
				got := map[string]bool{}
				for j := idom[i]; j >= 0; j = idom[j] {
					got[g.Nodes[j].ID] = true
				}
				for _, m := range g.Nodes {
					if m != n && dominated(m.ID, n.ID) != got[m.ID] {
						t.Fatalf("%s: does %s dominate %s? tree says %v\n%s", name, m.ID, n.ID, got[m.ID], topology(g))
					}
				}
			}
		}
		reached := g.Reachable("n0")
		check("dominators", g.Dominators(), func(by, node string) bool {
			return reached[node] && reached[by] && node != "n0" && !g.Reachable("n0", by)[node]
		})
		ends := func(from string, without ...string) bool {
			for id := range g.Reachable(from, without...) {
				if len(g.Next(id)) == 0 {
					return true
				}
			}
			return false
		}
		check("post-dominators", g.PostDominators(), func(by, node string) bool { return ends(node) && ends(by) && !ends(node, by) })
	})
}

func TestGraphQueries(t *testing.T) {
	g := mockGraph(t)
	if c := g.Classifier(); c == nil || c.ID != "classify" {
		t.Errorf("classifier is %v", c)
	}
	for tool, want := range map[string][]string{"create_task": {"add_task"}, "update_task_status": {"set_status"}, "get_users": nil, "x": nil} {
		if got := g.IntentsOf(tool); !slices.Equal(got, want) {
			t.Errorf("intents of %s are %v, want %v", tool, got, want)
		}
	}
	if n := len(g.Reachable("add.get_title")); n != 6 {
		t.Errorf("%d nodes reachable from add.get_title, want 6", n)
	}
	if got := g.Enforcers()["S2"]; !slices.Equal(got, []string{"status.says_done"}) {
		t.Errorf("S2 is enforced by %v", got)
	}
	if d, e := g.Share(); d != 18 || e != 18 {
		t.Errorf("%d of %d decidable", d, e)
	}
}

// large makes a bundle that composes to about n nodes: a spine of anchors over ten subflows, all with checks.
func large(n int) fstest.MapFS {
	const size = 50
	fsys := fstest.MapFS{}
	node := func(b *strings.Builder, id, to string, k int) {
		fmt.Fprintf(b, "  - id: %s\n    type: agent_action\n    actor: agent\n    action: Do step %d.\n    expect: It is done.\n"+
			"    satisfied_when: It was done.\n    remediation: Do it.\n    check: agent_said(\"step %d\") && has(request.grounded_values.x%d)\n    edges: [{to: %s, when: satisfied}]\n", id, k, k, k%7, to)
	}
	for s := range 10 {
		var b strings.Builder
		fmt.Fprintf(&b, "id: sub%d\ntitle: Sub\nentry: s\nexits: [e]\nnodes:\n  - {id: s, type: entry, edges: [{to: n0, when: satisfied}]}\n", s)
		for i := range size {
			to := fmt.Sprintf("n%d", i+1)
			if i == size-1 {
				to = "e"
			}
			node(&b, fmt.Sprintf("n%d", i), to, s*size+i)
		}
		b.WriteString("  - {id: e, type: exit}\n")
		fsys[fmt.Sprintf("subflows/sub%d.yaml", s)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	var b strings.Builder
	b.WriteString("id: big\ntitle: Big\nentry: s\nexits: [e]\nintents: {all: sub0, general: e, transfer: e}\nnodes:\n" +
		"  - {id: s, type: entry, edges: [{to: classify, when: satisfied}]}\n" +
		"  - {id: classify, type: decision, actor: runtime, action: A., expect: E., satisfied_when: S., remediation: R., edges: [{to: a0, when: all}, {to: e, when: general}, {to: e, when: transfer}]}\n")
	anchors := n / size
	for i := range anchors {
		to := fmt.Sprintf("a%d", i+1)
		if i == anchors-1 {
			to = "e"
		}
		fmt.Fprintf(&b, "  - {id: a%d, type: subflow, subflow: sub%d, edges: [{to: %s, when: satisfied}]}\n", i, i%10, to)
	}
	b.WriteString("  - {id: e, type: exit}\n")
	fsys["main.yaml"] = &fstest.MapFile{Data: []byte(b.String())}
	return fsys
}

func TestLargeBundleIsSound(t *testing.T) {
	b, err := guide.Load(large(5000), "big")
	if err != nil {
		t.Fatal(err)
	}
	if found := guide.Validate(b, guide.Context{}); len(found) > 0 {
		t.Error(found)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Nodes) < 5000 {
		t.Errorf("only %d nodes", len(g.Nodes))
	}
}

// One iteration composes and validates a bundle of 5,000 flat nodes, each with a check.
func BenchmarkComposeValidate5000(b *testing.B) {
	bundle, err := guide.Load(large(5000), "big")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := guide.Compose(bundle); err != nil {
			b.Fatal(err)
		}
		if found := guide.Validate(bundle, guide.Context{}); len(found) > 0 {
			b.Fatal(found)
		}
	}
}

func BenchmarkLoad5000(b *testing.B) {
	fsys := large(5000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := guide.Load(fsys, "big"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAuthorize(b *testing.B) {
	c := mockChecker(b)
	k := newTalk(b).user("user_1 here, please add a task: Buy bread").call("get_users", `{}`).agent("I will add Buy bread. Yes?").user("Yes please")
	trace := guide.NewTrace(k.msgs...)
	call := toolCall(b, "create_task", create)
	b.ReportAllocs()
	for b.Loop() {
		if p, _ := c.Authorize(trace, call, 0); p.Authorizes == "" {
			b.Fatal("not authorized")
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		`read_ok("get_users", {"a": 1})`, `user_said(r"(?i)\byes\b")`, `consent_after_summary([request.target, "x"])`,
		`calls.exists(c, c.args.user_id == request.grounded_values.x && c.ok)`, `facts.calls + 1 > size(said_by_user)`,
		`last_result(["get_users", "create_task"])[0].tasks.map(t, t + "x").size() == 1`, `date("2024-05-20") - now > duration("24h")`,
		`call.args == request.grounded_values`, `index_agent_mentioned([]) / 0 == 1`, `calls_of("get_users") == 1`,
	} {
		f.Add(s, "user_1")
	}
	conversation := newTalk(f).user("user_1").call("get_users", `{}`).agent("Add?").user("yes").call("create_task", `{"user_id": 3}`)
	world := mockWorld(f)
	f.Fuzz(func(t *testing.T, expr, target string) {
		for _, typ := range []guide.Type{guide.AgentAction, guide.Authorization} {
			c, err := guide.NewChecker(oneNode(expr, typ), guide.InventoryOf(world), vocabulary())
			if err != nil {
				continue
			}
			call := toolCall(t, "create_task", `{"title": "x"}`)
			r := guide.Request{Target: target, Call: &call}
			trace := guide.NewTrace(conversation.msgs...)
			first := c.Walk(trace, r)
			if d := cmp.Diff(first, c.Walk(guide.NewTrace(conversation.msgs...), r)); d != "" {
				t.Errorf("the same trace gives another position: %s", d)
			}
		}
	})
}
