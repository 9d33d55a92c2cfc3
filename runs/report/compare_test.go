package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
)

// letters makes a source of systems on retail, each with a word of trials for each task: s success, f failure, v void.
func letters(systems map[string][]string) report.Source {
	s := report.Source{Provenance: report.Provenance{Name: "made", Dir: "results/made run"}, Domains: []report.Domain{{Name: "retail"}}}
	states := map[rune]metrics.State{'s': metrics.Success, 'f': metrics.Failure, 'v': metrics.Void}
	for name, tasks := range systems {
		s.Systems = append(s.Systems, report.System{Name: name})
		for task, word := range tasks {
			for trial, letter := range word {
				s.Outcomes = append(s.Outcomes, metrics.Outcome{Domain: "retail", System: name, Task: fmt.Sprint("t", task), Trial: trial, Mut: task%2 == 1, State: states[letter]})
			}
		}
	}
	return s
}

// repeat are so many words of each.
func repeat(counts map[string]int, order ...string) (out []string) {
	for _, w := range order {
		for range counts[w] {
			out = append(out, w)
		}
	}
	return out
}

// TestCompareHasOneEstimator: with unequal numbers of trials the difference is that of the figures beside it, and what the test
// leaves out is said.
func TestCompareHasOneEstimator(t *testing.T) {
	s := letters(map[string][]string{"A": {"ssffssff", "fsssssss", "ffffffff", "sssssfff"}, "B": {"ssss", "sfff", "ffss", "ssss"}})
	for _, k := range []int{0, 1, 2} {
		c, err := report.Compare(k, report.Side{Source: &s, System: "A"}, report.Side{Source: &s, System: "B"})
		if err != nil {
			t.Fatal(err)
		}
		d := c.Domains[0]
		if math.Abs(*d.PassA-*d.PassB-*d.Delta) > 1e-12 || d.Single != nil && math.Abs(*d.Single.PassA-*d.Single.PassB-*d.Single.Delta) > 1e-12 {
			t.Errorf("k %d: %v less %v is not %v", k, *d.PassA, *d.PassB, *d.Delta)
		}
		if text := strings.Join(c.Notes, "\n"); !strings.Contains(text, "the test by the first") {
			t.Errorf("k %d: nothing says which trials the test goes by:\n%s", k, text)
		}
		if len(d.Slices) != 2 || d.Slices[0].Slice != "PV" || d.Slices[0].Tasks != 2 {
			t.Errorf("slices %+v", d.Slices)
		}
	}
	if _, err := report.Compare(5, report.Side{Source: &s, System: "A"}, report.Side{Source: &s, System: "B"}); err == nil || !strings.Contains(err.Error(), "hint: ask for a k from 1 to 4") {
		t.Errorf("five of four trials: %v", err)
	}
	c, err := report.Compare(0, report.Side{Source: &s, System: "A"}, report.Side{Source: &s, System: "B"})
	if err != nil || len(c.Changed) != 4 {
		t.Fatalf("changed %+v, %v", c.Changed, err)
	}
	first := c.Changed[0]
	if first.PassedA != 4 || first.TrialsA != 8 || first.PassedB != 4 || first.Delta != -0.5 || first.Trial != 2 ||
		first.Show[0] != "tauguide show 'results/made run' retail/A/t0/2 --beside B" {
		t.Errorf("changed %+v", first)
	}
}

// TestCompareConcludes: what is said is what both the interval and the exact p say.
func TestCompareConcludes(t *testing.T) {
	tests := []struct {
		name       string
		a, b, same int // tasks that pass with A alone, with B alone, with both
		want       string
	}{
		{"a finding", 30, 8, 40, "A is better than B on tasks like these"},
		{"the other way round", 8, 30, 40, "B is better than A on tasks like these"},
		{"nothing", 6, 4, 40, "A and B cannot be told apart"},
		{"nothing discordant", 0, 0, 9, "A and B cannot be told apart"},
		{"at the edge", 11, 3, 36, "no finding: the interval of A − B, [+0.004, +0.304], and the test, exact p 0.0574, do not agree"},
		{"one task", 1, 0, 0, "nothing can be concluded: one task says nothing about others"},
	}
	for _, tt := range tests {
		of := map[string]int{"ssss": tt.a, "sssf": tt.b}
		a := append(repeat(of, "ssss", "sssf"), repeat(map[string]int{"ssss": tt.same}, "ssss")...)
		of = map[string]int{"sssf": tt.a, "ssss": tt.b}
		b := append(repeat(of, "sssf", "ssss"), repeat(map[string]int{"ssss": tt.same}, "ssss")...)
		s := letters(map[string][]string{"A": a, "B": b})
		c, err := report.Compare(4, report.Side{Source: &s, System: "A"}, report.Side{Source: &s, System: "B"})
		if err != nil || !strings.HasPrefix(c.Finding, tt.want) {
			t.Errorf("%s: %q, %v", tt.name, c.Finding, err)
		}
		noted := strings.Contains(write(t, report.Markdown, c.Tables(0)...), "interval and p do not agree, so that there is no finding: retail all")
		if noted != (tt.name == "at the edge") {
			t.Errorf("%s: a note that interval and p do not agree: %t", tt.name, noted)
		}
	}
}

// TestComparisonsAreCorrected: a difference that one comparison would find is none where eight were asked for.
func TestComparisonsAreCorrected(t *testing.T) {
	systems := map[string][]string{"A": append(repeat(map[string]int{"s": 12}, "s"), repeat(map[string]int{"f": 30}, "f")...)}
	b := append(repeat(map[string]int{"f": 10}, "f"), repeat(map[string]int{"s": 4, "f": 28}, "s", "f")...)
	var others []report.Side
	s := report.Source{}
	for i := range 8 {
		systems[fmt.Sprint("B", i)] = b
		others = append(others, report.Side{Source: &s, System: fmt.Sprint("B", i)})
	}
	s = letters(systems)
	alone, err := report.CompareAll(0, report.Side{Source: &s, System: "A"}, others[0])
	if err != nil || !strings.HasPrefix(alone[0].Finding, "A is better than B0") {
		t.Fatalf("alone: %+v, %v", alone, err)
	}
	all, err := report.CompareAll(0, report.Side{Source: &s, System: "A"}, others...)
	if err != nil {
		t.Fatal(err)
	}
	if p := all[0].Pooled; p.P != min(1, 8*p.Exact) || p.Family != 8 || !strings.HasPrefix(all[0].Finding, "no finding: ") || !strings.Contains(all[0].Finding, "corrected for 8 comparisons") {
		t.Errorf("%+v: %s", p, all[0].Finding)
	}
	tables := report.Family(all)
	if len(tables) != 9 || len(tables[0].Rows) != 8 || !strings.Contains(write(t, report.Markdown, tables[0]), "corrected for the 8 comparisons") {
		t.Errorf("%d tables", len(tables))
	}
}
