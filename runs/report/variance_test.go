package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
)

// tabled is a table of one source.
func tabled(t *testing.T, name string, s report.Source) report.Table {
	t.Helper()
	x, err := report.Build(name, report.Input{Sources: []report.Source{s}})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// cell is the cell of a column by its key.
func cell(t *testing.T, x report.Table, row int, key string) report.Cell {
	t.Helper()
	for i, c := range x.Columns {
		if c.Key == key {
			return x.Rows[row][i]
		}
	}
	t.Fatalf("table %s has no column %s", x.Name, key)
	return report.Cell{}
}

// TestVarianceTables: what varies between tasks and within them, of two domains and pooled; what planning goes by is the same.
func TestVarianceTables(t *testing.T) {
	s := letters(map[string][]string{"A": {"ssss", "ssff", "ffff", "sssf"}})
	b := letters(map[string][]string{"B": {"ssss", "sfff", "fffs", "s"}})
	s.Systems, s.Outcomes = append(s.Systems, b.Systems...), append(s.Outcomes, b.Outcomes...)
	for _, o := range s.Outcomes { // the same on another domain, where everything fails
		o.Domain, o.State = "telecom", metrics.Failure
		s.Outcomes = append(s.Outcomes, o)
	}
	split, pairs := tabled(t, "variance", s), tabled(t, "correlation", s)
	planned, err := report.MeasuredPower(&s, 1)
	if err != nil {
		t.Fatal(err)
	}
	number := func(c report.Cell) float64 { v, _ := c.Value.(float64); return v }
	// Shares 1, 1/2, 0, 3/4; a trial varies by 1/3 and 1/4.
	within := (1.0/3 + 1.0/4) / 4
	between := 0.546875/3 - within/4
	if math.Abs(number(cell(t, split, 0, "within_tasks"))-within) > 1e-12 || math.Abs(number(cell(t, split, 0, "between_tasks"))-between) > 1e-12 {
		t.Errorf("%v, want %v and %v", split.Rows[0], between, within)
	}
	if c := cell(t, split, 2, "intraclass"); c.Value != nil || !strings.Contains(c.Why, "all trials end alike") {
		t.Errorf("all of telecom fails: %+v", c)
	}
	for i, domain := range []string{"retail", "telecom", "pooled"} {
		row := pairs.Rows[i]
		if row[0].Text != domain {
			t.Fatalf("row %d is %v", i, row)
		}
		if domain == "pooled" {
			break
		}
		d := planned.Designs[domain]
		if math.Abs(number(cell(t, pairs, i, "between_tasks"))-d.Between) > 1e-12 || math.Abs(number(cell(t, pairs, i, "within_tasks"))-d.Within) > 1e-12 {
			t.Errorf("%v, planned with %+v", row, d)
		}
	}
	if of, both := number(cell(t, pairs, 0, "correlation")), number(cell(t, pairs, 2, "correlation")); of != both || of < 0.5 {
		t.Errorf("correlation %v, pooled with a domain where nothing varies %v", of, both)
	}
	// A task passes alone with A or B, on average of the choices of a trial of each.
	if d := number(cell(t, pairs, 0, "discordance")); math.Abs(d-(0+0.5+0.25+0.25)/4) > 1e-12 {
		t.Errorf("discordance %v", d)
	}
}

// TestPowerOfPassK: planning for more trials that must all pass finds less, by the same variation, and takes as many trials.
func TestPowerOfPassK(t *testing.T) {
	found := func(k int) string {
		p, err := report.PlannedPower(planned(50, 4, "airline"), k, 0)
		if err != nil {
			t.Fatal(err)
		}
		x := p.Table(0)
		if trials := cell(t, x, 1, "trials").Text; k > 1 && trials != "8" && trials != "2" {
			t.Errorf("k = %d: a plan of %s trials", k, trials)
		}
		return cell(t, x, 0, "detectable").Text
	}
	if one, two, four := found(1), found(2), found(4); !(one < two && two < four) {
		t.Errorf("found %s, %s, %s", one, two, four)
	}
	if _, err := report.PlannedPower(planned(50, 4, "airline"), 5, 0); err == nil || !strings.Contains(err.Error(), "hint: ask for a k from 1 to 4") {
		t.Errorf("four trials for Pass^5: %v", err)
	}
}
