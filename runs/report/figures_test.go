package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/report/figure"
)

// drawnOf is a run on tasks of airline, four trials each, with some of the systems of its config.
func drawnOf(name string, tasks int, configured []string, systems ...string) report.Source {
	s := report.Source{Provenance: report.Provenance{Name: name, Config: "0123abcd"}, Configured: configured, Domains: []report.Domain{{Name: "airline", Split: "base"}}}
	for _, system := range systems {
		s.Systems = append(s.Systems, report.System{Name: system, Kind: report.ReAct, Family: "gpt-5.4"})
		for task := range tasks {
			for trial := range 4 {
				o := metrics.Outcome{Domain: "airline", System: system, Task: fmt.Sprint(task), Trial: trial, State: metrics.Failure}
				if task%2 == 0 {
					o.State = metrics.Success
				}
				s.Outcomes = append(s.Outcomes, o)
			}
		}
	}
	return s
}

// TestFiguresKeepLooks gives systems the look of their place in the config, whichever others have trials.
func TestFiguresKeepLooks(t *testing.T) {
	all := []string{"A", "B", "C"}
	in := report.Input{Sources: []report.Source{drawnOf("first", 2, all, "C"), drawnOf("second", 2, all, "B", "C")}}
	got := ""
	for _, s := range report.Figures(in)[0].Panels[0].Series {
		got += fmt.Sprintf("%s of %s %d, ", s.Name, s.Run, s.Look)
	}
	if want := "C of first 2, B of second 4, C of second 5, "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFiguresOfOneDomain have panels of what runs have, and say where there is none, and that a single task has no interval.
func TestFiguresOfOneDomain(t *testing.T) {
	for tasks, caption := range map[int]string{1: "no interval can be told", 4: "bands or bars"} {
		all := report.Figures(report.Input{Sources: []report.Source{drawnOf("run", tasks, nil, "ReAct")}})
		if p := all[0].Panels; len(p) != 1 || p[0].Title != "airline" || len(p[0].Series) != 1 {
			t.Errorf("Figure 4: %+v", p)
		}
		if p := all[1].Panels; len(p) != 1 || p[0].Note != "no run has it" {
			t.Errorf("Figure 5: %+v", p)
		}
		if got := strings.Join(all[0].Caption, "; "); !strings.HasPrefix(got, caption) {
			t.Errorf("%d tasks: %q", tasks, got)
		}
	}
}

// TestFiguresWithThePaper puts the paper's points beside a run on all the paper's tasks, and says why not beside another.
func TestFiguresWithThePaper(t *testing.T) {
	for _, tt := range []struct {
		tasks int
		want  string
		note  string
	}{{50, "airline,run,ReAct,paper,1,0.64,,,run@0123abcd,false\nairline,run,ReAct,paper,2,0.53,,,run@0123abcd,false\n" +
		"airline,run,ReAct,paper,3,0.485,,,run@0123abcd,false\nairline,run,ReAct,paper,4,0.46,,,run@0123abcd,false\n", ""}, {4, "", "other tasks or trials"}} {
		in := report.Input{Sources: []report.Source{drawnOf("run", tt.tasks, nil, "ReAct")}, Options: report.Options{Published: true}}
		f := report.Figures(in)[0]
		var csv bytes.Buffer
		if err := report.Numbers(in, f).Write(&csv, report.CSV); err != nil {
			t.Fatal(err)
		}
		head, rows, _ := strings.Cut(csv.String(), "\n")
		if head != "panel,run,system,of,k,value,lo,hi,runs,synthetic" || strings.Count(rows, ",run,") < 4 || !strings.HasSuffix(rows, tt.want) || strings.Contains(rows, "paper") != (tt.want != "") {
			t.Errorf("%d tasks: %s\n%s", tt.tasks, head, rows)
		}
		if said := strings.Join(f.About(), "\n"); (tt.note == "") != (len(f.Notes) == 0) || !strings.Contains(said, tt.note) {
			t.Errorf("%d tasks: %q", tt.tasks, said)
		}
		in.Published = false
		for _, s := range report.Figures(in)[0].Panels[0].Series {
			if s.Paper {
				t.Error("the paper's points are there unasked")
			}
		}
	}
}

// TestAttacksWithThePaper puts the paper's attack success at k = 1.
func TestAttacksWithThePaper(t *testing.T) {
	s := attacked()
	s.Attack.Trials = nil
	for _, o := range drawnOf("", 20, nil, "ReAct").Outcomes {
		s.Attack.Trials = append(s.Attack.Trials, report.AttackTrial{Outcome: o})
	}
	in := report.Input{Sources: []report.Source{s}, Options: report.Options{Published: true}}
	var paper []figure.Series
	for _, s := range report.Figures(in)[0].Panels[0].Series {
		if s.Paper {
			paper = append(paper, s)
		}
	}
	if len(paper) != 1 || len(paper[0].Points) != 1 || paper[0].Points[0] != (figure.Point{K: 1, Value: 0.2, Lo: 0.2, Hi: 0.2}) {
		t.Errorf("%+v", paper)
	}
}
