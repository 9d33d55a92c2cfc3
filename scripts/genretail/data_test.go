package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// The types below read the committed files with plain maps, apart from the
// types that wrote them.
type shop struct {
	Products map[string]struct {
		Name      string
		ProductID string `json:"product_id"`
		Variants  map[string]struct {
			ItemID    string `json:"item_id"`
			Options   map[string]string
			Available bool
			Price     float64
		}
	}
	Users map[string]struct {
		UserID         string `json:"user_id"`
		Name           struct{ First_name, Last_name string }
		Address        struct{ Zip string }
		Email          string
		PaymentMethods map[string]struct {
			Source, ID string
			Balance    *float64
		} `json:"payment_methods"`
		Orders []string
	}
	Orders map[string]struct {
		OrderID string `json:"order_id"`
		UserID  string `json:"user_id"`
		Items   []struct {
			Name      string
			ProductID string `json:"product_id"`
			ItemID    string `json:"item_id"`
			Price     float64
			Options   map[string]string
		}
		Status       string
		Fulfillments []struct {
			ItemIDs []string `json:"item_ids"`
		}
		History []payment `json:"payment_history"`
	}
}

type storedTask struct {
	ID       string
	Scenario struct {
		Instructions struct{ Domain, Reason_for_call, Known_info, Task_instructions string }
	} `json:"user_scenario"`
	Criteria struct {
		Actions []struct {
			ActionID  string `json:"action_id"`
			Name      string
			Arguments map[string]any
			Requestor string
		}
		Communicate []string `json:"communicate_info"`
		Assertions  []string `json:"nl_assertions"`
		Basis       []string `json:"reward_basis"`
	} `json:"evaluation_criteria"`
	Temptation []struct {
		Name      string
		Arguments map[string]any
	}
}

