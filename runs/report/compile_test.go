package report_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tauguide/tauguide/runs/report"
)

// printedTables are all tables of several runs: of the fixture, with the paper's figures, of two runs, of systems whose names are long or in other
// scripts, of several models, and those of the paper alone.
func printedTables(t *testing.T) []report.Table {
	t.Helper()
	tables, err := report.PublishedTables()
	if err != nil {
		t.Fatal(err)
	}
	long := families()
	for i := range long.Systems {
		name := []string{"Withoutabreak" + strings.Repeat("AndOnItGoes", 4), "Ünüsüal Ænd 系统", "emoji🤖", "50 % & $more_#~^{}", `C:\path\to`}[i]
		for n := range long.Outcomes {
			if long.Outcomes[n].System == long.Systems[i].Name {
				long.Outcomes[n].System = name
			}
		}
		long.Systems[i].Name = name
	}
	for _, s := range report.Tables() {
		for _, in := range []report.Input{
			{Sources: []report.Source{fixture(t)}, Options: report.Options{Resamples: 100, Holm: true}},
			{Sources: []report.Source{fixture(t), fixture(t)}, Options: report.Options{Resamples: 100, Published: true}},
			{Sources: []report.Source{long}, Options: report.Options{Resamples: 100}},
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
			tables = append(tables, table)
			if s.Free {
				break
			}
		}
	}
	noted := tables[len(tables)-1]
	noted.Notes = slices.Repeat([]string{"a note of a run of many systems, which says in two lines why a figure of a task is not there, and how to get it"}, 60)
	return append(tables, noted)
}

// TestLaTeXCompiles sets all tables in classes with one column and with two: nothing is wider or higher than its place.
func TestLaTeXCompiles(t *testing.T) {
	program, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex found: Debian's texlive-latex-recommended has it")
	}
	tables := printedTables(t)
	for _, class := range []string{"[10pt]{article}", "[10pt,twocolumn]{article}"} {
		var b strings.Builder
		b.WriteString("\\documentclass" + class + "\n\\usepackage{booktabs,tabularx}\n\\begin{document}\n")
		for i, table := range tables {
			fmt.Fprintf(&b, "\\typeout{TABLE %d %s}\n%s\\clearpage\n", i, table.Name, write(t, report.LaTeX, table))
		}
		b.WriteString("\\end{document}\n")
		dir := os.Getenv("TAUGUIDE_LATEX") // to look at the pages
		if dir == "" {
			dir = t.TempDir()
		}
		if err := os.WriteFile(filepath.Join(dir, "tables.tex"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "-interaction=nonstopmode", "-halt-on-error", "tables.tex")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "max_print_line=1000")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", class, err, out[max(0, len(out)-3000):])
			continue
		}
		at := ""
		var faults []string
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "TABLE ") {
				at = strings.TrimSpace(line)
			}
			if fault.MatchString(line) {
				faults = append(faults, at+": "+strings.TrimSpace(line))
			}
		}
		if faults = slices.Compact(faults); len(faults) > 0 {
			t.Errorf("%s: %d faults:\n%s", class, len(faults), strings.Join(faults, "\n"))
		}
	}
}

// fault is what LaTeX says of what does not fit, or of what it does not know.
var fault = regexp.MustCompile(`^Overfull|Float too large|^!`)
