package report_test

import (
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
)

// standings is a run on one domain, of which the named systems pass so many of four tasks with all their trials; of those
// below 0 a trial is void. Without a mark its models are real.
func standings(name string, scripted bool, trials int, systems []string, passed ...int) report.Source {
	s := report.Source{Provenance: report.Provenance{Name: name, Synthetic: scripted, Models: "all: m"}, Domains: []report.Domain{{Name: "airline", Split: "base"}}}
	for i, system := range systems {
		kind := report.PolicyGuide
		if system == "ReAct" {
			kind = report.ReAct
		}
		s.Systems = append(s.Systems, report.System{Name: system, Kind: kind, Model: "m"})
		for n := range 4 * trials {
			o := metrics.Outcome{Domain: "airline", System: system, Task: string(rune('a' + n/trials)), Trial: n % trials, State: metrics.Failure}
			switch {
			case passed[i] < 0 && n == 0:
				o.State = metrics.Void
			case n/trials < passed[i]:
				o.State = metrics.Success
			}
			s.Outcomes = append(s.Outcomes, o)
		}
	}
	return s
}

// TestFindingSaysNoMoreThanTheTable: the sentence below the overview names all that are best, compares within one run, tells
// for whom there is no figure, and calls scripted what is.
func TestFindingSaysNoMoreThanTheTable(t *testing.T) {
	t.Parallel()
	three := []string{"ReAct", "A", "B", "C"}
	for want, sources := range map[string][]report.Source{
		"A, B and C pass all four trials of 75 % of tasks, ReAct of 25 %; scripted models":        {standings("r", true, 4, three, 1, 3, 3, 3)},
		"ReAct passes all four trials of 50 % of tasks":                                           {standings("r", false, 4, []string{"ReAct", "A"}, 2, 1)},
		"ReAct passes all four trials of 50 % of tasks; no such figure for A":                     {standings("r", false, 4, []string{"ReAct", "A"}, 2, -1)},
		"A passes four trials of 75 % of tasks, ReAct of 25 %":                                    {standings("r", false, 5, []string{"ReAct", "A"}, 1, 3)},
		"A passes 75 % of tasks, ReAct 25 %":                                                      {standings("r", false, 1, []string{"ReAct", "A"}, 1, 3)},
		"A of s and A of q pass all four trials of 75 % of tasks, ReAct of 50 %; partly scripted": {standings("s", true, 4, []string{"ReAct", "A"}, 2, 3), standings("q", false, 4, []string{"ReAct", "A"}, 1, 3)},
		"A of q passes all four trials of 100 % of tasks, ReAct of 25 %":                          {standings("s", true, 4, []string{"ReAct", "A"}, 2, 3), standings("q", false, 4, []string{"ReAct", "A"}, 1, 4)},
		"": {standings("r", false, 4, []string{"A"}, -1)},
	} {
		table := build(t, "overview", report.Input{Sources: sources})
		if table.Finding != want {
			t.Errorf("%q, want %q", table.Finding, want)
		}
	}
}
