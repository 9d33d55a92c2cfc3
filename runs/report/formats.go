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
	var head []string
	for _, col := range t.Columns {
		head = append(head, col.Key)
		for _, key := range col.further() {
			head = append(head, col.Key+key)
		}
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
		var row []string
		for i, cell := range r {
			row = append(row, plain(cell.Value))
			values, _, _ := t.Columns[i].furtherValues(cell)
			for _, v := range values {
				row = append(row, plain(v))
			}
		}
		if err := c.Write(append(row, runs, strconv.FormatBool(t.Synthetic))); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// plain is a value as a field of CSV.
func plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return inert(v)
	}
	return fmt.Sprint(value)
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
			key := t.Columns[k].Key
			row[key] = cell.Value
			if cell.Why != "" {
				why[key] = cell.Why
			}
			values, lacking, reason := t.Columns[k].furtherValues(cell)
			for i, of := range t.Columns[k].further() {
				row[key+of] = values[i]
			}
			if lacking != "" {
				why[key+lacking] = reason
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
