package toolguard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tauguide/tauguide/agents/toolguard"
	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/airline"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/value"
	"github.com/tauguide/tauguide/guide"
)

func TestSets(t *testing.T) {
	for _, d := range guarded() {
		w := domaintest.Embedded(t, d, domains.Options{})
		catalog, err := guide.ShippedCatalog(d.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range []bool{false, true} {
			set := guards(t, d.Name, toolguard.Options{Release: release})
			seen := map[string]bool{}
			for _, r := range set.Rules() {
				if seen[r.ID] || !strings.HasPrefix(r.ID, d.Name+".") {
					t.Errorf("rule id %s is taken, or not of %s", r.ID, d.Name)
				}
				seen[r.ID] = true
				if !w.Agent.Mutates(r.Tool) {
					t.Errorf("%s guards %s, which is no mutating tool", r.ID, r.Tool)
				}
				if r.Text == "" {
					t.Errorf("%s has no text", r.ID)
				}
				for _, id := range r.Requirements {
					row, ok := catalog.Row(id)
					if !ok {
						t.Errorf("%s names requirement %s, which the catalog does not have", r.ID, id)
					} else if row.Class == guide.WorkflowLevel && id != "S1" {
						t.Errorf("%s names requirement %s of class W", r.ID, id)
					}
				}
				for _, tool := range r.Reads {
					if _, known := w.Agent.Tool(tool); !known && tool != "get_flight_instance" && tool != "get_scheduled_flight" || w.Agent.Mutates(tool) {
						t.Errorf("%s reads %s", r.ID, tool)
					}
				}
			}
			var unguarded []string
			for _, s := range w.Agent.Specs() {
				if w.Agent.Mutates(s.Name) && !set.Guards(s.Name) {
					unguarded = append(unguarded, s.Name)
				}
			}
			want := map[string][]string{"airline": {"send_certificate"}, "retail": {"modify_user_address"}, "telecom": {"suspend_line", "disable_roaming"}}[d.Name]
			if diff := cmp.Diff(want, unguarded); diff != "" {
				t.Errorf("%s: mutating tools without rules (-want +got):\n%s", d.Name, diff)
			}
		}
	}
}

func TestGuardsErrors(t *testing.T) {
	if _, err := toolguard.Guards("mock", toolguard.Options{}); err == nil || !strings.Contains(err.Error(), "airline, retail, telecom") {
		t.Errorf("mock: %v", err)
	}
	if _, err := toolguard.Guards("airline", toolguard.Options{History: true}); err == nil || !strings.Contains(err.Error(), "release") {
		t.Errorf("history without release: %v", err)
	}
	for _, domain := range toolguard.Domains() {
		if got := toolguard.Published(domain); got != (domain == "airline") {
			t.Errorf("%s: published %t", domain, got)
		}
	}
}

// TestReads pins what checks read on their way, on the program's own data: each entity once, and nothing after a refusal.
func TestReads(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	book, env := find(t, w, "book_reservation")
	cancel, _ := find(t, w, "cancel_reservation")
	for _, c := range []struct {
		name, rule string
		call       domains.ToolCall
		reads      []string
	}{
		{"a booking by nobody", "airline.book.1", with(t, book, `{"user_id":"nobody"}`), []string{"get_user_details(nobody)"}},
		{"a booking that passes", "", book, []string{"get_user_details", "get_flight_status", "get_flight_instance"}},
		{"a reservation that does not exist", "", with(t, cancel, `{"reservation_id":"NONE00"}`), []string{"get_reservation_details(NONE00)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := check(t, guards(t, "airline", toolguard.Options{}), env, c.call)
			if v.Rule != c.rule {
				t.Errorf("refused by %q: %s", v.Rule, v.Message)
			}
			var got []string
			for _, n := range v.Reads {
				name := n.Tool
				if slices.Contains(c.reads, n.String()) {
					name = n.String()
				}
				if len(got) == 0 || got[len(got)-1] != name {
					got = append(got, name)
				}
			}
			if diff := cmp.Diff(c.reads, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", v.Reads, diff)
			}
		})
	}
}

// find is the first gold call of a tool, with the environment just before it.
func find(t testing.TB, w *domains.World, tool string) (domains.ToolCall, *domains.Env) {
	t.Helper()
	for i := range w.Tasks {
		task := &w.Tasks[i]
		if task.Criteria == nil {
			continue
		}
		for at, a := range task.Criteria.Actions {
			if a.Name != tool {
				continue
			}
			env, err := w.New(task)
			if err != nil {
				t.Fatal(err)
			}
			for _, before := range task.Criteria.Actions[:at] {
				env.Call(before.Requestor, before.Call())
			}
			return a.Call(), env
		}
	}
	t.Fatalf("no gold plan calls %s", tool)
	return domains.ToolCall{}, nil
}

func with(t testing.TB, c domains.ToolCall, changes string) domains.ToolCall {
	t.Helper()
	c.Arguments = value.OfMap(patched(t, c.ArgumentsMap(), changes))
	return c
}

// TestHistory checks the one rule that looks at a conversation, where it is asked for.
func TestHistory(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	book, env := find(t, w, "book_reservation")
	user := call(t, "x"+`{}`)
	id, _ := book.ArgumentsMap().Get("user_id")
	name, _ := id.Text()
	user.Name, user.Arguments = "get_user_details", value.OfMap(value.MapOf(value.Pair{Key: "user_id", Value: id}))
	said := domains.Message{Role: domains.RoleUser, Content: domains.Text("I am " + name + ".")}
	read := domains.Message{Role: domains.RoleAssistant, ToolCalls: []domains.ToolCall{user}}
	for _, c := range []struct {
		name    string
		talk    []domains.Message
		history bool
		blocked bool
	}{
		{"said and read", []domains.Message{said, read}, true, false},
		{"only said", []domains.Message{said}, true, true},
		{"only read", []domains.Message{read}, true, true},
		{"nothing", nil, true, true},
		{"not asked for", nil, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := guards(t, "airline", toolguard.Options{Release: true, History: c.history}).Hearing(c.talk)
			if v := check(t, set, env, book); v.Blocked() != c.blocked || c.blocked && v.Rule != "airline.book.1" {
				t.Errorf("refused by %q: %s", v.Rule, v.Message)
			}
		})
	}
}

