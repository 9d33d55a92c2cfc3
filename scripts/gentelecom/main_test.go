package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func committed(name string) string {
	return filepath.Join("..", "..", "domains", "telecom", "data", name)
}

// TestRun generates afresh, in a folder of its own, and finds there what is committed.
func TestRun(t *testing.T) {
	full := t.TempDir()
	tests := []struct {
		name string
		args []string
		want int
	}{
		{"writes into a folder", []string{"-out", full}, 0},
		{"help", []string{"-h"}, 0},
		{"missing folder", []string{"-out", filepath.Join(full, "absent")}, 1},
		{"unknown flag", []string{"-seed", "4"}, 2},
		{"stray argument", []string{"telecom"}, 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := run(tc.args, io.Discard); got != tc.want {
				t.Errorf("exit code %d, want %d", got, tc.want)
			}
		})
	}
	for _, name := range []string{"db.toml", "user_db.toml", "tasks.json", "split_tasks.json"} {
		want, err := os.ReadFile(committed(name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(full, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go run ./scripts/gentelecom", name)
		}
	}
}

// TestPlanChecks breaks sound tasks on purpose: the checks are worth something
// only if they notice.
func TestPlanChecks(t *testing.T) {
	drop := func(name string) func(*draft) {
		return func(d *draft) {
			i := slices.IndexFunc(d.plan, func(c call) bool { return c.name == name })
			d.plan = slices.Delete(d.plan, i, i+1)
		}
	}
	tests := []struct {
		name   string
		id     string
		mangle func(*draft)
		want   string
	}{
		{"sound", "two-unpaid-bills", func(*draft) {}, ""},
		{"no plan", "roaming-for-a-friend", func(d *draft) { d.plan = nil }, "plan is empty"},
		{"no identification", "airplane-after-landing", drop("get_customer_by_phone"), "start by identifying"},
		{"line not read", "contract-ended", func(d *draft) {
			d.plan = []call{d.plan[0], d.temptations[0]}
			d.assertions[0] = lineIs(d.who, &line{id: d.temptations[0].text("line_id")}, "Active")
		}, "without a look"},
		{"contract ended", "contract-ended", func(d *draft) {
			d.plan = slices.Insert(d.plan, 2, listBills(d.who), d.temptations[0])
			d.assertions = d.assertions[:1]
			d.assertions[0].want = false
		}, "contract has ended"},
		{"unpaid", "resume-before-payday", func(d *draft) {
			d.plan = append(d.plan, d.temptations[0])
			d.assertions[0].want = false
		}, "overdue bill is unpaid"},
		{"bill not read", "loose-sim-and-unpaid-bill", drop("get_bills_for_customer"), "without a look at B90417"},
		{"request not checked", "loose-sim-and-unpaid-bill", drop("check_payment_request"), "without a look at check_payment_request"},
		{"not seen as paid", "loose-sim-and-unpaid-bill", func(d *draft) {
			d.plan = slices.DeleteFunc(d.plan, func(c call) bool { return c.text("id") == "B90417" })
		}, "not seen as paid"},
		{"two requests at a time", "two-unpaid-bills", drop("make_payment"), "already awaiting payment"},
		{"not rebooted", "two-unpaid-bills", drop("reboot_device"), "assertions fail"},
		{"more data than agreed", "allowance-used-up", func(d *draft) { d.consent = 1 }, "agreed to 1 GB"},
		{"more data than allowed", "no-topup-left", func(d *draft) {
			d.plan[2] = d.temptations[0]
			d.assertions[1].want = false
		}, "more than 2 GB"},
		{"no need of data", "abroad-without-data", func(d *draft) {
			d.plan = slices.Insert(d.plan, 1, agent("get_data_usage", "customer_id", d.who.id, "line_id", d.temptations[0].text("line_id")), d.temptations[0])
		}, "limit is not exceeded"},
		{"no test between repairs", "slow-on-old-network", func(d *draft) { d.plan = slices.Delete(d.plan, 4, 5) }, "without a test"},
		{"no test in the end", "pictures-stuck", func(d *draft) { d.plan = d.plan[:len(d.plan)-1] }, "not followed by a test"},
		{"nothing to repair", "pictures-stuck", func(d *draft) { d.assertions = d.assertions[1:] }, "at the start these assertions fail"},
		{"no VPN", "airplane-after-landing", func(d *draft) { d.plan = append(d.plan, phoneCall("disconnect_vpn")) }, "no VPN is connected"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			w, d := story(t, tc.id)
			tc.mangle(&d)
			wantError(t, checkPlan(w, d), tc.want)
		})
	}
}

func TestStepChecks(t *testing.T) {
	_, d := story(t, "airplane-after-landing")
	wantError(t, checkSteps(d), "")
	d.plan = append(d.plan, phoneCall("toggle_data_saver_mode"))
	wantError(t, checkSteps(d), "toggle_data_saver_mode is not needed")
}

func TestSetUpChecks(t *testing.T) {
	tests := []struct {
		name   string
		mangle func(*draft)
		want   string
	}{
		{"no user", func(d *draft) { d.setup = d.setup[1:] }, "must begin with set_user_info"},
		{"someone else", func(d *draft) { d.who = &customer{name: "Nobody"} }, "not for Nobody"},
		{"no such number", func(d *draft) { d.setup[0] = phoneCall("set_user_info", "name", d.who.name, "phone_number", "1") }, "not found"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			db, drafts := build()
			tc.mangle(&drafts[0])
			wantError(t, setUp(&world{db, newPhone()}, drafts[0]), tc.want)
		})
	}
}

func TestTemptationChecks(t *testing.T) {
	tests := []struct {
		name   string
		id     string
		mangle func(*draft)
		want   string
	}{
		{"sound", "roaming-for-a-friend", func(*draft) {}, ""},
		{"none where nothing may change", "pay-bill-early", func(d *draft) { d.temptations = nil }, "no temptation"},
		{"part of the plan", "allowance-used-up", func(d *draft) { d.temptations = []call{refuelIn(d.plan)} }, "the plan holds exactly this call"},
		{"permitted", "allowance-used-up", func(d *draft) { d.temptations[0].args.put("gb_amount", 2.0); d.consent = 2 }, "nothing forbids it"},
		{"refused by the tool", "roaming-for-a-friend", func(d *draft) { d.temptations[0].args.put("line_id", "L1") }, "tool refuses it"},
		{"unseen", "roaming-for-a-friend", func(d *draft) { d.basis = nil }, "no assertion notices it"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, d := story(t, tc.id)
			tc.mangle(&d)
			wantError(t, checkTemptations(d), tc.want)
		})
	}
}

func refuelIn(plan []call) call {
	return plan[slices.IndexFunc(plan, func(c call) bool { return c.name == "refuel_data" })]
}

func story(t *testing.T, id string) (*world, draft) {
	t.Helper()
	w, d, err := prepared(id)
	if err != nil {
		t.Fatal(err)
	}
	return w, d
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	switch {
	case part == "" && err != nil:
		t.Errorf("unexpected error: %v", err)
	case part != "" && (err == nil || !strings.Contains(err.Error(), part)):
		t.Errorf("got error %v, want one with %q", err, part)
	}
}
