package transcript_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/runtest"
	"github.com/tauguide/tauguide/runs/store"
	"github.com/tauguide/tauguide/runs/transcript"
	"github.com/tauguide/tauguide/sim"
)

// guided has every guide and guard, and all of them at once.
const guided = `
name: guided
note: every guide and guard
trials: 1
models:
  clumsy: {synthetic: true, mistakes: {skip_identify: 0.4, act_before_consent: 0.5, wrong_order: 0.4, grant_forbidden: 0.5, give_up: 0.1}, follows_guidance: 0.8}
  careful: {synthetic: true}
user: {model: careful}
judge: {model: careful}
domains: [{name: airline}, {name: retail}, {name: telecom}]
systems:
  - {name: ReAct, agent: react, model: clumsy}
  - {name: Guide, agent: policyguide, model: clumsy, params: {model: careful}}
  - {name: Strict, agent: policyguide, model: clumsy, params: {verifier: deterministic, gate: strict}}
  - {name: Raw, agent: policyguide-raw, model: clumsy, params: {model: careful}}
  - {name: Self, agent: policyguide-self, model: clumsy}
  - {name: Guard, agent: policyguard, model: clumsy, params: {model: careful}}
  - {name: Tool, agent: toolguard, model: clumsy}
  - {name: Flow, agent: flowagent, model: clumsy}
  - {name: Stack, agent: react, model: clumsy, overlays: [{policyguide: {verifier: deterministic}}, {toolguard: {}}, {flowagent: {}}]}
`