// TestClock checks that the rule about the last 24 hours goes by the moment that it is given, to the second.
func TestClock(t *testing.T) {
	created := time.Date(2024, 5, 14, 9, 0, 0, 0, time.UTC)
	read := func(_ context.Context, c domains.ToolCall) domains.ToolResult {
		if c.Name == "get_reservation_details" {
			return domains.ToolResult{Content: `{"reservation_id":"A","created_at":"` + created.Format("2006-01-02T15:04:05") + `","flights":[],"cabin":"economy","insurance":"no"}`}
		}
		return domains.ToolResult{Content: "Error: none", Error: true}
	}
	for _, release := range []bool{false, true} {
		for after, blocked := range map[time.Duration]bool{23 * time.Hour: false, 24 * time.Hour: false, 24*time.Hour + time.Second: true} {
			set := guards(t, "airline", toolguard.Options{Release: release, Now: created.Add(after)})
			v, err := set.Check(t.Context(), call(t, `cancel_reservation{"reservation_id":"A"}`), read)
			if err != nil || v.Blocked() != blocked {
				t.Errorf("release=%t, %s after the booking: refused by %q, error %v", release, after, v.Rule, err)
			}
		}
	}
	if now := guards(t, "airline", toolguard.Options{}).Now(); !now.Equal(time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC)) {
		t.Errorf("default moment %s", now)
	}
	if now := guards(t, "airline", toolguard.Options{Release: true}).Now(); !now.Equal(time.Date(2026, 8, 18, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("moment of the release %s", now)
	}
}

func TestCancelledContext(t *testing.T) {
	w := domaintest.Embedded(t, airline.Domain(), domains.Options{})
	book, env := find(t, w, "book_reservation")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set := guards(t, "airline", toolguard.Options{})
	read := func(_ context.Context, c domains.ToolCall) domains.ToolResult {
		t.Errorf("%s was read", c.Name)
		return env.Call(domains.AgentSide, c)
	}
	if _, err := set.Check(ctx, book, read); !errors.Is(err, context.Canceled) {
		t.Errorf("check: %v", err)
	}
}

// junk are arguments that no guard expects.
var junk = []string{`null`, `true`, `-1`, `1e308`, `123456789012345678901234567890`, `0.5`, `""`, `"available"`, `"#W0"`, `"2024-05-16"`, `"\u0000"`, `[]`, `[[]]`,
	`[null, 7, "x"]`, `[{"flight_number":"HAT001"}]`, `[{"flight_number":["x"],"date":{}}]`, `{}`, `{"a":{}}`, `["1","1","1"]`}

