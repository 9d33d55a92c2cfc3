package report_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/report"
)

// What a run lacks is told with the command that it was made with, or why there is none.
func TestCommandForMissingTrials(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*report.Source)
		want   string
	}{
		{"as recorded", func(*report.Source) {},
			"`tauguide run 'my experiments/fixture.yaml' --resume --limit 4 --only domain=airline,retail,telecom --synthetic`"},
		{"elsewhere", func(s *report.Source) {
			s.Dir, s.Command = "/data/x", &config.Command{Config: "c.yaml", Data: "d", BaseURL: "http://localhost:1/v1", Cassette: "replay:x"}
		}, "`tauguide run c.yaml --resume --data d --base-url http://localhost:1/v1 --cassette replay:x --out /data/x`"},
		{"of a run that does not say", func(s *report.Source) { s.Command = nil }, "`tauguide run CONFIG --resume`"},
		{"imported", func(s *report.Source) { s.Setup.Fields = map[string]string{"imported.from": `"x.json"`} },
			"what run fixture lacks cannot run here, since it was imported: import one with 4 trials"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := one(t, report.Options{})
			tt.change(&in.Sources[0])
			for _, name := range []string{"main", "mcnemar", "bootstrap", "pass"} {
				if text := write(t, report.Markdown, build(t, name, in)); strings.Count(text, tt.want) != 1 {
					t.Errorf("table %s does not have %q once:\n%s", name, tt.want, text)
				}
			}
		})
	}
}

// Trials that a run has too few of are asked for.
func TestCommandForMoreTrials(t *testing.T) {
	in := one(t, report.Options{})
	s := &in.Sources[0]
	var first []metrics.Outcome
	for _, o := range s.Outcomes {
		if o.Trial < 2 {
			first = append(first, o)
		}
	}
	s.Outcomes = first
	if text := write(t, report.Markdown, build(t, "main", in)); !strings.Contains(text, "fixture.yaml' --resume --trials 4 --limit 4") {
		t.Error(text)
	}
}

// A run that nobody compares with the reference says why.
func TestUnpairedRuns(t *testing.T) {
	a, b := fixture(t), fixture(t)
	b.Name, b.Systems = "other", b.Systems[:1]
	a.Setup.Fields, b.Setup.Fields = map[string]string{"seed": "1"}, map[string]string{"seed": "2"}
	text := write(t, report.Markdown, build(t, "mcnemar", report.Input{Sources: []report.Source{a, b}}))
	if want := "run other is not paired with run fixture, from which it differs in more than its systems: seed is 1 in the first run and 2 in the second"; !strings.Contains(text, want) {
		t.Error(text)
	}
}

// Where no domain can be compared there is no test, rather than one that finds nothing.
func TestCompareWithTooFewTrials(t *testing.T) {
	s := fixture(t)
	for i := range s.Outcomes {
		if s.Outcomes[i].Trial == 3 {
			s.Outcomes[i].State = metrics.Void
		}
	}
	c, err := report.Compare(0, report.Side{Source: &s, System: "ReAct"}, report.Side{Source: &s, System: "Guided"})
	if err != nil {
		t.Fatal(err)
	}
	text := write(t, report.Markdown, c.Tables(1)...)
	if c.Pooled != nil || !strings.Contains(text, "no domain could be compared") || find(t, c.Tables(1)[0], "only_a", "airline").Text != "-" {
		t.Errorf("pooled %v:\n%s", c.Pooled, text)
	}
	if c := find(t, build(t, "mcnemar", report.Input{Sources: []report.Source{s}}), "reference_only", "ReAct"); c.Text != "-" || c.Value != nil {
		t.Errorf("Table 12 counts %q where nothing could be paired", c.Text)
	}
}

// An interval that cannot be told, such as that of a single task, has its reason below every table that shows it.
func TestUndefinedIntervalsSayWhy(t *testing.T) {
	s := fixture(t)
	first := map[string]string{}
	for _, o := range s.Outcomes {
		if first[o.Domain] == "" {
			first[o.Domain] = o.Task
		}
	}
	s.Outcomes = slices.DeleteFunc(s.Outcomes, func(o metrics.Outcome) bool { return o.Task != first[o.Domain] })
	s.Trials = slices.DeleteFunc(s.Trials, func(x report.Trial) bool { return x.Task != first[x.Domain] })
	for at, x := range s.Spent {
		maps.DeleteFunc(x.Tasks, func(task string, _ metrics.Use) bool { return task != first[at.Domain] })
	}
	shown := 0
	for _, table := range report.Tables() {
		text := write(t, report.Markdown, build(t, table.Name, report.Input{Sources: []report.Source{s}, Options: report.Options{Resamples: 10}}))
		if cells, notes, _ := strings.Cut(text, "\n\n- "); strings.Contains(cells, "[-]") {
			shown++
			if !strings.Contains(notes, "`[-]` for ") {
				t.Errorf("%s:\n%s", table.Name, text)
			}
		}
	}
	if shown < 8 {
		t.Errorf("%d tables show such intervals", shown)
	}
}
