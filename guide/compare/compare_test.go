package compare_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/guide/compare"
	"github.com/tauguide/tauguide/guide/export"
)

var update = flag.Bool("update", false, "rewrite golden files")

func shipped(t *testing.T, domain string) *guide.Bundle {
	t.Helper()
	b, err := guide.LoadShipped(domain)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// released reads a workflow of the test's own in the released layout.
func released(t *testing.T, name string) *guide.Bundle {
	t.Helper()
	b, notes, err := export.ReadReleased(os.DirFS(filepath.Join("testdata", name)))
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	return b
}

func open(t *testing.T, data, domain string) *domains.World {
	t.Helper()
	d, err := all.Domain(domain)
	if err != nil {
		t.Fatal(err)
	}
	if data == "tau2" {
		return domaintest.Real(t, d, domains.Options{})
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

// basisOf is everything that a domain has to compare on.
func basisOf(t *testing.T, data, domain string) compare.Basis {
	t.Helper()
	w := open(t, data, domain)
	tasks, err := w.Select("")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := audit.Paths(w, tasks)
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := guide.ShippedCatalog(domain)
	if err != nil {
		t.Fatal(err)
	}
	out := compare.Basis{World: w, Catalog: catalog, Source: "gold"}
	for _, p := range paths {
		out.Traces = append(out.Traces, compare.Trace{Name: p.Task.ID, Messages: p.Messages})
	}
	return out
}

func report(t *testing.T, a, b *guide.Bundle, basis compare.Basis) *compare.Report {
	t.Helper()
	r, err := compare.Compare(a, b, compare.Pair[string]{A: "one", B: "two"}, basis)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func printed(t *testing.T, r *compare.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Error(d)
	}
}

// A workflow is like itself in every respect.
func TestSame(t *testing.T) {
	for _, tt := range []struct {
		data, domain         string
		rows, writes, events int
	}{
		{"embedded", "airline", 43, 9, 28}, {"embedded", "retail", 28, 13, 54}, {"embedded", "telecom", 50, 10, 28},
		{"tau2", "airline", 43, 49, 244}, {"tau2", "retail", 28, 174, 865}, {"tau2", "telecom", 50, 103, 398},
	} {
		t.Run(tt.data+"/"+tt.domain, func(t *testing.T) {
			r := report(t, shipped(t, tt.domain), shipped(t, tt.domain), basisOf(t, tt.data, tt.domain))
			if r.Before.Precision != 1 || r.Before.Recall != 1 || len(r.Differences) > 0 || len(r.Missing) > 0 {
				t.Errorf("precision %g, recall %g, differences %v, missing %v", r.Before.Precision, r.Before.Recall, r.Differences, r.Missing)
			}
			if want := (compare.Pair[int]{A: tt.writes, B: tt.writes}); r.Gold.Writes != tt.writes || r.Gold.Reachable != want {
				t.Errorf("%d changes, reachable %v; want %d", r.Gold.Writes, r.Gold.Reachable, tt.writes)
			}
			if m := r.Mutations; m.Writes.A.Withheld != tt.events || m.Writes.B.Withheld != tt.events || m.Both != tt.events {
				t.Errorf("%d, %d, both %d mutants withheld, want %d", m.Writes.A.Withheld, m.Writes.B.Withheld, m.Both, tt.events)
			}
			n := 0
			for _, row := range r.Rows {
				n += row.A
			}
			if n != tt.rows {
				t.Errorf("%d rows, want %d", n, tt.rows)
			}
		})
	}
}

// Two workflows in the released layout, of a domain that the program does not know, are compared by their graphs alone.
func TestReleased(t *testing.T) {
	got := printed(t, report(t, released(t, "authored"), released(t, "reference"), compare.Basis{}))
	golden(t, "testdata/authored.txt", got)
	same := report(t, released(t, "reference"), released(t, "reference"), compare.Basis{})
	if same.Before.Precision != 1 || same.Before.Recall != 1 || len(same.Differences) > 0 {
		t.Errorf("with itself: %+v", same)
	}
	// Of other policies, and without checks.
	text := printed(t, report(t, released(t, "authored"), shipped(t, "airline"), basisOf(t, "embedded", "airline")))
	for _, want := range []string{
		"mutating tools authorized    0 of 6 ", "precision 0.00, recall 0.00",
		"mutants withheld             not decidable without checks  28 of ",
		"not measured: requirements in A: no node names a row of the catalog", "only A authorizes renew_loan\n    A: renew.authorize_renewal\n    B: no node\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// JSON shows what was not measured as null, and lists that are empty as such.
func TestJSON(t *testing.T) {
	text, err := json.Marshal(report(t, released(t, "reference"), released(t, "reference"), compare.Basis{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"gold_writes":null`, `"mutations":null`, `"differences":[]`, `"label":"general","tools":[]`,
		`"tool":"place_hold","a":{"node":"reserve.authorize_hold","intents":["reserve"],"before":["a confirmation by the user","find_book","find_reader"]}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// edit changes the node of a file of a bundle.
func edit(t *testing.T, b *guide.Bundle, file, id string, change func(*guide.Node)) {
	t.Helper()
	f := b.Main
	if file != "main" {
		f, _ = b.Subflow(file)
	}
	n, ok := f.Node(id)
	if !ok {
		t.Fatalf("%s has no node %s", file, id)
	}
	change(n)
}

func drop(t *testing.T, b *guide.Bundle, label string) {
	edit(t, b, "main", "classify", func(n *guide.Node) {
		n.Edges = slices.DeleteFunc(n.Edges, func(e guide.Edge) bool { return e.When == label })
	})
}

// becomes makes a node one of another kind, that leads where it led.
func becomes(n guide.Node) func(*guide.Node) {
	return func(old *guide.Node) {
		n.ID, n.Local, n.File, n.Edges = old.ID, old.Local, old.File, old.Edges
		*old = n
	}
}

// Each change of a workflow is found by the measure that is about it, with the nodes of both.
func TestDifferences(t *testing.T) {
	retail, telecom := basisOf(t, "embedded", "retail"), basisOf(t, "embedded", "telecom")
	for _, tt := range []struct {
		name   string
		basis  compare.Basis
		change func(*testing.T, *guide.Bundle)
		want   []string // measure: what | nodes of A | nodes of B
		figure func(*compare.Report) bool
	}{
		{"a confirmation is missing", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "cancel_order", "agree", becomes(guide.Node{Type: guide.AgentAction}))
		}, []string{
			"dominators: only B asks for a confirmation by the user (2) before cancel_pending_order|cancel.authorize_cancel cancel.say_reason|cancel.authorize_cancel cancel.agree.confirm cancel.say_reason",
			"mutations: only B withholds cancel_pending_order without a text of the agent (3, first in cancel-gift-card-order)|cancel.authorize_cancel|cancel.agree.set_out",
			"mutations: only B withholds cancel_pending_order without a text of the user (3, first in cancel-gift-card-order)|cancel.authorize_cancel|cancel.agree.confirm",
		}, func(r *compare.Report) bool {
			return r.Before.Precision == 1 && r.Before.Recall < 1 && r.Mutations.Both == 48 && r.Mutations.Writes.B.Withheld == 54
		}},
		{"a read is missing", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "locate_order", "load_order", becomes(guide.Node{Type: guide.AgentAction}))
		}, []string{
			"dominators: only B asks for get_order_details before cancel_pending_order|cancel.authorize_cancel|cancel.authorize_cancel cancel.locate.load_order",
		}, func(r *compare.Report) bool {
			return r.Before.Precision == 1 && r.Before.Recall < 1 && r.Gold.Reachable.A == 13
		}},
		{"a read too many", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "cancel_order", "still_pending", becomes(guide.Node{Type: guide.ToolCall, Tools: []string{"list_all_product_types"}}))
		}, []string{
			"dominators: only A asks for list_all_product_types before cancel_pending_order|cancel.authorize_cancel cancel.still_pending|cancel.authorize_cancel",
			"gold writes: only B has a way to cancel_pending_order (3, first in cancel-gift-card-order)|cancel.still_pending|cancel.authorize_cancel",
		}, func(r *compare.Report) bool {
			return r.Before.Precision < 1 && r.Before.Recall == 1 && r.Gold.Reachable.A == 10
		}},
		{"what is asked before the read", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "cancel_order", "agree", func(n *guide.Node) { n.Type, n.Subflow, n.Tools = guide.ToolCall, "", []string{"get_user_details"} })
		}, []string{
			"dominators: only A asks for an answer of the user (2) before cancel_pending_order|cancel.authorize_cancel cancel.say_reason identify.give_data|cancel.authorize_cancel identify.give_data",
			"dominators: only B asks for a confirmation by the user before cancel_pending_order|cancel.authorize_cancel|cancel.authorize_cancel cancel.agree.confirm cancel.say_reason",
		}, func(r *compare.Report) bool { return r.Before.Precision < 1 && r.Before.Recall < 1 }},
		{"reads in another order", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "choose_replacements", "load_products", func(n *guide.Node) { n.Tools = []string{"get_user_details"} })
			edit(t, b, "choose_replacements", "load_profile", func(n *guide.Node) { n.Tools = []string{"get_product_details"} })
		}, nil, func(r *compare.Report) bool { return r.Before.Recall == 1 && r.Gold.Reachable.A == 13 }},
		{"more of one type of node", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "cancel_order", "still_pending", becomes(guide.Node{Type: guide.UserInput}))
		}, []string{
			"nodes: 41 and 42 of type agent_action||cancel.still_pending",
			"nodes: 19 and 18 of type user_input|cancel.still_pending|",
		}, func(r *compare.Report) bool { return r.Nodes.A == r.Nodes.B }},
		{"an intent is missing", retail, func(t *testing.T, b *guide.Bundle) { drop(t, b, "cancel_order") }, []string{
			"write surface: only B authorizes cancel_pending_order||cancel.authorize_cancel",
			"intents: only B has the intent cancel_order||cancel.locate.load_order",
			"gold writes: only B has a way to cancel_pending_order (3, first in cancel-gift-card-order)||cancel.authorize_cancel",
		}, func(r *compare.Report) bool { return len(r.Surface.Authorized.A) == 6 && r.Before.Recall < 1 }},
		{"an intent leads elsewhere", retail, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "main", "classify", func(n *guide.Node) { n.Edges[0].To = n.Edges[1].To })
		}, []string{
			"intents: the intent cancel_order leads to modify_pending_order_address in A, to cancel_pending_order in B|address.locate.load_order|cancel.locate.load_order",
		}, func(r *compare.Report) bool { return r.Gold.Reachable.A == 10 }},
		{"a row is not named", retail, func(t *testing.T, b *guide.Bundle) {
			for _, n := range []string{"still_pending", "authorize_cancel"} {
				edit(t, b, "cancel_order", n, func(n *guide.Node) { n.Policy = []string{"C2"} })
			}
		}, []string{`requirements: only B has nodes that name row C1 (An order is cancelled only after its status was seen to be "pending".)||cancel.still_pending cancel.authorize_cancel`},
			func(r *compare.Report) bool { return r.Rows[0].A == 26 && r.Rows[0].B == 27 }},
		{"a place is missing", telecom, func(t *testing.T, b *guide.Bundle) {
			edit(t, b, "main", "pay", becomes(guide.Node{Type: guide.AgentAction}))
		}, []string{
			"dominators: only B has this place for send_payment_request||pay.authorize_request pay.agree.confirm identify.state_key pay.look_at_bills identify.look_up",
			"intents: the intent pay_bill leads to no tool in A, to send_payment_request in B|pay|pay.look_at_bills",
		}, func(r *compare.Report) bool {
			return len(r.Surface.Authorized.A) == 4 && r.Before.Recall < 1 && r.Before.Precision == 1
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := shipped(t, tt.basis.World.Name)
			tt.change(t, a)
			r := report(t, a, shipped(t, tt.basis.World.Name), tt.basis)
			var got []string
			for _, d := range r.Differences {
				got = append(got, d.Measure+": "+d.What+"|"+strings.Join(d.A, " ")+"|"+strings.Join(d.B, " "))
			}
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("no %s", want)
				}
			}
			if tt.want == nil && len(got) > 0 {
				t.Error("there are differences")
			}
			if !tt.figure(r) {
				t.Error("the figures do not show it")
			}
			if t.Failed() {
				t.Logf("%s\n%s", strings.Join(got, "\n"), printed(t, r))
			}
		})
	}
}

func difference(measure, what, a, b string) compare.Difference {
	return compare.Difference{Measure: measure, What: what, Pair: compare.Pair[[]string]{A: strings.Fields(a), B: strings.Fields(b)}}
}
