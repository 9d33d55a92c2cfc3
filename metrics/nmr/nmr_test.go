package nmr_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide/audit"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/metrics/nmr"
	"github.com/tauguide/tauguide/metrics/trace"
)

func load(t testing.TB, domain string) *nmr.Table {
	t.Helper()
	table, err := nmr.Load(domain)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func open(t testing.TB, data, domain string) *domains.World {
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

// page is a fenced block of docs/call-nmr-examples.md.
type page struct {
	info string
	line int
	text string
}

func blocks(t *testing.T) []page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", "call-nmr-examples.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []page
	open := false
	for i, line := range strings.Split(string(text), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open:
			open = false
		case fence:
			open = true
			out = append(out, page{info: info, line: i + 1})
		case open:
			out[len(out)-1].text += line + "\n"
		}
	}
	return out
}

// The worked examples of the page hold.
func TestWorkedExamples(t *testing.T) {
	all := blocks(t)
	if len(all) < 10 || len(all)%2 != 0 {
		t.Fatalf("the page has %d blocks", len(all))
	}
	seen := map[string]bool{}
	for i := 0; i < len(all); i += 2 {
		talk, want := all[i], all[i+1]
		domain, ok := strings.CutPrefix(talk.info, "conversation ")
		if !ok || want.info != "audit" {
			t.Fatalf("line %d: a block %q is followed by %q", talk.line, talk.info, want.info)
		}
		seen[domain] = true
		t.Run(fmt.Sprintf("line %d", talk.line), func(t *testing.T) {
			msgs, err := trace.Parse(talk.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.text, printed(load(t, domain).Audit(msgs))); d != "" {
				t.Error(d)
			}
		})
	}
	if len(seen) != len(nmr.Domains()) {
		t.Errorf("examples of %v", seen)
	}
}

func printed(calls []nmr.Call) string {
	var b strings.Builder
	for _, c := range calls {
		state := "complete"
		if len(c.Missing) > 0 {
			var lacks []string
			for _, n := range c.Missing {
				lacks = append(lacks, n.What)
			}
			state = "lacks " + strings.Join(lacks, "; ")
		}
		fmt.Fprintf(&b, "%s: %s\n", c.Tool, state)
	}
	return b.String()
}

// Of two calls of one message neither knows the other's result, and calls of the user are not reads of the agent's.
func TestKnownBefore(t *testing.T) {
	call := func(id, name string, pairs ...string) domains.ToolCall {
		m := &value.Map{}
		for i := 0; i+1 < len(pairs); i += 2 {
			m.Set(pairs[i], value.OfString(pairs[i+1]))
		}
		return domains.ToolCall{ID: id, Name: name, Arguments: value.OfMap(m), Requestor: domains.AgentSide}
	}
	read, write := call("1", "get_order_details", "order_id", "#W1"), call("2", "modify_pending_order_address", "order_id", "#W1")
	shown := domains.ToolResult{Content: `{"order_id": "#W1", "user_id": "ann_poe_1"}`}
	done := domains.ToolResult{Content: "{}"}
	say := func(role domains.Role, calls ...domains.ToolCall) domains.Message {
		return domains.Message{Role: role, ToolCalls: calls}
	}
	for _, tt := range []struct {
		name string
		msgs []domains.Message
		want string
	}{
		{"one after the other", []domains.Message{say(domains.RoleAssistant, read), domains.ResultMessage(read, shown), say(domains.RoleAssistant, write), domains.ResultMessage(write, done)},
			"modify_pending_order_address: complete\n"},
		{"in one message", []domains.Message{say(domains.RoleAssistant, read, write), domains.ResultMessage(read, shown), domains.ResultMessage(write, done)},
			"modify_pending_order_address: lacks details of order #W1\n"},
		{"by the user", []domains.Message{say(domains.RoleUser, read), domains.ResultMessage(read, shown), say(domains.RoleAssistant, write), domains.ResultMessage(write, done)},
			"modify_pending_order_address: lacks details of order #W1\n"},
		{"without a result", []domains.Message{say(domains.RoleAssistant, write)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := printed(load(t, "retail").Audit(tt.msgs)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Every mutating tool of the agent's is in the table of its domain, and every read is one of the agent's.
func TestTablesFitDomains(t *testing.T) {
	for _, domain := range nmr.Domains() {
		for _, data := range []string{"embedded", "tau2"} {
			if bad := mismatches(load(t, domain), open(t, data, domain)); len(bad) > 0 {
				t.Errorf("%s: %v", domain, bad)
			}
		}
	}
	if bad := mismatches(load(t, "retail"), open(t, "embedded", "mock")); len(bad) < 8 {
		t.Errorf("retail's table on mock: %v", bad)
	}
}

func paths(t testing.TB, w *domains.World) []audit.Path {
	t.Helper()
	tasks, err := w.Select("")
	if err != nil {
		t.Fatal(err)
	}
	all, err := audit.Paths(w, tasks)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// gold audits the completed gold paths of a domain.
func gold(t *testing.T, data, domain string) nmr.Figure {
	t.Helper()
	w := open(t, data, domain)
	var traces []nmr.Trace
	lacks := map[string]int{}
	for _, p := range paths(t, w) {
		tr := nmr.Trace{Outcome: metrics.Outcome{Task: p.Task.ID, Mut: p.Task.Mutating(w), State: metrics.Success}, Calls: load(t, domain).Audit(p.Messages)}
		traces = append(traces, tr)
		for _, c := range tr.Calls {
			for _, n := range c.Missing {
				lacks[c.Tool+" "+n.ID]++
			}
		}
	}
	t.Logf("%s/%s: %v", data, domain, lacks)
	return nmr.Rate(traces)
}

// Completed gold paths come to the figures that the page tells.
func TestGold(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Root(t), "docs", "call-nmr.md"))
	if err != nil {
		t.Fatal(err)
	}
	for data, name := range map[string]string{"tau2": "τ²", "embedded": "embedded"} {
		row := "| " + name
		for _, domain := range nmr.Domains() {
			f := gold(t, data, domain)
			row += fmt.Sprintf(" | %d of %d (%.1f %%)", f.Missing, f.Mutations, 100*f.Rate.Value)
		}
		if row += " |"; !strings.Contains(string(text), row) {
			t.Errorf("docs/call-nmr.md does not have the row %q", row)
		}
	}
}

// mismatches lists where a table and a domain differ: tools that the domain does not have, and mutating tools of the
// agent's that the table does not list.
func mismatches(t *nmr.Table, w *domains.World) []string {
	var out []string
	for _, tool := range slices.Sorted(maps.Keys(t.Tools)) {
		if !w.Agent.Mutates(tool) {
			out = append(out, tool+" is no mutating tool of the agent's")
		}
		for _, n := range t.Tools[tool].Needs {
			for _, r := range n.Reads {
				for _, call := range r.Call {
					if _, ok := w.Agent.Tool(call); !ok || w.Agent.Mutates(call) {
						out = append(out, fmt.Sprintf("%s: need %s: %s is no read of the agent's", tool, n.ID, call))
					}
				}
			}
		}
	}
	for _, s := range w.Agent.Specs() {
		if _, ok := t.Tools[s.Name]; !ok && w.Agent.Mutates(s.Name) {
			out = append(out, s.Name+" is missing in the table")
		}
	}
	return out
}
