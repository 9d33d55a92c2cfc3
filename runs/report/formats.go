package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writeCSV writes the values in full precision under their keys; a figure that is undefined or unknown is an empty
// field. The notes have no place in a CSV file, but the last two columns say which runs it is of and whether they are synthetic.
func (t Table) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := make([]string, len(t.Columns), len(t.Columns)+2)
	for i, col := range t.Columns {
		head[i] = col.Key
	}
	if err := c.Write(append(head, "runs", "synthetic")); err != nil {
		return err
	}
	var of []string
	for _, p := range t.Runs {
		of = append(of, p.Name+"@"+p.Config)
	}
	runs := inert(strings.Join(of, " "))
	for _, r := range t.Rows {
		row := make([]string, len(r), len(r)+2)
		for i, cell := range r {
			switch v := cell.Value.(type) {
			case nil:
			case string:
				row[i] = inert(v)
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		if err := c.Write(append(row, runs, strconv.FormatBool(t.Synthetic))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// inert keeps a spreadsheet from running a text as a formula: one that starts like a formula gets an apostrophe in
// front. Numbers are numbers and stay as they are.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) {
		return "'" + s
	}
	return s
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
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
		Number    int              `json:"number,omitempty"`
		Name      string           `json:"name,omitempty"`
		Title     string           `json:"title"`
		Synthetic bool             `json:"synthetic"`
		Rows      []map[string]any `json:"rows"`
		Runs      []Provenance     `json:"runs"`
		Notes     []string         `json:"notes"`
	}{t.Number, t.Name, t.Title, t.Synthetic, rows, append([]Provenance{}, t.Runs...), t.notes()})
}

// Write writes several tables; as JSON they are one array.
func Write(w io.Writer, f Format, tables ...Table) error {
	if f == JSON {
		return writeJSON(w, tables)
	}
	for i, t := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := t.Write(w, f); err != nil {
			return err
		}
	}
	return nil
}
