package report_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/domains"
	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/sim/attack"
)

// TestPublishedTables prints the paper's tables without any run.
func TestPublishedTables(t *testing.T) {
	tables, err := report.PublishedTables()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var numbers []int
	for _, table := range tables {
		numbers = append(numbers, table.Number)
		if alone := write(t, report.Markdown, table); strings.Contains(alone, "of no run") { // the others are golden files of their own
			text.WriteString(alone + "\n")
		}
	}
	if want := []int{1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16, 17, 0}; !slices.Equal(numbers, want) {
		t.Errorf("tables %v, want %v", numbers, want)
	}
	golden(t, "published.md", text.String())
	if c := find(t, tables[0], "pass^4_Mut", "telecom", "PolicyGuide"); c.Value != 0.549 || len(tables[0].Runs) > 0 {
		t.Errorf("PolicyGuide on telecom has %v, of runs %v", c.Value, tables[0].Runs)
	}
	if _, err := report.Build("calls", report.Input{Options: report.Options{Published: true}}); !errors.Is(err, domains.ErrUsage) || !strings.Contains(err.Error(), "table calls: the paper has no such figures\nhint: ") {
		t.Errorf("a table that the paper does not have: %v", err)
	}
}

// TestPaperASRIsOfAllAttacks: the paper's attack success is beside a run of as many attacks.
func TestPaperASRIsOfAllAttacks(t *testing.T) {
	for tasks, want := range map[int]bool{20: true, 19: false} {
		s := attacked()
		s.Attack.Trials = nil
		for i := range tasks * 4 {
			s.Attack.Trials = append(s.Attack.Trials, report.AttackTrial{Outcome: metrics.Outcome{Domain: "airline", System: "ReAct", Task: fmt.Sprint(i / 4), Trial: i % 4, State: metrics.Failure},
				Targets: []attack.Kind{attack.Policy}})
		}
		table := build(t, "asr", report.Input{Sources: []report.Source{s}, Options: report.Options{Published: true}})
		if got := strings.Contains(write(t, report.CSV, table), "asr_paper"); got != want {
			t.Errorf("%d attacks: the paper's figure is shown: %v", tasks, got)
		}
	}
}