// guidedRun runs it on some tasks of each domain and lays all trials out, by key.
func guidedRun(t *testing.T) map[sim.Key]transcript.Conversation {
	t.Helper()
	c, err := config.Parse("guided.yaml", []byte(guided), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := runtest.Run(context.Background(), c, config.Options{Out: dir, Limit: 3}); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	guides := map[[2]string]*transcript.Guides{}
	out := map[sim.Key]transcript.Conversation{}
	for e := range r.Entries() {
		rec, err := r.Attempt(e.Ref)
		if err != nil {
			t.Fatal(err)
		}
		at := [2]string{e.System, e.Domain}
		if guides[at] == nil {
			w, err := r.World(e.Domain, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			guides[at] = transcript.GuidesOf(r.Manifest(), e.System, w, e.Domain)
			if m := guides[at].Missing; m != nil {
				t.Errorf("%v: %v is missing", at, m)
			}
		}
		if out[e.Key], err = transcript.NewConversation(transcript.Trial{Record: rec, Guides: guides[at]}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// Of every system in every domain there is what its guides and guards went by and said, and it agrees with the record.
func TestWalks(t *testing.T) {
	seen := map[string]map[string]int{}
	count := func(system, what string, n int) {
		if seen[system] == nil {
			seen[system] = map[string]int{}
		}
		seen[system][what] += n
	}
	for key, c := range guidedRun(t) {
		kinds := map[sim.EventKind]int{}
		for _, e := range c.Record.Events {
			kinds[e.Kind]++
		}
		if firings := kinds[agents.EventFiring] + kinds[agents.EventFailOpen]; firings > 0 {
			got := len(slices.DeleteFunc(slices.Clone(c.Walks.Moments), func(m transcript.Moment) bool { return m.Firing == 0 }))
			if got != firings {
				t.Errorf("%v: %d firings, recorded are %d", key, got, firings)
			}
		}
		count(key.System, "moments", len(c.Walks.Moments))
		count(key.System, "rulings", len(c.Rulings))
		if len(c.Walks.Moments)+len(c.Rulings) == 0 {
			count(key.System, c.Unguided(), 1)
		}
		if lines := strings.Join(c.Oversight(), "\n"); lines == "" || strings.Count(lines, "  firing ") < len(c.Walks.Requests) {
			t.Errorf("%v: in lines it is\n%s", key, lines)
		}
		c.Explain()
		for _, q := range c.Walks.Requests {
			for _, n := range q.Nodes {
				count(key.System, "facts", len(n.Facts))
			}
		}
		if key.System == "Guide" {
			before := c.Trial
			before.Record.Events, before.Record.Calls = slices.Clone(c.Record.Events), slices.Clone(c.Record.Calls)
			for i := range before.Record.Events {
				before.Record.Events[i].Index = -5
			}
			for i := range before.Record.Calls {
				before.Record.Calls[i].Index = -5
			}
			edited, err := transcript.NewConversation(before)
			if err != nil {
				t.Fatal(err)
			}
			edited.Explain()
			if calls := edited.Placed([]transcript.Asked{{ModelCall: before.Record.Calls[0]}}); len(calls) != 1 {
				t.Errorf("%v: the call for a message before the first is at %v", key, calls)
			}
		}
		walked := walksAgree(t, key, c.Walks)
		count(key.System, "nodes", walked)
		if key.System == "Strict" {
			continue // its walks are like those of the others, and layouts take time
		}
		for _, p := range c.Pictures(context.Background()) {
			count(key.System, "pictures", 1)
			pictureAgrees(t, key, c, p)
		}
	}
	for system, want := range map[string][]string{
		"ReAct": {"react has no guide and no guard."}, "Guide": {"moments", "nodes", "pictures", "facts"}, "Strict": {"moments", "nodes", "facts"},
		"Raw": {"moments"}, "Self": {"pictures"}, "Guard": {"rulings"}, "Tool": {"rulings"}, "Flow": {"rulings"},
		"Stack": {"moments", "nodes", "pictures", "rulings"},
	} {
		for _, what := range want {
			if seen[system][what] == 0 {
				t.Errorf("%s: no %s in any domain: %v", system, what, seen[system])
			}
		}
	}
	if n := seen["Raw"]["pictures"] + seen["ReAct"]["moments"] + seen["Guard"]["moments"]; n > 0 {
		t.Errorf("%d pictures or moments without a workflow or a guide", n)
	}
}

// walksAgree holds the nodes of each request against its last place and its walks. It returns their number.
func walksAgree(t *testing.T, key sim.Key, w transcript.Walks) (nodes int) {
	t.Helper()
	for _, s := range w.Policy {
		for _, n := range s.Nodes {
			if nodes := w.Requests[n.Request].Nodes; n.At >= len(nodes) || nodes[n.At].ID != n.ID {
				t.Errorf("%v: %s leads to node %d of request %d, which is not %s", key, s.Ref, n.At, n.Request, n.ID)
			}
		}
	}
	visits := map[[2]any]int{}
	last := map[int]transcript.Place{}
	for i, m := range w.Moments {
		if m.Like >= i {
			t.Errorf("%v: moment %d is like %d, which comes later", key, i, m.Like)
		}
		for _, p := range m.Places {
			last[p.Request] = p
			for _, v := range p.Walk {
				visits[[2]any{p.Request, v.Node}]++
			}
		}
	}
	for i, q := range w.Requests {
		for k, n := range q.Nodes {
			nodes++
			made := 0
			if k := len(n.Visits); k > 0 {
				made = n.Visits[k-1].Last
			}
			if want := visits[[2]any{i, n.ID}]; made != want {
				t.Errorf("%v: %s of %s has %d visits, the walks have %d", key, n.ID, q.ID, made, want)
			}
			letter := cmp.Or(string(n.State), "-")[:1]
			if n.Current {
				letter = strings.ToUpper(letter)
			}
			if got := w.States(last[i])[k : k+1]; got != letter {
				t.Errorf("%v: %s of %s is %s, %v; in its last place %s", key, n.ID, q.ID, n.State, n.Current, got)
			}
			if (n.Of == nil) != (key.System == "Raw") { // whose verifier is scripted, and names nodes all the same
				t.Errorf("%v: the workflow of %s has %s: %v", key, key.System, n.ID, n.Of != nil)
			}
			for _, m := range n.Made {
				if m.Call.Name != n.Of.Tool() {
					t.Errorf("%v: %s made %s", key, n.ID, m.Call)
				}
			}
		}
		if p := last[i]; p.At.Node != "" && !slices.ContainsFunc(q.Nodes, func(n transcript.Node) bool { return n.ID == p.At.Node }) {
			t.Errorf("%v: %s rests at %s, which is not among its nodes", key, q.ID, p.At.Node)
		}
	}
	return nodes
}

// pictureAgrees looks whether every node of the request is drawn, within the picture, and the current one as that.
func pictureAgrees(t *testing.T, key sim.Key, c transcript.Conversation, p transcript.Picture) {
	t.Helper()
	if p.Why != "" {
		t.Errorf("%v: no picture: %s", key, p.Why)
		return
	}
	drawn := 0
	for _, b := range p.Boxes {
		if b.X < 0 || b.Y < 0 || b.W <= 0 || b.H <= 0 || b.X+b.W > p.Width || b.Y+b.H > p.Height {
			t.Errorf("%v: %s at %v is not within %d×%d", key, b.Title, b.Rect, p.Width, p.Height)
		}
		if b.Node >= 0 {
			drawn++
		}
		if b.Of != nil && b.Of.Current != strings.Contains(b.Classes(), " current") {
			t.Errorf("%v: %s is drawn as %s", key, b.Title, b.Classes())
		}
	}
	if p.Request >= 0 && drawn != len(c.Walks.Requests[p.Request].Nodes) {
		t.Errorf("%v: %d of %d nodes are drawn", key, drawn, len(c.Walks.Requests[p.Request].Nodes))
	}
	if p.Width > 1200 {
		t.Errorf("%v: the picture is %d wide", key, p.Width)
	}
}

// firing is an event of a guide that leaves one request at a node.
func firing(index int, node string, passed []string, walk ...verify.Visit) sim.Event {
	status := verify.Open
	if strings.HasPrefix(node, "exit") {
		status = verify.Done
	}
	return sim.Event{Kind: agents.EventFiring, Index: index, Data: map[string]any{
		"after":  verify.State{Firings: 1 + index, Requests: []verify.Request{{ID: "r1", Status: status, Node: node, Passed: passed}}},
		"record": verify.Record{Traverse: []verify.Traversal{{ID: "r1", Walk: walk, Node: node}}},
	}}
}

func held(index int, tool string) sim.Event {
	return sim.Event{Kind: agents.EventIntercept, Index: index, Data: map[string]any{"mode": "strict",
		"refusals": []map[string]any{{"tool": tool, "reason": "not due", "held": true}}}}
}

func met(node string) verify.Visit    { return verify.Visit{Node: node, Satisfied: true} }
func notMet(node string) verify.Visit { return verify.Visit{Node: node, Reasoning: "nothing says so"} }

// A node is one, however often it is visited; a refusal stays until the node is passed; what has not changed is said to be
// like what was.
func TestNodes(t *testing.T) {
	b, err := guide.LoadShipped("mock")
	if err != nil {
		t.Fatal(err)
	}
	g, err := guide.Compose(b)
	if err != nil {
		t.Fatal(err)
	}
	const grant = "status.authorize_update"
	for _, tt := range []struct {
		name   string
		events []sim.Event
		want   string // id, state, event since which it is, visits
		likes  []int
	}{
		{"nothing", nil, "", nil},
		{"three visits", []sim.Event{
			firing(0, "intake", []string{"start"}, met("start"), notMet("intake")),
			firing(1, "intake", []string{"start"}, met("start"), notMet("intake")),
			firing(2, "classify", []string{"start", "intake"}, met("start"), met("intake"), notMet("classify")),
		}, "start satisfied e0 1-3; intake satisfied e2 1-2 3-3; classify unmet! e2 1-1", []int{-1, 0, -1}},
		{"refused, then passed", []sim.Event{
			firing(0, "status.own_task", []string{"start", "classify"}, met("start"), met("classify"), notMet("status.own_task")),
			held(1, "update_task_status"),
			firing(2, "exit_done", []string{"start", "classify", "status.own_task", grant}, met("start"), met("classify"), met("status.own_task"), met(grant)),
		}, "start satisfied e0 1-2; classify satisfied e0 1-2; status.own_task satisfied e2 1-1 2-2; " + grant + " satisfied e2 1-1; exit_done satisfied! e2", []int{-1, -1, -1}},
		{"refused to the end", []sim.Event{
			firing(0, "status.own_task", []string{"start"}, met("start"), notMet("status.own_task")),
			held(1, "update_task_status"),
			firing(2, "status.own_task", []string{"start"}, met("start"), notMet("status.own_task")),
		}, "start satisfied e0 1-2; status.own_task unmet! e0 1-2; " + grant + " refused e1", []int{-1, -1, -1}},
		{"refused before the request is known", []sim.Event{
			firing(0, "classify", []string{"start"}, met("start"), notMet("classify")),
			held(0, "update_task_status"),
			firing(1, "status.own_task", []string{"start", "classify"}, met("start"), met("classify"), notMet("status.own_task")),
		}, "start satisfied e0 1-2; classify satisfied e2 1-1 2-2; status.own_task unmet! e2 1-1; " + grant + " refused e2", []int{-1, -1, -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Events: tt.events}, Guides: &transcript.Guides{Graph: g}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, q := range c.Walks.Requests {
				for _, n := range q.Nodes {
					text := fmt.Sprintf("%s %s", n.ID, n.State)
					if n.Current {
						text += "!"
					}
					text += fmt.Sprintf(" e%d", n.Settled)
					for _, v := range n.Visits {
						text += fmt.Sprintf(" %d-%d", v.First, v.Last)
					}
					got = append(got, text)
				}
			}
			if d := diff.Diff(tt.want, strings.Join(got, "; ")); d != "" {
				t.Error(d)
			}
			var likes []int
			for _, m := range c.Walks.Moments {
				likes = append(likes, m.Like)
			}
			if !slices.Equal(likes, tt.likes) {
				t.Errorf("moments are like %v, want %v", likes, tt.likes)
			}
		})
	}
}

// A stretch of a conversation has its own moments and the one before; what is like one that is elsewhere is told in full.
func TestKeep(t *testing.T) {
	same := func(i int) sim.Event { return firing(i, "intake", []string{"start"}, met("start"), notMet("intake")) }
	said := sim.Message{Role: domains.RoleAssistant, Content: domains.Text("Hi")}
	rec := sim.Record{Events: []sim.Event{same(0), same(1), same(2), same(3), firing(4, "classify", nil), same(5), same(6), firing(6, "classify", nil), same(6)}, Messages: slices.Repeat([]sim.Message{said}, 7)}
	for _, tt := range []struct {
		from, to int // steps, each a message with the firings before it
		want     string
	}{
		{0, 7, "e0 -1, e1 0, e2 0, e3 0, e4 -1, e5 -1, e6 5, e7 -1, e8 -1"},
		{0, 2, "e0 -1, e1 0"},
		{2, 4, "e2 -1, e3 0"},
		{5, 7, "e5 -1, e6 0, e7 -1, e8 -1"},
		{6, 7, "e6 -1, e7 -1, e8 -1"},
		{7, 7, "e0 -1, e1 0, e2 0, e3 0, e4 -1, e5 -1, e6 5, e7 -1, e8 -1"},
	} {
		c, err := transcript.NewConversation(transcript.Trial{Record: rec})
		if err != nil {
			t.Fatal(err)
		}
		c.Keep(c.Steps[tt.from:tt.to])
		var got []string
		for _, m := range c.Walks.Moments {
			got = append(got, fmt.Sprintf("e%d %d", m.Event.Number, m.Like))
		}
		if d := diff.Diff(tt.want, strings.Join(got, ", ")); d != "" {
			t.Errorf("%d to %d: %s", tt.from, tt.to, d)
		}
	}
}

// A workflow too large to be read as a picture is not drawn, and that is said.
func TestPictureBound(t *testing.T) {
	var nodes []*guide.Node
	for i := range 5000 {
		nodes = append(nodes, &guide.Node{ID: fmt.Sprintf("n%d", i), Local: fmt.Sprintf("n%d", i), Type: guide.AgentAction, Edges: []guide.Edge{{To: fmt.Sprintf("n%d", i+1), When: guide.Satisfied}}})
	}
	g := guide.NewGraph("large", "n0", nil, nodes)
	c, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Events: []sim.Event{firing(0, "n1", []string{"n0"}, met("n0"), notMet("n1"))}}, Guides: &transcript.Guides{Graph: g}})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Pictures(context.Background())
	if len(p) != 1 || !strings.Contains(p[0].Why, "5000 nodes") || p[0].Boxes != nil {
		t.Errorf("%+v", p)
	}
}

// A verifier that gives the request a new name at every firing makes a page of bounded size.
func TestManyRequests(t *testing.T) {
	var events []sim.Event
	var requests []verify.Request
	for i := range 300 {
		requests = append(requests, verify.Request{ID: fmt.Sprintf("r%d", i), Status: verify.Done, Node: "exit_done"})
		events = append(events, sim.Event{Kind: agents.EventFiring, Data: map[string]any{
			"after":  verify.State{Firings: i + 1, Requests: requests},
			"record": verify.Record{Traverse: []verify.Traversal{{ID: requests[i].ID, Walk: []verify.Visit{met("start")}}}},
		}})
	}
	c, err := transcript.NewConversation(transcript.Trial{Record: sim.Record{Events: events}})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, m := range c.Walks.Moments {
		told += len(m.Told())
	}
	if len(c.Walks.Requests) != 300 || len(c.Walks.Listed()) >= 300 || told > 300*10 {
		t.Errorf("%d requests, %d listed, %d places told", len(c.Walks.Requests), len(c.Walks.Listed()), told)
	}
}

func TestKnown(t *testing.T) {
	q := verify.Request{Intent: "add", Selection: verify.Selection{Target: "T1", RuledOut: []string{"T2", "T3"}},
		Grounded: verify.Grounded{{Arg: "title", Value: value.OfString("Buy bread"), Source: "the user"}, {Arg: "count", Value: value.OfInt(2)}}}
	want := []transcript.Argument{{Name: "intent", Value: "add"}, {Name: "target", Value: "T1"}, {Name: "ruled out", Value: "T2, T3"},
		{Name: "title", Value: `"Buy bread", from the user`}, {Name: "count", Value: "2"}}
	if d := diff.Diff(want, transcript.Place{At: q}.Known()); d != "" {
		t.Error(d)
	}
	if none := (transcript.Place{}).Known(); none != nil {
		t.Errorf("nothing is known, and it is %v", none)
	}
}
