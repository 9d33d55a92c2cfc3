package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/report"
	"github.com/tauguide/tauguide/runs/terminal"
)

// widths are those that every table has to fit.
var widths = []int{60, 80, 100, 120, 200}

// TestTablesFit: no line of any table is longer than the page is wide, with and without the paper's figures, of one run, of two
// and of none.
func TestTablesFit(t *testing.T) {
	published, err := report.PublishedTables()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range published {
		for _, width := range widths {
			fits(t, table.Name, table, terminal.Page{Width: width}, false)
		}
	}
	for _, s := range report.Tables() {
		for _, in := range []report.Input{
			{Sources: []report.Source{fixture(t)}, Options: report.Options{Resamples: 100}},
			{Sources: []report.Source{fixture(t), fixture(t)}, Options: report.Options{Resamples: 100, Published: true}},
		} {
			if s.Name == "asr" {
				in.Sources[0].Attack = attackOn(in.Sources[0])
			}
			if s.Free {
				in.Sources = nil
			}
			table, err := s.Build(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, width := range widths {
				for _, provenance := range []bool{false, true} {
					fits(t, s.Name, table, terminal.Page{Width: width, Colour: width == 100}, provenance)
				}
			}
		}
	}
}

func fits(t *testing.T, name string, table report.Table, page terminal.Page, provenance bool) {
	t.Helper()
	var b bytes.Buffer
	if err := report.Print(&b, page, provenance, table); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := terminal.Columns(strings.TrimSuffix(line, "\n")); n > page.Width {
			t.Errorf("table %s has %d of %d columns: %s", name, n, page.Width, line)
			break
		}
	}
}

// TestNarrowTable: what a table gives up is told, headings are wrapped before columns go, words that all rows share go first,
// and colour repeats marks.
func TestNarrowTable(t *testing.T) {
	best, bad := report.Number(0.5, 3), report.Number(0.125, 3)
	best.Best, bad.Style = true, terminal.Bad
	table := report.Table{Title: "Small", Notes: []string{"warning: take care"}, Finding: "nothing was found",
		Columns: []report.Column{{Key: "run", Title: "Run"}, {Key: "system", Title: "System"}, {Key: "tasks", Title: "#", Numeric: true},
			{Key: "a", Title: "Share of tasks|all", Numeric: true}, {Key: "b", Title: "Share of tasks|PV|PV tasks", Numeric: true}, {Key: "long", Title: "a long heading", Numeric: true}},
		Rows: [][]report.Cell{{report.Label("r"), report.Label("first"), report.Whole(3), best, report.Number(0.25, 3), report.Whole(1)},
			{report.Label("r"), report.Label("second"), report.Whole(3), bad, report.Dash("none"), report.Whole(2)}}}
	for width, name := range map[int]string{0: "piped", 64: "64", 48: "48", 40: "40"} {
		var b bytes.Buffer
		if err := report.Print(&b, terminal.Page{Width: width, Colour: width == 48}, false, table); err != nil {
			t.Fatal(err)
		}
		golden(t, "narrow-"+name+".txt", strings.ReplaceAll(b.String(), "\x1b", "␛"))
	}
}

// TestIntervalsFold: intervals become short where room is, are left out of what the table can do without, and go at last; notes
// say so.
func TestIntervalsFold(t *testing.T) {
	table := build(t, "main", one(t, report.Options{}))
	for _, tt := range []struct {
		width      int
		has, lacks []string
	}{
		{0, []string{"0.938* [.34–1.00]", "0.875 [.11–1.00]", "Agresti and Coull"}, []string{"±"}},
		{200, []string{"0.938* ±.60", "0.875 ±.77", "±: to the farther limit"}, []string{" [."}},
		{100, []string{"0.938* ±.60", "0.750 ±.56", "±: to the farther limit", "left out in 100 columns: airline PV (2), airline Mut (2)"}, []string{"0.875 ±.77"}},
		{56, []string{"the other formats have the 95 % intervals"}, []string{"±."}},
	} {
		var b bytes.Buffer
		if err := report.Print(&b, terminal.Page{Width: tt.width}, false, table); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns lack %q:\n%s", tt.width, want, b.String())
			}
		}
		for _, not := range tt.lacks {
			if strings.Contains(text, not) {
				t.Errorf("%d columns have %q:\n%s", tt.width, not, b.String())
			}
		}
	}
}
