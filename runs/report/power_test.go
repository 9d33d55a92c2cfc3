package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/sim"
)

// planned are trials of two systems on the domains.
func planned(tasks, trials int, domains ...string) *config.Plan {
	p := &config.Plan{Config: &config.Config{Name: "planned"}}
	for _, domain := range domains {
		for _, system := range []string{"A", "B"} {
			for task := range tasks {
				for trial := range trials {
					p.Trials = append(p.Trials, config.Planned{Key: sim.Key{Domain: domain, System: system, Task: fmt.Sprint(task), Trial: trial}})
				}
			}
		}
	}
	return p
}

// TestPlannedPower holds the variation that a config goes by against the paper's figures by hand.
func TestPlannedPower(t *testing.T) {
	got, err := report.PlannedPower(planned(50, 4, "airline", "mock"), 1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	// Pass^4 of 0.62 and 0.46 over 50 tasks, the difference between 0.02 and 0.30.
	single, se := math.Sqrt(0.62*0.38*0.46*0.54), 0.28/2/1.96
	correlation := (0.62*0.38 + 0.46*0.54 - 50*se*se) / 2 / single
	a, b := 0.707-0.775*0.775, 0.53-0.64*0.64
	d := got.Designs["airline"]
	if math.Abs(d.Within-0.178) > 1e-9 || math.Abs(d.Between-(a+b-2*correlation*math.Sqrt(a*b))) > 1e-9 || d.Tasks != 50 || d.Trials != 4 {
		t.Errorf("airline %+v", d)
	}
	if m := got.Designs["mock"]; m.Within <= 0 || m.Between <= 0 {
		t.Errorf("a domain that the paper does not have: %+v", m)
	}
	table := got.Table(0.05)
	if first := table.Rows[0]; first[2].Text != "800" || first[3].Text != "400.00" {
		t.Errorf("the first row is %+v", first)
	}
	if !strings.Contains(table.Finding, "80 of 100 take ") || !strings.Contains(got.Table(0).Finding, "twice the conversations (800.00 dollars): as trials they find 0.") {
		t.Errorf("%s; %s", table.Finding, got.Table(0).Finding)
	}
	line := fmt.Sprintf("power: a difference in Pass^1 of %s is found in 80 of 100", table.Rows[0][4].Text)
	if !strings.HasPrefix(got.String(), line) {
		t.Errorf("%q does not begin with %q", got.String(), line)
	}
}

// TestMeasuredPower goes by the run's own results, and refuses a run that does not tell.
func TestMeasuredPower(t *testing.T) {
	tasks := map[string][]string{"A": {"ssss", "ssff", "ffff", "sssf", "ssss", "sfff"}, "B": {"sfff", "ssff", "fffs", "ssff", "ssss", "ffff"}}
	s := letters(tasks)
	got, err := report.MeasuredPower(&s, 1)
	if err != nil {
		t.Fatal(err)
	}
	side := func(name string) (out []metrics.Outcome) {
		for _, o := range s.Outcomes {
			if o.System == name {
				out = append(out, o)
			}
		}
		return out
	}
	want, _ := metrics.VariationOf(metrics.Both{First: side("A"), Second: side("B")})
	if d := got.Designs["retail"]; d.Tasks != 6 || d.Trials != 4 || math.Abs(d.Between-want.Between) > 1e-12 || math.Abs(d.Within-want.Within) > 1e-12 {
		t.Errorf("%+v, want %+v", d, want)
	}
	single := letters(map[string][]string{"A": {"s", "f"}, "B": {"f", "f"}})
	if _, err := report.MeasuredPower(&single, 1); err == nil || !strings.Contains(err.Error(), "hint: name a config instead") {
		t.Errorf("one trial: %v", err)
	}
}
