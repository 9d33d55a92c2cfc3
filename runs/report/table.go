// Package report turns recorded runs into tables and figures. Each table is a pure function of sources, rendered for the
// terminal, as Markdown, CSV, LaTeX or JSON. Tables (tables.go) lists them with their columns; the numbered ones are those
// of the paper.
package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/tauguide/tauguide/runs/config"
	"github.com/tauguide/tauguide/runs/terminal"
)

// Format is how a table is written.
type Format string

// The formats.
const (
	Term     Format = "term"
	Markdown Format = "md"
	CSV      Format = "csv"
	LaTeX    Format = "latex"
	JSON     Format = "json"
)

// Formats lists the formats for help texts.
func Formats() []Format { return []Format{Term, Markdown, CSV, LaTeX, JSON} }

// Column heads a column; Key names it for programs. The title may be in parts: the heading that it shares with its
// neighbours, what stands below that, and, where these two do not say it, the whole title, as in "Trials|eval|Evaluable".
type Column struct {
	Key     string
	Title   string
	Numeric bool
	bars    bool // its figures have error bars, which are further columns for programs
	bounds  bool // its figures have bounds, likewise
}

// Heading is the title on one line.
func (c Column) Heading() string {
	parts := strings.SplitN(c.Title, "|", 3)
	if len(parts) == 3 {
		return parts[2]
	}
	return strings.Join(parts, " ")
}

// split is the heading that a column shares, "" for none, and what stands below it.
func (c Column) split() (shared, own string) {
	parts := strings.SplitN(printable(c.Title), "|", 3)
	if len(parts) == 1 {
		return "", parts[0]
	}
	return parts[0], parts[1]
}

// Table is a table with its title and the notes that must be read with it.
type Table struct {
	Number    int // in the paper; 0 for the tables that it does not have
	Name      string
	Title     string
	Synthetic bool // some figure comes from scripted models
	Columns   []Column
	Rows      [][]Cell
	Runs      []Provenance
	Finding   string   // what it shows, in a sentence; "" for nothing that could be said in one
	Rivals    []string // two systems that are worth a comparison, where the table is about such
	Notes     []string

	narrow []string // see Spec
	bars   []string // see Spec
	layout *layout  // see Spec

	splitOf func(domain string) string // which split the paper took a domain's tasks from, where it has the table
	contest string                     // of which figures those are the best that are marked; "" for those of a column
	places  []place                    // of the paper's figures, for each column
	mark    string                     // what is scripted, where Runs does not say
}

// SyntheticNote is what every output with results of scripted models says.
const SyntheticNote = "*synthetic*: results of scripted models; they show that the mechanism works and say nothing about any real model"

// ScriptedNote is what every output says of results in which some part is scripted, as config.Config.Scripted names it.
func ScriptedNote(scripted string) string {
	switch scripted {
	case config.AllScripted:
		return SyntheticNote
	case config.PartlyScripted:
		return "*partly scripted*: some figures are of scripted models, which the notes about runs name; they say nothing about any real model"
	}
	return "*" + scripted + "*: the other parts are real models; a script knows the task and plays by it, so that these are not the figures of a run with real models in all parts"
}

// glossaryNote is the last line below a table that people read.
const glossaryNote = "terms: docs/glossary.md"

// Heading is the title with the paper's number and the mark of synthetic results.
func (t Table) Heading() string {
	out := t.Title
	if t.Number > 0 {
		out = fmt.Sprintf("Table %d: %s", t.Number, t.Title)
	}
	return out + t.marked()
}

// scripted is what of the results is scripted; "" for nothing.
func (t Table) scripted() string {
	if !t.Synthetic {
		return ""
	}
	return cmp.Or(t.mark, markOf(t.Runs...), config.AllScripted)
}

// marked is that behind a title.
func (t Table) marked() string {
	if s := t.scripted(); s != "" {
		return " (*" + s + "*)"
	}
	return ""
}

func (t Table) notes() []string {
	var out []string
	if s := t.scripted(); s != "" {
		out = append(out, ScriptedNote(s))
	}
	for _, p := range t.Runs {
		out = append(out, p.String())
	}
	if t.Finding != "" {
		out = append(out, t.Finding)
	}
	return append(out, t.Notes...)
}

// Write renders the table.
func (t Table) Write(w io.Writer, f Format) error {
	switch f {
	case Term:
		return Print(w, terminal.Page{}, false, t)
	case Markdown:
		return t.writeMarkdown(w)
	case CSV:
		return t.writeCSV(w)
	case LaTeX:
		return t.writeLaTeX(w)
	case JSON:
		return writeJSON(w, t)
	}
	return fmt.Errorf("unknown format %q: choose one of %v", f, Formats())
}

// printable is a text on one line that can do nothing to a terminal: control characters and marks of direction are
// written out.
func printable(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.Is(unicode.C, r) && r != '\u200d' || r == '\u2028' || r == '\u2029'
}

func (t Table) writeMarkdown(w io.Writer) error {
	t = t.set()
	if _, err := fmt.Fprintf(w, "### %s\n\n", printable(t.Heading())); err != nil {
		return err
	}
	cell := func(s string) string { return strings.ReplaceAll(printable(s), "|", `\|`) } // the renderer does not escape
	align := make([]tw.Align, len(t.Columns))
	head := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		align[i], head[i] = tw.AlignLeft, cell(c.Heading())
		if c.Numeric {
			align[i] = tw.AlignRight
		}
	}
	tab := tablewriter.NewTable(w, append(settings(align), tablewriter.WithRenderer(renderer.NewMarkdown()))...)
	tab.Header(head...)
	for _, r := range t.Rows {
		row := make([]string, len(r))
		for i, c := range r {
			row[i] = cell(c.WithBar())
			if c.Best {
				row[i] = strings.Replace(row[i], c.Text, "**"+c.Text+"**", 1)
			}
		}
		if err := tab.Append(row); err != nil {
			return err
		}
	}
	if err := tab.Render(); err != nil {
		return err
	}
	for i, n := range append(t.notes(), glossaryNote) {
		if i == 0 {
			n = "\n- " + printable(n)
		} else {
			n = "- " + printable(n)
		}
		if _, err := fmt.Fprintln(w, n); err != nil {
			return err
		}
	}
	return nil
}

// settings turn off everything that tablewriter does to texts on its own.
func settings(align []tw.Align) []tablewriter.Option {
	return []tablewriter.Option{
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone), tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	}
}
