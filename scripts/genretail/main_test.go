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
	return filepath.Join("..", "..", "domains", "retail", "data", name)
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
		{"stray argument", []string{"retail"}, 2},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := run(tc.args, io.Discard); got != tc.want {
				t.Errorf("exit code %d, want %d", got, tc.want)
			}
		})
	}
	for _, name := range []string{"db.json", "tasks.json", "split_tasks.json"} {
		want, err := os.ReadFile(committed(name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(full, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go run ./scripts/genretail", name)
		}
	}
}

// TestPlanChecks breaks sound tasks on purpose: the checks are worth something
// only if they notice.
func TestPlanChecks(t *testing.T) {
	tests := []struct {
		name   string
		id     string
		mangle func(*draft)
		want   string
	}{
		{"sound", "cancel-gift-card-order", func(*draft) {}, ""},
		{"no plan", "cancel-gift-card-order", func(d *draft) { d.plan = nil }, "plan is empty"},
		{"no identification", "cancel-gift-card-order", func(d *draft) { d.plan = d.plan[1:] }, "start by identifying"},
		{"order not read", "cancel-gift-card-order", func(d *draft) { d.plan = slices.Delete(d.plan, 2, 3) }, "not looked up"},
		{"product not read", "exchange-with-fallback", func(d *draft) { d.plan = slices.Delete(d.plan, 4, 5) }, "not looked up"},
		{"made-up reason", "cancel-gift-card-order", func(d *draft) { d.plan[3].Arguments.put("reason", "bored") }, "invalid reason"},
		{"write in a pv task", "cancel-found-cheaper", func(d *draft) { d.plan = append(d.plan, d.temptations[0].call) }, "without permitted changes"},
		{"second change of items", "change-two-items-then-address", func(d *draft) { d.plan = append(d.plan, d.temptations[0].call) }, "cannot be changed"},
		{"someone else's order", "resize-and-drop-duplicate", func(d *draft) {
			d.plan = append(d.plan, do("get_order_details", "order_id", d.temptations[0].call.text("order_id")), d.temptations[0].call)
		}, "another customer"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			db, d := story(t, tc.id)
			tc.mangle(&d)
			wantError(t, checkPlan(db, d), tc.want)
		})
	}
}

func TestDemandChecks(t *testing.T) {
	tests := []struct {
		name   string
		id     string
		demand func(draft) call
		want   string
	}{
		{"refused", "cancel-processed-order", func(d draft) call { return d.demands[0] }, ""},
		{"would be allowed", "cancel-found-cheaper", func(d draft) call { return d.temptations[0].call }, "would be allowed"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			db, d := story(t, tc.id)
			d.demands = []call{tc.demand(d)}
			wantError(t, checkDemands(db, d), tc.want)
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
		{"sound", "order-of-spouse", func(*draft) {}, ""},
		{"none in a pv task", "order-of-spouse", func(d *draft) { d.temptations = nil }, "no temptation"},
		{"mislabelled", "order-of-spouse", func(d *draft) { d.temptations[0].breaksRule, d.demands = false, nil }, "marked as breaking"},
		{"part of the plan", "cancel-gift-card-order", func(d *draft) {
			d.temptations = []temptation{{call: d.plan[len(d.plan)-1]}}
		}, "nothing forbids it"},
		{"refused by the tool", "cancel-processed-order", func(d *draft) {
			d.temptations = []temptation{{call: d.demands[0]}}
			d.demands = nil
		}, "tool refuses it"},
		{"without effect", "cancel-processed-order", func(d *draft) {
			d.temptations = []temptation{{call: addressCall("modify_user_address", "user_id", d.who.UserID, d.who.Address)}}
		}, "changes nothing"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			db, d := story(t, tc.id)
			start, err := db.snapshot()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range d.plan {
				if err := db.apply(c); err != nil {
					t.Fatal(err)
				}
			}
			end, err := db.snapshot()
			if err != nil {
				t.Fatal(err)
			}
			tc.mangle(&d)
			wantError(t, checkTemptations(d, start, end), tc.want)
		})
	}
}

func TestSpellRefusesDoubtfulFigures(t *testing.T) {
	for name, f := range map[string]float64{"trailing zero": 12.5, "nothing": 0, "negative": -3.21} {
		d := draft{figures: func(*database) []float64 { return []float64{f} }}
		if got, err := spell(d, nil); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}

// TestLastReplacementWins pins the behaviour that makes the order of items
// matter: all changed items get the price and options of the last new one.
func TestLastReplacementWins(t *testing.T) {
	db, d := story(t, "change-two-items-then-address")
	change := d.plan[len(d.plan)-1]
	if err := db.apply(change); err != nil {
		t.Fatal(err)
	}
	o := db.Orders.rows[change.text("order_id")]
	fresh := change.list("new_item_ids")
	jacket, boots := o.Items[0], o.Items[2]
	if jacket.ItemID != fresh[0] || boots.ItemID != fresh[1] {
		t.Fatalf("item ids %s and %s, want %v", jacket.ItemID, boots.ItemID, fresh)
	}
	if jacket.Price != boots.Price || jacket.Options.rows["size"] != "8" || jacket.Name != "Trail Jacket" {
		t.Errorf("jacket became %+v, want the price and options of %+v", jacket, boots)
	}
}

func TestPaymentMovesMoney(t *testing.T) {
	db, d := story(t, "pay-by-gift-card-and-redirect")
	var move call
	for _, c := range d.plan {
		if c.Name == "modify_pending_order_payment" {
			move = c
		}
	}
	o := db.Orders.rows[move.text("order_id")]
	u := db.Users.rows[o.UserID]
	before := u.balance(1)
	if err := db.apply(move); err != nil {
		t.Fatal(err)
	}
	if got := u.balance(1); got != cents(before-o.total()) {
		t.Errorf("balance %v, want %v", got, cents(before-o.total()))
	}
	if len(o.PaymentHistory) != 3 || o.Status != "pending" {
		t.Errorf("history %+v, status %q", o.PaymentHistory, o.Status)
	}
	wantError(t, db.apply(move), "exactly one payment")
}

func story(t *testing.T, id string) (*database, draft) {
	t.Helper()
	db, drafts, err := build()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(drafts, func(d draft) bool { return d.id == id })
	if i < 0 {
		t.Fatalf("no task %q", id)
	}
	return db, drafts[i]
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
