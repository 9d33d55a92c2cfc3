package checks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

func TestRetailCatalog(t *testing.T) {
	c, err := guide.ShippedCatalog("retail")
	if err != nil {
		t.Fatal(err)
	}
	sections, classes, subtypes := map[string]int{}, map[guide.Class]int{}, map[string]int{}
	for _, r := range c.Rows {
		sections[r.ID[:1]]++
		classes[r.Class]++
		subtypes[r.Subtype]++
	}
	if d := cmp.Diff(map[string]int{"G": 7, "N": 3, "C": 2, "M": 9, "R": 3, "E": 4}, sections); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[guide.Class]int{guide.ProcessLevel: 27, guide.WorkflowLevel: 1}, classes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]int{"D": 13, "T": 14, "D+T": 1}, subtypes); d != "" {
		t.Error(d)
	}
}

func TestRetailDecidable(t *testing.T) {
	g := checkerFor(t, domaintest.Embedded(t, retail.Domain(), domains.Options{})).Graph()
	decidable, evaluated := g.Share()
	t.Logf("%d of %d evaluated nodes are decidable", decidable, evaluated)
	if 5*decidable < 4*evaluated {
		t.Errorf("%d of %d evaluated nodes are decidable, want 80 %%", decidable, evaluated)
	}
}

func retailWorlds() map[string]func(testing.TB) *domains.World {
	return map[string]func(testing.TB) *domains.World{
		"tau2":     func(t testing.TB) *domains.World { return domaintest.Real(t, retail.Domain(), domains.Options{}) },
		"embedded": func(t testing.TB) *domains.World { return domaintest.Embedded(t, retail.Domain(), domains.Options{}) },
	}
}

// retailMisses are gold changes that the policy does not allow and that fail in the reference too
// (docs/faithfulness.md).
func retailMisses(data string) map[string]string {
	if data != "tau2" {
		return map[string]string{}
	}
	return map[string]string{
		"64 exchange_delivered_order_items #W7464385":  "exchange.is_delivered",             // the order is pending
		"105 exchange_delivered_order_items #W4316152": "exchange.replace.gift_card_covers", // the card holds less than the difference
	}
}

// shopGold runs a task's plan as a compliant agent and asks for each change whether it is due.
func shopGold(k *clerk, actions []domains.Action, judge func(a domains.Action, key string)) {
	if !slices.ContainsFunc(actions, func(a domains.Action) bool { return strings.HasPrefix(a.Name, "find_user_id") }) {
		k.identify()
	}
	for _, a := range actions {
		if !k.mutates(a) {
			k.follow(a)
			continue
		}
		args := shopArgs(a.Arguments)
		k.prepare(a.Name, args)
		record, _ := args["order_id"].(string)
		judge(a, strings.TrimSpace(a.Name+" "+record))
	}
}

func shopCustomer(db map[string]any, actions []domains.Action) string {
	for _, a := range actions {
		if id := shopOwner(db, a); id != "" {
			return id
		}
	}
	return ""
}

