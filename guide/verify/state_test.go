package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/verify"
)

func node(id string, kind guide.Type, tool string, to ...string) *guide.Node {
	n := &guide.Node{ID: id, Local: id, Type: kind, File: "main.yaml"}
	if tool != "" {
		n.Tools = []string{tool}
	}
	for _, t := range to {
		n.Edges = append(n.Edges, guide.Edge{To: t, When: t})
	}
	return n
}

// desk is entry → identify → classify → gate → allow(pay) → check → exit, or → refuse → exit.
func desk() *guide.Graph {
	return guide.NewGraph("desk", "start", nil, []*guide.Node{
		node("start", guide.Entry, "", "identify"), node("identify", guide.AgentAction, "", "classify"),
		node("classify", guide.Decision, "", "gate", "refuse"), node("gate", guide.AgentAction, "", "allow"),
		node("allow", guide.Authorization, "pay", "check"), node("check", guide.AgentAction, "", "exit"),
		node("refuse", guide.AgentAction, "", "exit"), node("exit", guide.Exit, ""),
	})
}

func mutates(tool string) bool { return tool == "pay" || tool == "close" }

func rules() verify.Rules {
	return verify.Rules{Graph: desk(), Mutates: mutates, Walk: verify.Path, Stall: 5}
}

func never(string, int) bool  { return false }
func always(string, int) bool { return true }

// rec makes a record of one request from "node+" (satisfied) and "node-" (not).
func rec(id string, authorize string, walk ...string) verify.Record {
	t := verify.Traversal{ID: id, Status: verify.Open, Remediation: "next for " + id}
	for _, w := range walk {
		t.Walk = append(t.Walk, verify.Visit{Node: w[:len(w)-1], Satisfied: w[len(w)-1] == '+'})
		t.Node = w[:len(w)-1]
	}
	if authorize != "" {
		t.Authorize = &authorize
	}
	return verify.Record{Reconcile: verify.Reconcile{Intents: []verify.Intent{{ID: id, Request: "r " + id, Intent: "i"}}}, Traverse: []verify.Traversal{t}}
}

func join(rs ...verify.Record) verify.Record {
	var out verify.Record
	for _, r := range rs {
		out.Reconcile.Intents = append(out.Reconcile.Intents, r.Reconcile.Intents...)
		out.Traverse = append(out.Traverse, r.Traverse...)
	}
	return out
}

func apply(r verify.Rules, s verify.State, rec verify.Record, ok func(string, int) bool) (verify.State, []verify.Rejection) {
	return r.Apply(s, rec, verify.Facts{Succeeded: ok})
}

