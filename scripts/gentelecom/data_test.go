package main

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

func load[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(document(t, name)), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func document(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(committed(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestDatabaseSize(t *testing.T) {
	db, _ := build()
	count := map[string]int{}
	names := map[string]int{}
	for _, l := range db.lines {
		count["line "+l.status]++
	}
	for _, b := range db.bills {
		count["bill "+b.status]++
	}
	for _, c := range db.customers {
		count["account "+c.status]++
		names[c.name]++
	}
	for _, n := range names {
		count["names"] += n - 1
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"plans", len(db.plans), 7}, {"customers", len(db.customers), 12}, {"lines", len(db.lines), 24}, {"bills", len(db.bills), 50},
		{"active lines", count["line Active"], 15}, {"suspended lines", count["line Suspended"], 3},
		{"pending lines", count["line Pending Activation"], 2}, {"closed lines", count["line Closed"], 2},
		{"overdue bills", count["bill Overdue"], 3}, {"drafts", count["bill Draft"], 10}, {"issued bills", count["bill Issued"], 10},
		{"paid bills", count["bill Paid"], 20}, {"bills awaiting payment", count["bill Awaiting Payment"], 1}, {"disputed bills", count["bill Disputed"], 1},
		{"active accounts", count["account Active"], 10}, {"suspended accounts", count["account Suspended"], 1},
		{"unverified accounts", count["account Pending Verification"], 1}, {"closed accounts", count["account Closed"], 1}, {"shared names", count["names"], 1},
	} {
		if c.got < c.want {
			t.Errorf("%d %s, want at least %d", c.got, c.what, c.want)
		}
	}
}

func TestRecordsFitTogether(t *testing.T) {
	db, _ := build()
	ids, numbers := map[string]bool{}, map[string]bool{}
	once := func(seen map[string]bool, v string) {
		if v == "" || seen[v] {
			t.Errorf("%q is used twice, or empty", v)
		}
		seen[v] = true
	}
	for _, p := range db.plans {
		once(ids, p.id)
	}
	for _, d := range db.devices {
		once(ids, d.id)
	}
	for _, l := range db.lines {
		once(ids, l.id)
		once(numbers, l.number)
		fits(t, db, l)
	}
	listedLines, listedBills := 0, 0
	for _, c := range db.customers {
		once(ids, c.id)
		listedLines += len(c.lineIDs)
		listedBills += len(c.billIDs)
		if n := len(db.billsOf(c, "Awaiting Payment")); n > 1 {
			t.Errorf("%d bills of %s await payment", n, c.id)
		}
		for _, id := range c.billIDs {
			if b, err := db.bill(id); err != nil || b.customerID != c.id {
				t.Errorf("bill %s is listed by %s (%v)", id, c.id, err)
			}
		}
		for _, id := range c.lineIDs {
			if _, err := db.line(id); err != nil {
				t.Error(err)
			}
		}
	}
	if listedLines != len(db.lines) || listedBills != len(db.bills) {
		t.Errorf("accounts list %d lines and %d bills of %d and %d", listedLines, listedBills, len(db.lines), len(db.bills))
	}
	for _, b := range db.bills {
		once(ids, b.id)
		sum := 0.0
		for _, it := range b.items {
			sum += it.amount
		}
		if math.Abs(sum-b.total) > 1e-9 || (b.total == 0) != (b.status == "Draft") && b.customerID != closedAccount(db) {
			t.Errorf("bill %s (%s): total %v, items %v", b.id, b.status, b.total, sum)
		}
		if late := b.due < today; late && (b.status == "Issued" || b.status == "Draft") || !late && b.status == "Overdue" {
			t.Errorf("bill %s is %s but due on %s", b.id, b.status, b.due)
		}
	}
}

func fits(t *testing.T, db *database, l *line) {
	t.Helper()
	p, err := db.plan(l.planID)
	if err != nil {
		t.Fatal(err)
	}
	if l.used >= p.limit {
		t.Errorf("line %s has used %v of %v GB", l.id, l.used, p.limit)
	}
	if (l.status == "Suspended") != (l.suspended != "") || l.status == "Active" && l.contractEnd < today {
		t.Errorf("line %s is %s, suspended since %q, contract until %s", l.id, l.status, l.suspended, l.contractEnd)
	}
	if l.deviceID != "" {
		if err := db.details(l.deviceID); err != nil {
			t.Error(err)
		}
	}
}

func closedAccount(db *database) string {
	i := slices.IndexFunc(db.customers, func(c *customer) bool { return c.status == "Closed" })
	return db.customers[i].id
}

func TestTasks(t *testing.T) {
	tasks := load[[]struct {
		ID       string
		Scenario struct {
			Instructions struct{ Domain, Reason_for_call, Known_info, Task_instructions string }
		} `json:"user_scenario"`
		Ticket  string
		Initial struct {
			Actions []struct {
				Side string `json:"env_type"`
				Name string `json:"func_name"`
			} `json:"initialization_actions"`
		} `json:"initial_state"`
		Criteria struct {
			Actions []struct {
				ActionID  string `json:"action_id"`
				Requestor string
				Name      string
				Compare   *[]string `json:"compare_args"`
			}
			Assertions []any    `json:"env_assertions"`
			Basis      []string `json:"reward_basis"`
		} `json:"evaluation_criteria"`
		UserTools  json.RawMessage `json:"user_tools"`
		Temptation []struct{ Name, Requestor string }
	}](t, "tasks.json")
	pv, repairs, tempted, judged := 0, 0, 0, 0
	setups := map[string]bool{}
	for _, k := range tasks {
		writes, fixes := 0, 0
		for _, a := range k.Criteria.Actions {
			c := call{side: a.Requestor, name: a.Name}
			switch {
			case mutating(c) && c.side == agentSide:
				writes++
			case mutating(c):
				fixes++
			}
			if (a.Compare != nil) != (a.Name == "transfer_to_human_agents") || !strings.HasPrefix(a.ActionID, k.ID+"/") {
				t.Errorf("%s: action %+v", k.ID, a)
			}
		}
		for _, c := range k.Temptation {
			if c.Requestor != agentSide || !slices.Contains(carrierWrites(), c.Name) {
				t.Errorf("%s: temptation %+v", k.ID, c)
			}
		}
		for _, a := range k.Initial.Actions {
			setups[a.Name] = true
		}
		in := k.Scenario.Instructions
		if in.Domain != "telecom" || in.Reason_for_call == "" || in.Known_info == "" || in.Task_instructions == "" || k.Ticket == "" {
			t.Errorf("%s: scenario %+v, ticket %q", k.ID, in, k.Ticket)
		}
		if string(k.UserTools) != "null" || k.Criteria.Basis[0] != "ENV_ASSERTION" || len(k.Criteria.Assertions) == 0 {
			t.Errorf("%s: user tools %s, basis %v, %d assertions", k.ID, k.UserTools, k.Criteria.Basis, len(k.Criteria.Assertions))
		}
		if slices.Contains(k.Criteria.Basis, "ACTION") {
			judged++
		}
		switch {
		case writes == 0 && fixes == 0:
			pv++
		case writes == 0:
			repairs++
		case len(k.Temptation) > 0:
			tempted++
		}
	}
	if len(tasks) != 14 || pv != 5 || repairs != 3 || tempted < 3 || judged != 2 {
		t.Errorf("%d tasks, %d without changes, %d with repairs only, %d tempting ones with changes, %d judged by actions; want 14, 5, 3, at least 3, 2",
			len(tasks), pv, repairs, tempted, judged)
	}
	for _, name := range []string{
		"turn_airplane_mode_on", "unseat_sim_card", "break_apn_settings", "suspend_line_for_overdue_bill", "turn_data_off", "turn_data_saver_mode_on",
		"break_vpn", "set_network_mode_preference", "set_user_location", "turn_roaming_off", "set_data_usage", "refuel_data",
		"set_wifi_calling", "remove_app_permission", "break_apn_mms_setting",
	} {
		if !setups[name] {
			t.Errorf("no task begins with %s", name)
		}
	}
}

func TestSplits(t *testing.T) {
	splits := load[map[string][]string](t, "split_tasks.json")
	var ids []string
	for _, k := range load[[]struct{ ID string }](t, "tasks.json") {
		ids = append(ids, k.ID)
	}
	if !slices.Equal(splits["base"], ids) {
		t.Errorf("base is %v, want all tasks", splits["base"])
	}
	parts := slices.Sorted(slices.Values(slices.Concat(splits["train"], splits["test"])))
	if !slices.Equal(parts, slices.Sorted(slices.Values(ids))) || len(splits["test"]) < 4 || len(splits["small"]) < 4 || len(splits) != 4 {
		t.Errorf("train and test do not part the tasks: %v", splits)
	}
	for _, id := range splits["small"] {
		if !slices.Contains(ids, id) {
			t.Errorf("small has the unknown task %s", id)
		}
	}
}

// TestDocuments holds facts of the documents against the code of the generator.
func TestDocuments(t *testing.T) {
	both := []string{
		today + ", 12:08:00 EST", "At most 2 GB", "**never** lift the suspension", "**all** overdue bills", "date of birth", "`check_payment_request`",
		"`make_payment`", "`transfer_to_human_agents`", "Only one bill of a customer can await payment", "costs the customer nothing",
	}
	paths := []string{"## Path S", "## Path D", "## Path M", "`internet`", "`storage` and `sms`", "D7", "M6"}
	for name, want := range map[string][]string{
		"main_policy.md":                append(slices.Clone(both), "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.", "single tool call"),
		"main_policy_solo.md":           append(slices.Clone(both), "only if the ticket says", "One tool call at a time"),
		"tech_support_manual.md":        slices.Concat(phoneReads(), phoneWrites()),
		"tech_support_workflow.md":      append(slices.Clone(paths), "The customer looks"),
		"tech_support_workflow_solo.md": paths,
	} {
		text := document(t, name)
		for _, s := range want {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(s)) {
				t.Errorf("%s does not say %q", name, s)
			}
		}
		if strings.HasSuffix(name, "_solo.md") && strings.Contains(text, "PLEASE HOLD ON") {
			t.Errorf("%s talks to a customer", name)
		}
	}
}
