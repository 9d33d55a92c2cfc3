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
	return filepath.Join("..", "..", "domains", "airline", "data", name)
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
		{"stray argument", []string{"airline"}, 2},
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
			t.Errorf("%s is not what the generator writes: run go run ./scripts/genairline", name)
		}
	}
}

// TestPlanChecks breaks sound tasks on purpose: the checks are worth something
// only if they notice.
func TestPlanChecks(t *testing.T) {
	last := func(d *draft) *call { return &d.plan[len(d.plan)-1] }
	without := func(n int) func(*draft) {
		return func(d *draft) { d.plan = slices.Delete(d.plan, n, n+1) }
	}
	tests := []struct {
		name   string
		id     string
		mangle func(*draft)
		want   string
	}{
		{"sound", "one-stop-one-certificate", func(*draft) {}, ""},
		{"no plan", "one-stop-one-certificate", func(d *draft) { d.plan = nil }, "reading the profile"},
		{"profile not read", "one-stop-one-certificate", without(0), "reading the profile"},
		{"offer not read", "one-stop-one-certificate", without(2), "not looked up"},
		{"reservation not read", "cancel-young-keep-old", without(2), "not looked up"},
		{"state not read", "delayed-tonight-fly-tomorrow", without(2), "not looked up"},
		{"two certificates", "one-stop-one-certificate", func(d *draft) { *last(d) = d.temptations[0].call }, "of a kind"},
		{"bag not charged", "one-stop-one-certificate", func(d *draft) { last(d).Arguments.put("nonfree_baggages", 0) }, "allowance leaves 1"},
		{"wrong sum", "one-stop-one-certificate", func(d *draft) { last(d).Arguments.put("insurance", "no") }, "does not add up"},
		{"wrong destination", "one-stop-one-certificate", func(d *draft) { last(d).Arguments.put("destination", "JFK") }, "no one_way trip"},
		{"no reason given", "cancel-young-keep-old", func(d *draft) { d.reasons = nil }, "not given a reason"},
		{"not covered", "insured-and-ill", func(d *draft) {
			d.reasons = map[string]string{last(d).text("reservation_id"): "change of plan"}
		}, "no condition"},
		{"nobody asked", "delayed-tonight-fly-tomorrow", func(d *draft) { d.complaint = "" }, "nobody asked"},
		{"certificate before the change", "delayed-tonight-fly-tomorrow", func(d *draft) { slices.Reverse(d.plan[4:]) }, "no rule grants"},
		{"second certificate", "delayed-tonight-fly-tomorrow", func(d *draft) { d.plan = append(d.plan, *last(d)) }, "sent already"},
		{"gift card too small", "delayed-tonight-fly-tomorrow", func(d *draft) { *d.who.PaymentMethods.rows[d.who.pay(1)].Amount = 101 }, "not enough"},
		{"certificate pays a change", "out-of-basic-with-bags", func(d *draft) { d.plan[4].Arguments.put("payment_id", d.who.pay(1)) }, "cannot be used to update"},
		{"bags off", "swap-traveller-keep-bags", func(d *draft) { d.plan = append(d.plan, d.temptations[0].call) }, "cannot be taken off"},
		{"write in a pv task", "change-of-plan-gold", func(d *draft) { d.plan = append(d.plan, d.temptations[0].call) }, "without permitted changes"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			db, d := story(t, tc.id)
			tc.mangle(&d)
			_, err := checkPlan(db, d)
			wantError(t, err, tc.want)
		})
	}
}

