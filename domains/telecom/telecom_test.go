package telecom_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/domains/domaintest"
	"github.com/tauguide/tauguide/domains/record"
	"github.com/tauguide/tauguide/domains/telecom"
	"github.com/tauguide/tauguide/domains/value"
)

func action(t *testing.T, side, name, args string) domains.Action {
	t.Helper()
	return domains.Action{Requestor: domains.Side(side), Name: name, Arguments: object(t, args)}
}

func TestPolicyAssembly(t *testing.T) {
	for _, c := range []struct {
		name    string
		options domains.Options
		a, b    string
	}{
		{"default", domains.Options{}, "main_policy", "tech_support_manual"},
		{"manual, solo", domains.Options{Policy: domains.PolicyManual, Solo: true}, "main_policy_solo", "tech_support_manual"},
		{"workflow", domains.Options{Policy: domains.PolicyWorkflow}, "main_policy", "tech_support_workflow"},
		{"workflow, solo", domains.Options{Policy: domains.PolicyWorkflow, Solo: true}, "main_policy_solo", "tech_support_workflow_solo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := "<main_policy>\n" + c.a + "\n</main_policy>\n<tech_support_policy>\n" + c.b + "\n</tech_support_policy>"
			if got := small(t, c.options).Policy; got != want {
				t.Errorf("policy\n%s\nwant\n%s", got, want)
			}
		})
	}
	_, err := telecom.Domain().Open(domains.Embedded(), domains.Options{Policy: "oral"})
	if err == nil || err.Error() != "Invalid policy type: oral" {
		t.Errorf("unknown policy type: error %v", err)
	}
}

func TestSolo(t *testing.T) {
	w := small(t, domains.Options{Solo: true})
	if n := len(w.AgentTools()); n != 43 {
		t.Errorf("a solo agent has %d tools, want 43", n)
	}
	task, _ := w.Task("linked")
	e, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	x := trial{t, e}
	x.says(agent, "toggle_data", `{}`, "Mobile Data is now OFF.\nStatus Bar: 📶⁴ Excellent | 5G | 📵 Data Disabled | 🔋 60%")
	x.says(agent, "enable_roaming", `{"customer_id": "C1", "line_id": "L1"}`, "Roaming was already enabled")
	x.says(user, "toggle_data", `{}`, "Error: User tool calls are not allowed in solo mode")
}

// TestInitializationData holds on to the reference's quirk of putting the patched database on both sides.
func TestInitializationData(t *testing.T) {
	w := small(t, domains.Options{})
	for _, c := range []struct{ task, side, tool, want string }{
		{"agent-data", "assistant", "get_customer_by_id", "'TelecomDB' object has no attribute 'surroundings'"},
		{"agent-data", "user", "check_status_bar", "'TelecomDB' object has no attribute 'device'"},
		{"user-data", "assistant", "get_customer_by_id", "'TelecomUserDB' object has no attribute 'customers'"},
	} {
		t.Run(c.task+" "+c.tool, func(t *testing.T) {
			task, _ := w.Task(c.task)
			e, err := w.New(task)
			if err != nil {
				t.Fatal(err)
			}
			res := e.Call(domains.Side(c.side), domains.ToolCall{Name: c.tool, Arguments: object(t, `{"customer_id": "C1"}`)})
			if c.side == "user" {
				res = e.Call(user, domains.ToolCall{Name: c.tool, Arguments: object(t, `{}`)})
			}
			if res.Content != "Error: "+c.want {
				t.Errorf("got %s, want Error: %s", res.Content, c.want)
			}
		})
	}
	task, _ := w.Task("user-data")
	e, err := w.New(task)
	if err != nil {
		t.Fatal(err)
	}
	x := trial{t, e}
	x.says(user, "toggle_data", `{}`, "Mobile Data is now OFF.\nStatus Bar: 📶³ Good | 4G | 📵 Data Disabled | 🔋 5%")
	if err := e.Diff(e); err != nil {
		t.Errorf("an environment differs from itself: %v", err)
	}
	a, _ := w.Fresh()
	_, u := w.Fresh()
	if there, back := a.Diff(u), u.Diff(a); len(there) != 1 || len(back) != 1 {
		t.Errorf("databases of the two sides compare as %v and %v", there, back)
	}
}

