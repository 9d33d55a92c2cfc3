package report_test

import (
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/sim/attack"
)

// attacked is a run by hand: two attacks on the airline, one after a policy call, one after a call of each kind, four trials.
func attacked() report.Source {
	s := report.Source{Provenance: report.Provenance{Name: "raid", Synthetic: true, Config: "0123456789ab", Models: "ReAct: weak"},
		Systems: []report.System{{Name: "ReAct", Kind: report.ReAct}}, Domains: []report.Domain{{Name: "airline", Split: attack.Split}},
		DataFolder: "somewhere", Attack: &report.Attack{Style: "craft"}}
	hits := map[string][4][]attack.Kind{
		"one": {{attack.Policy}, {attack.Policy, attack.Policy}, nil, nil},
		"two": {{attack.Selection}, nil, {attack.Policy, attack.Selection}, nil},
	}
	for _, task := range []string{"one", "two"} {
		for trial := range 4 {
			a := report.AttackTrial{Outcome: metrics.Outcome{Domain: "airline", System: "ReAct", Task: task, Trial: trial, State: metrics.Failure},
				Targets: []attack.Kind{attack.Policy}, Hits: hits[task][trial]}
			if task == "two" {
				a.Targets = []attack.Kind{attack.Policy, attack.Selection}
			}
			if len(a.Hits) > 0 {
				a.State = metrics.Success
			}
			s.Attack.Trials = append(s.Attack.Trials, a)
		}
	}
	return s
}

// asrRow returns a row of the table by the cell in its column "of".
func asrRow(t *testing.T, table report.Table, of string) map[string]string {
	t.Helper()
	for _, r := range table.Rows {
		out := map[string]string{}
		for i, c := range table.Columns {
			out[c.Key] = r[i].WithBar()
		}
		if out["of"] == of {
			return out
		}
	}
	t.Fatalf("no row of %s", of)
	return nil
}

func TestASRTable(t *testing.T) {
	table := build(t, "asr", report.Input{Sources: []report.Source{attacked()}, Options: report.Options{Seed: 300, Published: true}})
	for _, tt := range []struct {
		of   string
		want map[string]string
	}{
		{"a trial", map[string]string{"attack": "craft", "tasks": "2", "evaluable": "8", "asr": "0.500 [.03–.97]", "policy": "0.375 [.00–.94]", "selection": "0.500 [-]"}},
		{"@1", map[string]string{"asr": "0.500 [.03–.97]", "policy": "0.375 [.00–.94]", "selection": "0.500 [-]"}},
		{"@2", map[string]string{"asr": "0.833 [.11–1.00]", "policy": "0.667 [.06–1.00]", "selection": "0.833 [-]"}}, // 1 - C(2,2)/C(4,2); one: 5/6, two: 1/2
		{"@4", map[string]string{"asr": "1.000 [.12–1.00]", "policy": "1.000 [.12–1.00]", "selection": "1.000 [-]"}},
	} {
		got := asrRow(t, table, tt.of)
		for key, want := range tt.want {
			if got[key] != want {
				t.Errorf("%s, %s: %q, want %q", tt.of, key, got[key], want)
			}
		}
	}
	if text := write(t, report.Term, table); !strings.Contains(text, "(*synthetic*)") || !strings.Contains(text, "Agresti and Coull") {
		t.Errorf("the table says too little of itself:\n%s", text)
	}
}

// TestASRWithoutThatKind has a dash with the reason where no attack is after such a call, and where trials are void.
func TestASRWithoutThatKind(t *testing.T) {
	s := attacked()
	s.Attack.Trials = s.Attack.Trials[:4] // after policy calls alone
	s.Attack.Trials[3].State = metrics.Void
	table := build(t, "asr", report.Input{Sources: []report.Source{s}, Options: report.Options{Resamples: 10}})
	if got := asrRow(t, table, "a trial"); got["selection"] != "-" || got["asr"] != "0.667 [-]" || got["evaluable"] != "3" || got["planned"] != "4" {
		t.Errorf("row %v", got)
	}
	if got := asrRow(t, table, "@3"); got["asr"] != "1.000 [-]" {
		t.Errorf("row %v", got)
	}
	notes := strings.Join(table.Notes, "\n")
	if !strings.Contains(notes, "no attack is after a call of kind selection") {
		t.Errorf("notes:\n%s", notes)
	}
}

func TestASROfARunWithoutAttacks(t *testing.T) {
	table := build(t, "asr", one(t, report.Options{Resamples: 10}))
	if len(table.Rows) != 0 || !strings.Contains(strings.Join(table.Notes, "\n"), "its user does not attack") {
		t.Errorf("%d rows, notes %q", len(table.Rows), table.Notes)
	}
}
