package checklist_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/agents/checklist"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/all"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/guide"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func embedded(t testing.TB, name string) *domains.World {
	t.Helper()
	d, err := all.Domain(name)
	if err != nil {
		t.Fatal(err)
	}
	return domaintest.Embedded(t, d, domains.Options{})
}

// TestShippedSets has no finding on any built-in set, with our own data and with the reference's.
func TestShippedSets(t *testing.T) {
	if len(checklist.Shipped()) < 3 {
		t.Fatalf("only %v have checklists", checklist.Shipped())
	}
	for _, name := range checklist.Shipped() {
		for _, source := range []string{"embedded", "tau2"} {
			t.Run(name+"/"+source, func(t *testing.T) {
				w := embedded(t, name)
				if source == "tau2" {
					d, err := all.Domain(name)
					if err != nil {
						t.Fatal(err)
					}
					w = domaintest.Real(t, d, domains.Options{})
				}
				set, err := checklist.For(w, "")
				if err != nil {
					t.Fatal(err)
				}
				inv, err := checklist.InventoryOf(w)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range checklist.Lint(set, inv) {
					t.Error(f)
				}
				if _, err := checklist.NewGuard(w, set, checklist.Without{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestGuardedTools pins the tools whose calls are checked: the fixed lists of the release are exactly the agent's tools
// that change something, with both sources of data.
func TestGuardedTools(t *testing.T) {
	for name, want := range map[string][]string{
		"airline": {"book_reservation", "cancel_reservation", "send_certificate", "update_reservation_baggages", "update_reservation_flights",
			"update_reservation_passengers"},
		"retail": {"cancel_pending_order", "exchange_delivered_order_items", "modify_pending_order_address", "modify_pending_order_items",
			"modify_pending_order_payment", "modify_user_address", "return_delivered_order_items"},
		"telecom": {"disable_roaming", "enable_roaming", "refuel_data", "resume_line", "send_payment_request", "suspend_line"},
	} {
		for _, solo := range []bool{false, name == "telecom"} {
			d, err := all.Domain(name)
			if err != nil {
				t.Fatal(err)
			}
			w := domaintest.Embedded(t, d, domains.Options{Solo: solo})
			if diff := cmp.Diff(want, checklist.Guarded(w)); diff != "" {
				t.Errorf("%s, solo %v (-release +ours):\n%s", name, solo, diff)
			}
			if _, ok := w.Agent.Tool("transfer_to_human_agents"); !ok {
				t.Errorf("%s has no transfer", name)
			}
		}
		t.Run(name+"/tau2", func(t *testing.T) {
			d, err := all.Domain(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, checklist.Guarded(domaintest.Real(t, d, domains.Options{}))); diff != "" {
				t.Errorf("(-release +ours):\n%s", diff)
			}
		})
	}
}

// TestCatalogIsCovered wants every row of the requirement catalogs in some file, but for those that no guarded call can
// be judged by: what follows a call, and the steps that a customer takes on a phone.
func TestCatalogIsCovered(t *testing.T) {
	exempt := map[string]func(row guide.Row) bool{
		"telecom": func(r guide.Row) bool {
			return strings.HasPrefix(r.ID, "TS") || slices.Contains([]string{"O4", "O5", "O6", "S3"}, r.ID)
		},
	}
	for _, name := range checklist.Shipped() {
		set, err := checklist.LoadShipped(name)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, b := range set.Rules.Behavior {
			note(named, b.Catalog)
		}
		for _, c := range set.Tools {
			for _, r := range c.Requirements {
				note(named, r.Catalog)
			}
		}
		catalog, err := guide.ShippedCatalog(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(named) == 0 || len(catalog.Rows) == 0 {
			t.Errorf("%s: %d of %d rows are named", name, len(named), len(catalog.Rows))
		}
		for _, r := range catalog.Rows {
			if out := exempt[name]; !named[r.ID] && (out == nil || !out(r)) {
				t.Errorf("%s: no file has row %s: %s", name, r.ID, r.Text)
			}
		}
	}
}

func note(into map[string]bool, ids []string) {
	for _, id := range ids {
		into[id] = true
	}
}

// TestTextReadsBack writes every built-in file and reads it again.
func TestTextReadsBack(t *testing.T) {
	for _, name := range checklist.Shipped() {
		set, err := checklist.LoadShipped(name)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{checklist.RulesFile: []byte(set.Rules.Text(true))}
		for _, c := range set.Tools {
			files[checklist.FileOf(c.Tool)] = []byte(c.Text(true))
		}
		again, err := checklist.Parse(name, files)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(set, again); diff != "" {
			t.Errorf("%s (-read +read again):\n%s", name, diff)
		}
		if text := set.Tools[0].Text(false); strings.Contains(text, "catalog") {
			t.Errorf("a model is shown catalog references:\n%s", text)
		}
	}
}

// TestParseNamesFileAndField breaks a good file in many ways.
func TestParseNamesFileAndField(t *testing.T) {
	const head = "tool: create_task\ndescription: Adds a task.\n"
	const good = head + "requirements:\n  - name: title\n    details: The title.\n    verification: The member gave it.\n"
	for _, c := range []struct {
		name, file, text, want string
	}{
		{"good", "create_task.yaml", good, ""},
		{"unknown key", "create_task.yaml", good + "colour: red\n", "create_task.yaml:7:1: error: unknown key \"colour\"\nhint: use one of description, requirements, tool"},
		{"unknown key within", "create_task.yaml", good + "    proof: x\n", "create_task.yaml:7:5: requirements[0]: error: unknown key \"proof\""},
		{"duplicate key", "create_task.yaml", good + "tool: create_task\n", "is there twice"},
		{"not a mapping", "create_task.yaml", "- a\n", "create_task.yaml:1:1: error: this is a list, not a map"},
		{"empty", "create_task.yaml", "# nothing\n", "the file is empty"},
		{"two documents", "create_task.yaml", good + "---\n" + good, "second YAML document"},
		{"anchor", "create_task.yaml", head + "requirements: &a [*a]\n", "alias *a has no anchor"},
		{"not UTF-8", "create_task.yaml", "tool: \xff\n", "not UTF-8"},
		{"syntax", "create_task.yaml", "tool: [\n", "create_task.yaml:2:1: error: "},
		{"number for a text", "create_task.yaml", strings.Replace(good, "The title.", "7", 1), "requirements[0].details: error: this is 7, not a text"},
		{"mapping for a text", "create_task.yaml", strings.Replace(good, "The title.", "[policy.md: 4]", 1), "requirements[0].details: error: this is a list, not a text"},
		{"empty text", "create_task.yaml", strings.Replace(good, "The title.", `" "`, 1), "requirements[0].details: error: it is empty"},
		{"two primary fields", "create_task.yaml", good + "    rule: Also.\n", "it has both details and rule"},
		{"no primary field", "create_task.yaml", strings.Replace(good, "    details: The title.\n", "", 1), "requirements[0]: error: it does not say what it asks for"},
		{"no verification", "create_task.yaml", strings.Replace(good, "    verification: The member gave it.\n", "", 1), "requirements[0].verification: error: it is missing\nhint: say how the conversation shows"},
		{"no name", "create_task.yaml", strings.Replace(good, "name: title\n    ", "", 1), "requirements[0].name: error: it is missing"},
		{"same name twice", "create_task.yaml", good + "  - name: title\n    rule: R.\n    verification: V.\n", `requirements[1].name: error: "title" is there already`},
		{"no requirements", "create_task.yaml", head + "requirements: []\n", "requirements: error: there are none"},
		{"requirements no list", "create_task.yaml", head + "requirements: all\n", "requirements: error: this is the text \"all\", not a list"},
		{"no description", "create_task.yaml", strings.Replace(good, "description: Adds a task.\n", "", 1), "description: error: it is missing"},
		{"other tool", "create_task.yaml", strings.Replace(good, "tool: create_task", "tool: drop_task", 1), "create_task.yaml: tool: error: it is \"drop_task\"\nhint: name the file drop_task.yaml"},
		{"tool that reads", "get_users.yaml", strings.Replace(good, "tool: create_task", "tool: get_users", 1), `"get_users" is no tool of the agent's that changes data`},
		{"unknown look-up", "create_task.yaml", strings.Replace(good, "details: The title.", "tool: get_users|guess", 1), `requirements[0].tool: error: the agent has no tool "guess"`},
		{"unknown catalog row", "create_task.yaml", good + "    catalog: [Z9]\n", `requirements[0].catalog: error: "Z9" is no row of `},
		{"verified too late", "create_task.yaml", strings.Replace(good, "The member gave it.", "The task is listed after the call.", 1), "requirements[0].verification: warning: it speaks of what follows the call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := embedded(t, "mock")
			other, err := checklist.LoadShipped("mock")
			if err != nil {
				t.Fatal(err)
			}
			status, ok := other.Tool("update_task_status")
			if !ok {
				t.Fatal("no checklist for update_task_status")
			}
			dir := t.TempDir()
			for name, text := range map[string]string{checklist.RulesFile: other.Rules.Text(true), "create_task.yaml": good,
				"update_task_status.yaml": status.Text(true), c.file: c.text} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got := findings(t, w, dir)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if _, err := checklist.For(w, dir); (err != nil) != strings.Contains(got, "error: ") {
				t.Errorf("findings %q, error %v", got, err)
			}
		})
	}
}

// findings are all findings on a folder as one text.
func findings(t *testing.T, w *domains.World, dir string) string {
	t.Helper()
	set, err := checklist.LoadFolder(dir, w.Name)
	if err != nil {
		return err.Error()
	}
	inv, err := checklist.InventoryOf(w)
	if err != nil {
		t.Fatal(err)
	}
	return checklist.Lint(set, inv).Error()
}

func TestFoldersThatAreNone(t *testing.T) {
	w := embedded(t, "mock")
	dir := t.TempDir()
	if _, err := checklist.For(w, filepath.Join(dir, "nowhere")); err == nil || !strings.Contains(err.Error(), "give the folder that holds general_rules.yaml") {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := checklist.For(w, dir); err == nil || !strings.Contains(err.Error(), "general_rules.yaml: error: the file is missing") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, checklist.RulesFile), []byte("facts: [A fact.]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := checklist.For(w, dir); err == nil || !strings.Contains(err.Error(), "create_task.yaml: error: the file is missing, but create_task changes data") {
		t.Errorf("no checklists: %v", err)
	}
	if _, err := checklist.LoadShipped("railway"); err == nil || !strings.Contains(err.Error(), "choose one of airline, ") {
		t.Errorf("an unknown domain: %v", err)
	}
}

// FuzzParse wants no panic and no endless reading, and that what can be read is written and read the same.
func FuzzParse(f *testing.F) {
	for _, name := range checklist.Shipped() {
		set, err := checklist.LoadShipped(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range set.Tools {
			f.Add([]byte(c.Text(true)))
		}
	}
	f.Add([]byte("tool: [\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := checklist.ParseChecklist("x.yaml", text)
		if err != nil {
			return
		}
		again, err := checklist.ParseChecklist("x.yaml", []byte(c.Text(true)))
		if err != nil {
			if c.Tool == "" || c.Description == "" {
				return // left out, which only Lint minds
			}
			t.Fatalf("%v\n%s", err, c.Text(true))
		}
		if diff := cmp.Diff(c, again); diff != "" && c.Tool != "" && c.Description != "" && len(c.Requirements) > 0 {
			t.Errorf("(-read +read again):\n%s", diff)
		}
	})
}