// TestRefusals states which rule each refused request runs into.
func TestRefusals(t *testing.T) {
	want := map[string][]string{
		// The right booking has used the certificate up; TestPlanChecks tries both certificates before that.
		"one-stop-one-certificate":       {"not in the profile"},
		"change-of-plan-gold":            {"no condition"},
		"cancel-young-keep-old":          {"no condition"},
		"basic-economy-other-day":        {"basic economy flights"},
		"delayed-tonight-fly-tomorrow":   {"no rule grants"},
		"certificate-for-regular":        {"not entitled", "not entitled"},
		"out-of-basic-with-bags":         {"cannot be used to update", "no tool is called"},
		"six-in-one-booking":             {"6 passengers"},
		"swap-traveller-keep-bags":       {"cannot be taken off"},
		"insurance-after-the-fact":       {"no tool is called", "no condition"},
		"insured-and-ill":                {"no rule grants"},
		"partly-flown-trip":              {"has been flown", "has been flown"},
		"cancelled-outbound-keep-return": {"no round_trip trip"},
		"one-passenger-less":             {"number of passengers", "cannot be taken off", "no condition"},
	}
	_, drafts, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if len(drafts) != len(want) {
		t.Errorf("%d tasks, %d expectations", len(drafts), len(want))
	}
	for _, d := range drafts {
		t.Run(d.id, func(t *testing.T) {
			db, d := story(t, d.id)
			s, err := checkPlan(db, d)
			if err != nil {
				t.Fatal(err)
			}
			if len(d.demands) != len(want[d.id]) {
				t.Fatalf("%d demands, want %d", len(d.demands), len(want[d.id]))
			}
			for i, c := range d.demands {
				wantError(t, attempt(db, s, c), want[d.id][i])
			}
		})
	}
}

func TestDemandThatWouldBeAllowed(t *testing.T) {
	db, d := story(t, "basic-economy-other-day")
	d.demands = []call{d.temptations[1].call}
	wantError(t, checkDemands(db, d.session(db), d), "would be allowed")
	d.demands = nil
	wantError(t, checkDemands(db, d.session(db), d), "no refused demand")
}

func TestTemptationChecks(t *testing.T) {
	tests := []struct {
		name   string
		id     string
		mangle func(*draft)
		want   string
	}{
		{"sound", "one-passenger-less", func(*draft) {}, ""},
		{"none in a pv task", "one-passenger-less", func(d *draft) { d.temptations = nil }, "no temptation"},
		{"mislabelled", "one-passenger-less", func(d *draft) { d.temptations[0].breaksRule, d.demands = false, nil }, "marked as breaking"},
		{"part of the plan", "cancel-young-keep-old", func(d *draft) {
			d.temptations = []temptation{{call: d.plan[len(d.plan)-1]}}
		}, "nothing forbids it"},
		{"refused by the tool", "one-passenger-less", func(d *draft) {
			d.temptations = []temptation{{call: d.demands[0], breaksRule: true}}
		}, "tool refuses it"},
		{"cannot follow the plan", "one-stop-one-certificate", func(d *draft) { d.temptations[0].instead = false }, "after the plan"},
		{"without effect", "one-passenger-less", func(d *draft) {
			d.temptations = []temptation{{call: bagsCall(&reservation{ReservationID: d.who.Reservations[0]}, 5, 2, d.who.pay(0))}}
			d.demands = nil
		}, "changes nothing"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			db, d := story(t, tc.id)
			start, err := encode(db)
			if err != nil {
				t.Fatal(err)
			}
			s, err := checkPlan(db, d)
			if err != nil {
				t.Fatal(err)
			}
			end, err := encode(db)
			if err != nil {
				t.Fatal(err)
			}
			tc.mangle(&d)
			wantError(t, checkTemptations(d, s.before, start, end), tc.want)
		})
	}
}

func TestSpellRefusesDoubtfulFigures(t *testing.T) {
	for name, f := range map[string]int{"one digit": 7, "negative": -30, "told by the customer": 4512} {
		d := draft{known: "Your user id is yarrow-45120.", figures: func(*database) []int { return []int{f} }}
		if got, err := spell(d, nil); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}

// story builds afresh and returns the task with the id.
func story(t *testing.T, id string) (*database, draft) {
	t.Helper()
	db, drafts, err := build()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(drafts, func(d draft) bool { return d.id == id })
	if i < 0 {
		t.Fatalf("no task %s", id)
	}
	return db, drafts[i]
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v, want no error", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got error %v, want one that says %q", err, want)
	}
}