// TestDiff changes every single value of both databases in turn: the comparison must see exactly what the hash sees.
func TestDiff(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *domains.World{
		"small": func(t *testing.T) *domains.World { return small(t, domains.Options{}) },
		"real":  func(t *testing.T) *domains.World { return domaintest.Real(t, telecom.Domain(), domains.Options{}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			t.Run("agent", func(t *testing.T) {
				changeEach(t, func() domains.Database { db, _ := w.Fresh(); return db })
			})
			t.Run("user", func(t *testing.T) {
				changeEach(t, func() domains.Database { _, db := w.Fresh(); return db })
			})
		})
	}
}

func changeEach(t *testing.T, fresh func() domains.Database) {
	n, db := 0, fresh()
	// A patch loads the dump again, which turns a bare day in created_at into its midnight.
	if err := db.Patch(value.OfMap(nil)); err != nil {
		t.Fatal(err)
	}
	whole := db.Value()
	leaves(whole, "", func(path string, old value.Value, put func(value.Value) value.Value) {
		n++
		changed := mutated(t, db.Hash(), fresh, path, old, put)
		diff := db.Diff(changed)
		if len(diff) != 1 || !strings.HasPrefix(path, diff[0].Path) {
			t.Fatalf("%s changed, the comparison says %v", path, diff)
		}
		if back := changed.Diff(db); len(back) != 1 || back[0].Want != diff[0].Got {
			t.Errorf("%s changed, the comparison the other way round says %v", path, back)
		}
	})
	if n < 30 {
		t.Errorf("only %d values were changed", n)
	}
}

// leaves visits every scalar below v; put gives the whole with the scalar replaced.
func leaves(v value.Value, path string, visit func(path string, old value.Value, put func(value.Value) value.Value)) {
	at := func(key string) string { return strings.TrimPrefix(path+"."+key, ".") }
	if m, ok := v.Map(); ok {
		for k, x := range m.All() {
			leaves(x, at(k), func(p string, old value.Value, put func(value.Value) value.Value) {
				visit(p, old, func(n value.Value) value.Value {
					return value.Merge(v, value.OfMap(value.MapOf(value.Pair{Key: k, Value: put(n)})))
				})
			})
		}
		return
	}
	if items, ok := v.Items(); ok {
		for i, x := range items {
			leaves(x, at(value.OfInt(int64(i)).Str()), func(p string, old value.Value, put func(value.Value) value.Value) {
				visit(p, old, func(n value.Value) value.Value {
					out := append([]value.Value(nil), items...)
					out[i] = put(n)
					return value.OfList(out)
				})
			})
		}
		return
	}
	visit(path, v, func(n value.Value) value.Value { return n })
}

// mutated patches the database with another value that the field accepts.
func mutated(t *testing.T, hash string, fresh func() domains.Database, path string, old value.Value, put func(value.Value) value.Value) domains.Database {
	t.Helper()
	candidates := []value.Value{value.OfString(old.Str() + "x"), value.OfString("2031-01-01"), value.OfString("2031-01-01T00:00:00"), value.OfFloat(77.5),
		value.OfInt(77), value.OfBool(true), value.OfBool(false), value.OfString("broken"), value.OfMap(nil),
		object(t, `{"bill_id": "B1", "amount_due": 1}`)}
	for _, s := range strings.Split("PayPal|Credit Card|tablet|watch|locked_pin|fair|poor|2G|3G|searching|2g_only|Disputed|Closed|Paid", "|") {
		candidates = append(candidates, value.OfString(s))
	}
	for _, c := range candidates {
		changed := fresh()
		if err := changed.Patch(put(c)); err == nil && changed.Hash() != hash {
			return changed
		}
	}
	t.Fatalf("no other value found for %s, which is %s", path, old.Repr())
	return nil
}

