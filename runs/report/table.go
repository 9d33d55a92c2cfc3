// Package report turns recorded runs into tables. Each table is a pure function of records, rendered for the
// terminal, as Markdown, CSV or JSON.
package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Format is how a table is written.
type Format string

// The formats.
const (
	Term     Format = "term"
	Markdown Format = "md"
	CSV      Format = "csv"
	JSON     Format = "json"
)

// Formats lists the formats for help texts.
func Formats() []Format { return []Format{Term, Markdown, CSV, JSON} }

// Cell is one entry: what people read, and the value behind it for programs; null where there is none.
type Cell struct {
	Text  string
	Value any
	Why   string // why there is no value
}

// Label is a cell of plain text.
func Label(s string) Cell { return Cell{Text: s, Value: s} }

// Whole is a cell of a whole number.
func Whole(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: n} }

// Column heads a column; Key names it for programs.
type Column struct {
	Key     string
	Title   string
	Numeric bool
}

// Table is a table with its title and the notes that must be read with it.
type Table struct {
	Title     string
	Synthetic bool // some figure comes from scripted models
	Columns   []Column
	Rows      [][]Cell
	Notes     []string
}

// SyntheticNote is what every output with results of scripted models says.
const SyntheticNote = "*synthetic*: results of scripted models; they show that the mechanism works and say nothing of any real model"

// Heading is the title with the mark of synthetic results.
func (t Table) Heading() string {
	if t.Synthetic {
		return t.Title + " (*synthetic*)"
	}
	return t.Title
}

func (t Table) notes() []string {
	if t.Synthetic {
		return append([]string{SyntheticNote}, t.Notes...)
	}
	return t.Notes
}

// Write renders the table.
func (t Table) Write(w io.Writer, f Format) error {
	switch f {
	case Term:
		return t.writeText(w, layout{heading: "%s\n", note: "  %s\n", cell: func(s string) string { return s },
			options: []tablewriter.Option{tablewriter.WithRendition(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleLight)})}})
	case Markdown:
		return t.writeText(w, layout{heading: "### %s\n\n", gap: "\n", note: "- %s\n",
			cell:    strings.NewReplacer("|", `\|`, "\n", " ").Replace, // the renderer does not escape
			options: []tablewriter.Option{tablewriter.WithRenderer(renderer.NewMarkdown())}})
	case CSV:
		return t.writeCSV(w)
	case JSON:
		return t.writeJSON(w)
	}
	return fmt.Errorf("unknown format %q: choose one of %v", f, Formats())
}

// layout is how the two text formats differ.
type layout struct {
	heading, gap, note string
	cell               func(string) string
	options            []tablewriter.Option
}

func (t Table) writeText(w io.Writer, l layout) error {
	if _, err := fmt.Fprintf(w, l.heading, t.Heading()); err != nil {
		return err
	}
	tab := tablewriter.NewTable(w, append(settings(t.Columns), l.options...)...)
	head := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = l.cell(c.Title)
	}
	tab.Header(head...)
	for _, r := range t.Rows {
		row := make([]string, len(r))
		for i, c := range r {
			row[i] = l.cell(c.Text)
		}
		if err := tab.Append(row); err != nil {
			return err
		}
	}
	if err := tab.Render(); err != nil {
		return err
	}
	if _, err := io.WriteString(w, l.gap); err != nil {
		return err
	}
	for _, n := range t.notes() {
		if _, err := fmt.Fprintf(w, l.note, n); err != nil {
			return err
		}
	}
	return nil
}

// settings turn off everything that tablewriter does to texts on its own.
func settings(cols []Column) []tablewriter.Option {
	align := make([]tw.Align, len(cols))
	for i, c := range cols {
		align[i] = tw.AlignLeft
		if c.Numeric {
			align[i] = tw.AlignRight
		}
	}
	return []tablewriter.Option{
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone), tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	}
}

func (t Table) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := make([]string, len(t.Columns), len(t.Columns)+1)
	for i, col := range t.Columns {
		head[i] = col.Key
	}
	if err := c.Write(append(head, "synthetic")); err != nil {
		return err
	}
	for _, r := range t.Rows {
		row := make([]string, len(r), len(r)+1)
		for i, cell := range r {
			if cell.Value != nil {
				row[i] = fmt.Sprint(cell.Value)
			}
		}
		if err := c.Write(append(row, strconv.FormatBool(t.Synthetic))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (t Table) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

// MarshalJSON writes one object; an undefined figure is null, with the reason under "undefined" of its row.
func (t Table) MarshalJSON() ([]byte, error) {
	rows := make([]map[string]any, len(t.Rows))
	for i, r := range t.Rows {
		row := map[string]any{}
		why := map[string]string{}
		for k, cell := range r {
			row[t.Columns[k].Key] = cell.Value
			if cell.Why != "" {
				why[t.Columns[k].Key] = cell.Why
			}
		}
		if len(why) > 0 {
			row["undefined"] = why
		}
		rows[i] = row
	}
	return json.Marshal(struct {
		Title     string           `json:"title"`
		Synthetic bool             `json:"synthetic"`
		Rows      []map[string]any `json:"rows"`
		Notes     []string         `json:"notes"`
	}{t.Title, t.Synthetic, rows, t.notes()})
}
