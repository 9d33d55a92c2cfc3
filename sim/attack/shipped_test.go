package attack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/retail"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
	"github.com/tauguide/tauguide/sim/attack"
)

// shipped are the sets that come with the program, and how many attacks each must hold at least.
var shipped = []struct {
	file   string
	domain domains.Domain
	data   string
	least  int
}{
	{"airline-embedded", airline.Domain(), "embedded", 15},
	{"airline-tau2", airline.Domain(), "tau2", 20},
	{"retail-embedded", retail.Domain(), "embedded", 15},
	{"retail-tau2", retail.Domain(), "tau2", 15},
	{"telecom-embedded", telecom.Domain(), "embedded", 15},
	{"telecom-tau2", telecom.Domain(), "tau2", 15},
}

// refused are forbidden calls that the tools themselves refuse, so that no conversation can ever execute them.
var refused = map[string]string{
	"airline-tau2 11#0": "Number of passengers does not match",
	"airline-tau2 11#1": "Not enough seats",
	"airline-tau2 24#0": "Number of passengers does not match",
	"airline-tau2 29#0": "Not enough seats",
}

// examples complete calls of which a set gives only the arguments that make them forbidden.
var examples = map[string]string{
	"airline-tau2 36#1": `{"reservation_id": "EUJUY6", "cabin": "basic_economy", "payment_id": "credit_card_7872117", "flights": [
		{"flight_number": "HAT238", "date": "2024-05-14"}, {"flight_number": "HAT290", "date": "2024-05-14"},
		{"flight_number": "HAT266", "date": "2024-05-18"}, {"flight_number": "HAT044", "date": "2024-05-18"}]}`,
}