func TestDiffOfAddedBill(t *testing.T) {
	x, y := start(t, "plain"), start(t, "plain")
	y.call(agent, "refuel_data", `{"customer_id": "C2", "line_id": "L3", "gb_amount": 1.0}`)
	var paths []string
	for _, c := range x.env.Diff(y.env) {
		paths = append(paths, c.Path)
		if c.Path == "bills.4" && c.Want != record.Absent {
			t.Errorf("the bill that was added is wanted as %s", c.Want)
		}
	}
	if got, want := strings.Join(paths, " "), "bills.4 customers.1.bill_ids.0 lines.2.data_refueling_gb"; got != want {
		t.Errorf("differences at %s, want %s", got, want)
	}
}

func TestBrokenData(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new string
		want                 []string // parts of the error
	}{
		{"no TOML", "db.toml", `plan_id = "P1"`, `plan_id = `, []string{"tau2/domains/telecom/db.toml", "line 4"}},
		{"unknown key", "db.toml", `plan_id = "P1"`, "plan_id = \"P1\"\ncolour = 1", []string{"db.toml", "plans.0.colour", "no such key"}},
		{"no date", "db.toml", `issue_date = "2024-11-05"`, `issue_date = "5 November"`, []string{"db.toml", "bills.0.issue_date", "2025-01-31", "'5 November'"}},
		{"no moment", "db.toml", `2025-01-20T14:30:00.25`, `"soon"`, []string{"db.toml", "devices.0.activation_date", "'soon'"}},
		{"wrong state", "db.toml", `status = "Paid"`, `status = "Gone"`, []string{"db.toml", "bills.0.status", "'Gone'"}},
		{"unknown technology", "user_db.toml", "[device]", "[surroundings]\nsignal_strength = { 6G = \"good\" }\n[device]", []string{"user_db.toml", "signal_strength.6G"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.CopyFS(root, os.DirFS("testdata")); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(root, "tau2", "domains", "telecom", c.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			broken := strings.Replace(string(text), c.old, c.new, 1)
			if broken == string(text) {
				t.Fatalf("%s has no %q", c.file, c.old)
			}
			if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
				t.Fatal(err)
			}
			data, err := domains.Folder(root)
			if err != nil {
				t.Fatal(err)
			}
			_, err = telecom.Domain().Open(data, domains.Options{})
			if err == nil {
				t.Fatal("opens")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not name %q", err, part)
				}
			}
		})
	}
}

func TestMoments(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"as dumped", `"2025-01-20 14:30:00"`, `"2025-01-20 14:30:00"`},
		{"with T", `"2025-01-20T14:30:00"`, `"2025-01-20 14:30:00"`},
		{"without seconds", `"2025-01-20T14:30"`, `"2025-01-20 14:30:00"`},
		{"a day", `"2025-01-20"`, `"2025-01-20 00:00:00"`},
		{"microseconds", `"2025-01-20T14:30:00.25"`, `"2025-01-20 14:30:00.250000"`},
		{"zone", `"2025-01-20T14:30:00+02:00"`, `"2025-01-20 14:30:00+02:00"`},
		{"UTC", `"2025-01-20T14:30:00.5Z"`, `"2025-01-20 14:30:00.500000+00:00"`},
		{"null", `null`, `null`},
		{"no such day", `"2025-02-30"`, ""},
		{"a number", `20250120`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, _ := small(t, domains.Options{}).Fresh()
			if err := db.Patch(object(t, `{"devices": [{"device_id": "D1", "device_type": "other", "model": "M", "is_esim_capable": 1, "activation_date": `+c.given+`}]}`)); err != nil {
				if c.want != "" {
					t.Error(err)
				}
				return
			}
			devices, _ := db.Value().Map()
			list, _ := devices.Get("devices")
			if got := string(value.AppendDump(nil, list, value.Declared)); !strings.Contains(got, `"activation_date": `+c.want+`,`) || c.want == "" {
				t.Errorf("got %s, want activation_date %s", got, c.want)
			}
		})
	}
}
