package checks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/guide/audit"
)

// The catalogs have the rows of the published partitions: by class, and by section or subtype.
func TestCatalogs(t *testing.T) {
	for domain, want := range map[string]map[string]int{
		"airline": {"A": 14, "P": 27, "W": 2, "G*": 5, "B*": 13, "M*": 13, "C*": 5, "R*": 7},
		"retail":  {"P": 27, "W": 1, "G*": 7, "N*": 3, "C*": 2, "M*": 9, "R*": 3, "E*": 4, "P D": 12, "P T": 14},
		"telecom": {"A": 1, "P": 22, "W": 27, "P D": 9, "P T": 10, "P D+T": 3, "W D": 4, "W T": 9, "W D+T": 14},
	} {
		c, err := guide.ShippedCatalog(domain)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, r := range c.Rows {
			for _, key := range []string{string(r.Class), r.ID[:1] + "*", string(r.Class) + " " + r.Subtype} {
				got[key]++
			}
			if domain == "telecom" && (len(r.Lines["tau2"]) == 0 || len(r.Lines["embedded"]) == 0) {
				t.Errorf("row %s lacks lines of a source", r.ID)
			}
		}
		for key, n := range want {
			if got[key] != n {
				t.Errorf("%s: %d rows of %s, want %d", domain, got[key], key, n)
			}
		}
	}
}

func TestDecidable(t *testing.T) {
	for _, domain := range audit.Domains() {
		decidable, evaluated := checkerFor(t, open(t, "embedded", domain)).Graph().Share()
		if 5*decidable < 4*evaluated {
			t.Errorf("%s: %d of %d evaluated nodes are decidable, want 80 %%", domain, decidable, evaluated)
		}
	}
}

// The first change of every gold plan is withheld if any part of what leads up to it is left out (docs/faithfulness.md
// counts the conversations).
func TestGoldWithoutAStep(t *testing.T) {
	swap := []string{"identity", "order", "profile", "products", "reminder", "summary", "yes"}
	airline := []string{"id", "profile", "reads", "summary", "yes"}
	for _, tt := range []struct {
		domain         string
		tau2, embedded int
		steps          map[string][]string // by tool, "" for all others
	}{
		{"airline", 130, 35, map[string][]string{"": airline}},
		{"retail", 562, 46, map[string][]string{
			"cancel_pending_order":           {"identity", "order", "summary", "yes"},
			"modify_pending_order_address":   {"identity", "order", "address", "summary", "yes"},
			"modify_pending_order_payment":   {"identity", "order", "profile", "summary", "yes"},
			"modify_pending_order_items":     swap,
			"exchange_delivered_order_items": swap,
			"return_delivered_order_items":   {"identity", "order", "summary", "yes"},
			"modify_user_address":            {"identity", "summary", "yes"},
		}},
		{"telecom", 298, 18, map[string][]string{
			"send_payment_request": {"identity", "bills", "proposal"},
			"enable_roaming":       {"identity", "lines"},
			"refuel_data":          {"identity", "lines", "amount", "plan", "proposal"},
		}},
	} {
		for data, want := range map[string]int{"tau2": tt.tau2, "embedded": tt.embedded} {
			t.Run(data+"/"+tt.domain, func(t *testing.T) {
				w := open(t, data, tt.domain)
				stage := stageOf(t, w)
				n := 0
				for i := range w.Tasks {
					changes := changesOf(w, &w.Tasks[i])
					if len(changes) == 0 {
						continue
					}
					first := changes[0]
					steps, ok := tt.steps[first.Name]
					if !ok {
						steps = tt.steps[""]
					}
					for _, step := range steps {
						n++
						d := converse(t, stage, &w.Tasks[i], step)
						prepareFirst(d, first)
						due, stop := d.Due(first)
						if due || tt.domain == "airline" && !restsRightly(step, stop.Node) {
							t.Errorf("task %s: %s without %s: authorized %v, rests at %s: %s", d.Task.ID, first.Name, step, due, stop.Node, stop.Note)
						}
					}
				}
				if n != want {
					t.Errorf("%d conversations without a step, want %d", n, want)
				}
			})
		}
	}
}

// prepareFirst opens a conversation and prepares a change of the plan that nothing else of the plan comes before.
func prepareFirst(d *audit.Conversation, c domains.ToolCall) {
	switch a := audit.AgentOf(d).(type) {
	case *audit.Retail:
		if slices.Contains(d.Without, "identity") && c.Name == "modify_user_address" {
			d.Without = append(d.Without, "profile")
		}
		a.Answer("Hello, I need your help.")
		a.Identify()
		a.Prepare(c)
	case *audit.Telecom:
		a.Answer("I need your help.")
		a.Identify()
		a.Prepare(c)
	default:
		a.Begin()
		a.Prepare(c)
	}
}

// restsRightly reports whether a walk that rests at a node of the airline's says what is missing where a step was left out.
func restsRightly(step, node string) bool {
	return map[string]bool{
		"id":      node == "identify.ask_user_id" || node == "identify.load_profile",
		"profile": node == "identify.load_profile",
		"reads":   strings.HasSuffix(node, "reservation.load") || node == "book.search_flights" || node == "compensation.look_up",
		"summary": strings.HasSuffix(node, "agree.summarize"),
		"yes":     strings.HasSuffix(node, "agree.confirm"),
	}[step]
}

// Retail plans are authorized also where the summary names items and methods by their ids; audit.TestGold describes them.
func TestRetailGoldByID(t *testing.T) {
	w := open(t, "tau2", "retail")
	stage := stageOf(t, w)
	var withheld []string
	for i := range w.Tasks {
		d := converse(t, stage, &w.Tasks[i])
		k := audit.AgentOf(d).(*audit.Retail)
		k.ByID = true
		if len(changesOf(w, d.Task)) == 0 {
			continue
		}
		k.Begin()
		for _, a := range d.Task.Criteria.Actions {
			if !w.Agent.Mutates(a.Name) {
				k.Follow(a)
				continue
			}
			k.Prepare(a.Call())
			if due, stop := d.Due(a.Call()); !due {
				withheld = append(withheld, d.Task.ID+" "+stop.Node)
			}
			d.Do(a.Name, a.Arguments)
		}
	}
	if diff := cmp.Diff([]string{"64 exchange.is_delivered", "105 exchange.replace.gift_card_covers"}, withheld); diff != "" {
		t.Error(diff)
	}
}
