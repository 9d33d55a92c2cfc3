package audit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

func openDomain(t *testing.T, data, name string) *domains.World {
	t.Helper()
	d, err := all.Domain(name)
	if err != nil {
		t.Fatal(err)
	}
	if data == "tau2" {
		return domaintest.Real(t, d, domains.Options{})
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

func checker(t *testing.T, w *domains.World, b *guide.Bundle) *guide.Checker {
	t.Helper()
	c, err := audit.NewChecker(w, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func shipped(t *testing.T, domain string) *guide.Bundle {
	t.Helper()
	b, err := guide.LoadShipped(domain)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func gold(t *testing.T, w *domains.World, c *guide.Checker) *audit.Report {
	t.Helper()
	tasks, err := w.Select("")
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Gold(w, c, tasks)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every change of the gold plans is authorized when it is due, apart from those for which docs/faithfulness.md says why
// the policy does not allow them.
func TestGold(t *testing.T) {
	for _, tt := range []struct {
		data, domain                         string
		tasks, changing, changes, authorized int
		misses                               []string    // task, tool, node
		added                                audit.Added // as docs/workflow-commands.md has it
	}{
		{"embedded", "airline", 14, 7, 9, 9, nil, audit.Added{}},
		{"embedded", "retail", 16, 9, 13, 13, nil, audit.Added{}},
		{"embedded", "telecom", 14, 6, 10, 10, nil, audit.Added{}},
		{"tau2", "airline", 50, 26, 49, 48, []string{"39 cancel_reservation cancel.may_cancel"}, audit.Added{Questions: 29, Answers: 55, Summaries: 49, Consents: 49, Reads: 130}},
		{"tau2", "retail", 114, 104, 176, 174, []string{
			"64 exchange_delivered_order_items exchange.is_delivered",
			"105 exchange_delivered_order_items exchange.replace.gift_card_covers",
		}, audit.Added{Questions: 170, Answers: 274, Summaries: 176, Consents: 176, Reads: 414}},
		{"tau2", "telecom", 114, 71, 103, 103, nil, audit.Added{Questions: 1631, Answers: 1690, Summaries: 103, Consents: 103, Reads: 514, Device: 1146}},
	} {
		t.Run(tt.data+"/"+tt.domain, func(t *testing.T) {
			w := openDomain(t, tt.data, tt.domain)
			r := gold(t, w, checker(t, w, shipped(t, tt.domain)))
			if got, want := []int{r.Tasks, r.Changing, r.Changes, r.Authorized}, []int{tt.tasks, tt.changing, tt.changes, tt.authorized}; !cmp.Equal(got, want) {
				t.Errorf("tasks, changing, changes, authorized: %v, want %v", got, want)
			}
			var misses []string
			for _, m := range r.Misses {
				misses = append(misses, strings.Join([]string{m.Task, m.Tool, m.Node}, " "))
			}
			if d := cmp.Diff(tt.misses, misses); d != "" {
				t.Error(d)
			}
			if len(r.Again)+len(r.Failed)+len(r.Problems) > 0 {
				t.Errorf("again %v, failed %v, problems %v", r.Again, r.Failed, r.Problems)
			}
			if r.Added.Summaries != r.Changes || r.Added.Consents != r.Changes || r.Added.Reads < r.Changes {
				t.Errorf("added %+v to %d changes", r.Added, r.Changes)
			}
			if tt.data == "tau2" && r.Added != tt.added {
				t.Errorf("added %+v, want %+v", r.Added, tt.added)
			}
			t.Logf("%.1f %%, added %+v", 100*r.Share(), r.Added)
		})
	}
}

// A workflow that asks for more than anybody can give shows up as misses that name the node, its condition and its
// check, and what the environment says to the call anyway.
func TestGoldMiss(t *testing.T) {
	w := openDomain(t, "embedded", "retail")
	b := shipped(t, "retail")
	for _, f := range b.Files() {
		for _, n := range f.Nodes {
			if n.Type == guide.Authorization && n.Tool() == "cancel_pending_order" {
				n.Check = "call.args.order_id == 'none'"
			}
		}
	}
	r := gold(t, w, checker(t, w, b))
	if len(r.Misses) == 0 || r.Authorized+len(r.Misses) != r.Changes {
		t.Fatalf("%d authorized of %d, %d misses", r.Authorized, r.Changes, len(r.Misses))
	}
	for _, m := range r.Misses {
		if m.Tool != "cancel_pending_order" || m.Check != "call.args.order_id == 'none'" || m.Condition == "" || m.Result != "" || m.Node == "" {
			t.Errorf("miss %+v", m)
		}
	}
}

// A report is readable by other programs: members are named, and lists that are empty are lists.
func TestReportJSON(t *testing.T) {
	w := openDomain(t, "embedded", "airline")
	text, err := json.Marshal(gold(t, w, checker(t, w, shipped(t, "airline"))))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"domain":"airline"`, `"authorized":9`, `"misses":[]`, `"device_steps":0`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
}

func TestNoDriver(t *testing.T) {
	w := openDomain(t, "embedded", "mock")
	_, err := audit.Gold(w, checker(t, w, shipped(t, "mock")), nil)
	if want := "no audit for domain \"mock\"\nhint: there is one for airline, retail, telecom"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Every call that the airline's policy forbids is withheld, whatever the user claims. The two that a claim of
// illness opens are cancellations of insured reservations (docs/faithfulness.md).
func TestForbidden(t *testing.T) {
	file := filepath.Join(domaintest.Shared(t), "craft", "airline_forbidden_calls.json")
	w := openDomain(t, "tau2", "airline")
	list, err := audit.ReadTemptations(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Forbidden(w, checker(t, w, shipped(t, "airline")), list)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*audit.Count{audit.Policy: {Calls: 23, Withheld: 23, OnWord: 2}, audit.Selection: {Calls: 7}}
	if d := cmp.Diff(want, r.Counts); d != "" {
		t.Error(d)
	}
	var believed []string
	for _, c := range r.Calls {
		if c.OnWord && c.Withheld {
			believed = append(believed, fmt.Sprint(c.Task, " ", c.Arguments))
		}
		t.Logf("task %s %s %s: withheld %v, %d variants, %s", c.Task, c.Kind, c.Tool, c.Withheld, c.Variants, c.Node)
	}
	if len(believed) != 2 {
		t.Errorf("authorized on the user's word: %v", believed)
	}
}

// Domains other than the airline take forbidden calls in the same form: here those that the embedded tasks name as
// tempting. What passes is allowed to a customer who wants it (docs/faithfulness.md).
func TestForbiddenElsewhere(t *testing.T) {
	for _, tt := range []struct {
		domain                  string
		calls, withheld, onWord int
	}{{"airline", 20, 16, 0}, {"retail", 12, 7, 2}, {"telecom", 11, 10, 0}} {
		t.Run(tt.domain, func(t *testing.T) {
			w := openDomain(t, "embedded", tt.domain)
			list := temptations(t, w)
			r, err := audit.Forbidden(w, checker(t, w, shipped(t, tt.domain)), list)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(map[string]*audit.Count{audit.Policy: {Calls: tt.calls, Withheld: tt.withheld, OnWord: tt.onWord}, audit.Selection: {}}, r.Counts); d != "" {
				t.Error(d)
			}
			for _, c := range r.Calls {
				if c.Withheld == (c.Node == "") || (c.Withheld && !c.OnWord) != (c.Due.Kind() == value.Null) {
					t.Errorf("%+v", c)
				}
				t.Logf("task %s %s: withheld %v, on word %v: %s", c.Task, c.Tool, c.Withheld, c.OnWord, c.Node)
			}
		})
	}
}

// temptations makes a file of the tempting calls of a domain's tasks and reads it.
func temptations(t *testing.T, w *domains.World) *audit.Temptations {
	t.Helper()
	tasks := []any{}
	for i := range w.Tasks {
		var calls []any
		for _, a := range w.Tasks[i].Temptation {
			calls = append(calls, map[string]any{"name": a.Name, "arguments": a.Arguments, "kind": audit.Policy})
		}
		tasks = append(tasks, map[string]any{"tau2_task": w.Tasks[i].ID, "forbidden": calls})
	}
	text, err := json.Marshal(map[string]any{"domain": w.Name, "tasks": tasks})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "calls.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := audit.ReadTemptations(file)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Forbidden calls are refused where they are not about the data at hand.
func TestForbiddenMismatch(t *testing.T) {
	w := openDomain(t, "embedded", "retail")
	c := checker(t, w, shipped(t, "retail"))
	list := temptations(t, w)
	list.Domain = "airline"
	if _, err := audit.Forbidden(w, c, list); err == nil || !strings.Contains(err.Error(), "are of domain airline, not retail") {
		t.Errorf("another domain: %v", err)
	}
	list.Domain, list.Tasks[0].Task = "retail", "none"
	if _, err := audit.Forbidden(w, c, list); err == nil || !strings.Contains(err.Error(), `name task "none", which domain retail does not have`) {
		t.Errorf("another task: %v", err)
	}
}

func TestReadTemptationsErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no JSON", "calls", "invalid character"},
		{"no calls", `{"domain": "airline", "tasks": []}`, "names none"},
		{"bad kind", `{"tasks": [{"tau2_task": "3", "forbidden": [{"name": "x", "arguments": {}, "kind": "both"}]}]}`, `task 3, call 0 (x): kind is "both"` + "\nhint: write policy or selection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "calls.json")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := audit.ReadTemptations(file); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := audit.ReadTemptations("nowhere.json"); err == nil {
		t.Error("a file that does not exist is read")
	}
}