// TestRule1 checks where walks may lead.
func TestRule1(t *testing.T) {
	atGate, _ := apply(rules(), verify.State{}, rec("a", "", "start+", "identify+", "classify+", "gate-"), never)
	for _, c := range []struct {
		name  string
		from  verify.State
		check verify.WalkCheck
		ok    func(string, int) bool
		walk  []string
		node  string // where the request then is
		why   string // of the rejection
	}{
		{"a new one starts at the entry", verify.State{}, verify.Path, never, []string{"start+", "identify-"}, "identify", ""},
		{"the entry may be left out", verify.State{}, verify.Path, never, []string{"identify-"}, "identify", ""},
		{"several nodes at once", verify.State{}, verify.Path, never, []string{"identify+", "gate+", "allow-"}, "allow", ""},
		{"a new one that jumps", verify.State{}, verify.Path, never, []string{"gate-"}, "start", "no way leads"},
		{"past an unmet node", verify.State{}, verify.Path, never, []string{"identify-", "gate-"}, "identify", "no way leads"},
		{"unknown node", atGate, verify.Path, never, []string{"gate+", "nowhere-"}, "gate", "no node"},
		{"goes on from its node", atGate, verify.Path, never, []string{"gate+", "allow-"}, "allow", ""},
		{"its own node left out", atGate, verify.Path, never, []string{"allow-"}, "gate", "no way leads"},
		{"back to a passed node", atGate, verify.Path, never, []string{"identify-"}, "identify", ""},
		{"a node left out", atGate, verify.Path, never, []string{"gate+", "check-"}, "gate", "no way leads"},
		{"authorization without its call", atGate, verify.Path, never, []string{"gate+", "allow+", "check-"}, "allow", "no call of pay"},
		{"authorization called satisfied where it rests", atGate, verify.Path, never, []string{"gate+", "allow+"}, "allow", "no call of pay"},
		{"authorization after its call", atGate, verify.Path, always, []string{"gate+", "allow+", "check-"}, "check", ""},
		{"jumps are allowed where only existence counts", atGate, verify.Exists, never, []string{"check-"}, "check", ""},
		{"unknown node where only existence counts", atGate, verify.Exists, never, []string{"nowhere-"}, "gate", "no node"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rules()
			r.Walk = c.check
			s, rejected := apply(r, c.from, rec("a", "pay", c.walk...), c.ok)
			q := s.Requests[0]
			if q.Node != c.node {
				t.Errorf("at %s, want %s (%v)", q.Node, c.node, rejected)
			}
			if c.why == "" != (len(rejected) == 0) || c.why != "" && !strings.Contains(rejected[0].Why, c.why) {
				t.Errorf("rejected %v, want %q", rejected, c.why)
			}
			if q.Remediation != "next for a" {
				t.Errorf("remediation %q is not that of the record", q.Remediation)
			}
			if c.why != "" && q.Authorize != "" {
				t.Errorf("a rejected record authorizes %s", q.Authorize)
			}
		})
	}
	t.Run("after a gap the next record goes on from there", func(t *testing.T) {
		s, _ := apply(rules(), verify.State{}, rec("a", "", "identify+", "classify+", "gate+", "check-"), never)
		s, rejected := apply(rules(), s, rec("a", "pay", "allow-"), never)
		if q := s.Requests[0]; q.Node != "allow" || q.Authorize != "pay" || len(rejected) > 0 {
			t.Errorf("%s, rejected %v", s.Line(), rejected)
		}
	})
	t.Run("a node that turns out unmet counts as passed no more", func(t *testing.T) {
		r := rules()
		r.Walk = verify.Exists
		s, _ := apply(r, verify.State{}, rec("a", "", "identify+", "gate+", "allow-"), never)
		s, _ = apply(r, s, rec("a", "", "gate-", "allow-"), never)
		if got := s.Requests[0].Passed; !slices.Equal(got, []string{"identify"}) {
			t.Errorf("passed %v", got)
		}
	})
	t.Run("of a gap in what is called done only the gap is said", func(t *testing.T) {
		done := rec("a", "", "identify-", "gate-")
		done.Traverse[0].Status = verify.Done
		if _, rejected := apply(rules(), verify.State{}, done, never); len(rejected) != 1 || !rejected[0].Gap {
			t.Errorf("rejected %v", rejected)
		}
	})
	t.Run("the next request need not pass the shared part again", func(t *testing.T) {
		s, rejected := apply(rules(), atGate, join(rec("a", "", "gate-"), rec("b", "", "classify+", "gate-")), never)
		if len(s.Requests) != 2 || s.Requests[1].Node != "gate" || len(rejected) > 0 {
			t.Errorf("%s, rejected %v", s.Line(), rejected)
		}
	})
}