// attempt is a gold call with some arguments replaced, removed, or taken from another call.
func attempt(choose func(n int) int, pool []domains.ToolCall) domains.ToolCall {
	c := pool[choose(len(pool))]
	args := &value.Map{}
	for k, v := range c.ArgumentsMap().All() {
		switch choose(6) {
		case 0:
			v, _ = value.ParseString(junk[choose(len(junk))])
		case 1:
			if other, ok := pool[choose(len(pool))].ArgumentsMap().Get(k); ok {
				v = other
			}
		case 2:
			continue
		}
		args.Set(k, v)
	}
	c.Arguments = value.OfMap(args)
	return c
}

// ground is a domain with the gold changes of its tasks.
type ground struct {
	world *domains.World
	pool  []domains.ToolCall
	sets  []toolguard.Set
}

func grounds(t testing.TB) []ground {
	t.Helper()
	var out []ground
	for _, d := range guarded() {
		g := ground{world: domaintest.Embedded(t, d, domains.Options{})}
		for _, task := range g.world.Tasks {
			if task.Criteria == nil {
				continue
			}
			for _, a := range task.Criteria.Actions {
				if a.Requestor == domains.AgentSide && g.world.Agent.Mutates(a.Name) {
					g.pool = append(g.pool, a.Call())
				}
			}
		}
		g.sets = []toolguard.Set{guards(t, d.Name, toolguard.Options{}), guards(t, d.Name, toolguard.Options{Release: true, History: true})}
		out = append(out, g)
	}
	return out
}

// harmless checks that no check calls a mutating tool or changes a database, and
// that a check says the same when it is asked again. It returns whether the call was refused.
func (g ground) harmless(t interface {
	Errorf(format string, args ...any)
	Fatal(args ...any)
}, ctx context.Context, env *domains.Env, c domains.ToolCall) bool {
	before := hashes(env)
	read := func(_ context.Context, r domains.ToolCall) domains.ToolResult {
		if k, ok := g.world.Agent.Tool(r.Name); !ok || k.Kind != domains.Read {
			t.Errorf("%s is no read-only tool", r.Name)
		}
		return env.Call(domains.AgentSide, r)
	}
	refused := false
	for _, s := range g.sets {
		v, err := s.Check(ctx, c, read)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Check(ctx, c, read)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Errorf("%s%s: two checks differ:\n%s", c.Name, c.Arguments.Repr(), diff)
		}
		refused = refused || v.Blocked()
	}
	if after := hashes(env); after != before {
		t.Errorf("%s%s: the databases changed", c.Name, c.Arguments.Repr())
	}
	return refused
}

func hashes(env *domains.Env) string {
	agent, _ := env.Hash(domains.AgentSide)
	user, _ := env.Hash(domains.UserSide)
	return agent + " " + user
}

// TestReadsChangeNothing tries spoilt calls amid gold plans.
func TestReadsChangeNothing(t *testing.T) {
	for _, g := range grounds(t) {
		t.Run(g.world.Name, func(t *testing.T) {
			refused := 0
			rapid.Check(t, func(r *rapid.T) {
				task := &g.world.Tasks[rapid.IntRange(0, len(g.world.Tasks)-1).Draw(r, "task")]
				env, err := g.world.New(task)
				if err != nil {
					r.Fatal(err)
				}
				if task.Criteria != nil {
					for _, a := range task.Criteria.Actions[:rapid.IntRange(0, len(task.Criteria.Actions)).Draw(r, "done")] {
						env.Call(a.Requestor, a.Call())
					}
				}
				choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "choice") }
				if g.harmless(r, t.Context(), env, attempt(choose, g.pool)) {
					refused++
				}
			})
			if refused == 0 {
				t.Error("no guard refused anything, so nothing was tried")
			}
		})
	}
}

// FuzzCheck is the same with the choices in a fuzzer's hands.
func FuzzCheck(f *testing.F) {
	all := grounds(f)
	for i := range 12 {
		f.Add([]byte(fmt.Sprintf("%c%c seeds of spoilt calls %d", i, 3*i, i)))
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		choose := func(n int) int {
			if len(choices) == 0 {
				return n - 1
			}
			c := int(choices[0]) % n
			choices = choices[1:]
			return c
		}
		g := all[choose(len(all))]
		env, err := g.world.New(&g.world.Tasks[choose(len(g.world.Tasks))])
		if err != nil {
			t.Fatal(err)
		}
		g.harmless(t, t.Context(), env, attempt(choose, g.pool))
	})
}
