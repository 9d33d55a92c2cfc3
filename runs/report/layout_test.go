package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/metrics"
	"github.com/tauguide/tauguide/runs/report"
)

// families is a run of Table 4: a ReAct and a PolicyGuide of two models each, named by these, a system of a third model, and two
// domains. PolicyGuide passes all tasks, ReAct the first.
func families() report.Source {
	s := report.Source{Provenance: report.Provenance{Name: "families"}, Domains: []report.Domain{{Name: "airline", Split: "base"}, {Name: "retail", Split: "base"}}}
	for _, model := range []string{"gpt-5.4", "claude-sonnet-4.6"} {
		s.Systems = append(s.Systems, report.System{Name: "ReAct-" + model, Kind: report.ReAct, Model: model, Family: model},
			report.System{Name: "Guide-" + model, Kind: report.PolicyGuide, Model: model, Family: model, Verifier: model})
	}
	s.Systems = append(s.Systems, report.System{Name: "Alone", Kind: report.ReAct, Model: "other"})
	for _, domain := range []string{"airline", "retail"} {
		for _, x := range s.Systems {
			for task := range 8 {
				for trial := range 4 {
					o := metrics.Outcome{Domain: domain, System: x.Name, Task: fmt.Sprint(task), Trial: trial, Mut: task%2 == 0, State: metrics.Success}
					if x.Kind == report.ReAct && task > 0 {
						o.State = metrics.Failure
					}
					if x.Name == "Alone" && trial == 3 {
						o.State = metrics.Void
					}
					s.Outcomes = append(s.Outcomes, o)
				}
			}
		}
	}
	return s
}

// row returns the cells of the first row of a Markdown table that begins with these.
func markdownRow(t *testing.T, text string, first ...string) []string {
	t.Helper()
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) > len(first) && slices.Equal(cells[:len(first)], first) {
			return cells[len(first):]
		}
	}
	t.Fatalf("no row begins with %v:\n%s", first, text)
	return nil
}

// TestDomainsStandSideBySide: Table 1 has a row for each system under Pass^1 and Pass^4, with tasks counted in the headings, the
// verifier, and the best of each domain; CSV has the long form.
func TestDomainsStandSideBySide(t *testing.T) {
	s := families()
	table := build(t, "main", report.Input{Sources: []report.Source{s}})
	text := write(t, report.Markdown, table)
	head := markdownRow(t, text, "", "System", "Verifier")
	if want := []string{"airline all (8)", "airline PV (4)", "airline Mut (4)", "retail all (8)", "retail PV (4)", "retail Mut (4)", "mean all (16)", "mean PV (8)", "mean Mut (8)"}; !slices.Equal(head, want) {
		t.Errorf("headings %q, want %q", head, want)
	}
	guide := markdownRow(t, text, "Pass^1", "ReAct-gpt-5.4", "–")
	if len(guide) != 9 || !strings.HasPrefix(guide[0], "0.125 [") {
		t.Errorf("ReAct has %q", guide)
	}
	for _, cell := range markdownRow(t, text, "", "Guide-gpt-5.4", "gpt-5.4") {
		if !strings.HasPrefix(cell, "**1.000** [") {
			t.Errorf("a best figure is %q, want it bold", cell)
		}
	}
	if want := "trials with a result: Alone on airline 24 of 32, Alone on retail 24 of 32"; !strings.Contains(text, want) {
		t.Errorf("the notes lack %q:\n%s", want, text)
	}
	if csv := write(t, report.CSV, table); !strings.HasPrefix(csv, "domain,system,tasks,evaluable,planned,verifier,tasks_PV,tasks_Mut,pass^1_all,") || strings.Count(csv, "\n") < 16 {
		t.Errorf("CSV has not the long form:\n%s", csv)
	}
}

// TestFamiliesArePaired: systems of a model stand beside each other in Table 4 by kind, and only they are compared in Tables 12 and 13.
func TestFamiliesArePaired(t *testing.T) {
	in := report.Input{Sources: []report.Source{families()}, Options: report.Options{Resamples: 100}}
	text := write(t, report.Markdown, build(t, "models", in))
	head := markdownRow(t, text, "Model", "Verifier")
	for _, want := range []string{"ReAct all (8)", "PolicyGuide all (8)", "PolicyGuide Mut (4)"} {
		if !slices.Contains(head, want) {
			t.Errorf("headings %q lack %q", head, want)
		}
	}
	claude := markdownRow(t, text, "claude-sonnet-4.6", "claude-sonnet-4.6")
	if at := slices.Index(head, "PolicyGuide all (8)"); !strings.HasPrefix(claude[at], "**1.000**") || !strings.HasPrefix(claude[slices.Index(head, "ReAct all (8)")], "0.125") {
		t.Errorf("the row of a model is %q under %q", claude, head)
	}
	for _, name := range []string{"mcnemar", "bootstrap"} {
		table := build(t, name, in)
		var pairs []string
		for _, r := range table.Rows {
			texts := []string{r[0].Text, r[1].Text, r[2].Text, r[3].Text}
			pairs = append(pairs, strings.Join(texts[:3+map[bool]int{true: 1}[name == "bootstrap"]], " "))
		}
		want := []string{"gpt-5.4 Guide-gpt-5.4 ReAct-gpt-5.4", "claude-sonnet-4.6 Guide-claude-sonnet-4.6 ReAct-claude-sonnet-4.6"}
		if name == "bootstrap" {
			want = []string{"gpt-5.4 airline Guide-gpt-5.4 ReAct-gpt-5.4", "claude-sonnet-4.6 airline Guide-claude-sonnet-4.6 ReAct-claude-sonnet-4.6",
				"gpt-5.4 retail Guide-gpt-5.4 ReAct-gpt-5.4", "claude-sonnet-4.6 retail Guide-claude-sonnet-4.6 ReAct-claude-sonnet-4.6"}
		}
		if !slices.Equal(pairs, want) {
			t.Errorf("table %s pairs %q, want %q", name, pairs, want)
		}
		if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "of the model of these there is no reference: Alone") {
			t.Errorf("table %s does not say what it leaves out:\n%s", name, notes)
		}
	}
	in.Reference = "Guide-gpt-5.4"
	if n := len(build(t, "mcnemar", in).Rows); n != 4 {
		t.Errorf("a reference that is asked for is compared with %d systems, want all 4", n)
	}
}

// TestSystemsOfAKindAndAModelKeepTheirRows: two of them have a row each.
func TestSystemsOfAKindAndAModelKeepTheirRows(t *testing.T) {
	s := families()
	s.Systems[4].Kind, s.Systems[4].Model, s.Systems[4].Family = report.PolicyGuide, "gpt-5.4", "gpt-5.4"
	text := write(t, report.Markdown, build(t, "models", report.Input{Sources: []report.Source{s}}))
	if n := strings.Count(text, "\n| gpt-5.4 "); n != 2 {
		t.Errorf("%d rows of gpt-5.4, want 2:\n%s", n, text)
	}
}