// TestRule2 checks who stays on the roster.
func TestRule2(t *testing.T) {
	two, _ := apply(rules(), verify.State{}, join(rec("a", "", "identify-"), rec("b", "", "identify-")), never)
	t.Run("left off", func(t *testing.T) {
		s, _ := apply(rules(), two, rec("b", "", "identify-"), never)
		if len(s.Requests) != 1 || s.Requests[0].ID != "b" {
			t.Errorf("%s", s.Line())
		}
	})
	t.Run("done ones stay as history", func(t *testing.T) {
		s, _ := apply(rules(), two, join(rec("a", "", "identify+", "classify+", "refuse+", "exit+"), rec("b", "", "identify-")), never)
		s, _ = apply(rules(), s, rec("b", "", "identify-"), never)
		if len(s.Requests) != 2 || s.Requests[0].Status != verify.Done || s.Requests[1].Status != verify.Open {
			t.Errorf("%s", s.Line())
		}
	})
	t.Run("a failed firing drops nothing", func(t *testing.T) {
		if s := two.Disarmed(); len(s.Requests) != 2 || len(s.Enabled()) != 0 || s.Firings != two.Firings+1 {
			t.Errorf("%s", s.Line())
		}
	})
	t.Run("duplicates merge to the one that came further", func(t *testing.T) {
		both := join(rec("a", "", "identify-"), rec("b", "", "identify+", "classify+", "gate-"))
		for i := range both.Traverse {
			both.Traverse[i].Selection.Target = "T"
		}
		s, rejected := apply(rules(), verify.State{}, both, never)
		if len(s.Requests) != 1 || s.Requests[0].ID != "b" || len(rejected) != 1 {
			t.Errorf("%s, rejected %v", s.Line(), rejected)
		}
	})
	t.Run("of duplicates that came equally far the older one stays", func(t *testing.T) {
		for _, node := range []string{"identify-", "classify-"} {
			both := join(rec("a", "", "identify+", "classify-"), rec("b", "", node))
			for i := range both.Traverse {
				both.Traverse[i].Selection.Target = "T"
			}
			r := rules()
			r.Walk = verify.Exists
			s, rejected := apply(r, verify.State{}, both, never)
			if len(s.Requests) != 1 || s.Requests[0].ID != "a" || len(rejected) != 1 || rejected[0].String() != "b: it is the same request as a" {
				t.Errorf("%s, rejected %v", s.Line(), rejected)
			}
		}
	})
	t.Run("settled ones, other targets and unknown kinds are no duplicates", func(t *testing.T) {
		for _, change := range []func(*verify.Record){
			func(r *verify.Record) { r.Traverse[0].Node = "exit" },
			func(r *verify.Record) { r.Traverse[1].Selection.Target = "U" },
			func(r *verify.Record) { r.Traverse[0].Selection.Target, r.Traverse[1].Selection.Target = "", "" },
			func(r *verify.Record) { r.Reconcile.Intents[1].Intent = "j" },
			func(r *verify.Record) { r.Reconcile.Intents[0].Intent, r.Reconcile.Intents[1].Intent = "", "" },
		} {
			both := join(rec("a", "", "identify-"), rec("b", "", "identify-"))
			for i := range both.Traverse {
				both.Traverse[i].Selection.Target = "T"
			}
			change(&both)
			r := rules()
			r.Walk = verify.Exists
			if s, _ := apply(r, verify.State{}, both, never); len(s.Requests) != 2 {
				t.Errorf("%s", s.Line())
			}
		}
	})
	t.Run("traversed, not on the roster", func(t *testing.T) {
		extra := join(rec("a", "", "identify-"), rec("x", "", "identify-"))
		extra.Reconcile.Intents = extra.Reconcile.Intents[:1]
		s, rejected := apply(rules(), verify.State{}, extra, never)
		if len(s.Requests) != 1 || len(rejected) != 1 || !strings.Contains(rejected[0].String(), "x: it is traversed but not on the roster") {
			t.Errorf("%s, rejected %v", s.Line(), rejected)
		}
	})
	t.Run("the node of a walk without one is its last", func(t *testing.T) {
		r := rec("a", "", "identify+", "classify+", "gate-")
		r.Traverse[0].Node = ""
		if s, _ := apply(rules(), verify.State{}, r, never); s.Requests[0].Node != "gate" {
			t.Errorf("%s", s.Line())
		}
	})
	t.Run("not traversed", func(t *testing.T) {
		s, rejected := apply(rules(), two, verify.Record{Reconcile: verify.Reconcile{Intents: []verify.Intent{{ID: "a"}, {ID: "b"}}}}, never)
		if len(s.Requests) != 2 || s.Requests[0].Node != "identify" || len(rejected) != 2 {
			t.Errorf("%s, rejected %v", s.Line(), rejected)
		}
	})
}

// TestRule3 checks what is enabled.
func TestRule3(t *testing.T) {
	at := []string{"identify+", "classify+", "gate+", "allow-"}
	for _, c := range []struct {
		name, tool string
		strict     bool
		want       string
	}{
		{"mutating", "pay", false, "pay"},
		{"mutating, of another node", "close", false, "close"},
		{"strict: of another node", "close", true, ""},
		{"strict: of this node", "pay", true, "pay"},
		{"reading", "look", false, ""},
		{"unknown", "nothing", false, ""},
		{"the word null", "null", false, ""},
		{"the transfer", verify.TransferTool, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rules()
			r.Strict = c.strict
			s, _ := apply(r, verify.State{}, rec("a", c.tool, at...), never)
			if s.Requests[0].Authorize != c.want {
				t.Errorf("authorizes %q, want %q", s.Requests[0].Authorize, c.want)
			}
		})
	}
	t.Run("rebuilt from scratch", func(t *testing.T) {
		s, _ := apply(rules(), verify.State{}, rec("a", "pay", at...), never)
		s, _ = apply(rules(), s, rec("a", "", "allow-"), never)
		if len(s.Enabled()) != 0 {
			t.Errorf("still enabled: %v", s.Enabled())
		}
	})
	t.Run("a grant binds its arguments", func(t *testing.T) {
		g := verify.Grant{Tool: "pay", Values: value.MapOf(value.Pair{Key: "bill", Value: value.OfString("B1")})}
		call := func(bill string) domains.ToolCall {
			return domains.ToolCall{Name: "pay", Arguments: value.OfMap(value.MapOf(value.Pair{Key: "bill", Value: value.OfString(bill)}))}
		}
		if !g.Covers(call("B1")) || g.Covers(call("B2")) {
			t.Error("the wrong bill is covered, or the right one is not")
		}
	})
}

