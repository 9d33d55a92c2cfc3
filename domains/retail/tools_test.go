package retail_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/value"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shop is a database that a reader can keep in mind: a customer with a method of each kind, and an order of each status.
const shop = `{
 "products": {
  "cup": {"name": "Cup", "product_id": "cup", "variants": {
   "red": {"item_id": "red", "options": {"colour": "red"}, "available": true, "price": 10.1},
   "blue": {"item_id": "blue", "options": {"colour": "blue"}, "available": true, "price": 17.3},
   "gold": {"item_id": "gold", "options": {"colour": "gold"}, "available": true, "price": 60.11},
   "gone": {"item_id": "gone", "options": {"colour": "grey"}, "available": false, "price": 1},
   "thin": {"item_id": "thin", "options": {"colour": "white"}, "available": true, "price": 3.05},
   "same": {"item_id": "same", "options": {"colour": "rose"}, "available": true, "price": 10.1}}},
  "art": {"name": "Art", "product_id": "art", "variants": {"print": {"item_id": "print", "options": {}, "available": true, "price": 5}}}
 },
 "users": {
  "kim": {"user_id": "kim", "name": {"first_name": "Kim", "last_name": "Oak"}, "email": "Kim@example.org", "orders": ["P", "D"],
   "address": {"address1": "1 Lane", "address2": "", "city": "Ely", "country": "USA", "state": "NY", "zip": "10001"},
   "payment_methods": {"card": {"source": "credit_card", "id": "card", "brand": "visa", "last_four": "1234"}, "pal": {"source": "paypal", "id": "pal"},
    "fifty": {"source": "gift_card", "id": "fifty", "balance": 50.01}, "full": {"source": "gift_card", "id": "full", "balance": 25.2}}},
  "kai": {"user_id": "kai", "name": {"first_name": "Kim", "last_name": "Elm"}, "email": "kai@example.org", "orders": [],
   "address": {"address1": "2 Lane", "address2": "b", "city": "Ely", "country": "USA", "state": "NY", "zip": "10002"}, "payment_methods": {}}
 },
 "orders": {ORDERS}
}`

// order is one of Kim's, of a red cup twice and a print.
const order = `"ID": {"order_id": "ID", "user_id": "kim", "address": {"address1": "1 Lane", "address2": "", "city": "Ely", "country": "USA", "state": "NY", "zip": "10001"},
 "items": [{"name": "Cup", "product_id": "cup", "item_id": "red", "price": 10.1, "options": {"colour": "red"}}, {"name": "Cup", "product_id": "cup", "item_id": "red", "price": 10.1, "options": {"colour": "red"}},
  {"name": "Art", "product_id": "art", "item_id": "print", "price": 5, "options": {}}],
 "status": "STATUS", "fulfillments": [], "payment_history": [PAID]}`

func small(t *testing.T) *domains.World {
	t.Helper()
	paid := func(method string) string {
		return `{"transaction_type": "payment", "amount": 25.2, "payment_method_id": "` + method + `"}`
	}
	var orders []string
	for _, o := range [][3]string{
		{"P", "pending", paid("card")}, {"G", "pending", paid("fifty")}, {"M", "pending (item modified)", paid("card")}, {"D", "delivered", paid("card")}, {"X", "processed", paid("card")},
		{"TWO", "pending", paid("card") + "," + paid("fifty")}, {"BACK", "pending", strings.Replace(paid("card"), `"payment"`, `"refund"`, 1)},
		{"LOST", "pending", paid("theirs")}, {"FREE", "delivered", ""},
	} {
		orders = append(orders, strings.NewReplacer("ID", o[0], "STATUS", o[1], "PAID", o[2]).Replace(order))
	}
	db := strings.Replace(shop, "ORDERS", strings.Join(orders, ",\n"), 1)
	dir := t.TempDir()
	folder := filepath.Join(dir, "tau2", "domains", "retail")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"db.json": db, "policy.md": "Be kind.", "tasks.json": `[{"id": "1", "user_scenario": {"instructions": "x"}, "evaluation_criteria": {"actions": []}}]`, "split_tasks.json": `{"base": ["1"]}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := domains.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := retail.Domain().Open(data, domains.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestTools pins what every tool answers in the cases that it tells apart, and the customer's gift cards after a change. Each
// paragraph of the file of calls starts afresh.
func TestTools(t *testing.T) {
	w := small(t)
	text, err := os.ReadFile(filepath.Join("testdata", "calls.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	tried := map[string]bool{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		env, err := w.New(&w.Tasks[0])
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			out.WriteString(line + "\n")
			at := strings.IndexByte(line, '{')
			if strings.HasPrefix(line, "#") {
				continue
			}
			args, err := value.ParseString(line[at:])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			call := func(name string, args value.Value) domains.ToolResult {
				return env.Call(domains.AgentSide, domains.ToolCall{ID: "1", Name: name, Arguments: args, Requestor: domains.AgentSide})
			}
			before, _ := env.Hash(domains.AgentSide)
			r := call(line[:at], args)
			tried[line[:at]] = true
			out.WriteString("  " + r.Content + "\n")
			after, _ := env.Hash(domains.AgentSide)
			if after == before {
				continue
			}
			if r.Error {
				out.WriteString("  and yet something changed\n")
			}
			kim, _ := value.ParseString(`{"user_id": "kim"}`)
			_, methods, _ := strings.Cut(call("get_user_details", kim).Content, `"fifty"`)
			methods, _, _ = strings.Cut(methods, "}}")
			out.WriteString("  fifty" + methods + "\n")
		}
		out.WriteString("\n")
	}
	for _, s := range w.Agent.Specs() {
		if !tried[s.Name] && s.Name != "calculate" && s.Name != "transfer_to_human_agents" {
			t.Errorf("%s is not tried", s.Name)
		}
	}
	file := filepath.Join("testdata", "answers.txt")
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOpening: there is no solo mode, and files that are not there are named.
func TestOpening(t *testing.T) {
	if _, err := retail.Domain().Open(domains.Embedded(), domains.Options{Solo: true}); err == nil || err.Error() != "Retail domain does not support solo mode" {
		t.Errorf("solo: %v", err)
	}
	for _, gone := range []string{"policy.md", "db.json", "tasks.json"} {
		dir := t.TempDir()
		folder := filepath.Join(dir, "tau2", "domains", "retail")
		if err := os.CopyFS(folder, os.DirFS("data")); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(folder, gone)); err != nil {
			t.Fatal(err)
		}
		data, err := domains.Folder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := retail.Domain().Open(data, domains.Options{}); err == nil || !strings.Contains(err.Error(), gone) {
			t.Errorf("without %s: %v", gone, err)
		}
	}
	w := small(t)
	if _, err := w.New(&w.Tasks[0]); err != nil || w.Policy != "Be kind." || w.Name != "retail" {
		t.Errorf("%s, policy %q, %v", w.Name, w.Policy, err)
	}
}