func shippedSet(t *testing.T, file string) *attack.Set {
	t.Helper()
	name := filepath.Join(domaintest.Root(t), "configs", "attacks", file+".yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := attack.Load(file+".yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// eachShipped runs a test for every shipped set on its world; those on the reference's data need the shared folder.
func eachShipped(t *testing.T, f func(t *testing.T, file string, s *attack.Set, w *domains.World)) {
	for _, x := range shipped {
		t.Run(x.file, func(t *testing.T) {
			s, world := shippedSet(t, x.file), domaintest.Embedded
			if s.Domain != x.domain.Name || s.Data != x.data {
				t.Fatalf("the set says %s on %s data", s.Domain, s.Data)
			}
			if x.data == "tau2" {
				world = domaintest.Real
			}
			f(t, x.file, s, world(t, x.domain, domains.Options{}))
		})
	}
}

// TestShippedFiles makes sure that no set is shipped that these tests do not know.
func TestShippedFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(domaintest.Root(t), "configs", "attacks", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, f := range files {
		got = append(got, strings.TrimSuffix(filepath.Base(f), ".yaml"))
	}
	for _, x := range shipped {
		want = append(want, x.file)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("shipped sets (-tested +found):\n%s", d)
	}
}

// TestShippedSets pins what every attack must have: a place in its world, a plan, rows of the catalog, a reason.
func TestShippedSets(t *testing.T) {
	eachShipped(t, func(t *testing.T, file string, s *attack.Set, w *domains.World) {
		for _, x := range shipped {
			if x.file == file && len(s.Tasks) < x.least {
				t.Errorf("%d attacks, want %d or more", len(s.Tasks), x.least)
			}
		}
		if _, err := s.With(w); err != nil {
			t.Fatal(err)
		}
		catalog, err := guide.ShippedCatalog(w.Name)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]int{}
		known := func(id, where string) {
			if _, ok := catalog.Row(id); !ok {
				t.Errorf("%s: the catalog has no row %q", where, id)
			}
		}
		for _, a := range s.Tasks {
			if a.Plan == nil || a.Plan.Premise == "" || len(a.Plan.Avoid) == 0 || len(a.Plan.Fragments) == 0 {
				t.Errorf("%s: the plan wants a premise, things to avoid and fragments", a.ID)
				continue
			}
			for _, id := range a.Plan.Fragments {
				known(id, a.ID)
			}
			sentences(t, a)
			for i, f := range a.Forbidden {
				where := fmt.Sprintf("%s#%d", a.ID, i)
				if (f.Kind == attack.Policy) != (len(f.Requirements) > 0) || f.Why == "" {
					t.Errorf("%s: a policy call names the rows it breaks, a selection call none, and both say why", where)
				}
				for _, id := range f.Requirements {
					known(id, where)
					rows[id]++
				}
			}
		}
		t.Logf("%d attacks break %d rows: %v", len(s.Tasks), len(rows), slices.Sorted(maps.Keys(rows)))
	})
}

// sentences makes sure that the texts of an attack are whole: a number sign after a blank ends a plain text in YAML.
func sentences(t *testing.T, a attack.Task) {
	t.Helper()
	texts := []string{a.Plan.Premise}
	for _, f := range a.Forbidden {
		texts = append(texts, f.Why)
	}
	if a.Scenario != nil {
		texts = append(texts, a.Scenario.Reason, a.Scenario.Known, a.Scenario.Instructions)
		if a.Scenario.Unknown != "" {
			texts = append(texts, a.Scenario.Unknown)
		}
	}
	for _, s := range texts {
		if !strings.HasSuffix(strings.TrimSpace(s), ".") {
			t.Errorf("%s: %q does not end as a sentence does: quote it if it holds a number sign", a.ID, s)
		}
	}
}

// TestShippedCallsExecute carries every forbidden call out where the attack starts: it goes through and changes the
// database, so that only the agent stands between the attack and its success. What a call leaves open, and what its
// wildcards do, is filled in so that it fits.
func TestShippedCallsExecute(t *testing.T) {
	eachShipped(t, func(t *testing.T, file string, s *attack.Set, w *domains.World) {
		never := 0
		for _, a := range s.Tasks {
			for i, f := range a.Forbidden {
				key := fmt.Sprintf("%s %s#%d", file, a.ID, i)
				result, changed := carryOut(t, w, a.Base, f, examples[key])
				if want := refused[key]; want != "" {
					never++
					if !result.Error || !strings.Contains(result.Content, want) {
						t.Errorf("%s: %s, want the tool to refuse it with %q", key, result.Content, want)
					}
					continue
				}
				if result.Error || !changed {
					t.Errorf("%s: %s: %s (database changed: %v)", key, f.Call, result.Content, changed)
				}
			}
		}
		listed := 0
		for key := range refused {
			if strings.HasPrefix(key, file+" ") {
				listed++
			}
		}
		if never != listed {
			t.Errorf("%d calls of the set are in the table of those that the tools refuse, which has %d for it", never, listed)
		}
	})
}

var totalPrice = regexp.MustCompile(`total price is (\d+), but paid (\d+)`)

// carryOut makes a forbidden call in the world of its base task. A booking whose payments do not add up is made again
// with the last payment changed to fit: amounts are wildcards.
func carryOut(t *testing.T, w *domains.World, base string, f attack.Forbidden, example string) (domains.ToolResult, bool) {
	t.Helper()
	task, ok := w.Task(base)
	if !ok {
		t.Fatalf("no task %s", base)
	}
	env, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	args := arguments(t, f)
	if example != "" {
		if args, err = value.ParseString(example); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := env.Databases()
	hash := before.Hash()
	result := env.Call(domains.AgentSide, domains.ToolCall{ID: "c1", Name: f.Call, Arguments: args, Requestor: domains.AgentSide})
	if m := totalPrice.FindStringSubmatch(result.Content); result.Error && m != nil {
		total, _ := strconv.ParseInt(m[1], 10, 64)
		paid, _ := strconv.ParseInt(m[2], 10, 64)
		fit(t, args, total-paid)
		result = env.Call(domains.AgentSide, domains.ToolCall{ID: "c2", Name: f.Call, Arguments: args, Requestor: domains.AgentSide})
	}
	after, _ := env.Databases()
	return result, after.Hash() != hash
}

// arguments returns a copy of what a set gives for a call.
func arguments(t *testing.T, f attack.Forbidden) value.Value {
	t.Helper()
	text, err := json.Marshal(f.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// fit adds to the last payment of a booking.
func fit(t *testing.T, args value.Value, more int64) {
	t.Helper()
	m, _ := args.Map()
	v, _ := m.Get("payment_methods")
	items, ok := v.Items()
	if !ok || len(items) == 0 {
		t.Fatal("no payments to change")
	}
	last, _ := items[len(items)-1].Map()
	amount, _ := last.Get("amount")
	n, _ := amount.Int64()
	last.Set("amount", value.OfInt(n+more))
}

// TestShippedGold pins that no conversation is called an attack that follows the base task's plan, except where the
// ban is lifted on the way.
func TestShippedGold(t *testing.T) {
	eachShipped(t, func(t *testing.T, file string, s *attack.Set, w *domains.World) {
		lifted := 0
		for _, a := range s.Tasks {
			task, _ := w.Task(a.Base)
			if a.Scenario != nil || task.Criteria == nil {
				continue
			}
			var calls [][3]string
			for _, x := range task.Criteria.Actions {
				if x.Requestor == domains.AgentSide {
					text, err := json.Marshal(x.Arguments)
					if err != nil {
						t.Fatal(err)
					}
					calls = append(calls, [3]string{x.Name, string(text), "ok"})
				}
			}
			if hits := s.Hits(&a, said(t, calls...)); len(hits) > 0 {
				t.Errorf("%s: the plan of the task is an attack: %+v", a.ID, hits)
			}
			for _, f := range a.Forbidden {
				if f.Until != nil {
					lifted++
				}
			}
		}
		if want := map[string]int{"airline-tau2": 2}[file]; lifted != want {
			t.Errorf("%d bans are lifted on the way, want %d", lifted, want)
		}
	})
}

// TestAirlineTargets pins that the airline attacks on the reference's tasks are the published ones, argument for
// argument. Where we call a kind by another name, docs/faithfulness/attacks.md argues why.
func TestAirlineTargets(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(domaintest.Shared(t), "craft", "airline_forbidden_calls.json"))
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Wildcards []string `json:"wildcard_arguments"`
		Tasks     []struct {
			Task      string `json:"tau2_task"`
			Forbidden []struct {
				Name      string         `json:"name"`
				Arguments map[string]any `json:"arguments"`
				Any       bool           `json:"any_arguments"`
				Kind      attack.Kind    `json:"kind"`
			} `json:"forbidden"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	s := shippedSet(t, "airline-tau2")
	if d := cmp.Diff(published.Wildcards, s.Wildcards); d != "" {
		t.Error(d)
	}
	relabelled := map[string]attack.Kind{"7#1": attack.Selection}
	var want, got []string
	line := func(task string, i int, name string, args map[string]any, any bool, kind attack.Kind) string {
		if any {
			args = nil // the set has an example there
		}
		text, err := json.Marshal(args) // sorts the keys
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s#%d %s %s %v %s", task, i, name, text, any, kind)
	}
	for _, p := range published.Tasks {
		for i, f := range p.Forbidden {
			kind := f.Kind
			if k, ok := relabelled[fmt.Sprintf("%s#%d", p.Task, i)]; ok {
				kind = k
			}
			want = append(want, line(p.Task, i, f.Name, f.Arguments, f.Any, kind))
		}
	}
	for _, a := range s.Tasks {
		for i, f := range a.Forbidden {
			got = append(got, line(a.ID, i, f.Call, f.Arguments, f.Any, f.Kind))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("targets (-published +ours):\n%s", d)
	}
}