func TestRule4(t *testing.T) {
	s, _ := apply(rules(), verify.State{}, rec("a", "pay", "identify+", "classify+", "refuse+", "exit+"), never)
	if q := s.Requests[0]; q.Status != verify.Done || q.Authorize != "" || q.Remediation != "" {
		t.Errorf("%+v", q)
	}
	early := rec("a", "", "identify-")
	early.Traverse[0].Status = verify.Done
	s, rejected := apply(rules(), verify.State{}, early, never)
	if s.Requests[0].Status != verify.Open || len(rejected) != 1 {
		t.Errorf("done short of an exit: %s, rejected %v", s.Line(), rejected)
	}
}

func TestRule5(t *testing.T) {
	s, _ := apply(rules(), verify.State{}, join(rec("a", "", "identify-"), rec("b", "", "identify-")), never)
	text := s.Guidance()
	first, second := strings.Index(text, "Request a (r a):\nnext for a"), strings.Index(text, "Request b (r b):\nnext for b")
	if first < 0 || second < first {
		t.Errorf("guidance: %s", text)
	}
	if (verify.State{}).Guidance() != "" {
		t.Error("guidance about nothing")
	}
	s.Transfer = true
	if text := s.Guidance(); !strings.Contains(text, verify.TransferTool) || strings.Contains(text, "next for") {
		t.Errorf("guidance on a transfer: %s", text)
	}
}

func TestRule6(t *testing.T) {
	for _, c := range []struct{ stall, firings, want int }{{5, 20, 6}, {1, 20, 2}, {0, 20, 0}} {
		r := rules()
		r.Stall = c.stall
		var s verify.State
		at := 0
		for i := 1; i <= c.firings && at == 0; i++ {
			if s, _ = apply(r, s, rec("a", "", "identify-"), never); s.Transfer {
				at = i
			}
		}
		if at != c.want {
			t.Errorf("stall %d: transfer at firing %d, want %d", c.stall, at, c.want)
		}
	}
}

// TestGapsAreNoStall has a verifier leave the same node out again and again: what it says counts as new each time.
func TestGapsAreNoStall(t *testing.T) {
	r := rules()
	r.Stall = 1
	s, _ := apply(r, verify.State{}, rec("a", "", "identify-"), never)
	for range 5 {
		s, _ = apply(r, s, rec("a", "", "gate-"), never)
	}
	if q := s.Requests[0]; s.Transfer || q.Node != "identify" {
		t.Errorf("%s", s.Line())
	}
	if s, _ = apply(r, s, rec("a", "", "identify-"), never); !s.Transfer {
		t.Error("a request that rests where it is for the second time is no stall")
	}
}

func TestRaw(t *testing.T) {
	r := rules()
	r.Graph = nil
	one := rec("a", "pay", "anything-")
	s, rejected := apply(r, verify.State{}, one, never)
	if q := s.Requests[0]; q.Node != "" || q.Authorize != "pay" || len(rejected) > 0 {
		t.Errorf("%+v, rejected %v", q, rejected)
	}
	one.Traverse[0].Status = verify.Done
	if s, _ = apply(r, s, one, never); s.Requests[0].Status != verify.Done || len(s.Enabled()) > 0 {
		t.Errorf("%s", s.Line())
	}
}