// Every change of a gold plan is due once a compliant conversation has led up to it, and its request is done after it;
// whether the summary names items by their ids or describes them.
func TestRetailGold(t *testing.T) {
	for name, open := range retailWorlds() {
		for _, wordy := range []bool{false, true} {
			style := map[bool]string{false: "ids", true: "words"}[wordy]
			t.Run(name+"/"+style, func(t *testing.T) {
				w := open(t)
				c, db := checkerFor(t, w), content(w)
				writes, due := 0, 0
				misses := map[string]string{}
				for i := range w.Tasks {
					task := &w.Tasks[i]
					actions := task.Criteria.Actions
					k := newClerk(t, w, db, c, task, shopCustomer(db, actions))
					k.wordy = wordy
					k.user("Hello, I need your help.")
					shopGold(k, actions, func(a domains.Action, key string) {
						writes++
						ok, why := k.due(a.Name, a.Arguments)
						if ok {
							due++
						} else {
							node, _, _ := strings.Cut(why, ":")
							misses[task.ID+" "+key] = node
						}
						if res := k.call(a.Name, a.Arguments); res.Error == ok {
							t.Errorf("task %s: %s is authorized: %v, its result is %q", task.ID, key, ok, res.Content)
						}
						if _, why := k.due(a.Name, a.Arguments); ok && why != "the request counts as done already" {
							t.Errorf("task %s: %s was made, but the request rests at %s", task.ID, key, why)
						}
					})
				}
				t.Logf("%d of %d gold changes are authorized", due, writes)
				if writes == 0 {
					t.Fatal("no task changes anything")
				}
				if d := cmp.Diff(retailMisses(name), misses); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// The first change of every gold plan is withheld if any part of what leads up to it is left out.
func TestRetailGoldWithoutAStep(t *testing.T) {
	needs := map[string][]string{
		"cancel_pending_order":           {"identity", "order", "summary", "yes"},
		"modify_pending_order_address":   {"identity", "order", "address", "summary", "yes"},
		"modify_pending_order_payment":   {"identity", "order", "profile", "summary", "yes"},
		"modify_pending_order_items":     {"identity", "order", "profile", "products", "reminder", "summary", "yes"},
		"exchange_delivered_order_items": {"identity", "order", "profile", "products", "reminder", "summary", "yes"},
		"return_delivered_order_items":   {"identity", "order", "summary", "yes"},
		"modify_user_address":            {"identity", "summary", "yes"},
	}
	for name, open := range retailWorlds() {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			c, db := checkerFor(t, w), content(w)
			n := 0
			for i := range w.Tasks {
				actions := w.Tasks[i].Criteria.Actions
				at := slices.IndexFunc(actions, func(a domains.Action) bool { return w.Agent.Mutates(a.Name) })
				if at < 0 {
					continue
				}
				a := actions[at]
				for _, part := range needs[a.Name] {
					k := newClerk(t, w, db, c, &w.Tasks[i], shopOwner(db, a))
					k.without = []string{part}
					if part == "identity" && a.Name == "modify_user_address" {
						k.without = append(k.without, "profile")
					}
					k.user("Hello, I need your help.")
					k.identify()
					k.prepare(a.Name, shopArgs(a.Arguments))
					if ok, _ := k.due(a.Name, a.Arguments); ok {
						t.Errorf("task %s: %s is authorized without %s", w.Tasks[i].ID, a.Name, part)
					}
					n++
				}
			}
			t.Logf("%d conversations without a step", n)
			if n == 0 {
				t.Fatal("no task changes anything")
			}
		})
	}
}

// retailCall is a call in testdata.
type retailCall struct {
	Name      string         `yaml:"name"`
	Arguments map[string]any `yaml:"arguments"`
}

func (c retailCall) args(t testing.TB) value.Value {
	t.Helper()
	text, err := yaml.MarshalWithOptions(c.Arguments, yaml.JSON())
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// retailViolation is a call that the policy forbids in a conversation in which everything else has been done.
type retailViolation struct {
	Name        string       `yaml:"name"`
	Requirement string       `yaml:"requirement"`
	Customer    string       `yaml:"customer"` // who is writing
	Before      []retailCall `yaml:"before"`   // changes and reads that are made first, as they should be
	Without     []string     `yaml:"without"`  // parts that the agent leaves out
	Says        []string     `yaml:"says"`     // what the customer claims
	Asks        string       `yaml:"asks"`     // what the agent sets out in place of the call
	Recants     bool         `yaml:"recants"`  // the change is set out again and the customer says no
	Beside      bool         `yaml:"beside"`   // the summary stands beside a tool call
	Call        retailCall   `yaml:"call"`
	Rests       string       `yaml:"rests"` // node that withholds it
}

func TestRetailViolations(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "retail_violations.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []retailViolation
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if len(all) < 30 {
		t.Fatalf("%d violating calls, want at least 30", len(all))
	}
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	c, db := checkerFor(t, w), content(w)
	catalog, err := guide.ShippedCatalog("retail")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, v := range all {
		rows[v.Requirement] = true
		t.Run(v.Name, func(t *testing.T) {
			k := newClerk(t, w, db, c, &w.Tasks[0], v.Customer)
			k.user("Hello, I need your help.")
			k.without = v.Without
			k.identify()
			k.without = nil
			for _, b := range v.Before {
				before := domains.Action{Name: b.Name, Arguments: b.args(t), Requestor: domains.AgentSide}
				if !k.mutates(before) {
					k.call(b.Name, b.args(t))
					continue
				}
				k.prepare(b.Name, b.Arguments)
				if ok, why := k.due(b.Name, b.args(t)); !ok {
					t.Fatalf("%s should be due before: %s", b.Name, why)
				}
				if res := k.call(b.Name, b.args(t)); res.Error {
					t.Fatalf("%s: %s", b.Name, res.Content)
				}
			}
			for _, s := range v.Says {
				k.user(s)
			}
			k.without, k.beside = v.Without, v.Beside
			k.prepare(v.Call.Name, shopArgs(v.Call.args(t)))
			if v.Recants {
				k.agent("So I will " + k.summary(v.Call.Name, shopArgs(v.Call.args(t))) + ", right?")
				k.user("No, wait. I have changed my mind about that.")
			}
			if v.Asks != "" {
				k.agent(v.Asks)
				k.user("Yes, please.")
			}
			ok, why := k.due(v.Call.Name, v.Call.args(t))
			if ok {
				t.Fatalf("%s is authorized against %s", v.Call.Name, v.Requirement)
			}
			node, _, _ := strings.Cut(why, ":")
			if node != v.Rests && why != v.Rests {
				t.Errorf("withheld at %s, want %s", why, v.Rests)
			}
			if n, found := c.Graph().Node(node); found && !slices.Contains(n.Policy, v.Requirement) {
				t.Errorf("%s does not enforce %s", node, v.Requirement)
			}
		})
	}
	covered := 0
	for _, r := range catalog.Rows {
		if rows[r.ID] {
			covered++
		}
	}
	t.Logf("%d violating calls against %d requirements", len(all), covered)
}

// retailTemptations are the embedded tasks' tempting calls that are not withheld: they break no rule by themselves,
// the customer has just not asked for them.
func retailTemptations() []string {
	return []string{
		"cancel-processed-order modify_user_address",               // another request than the one that was declined
		"return-from-cancelled-order return_delivered_order_items", // the customer wants to keep the item of that order
		"kettle-for-toaster modify_pending_order_items",            // another kettle, which the customer does not want
		"gift-card-too-small modify_pending_order_payment",         // the customer wants no other way of paying
	}
}

// The tempting calls of the embedded tasks are withheld although the customer says yes to them.
func TestRetailTemptations(t *testing.T) {
	w := domaintest.Embedded(t, retail.Domain(), domains.Options{})
	c, db := checkerFor(t, w), content(w)
	var passed []string
	n := 0
	for i := range w.Tasks {
		task := &w.Tasks[i]
		for _, a := range task.Temptation {
			n++
			k := newClerk(t, w, db, c, task, shopCustomer(db, task.Criteria.Actions))
			k.without = []string{"reason"} // the customer says no more than they know
			k.user(briefOf(task))
			shopGold(k, task.Criteria.Actions, func(a domains.Action, _ string) { k.call(a.Name, a.Arguments) })
			k.prepare(a.Name, shopArgs(a.Arguments))
			ok, why := k.due(a.Name, a.Arguments)
			t.Logf("%s: %s: due %v %s", task.ID, a.Name, ok, why)
			if ok {
				passed = append(passed, task.ID+" "+a.Name)
			}
		}
	}
	t.Logf("%d of %d tempting calls are withheld", n-len(passed), n)
	if d := cmp.Diff(retailTemptations(), passed); d != "" {
		t.Error(d)
	}
}