func load[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	body, err := os.ReadFile(committed(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func TestDatabaseSize(t *testing.T) {
	db := load[shop](t, "db.json")
	states, sources := map[string]int{}, map[string]int{}
	repeated, twoOfAKind := 0, 0
	names := map[string][]string{}
	for _, o := range db.Orders {
		states[o.Status]++
		ids := map[string]bool{}
		for _, it := range o.Items {
			ids[it.ItemID] = true
		}
		if len(ids) < len(o.Items) {
			repeated++
		}
	}
	for _, u := range db.Users {
		own := map[string]int{}
		for _, m := range u.PaymentMethods {
			sources[m.Source]++
			own[m.Source]++
		}
		if own["credit_card"] > 1 || own["paypal"] > 1 || own["gift_card"] > 1 {
			twoOfAKind++
		}
		name := u.Name.First_name + " " + u.Name.Last_name
		if slices.Contains(names[name], u.Address.Zip) {
			t.Errorf("two customers are called %s in %s", name, u.Address.Zip)
		}
		names[name] = append(names[name], u.Address.Zip)
	}
	namesakes := 0
	for _, zips := range names {
		if len(zips) > 1 {
			namesakes++
		}
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"users", len(db.Users), 70}, {"orders", len(db.Orders), 180}, {"products", len(db.Products), 26},
		{"pending orders", states["pending"], 40}, {"processed orders", states["processed"], 20},
		{"delivered orders", states["delivered"], 40}, {"cancelled orders", states["cancelled"], 10},
		{"credit cards", sources["credit_card"], 20}, {"gift cards", sources["gift_card"], 20}, {"paypal accounts", sources["paypal"], 20},
		{"orders with a repeated item", repeated, 5}, {"users with two methods of a kind", twoOfAKind, 5}, {"shared names", namesakes, 3},
	} {
		if c.got < c.want {
			t.Errorf("%d %s, want at least %d", c.got, c.what, c.want)
		}
	}
}

func TestProducts(t *testing.T) {
	db := load[shop](t, "db.json")
	owner := map[string]string{}
	for id, p := range db.Products {
		if id != p.ProductID || p.Name == "" {
			t.Errorf("product %s is stored as %s (%q)", p.ProductID, id, p.Name)
		}
		if n := len(p.Variants); n < 4 || n > 12 {
			t.Errorf("%s has %d variants, want 4 to 12", p.Name, n)
		}
		looks := map[string]bool{}
		for itemID, v := range p.Variants {
			if owner[itemID] != "" || db.Products[itemID].Name != "" {
				t.Errorf("id %s is used twice", itemID)
			}
			owner[itemID] = id
			look := fmt.Sprint(v.Options)
			if looks[look] {
				t.Errorf("%s has two variants %s", p.Name, look)
			}
			looks[look] = true
			if itemID != v.ItemID || v.Price <= 0 || len(v.Options) == 0 {
				t.Errorf("variant %s of %s: %+v", itemID, p.Name, v)
			}
		}
	}
}

func TestOrdersFitTogether(t *testing.T) {
	db := load[shop](t, "db.json")
	listed := 0
	for id, u := range db.Users {
		if id != u.UserID || len(u.PaymentMethods) == 0 {
			t.Errorf("user %s: stored as %s with %d payment methods", u.UserID, id, len(u.PaymentMethods))
		}
		for key, m := range u.PaymentMethods {
			if key != m.ID || (m.Source == "gift_card") != (m.Balance != nil) {
				t.Errorf("payment method %s of %s: %+v", key, id, m)
			}
		}
		listed += len(u.Orders)
		for _, o := range u.Orders {
			if db.Orders[o].UserID != id {
				t.Errorf("order %s is listed by %s but belongs to %q", o, id, db.Orders[o].UserID)
			}
		}
	}
	if listed != len(db.Orders) {
		t.Errorf("users list %d orders, the database has %d", listed, len(db.Orders))
	}
	for id, o := range db.Orders {
		total, ids := 0.0, []string{}
		for _, it := range o.Items {
			total += it.Price
			ids = append(ids, it.ItemID)
			p := db.Products[it.ProductID]
			if v, ok := p.Variants[it.ItemID]; !ok || p.Name != it.Name || fmt.Sprint(v.Options) != fmt.Sprint(it.Options) {
				t.Errorf("order %s: item %s does not match the catalogue", id, it.ItemID)
			}
		}
		if id != o.OrderID || len(o.Items) == 0 || len(o.History) == 0 {
			t.Fatalf("order %s is incomplete: %+v", id, o)
		}
		for _, p := range o.History {
			if _, ok := db.Users[o.UserID].PaymentMethods[p.PaymentMethodID]; !ok || math.Abs(p.Amount-math.Round(total*100)/100) > 1e-9 {
				t.Errorf("order %s: payment %+v, total %.2f", id, p, total)
			}
		}
		var sent []string
		for _, f := range o.Fulfillments {
			sent = append(sent, f.ItemIDs...)
		}
		shipped := o.Status != "pending" && o.Status != "cancelled"
		if shipped && !slices.Equal(sent, ids) || !shipped && len(sent) > 0 {
			t.Errorf("order %s is %s: shipped %v of %v", id, o.Status, sent, ids)
		}
	}
}

func TestTasks(t *testing.T) {
	tasks := load[[]storedTask](t, "tasks.json")
	used := map[string]bool{}
	pv, judged, tempted := 0, 0, 0
	for _, k := range tasks {
		writes := 0
		for _, a := range k.Criteria.Actions {
			if mutating(a.Name) {
				writes++
				used[a.Name] = true
			}
			if a.ActionID == "" || a.Requestor != "assistant" || len(a.Arguments) == 0 {
				t.Errorf("%s: action %+v", k.ID, a)
			}
		}
		for _, c := range k.Temptation {
			if !mutating(c.Name) {
				t.Errorf("%s: temptation %s changes nothing", k.ID, c.Name)
			}
		}
		in := k.Scenario.Instructions
		if in.Domain != "retail" || in.Reason_for_call == "" || in.Known_info == "" || in.Task_instructions == "" {
			t.Errorf("%s: scenario %+v", k.ID, in)
		}
		for _, s := range k.Criteria.Communicate {
			if strings.Contains(s, ",") {
				t.Errorf("%s: figure %q has a comma, which no message can match", k.ID, s)
			}
		}
		if judge := slices.Contains(k.Criteria.Basis, "NL_ASSERTION"); judge != (len(k.Criteria.Assertions) > 0) {
			t.Errorf("%s: basis %v with assertions %q", k.ID, k.Criteria.Basis, k.Criteria.Assertions)
		} else if judge {
			judged++
		}
		switch {
		case writes == 0 && len(k.Temptation) == 0:
			t.Errorf("%s: no change is right, but there is no temptation either", k.ID)
		case writes == 0:
			pv++
		case len(k.Temptation) > 0:
			tempted++
		}
	}
	if len(tasks) != 16 || pv != 7 || judged != 2 || tempted < 4 {
		t.Errorf("%d tasks, %d without changes, %d judged, %d tempting ones with changes; want 16, 7, 2, at least 4", len(tasks), pv, judged, tempted)
	}
	for _, name := range mutatingTools() {
		if !used[name] {
			t.Errorf("no plan uses %s", name)
		}
	}
}

func TestSplits(t *testing.T) {
	splits := load[map[string][]string](t, "split_tasks.json")
	var ids []string
	for _, k := range load[[]storedTask](t, "tasks.json") {
		ids = append(ids, k.ID)
	}
	if !slices.Equal(splits["base"], ids) {
		t.Errorf("base is %v, want all tasks", splits["base"])
	}
	parts := slices.Sorted(slices.Values(slices.Concat(splits["train"], splits["test"])))
	if !slices.Equal(parts, slices.Sorted(slices.Values(ids))) || len(splits["test"]) == 0 || len(splits["train"]) == 0 || len(splits) != 3 {
		t.Errorf("train and test do not part the tasks: %v", splits)
	}
}

func TestPolicyMatchesData(t *testing.T) {
	body, err := os.ReadFile(committed("policy.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		fmt.Sprintf("Products** come in %d types", len(load[shop](t, "db.json").Products)),
		"YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.",
		`"no longer needed"`, `"ordered by mistake"`, `"pending (item modified)"`, `"return requested"`, `"exchange requested"`,
		"never more than a single tool call",
	}
	for _, s := range want {
		if !strings.Contains(string(body), s) {
			t.Errorf("the policy does not say %q", s)
		}
	}
}