// TestAdversary feeds the rules any record that the contract allows.
func TestAdversary(t *testing.T) {
	ids := []string{"a", "b", "c"}
	nodes := []string{"start", "identify", "classify", "gate", "allow", "check", "refuse", "exit", "nowhere", ""}
	tools := []string{"pay", "close", "look", verify.TransferTool, "", "null"}
	rapid.Check(t, func(rt *rapid.T) {
		r := rules()
		r.Strict = rapid.Bool().Draw(rt, "strict")
		r.Walk = rapid.SampledFrom([]verify.WalkCheck{verify.Exists, verify.Path}).Draw(rt, "walk check")
		var s verify.State
		paid := false
		rt.Repeat(map[string]func(*rapid.T){
			"pay":  func(*rapid.T) { paid = true },
			"fail": func(*rapid.T) { s = s.Disarmed() },
			"fire": func(rt *rapid.T) {
				var in verify.Record
				for _, id := range rapid.SliceOfN(rapid.SampledFrom(ids), 0, 4).Draw(rt, "roster") {
					in.Reconcile.Intents = append(in.Reconcile.Intents, verify.Intent{ID: id, Intent: rapid.SampledFrom([]string{"", "i", "j"}).Draw(rt, "intent")})
				}
				for _, id := range rapid.SliceOfN(rapid.SampledFrom(ids), 0, 4).Draw(rt, "traversed") {
					tr := verify.Traversal{ID: id, Node: rapid.SampledFrom(nodes).Draw(rt, "node"), Status: rapid.SampledFrom([]verify.Status{verify.Open, verify.Done, ""}).Draw(rt, "status")}
					tool := rapid.SampledFrom(tools).Draw(rt, "tool")
					tr.Authorize = &tool
					tr.Selection.Target = rapid.SampledFrom([]string{"", "T"}).Draw(rt, "target")
					for range rapid.IntRange(0, 5).Draw(rt, "steps") {
						tr.Walk = append(tr.Walk, verify.Visit{Node: rapid.SampledFrom(nodes).Draw(rt, "visit"), Satisfied: rapid.Bool().Draw(rt, "satisfied")})
					}
					in.Traverse = append(in.Traverse, tr)
				}
				before := fmt.Sprint(s)
				next, _ := apply(r, s, in, func(string, int) bool { return paid })
				if fmt.Sprint(s) != before {
					rt.Fatal("the old state was changed")
				}
				lost(rt, s, next, in)
				s = next
			},
			"": func(rt *rapid.T) { sound(rt, r, s, paid) },
		})
	})
}

// lost fails if an open request went without the roster having left it off or merged it.
func lost(rt *rapid.T, before, after verify.State, in verify.Record) {
	for _, q := range before.Requests {
		has := func(list []verify.Request, id string) bool {
			return slices.ContainsFunc(list, func(p verify.Request) bool { return p.ID == id })
		}
		listed := slices.ContainsFunc(in.Reconcile.Intents, func(e verify.Intent) bool { return e.ID == q.ID }) ||
			len(in.Reconcile.Intents) == 0 && slices.ContainsFunc(in.Traverse, func(t verify.Traversal) bool { return t.ID == q.ID })
		merged := slices.ContainsFunc(after.Requests, func(p verify.Request) bool {
			return p.ID != q.ID && p.Selection.Target != "" && p.Intent != ""
		})
		if !has(after.Requests, q.ID) && (q.Status == verify.Done || listed && !merged) {
			rt.Fatalf("%s was lost: %s → %s", q.ID, before.Line(), after.Line())
		}
	}
}

func sound(rt *rapid.T, r verify.Rules, s verify.State, paid bool) {
	for _, q := range s.Requests {
		n, ok := r.Graph.Node(q.Node)
		switch {
		case !ok:
			rt.Fatalf("unknown node %q", q.Node)
		case (n.Type == guide.Exit) != (q.Status == verify.Done):
			rt.Fatalf("%s is %s at %s", q.ID, q.Status, q.Node)
		case q.Authorize != "" && !mutates(q.Authorize):
			rt.Fatalf("%q is enabled", q.Authorize)
		case q.Authorize != "" && q.Status == verify.Done:
			rt.Fatal("a settled request enables a tool")
		case q.Authorize != "" && r.Strict && (n.Type != guide.Authorization || n.Tool() != q.Authorize):
			rt.Fatalf("strict: %s is enabled at %s", q.Authorize, q.Node)
		case r.Walk == verify.Path && !paid && slices.Contains(q.Passed, "allow"):
			rt.Fatal("an authorization was passed without its call")
		}
	}
}

// TestLine sums states up.
func TestLine(t *testing.T) {
	s, _ := apply(rules(), verify.State{}, join(rec("a", "pay", "identify+", "classify+", "gate+", "allow-"), rec("b", "", "identify+", "classify+", "refuse+", "exit+")), never)
	if got := s.Line(); got != "a open at allow, pay enabled; b done at exit" {
		t.Errorf("%q", got)
	}
	s.Requests, s.Transfer = []verify.Request{{ID: "c", Status: verify.Open}}, true
	if got := s.Line(); got != "c open; transfer enabled" {
		t.Errorf("%q", got)
	}
	if got := (verify.State{}).Line(); got != "no request" {
		t.Errorf("%q", got)
	}
}
